package session

import (
	"strconv"

	"github.com/svedawasm/svedawasm/session/event"
)

// SetMessages replaces the messages, with a page's own list or a stored
// history. What this client knows for certain is kept: the arguments and the
// flag of a call as they first arrived, decisions, and results that the list
// lacks. No handler ever runs from a list (S43).
func (s *Session) SetMessages(array []byte) *Error {
	if s.closed {
		return newError(CodeClosed, "the session was closed")
	}
	messages, skipped, err := event.ParseMessages(array)
	if err != nil {
		return newError(CodeInvalidMessages, "messages must be an array of messages: "+err.Error())
	}
	s.merge(messages, false)
	for range skipped {
		s.warn(CodeInvalidMessages, "")
	}
	return nil
}

// merge makes messages the chat. asked says that they are the server's, read
// because it holds a confirmation that this client does not show: then a
// confirming call of the server waits unless the server itself has its result.
func (s *Session) merge(messages []event.Message, asked bool) {
	for i := range s.changes {
		if c := &s.changes[i]; c.Kind == PartText && c.Data == nil {
			c.Data = s.keep(s.messages[c.Message].Parts[c.Part].Text[c.from:c.to])
		}
	}
	old, oldResults := s.messages, s.results
	s.messages, s.calls, s.results = nil, map[string]callRef{}, map[string]callRef{}
	s.change(Change{Kind: MessagesReset})
	answered := resultsIn(messages)
	last := lastAssistant(messages)
	ids := map[string]bool{}
	for n, m := range messages {
		m.ID = uniqueID(ids, m.ID, n)
		for i := range m.Parts {
			switch p := &m.Parts[i]; p.Kind {
			case event.CallPart:
				if was := s.fixed.of(p.ToolCallID); was != nil {
					keepFixed(p, was)
				} else if !answered[p.ToolCallID] && (p.Required || n == last) {
					s.claim(p)
				}
			case event.ResultPart:
				if at, ok := oldResults[p.ToolCallID]; ok {
					was := &old[at.message].Parts[at.part]
					p.Local = was.Local && string(p.Output) == string(was.Output)
				}
			}
		}
		s.addMessage(m)
	}
	s.keepResults(old, oldResults, asked)
	s.keepEnds(old, oldResults)
	s.follow(old)
	s.matchConfirmations(asked)
	s.askUnanswered()
	s.tellPending()
	if s.turn.active {
		s.advance()
	}
}

// uniqueID keeps the ids of a list apart: a known server gives each of its
// messages the same one (W25). The same list gets the same ids again.
func uniqueID(taken map[string]bool, id string, n int) string {
	if id == "" {
		id = "message_" + strconv.Itoa(n+1)
	}
	unique := id
	for i := 2; taken[unique]; i++ {
		unique = id + "_" + strconv.Itoa(i)
	}
	taken[unique] = true
	return unique
}

// keepFixed gives a listed call what was fixed when it arrived (S1, S37).
func keepFixed(p, was *event.Part) {
	p.Input, p.Target, p.ToolName, p.Toolset = was.Input, was.Target, was.ToolName, was.Toolset
	p.Required = p.Required || was.Required
}

// claim makes an unanswered call this client's own when its registry knows the
// tool: a stored frontend call says "backend" (W7).
func (s *Session) claim(p *event.Part) {
	if tool, ok := s.tools.Get(p.ToolName); ok && s.cfg.Dialect.Supports(event.Outputs) {
		p.Target = event.Frontend
		p.Required = p.Required || tool.RequiresConfirmation()
	}
}

// claimLate is claim for a page that registers its tools after it has restored
// the chat.
func (s *Session) claimLate(c *confirmation) {
	at, held := s.calls[c.id]
	if c.asker != 0 || c.target == event.Frontend || !held || s.told[c.id] {
		return // a call that the server was told a decision of stays the server's
	}
	if p := &s.messages[at.message].Parts[at.part]; s.tools.Has(p.ToolName) {
		s.claim(p)
		s.fixed.put(*p)
		c.target = p.Target
		s.partChanged(at.message, at.part)
	}
}

func lastAssistant(messages []event.Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == event.Assistant {
			return i
		}
	}
	return -1
}

// callsIn gives the calls of which messages hold anything.
func callsIn(messages []event.Message) map[string]bool {
	ids := map[string]bool{}
	for m := range messages {
		for i := range messages[m].Parts {
			ids[messages[m].Parts[i].ToolCallID] = true
		}
	}
	return ids
}

