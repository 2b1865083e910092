package session

import "github.com/svedawasm/svedawasm/session/event"

const (
	maxResumptions = 8      // in a row that brought nothing (asgard W22)
	resumeBase     = 500    // ms; the ceiling doubles with each try (R4)
	resumeCap      = 30_000 // ms
)

// resume goes on with a stream that was cut after the server had given a
// position in it: the same request with that position, which the server does
// not take for a new one. Without a position nothing is repeated (asgard W23).
// It reports whether the stream lives on.
func (s *Session) resume(st *stream, err *Error) bool {
	if err == nil || st.ended || st.failed != nil || s.closed {
		return false
	}
	switch err.Code {
	case CodeStreamCut, CodeSilent, CodeNetwork:
	default:
		return false
	}
	retry := -1
	if r, ok := st.reader.(event.Resumer); ok && st.phase == reading {
		position, known, delay := r.Cursor()
		if known && position != st.request.Cursor {
			st.request.Cursor, st.tries = position, 0
		}
		retry = delay
	}
	if st.request.Cursor == "" || st.tries >= maxResumptions {
		return false
	}
	ceiling := min(resumeCap, resumeBase<<st.tries)
	st.tries++
	s.park(st, min(max(retry, 0), maxRetryAfter)+1+s.random(ceiling))
	return true
}

// resumeNow sends the request again, as a new stream: what the old one may
// still bring is of no interest (R29).
func (s *Session) resumeNow(id int) {
	st := s.streamOf(id)
	if st == nil || st.request.Cursor == "" && s.recallLate(st) {
		return
	}
	s.rename(st)
	st.reader = s.cfg.Dialect.Reader(st.request.Kind)
	st.phase, st.status, st.body, st.parked = waiting, 0, nil, false
	st.head, st.events, st.grace = HeadInfo{RetryAfter: -1}, 0, false
	s.tellRun()
	s.send(st)
}

// doubtful has the state of the chat read again where a stream has left it
// unknown, and that is the only way to know it: what was taken and then cut
// (asgard W3, W24), a decision that the server refused or whose answer was lost
// (W1, W2, W4, W23), a question in a run that failed (W16).
func (s *Session) doubtful(st *stream, err *Error) {
	if err == nil || !s.traits.RereadIsRun || st.request.Kind == event.Reread || err.Code == CodeAborted {
		return
	}
	decided := st.request.Kind == event.Decide && err.Code != CodeRequestFailed
	asked := s.batch != nil && s.batch.stream == st.id && s.Pending()
	began := st.accepted || st.phase == reading
	if began && !err.inBand || asked || decided {
		s.reread(0, false)
	}
}

// closeReread draws the conclusion from a chat that was told again as a run: a
// question that it does not ask is not open any more (asgard W4).
func (s *Session) closeReread(st *stream, err *Error) {
	if st.request.Kind != event.Reread || err != nil && !err.gone {
		return
	}
	kept := s.tickets[:0]
	for _, t := range s.tickets { // who asked has the answer, whatever the turn does now
		if t.stream == st.id && err == nil {
			s.resolve(t.id, t.data)
		} else {
			kept = append(kept, t)
		}
	}
	s.tickets = kept
	for _, c := range s.confirmations {
		switch {
		case !c.open() || c.batch != nil && c.batch.stream == st.id:
		case err != nil:
			s.move(c, Expired, err)
		default:
			s.move(c, AnsweredElsewhere, newError(CodeSuperseded, "the server does not ask this any more"))
		}
	}
}
