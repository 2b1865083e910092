// Package sse decodes a server-sent event stream incrementally: bytes in, frames out.
//
// It follows the WHATWG algorithm ("9.2.6 Interpreting an event stream"): CR, LF and
// CRLF end a line, one byte order mark at the start is dropped, lines that begin with a
// colon are comments, several data lines are joined by LF, unknown fields are ignored.
// It differs in two points, both of which report what the algorithm would drop:
//
//   - A block that names an event but has no data line is handed out with Data == nil,
//     so that "event: error" without data is not lost (case B091). A data line with an
//     empty value gives an empty Data that is not nil, as the algorithm says.
//   - What is open when the stream ends is handed out by End.
//
// Bytes are passed on as they came: the decoder does not check UTF-8, so a character cut
// over two chunks needs no care.
package sse

import "strconv"

// DefaultLimit is the cap on a line and on an event when Limits leaves it 0 (S58).
const DefaultLimit = 16 << 20

// Limits caps what the decoder holds, in bytes; 0 means DefaultLimit.
type Limits struct {
	Line  int // one line without its end, also of a comment
	Event int // the values of one event's data, event and id fields together
}

// Frame is one event. Its slices are valid until the next call of Feed, Next, End or
// Reset.
type Frame struct {
	Event []byte // value of the last event field, empty when there was none
	Data  []byte // data lines joined by LF; nil when there was no data line (B091)
	ID    []byte // value of the last id field of this block, empty when HasID is false
	HasID bool   // the block had an id field without NUL
	Retry int    // last retry field of this block in milliseconds, -1 when there was none
}

// Codes of Error.
const (
	CodeLineTooLong  = "line-too-long"
	CodeEventTooLong = "event-too-long"
)

// Error says which limit the stream broke. It is final: the decoder drops what it holds
// and hands out nothing more until Reset.
type Error struct {
	Code  string // CodeLineTooLong or CodeEventTooLong
	Limit int    // the limit, in bytes
}

func (e *Error) Error() string {
	what := "line"
	if e.Code == CodeEventTooLong {
		what = "event"
	}
	return "decoding event stream: " + what + " is longer than " + strconv.Itoa(e.Limit) + " bytes"
}
