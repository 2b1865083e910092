package snapshot

import (
	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/event"
)

func toWire(s *session.Saved) *chat {
	c := &chat{rest: s.Rest}
	c.f = chatFields{
		ChatID:   s.ChatID,
		Messages: convert(s.Messages, wireMessage),
		Fixed:    convert(s.Fixed, wirePart),
		Local:    convert(s.Local, wirePart),
		Batches: convert(s.Batches, func(b *session.SavedBatch) batch {
			return batch{f: batchFields{ProcessID: b.ProcessID, Total: b.Total, Count: b.Count}, rest: b.Rest}
		}),
		Confirmations: convert(s.Confirmations, wireConfirmation),
		Grants: convert(s.Grants, func(g *session.SavedGrant) grant {
			return grant{f: grantFields{g.Toolset, g.ToolName, g.Batch, g.Definition}, rest: g.Rest}
		}),
		Runs: convert(s.Runs, func(r *session.SavedRun) run {
			return run{f: runFields{r.ToolCallID, r.ToolName, r.Automatic}, rest: r.Rest}
		}),
		Outputs:  convert(s.Outputs, wireOutput),
		LastSent: s.LastSent,
		Failed:   s.Failed,
	}
	if r := s.Request; r != nil {
		c.f.Request = []request{{f: requestFields{requestWords[r.Kind], r.MessageID, r.UpTo}, rest: r.Rest}}
	}
	t := &s.Turn
	c.f.Turn = turn{rest: t.Rest, f: turnFields{
		Active: t.Active, Context: t.Options.Context, Payload: t.Options.Payload, Options: t.Options.Options,
		Model: t.Options.Model, Provider: t.Options.Provider, Rounds: t.Rounds,
	}}
	return c
}

func fromWire(c *chat) (*session.Saved, *Error) {
	f := &c.f
	s := &session.Saved{ChatID: f.ChatID, LastSent: f.LastSent, Failed: f.Failed, Rest: c.rest}
	var r reader
	s.Messages = convert(f.Messages, r.message)
	s.Fixed = convert(f.Fixed, r.part)
	s.Local = convert(f.Local, r.part)
	s.Batches = convert(f.Batches, func(b *batch) session.SavedBatch {
		return session.SavedBatch{ProcessID: b.f.ProcessID, Total: b.f.Total, Count: b.f.Count, Rest: b.rest}
	})
	r.batches = len(s.Batches)
	s.Confirmations = convert(f.Confirmations, r.confirmation)
	s.Grants = convert(f.Grants, func(g *grant) session.SavedGrant {
		return session.SavedGrant{
			Toolset: g.f.Toolset, ToolName: g.f.ToolName, Batch: r.batch(g.f.Batch), Definition: g.f.Definition, Rest: g.rest,
		}
	})
	s.Runs = convert(f.Runs, func(w *run) session.SavedRun {
		return session.SavedRun{ToolCallID: w.f.ToolCallID, ToolName: w.f.ToolName, Automatic: w.f.Automatic, Rest: w.rest}
	})
	s.Outputs = convert(f.Outputs, r.output)
	if len(f.Request) > 0 {
		w := &f.Request[0]
		s.Request = &session.SavedRequest{
			Kind: event.RequestKind(r.word(requestWords[:], w.f.Kind)), MessageID: w.f.MessageID, UpTo: w.f.UpTo,
			Rest: w.rest,
		}
	}
	t := &f.Turn.f
	s.Turn = session.SavedTurn{Active: t.Active, Rounds: t.Rounds, Rest: f.Turn.rest, Options: session.TurnOptions{
		Context: some(t.Context), Payload: some(t.Payload), Options: some(t.Options), Model: t.Model, Provider: t.Provider,
	}}
	return s, r.err
}

func convert[A, B any](list []A, one func(*A) B) []B {
	if len(list) == 0 {
		return nil
	}
	out := make([]B, len(list))
	for i := range list {
		out[i] = one(&list[i])
	}
	return out
}

func wireMessage(m *event.Message) message {
	return message{rest: m.Rest, f: messageFields{
		ID: m.ID, Role: m.Role.String(), Parts: convert(m.Parts, wirePart), Extra: m.Extra, CreatedAt: m.CreatedAt,
	}}
}

func wirePart(p *event.Part) part {
	return part{rest: p.Rest, f: partFields{
		Kind: partWords[p.Kind], Text: p.Text, ToolCallID: p.ToolCallID, ToolName: p.ToolName, Toolset: p.Toolset,
		Frontend: p.Target == event.Frontend, Required: p.Required, Input: p.Input, Output: p.Output,
		Local: p.Local, Raw: p.Raw, Extra: p.Extra,
	}}
}

func wireOutput(o *session.SavedOutput) output {
	w := output{f: outputFields{Automatic: o.Automatic}, rest: o.Rest}
	if o.Automatic {
		w.f.Part = []part{wirePart(&o.Part)}
	}
	return w
}