func resultsIn(messages []event.Message) map[string]bool {
	ids := map[string]bool{}
	for m := range messages {
		for i := range messages[m].Parts {
			if p := &messages[m].Parts[i]; p.Kind == event.ResultPart {
				ids[p.ToolCallID] = true
			}
		}
	}
	return ids
}

// keepResults gives the calls of a new list the results that it lacks and that
// are known here.
func (s *Session) keepResults(old []event.Message, oldResults map[string]callRef, asked bool) {
	for m := range s.messages {
		for i := range len(s.messages[m].Parts) {
			p := &s.messages[m].Parts[i]
			if p.Kind != event.CallPart || s.answered(p.ToolCallID) {
				continue
			}
			at, ok := oldResults[p.ToolCallID]
			if asked && p.Required && p.Target == event.Backend && (!ok || old[at.message].Parts[at.part].Local) {
				continue // what the server itself has said stays, whatever an old copy lacks (R49)
			}
			if ok {
				s.addResult(old[at.message].Parts[at.part])
			} else if result := s.local.of(p.ToolCallID); result != nil && !s.queued(p.ToolCallID) {
				s.addResult(*result)
			}
		}
	}
}

// keepEnds remembers how the calls ended that messages do not hold any more:
// one that comes back has ended all the same (design rule 1). Results that this
// client only filled in count for nothing.
func (s *Session) keepEnds(old []event.Message, oldResults map[string]callRef) {
	for m := range old {
		for i := range old[m].Parts {
			p := &old[m].Parts[i]
			if at, ok := oldResults[p.ToolCallID]; !ok || at != (callRef{m, i}) || p.Local || s.answered(p.ToolCallID) {
				continue
			}
			if _, held := s.calls[p.ToolCallID]; !held {
				s.local.put(*p)
			}
		}
	}
}

// follow lets the running stream go on in the message that it was writing, if
// the new list has it, and in a new one otherwise.
func (s *Session) follow(old []event.Message) {
	st := s.main
	if st == nil {
		return
	}
	at := -1
	if st.message >= 0 {
		at = s.find(old[st.message].ID)
	}
	st.message, st.first = at, len(s.messages)
	if at >= 0 {
		st.first = at
	} else {
		st.adopted = false
	}
	if st.phase == waiting {
		st.upTo = st.first
	}
	s.turn.first = min(s.turn.first, st.first)
}

// find gives the newest assistant message with this id, -1 for none.
func (s *Session) find(id string) int {
	for i := len(s.messages) - 1; i >= 0; i-- {
		if s.messages[i].ID == id && s.messages[i].Role == event.Assistant {
			return i
		}
	}
	return -1
}

// matchConfirmations brings the confirmations in line with the messages: each
// confirming call without a result waits, whatever the list claims about its
// state (B033, B035, S43).
func (s *Session) matchConfirmations(asked bool) {
	kept := s.confirmations[:0]
	for _, c := range s.confirmations {
		at, known := s.calls[c.id]
		if known {
			if c.absent && c.state == Expired && !s.answered(c.id) {
				delete(s.byCall, c.id)
				continue // the call is back: it is asked anew below
			}
			c.message = at.message
			if r, ok := s.results[c.id]; ok {
				s.endByList(c, &s.messages[r.message].Parts[r.part])
			}
		} else if c.state == Pending || c.state == Deciding && c.stream == 0 {
			c.absent = true
			s.move(c, Expired, newError(CodeSuperseded, "the chat does not hold this call any more"))
		}
		if asked && !c.open() && c.target == event.Backend {
			delete(s.byCall, c.id)
			continue // it is asked anew below, unless the server has its result
		}
		kept = append(kept, c)
	}
	s.confirmations = kept
}

// askUnanswered asks about each confirming call of the messages without a result.
func (s *Session) askUnanswered() {
	for m := range s.messages {
		for i := range s.messages[m].Parts {
			p := &s.messages[m].Parts[i]
			if p.Kind != event.CallPart {
				continue
			}
			at := callRef{m, i}
			if s.calls[p.ToolCallID] != at {
				s.twice(s.calls[p.ToolCallID], p)
				continue
			}
			if p.Required && !s.answered(p.ToolCallID) && s.confirmationOf(p.ToolCallID) == nil {
				s.ask(at, nil, nil)
			}
		}
	}
}

// endByList ends a confirmation whose call has a result in the list: the server's,
// or one that a page of this chat made (R49).
func (s *Session) endByList(c *confirmation, result *event.Part) {
	switch {
	case !result.Local:
		s.serverResult(c.id, result.Output)
	case (c.state == Pending || c.state == Deciding) && c.target == event.Frontend:
		c.decided, c.decision.Approve = true, !denied(result.Output)
		s.move(c, Resolved, nil)
	}
}

