package sveda

import (
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
	"github.com/svedawasm/svedawasm/session/sse"
)

// Decode turns the JSON of one frame into an event. It reports false for a
// frame without an event.
type Decode func(data []byte, e *event.Event) bool

// Reader reads an event stream of one JSON object a frame, ended by [DONE]. The
// vercel mode uses it with a Decode of its own.
type Reader struct {
	frames *sse.Decoder
	decode Decode
	deltas *deltas // what AppendRun recognises; nil for none
	ended  bool
	cut    bool
}

// deltas are those of an answer: they differ in their text only (contract 1.5).
type deltas struct {
	rawjson.Repeat
	kind event.Kind
}

// NewReader makes a Reader.
func NewReader(decode Decode) *Reader {
	return &Reader{frames: sse.New(sse.Limits{}), decode: decode}
}

// Accepts implements event.Reader: anything but an event stream is no answer
// (W16). A response that names no type at all is read: it has its events, or it
// is empty.
func (r *Reader) Accepts(status int, contentType string) bool {
	return status == 200 && (contentType == "" || IsEventStream(contentType))
}

// Feed implements event.Reader.
func (r *Reader) Feed(p []byte) { r.frames.Feed(p) }

// Next implements event.Reader.
func (r *Reader) Next(e *event.Event) bool {
	for {
		frame, ok := r.frames.Next()
		if !ok {
			return r.ended && r.last(e)
		}
		if r.event(&frame, e) {
			return true
		}
	}
}

// AppendRun implements event.TextRun: frame after frame is compared and copied,
// without an event for each.
func (r *Reader) AppendRun(dst []byte, kind event.Kind, limit int) ([]byte, int) {
	if r.deltas == nil || r.deltas.kind != kind {
		return dst, 0
	}
	text, read, count := r.deltas.AppendRun(dst, r.frames.Rest(), limit)
	r.frames.Skip(read)
	return text, count
}

// End implements event.Reader.
func (r *Reader) End() { r.ended = true }

// last takes what stood behind the last blank line. A whole JSON object lacks
// only the blank line and counts; anything else was cut, and nothing is made of
// it (B110).
func (r *Reader) last(e *event.Event) bool {
	frame, ok := r.frames.End()
	if !ok || len(trim(frame.Data)) == 0 {
		return false
	}
	if string(trim(frame.Data)) != done && rawjson.Valid(frame.Data) != nil {
		r.cut = true
		return false
	}
	return r.event(&frame, e)
}

const done = "[DONE]"

func (r *Reader) event(frame *sse.Frame, e *event.Event) bool {
	data := trim(frame.Data)
	e.Reset()
	if string(data) == done {
		e.Kind = event.Done
		return true
	}
	if len(data) == 0 {
		if string(frame.Event) != "error" {
			return false
		}
		e.Kind, e.Text = event.Error, []byte("the server reported an error without words") // B091
		return true
	}
	return r.decode(data, e)
}

// Cut implements event.Reader.
func (r *Reader) Cut() bool { return r.cut }

// Err implements event.Reader.
func (r *Reader) Err() (string, error) {
	if err := r.frames.Err(); err != nil {
		return "too-large", err
	}
	return "", nil
}

// IsEventStream reads the media type of a Content-Type, without regard to case
// and parameters.
func IsEventStream(contentType string) bool {
	const want = "text/event-stream"
	if len(contentType) < len(want) || len(contentType) > len(want) && contentType[len(want)] != ';' && contentType[len(want)] != ' ' {
		return false
	}
	for i := range len(want) {
		c := contentType[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != want[i] {
			return false
		}
	}
	return true
}

func trim(b []byte) []byte {
	for len(b) > 0 && space(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && space(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

func space(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
