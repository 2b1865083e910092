package session

// A decision whose answer never came may have been taken all the same, and the
// call may run at this moment. Its card is live again and says so; the state is
// read until it tells, for about a quarter of an hour.
const (
	watchBase  = 2_000  // ms to the first reading after the one at once; doubles with each
	watchCap   = 60_000 // ms
	watchReads = 20
)

type watching struct {
	timer int // 0 when none runs
	reads int
}

// doubtDecisions notes which decisions the server may have taken though their
// request failed. A later refusal takes nothing of it back.
func (s *Session) doubtDecisions(st *stream, err *Error) {
	if err == nil {
		return
	}
	for _, c := range s.confirmations {
		if c.stream != st.id || c.state != Deciding {
			continue
		}
		if c.uncertain = c.uncertain || err.ambiguous(); !c.uncertain {
			delete(s.told, c.id)
		}
	}
}

// watch plans the next reading while a card is live that is uncertain, and
// gives it up when none is.
func (s *Session) watch() {
	if !s.uncertain() {
		s.clearTimer(s.watching.timer)
		s.watching = watching{}
		return
	}
	if s.watching.timer != 0 || s.watching.reads >= watchReads || s.traits.RereadIsRun || !s.verifiable() {
		return
	}
	half := min(watchCap, watchBase<<min(s.watching.reads, 6)) / 2
	s.watching.reads++
	s.watching.timer = s.setTimer(watchTimer, 0, half+s.random(half+1))
}

func (s *Session) watchDue() {
	s.watching.timer = 0
	if s.uncertain() {
		s.reread(0, false)
	}
	s.watch()
}

// uncertain says that a live card has a decision that may have been taken.
func (s *Session) uncertain() bool {
	for _, c := range s.confirmations {
		if c.uncertain && c.state == Pending {
			return true
		}
	}
	return false
}
