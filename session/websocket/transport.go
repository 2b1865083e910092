//go:build !js

package websocket

import (
	"context"
	"sync"
	"time"
)

// Sink takes the responses of a Transport, from one goroutine, in order. It may
// call the transport again.
type Sink interface {
	Head(stream, status int, contentType string, retryAfter int)
	Feed(stream int, p []byte)
	End(stream int, reason Reason)
}

// TransportConfig is what a Transport needs.
type TransportConfig struct {
	URL    string // ws or wss
	Client Config
	// Token gives the token for a new socket. It is asked each time, so that
	// an old one can be replaced.
	Token func(ctx context.Context) (string, error)
	Sink  Sink
	// State is told what a page may show of the link; nil for nobody.
	State func(state string)
}

// Transport runs a Client natively: sockets, timers and the clock. In a browser
// wasm/ and the page's driver do the same.
type Transport struct {
	cfg    TransportConfig
	start  time.Time
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}

	mu    sync.Mutex
	queue []func(*Client)
	woken chan struct{}

	// Of the loop only:
	client *Client
	lines  map[int]*Line
	timers map[Timer]*time.Timer
}

// NewTransport starts a transport. It opens nothing until the first request.
func NewTransport(cfg TransportConfig) *Transport {
	t := &Transport{
		cfg: cfg, start: time.Now(), done: make(chan struct{}), woken: make(chan struct{}, 1),
		client: New(cfg.Client), lines: map[int]*Line{}, timers: map[Timer]*time.Timer{},
	}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	go t.loop()
	return t
}

// Open sends the body of a turn. It does not wait.
func (t *Transport) Open(stream int, body []byte) {
	t.post(func(c *Client) { c.Request(stream, body) })
}

// Abort says that a response is of no interest any more.
func (t *Transport) Abort(stream int) { t.post(func(c *Client) { c.Cancel(stream) }) }

// Hint says that the network may be back.
func (t *Transport) Hint() { t.post((*Client).Hint) }

// Close ends everything; after it the sink is not called any more.
func (t *Transport) Close() {
	t.post(func(c *Client) {
		c.Close()
		t.cancel()
	})
	<-t.done
}

// post hands an input to the loop.
func (t *Transport) post(input func(*Client)) {
	t.mu.Lock()
	t.queue = append(t.queue, input)
	t.mu.Unlock()
	select {
	case t.woken <- struct{}{}:
	default:
	}
}

func (t *Transport) loop() {
	defer close(t.done)
	for t.ctx.Err() == nil {
		t.mu.Lock()
		queue := t.queue
		t.queue = nil
		t.mu.Unlock()
		for _, input := range queue {
			if t.ctx.Err() != nil {
				return
			}
			t.client.At(time.Since(t.start).Milliseconds())
			input(t.client)
			for _, e := range t.client.Flush() {
				t.do(e)
			}
		}
		if len(queue) == 0 {
			select {
			case <-t.woken:
			case <-t.ctx.Done():
			}
		}
	}
}

func (t *Transport) do(e Effect) {
	switch e.Kind {
	case Dial:
		t.dial(e.Conn)
	case Write:
		if l := t.lines[e.Conn]; l != nil {
			l.Write(e.Data, e.Text)
		}
	case Hangup:
		if l := t.lines[e.Conn]; l != nil {
			l.Close(e.Code)
			delete(t.lines, e.Conn)
		}
	case SetTimer:
		t.stop(e.Timer)
		var timer *time.Timer
		timer = time.AfterFunc(time.Duration(e.Delay)*time.Millisecond, func() {
			t.post(func(c *Client) {
				if t.timers[e.Timer] == timer { // it may have been set anew meanwhile
					delete(t.timers, e.Timer)
					c.Fire(e.Timer)
				}
			})
		})
		t.timers[e.Timer] = timer
	case ClearTimer:
		t.stop(e.Timer)
	case Head:
		t.cfg.Sink.Head(e.Stream, e.Status, e.ContentType, e.RetryAfter)
	case Bytes:
		t.cfg.Sink.Feed(e.Stream, e.Data)
	case End:
		t.cfg.Sink.End(e.Stream, e.Reason)
	case State:
		if t.cfg.State != nil {
			t.cfg.State(t.client.State())
		}
	}
}

func (t *Transport) stop(timer Timer) {
	if running := t.timers[timer]; running != nil {
		running.Stop()
		delete(t.timers, timer)
	}
}

// dial fetches the token and opens the socket beside the loop.
func (t *Transport) dial(conn int) {
	go func() {
		token, err := t.cfg.Token(t.ctx)
		t.post(func(c *Client) {
			if err != nil {
				c.TokenFailed(conn)
				return
			}
			if !c.Wants(conn) {
				return
			}
			t.lines[conn] = OpenLine(conn, t.cfg.URL, Events{
				Opened: func(protocol string) {
					t.post(func(c *Client) { c.Opened(conn, protocol, token) })
				},
				Message: func(data []byte, text bool) {
					t.post(func(c *Client) { c.Message(conn, data, text) })
				},
				Closed: func(code int) {
					t.post(func(c *Client) {
						delete(t.lines, conn)
						c.Closed(conn, code)
					})
				},
			})
		})
	}()
}
