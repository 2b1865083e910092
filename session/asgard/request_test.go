package asgard

import (
	"testing"

	"github.com/svedawasm/svedawasm/session/event"
)

func TestRequests(t *testing.T) {
	for _, c := range []struct {
		name string
		r    event.Request
		want string
	}{
		{"turn", event.Request{Kind: event.Turn, ChatID: "ch", MessageID: "u1", Prompt: " hi\n", Payload: []byte(`{"a":1}`), BlobIDs: []byte(`["b"]`), Messages: []event.Message{{ID: "x"}}},
			`POST /message/sse {"action":"NONE","customChannelId":"ch","customMessageId":"u1","text":"hi","payload":{"a":1},"blobIds":["b"]}`},
		{"open", event.Request{Kind: event.Open, ChatID: "ch"}, `POST /message/sse {"action":"NONE","customChannelId":"ch","text":""}`},
		{"nudge", event.Request{Kind: event.Nudge, ChatID: "ch", MessageID: "u1"}, `POST /message/sse {"action":"NUDGE","customChannelId":"ch","customMessageId":"u1","text":""}`},
		{"reply", event.Request{Kind: event.Decide, ChatID: "ch", Decisions: []event.Decision{
			{ToolCallID: "a", Approve: true}, {ToolCallID: "b", Approve: true, Always: true, Reason: "ignored"}, {ToolCallID: `c"`, Reason: "no\n"}}},
			`POST /message/sse {"action":"RESPONSE_TOOL_CALL_CONSENT","customChannelId":"ch","text":"","toolCallConsents":[{"toolCallId":"a","result":"ALLOW_ONCE","denyReason":""},{"toolCallId":"b","result":"ALLOW_ALWAYS","denyReason":""},{"toolCallId":"c\"","result":"DENY_ONCE","denyReason":"no\n"}]}`},
		{"rejoin", event.Request{Kind: event.Reread, ChatID: "a b+c"}, "GET /message/sse?custom_channel_id=a+b%2Bc "},
		{"metadata", event.Request{Kind: event.Probe, ChatID: "ch"}, "GET /channel/metadata?custom_channel_id=ch "},
		{"suspend", event.Request{Kind: event.Stop, ChatID: "ch", RunID: "r/1", Force: true}, "POST /message/suspend?custom_channel_id=ch&request_id=r%2F1&force=true "},
		{"delete", event.Request{Kind: event.Delete, ChatID: "ch"}, "DELETE /channel?custom_channel_id=ch "},
	} {
		w := New(Config{}).Encode(&c.r)
		if got := w.Method + " " + w.Path + " " + string(w.Body); got != c.want || w.Endpoint != "base" {
			t.Errorf("%s:\n%s, want\n%s", c.name, got, c.want)
		}
	}
}

func TestHeaders(t *testing.T) {
	w := New(Config{APIKey: "k", IdentityHint: "h"}).Encode(&event.Request{Kind: event.Turn, Cursor: "7"})
	want := [][2]string{{"Content-Type", "application/json"}, {"X-API-KEY", "k"}, {"X-ASGARD-USER-IDENTITY-HINT", "h"}, {"Last-Event-ID", "7"}}
	if len(w.Headers) != len(want) || w.Accept != "text/event-stream" {
		t.Fatalf("headers %v, accept %q", w.Headers, w.Accept)
	}
	for i := range want {
		if w.Headers[i] != want[i] {
			t.Errorf("header %v, want %v", w.Headers[i], want[i])
		}
	}
	if w = New(Config{}).Encode(&event.Request{Kind: event.Stop}); len(w.Headers) != 1 || w.Accept != "" {
		t.Errorf("headers %v, accept %q", w.Headers, w.Accept)
	}
}
