package session

import (
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// Choice is a person's decision about one call. Digest, when given, is that of
// the arguments that were on the screen: a decision about others is refused
// (S34).
type Choice struct {
	event.Decision
	Digest string
}

// Decide takes decisions. Each is recorded in the same step, so that a second
// tap finds it (B001); what is decided goes out when no stream is open, all
// together (design rule 5). The promise settles with a JSON array of
// {toolCallId, outcome, decision}, when the turn that the decisions belong to
// has settled:
//
//	sent             the decision was taken by the server, or the handler ran
//	staged           it waits for the other decisions of its batch
//	already-decided  decision is the earlier one
//	not-pending      there is nothing to decide
func (s *Session) Decide(t Ticket, choices []Choice, o TurnOptions) {
	if s.closed {
		s.reject(t, newError(CodeClosed, "the session was closed"))
		return
	}
	for i := range choices {
		if err := s.checkChoice(&choices[i]); err != nil {
			s.reject(t, err)
			return
		}
	}
	running := s.running()
	result := []byte{'['}
	var taken []*confirmation
	for i := range choices {
		d := choices[i].Decision
		outcome, word := "not-pending", ""
		if c := s.confirmationOf(d.ToolCallID); c != nil {
			switch {
			case c.state == Pending:
				s.claimLate(c)
				s.record(c, d)
				taken = append(taken, c)
				outcome, word = s.outcomeOf(c), decisionWord(d.Approve)
			case c.decided && c.state != Expired:
				outcome, word = "already-decided", decisionWord(c.decision.Approve)
			}
		}
		result = appendOutcome(result, i, d.ToolCallID, outcome, word)
	}
	result = append(result, ']')
	if taken == nil {
		s.resolve(t, result)
		return
	}
	if !running {
		s.begin(o)
		if s.status == Failed {
			s.setStatus(Idle)
		}
	} else if o.given() {
		s.turn.options = o
	}
	if t != 0 {
		s.tickets = append(s.tickets, ticket{id: t, data: result, decided: taken})
	}
	s.advance()
}

// checkChoice refuses a decision that must not be taken, before any is.
func (s *Session) checkChoice(choice *Choice) *Error {
	c := s.confirmationOf(choice.ToolCallID)
	if c == nil || c.state != Pending {
		return nil
	}
	if choice.Digest != "" && choice.Digest != s.digestOf(c) {
		return newError(CodeStaleConfirmation, "the arguments are not those that were decided on")
	}
	if !choice.Approve {
		return nil // deny always works (U53)
	}
	if !s.approvable(c) {
		return newError(CodeUnverified, "whether the call still waits cannot be read; it can only be denied")
	}
	if c.conflict {
		return newError(CodeConflict, "the server announced another call under this id; it can only be denied")
	}
	if blocked := rawjson.Describe(c.input, true).Blocked; blocked != "" {
		return newError(CodeArgumentsBlocked, "the arguments cannot be shown truly ("+blocked+"); the call can only be denied")
	}
	return nil
}

// record takes the decision of a person, and lets it speak for waiting calls of
// the same tool when it is for the whole chat (B133).
func (s *Session) record(c *confirmation, d event.Decision) {
	if !d.Approve || !s.mayGrant() {
		d.Always = false
	}
	c.decision, c.decided, c.stream, c.decidedAt = d, true, 0, s.stamp()
	c.elsewhere, c.claimed, c.before = false, false, false
	s.hold(c)
	s.move(c, Deciding, nil)
	s.persistNow()
	s.ungrant(c)
	if !d.Always {
		return
	}
	s.grant(c)
	for _, other := range s.confirmations {
		if other.state == Pending && other.key() == c.key() && other.batch == c.batch &&
			!other.conflict && !s.blocked(other) {
			other.auto, other.decided = true, true
			other.decision = event.Decision{ToolCallID: other.id, Approve: true, Always: s.traits.GrantsAtServer}
			other.decidedAt = s.stamp()
			s.move(other, Deciding, nil)
			s.showConfirmation(other)
		}
	}
}

// outcomeOf tells a decision that can go out from one that waits for its batch.
func (s *Session) outcomeOf(c *confirmation) string {
	if !s.batchDecided(c.batch) {
		return "staged"
	}
	return "sent"
}

// batchDecided says that no call of the batch still waits for a person. Calls
// without a batch wait for nobody.
func (s *Session) batchDecided(b *batch) bool {
	if b == nil {
		return true
	}
	if b.count < b.total {
		return false
	}
	for _, c := range s.confirmations {
		if c.batch == b && c.state == Pending {
			return false
		}
	}
	return true
}

func appendOutcome(dst []byte, i int, id, outcome, decision string) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	dst = append(dst, `{"toolCallId":`...)
	dst = rawjson.AppendQuoted(dst, id)
	dst = append(dst, `,"outcome":"`...)
	dst = append(dst, outcome...)
	dst = append(dst, '"')
	if decision != "" {
		dst = append(dst, `,"decision":"`...)
		dst = append(dst, decision...)
		dst = append(dst, '"')
	}
	return append(dst, '}')
}

