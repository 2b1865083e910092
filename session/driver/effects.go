package driver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/svedawasm/svedawasm/session"
)

// flush shows the changes and does the effects of the inputs so far. It reports
// whether the session has been closed.
func (c *Chat) flush() (closed bool) {
	for {
		out := c.s.Flush()
		if len(out.Changes)+len(out.Effects) == 0 {
			return c.s.Closed()
		}
		if c.cfg.Changed != nil {
			for _, change := range out.Changes {
				c.cfg.Changed(change)
			}
		}
		// An effect may be an input at once (a context that cannot be made), and
		// inputs use this memory again.
		for _, e := range append([]session.Effect(nil), out.Effects...) {
			c.do(e)
		}
	}
}

func (c *Chat) do(e session.Effect) {
	switch e.Kind {
	case session.OpenStream:
		c.open(e.ID)
	case session.AbortStream:
		c.cfg.Transport.Abort(e.ID)
	case session.RunTool:
		c.run(e)
	case session.AbortTool:
		if cancel := c.runs[e.ID]; cancel != nil {
			cancel()
		}
	case session.SetTimer:
		c.timers[e.ID] = time.AfterFunc(time.Duration(e.Delay)*time.Millisecond, func() {
			c.put(func() {
				delete(c.timers, e.ID)
				c.s.Fire(e.ID)
			})
		})
	case session.ClearTimer:
		if t := c.timers[e.ID]; t != nil {
			t.Stop()
			delete(c.timers, e.ID)
		}
	case session.Settle:
		var err error
		if e.Err != nil {
			err = e.Err
		}
		if promise := c.promises[e.Ticket]; promise != nil {
			delete(c.promises, e.Ticket)
			promise <- settled{e.Data, err}
		}
	}
}

func (c *Chat) open(stream int) {
	var page []byte
	if c.cfg.Context != nil {
		var err error
		if page, err = c.cfg.Context(); err != nil {
			c.s.End(stream, session.RequestFailed, "making the context: "+err.Error())
			return
		}
	}
	w, err := c.s.Encode(stream, page)
	if err != nil {
		return // a listener has ended the turn meanwhile
	}
	c.cfg.Transport.Open(stream, w, c)
}

// run starts a handler beside the loop. A panic in it is a failure of the tool,
// not of the program.
func (c *Chat) run(e session.Effect) {
	ctx, cancel := context.WithCancel(context.Background())
	c.runs[e.ID] = cancel
	call := Call{c.s.ChatID(), e.Call, e.Text, append([]byte(nil), e.Data...)}
	h := c.handlers[e.Handler]
	go func() {
		output, err := safely(ctx, h, call)
		cancel()
		c.put(func() {
			delete(c.runs, e.ID)
			if err != nil {
				c.s.OutputFailed(e.ID, err.Error())
			} else {
				c.s.Output(e.ID, output)
			}
		})
	}()
}

func safely(ctx context.Context, h Handler, call Call) (output []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the tool panicked: %v", r)
		}
	}()
	if h == nil {
		return nil, errors.New("the tool has no handler")
	}
	return h(ctx, call)
}
