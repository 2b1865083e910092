package hostclient

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serve gives an MCP server with the handler for the tool "t", its target and
// the headers of the last request that it got.
func serve(t *testing.T, meta mcp.Meta, handle mcp.ToolHandler) (Target, func() http.Header) {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "h", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "t", InputSchema: json.RawMessage(`{"type":"object"}`), Meta: meta}, handle)
	var seen atomic.Pointer[http.Header]
	mcpHandler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := r.Header.Clone()
		seen.Store(&h)
		mcpHandler.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return Target{URL: srv.URL}, func() http.Header { return *seen.Load() }
}

func connect(t *testing.T, target Target) *Session {
	t.Helper()
	s, err := Connect(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func text(s string) []mcp.Content { return []mcp.Content{&mcp.TextContent{Text: s}} }

func TestTurnRule18_Outputs(t *testing.T) {
	tests := []struct {
		name string
		res  mcp.CallToolResult
		want string
	}{
		{"structured", mcp.CallToolResult{StructuredContent: map[string]any{"a": 1}, Content: text("other")}, `{"a":1}`},
		{"structured and the same text: numbers stay exact", mcp.CallToolResult{
			StructuredContent: json.RawMessage(`{"id":9007199254740993}`), Content: text(`{ "id": 9007199254740993 }`)}, `{"id":9007199254740993}`},
		{"text that is JSON", mcp.CallToolResult{Content: text(`{"n": 1.10}`)}, `{"n":1.10}`},
		{"text", mcp.CallToolResult{Content: text("plain <b>")}, `"plain \u003cb\u003e"`},
		{"two texts", mcp.CallToolResult{Content: append(text("a"), text("b")...)}, `"a\nb"`},
		{"empty", mcp.CallToolResult{}, `{"success":true,"data":null}`},
		{"error", mcp.CallToolResult{IsError: true, Content: text("no row")}, `{"success":false,"error":"no row"}`},
		{"error without text", mcp.CallToolResult{IsError: true}, `{"success":false,"error":"The tool reported an error."}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			target, _ := serve(t, nil, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return &tt.res, nil })
			out, err := connect(t, target).Call(t.Context(), "t", json.RawMessage(`{}`))
			if err != nil || string(out) != tt.want {
				t.Errorf("output %s, error %v; want %s", out, err, tt.want)
			}
		})
	}
}

func TestTurnRule01_ConfirmationOfTheHost(t *testing.T) {
	for word, want := range map[any]bool{nil: false, "auto": false, "required": true, "REQUIRED": true, "": true, true: true, 1: true} {
		meta := mcp.Meta{"mode": "delete", "domain": "d"}
		if word != nil {
			meta["confirmation"] = word
		}
		target, _ := serve(t, meta, nil)
		tools, err := connect(t, target).Tools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if tools[0].Confirming != want || tools[0].Mode != "delete" || tools[0].Domain != "d" {
			t.Errorf("confirmation %v: %+v", word, tools[0])
		}
	}
}

func TestUnknownOutcome(t *testing.T) {
	run := make(chan struct{})
	target, _ := serve(t, nil, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-run
		return &mcp.CallToolResult{}, nil
	})
	t.Cleanup(func() { close(run) })
	s := connect(t, target)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := s.Call(ctx, "t", json.RawMessage(`{}`)); !errors.Is(err, ErrUnknownOutcome) {
		t.Errorf("timeout: %v, want ErrUnknownOutcome", err)
	}
	// A host that is gone was not reached: nothing ran.
	gone := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
		return mcp.NewServer(&mcp.Implementation{Name: "h", Version: "1"}, nil)
	}, &mcp.StreamableHTTPOptions{Stateless: true}))
	// A connection that is kept may carry the request before it is seen to be closed.
	gone.Config.SetKeepAlivesEnabled(false)
	lost := connect(t, Target{URL: gone.URL})
	gone.Close()
	if _, err := lost.Call(t.Context(), "t", json.RawMessage(`{}`)); err == nil || errors.Is(err, ErrUnknownOutcome) {
		t.Errorf("host gone: %v", err)
	}
	// The host's own refusal is known: nothing ran.
	if _, err := s.Call(t.Context(), "other", json.RawMessage(`{}`)); err == nil || errors.Is(err, ErrUnknownOutcome) {
		t.Errorf("unknown tool: %v", err)
	}
}

func TestHeaders(t *testing.T) {
	handle := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{}, nil
	}
	for _, tt := range []struct{ context, want string }{
		{`{"page":"/a"}`, `{"page":"/a"}`},
		{`{"page":"ä"}`, ""},
		{`{"a":` + "\n" + `1}`, ""},
		{`"` + strings.Repeat("x", 24000) + `"`, ""},
		{"", ""},
	} {
		target, seen := serve(t, nil, handle)
		target.Token, target.ChatID, target.PageContext = "secret", "chat_1", json.RawMessage(tt.context)
		if _, err := connect(t, target).Call(t.Context(), "t", json.RawMessage(`{}`)); err != nil {
			t.Fatal(err)
		}
		if got := seen().Get("x-sveda-page-context"); got != tt.want {
			t.Errorf("page context %q, want %q", got, tt.want)
		}
		if seen().Get("x-sveda-chat-id") != "chat_1" || seen().Get("authorization") != "Bearer secret" {
			t.Errorf("headers %v", seen())
		}
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer other.Close()
	srv := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer srv.Close()
	if s, err := Connect(t.Context(), Target{URL: srv.URL, Token: "secret"}); err == nil {
		s.Close()
		t.Error("connected over a redirect")
	}
	if reached {
		t.Error("the token went to another host")
	}
}
