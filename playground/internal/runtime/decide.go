package runtime

import (
	"context"
	"errors"
	"time"

	"github.com/svedawasm/svedawasm/playground/internal/hostclient"
	"github.com/svedawasm/svedawasm/playground/internal/store"
)

// work is what a decision leads to, in the order of the request.
type work struct {
	callID string
	// execute: approved and not yet claimed. Otherwise the result of the call
	// is told: the recorded one, or that of whoever is running it now.
	execute bool
	always  bool // the approval is for later calls of the tool as well
}

// admitDecisions admits a turn that brings decisions. Denials are recorded
// here; an approval is recorded with the claim of its call, right before the
// host is called.
func (t *Turn) admitDecisions(ctx context.Context, modelErr error) error {
	words := false
	err := t.e.Store.Update(ctx, t.req.Key, func(tx store.Tx) error {
		chat, err := tx.Chat()
		if err != nil {
			if !errors.Is(err, store.ErrNotFound) {
				t.e.Log.Error("reading a chat", "err", err)
			}
			return errHistory
		}
		if modelErr != nil {
			return modelErr
		}
		changed := append(t.withdraw(chat), t.takeResults(chat)...)
		// With nothing left to decide the decisions do nothing, and words
		// beside them count; else the words are ignored (rules 11 and 12).
		if !waiting(chat) && t.req.speaks() {
			words = true
			return putAll(tx, changed)
		}
		t.untitled = wantsTitle(chat.Title)
		t.next = afterDecisions
		return putAll(tx, append(changed, t.decide(chat)...))
	})
	if err != nil || !words {
		return err
	}
	return t.admitWords(ctx, nil)
}

// decide applies the decisions to the loaded chat. The first decision that was
// recorded for a call wins, whoever sent it (S40); later ones get its outcome.
func (t *Turn) decide(chat *store.Chat) (changed []store.Call) {
	seen := map[string]bool{}
	for _, d := range t.req.Decisions {
		if seen[d.CallID] {
			continue
		}
		seen[d.CallID] = true
		c := chat.Call(d.CallID)
		if c == nil || !c.Confirming || d.Word != store.Approve && d.Word != store.Deny {
			continue
		}
		switch {
		case c.State != store.StatePending:
			if c.State != store.StateApproved { // that one the browser ends
				t.work = append(t.work, work{callID: c.ID})
			}
		case d.Word == store.Deny:
			c.State, c.Decision, c.DecidedAt = store.StateDone, store.Deny, t.e.Now()
			c.Reason, c.Output, c.FinishedAt = d.Reason, outputDenied(d.Reason), t.e.Now()
			changed = append(changed, *c)
			t.work = append(t.work, work{callID: c.ID})
		case c.Target == store.Frontend:
			c.State, c.Decision, c.DecidedAt = store.StateApproved, store.Approve, t.e.Now()
			changed = append(changed, *c)
		default:
			t.work = append(t.work, work{callID: c.ID, execute: true, always: d.Always})
		}
	}
	return changed
}

// do carries out one piece of work. What a person has approved is run also
// when the client has gone meanwhile; only a stopping runtime leaves it
// pending.
func (t *Turn) do(ctx context.Context, w work) {
	if w.execute && t.e.stopping.Err() == nil {
		call, claimed, err := t.claim(w)
		if err != nil {
			t.e.Log.Error("recording a decision", "err", err)
			t.emit(Failure{"overloaded", "The decision could not be recorded. Nothing was executed."})
			return
		}
		if claimed {
			t.execute(ctx, call)
			return
		}
	}
	if c, ok := t.await(ctx, w.callID); ok {
		t.emit(ToolResult{CallID: c.ID, Name: c.Name, Output: c.Output, Decided: true})
	}
}

