package websocket

// request is one turn of the session on this link.
type request struct {
	id        uint64
	stream    int
	body      []byte // nil once the server has answered
	sent      bool   // it was written to a socket of this link
	headed    bool   // the response has begun
	cancelled bool
}

const (
	contentTypeStream = "text/event-stream"
	contentTypeJSON   = "application/json"
)

func (c *Client) requestOf(stream int) *request {
	for _, r := range c.requests {
		if r.stream == stream && !r.cancelled {
			return r
		}
	}
	return nil
}

func (c *Client) requestByID(id uint64) *request {
	for _, r := range c.requests {
		if r.id == id {
			return r
		}
	}
	return nil
}

// sendRequest writes a request; one that the server would refuse for its size
// is answered here, since the server could only close the socket.
func (c *Client) sendRequest(r *request) {
	if len(r.body)+frameRoom > c.limit {
		c.effect(Effect{Kind: Head, Stream: r.stream, Status: 413, ContentType: contentTypeJSON, RetryAfter: -1})
		c.end(r, EOF)
		return
	}
	r.sent = true
	c.write(&Frame{Type: TypeRequest, ID: r.id, Data: r.body})
}

// frameRoom is what a frame adds to its data, at most.
const frameRoom = 1 << 10

// end ends a response and forgets the request.
func (c *Client) end(r *request, reason Reason) {
	if !r.cancelled {
		c.effect(Effect{Kind: End, Stream: r.stream, Reason: reason})
	}
	c.drop(r)
}

func (c *Client) drop(r *request) {
	for i, other := range c.requests {
		if other == r {
			c.requests = append(c.requests[:i:i], c.requests[i+1:]...)
			break
		}
	}
	if len(c.requests) == 0 {
		c.busyAt = c.now
		if c.phase == open {
			c.look()
		} else if c.phase == backoff {
			c.rest()
		}
	}
}

// endAll ends every response.
func (c *Client) endAll(reason Reason) {
	requests := c.requests
	c.requests = nil
	for _, r := range requests {
		if !r.cancelled {
			c.effect(Effect{Kind: End, Stream: r.stream, Reason: reason})
		}
	}
	c.busyAt = c.now
}

// refuse answers every request with a status that ended the link.
func (c *Client) refuse(status int) {
	for _, r := range c.requests {
		switch {
		case r.cancelled:
		case r.headed:
			c.effect(Effect{Kind: End, Stream: r.stream, Reason: Lost})
		default:
			c.effect(Effect{Kind: Head, Stream: r.stream, Status: status, ContentType: contentTypeJSON, RetryAfter: -1})
			c.effect(Effect{Kind: End, Stream: r.stream, Reason: EOF})
		}
	}
	c.requests = nil
	c.rest()
}

// forgetLink gives up what the link knew: every response that the server had
// begun, or may have begun, ends with a gap (R10). What was never sent goes out
// on the next link.
func (c *Client) forgetLink() {
	c.link, c.seq, c.unacked = "", 0, 0
	kept := c.requests[:0:0]
	for _, r := range c.requests {
		switch {
		case !r.sent:
			kept = append(kept, r)
		case !r.cancelled:
			c.effect(Effect{Kind: End, Stream: r.stream, Reason: Gap})
		}
	}
	c.requests = kept
	if len(kept) == 0 {
		c.busyAt = c.now
	}
}

// dropCancelled forgets what need not be told any more when the socket is gone
// and nothing else waits: the server ends it with the link.
func (c *Client) dropCancelled() {
	for _, r := range c.requests {
		if !r.cancelled {
			return
		}
	}
	c.requests = nil
	c.busyAt = c.now
}
