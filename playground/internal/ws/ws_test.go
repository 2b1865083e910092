package ws

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svedawasm/svedawasm/session/websocket"
)

// stand is a server with a scripted stream handler, and what it has seen.
type stand struct {
	t      *testing.T
	ws     *Server
	url    string
	begun  atomic.Int32
	mu     sync.Mutex
	tokens map[string]string // token: visitor
	conns  map[net.Conn]bool // open connections, to break them
}

func newStand(t *testing.T, c Config, stream http.HandlerFunc) *stand {
	s := &stand{t: t, tokens: map[string]string{"good": "v1", "other": "v2"}, conns: map[net.Conn]bool{}}
	c.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.begun.Add(1)
		stream(w, r)
	})
	c.Verify = func(token string) (string, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if v := s.tokens[token]; v != "" {
			return v, nil
		}
		return "", errors.New("invalid token")
	}
	s.ws = New(c)
	server := httptest.NewUnstartedServer(s.ws)
	server.Config.ConnState = func(conn net.Conn, state http.ConnState) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if state == http.StateHijacked {
			s.conns[conn] = true
		}
	}
	server.Start()
	t.Cleanup(func() {
		s.breakAll()
		server.Close()
	})
	s.url = "ws" + strings.TrimPrefix(server.URL, "http")
	return s
}

// breakAll resets every open socket.
func (s *stand) breakAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		c.Close()
		delete(s.conns, c)
	}
}

func (s *stand) forbid(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.tokens, token)
}

// client is a Transport and what its sink has got.
type client struct {
	*websocket.Transport
	mu    sync.Mutex
	heads map[int]int
	body  map[int]string
	ends  map[int]websocket.Reason
	ended map[int]chan struct{}
}

func (s *stand) client(token func() string) *client {
	c := &client{heads: map[int]int{}, body: map[int]string{}, ends: map[int]websocket.Reason{}, ended: map[int]chan struct{}{}}
	c.Transport = websocket.NewTransport(websocket.TransportConfig{
		URL: s.url, Sink: c,
		Client: websocket.Config{Backoff: 20, MaxWait: 200, Handshake: 2000, GiveUp: 5000},
		Token:  func(context.Context) (string, error) { return token(), nil },
	})
	s.t.Cleanup(c.Close)
	return c
}

func good() string { return "good" }

func (c *client) Head(stream, status int, _ string, _ int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heads[stream] = status
}

func (c *client) Feed(stream int, p []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !strings.HasPrefix(string(p), ":") {
		c.body[stream] += string(p)
	}
}

func (c *client) End(stream int, reason websocket.Reason) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ends[stream] = reason
	close(c.wait(stream))
}

func (c *client) wait(stream int) chan struct{} {
	if c.ended[stream] == nil {
		c.ended[stream] = make(chan struct{})
	}
	return c.ended[stream]
}

// result waits for the end of a stream.
func (c *client) result(t *testing.T, stream int) (status int, body string, reason websocket.Reason) {
	t.Helper()
	c.mu.Lock()
	ended := c.wait(stream)
	c.mu.Unlock()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		c.mu.Lock()
		defer c.mu.Unlock()
		t.Fatalf("stream %d has not ended: status %d, %d bytes", stream, c.heads[stream], len(c.body[stream]))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.heads[stream], c.body[stream], c.ends[stream]
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited 10 s until %s", what)
		}
	}
}

// count streams n events, then [DONE]; step is called before each.
func count(n int, step func(i int)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		fmt.Fprintf(w, ": a comment\n\ndata: %s\n\n", body)
		for i := range n {
			step(i)
			fmt.Fprintf(w, "data: {\"n\":%d}\n\n", i)
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	}
}

func counted(body string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "data: %s\n\n", body)
	for i := range n {
		fmt.Fprintf(&b, "data: {\"n\":%d}\n\n", i)
	}
	b.WriteString("data: [DONE]\n\n")
	return b.String()
}

