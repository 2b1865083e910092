package session

import "github.com/svedawasm/svedawasm/session/event"

// stopping is how far the stopping of the run at the server is (contract asgard
// L9).
type stopping struct {
	phase stopPhase
	timer int
}

type stopPhase uint8

const (
	notStopping stopPhase = iota
	stopAsked             // the server was asked, its terminal event is awaited
	stopOverdue           // it did not come in time: stopping by force is offered
)

var stopWords = [...]string{"idle", "stopping", "force-stoppable"}

// stopPatience is how long the terminal event may take, ms.
const stopPatience = 10_000

// askStop asks the server to stop the run, or to give up what it asks. It
// reports whether the protocol has such a request and there is anything to stop.
// The promise settles when the server has answered; the run ends with its
// terminal event. A second press without force changes nothing. By force,
// nothing is waited for but the answer.
func (s *Session) askStop(t Ticket, force bool) bool {
	if s.closed || !s.cfg.Dialect.Supports(event.Stop) || s.main == nil && !s.Pending() {
		return false
	}
	asked := s.sideOf(event.Stop)
	if asked != nil && (!force || asked.request.Force) || s.stopping.phase != notStopping && !force {
		s.resolve(t, nil)
		return true
	}
	if asked != nil { // it hangs
		s.effect(Effect{Kind: AbortStream, ID: asked.id})
		s.clearTimer(asked.watchdog)
		s.dropSide(asked)
		s.resolve(asked.ticket, nil)
	}
	r := event.Request{Kind: event.Stop, Force: force}
	if s.main != nil && s.main.request.Kind != event.Reread {
		r.RunID = s.main.run // of a replay the first name is that of an old run
	}
	s.setStopping(stopAsked)
	s.openSide(&r, t)
	return true
}

func (s *Session) setStopping(to stopPhase) {
	s.clearTimer(s.stopping.timer)
	s.stopping = stopping{phase: to}
	if to == stopAsked {
		s.stopping.timer = s.setTimer(stopTimer, 0, stopPatience)
	}
	s.tellRun()
}

// stopLate offers to stop by force.
func (s *Session) stopLate() {
	s.stopping.timer = 0
	if s.stopping.phase == stopAsked {
		s.setStopping(stopOverdue)
	}
}

// stopAnswered takes the server's answer. That it has nothing to stop is no
// failure. A failure leaves everything as it was.
func (s *Session) stopAnswered(st *stream, err *Error) {
	nothing := err != nil && err.Status == 404
	if err != nil && !nothing {
		if s.stopping.phase != notStopping {
			s.setStopping(notStopping)
		}
		s.reject(st.ticket, err)
		return
	}
	s.resolve(st.ticket, nil)
	switch {
	case s.stopping.phase == notStopping: // the run has ended meanwhile
	case s.main != nil && (st.request.Force || nothing && s.main.request.Kind == event.Reread):
		s.setStopping(notStopping)
		s.halt(newError(CodeAborted, "the turn was stopped"))
		s.expireOpen(newError(CodeAborted, "the turn was stopped"))
		s.tellRun()
	case s.main != nil:
	default:
		s.setStopping(notStopping)
		if nothing {
			s.reread(0, false)
		} else {
			s.expireOpen(newError(CodeAborted, "the turn was stopped"))
		}
		s.advance()
	}
}

// stopped ends a run whose stop was asked for: however it ended, it is no
// failure, and what it asked is not open any more (asgard W15). It reports
// whether that was the case.
func (s *Session) stopped() bool {
	if s.stopping.phase == notStopping {
		return false
	}
	s.setStopping(notStopping)
	s.doubt = false
	s.expireOpen(newError(CodeAborted, "the turn was stopped"))
	s.closeOpenCalls("The turn was stopped before the result arrived; whether the tool acted is not known.")
	return true
}

// expireOpen ends every open question: the server has given up the turn that
// asked.
func (s *Session) expireOpen(why *Error) {
	for _, c := range s.confirmations {
		if !c.open() {
			continue
		}
		if c.uncertain || c.state == Deciding && c.stream != 0 {
			s.move(c, OutcomeUnknown, newError(CodeOutcomeUnknown, "stopped before the server had taken the decision; whether it acted is not known"))
			continue
		}
		s.move(c, Expired, why)
		s.addResult(event.Part{
			Kind: event.ResultPart, ToolCallID: c.id, ToolName: c.name, Local: true,
			Output: failedOutput("The turn was stopped before this action was confirmed; it was not executed."),
		})
	}
	s.tellPending()
}
