//go:build !js

package socket

import (
	"context"
	"encoding/binary"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/svedawasm/svedawasm/session/websocket"
	"github.com/svedawasm/svedawasm/wasm/bridge"
	"github.com/svedawasm/svedawasm/wasm/frame"
)

// page is what JavaScript does: one thread that takes calls of goroutines, and
// does the effects of a socket.
type page struct {
	t       *testing.T
	b       *bridge.Bridge
	s       *Sockets
	handle  int
	tasks   chan func()
	woken   chan int
	changes string // ops and texts of everything that came out
	away    []int  // streams that were given back
	token   string
	flushed int
}

func newPage(t *testing.T, url string, fallback int) *page {
	p := &page{t: t, b: bridge.New(), tasks: make(chan func(), 1000), woken: make(chan int, 1000), token: "secret"}
	p.s = New(p.b, func(handle int) { p.woken <- handle }, func(f func()) { p.tasks <- f })
	registry := p.number(p.b.OpenRegistry())
	client := p.number(p.b.OpenClient(registry, 0, p.write("sveda")))
	p.handle = p.number(p.b.OpenSession(client, p.write("chat", strings.Repeat("s", 16))))
	p.take(p.s.Open(p.handle, fallback, p.write(url, strings.Repeat("r", 16))))
	return p
}

func (p *page) write(fields ...string) int {
	var data []byte
	for _, f := range fields {
		data = append(binary.LittleEndian.AppendUint32(data, uint32(len(f))), f...)
	}
	return copy(p.b.Inbox(len(data)), data)
}

func (p *page) number(length int) int {
	out := p.b.Outbox()[:length]
	n, _ := binary.Uvarint(out[1:])
	return int(n)
}

// take reads a frame and does what it asks for.
func (p *page) take(length int) {
	p.t.Helper()
	in := append([]byte(nil), p.b.Outbox()[:length]...)
	number := func() int {
		n, size := binary.Uvarint(in)
		in = in[size:]
		return int(n)
	}
	text := func() string {
		n := number()
		s := string(in[:n])
		in = in[n:]
		return s
	}
	for len(in) > 0 {
		op := in[0]
		in = in[1:]
		if op < 33 {
			number()
			number()
			p.changes += text() + " " + text() + "\n"
			continue
		}
		if op == frame.OpError {
			p.changes += "error " + text() + "\n"
			continue
		}
		id := number()
		number()
		number()
		number()
		text()
		text()
		p.changes += text()
		text()
		switch op {
		case 33: // OpenStream
			p.take(p.s.Request(p.handle, id, p.write("{}")))
		case 34: // AbortStream
			p.take(p.s.Cancel(p.handle, id))
		case frame.OpSocketDial:
			p.take(p.s.Connect(p.handle, id, 0, p.write(p.token)))
		case frame.OpSocketFlush:
			p.flushed++
			p.take(p.s.Flush(p.handle))
		case frame.OpSocketUnavailable:
			p.away = append(p.away, id)
		}
	}
}

// until lets the page live until is is true.
func (p *page) until(what string, is func() bool) {
	p.t.Helper()
	late := time.After(5 * time.Second)
	for !is() {
		select {
		case task := <-p.tasks:
			task()
		case handle := <-p.woken:
			p.take(p.s.Pull(handle))
		case <-late:
			p.t.Fatalf("waited 5 s until %s; so far:\n%s", what, p.changes)
		}
	}
}

func TestSessionSeesNoDifference(t *testing.T) {
	bodies := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery != "" || r.Header.Get("Authorization") != "" {
			t.Errorf("the handshake carries a secret: %s", r.URL)
		}
		socket, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		codec, _ := websocket.CodecOf(socket.Protocol())
		send := func(f websocket.Frame) {
			_ = socket.Write(context.Background(), codec.Append(nil, &f), codec.Text())
		}
		for {
			message, text, _, err := socket.Read()
			if err != nil {
				return
			}
			f, err := codec.Decode(message, text)
			if err != nil {
				t.Error(err)
				return
			}
			switch f.Type {
			case websocket.TypeHello:
				if f.Token != "secret" {
					t.Errorf("hello with token %q", f.Token)
				}
				send(websocket.Frame{Type: websocket.TypeWelcome, Link: "L"})
			case websocket.TypeRequest:
				bodies <- string(f.Data)
				send(websocket.Frame{Type: websocket.TypeHead, Seq: 1, ID: f.ID, Status: 200})
				for i, event := range []string{
					`{"type":"message.start","messageId":"m1"}`, `{"type":"text.delta","delta":"hello"}`,
					`{"type":"message.end","finishReason":"stop"}`,
				} {
					send(websocket.Frame{Type: websocket.TypeEvent, Seq: uint64(2 + i), ID: f.ID, Data: []byte(event)})
				}
				send(websocket.Frame{Type: websocket.TypeEnd, Seq: 5, ID: f.ID})
			}
		}
	}))
	defer server.Close()
	p := newPage(t, "ws"+strings.TrimPrefix(server.URL, "http"), 0)
	p.take(p.b.Send(p.handle, 1, p.write("hi", "", "", "", "", "", "", "", "")))
	p.until("the turn has ended", func() bool { return strings.Contains(p.changes, "idle") })
	if !strings.Contains(p.changes, "hello") {
		t.Errorf("the text is missing:\n%s", p.changes)
	}
	if body := <-bodies; !strings.Contains(body, `"prompt":"hi"`) {
		t.Errorf("body %s", body)
	}
	if p.flushed == 0 {
		t.Error("nothing was left to Flush: Pull writes")
	}
	p.take(p.s.Close(p.handle))
	p.take(p.b.CloseSession(p.handle))
}

func TestFallbackGivesTheStreamBack(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	p := newPage(t, "ws"+strings.TrimPrefix(server.URL, "http"), 1)
	p.take(p.b.Send(p.handle, 1, p.write("hi", "", "", "", "", "", "", "", "")))
	p.until("the stream is given back", func() bool { return len(p.away) == 1 })
	if strings.Contains(p.changes, "error") {
		t.Errorf("the session noticed:\n%s", p.changes)
	}
}
