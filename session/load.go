package session

import "github.com/svedawasm/svedawasm/session/event"

// Restore makes a session from what an earlier page saved. now is the time that
// At tells, wall the time of day in ms since 1970, 0 when not known; it decides
// what is too old.
//
// What a person had not decided waits again. A decision that was recorded and
// whose answer is lost is sent again, the same words in the same order, unless
// it is an approval older than Config.LateApproval; before an approval goes out
// the state is read again (S50). A frontend handler never runs by itself: one
// that had been approved and not started is asked again, one that had started
// is OutcomeUnknown (design rule 10). Other requests are not repeated; the
// session is Failed, with CodeInterrupted.
func Restore(cfg Config, saved *Saved, now, wall int64) *Session {
	s := New(cfg)
	s.now, s.wall = now, wall
	s.load(saved, false, nil, nil)
	if s.traits.RereadIsRun && s.Pending() {
		s.look(true)
	}
	return s
}

// Adopt takes what another page of the same chat saved. alive says that the
// other page goes on acting: then its decisions are shown and not acted on;
// otherwise this page takes over as Restore does. A page whose own turn is
// running refuses with CodeBusy.
func (s *Session) Adopt(saved *Saved, alive bool) *Error {
	switch {
	case s.closed:
		return newError(CodeClosed, "the session was closed")
	case s.running():
		return newError(CodeBusy, "a turn is running in this page")
	}
	for _, st := range s.sides {
		s.effect(Effect{Kind: AbortStream, ID: st.id})
		s.resolve(st.ticket, nil)
	}
	s.sides = nil
	for len(s.timers) > 0 {
		s.clearTimer(s.timers[0].id)
	}
	s.watching = watching{}
	if s.stopping.phase != notStopping {
		s.setStopping(notStopping)
	}
	for i := range s.changes {
		if c := &s.changes[i]; c.Kind == PartText && c.Data == nil {
			c.Data = s.keep(s.messages[c.Message].Parts[c.Part].Text[c.from:c.to])
		}
	}
	old, oldResults := s.messages, s.results
	s.messages, s.outputs, s.grants, s.batch = nil, nil, nil, nil
	s.calls, s.results, s.early = map[string]callRef{}, map[string]callRef{}, map[string]event.Part{}
	s.change(Change{Kind: MessagesReset})
	s.clearConfirmations()
	s.load(saved, alive, old, oldResults)
	s.keepEnds(old, oldResults)
	return nil
}

// load fills the session. The state of an earlier page is only ever weakened by
// it: nothing that is saved makes a handler run. What is known here of how calls
// ended, from old messages, stays known (R49).
func (s *Session) load(saved *Saved, alive bool, old []event.Message, oldResults map[string]callRef) {
	if saved.ChatID != s.chatID {
		s.chatID = saved.ChatID
		s.change(Change{Kind: ChatIDChange, Text: s.chatID})
	}
	s.rest, s.lastSent = saved.Rest, saved.LastSent
	for _, list := range [][]event.Part{saved.Fixed, saved.Local} {
		for _, p := range list {
			if p.Kind == event.ResultPart {
				s.local.put(p)
			} else if s.fixed.of(p.ToolCallID) == nil {
				s.fixed.put(p)
			}
		}
	}
	for _, m := range saved.Messages {
		m.Parts = append([]event.Part(nil), m.Parts...)
		for i := range m.Parts {
			p := &m.Parts[i]
			p.Text = append([]byte(nil), p.Text...) // what streams on is appended to it
			if was := s.fixed.of(p.ToolCallID); was != nil && p.Kind == event.CallPart {
				keepFixed(p, was)
			}
			if p.Kind == event.ResultPart && p.Local {
				s.local.put(*p)
			}
		}
		s.addMessage(m)
	}
	s.turn = turn{options: saved.Turn.Options, rounds: saved.Turn.Rounds, rest: saved.Turn.Rest, first: len(s.messages)}
	for i := range saved.Outputs {
		o := &saved.Outputs[i]
		s.local.put(o.Part)
		s.outputs = append(s.outputs, output{o.Automatic, o.Part})
	}
	batches := make([]*batch, len(saved.Batches)+1) // the first is none
	for i, b := range saved.Batches {
		batches[i+1] = &batch{processID: b.ProcessID, total: b.Total, count: b.Count, rest: b.Rest}
		s.batch = batches[i+1]
	}
	for _, g := range saved.Grants {
		s.grants = append(s.grants, grant{
			tool: toolKey{g.Toolset, g.ToolName}, batch: batches[g.Batch], definition: g.Definition, rest: g.Rest,
		})
	}
	if len(s.grants) > 0 {
		s.tellGrants()
	}
	s.tellOutputs()
	s.keepResults(old, oldResults, false)
	started := map[string]bool{}
	for _, r := range saved.Runs {
		started[r.ToolCallID] = true
		if r.Automatic && !alive && !s.over(r.ToolCallID) {
			s.takeOutput(r.ToolCallID, r.ToolName, unknownOutput(), true)
		}
	}
	for i := range saved.Confirmations {
		s.loadConfirmation(&saved.Confirmations[i], batches, started[saved.Confirmations[i].ToolCallID], alive)
	}
	s.matchConfirmations(false) // a call without a confirmation ended before the chat went on (R49)
	s.tellPending()
	s.lost = ""
	if saved.Request != nil && saved.Request.Kind == event.Turn {
		s.lost = saved.Request.MessageID
	}
	if saved.Failed || !alive && (saved.Request != nil || len(saved.Runs) > 0) {
		s.setStatus(Failed)
	}
	if !alive {
		if saved.Request != nil || len(saved.Runs) > 0 {
			s.tellFailure(newError(CodeInterrupted, "the page went away while a turn was running"))
		}
		s.goOn()
	}
}

