package main

import (
	"strings"

	"github.com/svedawasm/svedawasm/session"
)

// network carries requests and answers, and is where most faults live.
type network struct {
	w     *world
	conns []*conn
	dead  int64    // requests go into a black hole until then
	cache response // of the last history, for a service worker
	held  bool     // there is one
}

// request is what a tab sends.
type request struct {
	get  bool
	body []byte
}

// conn is one request of a tab, until its answer has ended.
type conn struct {
	t      *tab
	life   int
	stream int
	post   bool
	over   bool
	queued []byte // what is still to be delivered
}

func (n *network) send(c *conn, r *request) {
	w := n.w
	n.conns = append(n.conns, c)
	latency := w.rng.between(2, 40)
	if w.hits(F2Delay) {
		latency += pick(&w.rng, 10, 100, 1_000, 10_000)
	}
	if w.hits(F8BlackHole) {
		n.dead = w.now + int64(pick(&w.rng, 5_000, 60_000, 300_000))
	}
	switch {
	case w.now < n.dead && (!w.calm || w.stays == F8BlackHole):
		return // nobody answers
	case w.hits(F22NoConnection):
		n.fail(c, 1)
		return
	case w.hits(F10LostRequest):
		n.fail(c, latency)
		return
	case r.get && n.held && w.hits(F36ServiceWorker):
		n.answer(c, n.cache, 1)
		return
	case w.hits(F21TokenExpiry):
		n.answer(c, refusal(401, ""), latency)
		return
	case w.hits(F15Status) && w.rng.chance(500):
		n.answer(c, n.odd(r), latency)
		return
	}
	if !r.get && w.hits(F11DuplicateRequest) {
		w.after(latency+pick(&w.rng, 0, 5, 1_000, 60_000), nil, func() { w.server.handle(c, r) })
	}
	w.after(latency, nil, func() {
		answer := w.server.handle(c, r)
		if r.get && answer.status == 200 {
			n.cache, n.held = answer, true
		}
		switch {
		case w.hits(F9LostAnswer):
			n.fail(c, latency)
		case w.faults.fired[F15Status] && w.hits(F15Status):
			n.answer(c, pick(&w.rng, refusal(502, ""), refusal(504, ""), refusal(500, "")), latency)
		default:
			n.answer(c, answer, latency)
		}
	})
}

// odd is what something between client and server answers in its place.
func (n *network) odd(r *request) response {
	w := n.w
	status := pick(&w.rng, 200, 204, 302, 400, 403, 404, 408, 413, 422, 425, 429, 429, 500, 502, 503, 503, 504)
	answer := refusal(status, "")
	if status == 200 {
		answer.contentType, answer.body = "text/html", "<!doctype html><title>Sign in</title>"
	}
	if !r.get && status == 404 {
		answer.status = 403 // a chat that is gone is the server's to tell
	}
	if r.get && (status == 404 || status == 410) {
		answer.status = 502
	}
	if status == 429 || status == 503 {
		answer.retryAfter = pick(&w.rng, -1, 0, 200, 3_000, 1_000_000_000_000)
	}
	return answer
}

func (n *network) fail(c *conn, ms int) {
	n.w.after(ms, nil, func() { n.end(c, session.NetworkFailed) })
}

// answer delivers a response as the faults want it.
func (n *network) answer(c *conn, r response, latency int) {
	w := n.w
	body := r.body
	if r.events != nil {
		body = frames(w, c.t, r.events)
	}
	head := latency + r.delay
	if w.hits(F7Stall) && w.rng.chance(300) {
		head += pick(&w.rng, 5_000, 20_000, 600_000)
	}
	w.after(head, c.t, func() {
		if c.open() {
			c.t.put("head", func(s *session.Session) {
				s.Head(c.stream, r.status, r.contentType, session.HeadInfo{RetryAfter: r.retryAfter})
			})
		}
	})
	n.deliver(c, body, head)
}

