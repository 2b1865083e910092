package session

import "github.com/svedawasm/svedawasm/session/rawjson"

func appendQuoted(dst []byte, s string) []byte { return rawjson.AppendQuoted(dst, s) }

func (s *Session) effect(e Effect) { s.effects = append(s.effects, e) }

func (s *Session) change(c Change) { s.changes = append(s.changes, c) }

// keep copies bytes that are valid only now into the memory of this output.
// When the arena moves, what was kept before stays where it is.
func (s *Session) keep(b []byte) []byte {
	start := len(s.arena)
	s.arena = append(s.arena, b...)
	return s.arena[start:]
}

func (s *Session) notify(name string, payload []byte) {
	s.change(Change{Kind: Notify, Text: name, Data: s.keep(payload)})
}

// warn tells of something odd that was survived. It names ids and codes, never
// arguments (S62).
func (s *Session) warn(code, call string) {
	start := len(s.arena)
	s.arena = append(s.arena, `{"code":`...)
	s.arena = rawjson.AppendQuoted(s.arena, code)
	if call != "" {
		s.arena = append(s.arena, `,"toolCallId":`...)
		s.arena = rawjson.AppendQuoted(s.arena, call)
	}
	s.arena = append(s.arena, '}')
	s.change(Change{Kind: Warning, Data: s.arena[start:]})
}

func (s *Session) tellFailure(err *Error) {
	start := len(s.arena)
	s.arena = err.AppendJSON(s.arena)
	s.change(Change{Kind: Failure, Data: s.arena[start:]})
}

func (s *Session) setStatus(to Status) {
	if s.status != to {
		s.status = to
		s.change(Change{Kind: StatusChange, Text: to.String()})
	}
}

func (s *Session) resolve(t Ticket, data []byte) {
	if t != 0 {
		s.effect(Effect{Kind: Settle, Ticket: t, Data: data})
	}
}

func (s *Session) reject(t Ticket, err *Error) {
	if t != 0 {
		s.effect(Effect{Kind: Settle, Ticket: t, Err: err})
	}
}

// persist asks the driver to store the session when it can.
func (s *Session) persist() { s.store("relaxed") }

// persistNow asks the driver to store the session before it does what follows
// (R13).
func (s *Session) persistNow() { s.store("strict") }

func (s *Session) store(how string) {
	if !s.cfg.Persist {
		return
	}
	if n := len(s.effects) - 1; n >= 0 && s.effects[n].Kind == Persist {
		if how == "strict" {
			s.effects[n].Text = how
		}
		return
	}
	s.effect(Effect{Kind: Persist, Text: how})
}
