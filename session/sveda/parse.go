package sveda

import (
	"strings"

	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// Request is the body of POST /sveda/stream as a server reads it (contract 1.3).
type Request struct {
	Prompt      string
	Messages    []event.Message
	ChatID      string // "" when it was blank: the server invents one
	Context     []byte // raw JSON, nil when absent or null
	ClientTools []ClientTool
	// Decisions are the valid ones, in order; of several about one call the first
	// (turn rule 13). HasDecisions says that the array was there and not empty.
	Decisions    []event.Decision
	HasDecisions bool
	Model        string
	Provider     string
	Thinking     bool // false only for options.thinking === false
}

// ClientTool is a tool that the page offers.
type ClientTool struct {
	Name        string
	Description string
	Parameters  []byte // raw JSON object; nil when absent
	Required    bool   // a person must decide
}

// RequestError is a body that a server refuses before anything else.
type RequestError struct {
	Status int // 400: not JSON; 422: JSON of another shape
	Text   string
}

func (e *RequestError) Error() string { return e.Text }

func shape(text string) *RequestError {
	return &RequestError{422, "Failed to deserialize the JSON body into the target type: " + text}
}

var (
	bodyNames     = rawjson.NewNames("prompt", "messages", "chatId", "context", "clientTools", "toolDecisions", "model", "provider", "options")
	toolNames     = rawjson.NewNames("name", "description", "parameters", "confirmation")
	decisionNames = rawjson.NewNames("toolCallId", "decision", "reason")
	optionNames   = rawjson.NewNames("thinking")
)

// ParseRequest reads a request body. Every name is matched exactly, and none that
// is read here may stand twice: what decides over a call must not depend on which
// of two a parser takes (design rule 8).
func ParseRequest(body []byte) (*Request, *RequestError) {
	if err := rawjson.Valid(body); err != nil {
		return nil, &RequestError{400, "Failed to parse the request body as JSON: " + err.Error()}
	}
	var v [9]rawjson.Value
	if err := scan(bodyNames, "the body", body, v[:]); err != nil {
		return nil, err
	}
	r := &Request{}
	for _, f := range []struct {
		name string
		v    rawjson.Value
		to   *string
	}{{"prompt", v[0], &r.Prompt}, {"chatId", v[2], &r.ChatID}, {"model", v[6], &r.Model}, {"provider", v[7], &r.Provider}} {
		if f.v.Kind > rawjson.Null && f.v.Kind != rawjson.String {
			return nil, shape("expected " + f.name + " to be a string")
		}
		*f.to = string(rawjson.Text(f.v.Raw, nil))
	}
	r.ChatID = strings.TrimSpace(r.ChatID)
	if v[3].Kind > rawjson.Null {
		r.Context = v[3].Raw
	}
	if v[1].Kind > rawjson.Null {
		messages, skipped, err := event.ParseMessages(v[1].Raw)
		if err != nil || skipped > 0 {
			return nil, shape("expected messages to be an array of messages")
		}
		r.Messages = messages
	}
	if err := parseTools(r, v[4]); err != nil {
		return nil, err
	}
	if err := parseDecisions(r, v[5]); err != nil {
		return nil, err
	}
	if err := parseOptions(r, v[8]); err != nil {
		return nil, err
	}
	return r, nil
}

func parseTools(r *Request, v rawjson.Value) *RequestError {
	if v.Kind == rawjson.Null {
		return nil
	}
	return each("clientTools", v, func(object []byte) *RequestError {
		var m [4]rawjson.Value
		if err := scan(toolNames, "a client tool", object, m[:]); err != nil {
			return err
		}
		name := string(rawjson.Text(m[0].Raw, nil))
		if strings.TrimSpace(name) == "" {
			return shape("expected the name of a client tool to be a string")
		}
		t := ClientTool{Name: name, Description: string(rawjson.Text(m[1].Raw, nil)), Required: event.Gated(m[3])}
		if m[2].Kind > rawjson.Null {
			if m[2].Kind != rawjson.Object {
				return shape("expected the parameters of a client tool to be an object")
			}
			t.Parameters = m[2].Raw
		}
		r.ClientTools = append(r.ClientTools, t)
		return nil
	})
}

// parseDecisions reads decisions. Here null is not absent (contract 1.3). A word
// that is none is skipped, and its id has had its turn (turn rule 13).
func parseDecisions(r *Request, v rawjson.Value) *RequestError {
	seen := map[string]bool{}
	return each("toolDecisions", v, func(object []byte) *RequestError {
		var m [3]rawjson.Value
		if err := scan(decisionNames, "a decision", object, m[:]); err != nil {
			return err
		}
		if m[0].Kind != rawjson.String || m[1].Kind != rawjson.String {
			return shape("expected toolCallId and decision to be strings")
		}
		r.HasDecisions = true
		d := event.Decision{ToolCallID: string(rawjson.Text(m[0].Raw, nil)), Reason: string(rawjson.Text(m[2].Raw, nil))}
		word := strings.ToLower(strings.TrimSpace(string(rawjson.Text(m[1].Raw, nil))))
		d.Approve = word == "approve"
		if !seen[d.ToolCallID] && (d.Approve || word == "deny") {
			r.Decisions = append(r.Decisions, d)
		}
		seen[d.ToolCallID] = true
		return nil
	})
}

func parseOptions(r *Request, v rawjson.Value) *RequestError {
	r.Thinking = true
	switch v.Kind {
	case rawjson.Absent, rawjson.Null:
		return nil
	case rawjson.Object:
		var m [1]rawjson.Value
		err := scan(optionNames, "options", v.Raw, m[:])
		r.Thinking = m[0].Kind != rawjson.False
		return err
	}
	return shape("expected options to be an object")
}

func scan(names *rawjson.Names, what string, object []byte, out []rawjson.Value) *RequestError {
	if names.Scan(object, out) != nil {
		return shape("expected " + what + " to be an object")
	}
	for i := range out {
		if out[i].Duplicate {
			return shape("a field of " + what + " stands twice")
		}
	}
	return nil
}

func each(name string, v rawjson.Value, visit func(object []byte) *RequestError) *RequestError {
	if v.Kind == rawjson.Absent {
		return nil
	}
	var failed *RequestError
	err := rawjson.Elements(v.Raw, func(object []byte) bool {
		failed = visit(object)
		return failed == nil
	})
	if err != nil {
		return shape("expected " + name + " to be an array")
	}
	return failed
}
