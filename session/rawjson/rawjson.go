// Package rawjson reads JSON as text. It never builds values: a member is the exact bytes
// that stood in the source, so that what is shown, compared and sent on is what came.
//
// The grammar is RFC 8259 without leniency, nested at most MaxDepth deep. Every scan is
// iterative and linear. Names are matched exactly, after decoding the escapes of the key
// and never without regard to case; the first of two equal names is kept and the value
// is marked Duplicate.
//
// Invalid UTF-8 inside a string is not a syntax error, as in other parsers: the bytes are
// passed on by the data half (Scan, AppendString) and become U+FFFD in what we write
// (AppendQuoted) and a visible token on the card (Describe).
package rawjson

import "strconv"

// MaxDepth is the deepest nesting that a scan accepts; the outermost container counts as
// 1. It is the hard limit of S17 and well under what a recursive reader could survive.
const MaxDepth = 512

// Kind is the type of a JSON value.
type Kind uint8

const (
	Absent Kind = iota // the name is not there
	Null
	False
	True
	Number
	String
	Object
	Array
)

// Value is one member's value.
type Value struct {
	Raw       []byte // exact source text without white space around it; nil when Absent
	Kind      Kind
	Duplicate bool // the name occurs more than once; Raw is the first
}

// Codes of Error.
const (
	CodeInvalid   = "invalid"    // not JSON
	CodeTruncated = "truncated"  // the text ends inside the value
	CodeTooDeep   = "too-deep"   // nested deeper than MaxDepth
	CodeNotObject = "not-object" // JSON, but not an object
	CodeNotArray  = "not-array"  // JSON, but not an array
)

// Error says why a text was refused. It never quotes the text (S62).
type Error struct {
	Code   string
	Offset int // byte at which the scan stopped
}

func (e *Error) Error() string {
	return "reading JSON: " + e.Code + " at byte " + strconv.Itoa(e.Offset)
}

// KindOf tells the type of a value from its first byte; it does not validate. A text
// that cannot begin a value is Absent.
func KindOf(b []byte) Kind {
	if i := skipSpace(b, 0); i < len(b) {
		return kindOfByte(b[i])
	}
	return Absent
}

func kindOfByte(c byte) Kind {
	switch c {
	case '"':
		return String
	case '{':
		return Object
	case '[':
		return Array
	case 't':
		return True
	case 'f':
		return False
	case 'n':
		return Null
	}
	if c == '-' || '0' <= c && c <= '9' {
		return Number
	}
	return Absent
}

// Int reads an integer lexeme. It is false for anything else: a fraction, an exponent
// (also in 1e3), a value that int64 cannot hold.
func Int(raw []byte) (int64, bool) {
	end, ok := scanNumber(raw, 0)
	if !ok || end != len(raw) {
		return 0, false
	}
	digits, negative := raw, false
	if digits[0] == '-' {
		digits, negative = digits[1:], true
	}
	// Counting down reaches the smallest int64, which has no positive twin.
	n := int64(0)
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		d := int64(c - '0')
		if n < (minInt64+d)/10 {
			return 0, false
		}
		n = n*10 - d
	}
	if negative {
		return n, true
	}
	return -n, n != minInt64
}

const minInt64 = -1 << 63
