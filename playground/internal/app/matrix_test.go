package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svedawasm/svedawasm/playground/internal/faulty"
	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/driver"
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/sveda"
	"github.com/svedawasm/svedawasm/session/websocket"
)

// R46: nine faults, in each direction, at each of three moments, over real
// sockets against the whole playground, with the native driver; once over event
// streams and once over WebSocket. In each cell a person asks for a deletion and
// approves it, as often as the card asks for it. Asserted: the tool runs at most
// once whatever happens and exactly once in the end, every wait ends with a
// result or with an error that has a code, and the client ends where the server
// is.

type moment string

const (
	handshake  moment = "handshake"
	midStream  moment = "mid-stream"
	atDecision moment = "at decision"
)

var moments = []moment{handshake, midStream, atDecision}

const (
	cellTime   = 40 * time.Second        // in which a cell must end
	healAfter  = 1500 * time.Millisecond // of a fault that has met something
	streamByte = 900                     // of the answer, where mid-stream is
	atOnce     = 12                      // cells at a time
)

// cell is one experiment.
type cell struct {
	t      *testing.T
	p      *play
	proxy  *faulty.Proxy
	chat   *driver.Chat
	chatID string
	socket bool
	codes  []string // of the errors on the way, in order
}

func TestR46_Matrix(t *testing.T) {
	p := start(t, setup{env: map[string]string{
		"SVEDA_OFFLINE_DELAY": "2ms", "SVEDA_KEEP_ALIVE": "200ms", "SVEDA_SOCKET_HEARTBEAT": "300ms", "SVEDA_SOCKET_WINDOW": "20s",
	}})
	type key struct {
		kind   faulty.Kind
		dir    faulty.Direction
		at     moment
		socket bool
	}
	results := map[key]string{}
	var mu sync.Mutex
	var wait sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	begin := time.Now()
	failed := 0
	for _, socket := range []bool{false, true} {
		for _, kind := range faulty.Kinds {
			for _, dir := range []faulty.Direction{faulty.Up, faulty.Down} {
				for _, at := range moments {
					wait.Go(func() {
						slots <- struct{}{}
						defer func() { <-slots }()
						text, err := runCell(t, p, kind, dir, at, socket)
						mu.Lock()
						defer mu.Unlock()
						if err != nil {
							failed++
							text = "FAIL " + err.Error()
							t.Errorf("%s %s at %s, socket %v: %v", kind, dir, at, socket, err)
						}
						results[key{kind, dir, at, socket}] = text
					})
				}
			}
		}
	}
	wait.Wait()
	var table strings.Builder
	fmt.Fprintf(&table, "%-12s %-5s %-12s %-44s %s\n", "fault", "way", "moment", "event stream", "WebSocket")
	cells := 0
	for _, kind := range faulty.Kinds {
		for _, dir := range []faulty.Direction{faulty.Up, faulty.Down} {
			for _, at := range moments {
				cells++
				fmt.Fprintf(&table, "%-12s %-5s %-12s %-44s %s\n", kind, dir, at,
					results[key{kind, dir, at, false}], results[key{kind, dir, at, true}])
			}
		}
	}
	t.Logf("R46: %d cells over 2 transports in %.1f s, %d failed\n%s", cells, time.Since(begin).Seconds(), failed, table.String())
	if cells != 54 {
		t.Errorf("%d cells, want 54", cells)
	}
}

func runCell(t *testing.T, p *play, kind faulty.Kind, dir faulty.Direction, at moment, socket bool) (string, error) {
	proxy, err := faulty.New(strings.TrimPrefix(p.base, "http://"))
	if err != nil {
		return "", err
	}
	defer proxy.Close()
	c := &cell{t: t, p: p, proxy: proxy, socket: socket}
	c.chatID = strings.ReplaceAll(fmt.Sprintf("%s-%s-%s-%v", kind, dir, at, socket), " ", "_")
	c.chat = c.client()
	defer c.chat.Close()
	begin := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), cellTime)
	defer cancel()
	switch at {
	case handshake:
		c.arm(kind, dir, 0)
	case midStream:
		c.arm(kind, dir, streamByte)
	}
	if err := c.ask(ctx); err != nil {
		return "", err
	}
	if at == atDecision {
		c.arm(kind, dir, 0)
	}
	if err := c.decide(ctx); err != nil {
		return "", err
	}
	if err := c.agree(ctx); err != nil {
		return "", err
	}
	text := fmt.Sprintf("ran once, %.1f s", time.Since(begin).Seconds())
	if len(c.codes) > 0 {
		text += ", after " + tally(c.codes)
	}
	return text, nil
}

// tally names each code once, with how often it came.
func tally(codes []string) string {
	var names []string
	count := map[string]int{}
	for _, code := range codes {
		if count[code]++; count[code] == 1 {
			names = append(names, code)
		}
	}
	for i, name := range names {
		if count[name] > 1 {
			names[i] = fmt.Sprintf("%d×%s", count[name], name)
		}
	}
	return strings.Join(names, ", ")
}