// sendDecisions sends what is decided and not yet on its way, in one request.
func (s *Session) sendDecisions() bool {
	var decisions []event.Decision
	for _, c := range s.confirmations {
		if c.ready(s) {
			decisions = append(decisions, c.decision)
		}
	}
	if len(decisions) == 0 {
		return false // also for an empty batch (asgard W13)
	}
	id := s.lastID + 1 // of the stream that open makes
	for _, c := range s.confirmations {
		if c.ready(s) {
			s.told[c.id] = true
			c.stream = id
		}
	}
	s.attachOutputs()
	s.open(&event.Request{Kind: event.Decide, Decisions: decisions, MessageID: s.lastSent}, 0)
	return true
}

// yieldReread gives up a reading of the state that nobody asked for and that has
// brought nothing yet, when a person's decision waits behind it: a server that
// does not answer must not hold it up (R20).
func (s *Session) yieldReread() {
	st := s.main
	if st == nil || st.request.Kind != event.Reread || st.phase != waiting {
		return
	}
	for i := range s.tickets {
		if s.tickets[i].stream == st.id {
			return
		}
	}
	for _, c := range s.confirmations {
		if c.ready(s) && !c.auto {
			s.effect(Effect{Kind: AbortStream, ID: st.id})
			s.clearTimer(st.watchdog)
			s.main = nil
			return
		}
	}
}

// ready says that the decision can be sent now.
func (c *confirmation) ready(s *Session) bool {
	return c.state == Deciding && c.stream == 0 && c.target == event.Backend &&
		!c.held && !c.elsewhere && s.batchDecided(c.batch)
}

// closeDecisions settles what the request of decisions led to (design rule 6).
func (s *Session) closeDecisions(st *stream, err *Error) {
	var open []*confirmation
	for _, c := range s.confirmations {
		if c.stream == st.id && c.state == Deciding {
			open = append(open, c)
		}
	}
	switch {
	case len(open) == 0:
	case err != nil && err.gone:
		for _, c := range open {
			s.move(c, Expired, err)
		}
	case err != nil && (!st.accepted || s.traits.ResultsByID):
		s.undo(open, err)
		if s.traits.ResultsByID && err.ambiguous() {
			s.reread(0, false) // the result may be there, and the card need not be answered again
		}
	case s.traits.ResultsByID:
		for _, c := range open {
			c.auto = false
			s.move(c, OutcomeUnknown, newError(CodeNoResult, "the server gave no result for this decision"))
			s.warn(CodeNoResult, c.id)
		}
		s.reread(0, false)
	}
}

// decisionsTaken notes that the server has taken the decisions of a request.
// Where results do not come by id, that is the last that is heard of them.
func (s *Session) decisionsTaken(st *stream) {
	if st.request.Kind != event.Decide || s.traits.ResultsByID {
		return
	}
	for _, c := range s.confirmations {
		if c.stream == st.id && c.state == Deciding {
			s.move(c, decidedState(c), nil)
			s.move(c, Resolved, nil)
		}
	}
}

// undo makes decisions live again that were not taken. In a batch only the last
// one that a person made is asked again; the other answers stay (asgard Q6,
// W14).
func (s *Session) undo(open []*confirmation, err *Error) {
	last := len(open) - 1
	for i, c := range open {
		if !c.auto {
			last = i
		}
	}
	for i, c := range open {
		if c.batch != nil && i != last {
			c.stream = 0
			continue
		}
		c.auto = false
		s.move(c, Pending, err)
	}
}

func decidedState(c *confirmation) State {
	if c.decision.Approve {
		return Approved
	}
	return Denied
}

func (s *Session) digestOf(c *confirmation) string {
	if c.digest == "" {
		c.digest = rawjson.Digest(c.input)
	}
	return c.digest
}
