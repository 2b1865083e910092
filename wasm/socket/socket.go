// Package socket gives the sessions of a bridge a WebSocket each. It runs the
// client of session/websocket in the browser: JavaScript owns the token and the
// timers, the bytes of the socket never leave Go.
//
// Entries come from JavaScript one at a time, as in package bridge, whose rules
// they keep. What the goroutines of a socket tell is queued and taken by Pull.
package socket

import (
	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/websocket"
	"github.com/svedawasm/svedawasm/wasm/bridge"
	"github.com/svedawasm/svedawasm/wasm/frame"
)

// Sockets holds the sockets by the handle of their session.
type Sockets struct {
	bridge *bridge.Bridge
	// serial runs what a goroutine tells, one at a time with the entries; in a
	// browser there is one thread and it just calls.
	serial func(func())
	wake   func(handle int)

	sockets map[int]*socket
	lines   int // made so far, over all sockets
}

// socket is the link of one session.
type socket struct {
	client  *websocket.Client
	url     string
	line    *websocket.Line // of the newest attempt
	conn    int             // its number
	arrived []func(*websocket.Client)
	later   []func() // what must wait for Flush
}

// New makes the sockets of a bridge. wake is called when Pull has something to
// take.
func New(b *bridge.Bridge, wake func(handle int), serial func(func())) *Sockets {
	return &Sockets{bridge: b, wake: wake, serial: serial, sockets: map[int]*socket{}}
}

// Open reads the URL and 16 random bytes. With fallback requests that no socket
// can take are given back (frame.OpSocketUnavailable).
func (s *Sockets) Open(handle, fallback, length int) int {
	in := s.bridge.Begin(length)
	cfg := websocket.Config{Fallback: fallback != 0}
	url := in.Text()
	for i, b := range in.Bytes() {
		cfg.Seed[i/8%2] = cfg.Seed[i/8%2]<<8 | uint64(b)
	}
	if s.bridge.Session(handle) == nil {
		return s.bridge.Refuse(session.CodeClosed, "the object was closed")
	}
	s.sockets[handle] = &socket{client: websocket.New(cfg), url: url}
	return 0
}

// Request reads the page's context and sends the request of an OpenStream
// effect. One that a socket does not carry is answered as Encode answers it.
func (s *Sockets) Request(handle, stream, length int) int {
	in := s.bridge.Begin(length)
	chat, so := s.bridge.Session(handle), s.sockets[handle]
	if chat == nil || so == nil {
		return s.bridge.Refuse(session.CodeClosed, "the object was closed")
	}
	w, err := chat.Encode(stream, in.Bytes())
	if err != nil {
		s.bridge.Append(func(dst []byte) []byte { return frame.AppendError(dst, err) })
		return s.bridge.Leave(chat)
	}
	if w.Endpoint != "stream" || w.Method != "POST" {
		s.bridge.Append(func(dst []byte) []byte { return frame.AppendRequest(dst, &w) })
		return s.bridge.Leave(chat)
	}
	return s.input(handle, true, func(c *websocket.Client) { c.Request(stream, w.Body) })
}

// Connect reads the token for attempt conn, or learns that there is none.
func (s *Sockets) Connect(handle, conn, failed, length int) int {
	in := s.bridge.Begin(length)
	so := s.sockets[handle]
	if so == nil {
		return 0
	}
	if failed != 0 {
		return s.input(handle, true, func(c *websocket.Client) { c.TokenFailed(conn) })
	}
	if !so.client.Wants(conn) {
		return 0
	}
	token := in.Text()
	s.lines++
	so.conn = conn
	so.line = websocket.OpenLine(s.lines, so.url, websocket.Events{
		Opened: func(protocol string) {
			s.arrive(handle, so, func(c *websocket.Client) { c.Opened(conn, protocol, token) })
		},
		Message: func(data []byte, text bool) {
			s.arrive(handle, so, func(c *websocket.Client) { c.Message(conn, data, text) })
		},
		Closed: func(code int) {
			s.arrive(handle, so, func(c *websocket.Client) { c.Closed(conn, code) })
		},
	})
	return 0
}

// arrive queues what a goroutine tells. It wakes the page once for many.
func (s *Sockets) arrive(handle int, so *socket, input func(*websocket.Client)) {
	s.serial(func() {
		so.arrived = append(so.arrived, input)
		if len(so.arrived) == 1 {
			s.wake(handle)
		}
	})
}