func TestTurnOverASocket(t *testing.T) {
	s := newStand(t, Config{}, count(50, func(int) {}))
	c := s.client(good)
	for stream := 1; stream <= 3; stream++ {
		c.Open(stream, []byte(`{"prompt":"x"}`))
	}
	for stream := 1; stream <= 3; stream++ {
		status, body, reason := c.result(t, stream)
		if status != 200 || reason != websocket.EOF || body != counted(`{"prompt":"x"}`, 50) {
			t.Errorf("stream %d: status %d, reason %d, body %q", stream, status, reason, body)
		}
	}
}

func TestR8_BrokenSocketsLoseAndRepeatNothing(t *testing.T) {
	var s *stand
	s = newStand(t, Config{}, count(300, func(i int) {
		if i%40 == 39 {
			s.breakAll()
		}
		time.Sleep(time.Millisecond)
	}))
	c := s.client(good)
	c.Open(1, []byte(`{}`))
	_, body, reason := c.result(t, 1)
	if reason != websocket.EOF || body != counted(`{}`, 300) {
		t.Errorf("reason %d, body %q", reason, body)
	}
	if n := s.begun.Load(); n != 1 {
		t.Errorf("the turn was begun %d times", n)
	}
}

func TestR10_ClientThatComesTooLateGetsAGap(t *testing.T) {
	cancelled := make(chan struct{})
	s := newStand(t, Config{Window: 50 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		<-r.Context().Done()
		close(cancelled)
	})
	c := s.client(func() string { time.Sleep(200 * time.Millisecond); return "good" })
	c.Open(1, []byte(`{}`))
	until(t, "the turn runs", func() bool { return s.begun.Load() == 1 })
	s.breakAll()
	if _, _, reason := c.result(t, 1); reason != websocket.Gap {
		t.Errorf("reason %d, want a gap", reason)
	}
	<-cancelled
	c.Close()
	until(t, "no link is left", func() bool { return s.ws.Links() == 0 })
}

func TestLinkOfAnotherVisitorIsNotGivenOut(t *testing.T) {
	s := newStand(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		<-r.Context().Done()
	})
	var token atomic.Value
	token.Store("good")
	c := s.client(func() string { return token.Load().(string) })
	c.Open(1, []byte(`{}`))
	until(t, "the turn runs", func() bool { return s.begun.Load() == 1 })
	token.Store("other")
	s.breakAll()
	if _, _, reason := c.result(t, 1); reason != websocket.Gap {
		t.Errorf("reason %d, want a gap", reason)
	}
}

func TestR11_TokenThatRanOutIsAskedForAgain(t *testing.T) {
	s := newStand(t, Config{}, count(1, func(int) {}))
	token := []string{"old", "good"}
	s.tokens["old"] = "v1"
	var asked atomic.Int32
	c := s.client(func() string { return token[min(asked.Add(1)-1, 1)] })
	c.Open(1, []byte(`{}`))
	c.result(t, 1)
	s.forbid("old")
	c.Open(2, []byte(`{"second":true}`))
	status, body, _ := c.result(t, 2)
	if status != 200 || body != counted(`{"second":true}`, 1) {
		t.Errorf("status %d, body %q", status, body)
	}
	if n := s.begun.Load(); n != 2 {
		t.Errorf("%d turns were begun", n)
	}
}

func TestR11_InvalidTokenIs401(t *testing.T) {
	s := newStand(t, Config{}, count(1, func(int) {}))
	c := s.client(func() string { return "bad" })
	c.Open(1, []byte(`{}`))
	if status, _, reason := c.result(t, 1); status != 401 || reason != websocket.EOF {
		t.Errorf("status %d, reason %d", status, reason)
	}
	if s.ws.Links() != 0 || s.begun.Load() != 0 {
		t.Error("a client without a token has got something")
	}
}

func TestRefusalKeepsStatusWordsAndRetryAfter(t *testing.T) {
	s := newStand(t, Config{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", "2")
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprint(w, `{"message":"Too Many Attempts."}`)
	})
	c := s.client(good)
	c.Open(1, []byte(`{}`))
	if status, body, reason := c.result(t, 1); status != 429 || body != `{"message":"Too Many Attempts."}` || reason != websocket.EOF {
		t.Errorf("status %d, body %q, reason %d", status, body, reason)
	}
}

