package session

import "github.com/svedawasm/svedawasm/session/event"

// Delivery of decisions (R14, R20). A decision whose fate is not known is sent
// again, byte for byte, until the server answers, the attempts are used up or
// its time is over; then its card is live again, with the error.
//
// Its idempotency key is the pair of chat id and tool call id, which are in the
// body already: the first decision about a call is the one that counts, and a
// repeated one changes nothing (rules 13 and 19 of contract sveda; asgard looks
// a decision up by call). A header would be refused: a server of the contract
// allows no other header, and the browser's preflight then fails (1.2).
const (
	defaultDecisionAttempts = 4
	defaultDecisionTimeout  = 15_000 // ms from the first attempt to an answer
	defaultLateApproval     = 120_000
	maxRetryAfter           = 300_000 // ms
)

// redeliver makes the request of a failed stream again when that can help and
// do no harm. It reports whether it did.
func (s *Session) redeliver(st *stream, err *Error) bool {
	if err == nil || st.accepted || s.closed || s.stopping.phase != notStopping {
		return false
	}
	delay := 0
	switch {
	case err.Status == 401 && s.cfg.RefreshAuth && !st.refreshed:
		st.refreshed = true
	case st.request.Kind == event.Decide && s.traits.RepeatsDecisions && passing(err):
		delay = s.backoff(st.attempt, err)
		if st.attempt++; st.attempt >= s.cfg.DecisionAttempts || !s.inTime(st, delay) {
			return false
		}
	default:
		return false
	}
	s.setStatus(Submitted)
	s.park(st, delay)
	return true
}

// inTime says that a next attempt after delay ms still has time to be answered.
func (s *Session) inTime(st *stream, delay int) bool {
	return s.cfg.DecisionTimeout <= 0 || s.since(st.sent)+int64(delay) < int64(s.cfg.DecisionTimeout)
}

// passing says that the server may answer when it is asked again (R11, R14): the
// network failed, or the server said that the trouble is of the moment. Everything
// else is final.
func passing(err *Error) bool {
	if err.inBand {
		return false
	}
	switch err.Status {
	case 408, 425, 429:
		return true
	}
	switch err.Code {
	case CodeNetwork, CodeStreamCut, CodeSilent, CodeEmptyStream, CodeGap:
		return true
	}
	return err.Status >= 500
}

// backoff is a full jitter delay in ms: uniform in [0, min(cap, base*2^n)] (R4).
// A server that names a time is given it, up to five minutes.
func (s *Session) backoff(n int, err *Error) int {
	if err.RetryAfter >= 0 {
		return min(err.RetryAfter, maxRetryAfter)
	}
	return s.random(min(resumeCap, resumeBase<<min(n, 6)) + 1)
}

// random gives a number in [0, n) from the seed.
func (s *Session) random(n int) int {
	high, _ := s.ids.next()
	return int(high % uint64(n))
}

// park lets a stream wait for its next attempt. Nothing is open meanwhile.
func (s *Session) park(st *stream, delay int) {
	st.parked = true
	st.watchdog = s.setTimer(resumeTimer, st.id, max(delay, 1))
	s.tellRun()
}

// rename gives a stream another id, for a new attempt: late answers to the old
// one mean nothing (R29), what hung on the old one hangs on the new one.
func (s *Session) rename(st *stream) {
	s.lastID++
	old := st.id
	st.id, s.lastMain = s.lastID, s.lastID
	for i := range s.tickets {
		if s.tickets[i].stream == old {
			s.tickets[i].stream = st.id
		}
	}
	for _, c := range s.confirmations {
		if c.stream == old {
			c.stream = st.id
		}
		if c.asker == old {
			c.asker = st.id
		}
	}
	for i := range s.timers {
		if s.timers[i].kind == deliveryTimer && s.timers[i].ref == old {
			s.timers[i].ref = st.id
		}
	}
	if s.batch != nil && s.batch.stream == old {
		s.batch.stream = st.id
	}
}

// deliveryOver ends the attempts to deliver: no answer came in time (R20).
func (s *Session) deliveryOver(id int) {
	st := s.streamOf(id)
	if st == nil {
		return
	}
	st.deadline = 0
	if !st.parked {
		s.effect(Effect{Kind: AbortStream, ID: id})
	}
	s.finish(st, newError(CodeDecisionTimeout, "the server did not answer the decision in time"))
}

// late says that an approval is too old to be sent without a new gesture (I13,
// S50). What a grant answers needs none.
func (s *Session) late(c *confirmation) bool {
	return c.decision.Approve && !c.auto && s.cfg.LateApproval > 0 && s.since(c.decidedAt) > int64(s.cfg.LateApproval)
}

// recallLate takes the decisions of a stream back whose next attempt is due,
// when one of them is an approval that has become too old. The others are then
// sent as another request.
func (s *Session) recallLate(st *stream) bool {
	late := false
	for _, c := range s.confirmations {
		late = late || c.stream == st.id && c.state == Deciding && s.late(c)
	}
	if !late {
		return false
	}
	for _, c := range s.confirmations {
		if c.stream == st.id && c.state == Deciding {
			c.stream = 0
		}
	}
	for i := range s.tickets {
		if s.tickets[i].stream == st.id {
			s.tickets[i].stream = 0
		}
	}
	s.outputs = append(st.outputs, s.outputs...)
	s.clearTimer(st.watchdog)
	s.clearTimer(st.deadline)
	s.main = nil
	s.tellRun()
	s.advance()
	return true
}

// dropLate makes the cards of late approvals live again.
func (s *Session) dropLate() {
	for _, c := range s.confirmations {
		if c.state == Deciding && c.stream == 0 && !c.elsewhere && c.claim == 0 && s.late(c) {
			s.move(c, Pending, newError(CodeLateApproval, "the approval is too old to be sent; approve again"))
		}
	}
}

// Online takes the hint of the browser that there is a network again. It is
// never believed to mean that there is none, and it shortens one wait only
// (R33): the flag lies, and toggles.
func (s *Session) Online(online bool) {
	st := s.main
	if !online || st == nil || !st.parked || st.hurried {
		return
	}
	st.hurried = true
	s.clearTimer(st.watchdog)
	s.park(st, s.random(resumeBase))
}