// twice takes a second call under one id within a list: it is told, and another
// call than the first blocks approval (B008, B124).
func (s *Session) twice(first callRef, p *event.Part) {
	if same := &s.messages[first.message].Parts[first.part]; !sameCall(same, p.ToolName, p.Input) {
		s.contradict(p.ToolCallID)
	}
}

// Reread asks the server for the state of the chat (R10, R16). It settles when
// the answer has been taken; a protocol without such a request, or a stream
// that tells the state itself, settles it at once.
func (s *Session) Reread(t Ticket) {
	if s.closed {
		s.reject(t, newError(CodeClosed, "the session was closed"))
		return
	}
	s.reread(t, false)
}

// reread reads the state of the chat. asked: the server holds a confirmation
// that is not shown here.
func (s *Session) reread(t Ticket, asked bool) {
	switch {
	case !s.cfg.Dialect.Supports(event.Reread) || s.chatID == "":
		if asked {
			s.merge(s.withoutFillers(), true)
		}
		s.resolve(t, nil)
	case s.main != nil:
		s.resolve(t, nil)
	case s.traits.RereadIsRun && t == 0:
		s.doubt = true // the turn goes on with it
	case s.traits.RereadIsRun:
		s.begin(s.turn.options)
		s.open(&event.Request{Kind: event.Reread}, t)
	case s.sideOf(event.Reread) != nil:
		side := s.sideOf(event.Reread)
		side.asked = side.asked || asked
		if side.ticket != 0 {
			s.resolve(t, nil)
		} else {
			side.ticket = t
		}
	default:
		s.openSide(&event.Request{Kind: event.Reread}, t).asked = asked
	}
}

// takeHistory takes a stored chat. It becomes the chat when the page has asked
// for it, or the server holds a call that is not here. Otherwise only the results
// that were missed are taken, and what is shown stays; so it is with a chat that
// was asked for before the newest turn began, which is older than what is shown
// (R29).
func (s *Session) takeHistory(st *stream, messages []event.Message) {
	st.told, st.ended = true, true
	old := st != s.main && (s.main != nil || s.lastMain > st.id)
	if !old && (st.asked || st.ticket != 0 || st.whole || st == s.main) {
		s.merge(s.withLost(messages), st.asked || s.stillAsked(messages))
		s.revive(messages)
	} else {
		s.readEnds(messages, st.checks && !old)
	}
	for _, c := range s.confirmations {
		if c.state == Pending || c.state == Deciding {
			c.proven = s.stamp()
		}
	}
}

// stillAsked says that the server waits for a call that a stop has ended here: it
// had stored the question all the same.
func (s *Session) stillAsked(messages []event.Message) bool {
	held, answered := callsIn(messages), resultsIn(messages)
	for _, c := range s.confirmations {
		if c.state == Expired && c.target == event.Backend && s.answered(c.id) && held[c.id] && !answered[c.id] {
			return true
		}
	}
	return false
}

// withoutFillers is the chat without the results that this client wrote for
// confirming calls of the server.
func (s *Session) withoutFillers() []event.Message {
	messages := make([]event.Message, len(s.messages))
	for m := range s.messages {
		messages[m] = s.messages[m]
		messages[m].Parts = nil
		for i := range s.messages[m].Parts {
			p := &s.messages[m].Parts[i]
			fixed := s.fixed.of(p.ToolCallID)
			if p.Kind == event.ResultPart && p.Local && fixed != nil && fixed.Required && fixed.Target == event.Backend {
				continue
			}
			messages[m].Parts = append(messages[m].Parts, *p)
		}
	}
	return messages
}

// finishSide ends a request beside the turn. Its failure changes nothing in the
// chat; who asked for it is told.
func (s *Session) finishSide(st *stream, err *Error) {
	switch st.request.Kind {
	case event.Stop:
		s.stopAnswered(st, err)
		return
	case event.Delete:
		s.deleted(st, err)
		return
	case event.Probe:
		s.probed(st, err)
		return
	}
	if err == nil && !st.told {
		err = s.textError(st, CodeNotAStream, "the response is not a stored chat")
	}
	if err != nil {
		s.warn(err.Code, "")
		s.reject(st.ticket, err)
	} else {
		s.resolve(st.ticket, nil)
	}
	s.checked(err)
	if s.turn.active {
		s.advance()
	}
}
