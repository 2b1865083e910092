package driver

import (
	"testing"
	"time"
)

func TestR11_RetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for value, want := range map[string]int{
		"": -1, "0": 0, "30": 30_000, " 2 ": 2_000, "-5": -1, "1000000000000": 300_000, "soon": -1, "1.5": -1,
		"Thu, 01 Jan 2026 00:00:10 GMT": 10_000, "Wed, 31 Dec 2025 00:00:00 GMT": 0, "Fri, 01 Jan 2027 00:00:00 GMT": 300_000,
	} {
		if got := retryAfter(value, now); got != want {
			t.Errorf("%q: %d, want %d", value, got, want)
		}
	}
}

func TestJoin(t *testing.T) {
	for _, tt := range [][3]string{
		{"http://h/stream", "", "http://h/stream"},
		{"http://h/chat-histories/", "a%2Fb", "http://h/chat-histories/a%2Fb"},
		{"http://h/base/", "/message/sse?x=1", "http://h/base/message/sse?x=1"},
		{"http://h/base", "?x=1", "http://h/base?x=1"},
	} {
		if got := join(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%q + %q: %q, want %q", tt[0], tt[1], got, tt[2])
		}
	}
}
