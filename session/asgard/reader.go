package asgard

import (
	"bytes"

	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
	"github.com/svedawasm/svedawasm/session/sse"
)

// reader reads an event stream. One frame gives one event, but for a consent:
// it gives the batch and then its calls.
type reader struct {
	kind   event.RequestKind
	frames *sse.Decoder
	decoder
	ended bool
	cut   bool
	known bool // a frame has said something of the position
}

func newReader(kind event.RequestKind) *reader {
	return &reader{
		kind: kind, frames: sse.New(sse.Limits{}),
		decoder: decoder{
			reply: kind == event.Decide, done: map[string]bool{}, thought: map[string]bool{},
		},
	}
}

// Accepts implements event.Reader. The known client takes any 200 for an
// accepted reply (W2, X6); here only an event stream is an answer.
func (r *reader) Accepts(status int, contentType string) bool {
	return status == 200 && isEventStream(contentType)
}

func (r *reader) Feed(p []byte) { r.frames.Feed(p) }

func (r *reader) Next(e *event.Event) bool {
	if r.call(e) {
		return true
	}
	for {
		frame, ok := r.frames.Next()
		if !ok {
			return r.ended && r.last(e)
		}
		r.known = r.known || frame.HasID
		if r.frame(frame.Data, e) {
			return true
		}
	}
}

func (r *reader) End() { r.ended = true }

// last takes what stood behind the last blank line. A whole JSON object lacks
// only the blank line and counts; of anything else nothing is made (W21).
func (r *reader) last(e *event.Event) bool {
	frame, ok := r.frames.End()
	if !ok || len(bytes.TrimSpace(frame.Data)) == 0 {
		return false
	}
	if rawjson.Valid(frame.Data) != nil {
		r.cut = true
		return false
	}
	return r.frame(frame.Data, e)
}

// frame reads the data of one frame. A heartbeat in the shape of an event
// without data is no event (W19).
func (r *reader) frame(data []byte, e *event.Event) bool {
	if data = bytes.TrimSpace(data); len(data) == 0 {
		return false
	}
	e.Reset()
	r.decode(data, e)
	return true
}

func (r *reader) Cut() bool { return r.cut }

func (r *reader) Err() (string, error) {
	if err := r.frames.Err(); err != nil {
		return "too-large", err
	}
	return "", nil
}

// Cursor implements event.Resumer: the position to resume after, and the delay
// that the server asked for. An empty id line takes the position away (W23).
func (r *reader) Cursor() (position string, known bool, retry int) {
	return r.frames.LastEventID(), r.known, r.frames.Retry()
}

// isEventStream reads the media type of a Content-Type, without regard to case
// and parameters.
func isEventStream(contentType string) bool {
	if len(contentType) < len(stream) {
		return false
	}
	rest := contentType[len(stream):]
	return bytes.EqualFold([]byte(contentType[:len(stream)]), []byte(stream)) &&
		(rest == "" || rest[0] == ';' || rest[0] == ' ')
}
