package session

import (
	"bytes"
	"unicode/utf8"

	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// Encode builds the request of an OpenStream effect. context is the page's
// context as a JSON object (nil for none); the turn's own context is laid over
// it (contract sveda 3.25). A request that is not to be sent any more is an
// error: nothing hangs on it, the driver drops it.
func (s *Session) Encode(id int, context []byte) (event.WireRequest, *Error) {
	st := s.streamOf(id)
	if st == nil || st.request.Cursor == "" && s.recallLate(st) { // it may have waited for the store (I13)
		return event.WireRequest{}, newError(CodeRequestFailed, "the request is not wanted any more")
	}
	if st.wire != nil && st.request.Cursor == "" {
		return *st.wire, nil // an attempt of before: the same bytes (R14)
	}
	r := st.request
	r.Messages = s.messages[:min(st.upTo, len(s.messages))]
	r.ClientTools = s.tools.AppendClientTools(nil)
	r.Context = overlay(context, s.turn.options.Context)
	r.Payload, r.Options = s.turn.options.Payload, s.turn.options.Options
	r.Model, r.Provider = s.turn.options.Model, s.turn.options.Provider
	w := s.cfg.Dialect.Encode(&r)
	w.Body = wellFormed(w.Body)
	if r.Kind == event.Decide && s.traits.RepeatsDecisions && st.attempt+1 < s.cfg.DecisionAttempts {
		st.wire = &w
	}
	return w, nil
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

// wellFormed makes the text of a request one that every server can read (B104).
// JSON that passes through here as it came (a handler's output, stored
// arguments) may hold half of a surrogate pair or bytes that are no UTF-8; each
// becomes U+FFFD. One of them would make every later request of the chat fail.
func wellFormed(body []byte) []byte {
	if !utf8.Valid(body) {
		body = bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	for i := 0; ; {
		n := bytes.IndexByte(body[i:], '\\')
		if n < 0 || i+n+1 >= len(body) {
			return body
		}
		i += n
		high := surrogate(body[i:])
		switch {
		case high < 0:
			i += 2
		case high < 0xDC00 && surrogate(body[i+6:]) >= 0xDC00:
			i += 12
		default:
			copy(body[i+2:], "fffd")
			i += 6
		}
	}
}

// surrogate reads an escape of a surrogate at the start of b, -1 for anything
// else.
func surrogate(b []byte) int {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' || b[2]|0x20 != 'd' {
		return -1
	}
	n := 0
	for _, c := range b[2:6] {
		switch {
		case '0' <= c && c <= '9':
			n = n<<4 | int(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			n = n<<4 | int(c|0x20-'a'+10)
		default:
			return -1
		}
	}
	if n < 0xD800 {
		return -1
	}
	return n
}
