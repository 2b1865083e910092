package ws

import (
	"context"
	"sync"
	"time"

	"github.com/svedawasm/svedawasm/session/websocket"
)

// link is what a client has with the server over all its sockets.
type link struct {
	s       *Server
	id      string
	visitor string

	mu       sync.Mutex
	changed  sync.Cond // window, dead
	window   *websocket.Window
	received uint64 // id of the last request
	turns    map[uint64]context.CancelFunc
	conn     *conn // nil while the client is away
	away     *time.Timer
	leftAt   time.Time // when the client went away
	dead     bool
}

func newLink(s *Server, id, visitor string) *link {
	l := &link{s: s, id: id, visitor: visitor, window: websocket.NewWindow(s.Memory, s.Credit),
		turns: map[uint64]context.CancelFunc{}}
	l.changed.L = &l.mu
	return l
}

// attach makes c the link's socket and begins to send what the client lacks.
// It reports false when that is gone.
func (l *link) attach(c *conn, seq uint64, resumed bool) (welcome websocket.Frame, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead || !l.window.Resume(seq) && resumed {
		return welcome, false
	}
	if l.away != nil {
		l.away.Stop()
		l.away = nil
	}
	if l.conn != nil {
		go l.conn.socket.Close(websocket.CloseSuperseded)
	}
	l.conn = c
	l.changed.Broadcast()
	return websocket.Frame{
		Type: websocket.TypeWelcome, Link: l.id, Resumed: resumed, ID: l.received,
		Window: int(l.s.Window.Milliseconds()), Heartbeat: int(l.s.Heartbeat.Milliseconds()),
		Credit: l.s.Credit, Limit: websocket.MaxMessage,
	}, true
}

// detach takes note that c is gone. When the client has said goodbye the link
// ends; else it waits for the client, also without a turn: a request may have
// been lost with the socket.
func (l *link) detach(c *conn, goodbye bool) {
	l.mu.Lock()
	if l.conn != c {
		l.mu.Unlock()
		return
	}
	l.conn = nil
	if goodbye {
		l.mu.Unlock()
		l.end()
		return
	}
	l.away, l.leftAt = time.AfterFunc(l.s.Window, l.end), time.Now()
	l.mu.Unlock()
}

// idleSince says since when the client is away; idle is false while it is there
// or a turn runs.
func (l *link) idleSince() (at time.Time, idle bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.leftAt, l.away != nil && len(l.turns) == 0
}

// end ends the link for good: its turns are cancelled, as those of an event
// stream whose client has gone.
func (l *link) end() {
	l.mu.Lock()
	l.dead = true
	if l.away != nil {
		l.away.Stop()
	}
	for _, cancel := range l.turns {
		cancel()
	}
	l.changed.Broadcast()
	l.mu.Unlock()
	l.s.forget(l)
}

// push gives the client a frame. While too much is unacknowledged it waits:
// that is what holds up a turn whose client is slow or away.
func (l *link) push(ctx context.Context, f websocket.Frame) {
	defer context.AfterFunc(ctx, func() {
		l.mu.Lock()
		l.changed.Broadcast()
		l.mu.Unlock()
	})()
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.window.Full() && !l.dead && ctx.Err() == nil {
		l.changed.Wait()
	}
	if l.dead {
		return
	}
	l.window.Push(f)
	if l.conn != nil {
		l.conn.wake()
	}
}

// next gives the frame that c sends next.
func (l *link) next(c *conn) (f websocket.Frame, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != c {
		return f, false
	}
	next, ok := l.window.Next()
	if ok {
		f = *next
	}
	return f, ok
}

// ack takes an acknowledgement; false when it is one of nothing.
func (l *link) ack(c *conn, seq uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != c {
		return true
	}
	ok := l.window.Ack(seq)
	l.changed.Broadcast()
	c.wake()
	return ok
}

// begin notes a request; false for one that has been received before.
func (l *link) begin(id uint64, cancel context.CancelFunc) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id <= l.received || l.dead {
		return false
	}
	l.received = id
	l.turns[id] = cancel
	return true
}

func (l *link) finish(id uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.turns, id)
}

func (l *link) cancel(id uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if cancel := l.turns[id]; cancel != nil {
		cancel()
	}
}

// leave lets the client take what is left and closes its socket.
func (l *link) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		l.mu.Lock()
		l.changed.Broadcast()
		l.mu.Unlock()
	})()
	l.mu.Lock()
	for l.conn != nil && !l.window.Empty() && ctx.Err() == nil {
		l.changed.Wait()
	}
	c := l.conn
	l.mu.Unlock()
	if c != nil {
		c.socket.Close(websocket.CloseStopping)
	}
	l.end()
}
