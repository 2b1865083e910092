//go:build !js

package driver

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/sveda"
	"github.com/svedawasm/svedawasm/session/websocket"
)

const answer = `{"type":"message.start","messageId":"m1"}` + "\n" +
	`{"type":"text.delta","delta":"hello"}` + "\n" + `{"type":"message.end","finishReason":"stop"}`

// socketServer answers turns over both ways, and counts them.
func socketServer(t *testing.T, sockets bool) (url string, posts, frames *atomic.Int32) {
	posts, frames = new(atomic.Int32), new(atomic.Int32)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /stream", func(w http.ResponseWriter, r *http.Request) {
		posts.Add(1)
		w.Header().Set("Content-Type", "text/event-stream")
		for line := range strings.SplitSeq(answer, "\n") {
			_, _ = io.WriteString(w, "data: "+line+"\n\n")
		}
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	})
	if sockets {
		mux.HandleFunc("GET /ws", func(w http.ResponseWriter, r *http.Request) {
			s, err := websocket.Accept(w, r, nil)
			if err != nil {
				return
			}
			codec, _ := websocket.CodecOf(s.Protocol())
			send := func(f websocket.Frame) { _ = s.Write(context.Background(), codec.Append(nil, &f), codec.Text()) }
			seq := uint64(0)
			for {
				message, text, _, err := s.Read()
				if err != nil {
					return
				}
				switch f, _ := codec.Decode(message, text); {
				case f.Type == websocket.TypeHello && f.Token != "secret":
					s.Close(4401)
					return
				case f.Type == websocket.TypeHello:
					send(websocket.Frame{Type: websocket.TypeWelcome, Link: "L"})
				case f.Type == websocket.TypeRequest:
					frames.Add(1)
					seq++
					send(websocket.Frame{Type: websocket.TypeHead, Seq: seq, ID: f.ID, Status: 200})
					for line := range strings.SplitSeq(answer, "\n") {
						seq++
						send(websocket.Frame{Type: websocket.TypeEvent, Seq: seq, ID: f.ID, Data: []byte(line)})
					}
					seq++
					send(websocket.Frame{Type: websocket.TypeEnd, Seq: seq, ID: f.ID})
				}
			}
		})
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL, posts, frames
}

func socketChat(t *testing.T, url string, s *Socket) *Chat {
	if s.HTTP == nil {
		s.HTTP = &HTTP{}
	}
	s.HTTP.Endpoints = map[string]string{"stream": url + "/stream"}
	s.URL = "ws" + strings.TrimPrefix(url, "http") + "/ws"
	c := New(Config{Session: session.Config{ChatID: "c", Dialect: sveda.New(sveda.Config{})}, Transport: s})
	t.Cleanup(c.Close)
	return c
}

func withToken(token string) *HTTP {
	return &HTTP{Header: func(context.Context) (http.Header, error) {
		return http.Header{"X-Sveda-Embed-Token": {token}}, nil
	}}
}

func text(c *Chat) (body string) {
	c.With(func(s *session.Session) {
		messages := s.Messages()
		body = string(messages[len(messages)-1].Body())
	})
	return body
}

func TestTurnsGoOverTheSocket(t *testing.T) {
	url, posts, frames := socketServer(t, true)
	c := socketChat(t, url, &Socket{HTTP: withToken("secret")})
	for range 3 {
		if err := c.Send(t.Context(), session.Outgoing{Text: "hi"}); err != nil {
			t.Fatal(err)
		}
		if body := text(c); body != "hello" {
			t.Errorf("the answer is %q", body)
		}
	}
	if posts.Load() != 0 || frames.Load() != 3 {
		t.Errorf("%d requests over HTTP and %d over the socket, want 0 and 3", posts.Load(), frames.Load())
	}
}

func TestFallsBackToEventStreams(t *testing.T) {
	url, posts, _ := socketServer(t, false)
	c := socketChat(t, url, &Socket{HTTP: withToken("secret"), Fallback: true})
	for range 2 {
		if err := c.Send(t.Context(), session.Outgoing{Text: "hi"}); err != nil {
			t.Fatal(err)
		}
	}
	if posts.Load() != 2 || text(c) != "hello" {
		t.Errorf("%d requests over HTTP, answer %q", posts.Load(), text(c))
	}
}

func TestRefusedTokenIsUnauthorized(t *testing.T) {
	url, posts, frames := socketServer(t, true)
	c := socketChat(t, url, &Socket{HTTP: withToken("wrong"), Fallback: true})
	err := c.Send(t.Context(), session.Outgoing{Text: "hi"})
	if e, ok := errors.AsType[*session.Error](err); !ok || e.Code != session.CodeUnauthorized {
		t.Errorf("got %v, want %s", err, session.CodeUnauthorized)
	}
	if posts.Load()+frames.Load() != 0 {
		t.Error("the turn was sent")
	}
}

func TestTokenThatCannotBeHad(t *testing.T) {
	url, _, _ := socketServer(t, true)
	failing := &HTTP{Header: func(context.Context) (http.Header, error) { return nil, errors.New("logged out") }}
	c := socketChat(t, url, &Socket{HTTP: failing})
	err := c.Send(t.Context(), session.Outgoing{Text: "hi"})
	if e, ok := errors.AsType[*session.Error](err); !ok || e.Code != session.CodeRequestFailed {
		t.Errorf("got %v, want %s", err, session.CodeRequestFailed)
	}
}

func TestStopAndCloseWhileASocketOpens(t *testing.T) {
	s := &Socket{HTTP: &HTTP{Header: func(ctx context.Context) (http.Header, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}}
	c := socketChat(t, "http://127.0.0.1:1", s)
	ended := make(chan error, 1)
	go func() { ended <- c.Send(context.Background(), session.Outgoing{Text: "hi"}) }()
	time.Sleep(20 * time.Millisecond)
	if err := c.Stop(t.Context(), false); err != nil {
		t.Error(err)
	}
	<-ended
	c.Close()
	s.Open(9, event.WireRequest{Endpoint: "stream", Method: "POST"}, nil) // after the end: nothing
}
