package toolregistry

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// Codes of Error.
const (
	CodeInvalidName         = "invalid-tool-name"
	CodeMissingHandler      = "missing-handler"
	CodeInvalidParameters   = "invalid-parameters"
	CodeInvalidConfirmation = "invalid-confirmation"
)

// Error says why a tool was not registered.
type Error struct {
	Code string // one of the codes above
	Tool string // name as given
	Want string // what was expected
	Err  error  // what Validate said, or nil
}

func (e *Error) Error() string {
	s := "registering tool " + strconv.Quote(e.Tool) + ": expected " + e.Want
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

const maxName = 128

func (r *Registry) check(t *Tool) error {
	if !validName(t.Name) {
		return &Error{Code: CodeInvalidName, Tool: t.Name, Want: "a name of 1 to 128 characters A-Z a-z 0-9 _ . : / -"}
	}
	if t.Handler <= 0 {
		return &Error{Code: CodeMissingHandler, Tool: t.Name, Want: "a handler"}
	}
	switch t.Confirmation {
	case "", ConfirmationAuto, ConfirmationRequired:
	default:
		return &Error{Code: CodeInvalidConfirmation, Tool: t.Name,
			Want: `confirmation "required" or "auto", got ` + strconv.Quote(t.Confirmation)}
	}
	const object = "parameters to be a JSON object"
	p := bytes.Trim(t.Parameters, " \t\r\n")
	if len(p) == 0 {
		return nil
	}
	if len(p) < 2 || p[0] != '{' || p[len(p)-1] != '}' {
		return &Error{Code: CodeInvalidParameters, Tool: t.Name, Want: object}
	}
	if r.Validate != nil {
		if err := r.Validate(p); err != nil {
			return &Error{Code: CodeInvalidParameters, Tool: t.Name, Want: object, Err: err}
		}
	}
	return nil
}

// validName holds the alphabet that a card shows without a warning (S8); every other
// character in a tool's name can only mislead.
func validName(name string) bool {
	if name == "" || len(name) > maxName {
		return false
	}
	for _, c := range []byte(name) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '_', c == '.', c == ':', c == '/', c == '-':
		default:
			return false
		}
	}
	return true
}

// noParameters is what a tool without parameters publishes.
const noParameters = `{"type":"object","properties":{}}`

func appendDeclaration(dst []byte, t *Tool) []byte {
	dst = appendQuoted(append(dst, `{"name":`...), t.Name)
	dst = appendQuoted(append(dst, `,"description":`...), t.Description)
	dst = append(dst, `,"parameters":`...)
	if p := bytes.Trim(t.Parameters, " \t\r\n"); len(p) > 0 {
		dst = append(dst, p...)
	} else {
		dst = append(dst, noParameters...)
	}
	if t.RequiresConfirmation() {
		dst = append(dst, `,"confirmation":"required"`...)
	}
	return append(dst, '}')
}

// appendQuoted writes a JSON string; invalid UTF-8 becomes U+FFFD.
func appendQuoted(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', byte(c))
		case c < 0x20:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			dst = utf8.AppendRune(dst, c)
		}
	}
	return append(dst, '"')
}

// AppendDefinition appends what makes the tool the tool that a person has allowed: name,
// description, parameters, confirmation and mode, each with its length in front, so that
// no two definitions have the same bytes. A grant is bound to the SHA-256 of them
// (rawjson.Digest), and a change of any byte asks again (S47).
//
// The hash is left to the caller: crypto/sha256 costs 92 KB brotli in a wasm build, and
// this package imports nothing of ours.
func (t *Tool) AppendDefinition(dst []byte) []byte {
	confirmation := t.Confirmation
	if confirmation == "" {
		confirmation = ConfirmationAuto
	}
	for _, field := range []string{t.Name, t.Description, string(t.Parameters), confirmation, t.Mode} {
		dst = strconv.AppendInt(dst, int64(len(field)), 10)
		dst = append(append(dst, ':'), field...)
	}
	return dst
}
