package snapshot

import (
	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/event"
)

// What each kind of thing holds, for writing and for reading. A field is added at
// the end of its function, and nothing is moved or taken away: then older code
// keeps what it does not know, and newer code finds it missing. Texts, numbers and
// lists are counted apart, so only the order within each of them matters. A value
// of an enum is added at its end too.

func (a *archive) chat(s *session.Saved) {
	outer := a.begin()
	a.text(&s.ChatID)
	a.text(&s.LastSent)
	a.bool(&s.Failed)
	list(a, &s.Messages, (*archive).message)
	list(a, &s.Fixed, (*archive).part)
	list(a, &s.Local, (*archive).part)
	list(a, &s.Batches, (*archive).group)
	a.batches = len(s.Batches)
	list(a, &s.Confirmations, (*archive).confirmation)
	list(a, &s.Grants, (*archive).grant)
	list(a, &s.Runs, (*archive).run)
	list(a, &s.Outputs, (*archive).output)
	if a.option(s.Request != nil) {
		if a.reading {
			s.Request = new(session.SavedRequest)
		}
		a.request(s.Request)
	}
	if a.option(true) {
		a.turn(&s.Turn)
	}
	a.end(outer, &s.Rest)
}

func (a *archive) message(m *event.Message) {
	outer := a.begin()
	a.text(&m.ID)
	a.enum((*uint8)(&m.Role), uint8(event.Tool))
	list(a, &m.Parts, (*archive).part)
	a.bytes(&m.Extra)
	a.bytes(&m.CreatedAt)
	a.end(outer, &m.Rest)
}

func (a *archive) part(p *event.Part) {
	outer := a.begin()
	a.enum((*uint8)(&p.Kind), uint8(event.OtherPart))
	a.bytes(&p.Text)
	a.text(&p.ToolCallID)
	a.text(&p.ToolName)
	a.text(&p.Toolset)
	a.enum((*uint8)(&p.Target), uint8(event.Frontend))
	a.bool(&p.Required)
	a.bytes(&p.Input)
	a.bytes(&p.Output)
	a.bool(&p.Local)
	a.bytes(&p.Raw)
	a.bytes(&p.Extra)
	a.end(outer, &p.Rest)
}

func (a *archive) group(b *session.SavedBatch) {
	outer := a.begin()
	a.text(&b.ProcessID)
	a.int(&b.Total)
	a.int(&b.Count)
	a.end(outer, &b.Rest)
}

func (a *archive) confirmation(c *session.SavedConfirmation) {
	outer := a.begin()
	a.text(&c.ToolCallID)
	a.text(&c.ToolName)
	a.text(&c.Toolset)
	a.text(&c.Mode)
	a.text(&c.Reason)
	a.enum((*uint8)(&c.Target), uint8(event.Frontend))
	a.bytes(&c.Input)
	a.batch(&c.Batch)
	a.int(&c.Position)
	a.enum((*uint8)(&c.State), uint8(session.OutcomeUnknown))
	a.bool(&c.Decided)
	a.bool(&c.Decision.Approve)
	a.bool(&c.Decision.Always)
	a.text(&c.Decision.Reason)
	a.bool(&c.Automatic)
	a.bool(&c.Sent)
	a.bool(&c.Conflict)
	a.text(&c.ErrorCode)
	a.text(&c.ErrorText)
	a.int64(&c.ArrivedAt)
	a.int64(&c.DecidedAt)
	a.int(&c.Attempt)
	a.int(&c.Asked)
	a.bool(&c.Uncertain)
	a.end(outer, &c.Rest)
	switch {
	case !a.reading:
	case c.Decided:
		c.Decision.ToolCallID = c.ToolCallID
	default:
		c.Decision = event.Decision{}
	}
}

func (a *archive) grant(g *session.SavedGrant) {
	outer := a.begin()
	a.text(&g.Toolset)
	a.text(&g.ToolName)
	a.batch(&g.Batch)
	a.text(&g.Definition)
	a.end(outer, &g.Rest)
}

func (a *archive) run(r *session.SavedRun) {
	outer := a.begin()
	a.text(&r.ToolCallID)
	a.text(&r.ToolName)
	a.bool(&r.Automatic)
	a.end(outer, &r.Rest)
}

func (a *archive) output(o *session.SavedOutput) {
	outer := a.begin()
	if o.Automatic = a.option(o.Automatic); o.Automatic {
		a.part(&o.Part)
	}
	a.end(outer, &o.Rest)
}

func (a *archive) request(r *session.SavedRequest) {
	outer := a.begin()
	a.enum((*uint8)(&r.Kind), uint8(event.Probe))
	a.text(&r.MessageID)
	a.int(&r.UpTo)
	a.end(outer, &r.Rest)
}

func (a *archive) turn(t *session.SavedTurn) {
	outer := a.begin()
	a.bool(&t.Active)
	a.bytes(&t.Options.Context)
	a.bytes(&t.Options.Payload)
	a.bytes(&t.Options.Options)
	a.text(&t.Options.Model)
	a.text(&t.Options.Provider)
	a.int(&t.Rounds)
	a.end(outer, &t.Rest)
}