// deliver sends the body in chunks.
func (n *network) deliver(c *conn, body string, at int) {
	w := n.w
	end, reason := len(body), session.EOF
	if w.hits(F4Reset) && len(body) > 0 {
		end, reason = w.rng.n(len(body)), session.NetworkFailed
	}
	if w.hits(F5Close) && len(body) > 0 {
		end = w.rng.n(len(body))
	}
	chunks := 1 + w.rng.n(2)
	if w.hits(F1Split) {
		chunks = w.rng.between(2, 9)
	}
	if w.hits(F16Buffering) {
		chunks = 1
		at += w.rng.between(0, 3_000)
	}
	slow := 0
	if w.hits(F3Throttle) {
		slow = len(body) * 1000 / pick(&w.rng, 1_000, 10_000, 100_000)
	}
	stall := -1
	if w.hits(F7Stall) {
		stall = w.rng.n(chunks)
	}
	from := 0
	for i := range chunks {
		to := end
		if i < chunks-1 {
			to = from + w.rng.n(end-from+1)
		}
		if w.hits(F2Delay) {
			at += pick(&w.rng, 10, 100, 1_000)
		}
		at += w.rng.n(4) + slow/chunks
		if i == stall {
			t := pick(&w.rng, 5_000, 44_000, 46_000, 600_000, -1)
			if t < 0 {
				return // for ever
			}
			at += t
		}
		if from < to {
			chunk := body[from:to]
			w.after(at, c.t, func() { c.feed(chunk) })
		}
		from = to
	}
	if w.hits(F6SlowClose) {
		at += 30_000
	}
	w.after(at, c.t, func() { n.end(c, reason) })
}

func (c *conn) open() bool { return !c.over && c.life == c.t.life }

func (c *conn) feed(chunk string) {
	if !c.open() {
		return
	}
	c.t.put("feed", func(s *session.Session) {
		b := []byte(chunk)
		s.Feed(c.stream, b)
		c.t.flush()
		for i := range b {
			b[i] = '#' // nothing may be kept of it
		}
	})
}

func (n *network) end(c *conn, reason session.EndReason) {
	if !c.open() {
		return
	}
	n.drop(c)
	c.t.put("end", func(s *session.Session) { s.End(c.stream, reason, "") })
}

func (n *network) drop(c *conn) {
	c.over = true
	for i, other := range n.conns {
		if other == c {
			n.conns = append(n.conns[:i], n.conns[i+1:]...)
			return
		}
	}
}

// cut ends all connections, as the loss of a process does.
func (n *network) cut() {
	for _, c := range append([]*conn(nil), n.conns...) {
		n.w.after(1, c.t, func() { n.end(c, session.NetworkFailed) })
	}
}

// frames puts events into the framing of the wire, with the faults of a server
// or a proxy that get it wrong.
func frames(w *world, t *tab, events []string) string {
	events = append([]string(nil), events...)
	last := len(events) - 1
	if last > 0 && w.hits(F13Reorder) {
		i := w.rng.n(last)
		events[i], events[i+1] = events[i+1], events[i]
	}
	if last > 0 && w.hits(F12DuplicateEvents) {
		events = append(events, events[w.rng.n(last):]...)
	}
	if last > 0 && w.hits(F14Gap) {
		i := w.rng.n(last)
		if !strings.Contains(events[i], "tool.") {
			events = append(events[:i], events[i+1:]...)
		}
	}
	// A call that the page does not know yet would be no replay of it.
	if known := t.known(); len(known) > 0 && w.hits(F19MutatedReplay) {
		c := known[w.rng.n(len(known))]
		input, required := c.input, c.required
		if w.rng.chance(500) {
			input = `{"n":0,"key":"` + secret + `","other":true}`
		} else {
			required = false
		}
		i := w.rng.n(len(events))
		events = append(events[:i], append([]string{callEvent(c, input, required)}, events[i:]...)...)
	}
	var b strings.Builder
	odd := w.hits(F17Framing)
	line := "\n"
	if odd {
		line = pick(&w.rng, "\n", "\r\n", "\r")
		b.WriteString(pick(&w.rng, "", "\ufeff", ": hello"+line+line, "event: x"+line, "id: \x00"+line))
	}
	for _, e := range events {
		b.WriteString("data: ")
		b.WriteString(e)
		b.WriteString(line)
		b.WriteString(line)
		if odd && w.rng.chance(200) {
			b.WriteString(pick(&w.rng, ": comment"+line, "data: not json"+line+line, "retry: x"+line))
		}
	}
	if !odd || w.rng.chance(800) {
		b.WriteString("data: [DONE]")
		b.WriteString(line)
		b.WriteString(line)
	}
	return b.String()
}
