package ws

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/svedawasm/svedawasm/session/websocket"
)

// conn is one socket of a link.
type conn struct {
	s      *Server
	link   *link
	socket *websocket.Socket
	codec  websocket.Codec
	token  string // of hello, for the requests of this socket
	remote string

	before  []websocket.Frame // to be sent before the link's frames
	woken   chan struct{}
	heard   atomic.Int64 // Unix ns of the last message
	written time.Time    // of the writer only
}

func newConn(s *Server, l *link, socket *websocket.Socket, codec websocket.Codec, token, remote string) *conn {
	c := &conn{s: s, link: l, socket: socket, codec: codec, token: token, remote: remote, woken: make(chan struct{}, 1)}
	c.heard.Store(time.Now().UnixNano())
	return c
}

// first sends a frame before the welcome.
func (c *conn) first(f websocket.Frame) { c.before = append(c.before, f) }

// serve runs the socket until it ends.
func (c *conn) serve(seq uint64, resumed bool) {
	if !resumed {
		seq = 0
	}
	welcome, ok := c.link.attach(c, seq, resumed)
	if !ok {
		// What the client lacks is gone: it begins again on a new link.
		l, _, status := c.s.linkOf("", c.link.visitor)
		if status != 0 {
			c.socket.Close(websocket.CloseCode(status))
			return
		}
		c.link.end()
		c.link = l
		c.first(websocket.Frame{Type: websocket.TypeGap, Code: websocket.GapOverflow})
		welcome, _ = l.attach(c, 0, false)
	}
	c.first(welcome)
	ctx, cancel := context.WithCancel(context.Background())
	go c.write(ctx)
	code := c.read()
	cancel()
	c.link.detach(c, code == websocket.CloseNormal || code == closeGoingAway)
}

// closeGoingAway is what a browser sends when the page is left.
const closeGoingAway = 1001

// wake tells the writer that there is something to send.
func (c *conn) wake() {
	select {
	case c.woken <- struct{}{}:
	default:
	}
}

// writeTime is how long one message may take before the socket is given up.
const writeTime = 30 * time.Second

// write sends frames and heartbeats until ctx ends or the socket fails.
func (c *conn) write(ctx context.Context) {
	beat := time.NewTicker(c.s.Heartbeat)
	defer beat.Stop()
	for _, f := range c.before {
		if !c.send(ctx, &f) {
			return
		}
	}
	for {
		for f, ok := c.link.next(c); ok; f, ok = c.link.next(c) {
			if !c.send(ctx, &f) {
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-c.woken:
		case <-beat.C:
			if time.Since(time.Unix(0, c.heard.Load())) > 3*c.s.Heartbeat {
				c.socket.Close(websocket.CloseTimeout)
				return
			}
			if !c.send(ctx, &websocket.Frame{Type: websocket.TypePing}) {
				return
			}
		}
	}
}

func (c *conn) send(ctx context.Context, f *websocket.Frame) bool {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	return c.socket.Write(ctx, c.codec.Append(nil, f), c.codec.Text()) == nil
}

// read takes the client's frames until the socket ends, and gives the close
// code, 0 for none.
func (c *conn) read() (code int) {
	for {
		message, text, code, err := c.socket.Read()
		if err != nil {
			return code
		}
		c.heard.Store(time.Now().UnixNano())
		f, err := c.codec.Decode(message, text)
		if err != nil {
			c.socket.Close(websocket.CloseProtocol)
			return websocket.CloseProtocol
		}
		switch f.Type {
		case websocket.TypeRequest:
			// Before the request counts as received: a client with a fresh
			// token sends it again.
			if visitor, err := c.s.Verify(c.token); err != nil || visitor != c.link.visitor {
				c.socket.Close(websocket.CloseCode(http.StatusUnauthorized))
				return websocket.CloseCode(http.StatusUnauthorized)
			}
			c.s.turn(c.link, f.ID, f.Data, c.token, c.remote)
		case websocket.TypeCancel:
			c.link.cancel(f.ID)
		case websocket.TypeAck:
			if !c.link.ack(c, f.Seq) {
				c.socket.Close(websocket.CloseProtocol)
				return websocket.CloseProtocol
			}
		}
	}
}
