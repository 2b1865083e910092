package asgard

import (
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// maxMetadata caps the body of a channel's metadata, in bytes.
const maxMetadata = 1 << 20

// plainReader reads a response whose status says it all.
type plainReader struct{}

func (plainReader) Accepts(status int, _ string) bool { return status >= 200 && status <= 299 }
func (plainReader) Feed([]byte)                       {}
func (plainReader) Next(*event.Event) bool            { return false }
func (plainReader) End()                              {}
func (plainReader) Cut() bool                         { return false }
func (plainReader) Err() (string, error)              { return "", nil }

// metadataReader reads GET /channel/metadata: the facts bare, or in "data" (R7).
type metadataReader struct {
	body  []byte
	ended bool
	over  bool
}

func (r *metadataReader) Accepts(status int, contentType string) bool {
	return status == 200 && !isEventStream(contentType)
}

func (r *metadataReader) Feed(p []byte) {
	if len(r.body)+len(p) > maxMetadata {
		r.over, r.body = true, nil
		return
	}
	r.body = append(r.body, p...)
}

func (r *metadataReader) End()      { r.ended = true }
func (r *metadataReader) Cut() bool { return false }

func (r *metadataReader) Err() (string, error) {
	if r.over {
		return "too-large", &rawjson.Error{Code: "too-large", Offset: maxMetadata}
	}
	return "", nil
}

var metadataNames = rawjson.NewNames("data", "title", "runState")

// Next gives one Metadata event once the body is whole. A body that is no
// object is malformed, and the chat then does not count as existing.
func (r *metadataReader) Next(e *event.Event) bool {
	if !r.ended || r.body == nil {
		return false
	}
	body := r.body
	r.body = nil
	e.Reset()
	var v [3]rawjson.Value
	if metadataNames.Scan(body, v[:]) != nil {
		malformed(e)
		return true
	}
	if v[0].Kind == rawjson.Object && v[1].Kind == rawjson.Absent && v[2].Kind == rawjson.Absent {
		if metadataNames.Scan(v[0].Raw, v[:]) != nil {
			malformed(e)
			return true
		}
	}
	e.Kind, e.Raw = event.Metadata, body
	e.Text = rawjson.Text(v[1].Raw, nil)
	e.Running = string(rawjson.Text(v[2].Raw, nil)) == "RUNNING"
	return true
}
