package sveda

import (
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// historyReader reads GET /sveda/chat-histories/{chatId} (contract 5).
type historyReader struct {
	body  []byte
	ended bool
	over  bool
}

// maxHistory caps a stored chat, in bytes.
const maxHistory = 64 << 20

func (r *historyReader) Accepts(status int, contentType string) bool {
	return status == 200 && !IsEventStream(contentType)
}

func (r *historyReader) Feed(p []byte) {
	if len(r.body)+len(p) > maxHistory {
		r.over, r.body = true, nil
		return
	}
	r.body = append(r.body, p...)
}

func (r *historyReader) End() { r.ended = true }

func (r *historyReader) Cut() bool { return false }

func (r *historyReader) Err() (string, error) {
	if r.over {
		return "too-large", &rawjson.Error{Code: "too-large", Offset: maxHistory}
	}
	return "", nil
}

var (
	historyNames = rawjson.NewNames("history")
	chatNames    = rawjson.NewNames("messages")
)

func (r *historyReader) Next(e *event.Event) bool {
	if !r.ended || r.body == nil {
		return false
	}
	body := r.body
	r.body = nil
	e.Reset()
	var outer, chat [1]rawjson.Value
	if historyNames.Scan(body, outer[:]) != nil || chatNames.Scan(outer[0].Raw, chat[:]) != nil {
		malformed(e, nil)
		return true
	}
	messages, _, err := event.ParseMessages(chat[0].Raw)
	if err != nil {
		malformed(e, nil)
		return true
	}
	e.Kind, e.Messages = event.History, messages
	return true
}
