//go:build !js

package websocket

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// serve runs a server that does what handle says with each socket.
func serve(t *testing.T, handle func(s *Socket)) (url string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s, err := Accept(w, r, nil)
		if err != nil {
			return
		}
		handle(s)
	}))
	t.Cleanup(server.Close)
	return "ws" + strings.TrimPrefix(server.URL, "http")
}

// heard collects what a line tells.
type heard struct {
	mu       sync.Mutex
	protocol string
	messages [][]byte
	code     int
	opened   chan struct{}
	closed   chan struct{}
}

func newHeard() *heard { return &heard{opened: make(chan struct{}), closed: make(chan struct{})} }

func (h *heard) events() Events {
	return Events{
		Opened: func(protocol string) { h.protocol = protocol; close(h.opened) },
		Message: func(data []byte, _ bool) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.messages = append(h.messages, data)
		},
		Closed: func(code int) { h.code = code; close(h.closed) },
	}
}

func (h *heard) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.messages)
}

func await(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(30 * time.Second):
		t.Fatalf("waited for %s for 30 s", what)
	}
}

func TestLineTellsCloseCodeAndEverythingBeforeIt(t *testing.T) {
	url := serve(t, func(s *Socket) {
		for i := range 20 {
			_ = s.Write(context.Background(), []byte{byte(i)}, false)
		}
		s.Close(4401)
	})
	h := newHeard()
	OpenLine(1, url, h.events())
	await(t, "the close", h.closed)
	wantEqual(t, "messages", h.count(), 20)
	wantEqual(t, "code", h.code, 4401)
	wantEqual(t, "protocol", h.protocol, ProtocolMessagePack)
}

func TestLineReadsLargeMessagesUpToItsCap(t *testing.T) {
	url := serve(t, func(s *Socket) {
		_ = s.Write(context.Background(), make([]byte, MaxMessage), false)
		_ = s.Write(context.Background(), make([]byte, MaxMessage+1), false)
		_, _, _, _ = s.Read()
	})
	h := newHeard()
	OpenLine(1, url, h.events())
	await(t, "the close", h.closed)
	wantEqual(t, "messages", h.count(), 1)
}

func TestLineWritesInOrder(t *testing.T) {
	got := make(chan []byte, 1)
	url := serve(t, func(s *Socket) {
		var all []byte
		for len(all) < 300 {
			m, _, _, err := s.Read()
			if err != nil {
				break
			}
			all = append(all, m...)
		}
		got <- all
	})
	h := newHeard()
	l := OpenLine(1, url, h.events())
	await(t, "the socket", h.opened)
	var want []byte
	for i := range 300 {
		l.Write([]byte{byte(i)}, i%2 == 0)
		want = append(want, byte(i))
	}
	if all := <-got; !bytes.Equal(all, want) {
		t.Errorf("got %v", all)
	}
	l.Close(CloseNormal)
}

func TestI10_ClosedLinesLeaveNothing(t *testing.T) {
	hole, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer hole.Close()
	url := serve(t, func(s *Socket) {
		for {
			if _, _, _, err := s.Read(); err != nil {
				return
			}
		}
	})
	before := runtime.NumGoroutine()
	for range 20 {
		h := newHeard()
		OpenLine(1, "ws://"+hole.Addr().String(), h.events()).Close(CloseTimeout)
		opened := newHeard()
		l := OpenLine(2, url, opened.events())
		await(t, "the socket", opened.opened)
		l.Close(CloseNormal)
		l.Close(CloseNormal)
	}
	for range 100 {
		http.DefaultClient.CloseIdleConnections()
		if runtime.NumGoroutine() <= before+2 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}

func TestS63_RedirectedHandshakeIsRefused(t *testing.T) {
	foreign := make(chan struct{}, 1)
	elsewhere := serve(t, func(s *Socket) {
		if _, _, _, err := s.Read(); err == nil {
			foreign <- struct{}{}
		}
	})
	server := httptest.NewServer(http.RedirectHandler("http"+strings.TrimPrefix(elsewhere, "ws"), http.StatusTemporaryRedirect))
	defer server.Close()
	h := newHeard()
	OpenLine(1, "ws"+strings.TrimPrefix(server.URL, "http"), h.events())
	await(t, "the close", h.closed)
	select {
	case <-h.opened:
		t.Error("the line was opened")
	case <-foreign:
		t.Error("another server has got a message")
	default:
	}
}

func TestLineThatCannotConnect(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"404":           http.NotFound,
		"not WebSocket": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
	} {
		server := httptest.NewServer(handler)
		h := newHeard()
		OpenLine(1, "ws"+strings.TrimPrefix(server.URL, "http"), h.events())
		await(t, name, h.closed)
		wantEqual(t, name, h.code, 0)
		server.Close()
	}
}
