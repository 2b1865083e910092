package session

import (
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// SetMessages replaces the messages, with a page's own list or a stored
// history. What this client knows for certain is kept: the arguments and the
// flag of a call as they first arrived, decisions, and results that the list
// lacks. No handler ever runs from a list (S43).
func (s *Session) SetMessages(array []byte) *Error {
	messages, skipped, err := event.ParseMessages(array)
	if err != nil {
		return newError(CodeInvalidMessages, "messages must be an array of messages: "+err.Error())
	}
	s.merge(messages)
	for range skipped {
		s.warn(CodeInvalidMessages, "")
	}
	return nil
}

// merge makes messages the chat.
func (s *Session) merge(messages []event.Message) {
	for i := range s.changes {
		if c := &s.changes[i]; c.Kind == PartText && c.Data == nil {
			s.freezeText(c.Message, c.Part)
		}
	}
	old, oldCalls, oldResults := s.messages, s.calls, s.results
	s.messages, s.calls, s.results = nil, map[string]callRef{}, map[string]callRef{}
	s.change(Change{Kind: MessagesReset})
	last := lastAssistant(messages)
	for n, m := range messages {
		for i := range m.Parts {
			if p := &m.Parts[i]; p.Kind == event.CallPart {
				if at, known := oldCalls[p.ToolCallID]; known {
					keepFixed(p, &old[at.message].Parts[at.part])
				} else if n == last {
					s.claim(p, messages)
				}
			}
		}
		s.addMessage(m)
	}
	for m := range old {
		for i := range old[m].Parts {
			if p := &old[m].Parts[i]; p.Kind == event.ResultPart && oldResults[p.ToolCallID] == (callRef{m, i}) {
				s.addResult(*p)
			}
		}
	}
	if st := s.main; st != nil {
		st.message, st.adopted, st.first = -1, false, len(s.messages)
	}
	s.matchConfirmations()
	s.tellPending()
}

// keepFixed gives a listed call what was fixed when it arrived (S1, S37).
func keepFixed(p, was *event.Part) {
	p.Input, p.Target, p.ToolName, p.Toolset = was.Input, was.Target, was.ToolName, was.Toolset
	p.Required = p.Required || was.Required
}

// claim makes an unanswered call of the last answer this client's own when its
// registry knows the tool: a stored frontend call says "backend" (W7).
func (s *Session) claim(p *event.Part, messages []event.Message) {
	tool, ok := s.tools.Get(p.ToolName)
	if !ok || hasResult(messages, p.ToolCallID) {
		return
	}
	p.Target = event.Frontend
	p.Required = p.Required || tool.RequiresConfirmation()
}

func lastAssistant(messages []event.Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == event.Assistant {
			return i
		}
	}
	return -1
}

func hasResult(messages []event.Message, id string) bool {
	for m := range messages {
		for i := range messages[m].Parts {
			if p := &messages[m].Parts[i]; p.Kind == event.ResultPart && p.ToolCallID == id {
				return true
			}
		}
	}
	return false
}

// matchConfirmations brings the confirmations in line with the messages: each
// confirming call without a result waits, whatever the list claims about its
// state (B033, B035, S43).
func (s *Session) matchConfirmations() {
	kept := s.confirmations[:0]
	for _, c := range s.confirmations {
		at, known := s.calls[c.id]
		if !known {
			if c.state == Pending || c.state == Deciding && c.stream == 0 {
				s.move(c, Expired, newError(CodeSuperseded, "the chat does not hold this call any more"))
			}
			kept = append(kept, c)
			continue
		}
		c.message = at.message
		if r, ok := s.results[c.id]; ok && !s.messages[r.message].Parts[r.part].Local {
			s.answeredByServer(c, s.messages[r.message].Parts[r.part].Output)
		}
		kept = append(kept, c)
	}
	s.confirmations = kept
	for m := range s.messages {
		for i := range s.messages[m].Parts {
			p := &s.messages[m].Parts[i]
			if p.Kind == event.CallPart && p.Required && !s.answered(p.ToolCallID) && s.confirmationOf(p.ToolCallID) == nil {
				s.ask(callRef{m, i}, nil)
			}
		}
	}
}

// Reread asks the server for the state of the chat (R10, R16). It settles when
// the answer has been taken; a protocol without such a request settles at once.
func (s *Session) Reread(t Ticket) {
	if s.closed {
		s.reject(t, newError(CodeClosed, "the session was closed"))
		return
	}
	s.reread(t)
}

func (s *Session) reread(t Ticket) {
	if !s.cfg.Dialect.Supports(event.Reread) {
		s.resolve(t, nil)
		return
	}
	if s.traits.RereadIsRun {
		if s.main == nil {
			s.begin(s.turn.options)
			s.open(&event.Request{Kind: event.Reread}, t)
		} else {
			s.resolve(t, nil)
		}
		return
	}
	if s.side != nil {
		s.resolve(t, nil)
		return
	}
	s.lastID++
	s.side = &stream{
		id: s.lastID, message: -1, ticket: t,
		request: event.Request{Kind: event.Reread, ChatID: s.chatID},
		reader:  s.cfg.Dialect.Reader(event.Reread),
	}
	s.send(s.side)
}

// finishSide ends a request beside the turn. Its failure changes nothing in the
// chat; who asked for it is told.
func (s *Session) finishSide(st *stream, err *Error) {
	if err != nil {
		s.reject(st.ticket, err)
		return
	}
	s.resolve(st.ticket, nil)
}

// overlay lays the members of the object top over those of base.
func overlay(base, top []byte) []byte {
	if len(top) == 0 {
		return base
	}
	if len(base) == 0 {
		return top
	}
	out := []byte{'{'}
	add := func(key, value []byte) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, key...), ':'), value...)
	}
	over := map[string]bool{}
	_ = rawjson.Members(top, func(key, _ []byte) bool {
		over[string(rawjson.Text(key, nil))] = true
		return true
	})
	err := rawjson.Members(base, func(key, value []byte) bool {
		if !over[string(rawjson.Text(key, nil))] {
			add(key, value)
		}
		return true
	})
	if err != nil {
		return top
	}
	_ = rawjson.Members(top, func(key, value []byte) bool { add(key, value); return true })
	return append(out, '}')
}
