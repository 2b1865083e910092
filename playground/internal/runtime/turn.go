package runtime

import (
	"context"
	"sync"
	"time"

	"github.com/svedawasm/svedawasm/playground/internal/model"
	"github.com/svedawasm/svedawasm/playground/internal/store"
)

// next says what a turn does after its decisions.
type next int

const (
	speak          next = iota // ask the model
	stayBlocked                // calls still wait
	afterDecisions             // find out which
)

// Turn is one admitted turn.
type Turn struct {
	e         *Engine
	req       Request
	entry     model.Entry
	host      HostSession
	tools     *toolset
	owner     string // of claims and of the right to speak
	messageID string
	started   time.Time
	untitled  bool // the stored title was none when the turn began
	work      []work
	next      next
	release   func() // of the right to speak; nil when this turn has it not

	mu      sync.Mutex // of sink: spawn_tasks emits from several goroutines
	sink    Emit
	talking bool // MessageStart has been emitted
}

// MessageID is the id of the assistant message that the turn may produce.
func (t *Turn) MessageID() string { return t.messageID }

// StartedAt is the time stamp of all events of the turn.
func (t *Turn) StartedAt() time.Time { return t.started }

// ChatID is the id of the chat.
func (t *Turn) ChatID() string { return t.req.Key.Chat }

// Run does the work and emits its events. When ctx ends the client has gone or
// has stopped the turn: the model is cut and what it said is kept, a tool that
// runs is awaited and recorded.
func (t *Turn) Run(ctx context.Context, sink Emit) {
	defer t.e.turns.Done()
	defer t.close()
	t.sink = sink
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(t.e.stopping, cancel)()
	defer t.register(cancel)()

	for _, w := range t.work {
		t.do(ctx, w)
	}
	switch t.next {
	case stayBlocked:
		t.end(ctx, MessageEnd{Reason: FinishToolCalls, Blocked: true}, 0)
	case afterDecisions:
		t.goOn(ctx)
	default:
		t.speak(ctx)
	}
}

// goOn asks the model when every call has ended and nobody else has asked it
// yet.
func (t *Turn) goOn(ctx context.Context) {
	chat, err := t.e.Store.Read(context.WithoutCancel(ctx), t.req.Key)
	if err != nil {
		t.e.Log.Error("reading a chat", "err", err)
		return
	}
	blocked := MessageEnd{Reason: FinishToolCalls, Blocked: true}
	if waiting(chat) {
		t.end(ctx, blocked, 0)
		return
	}
	if ctx.Err() != nil {
		return
	}
	if err := t.e.acquire(ctx, t.req.Key, t.owner); err != nil {
		t.end(ctx, blocked, 0)
		return
	}
	t.release = t.e.hold(t.req.Key, t.owner)
	if chat, err = t.e.Store.Read(ctx, t.req.Key); err != nil {
		t.e.Log.Error("reading a chat", "err", err)
		return
	}
	switch {
	case owesAnswer(chat):
		t.speak(ctx)
	case openCalls(chat):
		t.end(ctx, blocked, 0)
	default: // another turn has answered already
		t.end(ctx, MessageEnd{Reason: FinishStop, Blocked: true}, 0)
	}
}

// end records the end of the turn, gives the right to speak back and tells
// both. The order matters: a client that acts on MessageEnd finds everything
// stored and the chat free.
func (t *Turn) end(ctx context.Context, end MessageEnd, tokens int) {
	if err := t.touch(tokens); err != nil {
		t.e.Log.Error("recording the end of a turn", "err", err)
	}
	t.giveBack()
	t.emit(end)
	t.tellTitle(ctx)
}

func (t *Turn) touch(tokens int) error {
	return t.update(func(tx store.Tx) error {
		chat, err := tx.Chat()
		if err != nil {
			return err
		}
		return tx.Touch(chat.Title, tokens, t.e.Now())
	})
}

// update writes to the chat. It does not end with the client: what has
// happened is recorded.
func (t *Turn) update(fn func(store.Tx) error) error {
	return t.e.Store.Update(context.Background(), t.req.Key, fn)
}

func (t *Turn) emit(ev Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch ev.(type) {
	case TextDelta, ReasoningDelta, ToolCall:
		if !t.talking {
			t.talking = true
			t.sink(MessageStart{})
		}
	}
	t.sink(ev)
}

func (t *Turn) giveBack() {
	if t.release != nil {
		t.release()
		t.release = nil
	}
}

func (t *Turn) close() {
	t.giveBack()
	if t.host != nil {
		if err := t.host.Close(); err != nil {
			t.e.Log.Debug("closing the host's session", "err", err)
		}
		t.host = nil
	}
}

// register makes the turn reachable for [Engine.Stop].
func (t *Turn) register(cancel context.CancelFunc) (unregister func()) {
	e, key := t.e, t.req.Key
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.running[key] == nil {
		e.running[key] = map[*Turn]context.CancelFunc{}
	}
	e.running[key][t] = cancel
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.running[key], t)
		if len(e.running[key]) == 0 {
			delete(e.running, key)
		}
	}
}