// arm begins the fault, and lets the network heal a while after it has met
// something.
func (c *cell) arm(kind faulty.Kind, dir faulty.Direction, after int) {
	hit := c.proxy.Arm(kind, dir, after)
	go func() {
		select {
		case <-hit:
			time.Sleep(healAfter)
		case <-time.After(8 * time.Second): // it had nothing to meet
		}
		c.proxy.Heal()
	}()
}

func (c *cell) client() *driver.Chat {
	base := "http://" + c.proxy.Addr()
	transport := &driver.HTTP{
		Endpoints: map[string]string{"stream": base + "/sveda/stream", "history": base + "/sveda/chat-histories"},
		Header: func(context.Context) (http.Header, error) {
			return http.Header{"X-Sveda-Embed-Token": {c.p.token}}, nil
		},
	}
	cfg := driver.Config{
		Session: session.Config{
			ChatID: c.chatID, Dialect: sveda.New(sveda.Config{Histories: true}), Seed: [16]byte{1},
			SilenceTimeout: 2000, DecisionTimeout: 6000, TailTimeout: 2000,
		},
		Transport: transport,
	}
	if c.socket {
		cfg.Transport = &driver.Socket{
			HTTP: transport, URL: "ws://" + c.proxy.Addr() + "/sveda/ws",
			Config: websocket.Config{Handshake: 1200, Backoff: 100, MaxWait: 800, Silence: 1200, GiveUp: 15_000},
		}
	}
	return driver.New(cfg)
}

// typed takes the end of a wait: nil, or an error with a code.
func (c *cell) typed(err error) error {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*session.Error](err)
	if !ok || e.Code == "" {
		return fmt.Errorf("an end without a code: %w", err)
	}
	c.codes = append(c.codes, e.Code)
	return nil
}

// state is what the card of the call shows; "" when there is none.
func (c *cell) state() (state, call string) {
	c.chat.With(func(s *session.Session) {
		for _, m := range s.Messages() {
			for _, part := range m.Parts {
				if part.Kind == event.CallPart && part.ToolName == "delete_post" {
					call = part.ToolCallID
				}
			}
		}
		if s.Pending() {
			state = "waits"
		} else if call != "" {
			state = "ended"
		}
	})
	return state, call
}

// ask has the person ask until the card is there.
func (c *cell) ask(ctx context.Context) error {
	for range 8 {
		if err := c.typed(c.chat.Send(ctx, session.Outgoing{Text: "delete post 2"})); err != nil {
			return err
		}
		if err := c.settle(ctx); err != nil {
			return err
		}
		if state, _ := c.state(); state != "" {
			return nil
		}
		// A person tries again, and looks first whether the words arrived.
		time.Sleep(300 * time.Millisecond)
		if err := c.typed(c.chat.Reread(ctx)); err != nil {
			return err
		}
		if state, _ := c.state(); state != "" {
			return nil
		}
	}
	return fmt.Errorf("no card, after %v", c.codes)
}

// decide has the person approve as long as the card is live.
func (c *cell) decide(ctx context.Context) error {
	for range 8 {
		state, call := c.state()
		if state == "ended" {
			return nil
		}
		_, err := c.chat.Decide(ctx, session.Choice{Decision: event.Decision{ToolCallID: call, Approve: true}})
		if err := c.typed(err); err != nil {
			return err
		}
		if err := c.settle(ctx); err != nil {
			return err
		}
		if n := c.executions(); n > 1 {
			return fmt.Errorf("the tool ran %d times", n)
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("the card is still live, after %v", c.codes)
}

// settle waits until nothing goes on by itself.
func (c *cell) settle(ctx context.Context) error {
	for {
		acting := false
		c.chat.With(func(s *session.Session) { acting = s.Acting() })
		if !acting {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("it hangs, after %v", c.codes)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// agree checks that the tool ran once and that the client ends where the server
// is (I14).
func (c *cell) agree(ctx context.Context) error {
	for deadline := time.Now().Add(15 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		n := c.executions()
		if n > 1 {
			return fmt.Errorf("the tool ran %d times", n)
		}
		pending, result := true, ""
		c.chat.With(func(s *session.Session) {
			pending = s.Pending()
			for _, m := range s.Messages() {
				for _, part := range m.Parts {
					if part.Kind == event.ResultPart && part.ToolName == "delete_post" {
						result = string(part.Output)
					}
				}
			}
		})
		if n == 1 && !pending && result != "" {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%d runs, pending %v, result %q, after %v", n, pending, result, c.codes)
		}
		if ctx.Err() == nil {
			_ = c.typed(c.chat.Reread(ctx))
		}
	}
}

func (c *cell) executions() (n int) {
	calls, err := c.p.app.Posts.Calls(context.Background())
	if err != nil {
		return 0
	}
	for _, call := range calls {
		if call.ChatID == c.chatID && call.Name == "delete_post" {
			n++
		}
	}
	return n
}
