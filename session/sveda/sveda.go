// Package sveda is the dialect of Sveda's own stream (contract sveda, sections 1
// and 3): one JSON object a frame, the request body with the whole chat.
package sveda

import (
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// Config says what the client has beside the stream endpoint.
type Config struct {
	// Histories: the client has the endpoint "history", so a chat can be read
	// again.
	Histories bool
}

// Dialect implements event.Dialect.
type Dialect struct{ cfg Config }

// New makes the dialect.
func New(cfg Config) *Dialect { return &Dialect{cfg} }

// Traits implements event.Dialect.
func (d *Dialect) Traits() event.Traits {
	return event.Traits{ResultsByID: true, RepeatsDecisions: true, Placeholder: true, ClientName: "[sveda]"}
}

// Supports implements event.Dialect.
func (d *Dialect) Supports(kind event.RequestKind) bool {
	switch kind {
	case event.Turn, event.Decide, event.Outputs, event.Continue:
		return true
	case event.Reread:
		return d.cfg.Histories
	}
	return false
}

// Reader implements event.Dialect.
func (d *Dialect) Reader(kind event.RequestKind) event.Reader {
	if kind == event.Reread {
		return &historyReader{}
	}
	return newReader()
}

// Texts of the server's two 409 answers (contract 1.8).
const (
	textConfirmationRequired = "Tool confirmation is required before the conversation can continue."
	textHistoryUnavailable   = "Chat history is unavailable."
)

// Refuse implements event.Dialect: it reads the server's words, which the known
// client never does (W17), and tells the two 409s apart (R16). An unknown 409
// counts as a waiting confirmation: reading the state again does no harm.
func (d *Dialect) Refuse(status int, body []byte) event.Refusal {
	r := event.Refusal{Text: refusalText(body)}
	switch status {
	case 401:
		r.Code = "unauthorized"
	case 403:
		r.Code = "forbidden"
	case 409:
		r.Code, r.Pending = "confirmation-required", true
		if r.Text == textHistoryUnavailable {
			r.Code, r.Pending, r.Gone = "history-unavailable", false, true
		}
	case 413:
		r.Code = "too-large"
	case 429:
		r.Code = "rate-limited"
	default:
		r.Code = "http-status"
	}
	return r
}

// refusalText finds the words of an error body: JSON {"message"}, or what an SSE
// shaped body carries (B127), or plain text.
func refusalText(body []byte) string {
	if rawjson.KindOf(body) == rawjson.Object {
		return objectText(body)
	}
	if text := eventText(body); text != "" {
		return text
	}
	return plainText(body)
}
