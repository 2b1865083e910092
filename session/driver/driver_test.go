//go:build !js

package driver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/driver"
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/sveda"
	"github.com/svedawasm/svedawasm/toolregistry"
)

// server answers each request with the next script.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	requests []string
	scripts  []http.HandlerFunc
}

func newServer(t *testing.T, scripts ...http.HandlerFunc) *server {
	s := &server{scripts: scripts}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		n := len(s.requests)
		s.requests = append(s.requests, fmt.Sprintf("%s %s %s %s", r.Method, r.URL.Path, r.Header.Get("X-Sveda-Embed-Token"), body))
		s.mu.Unlock()
		if n >= len(s.scripts) {
			http.Error(w, "no script", 500)
			return
		}
		s.scripts[n](w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

func events(list ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range list {
			fmt.Fprintf(w, "data: %s\n\n", e)
			w.(http.Flusher).Flush()
		}
	}
}

const end = `{"type":"message.end","finishReason":"stop"}`

func start(t *testing.T, s *server) *driver.Chat {
	c := driver.New(driver.Config{
		Session: session.Config{ChatID: "c", Dialect: sveda.New(sveda.Config{Histories: true}), Seed: [16]byte{1}},
		Transport: &driver.HTTP{
			Endpoints: map[string]string{"stream": s.URL + "/sveda/stream", "history": s.URL + "/sveda/chat-histories"},
			Header: func(context.Context) (http.Header, error) {
				return http.Header{"X-Sveda-Embed-Token": {"token"}}, nil
			},
		},
	})
	t.Cleanup(c.Close)
	return c
}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func state(c *driver.Chat) (text string) {
	c.With(func(s *session.Session) {
		for _, m := range s.Messages() {
			text += m.Role.String() + ":" + string(m.Body()) + " "
			for i := range m.Parts {
				if p := &m.Parts[i]; p.Kind == event.ResultPart {
					text += string(p.Output) + " "
				}
			}
		}
	})
	return text
}

func TestConfirmedCall(t *testing.T) {
	s := newServer(t,
		events(`{"type":"message.start","messageId":"m1"}`, `{"type":"tool.call","toolCallId":"c1","toolName":"delete_post","target":"backend","input":{"post_id":1},"confirmation":"required"}`, end, "[DONE]"),
		events(`{"type":"tool.result","toolCallId":"c1","toolName":"delete_post","output":{"success":true}}`, `{"type":"text.delta","delta":"Gone."}`, end, "[DONE]"),
	)
	c := start(t, s)
	if err := c.Send(within(t), session.Outgoing{Text: "delete post 1"}); err != nil {
		t.Fatal(err)
	}
	err := c.Send(within(t), session.Outgoing{Text: "and now?"})
	if e, ok := errors.AsType[*session.Error](err); !ok || e.Code != session.CodeAwaitingConsent {
		t.Errorf("a send while a call waits: %v", err)
	}
	outcome, err := c.Decide(within(t), session.Choice{Decision: event.Decision{ToolCallID: "c1", Approve: true}})
	if err != nil || string(outcome) != `[{"toolCallId":"c1","outcome":"sent","decision":"approve"}]` {
		t.Errorf("%s, %v", outcome, err)
	}
	if got := state(c); got != `user:delete post 1 assistant: {"success":true} assistant:Gone. ` {
		t.Error(got)
	}
	all := s.all()
	if len(all) != 2 || !strings.Contains(all[1], `"toolDecisions":[{"toolCallId":"c1","decision":"approve"}]`) || !strings.HasPrefix(all[1], "POST /sveda/stream token ") {
		t.Errorf("requests: %q", all)
	}
}

func TestFrontendTool(t *testing.T) {
	s := newServer(t,
		events(`{"type":"tool.call","toolCallId":"f1","toolName":"sum","target":"frontend","input":{"a":9007199254740993}}`,
			`{"type":"tool.call","toolCallId":"f2","toolName":"broken","target":"frontend","input":{}}`, end, "[DONE]"),
		events(`{"type":"text.delta","delta":"ok"}`, end, "[DONE]"),
	)
	c := start(t, s)
	var got driver.Call
	if err := c.Register(toolregistry.Tool{Name: "sum"}, func(_ context.Context, call driver.Call) ([]byte, error) {
		got = call
		return []byte(`3`), nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := c.Register(toolregistry.Tool{Name: "broken"}, func(context.Context, driver.Call) ([]byte, error) { panic("boom") }); err != nil {
		t.Fatal(err)
	}
	if err := c.Register(toolregistry.Tool{Name: "no good name"}, nil); err == nil {
		t.Error("a bad name was registered")
	}
	if err := c.Send(within(t), session.Outgoing{Text: "x"}); err != nil {
		t.Fatal(err)
	}
	if string(got.Input) != `{"a":9007199254740993}` || got.ChatID != "c" || got.ToolCallID != "f1" {
		t.Errorf("%+v", got)
	}
	if text := state(c); !strings.Contains(text, "tool: 3 ") || !strings.Contains(text, `"error":"the tool panicked: boom"`) {
		t.Error(text)
	}
}

func TestStopAbortsTheRequestAndTheTool(t *testing.T) {
	aborted, canceled := make(chan struct{}), make(chan struct{})
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		events(`{"type":"tool.call","toolCallId":"f1","toolName":"slow","target":"frontend","input":{}}`)(w, r)
		<-r.Context().Done()
		close(aborted)
	})
	c := start(t, s)
	running := make(chan struct{})
	if err := c.Register(toolregistry.Tool{Name: "slow"}, func(ctx context.Context, _ driver.Call) ([]byte, error) {
		close(running)
		<-ctx.Done()
		close(canceled)
		return nil, ctx.Err()
	}); err != nil {
		t.Fatal(err)
	}
	sent := make(chan error)
	go func() { sent <- c.Send(within(t), session.Outgoing{Text: "x"}) }()
	<-running
	if err := c.Stop(within(t), false); err != nil {
		t.Error(err)
	}
	if err := <-sent; err != nil {
		t.Errorf("a stopped send: %v", err)
	}
	<-aborted
	<-canceled
}

func TestFailures(t *testing.T) {
	code := func(err error) string {
		e, _ := errors.AsType[*session.Error](err)
		if e == nil {
			return fmt.Sprint(err)
		}
		return e.Code
	}
	var foreign int
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { foreign++ }))
	defer other.Close()
	s := newServer(t,
		func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(429)
			_ = json.NewEncoder(w).Encode(map[string]string{"message": "Too Many Attempts."})
		},
		func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, 307) },
		func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<html></html>") },
		func(w http.ResponseWriter, r *http.Request) {
			events(`{"type":"text.delta","delta":"half"}`)(w, r)
			panic(http.ErrAbortHandler)
		},
	)
	c := start(t, s)
	for _, want := range []string{session.CodeRateLimited, session.CodeNetwork, session.CodeNotAStream, session.CodeStreamCut} {
		err := c.Send(within(t), session.Outgoing{Text: "x"})
		if code(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
		if e, _ := errors.AsType[*session.Error](err); want == session.CodeRateLimited && (e.RetryAfter != 7000 || e.Server != "Too Many Attempts.") {
			t.Errorf("%+v", e)
		}
	}
	if foreign != 0 {
		t.Error("a redirect was followed")
	}
	s.Close()
	if err := c.Send(within(t), session.Outgoing{Text: "x"}); code(err) != session.CodeNetwork || strings.Contains(err.Error(), "http://") {
		t.Error(err)
	}
}

func TestCloseSettlesEverything(t *testing.T) {
	hanging := make(chan struct{})
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		close(hanging)
		<-r.Context().Done()
	})
	c := start(t, s)
	sent := make(chan error)
	go func() { sent <- c.Send(within(t), session.Outgoing{Text: "x"}) }()
	<-hanging
	c.Close()
	c.Close()
	if err := <-sent; err != nil {
		t.Error(err)
	}
	if err := c.Send(within(t), session.Outgoing{Text: "y"}); err == nil || c.With(func(*session.Session) {}) {
		t.Errorf("the chat is not closed: %v", err)
	}
}
