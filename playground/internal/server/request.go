package server

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/google/uuid"
	"github.com/svedawasm/svedawasm/playground/internal/runtime"
	"github.com/svedawasm/svedawasm/playground/internal/store"
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// The request body of /sveda/stream and /sveda/message (contract 1.3). Every
// name is matched exactly and no name that we read may stand twice: what
// decides over a confirmation must not depend on which of two a parser takes.

// decodeError is a body that cannot be used, with the status of the contract.
type decodeError struct {
	status int
	text   string
}

func (e *decodeError) Error() string { return e.text }

func shape(format string, args ...any) error {
	return &decodeError{http.StatusUnprocessableEntity,
		"Failed to deserialize the JSON body into the target type: " + fmt.Sprintf(format, args...)}
}

func syntax(err error) error {
	return &decodeError{http.StatusBadRequest, "Failed to parse the request body as JSON: " + err.Error()}
}

var requestNames = rawjson.NewNames("prompt", "messages", "chatId", "context", "clientTools", "toolDecisions",
	"model", "provider", "options")

// maxChatID is the length limit of a chat id, in bytes.
const maxChatID = 256

// decodeRequest reads the body; visitor and policy are set by the caller.
func decodeRequest(body []byte) (runtime.Request, error) {
	var req runtime.Request
	if err := rawjson.Valid(body); err != nil {
		return req, syntax(err)
	}
	var v [9]rawjson.Value
	if err := scan(requestNames, "request", body, v[:]); err != nil {
		return req, err
	}
	var prompt string
	strs := []struct {
		name string
		v    rawjson.Value
		to   *string
	}{{"prompt", v[0], &prompt}, {"chatId", v[2], &req.Key.Chat}, {"model", v[6], &req.Model}, {"provider", v[7], &req.Provider}}
	for _, s := range strs {
		var err error
		if *s.to, err = optionalString(s.name, s.v); err != nil {
			return req, err
		}
	}
	if req.Key.Chat = strings.TrimSpace(req.Key.Chat); req.Key.Chat == "" {
		req.Key.Chat = "chat_" + uuid.NewString()
	}
	if len(req.Key.Chat) > maxChatID {
		return req, shape("chatId has %d bytes, at most %d are allowed", len(req.Key.Chat), maxChatID)
	}
	if v[3].Kind != rawjson.Absent && v[3].Kind != rawjson.Null {
		req.Context = v[3].Raw
	}
	messages, err := decodeMessages(v[1])
	if err != nil {
		return req, err
	}
	words(&req, messages, strings.TrimSpace(prompt))
	if req.ClientTools, err = decodeClientTools(v[4]); err != nil {
		return req, err
	}
	if req.Decisions, err = decodeDecisions(v[5]); err != nil {
		return req, err
	}
	req.Thinking, err = decodeThinking(v[8])
	return req, err
}

// words chooses what the person newly wrote (rule 21), and takes the outputs
// of frontend calls and, for a chat that is not stored, the earlier words.
// Everything else in messages is the client's picture of what the store knows
// better.
func words(req *runtime.Request, messages []message, prompt string) {
	for len(messages) > 0 && messages[len(messages)-1].empty() {
		messages = messages[:len(messages)-1]
	}
	for _, m := range messages {
		req.Results = append(req.Results, m.results...)
	}
	earlier := messages
	last := message{}
	if n := len(messages); n > 0 {
		last = messages[n-1]
	}
	switch {
	case last.role == "user":
		req.Text, req.MessageID, req.Files = last.text, last.id, last.files
		earlier = messages[:len(messages)-1]
	case last.role == "tool" || prompt == "tool_results":
	default:
		// The client shows its own messages and has added none for these
		// words, for example "Continue" after max_steps.
		req.Text, req.Hidden = prompt, len(messages) > 0
	}
	for _, m := range earlier {
		if (m.role == "user" || m.role == "assistant") && strings.TrimSpace(m.text) != "" {
			req.Seed = append(req.Seed, runtime.SeedMessage{ID: m.id, Role: store.Role(m.role), Text: m.text})
		}
	}
}

var toolNames = rawjson.NewNames("name", "description", "parameters", "confirmation")

