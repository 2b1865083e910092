// Package ws serves the event stream over a WebSocket, as docs/websocket.md has
// it. It stands before the HTTP handler of the stream: each request frame
// becomes one POST with the same body, and what that answers becomes frames. So
// a turn is admitted, limited and refused in one place, whichever way it came.
//
// A turn belongs to a link, not to a socket. When a socket breaks, the turn
// goes on and the link keeps what it says, until the client comes back or the
// window of time is over.
package ws

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/svedawasm/svedawasm/session/websocket"
)

// Config is what the server needs. Handler and Verify must be set.
type Config struct {
	// Handler answers POST /sveda/stream. It sees the token of hello in the
	// header X-Sveda-Embed-Token.
	Handler http.Handler
	// Verify gives the visitor of a token, or an error when it is not valid.
	Verify func(token string) (visitor string, err error)
	Log    *slog.Logger

	Window    time.Duration // how long a link waits for its client; default 120 s
	Heartbeat time.Duration // default 15 s
	Memory    int           // bytes that a link keeps unacknowledged; default 4 MiB
	Credit    int           // bytes that are sent ahead; default 1 MiB
	PerKey    int           // links of one visitor; default 32
}

// Server holds the links. It is safe for concurrent use.
type Server struct {
	Config
	turns sync.WaitGroup

	mu       sync.Mutex
	links    map[string]*link
	count    map[string]int // links by visitor
	stopping bool
}

// New makes the server.
func New(c Config) *Server {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Window = or(c.Window, 120*time.Second)
	c.Heartbeat = or(c.Heartbeat, 15*time.Second)
	c.Memory = or(c.Memory, 4<<20)
	c.Credit = or(c.Credit, 1<<20)
	c.PerKey = or(c.PerKey, 32)
	return &Server{Config: c, links: map[string]*link{}, count: map[string]int{}}
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// helloTime is how long a client may take to say who it is.
const helloTime = 10 * time.Second

// ServeHTTP is GET /sveda/ws. Pages of any origin may connect: the token in the
// first frame is what authorises, and there are no cookies.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	socket, err := websocket.Accept(hijackable(w), r, []string{"*"})
	if err != nil {
		return
	}
	codec, known := websocket.CodecOf(socket.Protocol())
	if !known {
		socket.Close(websocket.CloseProtocol)
		return
	}
	late := time.AfterFunc(helloTime, func() { socket.Close(websocket.CloseTimeout) })
	message, text, _, err := socket.Read()
	if !late.Stop() || err != nil {
		return
	}
	hello, err := codec.Decode(message, text)
	if err != nil || hello.Type != websocket.TypeHello {
		socket.Close(websocket.CloseProtocol)
		return
	}
	visitor, err := s.Verify(hello.Token)
	if err != nil {
		socket.Close(websocket.CloseCode(http.StatusUnauthorized))
		return
	}
	socket.Known()
	l, resumed, status := s.linkOf(hello.Link, visitor)
	if status != 0 {
		socket.Close(websocket.CloseCode(status))
		return
	}
	c := newConn(s, l, socket, codec, hello.Token, r.RemoteAddr)
	if hello.Link != "" && !resumed {
		c.first(websocket.Frame{Type: websocket.TypeGap, Code: websocket.GapUnknown})
	}
	c.serve(hello.Seq, resumed)
}

// linkOf gives the link that the client wants to go on with, when it is still
// there and the visitor's own, else a new one. status is why there is none.
func (s *Server) linkOf(id, visitor string) (l *link, resumed bool, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return nil, false, http.StatusServiceUnavailable
	}
	if l := s.links[id]; l != nil && l.visitor == visitor {
		return l, true, 0
	}
	if s.count[visitor] >= s.PerKey && !s.evict(visitor) {
		return nil, false, http.StatusTooManyRequests
	}
	l = newLink(s, rand.Text(), visitor)
	s.links[l.id] = l
	s.count[visitor]++
	return l, false, 0
}

// evict ends the link of the visitor whose client has been away for longest and
// that has no turn; false when there is none. The caller holds s.mu.
func (s *Server) evict(visitor string) bool {
	var oldest *link
	var since time.Time
	for _, l := range s.links {
		if l.visitor != visitor {
			continue
		}
		if at, idle := l.idleSince(); idle && (oldest == nil || at.Before(since)) {
			oldest, since = l, at
		}
	}
	if oldest == nil {
		return false
	}
	s.remove(oldest)
	go oldest.end()
	return true
}

func (s *Server) forget(l *link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(l)
}

func (s *Server) remove(l *link) {
	if s.links[l.id] != l {
		return
	}
	delete(s.links, l.id)
	if s.count[l.visitor]--; s.count[l.visitor] == 0 {
		delete(s.count, l.visitor)
	}
}

// Links is the number of links that are kept.
func (s *Server) Links() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.links)
}

// Shutdown takes no new client, waits for the turns, at most until ctx is done,
// and closes every socket. The engine must have been told to stop before.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.stopping = true
	links := make([]*link, 0, len(s.links))
	for _, l := range s.links {
		links = append(links, l)
	}
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		s.turns.Wait()
		close(done)
	}()
	var err error
	select {
	case <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	for _, l := range links {
		l.leave(ctx)
	}
	return err
}

// hijackable finds the writer below those that only watch.
func hijackable(w http.ResponseWriter) http.ResponseWriter {
	for below := w; ; {
		if _, ok := below.(http.Hijacker); ok {
			return below
		}
		wrapper, ok := below.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return w
		}
		below = wrapper.Unwrap()
	}
}