// claim records the approval and takes the call for this turn, in one
// transaction. Of all turns that try, in all processes, one succeeds; so the
// host is called at most once (fault S-1).
func (t *Turn) claim(w work) (call store.Call, claimed bool, err error) {
	err = t.update(func(tx store.Tx) error {
		chat, err := tx.Chat()
		if err != nil {
			return err
		}
		c := chat.Call(w.callID)
		if c == nil || c.State != store.StatePending {
			return nil
		}
		now := t.e.Now()
		c.State, c.Decision, c.DecidedAt = store.StateRunning, store.Approve, now
		if w.always {
			c.Decision = store.ApproveAlways
		}
		c.ClaimedBy, c.ClaimUntil = t.owner, now.Add(t.e.HostTimeout+claimGrace)
		call, claimed = *c, true
		return tx.PutCall(*c)
	})
	return call, claimed && err == nil, err
}

// execute runs a claimed call on the host, records its result and tells it.
func (t *Turn) execute(ctx context.Context, call store.Call) {
	out := t.callHost(ctx, call.Name, call.Input)
	if err := t.record(call.ID, out); err != nil {
		// The claim stands, so nobody runs it again; it will be ended as
		// unknown.
		t.e.Log.Error("recording a result", "err", err)
		t.emit(Failure{"overloaded", "The result of the action could not be recorded."})
		return
	}
	t.emit(ToolResult{CallID: call.ID, Name: call.Name, Output: out, Decided: true})
}

// recordTries is how often a result is offered to the store: by then the
// action has happened, so it is worth some patience.
const recordTries = 5

// record ends a call that this turn has claimed.
func (t *Turn) record(id string, out []byte) error {
	var err error
	for try := range recordTries {
		if try > 0 {
			time.Sleep(time.Duration(try) * 100 * time.Millisecond)
		}
		err = t.update(func(tx store.Tx) error {
			chat, err := tx.Chat()
			if err != nil {
				return err
			}
			c := chat.Call(id)
			if c == nil || c.State != store.StateRunning || c.ClaimedBy != t.owner {
				return errLostClaim
			}
			c.State, c.Output, c.FinishedAt = store.StateDone, out, t.e.Now()
			return tx.PutCall(*c)
		})
		if err == nil || errors.Is(err, errLostClaim) || errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	return err
}

var errLostClaim = errors.New("the claim of this call has ended")

// callHost runs a tool once and always gives an output. A client that goes
// away does not cut it.
func (t *Turn) callHost(ctx context.Context, name string, input []byte) []byte {
	if t.host == nil {
		return hostclient.Failure("The host cannot be reached. The action was not executed.")
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), t.e.HostTimeout)
	defer cancel()
	out, err := t.host.Call(ctx, name, input)
	switch {
	case err == nil:
		return out
	case errors.Is(err, hostclient.ErrUnknownOutcome):
		t.e.Log.Error("host call", "tool", name, "err", err)
		return outputUnknown
	}
	t.e.Log.Warn("host call", "tool", name, "err", err)
	return hostclient.Failure("The tool could not be run: " + err.Error())
}

// await waits until the call has ended, whoever runs it.
func (t *Turn) await(ctx context.Context, id string) (store.Call, bool) {
	for {
		chat, err := t.e.Store.Read(context.WithoutCancel(ctx), t.req.Key)
		if err != nil {
			t.e.Log.Error("waiting for a result", "err", err)
			return store.Call{}, false
		}
		c := chat.Call(id)
		switch {
		case c == nil:
			return store.Call{}, false
		case c.State == store.StateDone:
			return *c, true
		case c.State != store.StateRunning:
			return store.Call{}, false
		case t.e.Now().After(c.ClaimUntil):
			if _, err := t.e.Store.EndRunning(context.WithoutCancel(ctx), t.e.Now(), outputUnknown); err != nil {
				t.e.Log.Error("ending running calls", "err", err)
				return store.Call{}, false
			}
		default:
			if t.e.pause(ctx) != nil {
				return store.Call{}, false
			}
		}
	}
}