// loadConfirmation restores one confirmation. started says that its handler was
// running.
func (s *Session) loadConfirmation(saved *SavedConfirmation, batches []*batch, started, alive bool) {
	c := &confirmation{
		id: saved.ToolCallID, name: saved.ToolName, toolset: saved.Toolset, mode: saved.Mode, reason: saved.Reason,
		target: saved.Target, input: saved.Input, batch: batches[saved.Batch], position: saved.Position,
		state: saved.State, decided: saved.Decided, decision: saved.Decision, auto: saved.Automatic,
		conflict: saved.Conflict, before: saved.Sent, attempt: saved.Attempt, asked: saved.Asked, at: s.now, rest: saved.Rest,
		message: len(s.messages), arrived: s.restored(saved.ArrivedAt), decidedAt: s.restored(saved.DecidedAt),
		proven: stamp{mono: s.now - longAgo},
	}
	if saved.Uncertain || c.state == Deciding && c.target == event.Backend {
		s.told[c.id] = true // it may have left after it was stored
	}
	c.uncertain = s.told[c.id] && c.state <= Deciding
	c.granting = c.decided && c.decision.Always && !c.auto
	if saved.ErrorCode != "" {
		c.err = newError(saved.ErrorCode, saved.ErrorText)
	}
	if was := s.fixed.of(c.id); was != nil {
		c.input, c.target, c.name = was.Input, was.Target, was.ToolName
	}
	if at, known := s.calls[c.id]; known {
		c.message = at.message
	}
	s.addConfirmation(c)
	if !c.decided && (c.state == Deciding || c.state == Approved || c.state == Denied) {
		c.state = Pending // nobody decided it
	}
	switch {
	case !c.open():
		s.showConfirmation(c)
	case s.over(c.id):
		c.state = Resolved
		c.decided, c.decision.Approve = true, !denied(s.resultOf(c.id))
		s.showConfirmation(c)
	case alive && c.decided && c.state != Pending:
		s.setElsewhere(c)
	case started || c.target == event.Frontend && c.state == Approved:
		s.cutRun(c)
	case c.target == event.Frontend && c.state != Pending && c.decision.Approve:
		s.move(c, Pending, newError(CodeInterrupted, "the page went away before the tool ran; approve it again"))
	case c.target == event.Frontend && c.state == Denied:
		s.move(c, Deciding, nil) // its answer was not recorded
	case c.state == Deciding:
		if c.auto && s.since(c.decidedAt) > int64(s.cfg.LateApproval) {
			c.auto = false // a grant of long ago does not answer for this page
		}
		c.held = c.decision.Approve && s.verifiable()
		s.showConfirmation(c)
	default:
		s.showConfirmation(c)
	}
}

// resultOf is the output of a call that is over.
func (s *Session) resultOf(call string) []byte {
	if at, ok := s.results[call]; ok {
		return s.messages[at.message].Parts[at.part].Output
	}
	if p := s.local.of(call); p != nil {
		return p.Output
	}
	return nil
}

// goOn does what is left to do after the state was taken from another page:
// deliver what was decided, and read what is true now. A reading that is a run is
// made by a page that was loaded only: it makes a new state, and pages that take
// each other's would read by turns for ever.
func (s *Session) goOn() {
	deliver := false
	for _, c := range s.confirmations {
		deliver = deliver || c.state == Deciding && !c.elsewhere
	}
	if deliver && s.main == nil {
		s.turn.active = true
		s.setStatus(Idle) // the turn goes on
		s.advance()
	}
	if s.Pending() && !s.traits.RereadIsRun {
		s.look(true)
	}
	s.watch()
}
