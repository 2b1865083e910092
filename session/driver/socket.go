//go:build !js

package driver

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"net/http"
	"strings"
	"sync"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/websocket"
)

// Socket is a Transport that carries turns over a WebSocket (docs/websocket.md),
// and everything else over HTTP.
type Socket struct {
	// HTTP must be set. Its Header gives the token: X-Sveda-Embed-Token, or a
	// bearer token; other headers do not go over a socket.
	HTTP *HTTP
	// URL is that of the socket, ws or wss.
	URL string
	// Fallback sends turns over HTTP, from the first time on that no socket can
	// be had.
	Fallback bool
	// Config has the times; its Seed is filled in.
	Config websocket.Config
	// State is told the state of the link; nil for nobody.
	State func(state string)

	once sync.Once
	link *websocket.Transport

	mu      sync.Mutex
	streams map[int]turn // that the socket carries
	over    bool         // no socket can be had
	closed  bool
}

type turn struct {
	request event.WireRequest
	sink    Sink
}

// Open implements Transport.
func (s *Socket) Open(stream int, w event.WireRequest, sink Sink) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	if s.over || w.Endpoint != "stream" || w.Method != http.MethodPost {
		s.mu.Unlock()
		s.HTTP.Open(stream, w, sink)
		return
	}
	if s.streams == nil {
		s.streams = map[int]turn{}
	}
	s.streams[stream] = turn{w, sink}
	s.mu.Unlock()
	s.once.Do(s.start)
	s.link.Open(stream, w.Body)
}

func (s *Socket) start() {
	cfg := s.Config
	var seed [16]byte
	rand.Read(seed[:])
	cfg.Seed = [2]uint64{binary.LittleEndian.Uint64(seed[:8]), binary.LittleEndian.Uint64(seed[8:])}
	cfg.Fallback = s.Fallback
	s.link = websocket.NewTransport(websocket.TransportConfig{
		URL: s.URL, Client: cfg, Token: s.token, Sink: (*socketSink)(s), State: s.State,
	})
}

func (s *Socket) token(ctx context.Context) (string, error) {
	if s.HTTP.Header == nil {
		return "", nil
	}
	h, err := s.HTTP.Header(ctx)
	if err != nil {
		return "", err
	}
	if token := h.Get("X-Sveda-Embed-Token"); token != "" {
		return token, nil
	}
	return strings.TrimPrefix(h.Get("Authorization"), "Bearer "), nil
}

// Abort implements Transport.
func (s *Socket) Abort(stream int) {
	if _, ours := s.forget(stream); ours {
		s.link.Abort(stream)
		return
	}
	s.HTTP.Abort(stream)
}

// Hint says that the network may be back.
func (s *Socket) Hint() {
	s.mu.Lock()
	begun := len(s.streams) > 0
	s.mu.Unlock()
	if begun {
		s.link.Hint()
	}
}

// Close implements Transport.
func (s *Socket) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.once.Do(func() {})
	if s.link != nil {
		s.link.Close()
	}
	s.HTTP.Close()
}

func (s *Socket) of(stream int) (turn, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.streams[stream]
	return t, ok
}

func (s *Socket) forget(stream int) (turn, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.streams[stream]
	delete(s.streams, stream)
	return t, ok
}

// socketSink passes the link's responses to the sink of each turn.
type socketSink Socket

func (s *socketSink) Head(stream, status int, contentType string, retryAfter int) {
	if t, ok := (*Socket)(s).of(stream); ok {
		t.sink.Head(stream, status, contentType, session.HeadInfo{RetryAfter: retryAfter})
	}
}

func (s *socketSink) Feed(stream int, p []byte) {
	if t, ok := (*Socket)(s).of(stream); ok {
		t.sink.Feed(stream, p)
	}
}

func (s *socketSink) End(stream int, reason websocket.Reason) {
	t, ok := (*Socket)(s).forget(stream)
	if !ok {
		return
	}
	switch reason {
	case websocket.EOF:
		t.sink.End(stream, session.EOF, "")
	case websocket.NoToken:
		t.sink.End(stream, session.RequestFailed, reason.Detail())
	case websocket.Unavailable:
		s.mu.Lock()
		s.over = true
		s.mu.Unlock()
		s.HTTP.Open(stream, t.request, t.sink)
	case websocket.Gap:
		t.sink.End(stream, session.Gapped, "")
	default:
		t.sink.End(stream, session.NetworkFailed, reason.Detail())
	}
}
