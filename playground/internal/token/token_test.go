package token

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/svedawasm/svedawasm/playground/internal/policy"
)

var now = time.Unix(1_700_000_000, 0)

func signer(t *testing.T) *Signer {
	t.Helper()
	s, err := NewSigner([]byte("key"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// raw signs claims as they are written, right or wrong.
func raw(s *Signer, claims string) string {
	body := base64.RawURLEncoding.EncodeToString([]byte(claims))
	return Prefix + body + "." + hex.EncodeToString(s.mac(body))
}

func TestRoundTrip(t *testing.T) {
	s := signer(t)
	name := "agent"
	tok, err := s.Sign(Claims{VisitorID: "v", Policy: &name, Admin: true,
		Grants: &policy.Rules{MCP: &policy.MCP{Allow: []string{"a*"}, MaxMode: "read"}}}, now, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Verify(tok, now)
	if err != nil {
		t.Fatal(err)
	}
	if c.VisitorID != "v" || *c.Policy != "agent" || !c.Admin || c.ExpiresAt != now.Unix()+3600 || c.Grants.MCP.MaxMode != "read" {
		t.Errorf("claims %+v", c)
	}
	// The form is the contract's: unpadded base64url, a dot, lower-case hex.
	body, mac, _ := strings.Cut(strings.TrimPrefix(tok, Prefix), ".")
	if _, err := base64.RawURLEncoding.DecodeString(body); err != nil || len(mac) != 64 || strings.ToLower(mac) != mac {
		t.Errorf("token %q", tok)
	}
}

func TestTTLIsNeverUnderAMinute(t *testing.T) {
	s := signer(t)
	for _, ttl := range []time.Duration{-time.Hour, 0, time.Second} {
		tok, _ := s.Sign(Claims{VisitorID: "v"}, now, ttl)
		if _, err := s.Verify(tok, now.Add(59*time.Second)); err != nil {
			t.Errorf("ttl %s: %v", ttl, err)
		}
		if _, err := s.Verify(tok, now.Add(60*time.Second)); !errors.Is(err, ErrInvalid) {
			t.Errorf("ttl %s lives too long", ttl)
		}
	}
}

func TestVisitorLength(t *testing.T) {
	s := signer(t)
	for n, ok := range map[int]bool{0: false, 1: true, 64: true, 65: false} {
		_, err := s.Sign(Claims{VisitorID: strings.Repeat("x", n)}, now, time.Hour)
		if (err == nil) != ok {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func TestInvalidTokens(t *testing.T) {
	s := signer(t)
	good := raw(s, `{"visitor_id":"v","expires_at":1700000100}`)
	if _, err := s.Verify(good, now); err != nil {
		t.Fatal(err)
	}
	body, mac, _ := strings.Cut(strings.TrimPrefix(good, Prefix), ".")
	other, _ := NewSigner([]byte("other"))
	tests := map[string]string{
		"empty":              "",
		"no prefix":          body + "." + mac,
		"prefix only":        Prefix,
		"no dot":             Prefix + body,
		"no signature":       Prefix + body + ".",
		"signature not hex":  Prefix + body + ".zz",
		"signature cut":      Prefix + body + "." + mac[:62],
		"signature of more":  Prefix + body + "." + mac + "00",
		"body changed":       Prefix + body + "AA." + mac,
		"other key":          raw(other, `{"visitor_id":"v","expires_at":1700000100}`),
		"expired":            raw(s, `{"visitor_id":"v","expires_at":1700000000}`),
		"no expiry":          raw(s, `{"visitor_id":"v"}`),
		"expiry is text":     raw(s, `{"visitor_id":"v","expires_at":"1800000000"}`),
		"expiry is fraction": raw(s, `{"visitor_id":"v","expires_at":1.8e9}`),
		"no visitor":         raw(s, `{"expires_at":1700000100}`),
		"empty visitor":      raw(s, `{"visitor_id":"","expires_at":1700000100}`),
		"long visitor":       raw(s, `{"visitor_id":"`+strings.Repeat("x", 65)+`","expires_at":1700000100}`),
		"visitor is number":  raw(s, `{"visitor_id":1,"expires_at":1700000100}`),
		"visitor twice":      raw(s, `{"visitor_id":"v","visitor_id":"w","expires_at":1700000100}`),
		"other case":         raw(s, `{"Visitor_ID":"v","expires_at":1700000100}`),
		"policy is number":   raw(s, `{"visitor_id":"v","expires_at":1700000100,"policy":1}`),
		"grants is list":     raw(s, `{"visitor_id":"v","expires_at":1700000100,"grants":[]}`),
		"not an object":      raw(s, `[]`),
		"not JSON":           raw(s, `{`),
	}
	for name, tok := range tests {
		if _, err := s.Verify(tok, now); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
}

func TestSignerNeedsAKey(t *testing.T) {
	if _, err := NewSigner(nil); err == nil {
		t.Error("a signer without a key")
	}
}
