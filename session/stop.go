package session

import "github.com/svedawasm/svedawasm/session/event"

// Stop ends the running turn: the stream is aborted, handlers are signalled,
// what arrived is kept. Confirmations that wait go on waiting: silence is never
// a decision. It settles at once (contract sveda 3.20).
//
// A decision that was on its way may or may not have been taken: its card is
// live again and says so, the state is read until it tells, and the server
// answers a second decision with the first one.
//
// Where the server can be asked to stop a run, it is: see askStop.
func (s *Session) Stop(t Ticket, force bool) {
	if s.askStop(t, force) {
		return
	}
	if s.running() || s.turn.active {
		s.halt(newError(CodeAborted, "the turn was stopped"))
	}
	s.resolve(t, nil)
}

func (s *Session) halt(why *Error) {
	for len(s.runs) > 0 {
		r := s.runs[0]
		s.abandonRun(r)
		s.unknownOutcome(r, "the tool was stopped")
		s.takeOutput(r.call, r.name, failedOutput("The tool was stopped before it reported; whether it acted is not known."), r.automatic)
	}
	if st := s.main; st != nil {
		s.main = nil
		if !st.ended {
			s.expireAsked(st, why)
		}
		s.clearTimer(st.watchdog)
		s.clearTimer(st.tail)
		s.clearTimer(st.deadline)
		s.effect(Effect{Kind: AbortStream, ID: st.id})
		s.dropPlaceholder(st)
		s.doubtDecisions(st, why)
		s.closeDecisions(st, why)
	}
	s.recall(why)
	s.closeOpenCalls("The turn was stopped before the result arrived; whether the tool acted is not known.")
	s.attachOutputs()
	if len(s.outputs) > 0 {
		s.outputs = nil // they go with the next turn, not by themselves
		s.tellOutputs()
	}
	s.settleTurn()
}

// expireAsked ends what a stream asked that was stopped before it paused: the
// server has not stored such a question, and an answer would be lost (W23).
func (s *Session) expireAsked(st *stream, why *Error) {
	for _, c := range s.confirmations {
		if c.asker != st.id || c.state != Pending && !(c.state == Deciding && c.stream == 0) {
			continue
		}
		result := event.Part{
			Kind: event.ResultPart, ToolCallID: c.id, ToolName: c.name, Local: true,
			Output: failedOutput("The turn was stopped before this action was confirmed; it was not executed."),
		}
		if c.target == event.Frontend {
			s.local.put(result)
		}
		s.move(c, Expired, why)
		s.addResult(result)
	}
}

// recall makes decisions live again that were staged and not sent.
func (s *Session) recall(why *Error) {
	for _, c := range s.confirmations {
		if c.state == Deciding && c.stream == 0 && c.batch == nil && !c.elsewhere {
			c.decided, c.auto, c.decision = false, false, event.Decision{}
			s.move(c, Pending, why)
		}
	}
}

// closeOpenCalls gives the automatic calls of the turn that have no result an
// honest one, so that the history that is sent later is complete (B056, B118).
func (s *Session) closeOpenCalls(text string) {
	for m := s.turn.first; m < len(s.messages); m++ {
		for i := range len(s.messages[m].Parts) {
			p := &s.messages[m].Parts[i]
			if p.Kind != event.CallPart || p.Required || s.over(p.ToolCallID) || s.runOf(p.ToolCallID) != nil {
				continue
			}
			s.addResult(event.Part{
				Kind: event.ResultPart, ToolCallID: p.ToolCallID, ToolName: p.ToolName, Local: true,
				Output: failedOutput(text),
			})
		}
	}
}

// unknownOutcome says of a confirmed call that its handler was cut.
func (s *Session) unknownOutcome(r *run, why string) {
	if c := s.confirmationOf(r.call); c != nil && !r.automatic {
		s.move(c, OutcomeUnknown, newError(CodeOutcomeUnknown, why+"; whether it acted is not known"))
	}
}

// Close ends the session for good: nothing is left running, every promise is
// settled, later inputs are refused (R36).
func (s *Session) Close() {
	if s.closed {
		return
	}
	if s.running() || s.turn.active {
		s.halt(newError(CodeClosed, "the session was closed"))
	}
	for _, st := range s.sides {
		s.effect(Effect{Kind: AbortStream, ID: st.id})
		s.reject(st.ticket, newError(CodeClosed, "the session was closed"))
	}
	s.sides = nil
	s.closed = true
	for len(s.timers) > 0 {
		s.clearTimer(s.timers[0].id)
	}
}
