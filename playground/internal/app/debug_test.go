package app

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/svedawasm/svedawasm/playground/internal/config"
)

func TestDemoToken(t *testing.T) {
	p := start(t, setup{})
	res, body := p.request("GET", "/demo/token", "", "")
	var out struct{ Token string }
	if err := json.Unmarshal([]byte(body), &out); err != nil || res.StatusCode != 200 {
		t.Fatalf("%d %s", res.StatusCode, body)
	}
	if r := p.send("POST", "/sveda/stream", turn("c", "hi"), out.Token); r.status != 200 {
		t.Errorf("the token does not work: %d", r.status)
	}
	if res.Header.Get("Cache-Control") != "no-store" {
		t.Error("the token may be cached")
	}
}

func TestDebugEndpoints(t *testing.T) {
	p := start(t, setup{})
	p.say("c", "delete post 2")
	p.decide("c", "call_delete_post_1", "approve")
	_, calls := p.request("GET", "/debug/mcp-calls", "", "")
	if !strings.Contains(calls, `{"name":"delete_post","arguments":{"post_id":2},"chatId":"c","time":"`) {
		t.Errorf("calls %s", calls)
	}
	_, rows := p.request("GET", "/debug/posts", "", "")
	if strings.Contains(rows, `"id":2,`) || !strings.Contains(rows, `"id":3,`) {
		t.Errorf("posts %s", rows)
	}
	_, requests := p.request("GET", "/debug/requests", "", "")
	var list struct {
		Requests []struct {
			Method, Path, Body string
			Status             int
		}
	}
	if err := json.Unmarshal([]byte(requests), &list); err != nil || len(list.Requests) != 2 {
		t.Fatalf("%v %s", err, requests)
	}
	if r := list.Requests[1]; r.Method != "POST" || r.Path != "/sveda/stream" || !strings.Contains(r.Body, `"decision":"approve"`) || r.Status != 200 {
		t.Errorf("request %+v", r)
	}
	if strings.Contains(requests, p.token) {
		t.Error("a token is in the recorded requests")
	}
	if res, body := p.request("POST", "/debug/reset", "", ""); res.StatusCode != 200 {
		t.Fatalf("%d %s", res.StatusCode, body)
	}
	p.wantPost(2, true)
	p.wantCalls("delete_post", 0)
	if r := p.send("GET", "/sveda/chat-histories", nil, p.token); r.body != `{"histories":[]}` {
		t.Errorf("histories %s", r.body)
	}
}

func TestDebugIsForThisMachineOnly(t *testing.T) {
	p := start(t, setup{})
	port := p.base[strings.LastIndex(p.base, ":"):]
	for name, header := range map[string][]string{
		"a name of somebody else": {"Host", "evil.example" + port},
		"another origin":          {"Origin", "http://evil.example"},
		"another port's page":     {"Origin", "http://127.0.0.1:1"},
		"cross-site fetch":        {"Sec-Fetch-Site", "cross-site"},
		"same-site fetch":         {"Sec-Fetch-Site", "same-site"},
	} {
		for _, path := range []string{"/demo/token", "/debug/posts"} {
			if status := p.statusWithHost(path, header[0], header[1]); status != 403 {
				t.Errorf("%s, %s: %d, want 403", name, path, status)
			}
		}
	}
	if status := p.statusWithHost("/demo/token", "Sec-Fetch-Site", "same-origin"); status != 200 {
		t.Errorf("the demo's own page: %d", status)
	}
	closed := start(t, setup{env: map[string]string{"SVEDA_DEMO": "false", "SVEDA_SECRET": "0123456789abcdef"}})
	for _, path := range []string{"/demo/token", "/debug/posts", "/debug/requests", "/debug/mcp-calls"} {
		if res, _ := closed.request("GET", path, "", ""); res.StatusCode != 404 {
			t.Errorf("outside demo mode %s: %d, want 404", path, res.StatusCode)
		}
	}
}

func TestMCPNeedsItsToken(t *testing.T) {
	p := start(t, setup{})
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete_post","arguments":{"post_id":2}}}`
	for _, auth := range []string{"", "Bearer ", "Bearer wrong"} {
		res, _ := p.request("POST", "/mcp/sveda", "application/json", body, "Authorization", auth, "Accept", "application/json, text/event-stream")
		if res.StatusCode != 401 {
			t.Errorf("authorization %q: %d, want 401", auth, res.StatusCode)
		}
	}
	p.wantPost(2, true)
}

// locked is a buffer for a logger that is read while it is written.
type locked struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func TestS61S62_LogsHoldNoTokenArgumentOrReason(t *testing.T) {
	logs := &locked{}
	p := start(t, setup{log: slog.New(slog.NewJSONHandler(logs, &slog.HandlerOptions{Level: slog.LevelDebug})),
		config: func(c *config.Config) { c.HostKey = "sentinel-host-key" }})
	p.say("c", `call create_post with {"title":"sentinel-argument"}`)
	p.say("c", `call delete_post with {"post_id":"sentinel-bad-argument"}`)
	p.decide("c", "call_delete_post_1", "approve")
	p.say("d", "delete post 2")
	p.post(map[string]any{"chatId": "d", "toolDecisions": []any{map[string]any{"toolCallId": "call_delete_post_1", "decision": "deny", "reason": "sentinel-reason"}}})
	p.post(`{"prompt":"sentinel-cut`)
	p.send("GET", "/sveda/chat-histories/c?token=sentinel-query", nil, "sveda_embed_sentinel-token")
	p.stop()
	logs.mu.Lock()
	defer logs.mu.Unlock()
	text := logs.b.String()
	if !strings.Contains(text, `"path":"/sveda/stream"`) {
		t.Fatal("nothing was logged")
	}
	for _, secret := range []string{"sentinel", p.token} {
		if i := strings.Index(text, secret); i >= 0 {
			t.Errorf("the log holds %q: %s", secret, text[max(0, i-200):min(len(text), i+100)])
		}
	}
}
