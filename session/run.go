package session

import "github.com/svedawasm/svedawasm/session/event"

// runKind names what holds the chat, "" when nothing does (contract asgard L3).
func (s *Session) runKind() string {
	if s.sideOf(event.Delete) != nil {
		return "reset"
	}
	st := s.main
	if st == nil {
		if len(s.runs) > 0 {
			return "user"
		}
		return ""
	}
	switch st.request.Kind {
	case event.Open:
		return "reset"
	case event.Nudge:
		return "nudge"
	case event.Reread:
		if st.live {
			return "restore"
		}
		return "replay"
	}
	return "user"
}

// trace is the name under which the server knows the response.
func (st *stream) trace() string { return orElse(st.head.TraceID, st.run) }

// tellRun tells the page which run holds the chat, where a run has a name and
// can be stopped on its own: {kind, stopPhase, requestId?, traceId?, resuming?}.
func (s *Session) tellRun() {
	if !s.cfg.Dialect.Supports(event.Stop) {
		return
	}
	start := len(s.arena)
	s.arena = append(s.arena, `{"kind":`...)
	if kind := s.runKind(); kind != "" {
		s.arena = appendQuoted(s.arena, kind)
	} else {
		s.arena = append(s.arena, `null`...)
	}
	s.arena = append(s.arena, `,"stopPhase":"`...)
	s.arena = append(append(s.arena, stopWords[s.stopping.phase]...), '"')
	if st := s.main; st != nil {
		if st.run != "" {
			s.arena = appendQuoted(append(s.arena, `,"requestId":`...), st.run)
		}
		if st.trace() != "" {
			s.arena = appendQuoted(append(s.arena, `,"traceId":`...), st.trace())
		}
		if st.parked {
			s.arena = append(s.arena, `,"resuming":true`...)
		}
	}
	s.arena = append(s.arena, '}')
	s.change(Change{Kind: Notify, Text: "runStatus", Data: s.arena[start:]})
}
