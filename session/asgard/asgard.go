// Package asgard is the dialect of Asgard's channel protocol (contract asgard,
// sections 2 to 2.6): one JSON object a frame with the event's facts in it, and
// a batch of confirmations that is answered with one reply.
package asgard

import (
	"bytes"
	"strconv"

	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// Config says what the client sends with each request.
type Config struct {
	// APIKey is the X-API-KEY header; "" sends none.
	APIKey string
	// IdentityHint is the X-ASGARD-USER-IDENTITY-HINT header; "" sends none. A
	// reply must carry the hint of the turn that paused.
	IdentityHint string
}

// Dialect implements event.Dialect.
type Dialect struct{ cfg Config }

// New makes the dialect.
func New(cfg Config) *Dialect { return &Dialect{cfg} }

// Traits implements event.Dialect.
func (d *Dialect) Traits() event.Traits {
	return event.Traits{BatchReply: true, GrantsAtServer: true, RereadIsRun: true}
}

// Supports implements event.Dialect.
func (d *Dialect) Supports(kind event.RequestKind) bool {
	switch kind {
	case event.Outputs, event.Continue:
		return false // tools run on the server only, and it knows no step limit
	}
	return true
}

// Reader implements event.Dialect.
func (d *Dialect) Reader(kind event.RequestKind) event.Reader {
	switch kind {
	case event.Probe:
		return &metadataReader{}
	case event.Stop, event.Delete:
		return &plainReader{}
	}
	return newReader(kind)
}

// refusalWord is in the text of each refusal that a paused channel gives (S2).
const refusalWord = "RespondToolCallConsent"

// Refuse implements event.Dialect. The server's words may stand in one of
// several members; a paused channel is known by its word in any of them.
func (d *Dialect) Refuse(status int, body []byte) event.Refusal {
	r := event.Refusal{Text: refusalText(body), Message: "HTTP " + strconv.Itoa(status)}
	if phrase := statusPhrase(status); phrase != "" {
		r.Message += ": " + phrase
	}
	switch {
	case bytes.Contains(body, []byte(refusalWord)):
		r.Code, r.Pending = "confirmation-required", true
	case status == 401:
		r.Code = "unauthorized"
	case status == 403:
		r.Code = "forbidden"
	case status == 404:
		r.Code, r.Gone = "not-found", true
	case status == 413:
		r.Code = "too-large"
	case status == 429:
		r.Code = "rate-limited"
	default:
		r.Code = "http-status"
	}
	return r
}

// statusPhrase gives the words of the statuses that a channel answers with;
// HTTP/2 has none on the wire (X1).
func statusPhrase(status int) string {
	switch status {
	case 400:
		return "Bad Request"
	case 401:
		return "Unauthorized"
	case 403:
		return "Forbidden"
	case 404:
		return "Not Found"
	case 405:
		return "Method Not Allowed"
	case 408:
		return "Request Timeout"
	case 409:
		return "Conflict"
	case 412:
		return "Precondition Failed"
	case 413:
		return "Content Too Large"
	case 422:
		return "Unprocessable Content"
	case 429:
		return "Too Many Requests"
	case 500:
		return "Internal Server Error"
	case 502:
		return "Bad Gateway"
	case 503:
		return "Service Unavailable"
	case 504:
		return "Gateway Timeout"
	}
	return ""
}

var wordNames = rawjson.NewNames("message", "error", "detail", "errorDetail")

// maxRefusalText bounds what is kept of a server's words, in bytes.
const maxRefusalText = 500

// refusalText finds the words of an error body: a member of an object, at most
// two objects deep, or plain text that is no markup.
func refusalText(body []byte) string {
	body = bytes.TrimSpace(body)
	for range 3 {
		var v [4]rawjson.Value
		if wordNames.Scan(body, v[:]) != nil {
			break
		}
		body = nil
		for i := range v {
			if v[i].Kind == rawjson.String {
				return string(rawjson.Text(v[i].Raw, nil))
			}
			if v[i].Kind == rawjson.Object && body == nil {
				body = v[i].Raw
			}
		}
	}
	if len(body) == 0 || body[0] == '<' || body[0] == '{' || body[0] == '[' || bytes.IndexByte(body, 0) >= 0 {
		return ""
	}
	return string(bytes.ToValidUTF8(body[:min(len(body), maxRefusalText)], nil))
}
