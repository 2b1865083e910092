package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/svedawasm/svedawasm/playground/internal/store"
)

// Begin admits a turn or refuses it. The error is a *[Refusal] when the client
// did something that it may not do now; then nothing was changed and nothing
// was run. After nil the caller must call [Turn.Run] once.
func (e *Engine) Begin(ctx context.Context, req Request) (*Turn, error) {
	if !e.enter() {
		return nil, errStopping
	}
	t := &Turn{e: e, req: req, owner: e.instance + "/" + uuid.NewString(), messageID: "msg_" + uuid.NewString(), started: e.Now()}
	// Looked up before anything is done, told in the contract's place: an
	// unknown model must never be noticed after a tool has run (fault S-2).
	entry, modelErr := e.Models.Find(req.Model, req.Provider)
	if modelErr != nil {
		modelErr = &Refusal{CodeUnknownModel, modelErr.Error()}
	}
	t.entry = entry
	t.host, t.tools = e.listHost(ctx, &req)
	var err error
	if len(req.Decisions) > 0 {
		err = t.admitDecisions(ctx, modelErr)
	} else {
		err = t.admitWords(ctx, modelErr)
	}
	if err != nil {
		t.close()
		e.turns.Done()
		if _, ok := asRefusal(err); ok || ctx.Err() != nil {
			return nil, err
		}
		return nil, fmt.Errorf("beginning a turn: %w", err)
	}
	return t, nil
}

// admitWords admits a turn without decisions: new words, results of frontend
// calls, or neither.
func (t *Turn) admitWords(ctx context.Context, modelErr error) error {
	// A chat that waits refuses at once, also while a turn is still speaking.
	chat, err := t.e.Store.Read(ctx, t.req.Key)
	if err == nil {
		if _, refusal := t.settle(chat); refusal != nil {
			return refusal
		}
	} else if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err := t.e.acquire(ctx, t.req.Key, t.owner); err != nil {
		return err
	}
	t.release = t.e.hold(t.req.Key, t.owner)
	return t.e.Store.Update(ctx, t.req.Key, func(tx store.Tx) error {
		chat, err := tx.Chat()
		if errors.Is(err, store.ErrNotFound) {
			if modelErr != nil {
				return modelErr
			}
			return t.create(tx)
		}
		if err != nil {
			return err
		}
		changed, refusal := t.settle(chat)
		if refusal != nil {
			return refusal
		}
		if modelErr != nil {
			return modelErr
		}
		if err := putAll(tx, changed); err != nil {
			return err
		}
		t.untitled = wantsTitle(chat.Title)
		t.next = speak
		if waiting(chat) {
			t.next = stayBlocked
			return nil
		}
		return t.appendWords(tx, chat)
	})
}

// settle brings a loaded chat up to date with the request, in memory: results
// from the browser, and calls whose tool has gone. It gives what changed, and
// the refusal when the chat waits for a person and this request does not help.
func (t *Turn) settle(chat *store.Chat) (changed []store.Call, refusal error) {
	changed = t.withdraw(chat)
	results := t.takeResults(chat)
	if waiting(chat) && (len(results) == 0 || t.req.speaks()) {
		return nil, errPending
	}
	return append(changed, results...), nil
}

// create stores a chat that is new to the store, so that it is there before
// the client sees the first byte of its answer (fault S-6).
func (t *Turn) create(tx store.Tx) error {
	t.untitled, t.next = true, speak
	if err := tx.Create(provisionalTitle(t.req.Text), t.e.Now()); err != nil {
		return err
	}
	var chat store.Chat // what it holds so far; not the stored one
	for _, s := range t.req.Seed {
		m := store.Message{ID: freeID(&chat, s.ID, "seed_"), Role: s.Role, Text: s.Text, CreatedAt: t.e.Now()}
		if _, err := tx.Append(m); err != nil {
			return err
		}
		chat.Messages = append(chat.Messages, m)
	}
	return t.appendWords(tx, &chat)
}

// freeID gives the id that a client wishes, or one of our own when it wishes
// none or the chat has it already.
func freeID(chat *store.Chat, id, prefix string) string {
	taken := slices.ContainsFunc(chat.Messages, func(m store.Message) bool { return m.ID == id })
	if id == "" || taken {
		return prefix + uuid.NewString()
	}
	return id
}

// appendWords adds what the person wrote. A message that stands last already
// and has no answer yet is the same request sent again, not a second one.
func (t *Turn) appendWords(tx store.Tx, chat *store.Chat) error {
	if !t.req.speaks() {
		return nil
	}
	id := t.req.MessageID
	if n := len(chat.Messages); n > 0 && id != "" {
		last := chat.Messages[n-1]
		if last.Role == store.RoleUser && last.ID == id && last.Text == t.req.Text {
			return nil
		}
	}
	_, err := tx.Append(store.Message{
		ID: freeID(chat, id, "user_"), Role: store.RoleUser, Text: t.req.Text, Files: t.req.Files, Hidden: t.req.Hidden, CreatedAt: t.e.Now(),
	})
	if err != nil {
		return err
	}
	if t.untitled {
		if title := provisionalTitle(t.req.Text); title != "" && chat.Chat != "" {
			return tx.Touch(title, 0, t.e.Now())
		}
	}
	return nil
}

// withdraw ends the waiting backend calls whose tool the model may no longer
// see: the policy or the host has changed since (rule 27). Without a list from
// the host nothing is known to have gone, and the calls go on waiting.
func (t *Turn) withdraw(chat *store.Chat) (changed []store.Call) {
	if !t.tools.listed {
		return nil
	}
	for i := range chat.Calls {
		c := &chat.Calls[i]
		if c.State != store.StatePending || c.Target != store.Backend {
			continue
		}
		if _, ok := t.tools.host[c.Name]; !ok {
			c.State, c.Output, c.FinishedAt = store.StateDone, outputGone, t.e.Now()
			changed = append(changed, *c)
		}
	}
	return changed
}

// takeResults ends the frontend calls for which the browser has brought an
// output. Only a call that the store knows to be open takes one; what the
// client says of any other call is not looked at (fault S-3).
func (t *Turn) takeResults(chat *store.Chat) (changed []store.Call) {
	for _, r := range t.req.Results {
		c := chat.Call(r.CallID)
		if c == nil || c.Target != store.Frontend {
			continue
		}
		switch c.State {
		case store.StateOpen, store.StateApproved:
		case store.StatePending:
			// The known client decides by itself and brings only the result.
			c.Decision, c.DecidedAt = store.Approve, t.e.Now()
			if saysDenied(r.Output) {
				c.Decision = store.Deny
			}
		default:
			continue
		}
		c.State, c.Output, c.FinishedAt = store.StateDone, r.Output, t.e.Now()
		changed = append(changed, *c)
	}
	return changed
}

func putAll(tx store.Tx, calls []store.Call) error {
	for _, c := range calls {
		if err := tx.PutCall(c); err != nil {
			return err
		}
	}
	return nil
}
