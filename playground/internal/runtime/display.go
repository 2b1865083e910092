package runtime

import (
	"encoding/json"
	"strings"

	"github.com/svedawasm/svedawasm/playground/internal/store"
)

// DisplayMessage is a message as a page shows it: all steps of a turn in one,
// each result in the message that owns its call (rules 24 and 25).
type DisplayMessage struct {
	ID    string
	Role  store.Role
	Parts []Part
}

// Part is one piece of a DisplayMessage; one of its fields is set.
type Part struct {
	Text      string
	Reasoning string
	File      json.RawMessage
	Call      *store.Call
	Result    *store.Call // the same record, for its output
}

// Text joins the text parts.
func (m DisplayMessage) Text() string {
	var b strings.Builder
	for _, p := range m.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Display gives the messages of a chat for a page. Unlike the known server's,
// the ids of the messages are unique, a call keeps its target, and the parts
// stand in the order in which they came.
func Display(chat *store.Chat) []DisplayMessage {
	var list []DisplayMessage
	for _, m := range chat.Messages {
		if m.Hidden {
			continue
		}
		n := len(list)
		if m.Role == store.RoleUser || n == 0 || list[n-1].ID != m.ID {
			list = append(list, DisplayMessage{ID: m.ID, Role: m.Role})
			n++
		}
		d := &list[n-1]
		if m.Reasoning != "" {
			d.Parts = append(d.Parts, Part{Reasoning: m.Reasoning})
		}
		if m.Text != "" {
			d.Parts = append(d.Parts, Part{Text: m.Text})
		}
		for _, f := range m.Files {
			d.Parts = append(d.Parts, Part{File: f})
		}
		calls := CallsOf(chat, m.Seq)
		for i := range calls {
			d.Parts = append(d.Parts, Part{Call: &calls[i]})
		}
		for i := range calls {
			if calls[i].State == store.StateDone {
				d.Parts = append(d.Parts, Part{Result: &calls[i]})
			}
		}
	}
	return list
}