func TestTurnThatBreaksOffHasNoEndMark(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"returns": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {\"n\":0}\n\ndata: {\"n\":")
		},
		"panics": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {\"n\":0}\n\n")
			panic("broken")
		},
	} {
		s := newStand(t, Config{}, handler)
		c := s.client(good)
		c.Open(1, []byte(`{}`))
		if _, body, reason := c.result(t, 1); body != "data: {\"n\":0}\n\n" || reason != websocket.EOF {
			t.Errorf("%s: body %q, reason %d", name, body, reason)
		}
	}
}

func TestCancelEndsTheTurn(t *testing.T) {
	ended := make(chan struct{})
	s := newStand(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		<-r.Context().Done()
		close(ended)
	})
	c := s.client(good)
	c.Open(1, []byte(`{}`))
	until(t, "the turn runs", func() bool { return s.begun.Load() == 1 })
	c.Abort(1)
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		t.Fatal("the turn goes on")
	}
}

func TestPageThatIsLeftEndsItsTurns(t *testing.T) {
	ended := make(chan struct{})
	s := newStand(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		<-r.Context().Done()
		close(ended)
	})
	c := s.client(good)
	c.Open(1, []byte(`{}`))
	until(t, "the turn runs", func() bool { return s.begun.Load() == 1 })
	c.Close()
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		t.Fatal("the turn goes on")
	}
	until(t, "no link is left", func() bool { return s.ws.Links() == 0 })
}

func TestI10_SlowClientHoldsUpTheTurn(t *testing.T) {
	const memory = 64 << 10
	var written atomic.Int32
	event := "data: {\"x\":\"" + strings.Repeat("y", 1000) + "\"}\n\n"
	s := newStand(t, Config{Memory: memory, Credit: 16 << 10}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range 1000 {
			if r.Context().Err() != nil {
				return
			}
			fmt.Fprint(w, event)
			written.Add(1)
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	})
	socket, err := websocket.OpenSocket(context.Background(), 1, s.url, websocket.Protocols)
	if err != nil {
		t.Fatal(err)
	}
	codec, _ := websocket.CodecOf(socket.Protocol())
	send := func(f websocket.Frame) {
		if err := socket.Write(context.Background(), codec.Append(nil, &f), codec.Text()); err != nil {
			t.Fatal(err)
		}
	}
	send(websocket.Frame{Type: websocket.TypeHello, Token: "good"})
	send(websocket.Frame{Type: websocket.TypeRequest, ID: 1, Data: []byte(`{}`)})
	time.Sleep(300 * time.Millisecond) // reads nothing and acknowledges nothing
	held := written.Load()
	if limit := int32(memory/1000 + 2); held > limit {
		t.Errorf("%d events of 1 KB wait for a client that takes none, want at most %d", held, limit)
	}
	events := 0
	for {
		message, text, _, err := socket.Read()
		if err != nil {
			t.Fatal(err)
		}
		f, err := codec.Decode(message, text)
		if err != nil {
			t.Fatal(err)
		}
		if f.Type == websocket.TypeEvent {
			events++
		}
		if f.Seq > 0 {
			send(websocket.Frame{Type: websocket.TypeAck, Seq: f.Seq})
		}
		if f.Type == websocket.TypeEnd {
			break
		}
	}
	if events != 1000 {
		t.Errorf("%d events arrived, want 1000", events)
	}
	socket.Close(websocket.CloseNormal)
}

