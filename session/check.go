package session

import "github.com/svedawasm/svedawasm/session/event"

// Before an approval is acted on, the server must have said within the last ten
// minutes, and to this page, that the call still waits (S50). Where that is not
// so, the decision is recorded and held, the state is read again, and only a
// call that still waits goes on. A denial needs no such proof: it is always
// delivered.

const proofAge = 600_000 // ms

// stale says that an approval of c must be checked first.
func (s *Session) stale(c *confirmation) bool { return s.since(c.proven) > proofAge }

// verifiable says that this client can ask whether c still waits.
func (s *Session) verifiable() bool {
	return s.chatID != "" && s.cfg.Dialect.Supports(event.Reread)
}

// approvable says whether an approval may be taken at all. A call of the server
// always may: the server is asked by the decision itself. A frontend handler has
// no other judge than the chat's state, so one that cannot be checked and is
// not fresh can only be denied.
func (s *Session) approvable(c *confirmation) bool {
	return c.target == event.Backend || s.verifiable() || s.since(c.arrived) <= proofAge
}

// hold keeps an approval back until the state has been read again.
func (s *Session) hold(c *confirmation) {
	c.held = c.decision.Approve && !c.auto && s.verifiable() && s.stale(c)
}

// holding says that an approval waits for the state.
func (s *Session) holding() bool {
	for _, c := range s.confirmations {
		if c.held {
			return true
		}
	}
	return false
}

// check reads the state that held approvals wait for. It reports whether the
// turn has to wait for it.
func (s *Session) check() bool {
	if !s.holding() {
		return false
	}
	s.look(false)
	return true
}

// checked takes the end of a re-reading for the approvals that wait for it.
func (s *Session) checked(err *Error) {
	for _, c := range s.confirmations {
		if !c.held {
			continue
		}
		c.held = false
		switch {
		case c.state != Deciding: // the state has ended it
		case err == nil:
			c.proven = s.stamp()
		case err.Status == 404 || err.Status == 410:
			s.move(c, Expired, newError(CodeSuperseded, "the server does not hold this chat any more"))
		default:
			unknown := newError(CodeUnverified, "whether the call still waits could not be read: "+err.Message)
			unknown.RetryAfter = err.RetryAfter
			c.auto = false
			s.move(c, Pending, unknown)
		}
	}
}

// Wake tells that the page is in front of a person again, after it was hidden,
// frozen or kept in the back/forward cache: what waits and was not heard of for
// long is read again (R35).
func (s *Session) Wake() {
	if s.closed {
		return
	}
	for _, c := range s.confirmations {
		if c.state == Pending && s.stale(c) || c.elsewhere {
			s.look(false)
			return
		}
	}
}

// look reads the state to learn which calls still wait; whole makes the answer
// the chat.
func (s *Session) look(whole bool) {
	if s.main != nil || !s.verifiable() {
		return
	}
	if s.traits.RereadIsRun {
		if !s.turn.active {
			s.begin(s.turn.options)
		}
		s.doubt = false
		s.open(&event.Request{Kind: event.Reread}, 0)
		return
	}
	s.reread(0, false)
	if st := s.sideOf(event.Reread); st != nil {
		st.checks, st.whole = true, st.whole || whole
	}
}

// withLost adds to a stored chat the words whose answer was lost with an earlier
// page, and what follows them here, when the server has not stored that turn:
// nothing that a person wrote is lost by reading.
func (s *Session) withLost(messages []event.Message) []event.Message {
	at := len(s.messages) - 1
	for at >= 0 && s.messages[at].ID != s.lost {
		at--
	}
	if s.lost == "" || at < 0 {
		return messages
	}
	words := string(s.messages[at].Body())
	for i := range messages {
		m := &messages[i]
		newest := i == len(messages)-1 || i == len(messages)-2
		if m.ID == s.lost || newest && m.Role == event.User && string(m.Body()) == words {
			return messages
		}
	}
	return append(messages[:len(messages):len(messages)], s.messages[at:]...)
}

// revive asks again about calls that had been given up because an earlier copy of
// the chat did not hold them, when the server's chat holds them without a result.
func (s *Session) revive(messages []event.Message) {
	held := callsIn(messages)
	for _, c := range s.confirmations {
		if c.state == Expired && c.target == event.Backend && held[c.id] && !s.answered(c.id) {
			c.decided, c.auto, c.decision, c.stream = false, false, event.Decision{}, 0
			s.move(c, Pending, nil)
		}
	}
}

// readEnds takes from a stored chat only how the calls ended that are shown
// here. missing says that a call which it does not hold does not wait any more.
func (s *Session) readEnds(messages []event.Message, missing bool) {
	held := callsIn(messages)
	for m := range messages {
		for i := range messages[m].Parts {
			p := &messages[m].Parts[i]
			if _, known := s.calls[p.ToolCallID]; known && p.Kind == event.ResultPart {
				s.addResult(*p)
				s.serverResult(p.ToolCallID, p.Output)
			}
		}
	}
	for _, c := range s.confirmations {
		if missing && !held[c.id] && (c.state == Pending || c.state == Deciding && c.stream == 0) {
			s.move(c, Expired, newError(CodeSuperseded, "the server does not hold this call"))
		}
	}
	s.tellPending()
	if s.turn.active {
		s.advance()
	}
}

// letGo ends what hangs on a decision that is not open any more, or that is
// asked again.
func (s *Session) letGo(c *confirmation) {
	if c.state == Deciding {
		return
	}
	c.held = false
	if c.claim != 0 {
		s.dropClaim(c)
	}
	if c.elsewhere && c.state != Approved && c.state != Denied {
		c.elsewhere = false
		s.clearTimer(c.elsewhereTimer)
		c.elsewhereTimer = 0
	}
}
