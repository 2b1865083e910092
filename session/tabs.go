package session

import "github.com/svedawasm/svedawasm/session/event"

// Several pages may show one chat; one acts at a time, all show. The driver
// keeps the lock and the store. What the session must know is here.
//
// A decision about a call of the server needs no agreement between pages: the
// server counts the first one (S40). A frontend call has no such judge, so each
// decision about one is claimed in the shared store before it is acted on. A
// claim is never given back: at most one page, once, runs the handler, over tabs,
// reloads and crashes (I2). No fence is needed for it, because nobody takes a
// claim over; the fence of the lock guards the store against a page that slept.

// Verdict is the answer to a Claim effect.
type Verdict uint8

const (
	// Granted: this page made the claim, now or before.
	Granted Verdict = iota
	// Taken: another page has it, and it is alive as far as can be told.
	Taken
	// Dead: a page had it that is gone, and left no result.
	Dead
	// Unclaimable: the store does not work, and another page may be open.
	Unclaimable
)

const (
	claimTimeout     = 10_000 // ms that the store may take
	elsewhereTimeout = 15_000 // ms between two looks at what another page does
)

// claim asks the store for the right to act on a decision about a frontend call.
func (s *Session) askClaim(c *confirmation) {
	s.lastID++
	c.claim = s.lastID
	s.persistNow()
	s.effect(Effect{
		Kind: Claim, ID: c.claim, Call: c.id, Text: decisionWord(c.decision.Approve), Handler: c.attempt,
	})
	c.claimTimer = s.setTimer(claimTimer, c.claim, claimTimeout)
}

// claiming says that the store has not answered yet.
func (s *Session) claiming() bool {
	for _, c := range s.confirmations {
		if c.claim != 0 {
			return true
		}
	}
	return false
}

// Claimed takes the answer to a Claim effect. decision is the word that the
// holder of the claim recorded, "approve" or "deny"; it matters unless the
// verdict is Granted. Late answers change nothing; a page that claims again
// what it has already is granted it.
func (s *Session) Claimed(id int, verdict Verdict, decision string) {
	var c *confirmation
	for _, other := range s.confirmations {
		if other.claim == id && id != 0 {
			c = other
		}
	}
	if c == nil || s.closed {
		return
	}
	s.dropClaim(c)
	switch {
	case verdict == Granted, verdict == Dead && decision == "deny" && !c.decision.Approve:
		c.claimed = true
	case verdict == Taken:
		c.decision.Approve = decision == "approve"
		s.setElsewhere(c)
	case verdict == Dead && decision == "deny":
		// The person of the page that is gone denied it; that stands (I3, I4).
		c.claimed, c.decision = true, event.Decision{ToolCallID: c.id}
	case verdict == Dead:
		s.cutRun(c)
	default:
		s.move(c, Pending, newError(CodeNotDurable, "the decision could not be recorded; another page may decide too"))
	}
	s.advance()
}

func (s *Session) dropClaim(c *confirmation) {
	c.claim = 0
	s.clearTimer(c.claimTimer)
	c.claimTimer = 0
}

// claimOver gives up on a store that does not answer.
func (s *Session) claimOver(id int) {
	for _, c := range s.confirmations {
		if c.claim == id {
			c.claimTimer = 0
			s.Claimed(id, Unclaimable, "")
			return
		}
	}
}

// Acting says that a turn of this page is under way, by itself or held: the page
// keeps its lock.
func (s *Session) Acting() bool { return s.running() }

// setElsewhere says that another page acts on the call. It is looked at again
// until the server or the store tells how that ended (I9).
func (s *Session) setElsewhere(c *confirmation) {
	c.elsewhere = true
	c.elsewhereSince = s.stamp()
	s.clearTimer(c.elsewhereTimer)
	s.lastID++
	c.elsewhereID = s.lastID
	c.elsewhereTimer = s.setTimer(elsewhereTimer, c.elsewhereID, elsewhereTimeout)
	s.showConfirmation(c)
}

