package session

import "github.com/svedawasm/svedawasm/session/event"

// Restore brings back a chat that the server may have: it asks whether it does,
// and then reads it, following a run that is on to its end (contract asgard L3,
// L11). The promise settles with {"exists":true} when the chat has been read,
// and with {"exists":false} when there is none; with create it is then opened
// first. An error is never taken for absence.
func (s *Session) Restore(t Ticket, o TurnOptions, create bool) {
	switch {
	case s.closed:
		s.reject(t, newError(CodeClosed, "the session was closed"))
	case s.running() || s.sideOf(event.Delete) != nil || s.sideOf(event.Probe) != nil:
		s.reject(t, s.busy())
	case !s.cfg.Dialect.Supports(event.Probe):
		s.reread(t, false)
	default:
		st := s.openSide(&event.Request{Kind: event.Probe}, t)
		st.options, st.create = o, create
	}
}

// applyMetadata takes what the server says of the chat. The title is never
// replayed, so it is told from here (R7).
func (s *Session) applyMetadata(st *stream, e *event.Event) {
	st.found, st.live, st.ended = true, e.Running, true
	if len(e.Text) > 0 {
		s.applyTitle(e)
	}
}

// probed goes on with what the server said of the chat.
func (s *Session) probed(st *stream, err *Error) {
	switch {
	case err != nil && err.Status == 404 && st.create:
		s.Open(st.ticket, st.options)
	case err != nil && err.Status == 404:
		s.resolve(st.ticket, []byte(`{"exists":false}`))
	case err == nil && !st.found:
		s.reject(st.ticket, newError(CodeNotAStream, "the response is not an answer of the protocol"))
	case err != nil:
		s.reject(st.ticket, err)
	case s.main != nil:
		s.resolve(st.ticket, []byte(`{"exists":true}`))
	default:
		s.begin(st.options)
		s.open(&event.Request{Kind: event.Reread}, st.ticket)
		s.main.live = st.live
		if st.ticket != 0 {
			s.tickets[len(s.tickets)-1].data = []byte(`{"exists":true}`)
		}
		s.tellRun()
	}
}

// Reset drops the chat on the server and opens it anew (contract asgard L1).
// While the server drops it no turn begins; if it fails, nothing changes here.
// It is also the way out of a question: it ends with the chat (W18).
func (s *Session) Reset(t Ticket, o TurnOptions) {
	switch {
	case s.closed:
		s.reject(t, newError(CodeClosed, "the session was closed"))
	case !s.cfg.Dialect.Supports(event.Delete):
		s.reject(t, newError(CodeUnsupported, "the protocol has no such request"))
	case s.sideOf(event.Delete) != nil:
		s.reject(t, s.busy())
	default:
		s.openSide(&event.Request{Kind: event.Delete}, t).options = o
		s.tellRun()
	}
}

// deleted begins the chat anew once the server has dropped it.
func (s *Session) deleted(st *stream, err *Error) {
	if err != nil {
		s.reject(st.ticket, err)
		s.tellRun()
		s.advance() // decisions that waited
		return
	}
	s.forget()
	s.tellRun()
	s.Open(st.ticket, st.options)
}

// forget makes the session that of an empty chat.
func (s *Session) forget() {
	why := newError(CodeAborted, "the chat was reset")
	if s.running() {
		s.halt(why)
	}
	s.expireOpen(why)
	s.settleTurn()
	s.dropConfirmations()
	s.messages, s.outputs, s.batch, s.grants = nil, nil, nil, nil
	s.calls, s.results, s.early = map[string]callRef{}, map[string]callRef{}, map[string]event.Part{}
	s.fixed, s.local = ledger{}, ledger{}
	s.lastSent, s.doubt = "", false
	s.setStopping(notStopping)
	s.change(Change{Kind: MessagesReset})
	s.setStatus(Idle)
	s.tellGrants()
	s.persist()
}