func wireConfirmation(c *session.SavedConfirmation) confirmation {
	w := confirmation{rest: c.Rest, f: confirmationFields{
		ToolCallID: c.ToolCallID, ToolName: c.ToolName, Toolset: c.Toolset, Mode: c.Mode, Reason: c.Reason,
		Frontend: c.Target == event.Frontend, Input: c.Input, Batch: c.Batch, Position: c.Position,
		State: c.State.String(), Automatic: c.Automatic, Sent: c.Sent, Conflict: c.Conflict,
		ErrorCode: c.ErrorCode, ErrorText: c.ErrorText, ArrivedAt: c.ArrivedAt, DecidedAt: c.DecidedAt,
		Attempt: c.Attempt, Asked: c.Asked,
	}}
	if c.Decided {
		w.f.Decision, w.f.Always, w.f.DenyReason = "deny", c.Decision.Always, c.Decision.Reason
		if c.Decision.Approve {
			w.f.Decision = "approve"
		}
	}
	return w
}

// reader turns records back, and keeps the first error.
type reader struct {
	batches int
	err     *Error
}

func (r *reader) fail(err *Error) {
	if r.err == nil {
		r.err = err
	}
}

// word finds a word of the snapshot; one that is not known is a newer one.
func (r *reader) word(words []string, word string) int {
	for i, w := range words {
		if w == word {
			return i
		}
	}
	r.fail(&Error{CodeNewer, "it holds a word that only a newer version knows"})
	return 0
}

func (r *reader) batch(n int) int {
	if n < 0 || n > r.batches {
		r.fail(corrupt("it names a batch that it does not hold"))
	}
	return n
}

func (r *reader) message(m *message) event.Message {
	role, ok := event.RoleOf(m.f.Role)
	if !ok {
		r.fail(&Error{CodeNewer, "it holds a role that only a newer version knows"})
	}
	return event.Message{
		ID: m.f.ID, Role: role, Parts: convert(m.f.Parts, r.part), Extra: some(m.f.Extra), CreatedAt: some(m.f.CreatedAt), Rest: m.rest,
	}
}

func (r *reader) part(p *part) event.Part {
	f := &p.f
	return event.Part{
		Kind: event.PartKind(r.word(partWords[:], f.Kind)), Text: some(f.Text), ToolCallID: f.ToolCallID, ToolName: f.ToolName,
		Toolset: f.Toolset, Target: target(f.Frontend), Required: f.Required, Input: some(f.Input), Output: some(f.Output),
		Local: f.Local, Raw: some(f.Raw), Extra: some(f.Extra), Rest: p.rest,
	}
}

func (r *reader) output(o *output) session.SavedOutput {
	s := session.SavedOutput{Automatic: o.f.Automatic, Rest: o.rest}
	if o.f.Automatic {
		if len(o.f.Part) == 0 {
			r.fail(corrupt("an output has no part"))
			return s
		}
		s.Part = r.part(&o.f.Part[0])
	}
	return s
}

func (r *reader) confirmation(c *confirmation) session.SavedConfirmation {
	f := &c.f
	s := session.SavedConfirmation{
		ToolCallID: f.ToolCallID, ToolName: f.ToolName, Toolset: f.Toolset, Mode: f.Mode, Reason: f.Reason,
		Target: target(f.Frontend), Input: some(f.Input), Batch: r.batch(f.Batch), Position: f.Position,
		State: session.State(r.word(stateWords, f.State)), Automatic: f.Automatic, Sent: f.Sent, Conflict: f.Conflict,
		ErrorCode: f.ErrorCode, ErrorText: f.ErrorText, ArrivedAt: f.ArrivedAt, DecidedAt: f.DecidedAt,
		Attempt: f.Attempt, Asked: f.Asked, Rest: c.rest,
	}
	if f.Decision != "" {
		s.Decided = true
		s.Decision = event.Decision{
			ToolCallID: f.ToolCallID, Approve: r.word(decisionWords, f.Decision) == 1, Always: f.Always, Reason: f.DenyReason,
		}
	}
	return s
}

// some gives nil for no bytes: absent and empty are one in a snapshot.
func some(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return b
}

func target(frontend bool) event.Target {
	if frontend {
		return event.Frontend
	}
	return event.Backend
}

var (
	partWords     = [...]string{"text", "reasoning", "call", "result", "other"}
	requestWords  = [...]string{"turn", "decide", "outputs", "continue", "nudge", "open", "reread", "stop", "delete"}
	decisionWords = []string{"deny", "approve"}
	stateWords    = func() (words []string) {
		for s := session.Pending; s <= session.OutcomeUnknown; s++ {
			words = append(words, s.String())
		}
		return words
	}()
)