// elsewhereDue looks at what another page does.
func (s *Session) elsewhereDue(id int) {
	var c *confirmation
	for _, other := range s.confirmations {
		if other.elsewhere && other.elsewhereID == id {
			c = other
		}
	}
	if c == nil {
		return
	}
	c.elsewhereTimer = 0
	if s.since(c.elsewhereSince) > int64(max(s.cfg.ToolTimeout, elsewhereTimeout)) {
		s.takeOver(c)
		s.goOn()
		return
	}
	c.elsewhereTimer = s.setTimer(elsewhereTimer, id, elsewhereTimeout)
	s.look(false)
}

// TakeOver tells that the page which acted on this chat is gone and that this
// one acts now: it does what a page does that was loaded again.
func (s *Session) TakeOver() {
	if s.closed {
		return
	}
	for _, c := range s.confirmations {
		if c.elsewhere {
			s.takeOver(c)
		}
	}
	s.goOn()
}

// takeOver makes a decision of another page this page's matter. A handler that
// the other one may have started is not run again (design rule 10).
func (s *Session) takeOver(c *confirmation) {
	c.elsewhere = false
	s.clearTimer(c.elsewhereTimer)
	c.elsewhereTimer = 0
	switch {
	case c.target == event.Frontend && c.decision.Approve:
		s.cutRun(c)
	case c.state == Deciding:
		c.uncertain = c.target == event.Backend // the other page may have sent it
		s.hold(c)
		s.showConfirmation(c)
	}
}

// cutRun ends a frontend call whose handler may have acted. Nothing is told to
// the model yet: the person may let it be tried again (RetryUnknown).
func (s *Session) cutRun(c *confirmation) {
	s.move(c, OutcomeUnknown, newError(CodeOutcomeUnknown, "the page was closed while the tool ran; whether it acted is not known"))
}

// tellUnknown gives the calls whose outcome is unknown an honest result, as the
// chat goes on without them (R25).
func (s *Session) tellUnknown() {
	for _, c := range s.confirmations {
		if c.state != OutcomeUnknown || c.target != event.Frontend || s.over(c.id) {
			continue
		}
		result := event.Part{
			Kind: event.ResultPart, ToolCallID: c.id, ToolName: c.name, Local: true,
			Output: unknownOutput(),
		}
		s.local.put(result)
		s.addResult(result)
	}
}

// unknownOutput is what the model gets for a call that was cut.
func unknownOutput() []byte {
	return []byte(`{"success":false,"code":"outcome-unknown","error":"The page was closed while the tool ran; whether it acted is not known."}`)
}

// Unstarted takes back a run whose handler the driver has not started and never
// will, because another page has taken the right to act. Nothing is recorded of
// it: what becomes of the call is the other page's to say.
func (s *Session) Unstarted(run int) {
	r := s.runByID(run)
	if r == nil {
		return
	}
	s.endRun(r)
	if c := s.confirmationOf(r.call); c != nil && !r.automatic {
		c.decided, c.auto, c.claimed, c.decision = false, false, false, event.Decision{}
		s.move(c, Pending, newError(CodeInterrupted, "another page has the right to act; the tool did not run"))
	}
}

// RetryUnknown lets the handler of a call whose outcome is unknown be tried once
// more: the card is pending again and needs a new gesture. It works as long as
// the model has not been told that the outcome is unknown.
func (s *Session) RetryUnknown(t Ticket, call string) {
	c := s.confirmationOf(call)
	_, held := s.calls[call]
	switch {
	case s.closed:
		s.reject(t, newError(CodeClosed, "the session was closed"))
		return
	case c == nil || !held || c.state != OutcomeUnknown || c.target != event.Frontend || s.over(call):
		s.reject(t, newError(CodeNotRetryable, "the call cannot be tried again"))
		return
	}
	c.attempt++
	c.decided, c.auto, c.claimed, c.decision = false, false, false, event.Decision{}
	c.arrived = s.stamp()
	s.move(c, Pending, nil)
	s.resolve(t, nil)
}
