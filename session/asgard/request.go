package asgard

import (
	"bytes"

	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// Encode implements event.Dialect. All paths are below the endpoint "base",
// which is the bot provider (contract 2).
func (d *Dialect) Encode(r *event.Request) event.WireRequest {
	w := event.WireRequest{Endpoint: "base", Headers: d.headers()}
	channel := "?custom_channel_id=" + queryEscape(r.ChatID)
	switch r.Kind {
	case event.Probe:
		w.Method, w.Path = "GET", "/channel/metadata"+channel
	case event.Stop:
		w.Method, w.Path = "POST", "/message/suspend"+channel
		if r.RunID != "" {
			w.Path += "&request_id=" + queryEscape(r.RunID)
		}
		if r.Force {
			w.Path += "&force=true"
		}
	case event.Delete:
		w.Method, w.Path = "DELETE", "/channel"+channel
	case event.Reread:
		w.Method, w.Path, w.Accept = "GET", "/message/sse"+channel, stream
	default:
		w.Method, w.Path, w.Accept = "POST", "/message/sse", stream
		w.Body = AppendRequest(nil, r)
	}
	if r.Cursor != "" {
		// Not empty: the server resumes and dispatches nothing (2.2, W23).
		w.Headers = append(w.Headers, [2]string{"Last-Event-ID", r.Cursor})
	}
	return w
}

const stream = "text/event-stream"

func (d *Dialect) headers() [][2]string {
	h := [][2]string{{"Content-Type", "application/json"}}
	if d.cfg.APIKey != "" {
		h = append(h, [2]string{"X-API-KEY", d.cfg.APIKey})
	}
	if d.cfg.IdentityHint != "" {
		h = append(h, [2]string{"X-ASGARD-USER-IDENTITY-HINT", d.cfg.IdentityHint})
	}
	return h
}

// AppendRequest appends the body of a turn, a nudge or a reply (contract 2.1).
// Members without a value are absent.
func AppendRequest(dst []byte, r *event.Request) []byte {
	dst = append(dst, `{"action":"`...)
	dst = append(dst, action(r.Kind)...)
	dst = append(dst, `","customChannelId":`...)
	dst = rawjson.AppendQuoted(dst, r.ChatID)
	if r.MessageID != "" {
		dst = append(dst, `,"customMessageId":`...)
		dst = rawjson.AppendQuoted(dst, r.MessageID)
	}
	dst = append(dst, `,"text":`...)
	dst = rawjson.AppendQuoted(dst, bytes.TrimSpace([]byte(r.Prompt)))
	if r.Payload != nil {
		dst = append(append(dst, `,"payload":`...), r.Payload...)
	}
	if r.BlobIDs != nil {
		dst = append(append(dst, `,"blobIds":`...), r.BlobIDs...)
	}
	if r.Kind == event.Decide {
		dst = appendConsents(append(dst, `,"toolCallConsents":`...), r.Decisions)
	}
	return append(dst, '}')
}

func action(kind event.RequestKind) string {
	switch kind {
	case event.Decide:
		return "RESPONSE_TOOL_CALL_CONSENT"
	case event.Nudge:
		return "NUDGE"
	}
	return "NONE"
}

// appendConsents writes ids and words, never arguments (design rule 3). The
// reason is always there, as the known client sends it.
func appendConsents(dst []byte, decisions []event.Decision) []byte {
	dst = append(dst, '[')
	for i, d := range decisions {
		if i > 0 {
			dst = append(dst, ',')
		}
		reason := ""
		dst = append(dst, `{"toolCallId":`...)
		dst = rawjson.AppendQuoted(dst, d.ToolCallID)
		switch {
		case d.Approve && d.Always:
			dst = append(dst, `,"result":"ALLOW_ALWAYS"`...)
		case d.Approve:
			dst = append(dst, `,"result":"ALLOW_ONCE"`...)
		default:
			dst = append(dst, `,"result":"DENY_ONCE"`...)
			reason = d.Reason
		}
		dst = append(dst, `,"denyReason":`...)
		dst = rawjson.AppendQuoted(dst, reason)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

// queryEscape writes a value as URLSearchParams does: a space is a plus (R1).
func queryEscape(s string) string {
	const hex = "0123456789ABCDEF"
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9',
			c == '*', c == '-', c == '.', c == '_':
			out = append(out, c)
		case c == ' ':
			out = append(out, '+')
		default:
			out = append(out, '%', hex[c>>4], hex[c&15])
		}
	}
	return string(out)
}
