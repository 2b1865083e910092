package runtime

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/svedawasm/svedawasm/playground/internal/hostclient"
	"github.com/svedawasm/svedawasm/playground/internal/model"
	"github.com/svedawasm/svedawasm/playground/internal/store"
)

// speak runs model steps until the model has said what it has to say, a call
// waits, or the step limit is reached.
func (t *Turn) speak(ctx context.Context) {
	var usage model.Usage
	for step := 1; ; step++ {
		last := step >= t.e.MaxSteps
		calls, res, err := t.step(ctx, last)
		usage.Prompt += res.Usage.Prompt
		usage.Completion += res.Usage.Completion
		if err != nil {
			t.fail(ctx, err, res, usage)
			return
		}
		for _, c := range calls {
			t.emit(ToolCall{c})
		}
		t.tellUsage(res.Usage)
		done := func(reason string) {
			t.end(ctx, MessageEnd{Reason: reason, Usage: &usage}, usage.Prompt+usage.Completion)
		}
		switch {
		case len(calls) == 0:
			done(or(res.FinishReason, FinishStop))
			return
		case last:
			t.emit(MaxSteps{t.e.MaxSteps})
			done(FinishStop)
			return
		}
		ran := t.runAutomatic(ctx, calls)
		switch {
		case pauses(calls):
			done(FinishToolCalls)
			return
		case !ran: // only unknown tools: asking again would give the same
			t.emit(MaxSteps{t.e.MaxSteps})
			done(FinishStop)
			return
		case ctx.Err() != nil:
			t.fail(ctx, ctx.Err(), model.Response{}, usage)
			return
		}
	}
}

// step makes one model step and stores it with its calls, before any of them
// is shown.
func (t *Turn) step(ctx context.Context, last bool) ([]store.Call, model.Response, error) {
	chat, err := t.e.Store.Read(ctx, t.req.Key)
	if err != nil {
		return nil, model.Response{}, err
	}
	for _, c := range chat.Calls {
		t.tools.found[c.Name] = true
	}
	res, err := t.entry.Model.Generate(ctx, model.Request{
		Model: t.entry.ID, Messages: conversation(chat, t.req.Context), Tools: t.tools.offered(), Thinking: t.req.Thinking,
	}, t.delta)
	if err != nil {
		res.Calls = nil
		return nil, res, errors.Join(err, t.store(res, nil))
	}
	calls := t.classify(chat, res.Calls, last)
	return calls, res, t.store(res, calls)
}

func (t *Turn) delta(d model.Delta) {
	if d.Reasoning != "" {
		t.emit(ReasoningDelta{d.Reasoning})
	}
	if d.Text != "" {
		t.emit(TextDelta{d.Text})
	}
}

