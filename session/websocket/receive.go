package websocket

import "bytes"

// Message takes a message of socket conn. The bytes must stay unchanged until
// the effects are done.
func (c *Client) Message(conn int, message []byte, text bool) {
	if conn != c.conn || c.phase != greeting && c.phase != open {
		return // of an old socket (R5)
	}
	c.heard = c.now
	f, err := c.codec.Decode(message, text)
	if err != nil {
		c.broken()
		return
	}
	switch {
	case f.Type == TypeWelcome && c.phase == greeting:
		c.welcome(&f)
	case f.Type == TypeGap:
		c.forgetLink()
		c.phase = greeting // a welcome follows
		c.set(ConnectTimer, c.cfg.Handshake)
	case c.phase != open:
		c.broken()
	case f.Seq != 0:
		c.numbered(&f, len(message))
	case f.Type == TypePing:
		c.beat()
	}
	// Anything else is of a later version and changes nothing.
}

// welcome goes on where the link was, or begins a new one.
func (c *Client) welcome(f *Frame) {
	if f.Link == "" {
		c.broken()
		return
	}
	if c.link != "" && (!f.Resumed || f.Link != c.link) {
		c.forgetLink() // a server that forgot to say gap
	}
	c.link, c.phase = f.Link, open
	c.welcomed, c.welcomedAt = true, c.now
	c.credit = or(f.Credit, defaultCredit)
	c.limit = or(f.Limit, MaxMessage)
	c.clear(ConnectTimer)
	c.stopGiveUp()
	for _, r := range append([]*request(nil), c.requests...) {
		switch {
		case r.cancelled:
			if r.id <= f.ID {
				c.write(&Frame{Type: TypeCancel, ID: r.id})
			} else {
				c.drop(r) // the server never received it
			}
		case !r.sent || r.id > f.ID:
			c.sendRequest(r)
		}
	}
	c.look()
}

// defaultCredit is how far the server sends ahead when it does not say.
const defaultCredit = 1 << 20

// numbered takes a frame that must be taken once. What comes twice is dropped;
// what is missing cannot come any more on this socket.
func (c *Client) numbered(f *Frame, size int) {
	if f.Seq <= c.seq {
		return
	}
	if f.Seq != c.seq+1 {
		c.broken()
		return
	}
	c.seq, c.refreshed = f.Seq, false
	c.unacked += size
	r := c.requestByID(f.ID)
	if r != nil {
		c.answer(r, f)
	}
	if c.phase == open && (c.unacked >= c.credit/4 || f.Type == TypeEnd) {
		c.ack()
	}
}

func (c *Client) ack() {
	c.unacked = 0
	c.write(&Frame{Type: TypeAck, Seq: c.seq})
}

// answer gives a frame to the response that it belongs to.
func (c *Client) answer(r *request, f *Frame) {
	r.body = nil
	switch f.Type {
	case TypeHead:
		c.head(r, f)
	case TypeEvent:
		if !r.cancelled {
			c.effect(Effect{Kind: Bytes, Stream: r.stream, Data: eventStream(f.Data)})
		}
	case TypeEnd:
		if !r.cancelled && f.Code == "" {
			c.effect(Effect{Kind: Bytes, Stream: r.stream, Data: []byte("data: [DONE]\n\n")})
		}
		c.end(r, EOF)
	}
}

func (c *Client) head(r *request, f *Frame) {
	if r.headed {
		return
	}
	r.headed = true
	ok := f.Status >= 200 && f.Status <= 299
	if !r.cancelled {
		head := Effect{Kind: Head, Stream: r.stream, Status: f.Status, ContentType: contentTypeJSON, RetryAfter: -1}
		if ok {
			head.ContentType = contentTypeStream
		}
		if f.RetryAfter > 0 {
			head.RetryAfter = f.RetryAfter
		}
		c.effect(head)
		if !ok && f.Text != "" {
			c.effect(Effect{Kind: Bytes, Stream: r.stream, Data: []byte(f.Text)})
		}
	}
	if !ok {
		c.end(r, EOF)
	}
}

// eventStream writes an event as the frame that an event stream would have
// brought, so that the session reads both alike. A line break in the white
// space of the JSON does not end the frame.
func eventStream(data []byte) []byte {
	out := make([]byte, 0, len(data)+8)
	for {
		out = append(out, "data: "...)
		end := lineEnd(data)
		out = append(append(out, data[:end]...), '\n')
		if end == len(data) {
			return append(out, '\n')
		}
		data = data[end+1:]
	}
}

// lineEnd is the place of the first CR or LF, or the length.
func lineEnd(data []byte) int {
	end := len(data)
	for _, c := range []byte{'\n', '\r'} {
		if i := bytes.IndexByte(data[:end], c); i >= 0 {
			end = i
		}
	}
	return end
}

// beat answers a heartbeat, and lets the sessions see that the server lives.
func (c *Client) beat() {
	c.ack()
	for _, r := range c.requests {
		if !r.cancelled {
			c.effect(Effect{Kind: Bytes, Stream: r.stream, Data: []byte(": heartbeat\n\n")})
		}
	}
}

// broken gives up a link whose frames cannot be used: going on with it would
// bring the same frame again.
func (c *Client) broken() {
	c.hangup(CloseProtocol)
	c.forgetLink()
	c.lost()
}