func decodeClientTools(v rawjson.Value) ([]runtime.ClientTool, error) {
	var list []runtime.ClientTool
	err := eachObject("clientTools", v, true, func(raw []byte) error {
		var m [4]rawjson.Value
		if err := scan(toolNames, "clientTools", raw, m[:]); err != nil {
			return err
		}
		name, err := requiredString("clientTools", "name", m[0])
		if err != nil {
			return err
		}
		if strings.TrimSpace(name) == "" {
			return shape("clientTools: a name is blank")
		}
		description, err := optionalString("description", m[1])
		if err != nil {
			return err
		}
		switch m[2].Kind {
		case rawjson.Object, rawjson.Absent, rawjson.Null:
		default:
			return shape("clientTools: expected parameters to be an object")
		}
		list = append(list, runtime.ClientTool{Name: name, Description: description, Parameters: m[2].Raw, Confirming: event.Gated(m[3])})
		return nil
	})
	return list, err
}

var decisionNames = rawjson.NewNames("toolCallId", "decision", "reason")

// maxReason is the length limit of a reason, in bytes.
const maxReason = 4096

func decodeDecisions(v rawjson.Value) ([]runtime.Decision, error) {
	var list []runtime.Decision
	err := eachObject("toolDecisions", v, false, func(raw []byte) error {
		var m [3]rawjson.Value
		if err := scan(decisionNames, "toolDecisions", raw, m[:]); err != nil {
			return err
		}
		id, err := requiredString("toolDecisions", "toolCallId", m[0])
		if err != nil {
			return err
		}
		word, err := requiredString("toolDecisions", "decision", m[1])
		if err != nil {
			return err
		}
		// reason is this project's extension; other servers ignore it.
		reason, err := optionalString("reason", m[2])
		if err != nil {
			return err
		}
		if len(reason) > maxReason {
			return shape("toolDecisions: a reason has %d bytes, at most %d are allowed", len(reason), maxReason)
		}
		list = append(list, runtime.Decision{CallID: id, Word: store.Decision(strings.ToLower(strings.TrimSpace(word))), Reason: reason})
		return nil
	})
	return list, err
}

var optionNames = rawjson.NewNames("thinking")

// decodeThinking: only a literal false switches thinking off.
func decodeThinking(v rawjson.Value) (bool, error) {
	switch v.Kind {
	case rawjson.Absent, rawjson.Null:
		return true, nil
	case rawjson.Object:
		var m [1]rawjson.Value
		err := scan(optionNames, "options", v.Raw, m[:])
		return m[0].Kind != rawjson.False, err
	}
	return true, shape("expected options to be an object")
}

// scan looks names up in an object and refuses those that stand twice.
func scan(names *rawjson.Names, what string, raw []byte, out []rawjson.Value) error {
	if err := names.Scan(raw, out); err != nil {
		return shape("expected %s to be an object", what)
	}
	for i := range out {
		if out[i].Duplicate {
			return shape("%s: a field stands twice", what)
		}
	}
	return nil
}

// eachObject visits the objects of an array; nullable says whether null stands
// for an empty one.
func eachObject(name string, v rawjson.Value, nullable bool, visit func([]byte) error) error {
	switch v.Kind {
	case rawjson.Absent:
		return nil
	case rawjson.Null:
		if nullable {
			return nil
		}
	case rawjson.Array:
		var err error
		_ = rawjson.Elements(v.Raw, func(raw []byte) bool { // valid: the body was checked
			err = visit(raw)
			return err == nil
		})
		return err
	}
	return shape("expected %s to be an array", name)
}

func optionalString(name string, v rawjson.Value) (string, error) {
	switch v.Kind {
	case rawjson.Absent, rawjson.Null:
		return "", nil
	case rawjson.String:
		return string(rawjson.Text(v.Raw, nil)), nil
	}
	return "", shape("expected %s to be a string", name)
}

func requiredString(where, name string, v rawjson.Value) (string, error) {
	if v.Kind != rawjson.String {
		return "", shape("%s: expected %s to be a string", where, name)
	}
	return string(rawjson.Text(v.Raw, nil)), nil
}
