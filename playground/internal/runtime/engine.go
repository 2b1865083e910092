// Package runtime is the turn engine: it takes what a client asks of a chat,
// runs the model and the tools, pauses for confirmations and goes on after
// decisions. It knows nothing of a wire: a protocol turns its own requests
// into [Request] and the [Event]s of a turn into its own bytes.
//
// A turn has two halves. [Engine.Begin] checks and admits it; every refusal
// happens there, before a byte of an answer. [Turn.Run] does the work and
// emits events. The records come first in both: a call is stored before it is
// shown, claimed before the host is called, and its result is stored before it
// is told.
package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/svedawasm/svedawasm/playground/internal/hostclient"
	"github.com/svedawasm/svedawasm/playground/internal/model"
	"github.com/svedawasm/svedawasm/playground/internal/store"
)

// HostSession is a connection to the host of one turn; *hostclient.Session
// is one.
type HostSession interface {
	Tools(ctx context.Context) ([]hostclient.Tool, error)
	Call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error)
	Close() error
}

// Config is what an engine needs. Store, Models and Connect must be set; the
// rest has defaults.
type Config struct {
	Store  store.Store
	Models model.Catalogue
	// Connect opens the host's session for a turn.
	Connect func(ctx context.Context, key store.Key, pageContext json.RawMessage) (HostSession, error)
	Log     *slog.Logger
	Now     func() time.Time

	MaxSteps    int           // model steps of one turn; default 30
	HostTimeout time.Duration // for one tool call; default 30 s
	// BusyWait is how long a turn waits for another one in the same chat
	// before it is refused; default 30 s.
	BusyWait time.Duration
}

// Engine runs turns. It is safe for concurrent use.
type Engine struct {
	Config
	instance string // of this process, in claims and turn rights
	turns    sync.WaitGroup
	stopping context.Context
	stop     context.CancelFunc

	mu      sync.Mutex
	running map[store.Key]map[*Turn]context.CancelFunc
}

// turnTTL is how long the right to speak in a chat outlives a process that
// died; a living turn prolongs it three times in that time.
const turnTTL = 15 * time.Second

// claimGrace is added to HostTimeout: after both a claimed call's process is
// taken for dead.
const claimGrace = 15 * time.Second

// New makes an engine and gives the calls that an earlier process left running
// their end. They are never run again: whether they took effect is unknown.
func New(ctx context.Context, c Config) (*Engine, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.MaxSteps = or(c.MaxSteps, 30)
	c.HostTimeout = or(c.HostTimeout, 30*time.Second)
	c.BusyWait = or(c.BusyWait, 30*time.Second)
	e := &Engine{Config: c, instance: uuid.NewString(), running: map[store.Key]map[*Turn]context.CancelFunc{}}
	e.stopping, e.stop = context.WithCancel(context.Background())
	n, err := c.Store.EndRunning(ctx, c.Now(), outputUnknown)
	if err != nil {
		return nil, fmt.Errorf("starting the engine: %w", err)
	}
	if n > 0 {
		c.Log.Warn("calls of an earlier process have an unknown outcome", "count", n)
	}
	e.turns.Go(e.sweep)
	return e, nil
}

// sweepEvery is how often calls of other processes that died are looked for.
const sweepEvery = 30 * time.Second

func (e *Engine) sweep() {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-e.stopping.Done():
			return
		case <-tick.C:
			if _, err := e.Store.EndRunning(e.stopping, e.Now(), outputUnknown); err != nil && e.stopping.Err() == nil {
				e.Log.Error("ending running calls", "err", err)
			}
		}
	}
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// Shutdown stops the models, lets running tools end and waits for all turns,
// at most until ctx is done.
func (e *Engine) Shutdown(ctx context.Context) error {
	e.mu.Lock()
	e.stop()
	e.mu.Unlock()
	done := make(chan struct{})
	go func() {
		e.turns.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for turns: %w", ctx.Err())
	}
}

// Stop ends the model of every turn that runs in this process in the chat, and
// reports whether there was one. A tool that runs is not cut.
func (e *Engine) Stop(key store.Key) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, cancel := range e.running[key] {
		cancel()
	}
	return len(e.running[key]) > 0
}

// Codes of a [Refusal].
const (
	CodeHistoryUnavailable   = "history_unavailable"
	CodeConfirmationRequired = "confirmation_required"
	CodeUnknownModel         = "unknown_model"
	CodeBusy                 = "busy"
	CodeStopping             = "stopping"
)

// Refusal says that a turn was not admitted; nothing was changed or run.
// Message is the contract's text for the client.
type Refusal struct {
	Code    string
	Message string
}

func (r *Refusal) Error() string { return r.Message }

var (
	errHistory  = &Refusal{CodeHistoryUnavailable, "Chat history is unavailable."}
	errPending  = &Refusal{CodeConfirmationRequired, "Tool confirmation is required before the conversation can continue."}
	errBusy     = &Refusal{CodeBusy, "Too many active streams."}
	errStopping = &Refusal{CodeStopping, "The server is stopping."}
)

// acquire takes the right to speak in the chat, waiting for the turn that has
// it. The error is errBusy, or that of ctx or the store.
func (e *Engine) acquire(ctx context.Context, key store.Key, owner string) error {
	deadline := time.Now().Add(e.BusyWait)
	for {
		now := e.Now()
		ok, err := e.Store.AcquireTurn(ctx, key, owner, now, now.Add(turnTTL))
		if err != nil {
			// The store may have done it all the same, as when the client has
			// gone in this very moment; the chat would wait for turnTTL.
			if e := e.Store.ReleaseTurn(context.WithoutCancel(ctx), key, owner); e != nil {
				err = errors.Join(err, e)
			}
			return err
		}
		if ok {
			return nil
		}
		if time.Now().After(deadline) {
			return errBusy
		}
		if err := e.pause(ctx); err != nil {
			return err
		}
	}
}

// pollEvery is how often a turn looks whether another one has ended. The other
// one may be in another process, so there is nothing to be woken by.
const pollEvery = 40 * time.Millisecond

func (e *Engine) pause(ctx context.Context) error {
	select {
	case <-time.After(pollEvery):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-e.stopping.Done():
		return errStopping
	}
}

// hold prolongs the right until the returned function gives it back.
func (e *Engine) hold(key store.Key, owner string) (release func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(turnTTL / 3)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				now := e.Now()
				if _, err := e.Store.AcquireTurn(ctx, key, owner, now, now.Add(turnTTL)); err != nil && ctx.Err() == nil {
					e.Log.Error("prolonging a turn", "err", err)
				}
			}
		}
	}()
	return sync.OnceFunc(func() {
		cancel()
		<-done
		if err := e.Store.ReleaseTurn(context.Background(), key, owner); err != nil {
			e.Log.Error("releasing a turn", "err", err)
		}
	})
}

// enter counts a turn in, unless the engine is stopping.
func (e *Engine) enter() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stopping.Err() != nil {
		return false
	}
	e.turns.Add(1)
	return true
}

func asRefusal(err error) (*Refusal, bool) {
	return errors.AsType[*Refusal](err)
}
