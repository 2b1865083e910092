package session

// timer is a deadline that the driver keeps.
type timer struct {
	id   int
	kind timerKind
	ref  int // the stream or run that it belongs to
}

type timerKind uint8

const (
	silenceTimer timerKind = iota
	tailTimer
	toolTimer
	resumeTimer
	stopTimer
	deliveryTimer
	claimTimer
	elsewhereTimer
	watchTimer
)

// setTimer asks for Fire after delay ms; a delay that is not positive sets
// none and gives 0.
func (s *Session) setTimer(kind timerKind, ref, delay int) int {
	if delay <= 0 {
		return 0
	}
	s.lastID++
	s.timers = append(s.timers, timer{s.lastID, kind, ref})
	s.effect(Effect{Kind: SetTimer, ID: s.lastID, Delay: delay})
	return s.lastID
}

func (s *Session) clearTimer(id int) {
	for i := range s.timers {
		if s.timers[i].id == id {
			s.timers = append(s.timers[:i], s.timers[i+1:]...)
			s.effect(Effect{Kind: ClearTimer, ID: id})
			return
		}
	}
}

// Fire takes a timer that has run out. One that was cleared meanwhile changes
// nothing.
func (s *Session) Fire(id int) {
	for i, t := range s.timers {
		if t.id != id {
			continue
		}
		s.timers = append(s.timers[:i], s.timers[i+1:]...)
		switch t.kind {
		case silenceTimer:
			s.silence(t.ref)
		case tailTimer:
			s.tailOver(t.ref)
		case toolTimer:
			s.toolTimedOut(t.ref)
		case resumeTimer:
			s.resumeNow(t.ref)
		case stopTimer:
			s.stopLate()
		case deliveryTimer:
			s.deliveryOver(t.ref)
		case claimTimer:
			s.claimOver(t.ref)
		case elsewhereTimer:
			s.elsewhereDue(t.ref)
		case watchTimer:
			s.watchDue()
		}
		return
	}
}

// silence ends a response that has been without a byte, comments included, for
// the whole time (R6). Looking only when the timer fires keeps the data path
// free of timers.
func (s *Session) silence(id int) {
	st := s.streamOf(id)
	if st == nil {
		return
	}
	st.watchdog = 0
	silent := int(s.now - st.heard)
	if rest := s.cfg.SilenceTimeout - silent; rest > 0 {
		st.grace = false
		st.watchdog = s.setTimer(silenceTimer, id, rest)
		return
	}
	if silent >= 2*s.cfg.SilenceTimeout && !st.grace {
		// The timer is this late when the page was frozen or throttled. Bytes that
		// came meanwhile may not have been handed over yet (F25, F26).
		st.grace = true
		st.watchdog = s.setTimer(silenceTimer, id, min(graceTime, s.cfg.SilenceTimeout))
		return
	}
	s.effect(Effect{Kind: AbortStream, ID: id})
	s.finish(st, s.textError(st, CodeSilent, "the server was silent for too long"))
}

// graceTime is how long a page that did not run waits for what came meanwhile, ms.
const graceTime = 5_000

func (s *Session) tailOver(id int) {
	st := s.streamOf(id)
	if st == nil {
		return
	}
	st.tail = 0
	s.effect(Effect{Kind: AbortStream, ID: id})
	s.finish(st, nil)
}

func (s *Session) toolTimedOut(id int) {
	r := s.runByID(id)
	if r == nil {
		return
	}
	r.timer = 0
	s.effect(Effect{Kind: AbortTool, ID: r.id, Call: r.call})
	s.unknownOutcome(r, "the tool did not finish in time")
	s.OutputFailed(id, "The tool did not finish in time; whether it acted is not known.")
}
