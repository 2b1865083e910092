package runtime

import (
	"github.com/svedawasm/svedawasm/playground/internal/store"
)

// waiting reports whether a call of the chat waits for a person, or for the
// browser that a person has told to run it.
func waiting(chat *store.Chat) bool {
	for i := range chat.Calls {
		if chat.Calls[i].Waiting() {
			return true
		}
	}
	return false
}

// allowed reports whether a person has approved this tool for the whole chat.
// Toolset and name are compared as a pair, and such an approval never speaks
// for a tool that runs in a browser.
func allowed(chat *store.Chat, call *store.Call) bool {
	if call.Target != store.Backend {
		return false
	}
	for i := range chat.Calls {
		c := &chat.Calls[i]
		if c.Decision == store.ApproveAlways && c.Toolset == call.Toolset && c.Name == call.Name {
			return true
		}
	}
	return false
}

// owesAnswer reports whether the model has still to speak: the last word is
// the user's, or that of tools which have all ended.
func owesAnswer(chat *store.Chat) bool {
	if len(chat.Messages) == 0 {
		return false
	}
	last := chat.Messages[len(chat.Messages)-1]
	if last.Role == store.RoleUser {
		return true
	}
	calls := CallsOf(chat, last.Seq)
	for _, c := range calls {
		if c.Waiting() || c.State == store.StateOpen || c.State == store.StateRunning {
			return false
		}
	}
	return len(calls) > 0
}

// CallsOf gives the calls of one model step (the message with that Seq), in order.
func CallsOf(chat *store.Chat, seq int) []store.Call {
	var list []store.Call
	for _, c := range chat.Calls {
		if c.MessageSeq == seq {
			list = append(list, c)
		}
	}
	return list
}

// firstText is the first thing that the person wrote.
func firstText(chat *store.Chat) string {
	for _, m := range chat.Messages {
		if m.Role == store.RoleUser && !m.Hidden {
			return m.Text
		}
	}
	return ""
}