// store appends a model step; nothing when the model has produced nothing.
func (t *Turn) store(res model.Response, calls []store.Call) error {
	if res.Text == "" && res.Reasoning == "" && len(calls) == 0 {
		return nil
	}
	return t.update(func(tx store.Tx) error {
		seq, err := tx.Append(store.Message{
			ID: t.messageID, Role: store.RoleAssistant, Text: res.Text, Reasoning: res.Reasoning, CreatedAt: t.e.Now(),
		})
		if err != nil {
			return err
		}
		for i := range calls {
			calls[i].MessageSeq = seq
			if err := tx.AddCall(calls[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// automaticClaim bounds how long a dead process's automatic calls look as if
// they ran. It is long: spawn_tasks asks the model too.
const automaticClaim = 10 * time.Minute

// classify makes the records of a step's calls: what waits, what the browser
// owes, what is run now, what is never run.
func (t *Turn) classify(chat *store.Chat, made []model.Call, last bool) []store.Call {
	taken := map[string]bool{}
	calls := make([]store.Call, len(made))
	for i, m := range made {
		input, fault := checkInput(m.Arguments)
		c := store.Call{
			ID: m.ID, Position: i, Name: m.Name, Input: input, Toolset: t.tools.host[m.Name].Domain,
			Identity: t.req.Identity, Target: t.tools.target(m.Name), Confirming: t.tools.confirming(m.Name),
		}
		c.Confirming = c.Confirming && !allowed(chat, &c)
		if c.ID == "" || len(c.ID) > 200 || taken[c.ID] || chat.Call(c.ID) != nil {
			c.ID = "call_" + uuid.NewString()
		}
		taken[c.ID] = true
		switch {
		case fault != "":
			// Nobody can confirm or run it. It is shown as a backend call, so
			// that no browser runs it either.
			c.Target, c.Confirming = store.Backend, false
			c.State, c.Output, c.FinishedAt = store.StateDone, hostclient.Failure(fault), t.e.Now()
		case c.Confirming:
			c.State = store.StatePending
		case c.Target == store.Frontend:
			c.State = store.StateOpen
		case last || !t.tools.known(c.Name):
			c.State = store.StateSkipped
		default:
			c.State, c.ClaimedBy, c.ClaimUntil = store.StateRunning, t.owner, t.e.Now().Add(automaticClaim)
		}
		calls[i] = c
	}
	return calls
}

// pauses reports whether the step waits for a person or for the browser.
func pauses(calls []store.Call) bool {
	for _, c := range calls {
		if c.Confirming || c.Target == store.Frontend {
			return true
		}
	}
	return false
}

// openCalls reports whether the browser owes results of the last step.
func openCalls(chat *store.Chat) bool {
	if len(chat.Messages) == 0 {
		return false
	}
	for _, c := range CallsOf(chat, chat.Messages[len(chat.Messages)-1].Seq) {
		if c.State == store.StateOpen {
			return true
		}
	}
	return false
}

// runAutomatic runs the step's backend calls that need nobody, one after the
// other, also beside calls that wait. It reports whether any call of the step
// has a result.
func (t *Turn) runAutomatic(ctx context.Context, calls []store.Call) (ran bool) {
	for _, c := range calls {
		switch {
		case c.State == store.StateDone:
			t.emit(ToolResult{CallID: c.ID, Name: c.Name, Output: c.Output})
			ran = true
		case c.State != store.StateRunning:
		case ctx.Err() != nil:
			t.skip(c) // stopped before it began
		default:
			out := t.runOne(ctx, c)
			if err := t.record(c.ID, out); err != nil {
				t.e.Log.Error("recording a result", "err", err)
			}
			t.emit(ToolResult{CallID: c.ID, Name: c.Name, Output: out})
			ran = true
		}
	}
	return ran
}

func (t *Turn) runOne(ctx context.Context, c store.Call) []byte {
	if _, host := t.tools.host[c.Name]; !host {
		switch c.Name {
		case spawnTasks:
			return t.spawn(ctx, c)
		case searchTools:
			return t.search(c)
		}
	}
	return t.callHost(ctx, c.Name, c.Input)
}

func (t *Turn) skip(c store.Call) {
	err := t.update(func(tx store.Tx) error {
		c.State = store.StateSkipped
		return tx.PutCall(c)
	})
	if err != nil {
		t.e.Log.Error("skipping a call", "err", err)
	}
}

func (t *Turn) tellUsage(u model.Usage) {
	t.emit(ContextUsage{Used: u.Prompt + u.Completion, Max: t.entry.Model.ContextWindow()})
}

// fail ends a turn whose model could not go on. What it had said is stored.
func (t *Turn) fail(ctx context.Context, err error, res model.Response, usage model.Usage) {
	tokens := usage.Prompt + usage.Completion
	switch {
	case t.e.stopping.Err() != nil:
		t.emit(Failure{model.CodeOverloaded, errStopping.Message})
	case ctx.Err() != nil: // stopped by the client
		t.end(ctx, MessageEnd{Reason: FinishStop, Usage: &usage}, tokens)
		return
	default:
		e := model.AsError(err)
		t.e.Log.Error("model", "code", e.Code, "err", err)
		t.emit(Failure{e.Code, e.Message})
	}
	t.tellUsage(res.Usage)
	if t.talking {
		t.end(ctx, MessageEnd{Reason: FinishError, Usage: &usage}, tokens)
		return
	}
	if err := t.touch(tokens); err != nil {
		t.e.Log.Error("recording the end of a turn", "err", err)
	}
	t.giveBack()
	t.tellTitle(ctx)
}
