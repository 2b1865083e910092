package rawjson

// Scan validates the whole text as one JSON object and sets out[i] to its member named
// names[i], or to a Value of kind Absent. out must have room for every name. On an error,
// which is always an *Error, every value is Absent: nothing of a broken text is used.
func (n *Names) Scan(object []byte, out []Value) error {
	_, err := n.scan(object, out, nil, false)
	return err
}

// Split is Scan that also appends the members of other names to rest as raw text, with
// commas between them.
func (n *Names) Split(object []byte, out []Value, rest []byte) ([]byte, error) {
	return n.scan(object, out, rest, true)
}

func (n *Names) scan(object []byte, out []Value, rest []byte, split bool) ([]byte, error) {
	out = out[:len(n.names)]
	clear(out)
	m := members{b: object}
	for m.next() {
		at := n.find(object[m.key:m.keyEnd], m.escaped)
		if at < 0 {
			if split {
				if len(rest) > 0 {
					rest = append(rest, ',')
				}
				rest = append(append(append(rest, object[m.key:m.keyEnd]...), ':'), object[m.value:m.i]...)
			}
			continue
		}
		if v := &out[at]; v.Kind != Absent {
			v.Duplicate = true
		} else {
			v.Raw, v.Kind = object[m.value:m.i:m.i], kindOfByte(object[m.value])
		}
	}
	if m.code != "" {
		clear(out)
		return rest[:0], m.err()
	}
	return rest, nil
}

// members steps through the members of one object, validating what it passes.
type members struct {
	b           []byte
	i           int // after the value
	key, keyEnd int // the key's lexeme
	escaped     bool
	value       int // where the value begins
	begun       bool
	code        string // why the text was refused, at i
}

// next goes to the next member. It returns false at the end of the text, or when code
// says why it was refused.
func (m *members) next() bool {
	b := m.b
	i := skipSpace(b, m.i)
	if !m.begun {
		m.begun = true
		if i >= len(b) || b[i] != '{' {
			return m.other(i, CodeNotObject)
		}
		if i = skipSpace(b, i+1); i < len(b) && b[i] == '}' {
			return m.finish(i + 1)
		}
	} else {
		if i < len(b) && b[i] == '}' {
			return m.finish(i + 1)
		}
		if i >= len(b) || b[i] != ',' {
			return m.refuse(i)
		}
		i = skipSpace(b, i+1)
	}
	if i >= len(b) || b[i] != '"' {
		return m.refuse(i)
	}
	m.key, m.escaped = i, false
	if i = plainString(b, i+1); i < 0 {
		m.escaped = true
		var ok bool
		if i, ok = scanString(b, m.key+1); !ok {
			return m.refuse(i)
		}
	}
	m.keyEnd = i
	if i = skipSpace(b, i); i >= len(b) || b[i] != ':' {
		return m.refuse(i)
	}
	m.value = skipSpace(b, i+1)
	if m.value < len(b) && b[m.value] == '"' {
		if i = plainString(b, m.value+1); i > 0 {
			m.i = i
			return true
		}
	}
	m.i, m.code = scanValue(b, m.value, 1)
	return m.code == ""
}

// finish checks that nothing follows the outermost value.
func (m *members) finish(i int) bool {
	if i = skipSpace(m.b, i); i < len(m.b) {
		return m.refuse(i)
	}
	m.i = i
	return false
}

func (m *members) refuse(i int) bool {
	m.i, m.code = refuse(m.b, i)
	return false
}

// other refuses a text that is not the container that was asked for, with the code when
// it is whole JSON.
func (m *members) other(i int, code string) bool {
	if m.i, m.code = validate(m.b); m.code == "" {
		m.i, m.code = i, code
	}
	return false
}

func (m *members) err() *Error { return &Error{Code: m.code, Offset: m.i} }

// validate checks that b is one JSON value.
func validate(b []byte) (at int, code string) {
	i, code := scanValue(b, skipSpace(b, 0), 0)
	if code != "" {
		return i, code
	}
	if i = skipSpace(b, i); i < len(b) {
		return i, CodeInvalid
	}
	return i, ""
}

// Valid checks that b is one JSON value. The error is an *Error.
func Valid(b []byte) error {
	if i, code := validate(b); code != "" {
		return &Error{Code: code, Offset: i}
	}
	return nil
}

// Members calls visit for each member of an object in source order, also for duplicates,
// with the key's lexeme (quotes included) and the value's text. When visit returns false
// the walk ends with nil and the rest is not looked at; otherwise the whole text has been
// validated when Members returns nil. The error is an *Error.
func Members(object []byte, visit func(key, value []byte) bool) error {
	m := members{b: object}
	for m.next() {
		if !visit(object[m.key:m.keyEnd:m.keyEnd], object[m.value:m.i:m.i]) {
			return nil
		}
	}
	if m.code != "" {
		return m.err()
	}
	return nil
}

// Elements is Members for an array.
func Elements(array []byte, visit func(value []byte) bool) error {
	m := members{b: array}
	for m.nextElement() {
		if !visit(array[m.value:m.i:m.i]) {
			return nil
		}
	}
	if m.code != "" {
		return m.err()
	}
	return nil
}

// nextElement is next for an array.
func (m *members) nextElement() bool {
	b := m.b
	i := skipSpace(b, m.i)
	if !m.begun {
		m.begun = true
		if i >= len(b) || b[i] != '[' {
			return m.other(i, CodeNotArray)
		}
		if i = skipSpace(b, i+1); i < len(b) && b[i] == ']' {
			return m.finish(i + 1)
		}
	} else {
		if i < len(b) && b[i] == ']' {
			return m.finish(i + 1)
		}
		if i >= len(b) || b[i] != ',' {
			return m.refuse(i)
		}
		i = skipSpace(b, i+1)
	}
	m.value = i
	m.i, m.code = scanValue(b, i, 1)
	return m.code == ""
}
