// Package driver runs a session natively: requests over HTTP, timers, and the
// tools of the program as Go functions. It holds no rule of confirmation; it does
// what the session says (design, "The flow").
//
// All inputs of a session are taken by one goroutine, its loop.
package driver

import (
	"context"
	"sync"
	"time"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/toolregistry"
)

// Call is one call of a tool of the program.
type Call struct {
	ChatID     string
	ToolCallID string
	ToolName   string
	Input      []byte // raw JSON, exactly as the server sent it
}

// Handler runs a tool and gives its output as JSON; nil counts as null. ctx ends
// when the output is of no interest any more.
type Handler func(ctx context.Context, call Call) (output []byte, err error)

// Config is what a Chat needs.
type Config struct {
	Session   session.Config // Tools is made by New when it is nil
	Transport Transport
	// Context gives the page's context of a request as a JSON object; nil for none.
	Context func() ([]byte, error)
	// Changed is told each change, on the loop: it must return soon, must keep
	// nothing of the change, and must not call the Chat. nil for nobody.
	Changed func(session.Change)
}

// Chat is a running session.
type Chat struct {
	cfg      Config
	s        *session.Session
	start    time.Time
	inputs   chan func()
	done     chan struct{} // closed when the loop has ended
	closing  sync.Once
	handlers map[int]Handler // by the number that the registry knows
	timers   map[int]*time.Timer
	runs     map[int]context.CancelFunc
	promises map[session.Ticket]chan<- settled
	tickets  session.Ticket
}

type settled struct {
	data []byte
	err  error
}

// New starts a chat.
func New(cfg Config) *Chat {
	if cfg.Session.Tools == nil {
		cfg.Session.Tools = toolregistry.New()
	}
	c := &Chat{
		cfg: cfg, s: session.New(cfg.Session), start: time.Now(), inputs: make(chan func()), done: make(chan struct{}),
		handlers: map[int]Handler{}, timers: map[int]*time.Timer{}, runs: map[int]context.CancelFunc{},
		promises: map[session.Ticket]chan<- settled{},
	}
	go c.loop()
	return c
}

func (c *Chat) loop() {
	defer close(c.done)
	for input := range c.inputs {
		c.s.At(time.Since(c.start).Milliseconds())
		input()
		if c.flush() {
			return
		}
	}
}

// put has the loop take an input, and returns when it has been taken. It reports
// false when the chat is closed.
func (c *Chat) put(input func()) bool {
	taken := make(chan struct{})
	select {
	case c.inputs <- func() { input(); close(taken) }:
		<-taken
		return true
	case <-c.done:
		return false
	}
}

// await has the loop take an input with a promise, and waits for it. The end of
// ctx ends the waiting only: Stop ends the turn.
func (c *Chat) await(ctx context.Context, input func(t session.Ticket)) ([]byte, error) {
	result := make(chan settled, 1)
	if !c.put(func() {
		c.tickets++
		c.promises[c.tickets] = result
		input(c.tickets)
	}) {
		return nil, &session.Error{Code: session.CodeClosed, Message: "the session was closed", RetryAfter: -1}
	}
	select {
	case r := <-result:
		return r.data, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Register adds a tool. Its Handler number is given here.
func (c *Chat) Register(tool toolregistry.Tool, h Handler) error {
	var err error
	c.put(func() {
		tool.Handler = len(c.handlers) + 1
		if _, err = c.cfg.Session.Tools.Register(tool); err == nil {
			c.handlers[tool.Handler] = h
		}
	})
	return err
}

// Send sends what the person wrote and waits for the end of the turn: the answer,
// or the question about a call. The error is a *session.Error, or that of ctx.
func (c *Chat) Send(ctx context.Context, m session.Outgoing) error {
	_, err := c.await(ctx, func(t session.Ticket) { c.s.Send(t, m) })
	return err
}

// Decide decides calls and waits as Send does. It gives the outcomes as
// session.Session.Decide has them.
func (c *Chat) Decide(ctx context.Context, choices ...session.Choice) ([]byte, error) {
	return c.await(ctx, func(t session.Ticket) { c.s.Decide(t, choices, session.TurnOptions{}) })
}

// Continue goes on after the server's step limit.
func (c *Chat) Continue(ctx context.Context) error {
	_, err := c.await(ctx, func(t session.Ticket) { c.s.Continue(t, session.TurnOptions{}) })
	return err
}

// Stop ends the running turn.
func (c *Chat) Stop(ctx context.Context, force bool) error {
	_, err := c.await(ctx, func(t session.Ticket) { c.s.Stop(t, force) })
	return err
}

// Reread asks the server for the state of the chat.
func (c *Chat) Reread(ctx context.Context) error {
	_, err := c.await(ctx, func(t session.Ticket) { c.s.Reread(t) })
	return err
}

// Await calls an input of the session that takes a promise, and waits for it.
func (c *Chat) Await(ctx context.Context, input func(s *session.Session, t session.Ticket)) ([]byte, error) {
	return c.await(ctx, func(t session.Ticket) { input(c.s, t) })
}

// With runs f on the loop, to call other inputs or to read the session. f must
// not keep s. It reports false when the chat is closed.
func (c *Chat) With(f func(s *session.Session)) bool {
	return c.put(func() { f(c.s) })
}

// Close ends the chat: every promise settles, requests and handlers are aborted.
func (c *Chat) Close() {
	c.closing.Do(func() { c.put(c.s.Close); c.cfg.Transport.Close() })
	<-c.done
}

// Head, Feed and End make a Chat the Sink of its Transport.

// Head implements Sink.
func (c *Chat) Head(stream, status int, contentType string, head session.HeadInfo) {
	c.put(func() { c.s.Head(stream, status, contentType, head) })
}

// Feed implements Sink.
func (c *Chat) Feed(stream int, p []byte) { c.put(func() { c.s.Feed(stream, p) }) }

// End implements Sink.
func (c *Chat) End(stream int, reason session.EndReason, detail string) {
	c.put(func() { c.s.End(stream, reason, detail) })
}

var _ Sink = (*Chat)(nil)

// Transport carries requests and their responses. A Chat calls it on its loop, so
// that its methods must not block, nor call the Sink before they have returned.
type Transport interface {
	// Open sends a request. What comes back goes to sink under the same id: Head
	// once, then Feed, and End once.
	Open(stream int, w event.WireRequest, sink Sink)
	// Abort gives up a response; nothing more needs to be told of it.
	Abort(stream int)
	// Close gives up all of them.
	Close()
}

// Sink takes responses, from any goroutine. Feed returns when p has been used.
type Sink interface {
	Head(stream, status int, contentType string, head session.HeadInfo)
	Feed(stream int, p []byte)
	End(stream int, reason session.EndReason, detail string)
}
