package server

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/svedawasm/svedawasm/playground/internal/runtime"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// message is what the runtime takes of one entry of the request's messages.
type message struct {
	id      string
	role    string
	text    string
	calls   bool // it holds tool calls, which are never taken from a client
	results []runtime.Result
	files   []json.RawMessage
}

// empty reports whether it is a placeholder that the client has left behind.
func (m *message) empty() bool {
	return m.role == "assistant" && strings.TrimSpace(m.text) == "" && !m.calls && len(m.results) == 0
}

var messageNames = rawjson.NewNames("id", "role", "content", "parts", "tool_calls", "tool_call_id", "toolCallId")

func decodeMessages(v rawjson.Value) ([]message, error) {
	var list []message
	err := eachObject("messages", v, true, func(raw []byte) error {
		m, err := decodeMessage(raw)
		list = append(list, m)
		return err
	})
	return list, err
}

func decodeMessage(raw []byte) (m message, err error) {
	var v [7]rawjson.Value
	if err := scan(messageNames, "messages", raw, v[:]); err != nil {
		return m, err
	}
	if m.id, err = optionalString("id", v[0]); err != nil {
		return m, err
	}
	if m.role, err = requiredString("messages", "role", v[1]); err != nil {
		return m, err
	}
	switch m.role {
	case "user", "assistant", "system", "tool":
	default:
		return m, shape("messages: unknown role")
	}
	content, err := optionalString("content", v[2])
	if err != nil {
		return m, err
	}
	var text strings.Builder
	err = eachObject("parts", v[3], true, func(part []byte) error { return m.addPart(part, content, &text) })
	if err != nil {
		return m, err
	}
	m.text = content
	if strings.TrimSpace(content) == "" {
		m.text = text.String()
	}
	m.calls = m.calls || v[4].Kind == rawjson.Array
	if m.role == "tool" && len(m.results) == 0 {
		return m, m.bareResult(v[5], v[6])
	}
	return m, nil
}

var partNames = rawjson.NewNames("type", "text", "toolCallId", "output")

// addPart takes from a part what its message may bring: text, files of a user,
// outputs.
func (m *message) addPart(raw []byte, content string, text *strings.Builder) error {
	var v [4]rawjson.Value
	if err := scan(partNames, "parts", raw, v[:]); err != nil {
		return err
	}
	kind, err := requiredString("parts", "type", v[0])
	if err != nil {
		return err
	}
	switch kind {
	case "text":
		s, err := requiredString("parts", "text", v[1])
		text.WriteString(s)
		return err
	case "tool-call":
		m.calls = true
	case "file":
		if m.role == "user" {
			m.files = append(m.files, bytes.Clone(raw))
		}
	case "tool-result":
		if m.role == "user" || m.role == "system" {
			return nil
		}
		id, err := requiredString("parts", "toolCallId", v[2])
		if err != nil {
			return err
		}
		out := json.RawMessage(v[3].Raw)
		if v[3].Kind == rawjson.Absent {
			out = outputOf(content)
		}
		m.results = append(m.results, runtime.Result{CallID: id, Output: out})
	}
	return nil
}

// bareResult is a tool message in the style of OpenAI: an id and a content.
func (m *message) bareResult(snake, camel rawjson.Value) error {
	id, err := optionalString("tool_call_id", snake)
	if err != nil {
		return err
	}
	if id == "" {
		if id, err = optionalString("toolCallId", camel); err != nil {
			return err
		}
	}
	if id != "" {
		m.results = append(m.results, runtime.Result{CallID: id, Output: outputOf(m.text)})
	}
	return nil
}

// outputOf turns a content into an output: JSON as it is, other text as a
// string, nothing as null (a handler that gave undefined).
func outputOf(content string) json.RawMessage {
	if strings.TrimSpace(content) == "" {
		return json.RawMessage("null")
	}
	if rawjson.Valid([]byte(content)) == nil {
		return json.RawMessage(strings.TrimSpace(content))
	}
	return rawjson.AppendQuoted(nil, content)
}
