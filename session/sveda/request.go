package sveda

import (
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

const accept = "application/vnd.sveda.stream+json"

// Encode implements event.Dialect (contract 1.3, 3.1 to 3.5).
func (d *Dialect) Encode(r *event.Request) event.WireRequest {
	if r.Kind == event.Reread {
		return event.WireRequest{
			Method: "GET", Endpoint: "history", Path: PathEscape(r.ChatID), Accept: "application/json",
		}
	}
	return event.WireRequest{
		Method: "POST", Endpoint: "stream", Accept: accept, Body: AppendRequest(nil, r),
		Headers: [][2]string{{"Content-Type", "application/json"}},
	}
}

// AppendRequest appends the body of a turn. The order of the keys is the
// contract's (3.3); messages carry their content joined (3.4).
func AppendRequest(dst []byte, r *event.Request) []byte {
	dst = append(dst, `{"messages":[`...)
	for i := range r.Messages {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendMessage(dst, &r.Messages[i])
	}
	dst = append(dst, `],"prompt":`...)
	dst = rawjson.AppendQuoted(dst, r.Prompt)
	dst = append(dst, `,"chatId":`...)
	dst = rawjson.AppendQuoted(dst, r.ChatID)
	dst = append(dst, `,"context":`...)
	dst = appendOr(dst, r.Context, "{}")
	dst = append(dst, `,"clientTools":`...)
	dst = appendOr(dst, r.ClientTools, "[]")
	if len(r.Decisions) > 0 {
		dst = appendDecisions(append(dst, `,"toolDecisions":`...), r.Decisions)
	}
	if r.Model != "" {
		dst = rawjson.AppendQuoted(append(dst, `,"model":`...), r.Model)
	}
	if r.Provider != "" {
		dst = rawjson.AppendQuoted(append(dst, `,"provider":`...), r.Provider)
	}
	if r.Options != nil {
		dst = append(append(dst, `,"options":`...), r.Options...)
	}
	return append(dst, '}')
}

// appendDecisions writes ids and words, never arguments (design rule 3). The
// reason is our extension; it is absent unless the person wrote one.
func appendDecisions(dst []byte, decisions []event.Decision) []byte {
	dst = append(dst, '[')
	for i, d := range decisions {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = rawjson.AppendQuoted(append(dst, `{"toolCallId":`...), d.ToolCallID)
		if d.Approve {
			dst = append(dst, `,"decision":"approve"`...)
		} else {
			dst = append(dst, `,"decision":"deny"`...)
		}
		if d.Reason != "" {
			dst = rawjson.AppendQuoted(append(dst, `,"reason":`...), d.Reason)
		}
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func appendOr(dst, value []byte, standard string) []byte {
	if len(value) == 0 {
		return append(dst, standard...)
	}
	return append(dst, value...)
}

// placeholder goes in front of an answer without reasoning: one model behind
// the server refuses such a history otherwise (contract 3.5). It is never kept
// as reasoning here (W25).
var placeholder = event.Part{Kind: event.ReasoningPart, Text: []byte(".")}

func appendMessage(dst []byte, m *event.Message) []byte {
	content, parts := m.Body(), m.Parts
	switch m.Role {
	case event.Assistant:
		if !hasReasoning(parts) {
			parts = append([]event.Part{placeholder}, parts...)
		}
	case event.Tool:
		// The known server reads content only (turn rule 22).
		for i := range parts {
			content = append(content[:len(content):len(content)], parts[i].Output...)
		}
	}
	return event.AppendMessageContent(dst, m, content, parts)
}

func hasReasoning(parts []event.Part) bool {
	for i := range parts {
		if parts[i].Kind == event.ReasoningPart {
			return true
		}
	}
	return false
}

// PathEscape is encodeURIComponent: an id in a path cannot leave its segment
// (B131, S70).
func PathEscape(s string) string {
	const hex = "0123456789ABCDEF"
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9',
			c == '-', c == '_', c == '.' && s != "." && s != "..", c == '!', c == '~', c == '*', c == '\'', c == '(', c == ')':
			out = append(out, c)
		default:
			out = append(out, '%', hex[c>>4], hex[c&15])
		}
	}
	return string(out)
}
