package runtime

import (
	"encoding/json"
	"strings"

	"github.com/svedawasm/svedawasm/playground/internal/model"
	"github.com/svedawasm/svedawasm/playground/internal/store"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// noResult is what the model is told of a call without an answer (rule 23).
const noResult = "Tool result was not available."

// maxContext is how much of a page's context the model is told, in bytes; a
// larger one is left out, as it is for the host.
const maxContext = 24000

const systemPrompt = "You are an assistant inside a web page. Use the tools when they help. " +
	"Some tools wait for the person to confirm them; when a result says denied, accept that and do not try again unless asked."

// conversation is the chat as the model sees it: each call is answered right
// behind the step that made it, whatever the order in which the answers came
// (the known server puts the text before the answers, fault S-5).
func conversation(chat *store.Chat, pageContext json.RawMessage) []model.Message {
	system := systemPrompt
	if n := len(pageContext); n > 0 && n <= maxContext && string(pageContext) != "{}" {
		system += "\n\nContext of the page, as JSON:\n" + string(pageContext)
	}
	list := []model.Message{{Role: model.System, Text: system}}
	for _, m := range chat.Messages {
		if m.Role == store.RoleUser {
			list = append(list, model.Message{Role: model.User, Text: withFiles(m)})
			continue
		}
		calls := CallsOf(chat, m.Seq)
		msg := model.Message{Role: model.Assistant, Text: m.Text, Reasoning: m.Reasoning}
		for _, c := range calls {
			msg.Calls = append(msg.Calls, model.Call{ID: c.ID, Name: c.Name, Arguments: c.Input})
		}
		list = append(list, msg)
		for _, c := range calls {
			text := noResult
			if c.State == store.StateDone {
				text = string(c.Output)
			}
			list = append(list, model.Message{Role: model.ToolRole, Text: text, CallID: c.ID, CallName: c.Name})
		}
	}
	return list
}

var fileNames = rawjson.NewNames("name", "url")

// withFiles names the attached files under the text.
func withFiles(m store.Message) string {
	var b strings.Builder
	b.WriteString(m.Text)
	for _, f := range m.Files {
		var v [2]rawjson.Value
		if fileNames.Scan(f, v[:]) == nil && v[0].Kind == rawjson.String {
			b.WriteString("\n[attached file: ")
			b.Write(rawjson.Text(v[0].Raw, nil))
			b.WriteString("]")
		}
	}
	return b.String()
}