func TestHeartbeatAndSilentClient(t *testing.T) {
	s := newStand(t, Config{Heartbeat: 50 * time.Millisecond, Window: 100 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		<-r.Context().Done()
	})
	socket, err := websocket.OpenSocket(context.Background(), 1, s.url, []string{websocket.ProtocolJSON})
	if err != nil {
		t.Fatal(err)
	}
	hello := `{"type":"hello","token":"good"}`
	if err := socket.Write(context.Background(), []byte(hello), true); err != nil {
		t.Fatal(err)
	}
	pings := 0
	for {
		message, _, code, err := socket.Read()
		if err != nil {
			if code != websocket.CloseTimeout {
				t.Errorf("close code %d, want %d", code, websocket.CloseTimeout)
			}
			break
		}
		if string(message) == `{"type":"ping"}` {
			pings++
		}
	}
	if pings < 2 {
		t.Errorf("%d heartbeats came", pings)
	}
	until(t, "no link is left", func() bool { return s.ws.Links() == 0 })
}

func TestHandshakeRefusals(t *testing.T) {
	s := newStand(t, Config{PerKey: 1}, count(1, func(int) {}))
	for name, test := range map[string]struct {
		protocols []string
		first     string
		code      int
	}{
		"no common subprotocol":  {[]string{"other"}, "", websocket.CloseProtocol},
		"not a frame":            {[]string{websocket.ProtocolJSON}, "nonsense", websocket.CloseProtocol},
		"a request before hello": {[]string{websocket.ProtocolJSON}, `{"type":"request","id":1,"data":{}}`, websocket.CloseProtocol},
		"no token":               {[]string{websocket.ProtocolJSON}, `{"type":"hello"}`, 4401},
	} {
		socket, err := websocket.OpenSocket(context.Background(), 1, s.url, test.protocols)
		if err != nil {
			t.Fatal(err)
		}
		if test.first != "" {
			_ = socket.Write(context.Background(), []byte(test.first), true)
		}
		_, _, code, err := socket.Read()
		if err == nil || code != test.code {
			t.Errorf("%s: close code %d, want %d", name, code, test.code)
		}
	}
	if s.begun.Load() != 0 || s.ws.Links() != 0 {
		t.Error("a refused client has got something")
	}
	c := s.client(good)
	c.Open(1, []byte(`{}`))
	c.result(t, 1)
	socket, err := websocket.OpenSocket(context.Background(), 1, s.url, []string{websocket.ProtocolJSON})
	if err != nil {
		t.Fatal(err)
	}
	_ = socket.Write(context.Background(), []byte(`{"type":"hello","token":"good"}`), true)
	if _, _, code, _ := socket.Read(); code != 4429 {
		t.Errorf("one link too many: close code %d", code)
	}
}

func TestManyBrokenLinksDoNotLockTheVisitorOut(t *testing.T) {
	s := newStand(t, Config{PerKey: 3}, count(1, func(int) {}))
	for range 8 {
		c := s.client(good)
		c.Open(1, []byte(`{}`))
		if status, _, reason := c.result(t, 1); status != 200 || reason != websocket.EOF {
			t.Fatalf("status %d, reason %d", status, reason)
		}
		s.breakAll()
		until(t, "the client is away", func() bool {
			s.ws.mu.Lock()
			defer s.ws.mu.Unlock()
			for _, l := range s.ws.links {
				if _, idle := l.idleSince(); !idle {
					return false
				}
			}
			return true
		})
	}
	if n := s.ws.Links(); n > 3 {
		t.Errorf("%d links are kept, want at most 3", n)
	}
}

func TestShutdownLetsTurnsEndAndTellsThem(t *testing.T) {
	release := make(chan struct{})
	s := newStand(t, Config{}, count(1, func(int) { <-release }))
	c := s.client(good)
	c.Open(1, []byte(`{}`))
	until(t, "the turn runs", func() bool { return s.begun.Load() == 1 })
	stopped := make(chan error, 1)
	go func() { stopped <- s.ws.Shutdown(t.Context()) }()
	time.Sleep(20 * time.Millisecond)
	close(release)
	if _, body, reason := c.result(t, 1); reason != websocket.EOF || body != counted(`{}`, 1) {
		t.Errorf("reason %d, body %q", reason, body)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if s.ws.Links() != 0 {
		t.Error("links are left")
	}
}
