package session

import (
	"slices"

	"github.com/svedawasm/svedawasm/session/event"
)

// callRef says where a call or a result stands.
type callRef struct{ message, part int }

// addMessage appends a message and indexes its calls and results.
func (s *Session) addMessage(m event.Message) int {
	at := len(s.messages)
	s.messages = append(s.messages, m)
	for i := range m.Parts {
		s.index(at, i)
	}
	start := len(s.arena)
	s.arena = event.AppendMessage(s.arena, &m)
	s.change(Change{Kind: MessageAdd, Message: at, Data: s.arena[start:]})
	return at
}

func (s *Session) addPart(message int, p event.Part) callRef {
	m := &s.messages[message]
	at := callRef{message, len(m.Parts)}
	if len(m.Parts) == cap(m.Parts) {
		m.Parts = slices.Grow(m.Parts, max(2, len(m.Parts))) // parts are large: append would copy them five times
	}
	m.Parts = append(m.Parts, p)
	s.index(at.message, at.part)
	start := len(s.arena)
	s.arena = event.AppendPart(s.arena, &p)
	s.change(Change{Kind: PartAdd, Message: at.message, Part: at.part, Data: s.arena[start:]})
	return at
}

func (s *Session) index(message, part int) {
	p := &s.messages[message].Parts[part]
	switch p.Kind {
	case event.CallPart:
		if _, known := s.calls[p.ToolCallID]; !known {
			s.calls[p.ToolCallID] = callRef{message, part}
		}
		if s.fixed.of(p.ToolCallID) == nil {
			s.fixed.put(*p)
		}
	case event.ResultPart:
		if _, known := s.results[p.ToolCallID]; !known {
			s.results[p.ToolCallID] = callRef{message, part}
		}
	}
}

func (s *Session) partChanged(message, part int) {
	start := len(s.arena)
	s.arena = event.AppendPart(s.arena, &s.messages[message].Parts[part])
	s.change(Change{Kind: PartSet, Message: message, Part: part, Data: s.arena[start:]})
}

// freezeText fixes the appended text of changes not yet taken, before the part
// gets another text.
func (s *Session) freezeText(message, part int) {
	for i := range s.changes {
		c := &s.changes[i]
		if c.Kind == PartText && c.Message == message && c.Part == part && c.Data == nil {
			c.Data = s.keep(s.messages[message].Parts[part].Text[c.from:c.to])
		}
	}
}

// answered says whether a call has its result.
func (s *Session) answered(id string) bool {
	_, ok := s.results[id]
	return ok
}

// addResult puts a result beside its call. There is one result a call: a
// second is dropped, but the server's own takes the place of one that this
// client wrote.
func (s *Session) addResult(p event.Part) {
	if at, ok := s.results[p.ToolCallID]; ok {
		old := &s.messages[at.message].Parts[at.part]
		if old.Local && !p.Local {
			*old = p
			s.partChanged(at.message, at.part)
		}
		return
	}
	if at, ok := s.calls[p.ToolCallID]; ok {
		s.addPart(at.message, p)
	}
}

// dropPlaceholder removes the assistant message of a stream that brought
// nothing for it (W13).
func (s *Session) dropPlaceholder(st *stream) {
	last := len(s.messages) - 1
	if st.message >= 0 && st.message == last && len(s.messages[last].Parts) == 0 {
		s.removeLast()
		st.message = -1
	}
}

// withdrawUserMessage takes back what the person sent when the server did not
// take it because a confirmation waits (R16), or when the page could not make
// the request (W19): the turn leaves no trace. The page still has the words.
func (s *Session) withdrawUserMessage(st *stream) {
	last := len(s.messages) - 1
	if st.request.Kind == event.Turn && last >= 0 && s.messages[last].Role == event.User &&
		s.messages[last].ID == st.request.MessageID {
		s.removeLast()
	}
}

// require makes a call that is known wait for a person from now on.
func (s *Session) require(at callRef, toolset string) {
	p := &s.messages[at.message].Parts[at.part]
	p.Required, p.Toolset = true, orElse(toolset, p.Toolset)
	s.fixed.put(*p)
	s.partChanged(at.message, at.part)
}

// removeLast drops the last message, which must hold no call and no result.
func (s *Session) removeLast() {
	last := len(s.messages) - 1
	s.messages = s.messages[:last]
	s.change(Change{Kind: MessageRemove, Message: last})
}
