package session_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/event"
)

// mirror holds the messages as a page does: from the changes alone.
type mirror struct {
	t        *testing.T
	messages []map[string]any
}

func (m *mirror) apply(ch session.Change) {
	switch ch.Kind {
	case session.MessagesReset:
		m.messages = nil
	case session.MessageAdd:
		if ch.Message != len(m.messages) {
			m.t.Fatalf("message %d is added to %d", ch.Message, len(m.messages))
		}
		m.messages = append(m.messages, m.decode(ch.Data))
	case session.MessageRemove:
		if ch.Message != len(m.messages)-1 {
			m.t.Fatalf("message %d of %d is removed", ch.Message, len(m.messages))
		}
		m.messages = m.messages[:ch.Message]
	case session.MessageID:
		m.messages[ch.Message]["id"] = ch.Text
	case session.PartAdd:
		parts := m.parts(ch.Message)
		if ch.Part != len(parts) {
			m.t.Fatalf("part %d is added to %d", ch.Part, len(parts))
		}
		m.messages[ch.Message]["parts"] = append(parts, m.decode(ch.Data))
	case session.PartSet:
		m.parts(ch.Message)[ch.Part] = m.decode(ch.Data)
	case session.PartText:
		part := m.parts(ch.Message)[ch.Part].(map[string]any)
		part["text"] = part["text"].(string) + string(ch.Data)
	}
}

func (m *mirror) parts(message int) []any {
	if message >= len(m.messages) {
		m.t.Fatalf("a change of message %d of %d", message, len(m.messages))
	}
	return m.messages[message]["parts"].([]any)
}

func (m *mirror) decode(data []byte) map[string]any {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		m.t.Fatalf("change carries no object: %v: %s", err, data)
	}
	return v
}

// check compares the mirror with what the session holds.
func (m *mirror) check(messages []event.Message) {
	m.t.Helper()
	if len(m.messages) != len(messages) {
		m.t.Errorf("the page was told of %d messages, there are %d", len(m.messages), len(messages))
		return
	}
	for i := range messages {
		want := m.decode(event.AppendMessage(nil, &messages[i]))
		if !reflect.DeepEqual(m.messages[i], want) {
			m.t.Errorf("the page sees message %d as\n%v\nit is\n%v", i, m.messages[i], want)
		}
	}
}
