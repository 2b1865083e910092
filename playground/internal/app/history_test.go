package app

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/svedawasm/svedawasm/playground/internal/model"
	"github.com/svedawasm/svedawasm/playground/internal/store"
	"github.com/svedawasm/svedawasm/playground/internal/token"
)

type history struct {
	ID                  string           `json:"id"`
	ChatID              string           `json:"chatId"`
	Title               string           `json:"title"`
	Messages            []displayMessage `json:"messages"`
	ConversationHistory []struct {
		Role       string `json:"role"`
		Content    string `json:"content"`
		ToolCallID string `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string `json:"id"`
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	} `json:"conversationHistory"`
	TokensUsed int    `json:"tokensUsed"`
	Version    int    `json:"version"`
	CreatedAt  string `json:"createdAt"`
	UpdatedAt  string `json:"updatedAt"`
}

type displayMessage struct {
	ID      string
	Role    string
	Content string
	Parts   []struct {
		Type, Text, ToolCallID, ToolName, Target, Confirmation string
		Input, Output                                          json.RawMessage
	}
}

func (p *play) history(chat string) history {
	p.t.Helper()
	r := p.send("GET", "/sveda/chat-histories/"+chat, nil, p.token)
	if r.status != 200 {
		p.t.Fatalf("history: status %d", r.status)
	}
	var body struct{ History history }
	if err := json.Unmarshal([]byte(r.body), &body); err != nil {
		p.t.Fatalf("history %s: %v", r.body, err)
	}
	return body.History
}

func partTypes(m displayMessage) string {
	var types []string
	for _, x := range m.Parts {
		types = append(types, x.Type)
	}
	return strings.Join(types, " ")
}

func deadHost() store.Host {
	return store.Host{URL: "http://127.0.0.1:1/mcp", ExpiresAt: time.Now().Add(time.Hour)}
}

func TestHistoryEndpoints(t *testing.T) {
	p := start(t, setup{model: script(model.Response{Text: "one"}, model.Response{Text: "two"})})
	p.say("a b/c", "first words")
	time.Sleep(2 * time.Millisecond)
	p.say("second", "other words")
	r := p.send("GET", "/sveda/chat-histories", nil, p.token)
	var body struct {
		Histories []struct {
			ID, ChatID, Title, Preview, CreatedAt, UpdatedAt string
			TokensUsed, Version                              int
		}
	}
	if err := json.Unmarshal([]byte(r.body), &body); err != nil {
		t.Fatal(err)
	}
	if len(body.Histories) != 2 || body.Histories[0].ID != "second" || body.Histories[1].ChatID != "a b/c" {
		t.Fatalf("histories %s", r.body)
	}
	h := body.Histories[0]
	if h.Preview != "other words" || h.TokensUsed != 12 || h.Version != 1 {
		t.Errorf("summary %+v", h)
	}
	for _, s := range []string{h.CreatedAt, h.UpdatedAt} {
		if _, err := time.Parse(time.RFC3339, s); err != nil {
			t.Error(err)
		}
	}

	path := "/sveda/chat-histories/a%20b%2Fc"
	if r := p.send("PATCH", path, map[string]any{"title": "  Named "}, p.token); r.body != `{"success":true}` {
		t.Errorf("rename: %d %s", r.status, r.body)
	}
	if got := p.chat("a b/c"); got.Title != "Named" || got.Version != 2 {
		t.Errorf("title %q version %d", got.Title, got.Version)
	}
	wantMessage(t, p.send("PATCH", path, map[string]any{"title": " "}, p.token), 422, "title is required")
	wantMessage(t, p.send("PATCH", path, map[string]any{}, p.token), 422, "title is required")

	other := p.sign(token.Claims{VisitorID: "bob"})
	for _, method := range []string{"GET", "DELETE"} {
		if r := p.send(method, path, nil, other); r.status != 404 || r.body != "" {
			t.Errorf("%s by another visitor: %d %q", method, r.status, r.body)
		}
		if r := p.send(method, path, nil, ""); r.status != 401 || r.body != "" {
			t.Errorf("%s without token: %d %q", method, r.status, r.body)
		}
	}
	if r := p.send("DELETE", path, nil, p.token); r.body != `{"success":true}` {
		t.Errorf("delete: %d %s", r.status, r.body)
	}
	if r := p.send("GET", path, nil, p.token); r.status != http.StatusNotFound || r.body != "" {
		t.Errorf("after delete: %d %q", r.status, r.body)
	}
	if r := p.send("PATCH", path, map[string]any{"title": "x"}, p.token); r.status != 404 {
		t.Errorf("rename after delete: %d", r.status)
	}
}

func TestHistoryKeepsTheBytesOfArguments(t *testing.T) {
	args := `{"z":1.10,"a":9007199254740993,"2":"<b>&","1":1e400}`
	p := start(t, setup{model: script(calling("c1", "delete_post", args))})
	r := p.say("c", "go")
	if !strings.Contains(r.of("tool.call")[0].raw, `"input":`+args+`,`) {
		t.Errorf("event %s", r.of("tool.call")[0].raw)
	}
	body := p.send("GET", "/sveda/chat-histories/c", nil, p.token).body
	if !strings.Contains(body, `"input":`+args+`,"confirmation":"required"}`) {
		t.Errorf("history %s", body)
	}
	if got := p.history("c").ConversationHistory[1].ToolCalls[0].Function.Arguments; got != args {
		t.Errorf("conversation has %s", got)
	}
}