// Cancel says that the response to stream is of no interest.
func (s *Sockets) Cancel(handle, stream int) int {
	s.bridge.Begin(0)
	return s.input(handle, true, func(c *websocket.Client) { c.Cancel(stream) })
}

// Fire takes a timer that has run out.
func (s *Sockets) Fire(handle, timer int) int {
	s.bridge.Begin(0)
	return s.input(handle, true, func(c *websocket.Client) { c.Fire(websocket.Timer(timer)) })
}

// Hint says that the network may be back.
func (s *Sockets) Hint(handle int) int {
	s.bridge.Begin(0)
	return s.input(handle, true, (*websocket.Client).Hint)
}

// Pull takes what has arrived. It is pure computation: what has to be written
// waits for Flush.
func (s *Sockets) Pull(handle int) int {
	s.bridge.Begin(0)
	so := s.sockets[handle]
	if so == nil {
		return 0
	}
	arrived := so.arrived
	so.arrived = nil
	return s.input(handle, false, func(c *websocket.Client) {
		for _, input := range arrived {
			input(c)
		}
	})
}

// Flush does what Pull left.
func (s *Sockets) Flush(handle int) int {
	s.bridge.Begin(0)
	if so := s.sockets[handle]; so != nil {
		so.flush()
	}
	return 0
}

func (so *socket) flush() {
	later := so.later
	so.later = nil
	for _, do := range later {
		do()
	}
}

// Close ends the link of a session.
func (s *Sockets) Close(handle int) int {
	s.bridge.Begin(0)
	length := s.input(handle, true, (*websocket.Client).Close)
	delete(s.sockets, handle)
	return length
}

// input runs an input of the client and its effects, and leaves what they led
// to. now says that sockets may be written to at once.
func (s *Sockets) input(handle int, now bool, input func(*websocket.Client)) int {
	chat, so := s.bridge.Session(handle), s.sockets[handle]
	if so == nil {
		return 0
	}
	so.client.At(s.bridge.Now())
	input(so.client)
	for _, e := range so.client.Flush() {
		s.do(chat, so, e)
	}
	if now {
		so.flush()
	} else if len(so.later) > 0 {
		s.tell(frame.OpSocketFlush, 0, 0, "")
	}
	if chat == nil { // closed before its socket
		return 0
	}
	return s.bridge.Leave(chat)
}

func (s *Sockets) tell(op byte, id, delay int, text string) {
	s.bridge.Append(func(dst []byte) []byte { return frame.AppendSocket(dst, op, id, delay, text) })
}

// endReasons are what a session calls the ends of a response.
var endReasons = [...]session.EndReason{
	websocket.EOF: session.EOF, websocket.Lost: session.NetworkFailed,
	websocket.Gap: session.Gapped, websocket.NoToken: session.RequestFailed,
	websocket.Unavailable: session.NetworkFailed,
}

func (s *Sockets) do(chat *session.Session, so *socket, e websocket.Effect) {
	switch e.Kind {
	case websocket.Dial:
		s.tell(frame.OpSocketDial, e.Conn, 0, "")
	case websocket.Write:
		if line := so.lineOf(e.Conn); line != nil {
			so.later = append(so.later, func() { line.Write(e.Data, e.Text) })
		}
	case websocket.Hangup:
		if line := so.lineOf(e.Conn); line != nil {
			so.later = append(so.later, func() { line.Close(e.Code) })
			so.line = nil
		}
	case websocket.SetTimer:
		s.tell(frame.OpSocketTimer, int(e.Timer), e.Delay, "")
	case websocket.ClearTimer:
		s.tell(frame.OpSocketTimer, int(e.Timer), 0, "")
	case websocket.State:
		s.tell(frame.OpSocketState, 0, 0, so.client.State())
	}
	if chat == nil {
		return
	}
	switch e.Kind {
	case websocket.Head:
		chat.Head(e.Stream, e.Status, e.ContentType, session.HeadInfo{RetryAfter: e.RetryAfter})
	case websocket.Bytes:
		chat.Feed(e.Stream, e.Data)
	case websocket.End:
		if e.Reason == websocket.Unavailable {
			s.tell(frame.OpSocketUnavailable, e.Stream, 0, "")
			return
		}
		chat.End(e.Stream, endReasons[e.Reason], e.Reason.Detail())
	}
}

func (so *socket) lineOf(conn int) *websocket.Line {
	if so.conn != conn {
		return nil
	}
	return so.line
}
