// Package model is what the runtime asks for the next step of a conversation.
//
// There are two implementations: [Offline], which reads plain English requests
// and needs nothing, and [OpenAI], which speaks to any OpenAI-compatible
// server.
package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Role of a message as the model sees it.
type Role string

// The roles.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Message is one entry of the conversation.
type Message struct {
	Role      Role
	Text      string // for ToolRole: the output as JSON text
	Reasoning string
	Calls     []Call // of an assistant message
	CallID    string // of a tool message: which call it answers
	CallName  string
}

// Call is a tool call that the model makes. Arguments are the bytes that the
// model gave; they are passed on as they are.
type Call struct {
	ID        string // may be empty or repeated; the runtime makes it unique
	Name      string
	Arguments json.RawMessage
}

// Tool is a tool that the model may call.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON Schema
}

// Request is one step.
type Request struct {
	Model    string // id of the model within its provider
	Messages []Message
	Tools    []Tool
	Thinking bool
}

// Delta is a piece of the answer; one of the two is not empty.
type Delta struct {
	Text      string
	Reasoning string
}

// Response is what a step came to. Text and reasoning were given as deltas
// already and stand here whole.
type Response struct {
	Text         string
	Reasoning    string
	Calls        []Call
	FinishReason string // "stop", "tool_calls", or the provider's own word
	Usage        Usage
}

// Usage counts tokens.
type Usage struct {
	Prompt     int
	Completion int
}

// Model makes steps. Implementations are safe for concurrent use.
type Model interface {
	// Generate makes one step and gives its deltas to emit as they come. When
	// it fails half-way the Response holds what there was.
	Generate(ctx context.Context, req Request, emit func(Delta)) (Response, error)
	// Title gives a short title for a conversation that begins with this text.
	Title(ctx context.Context, text string) (string, error)
	// ContextWindow is the number of tokens that fit.
	ContextWindow() int
}

// Codes of an [Error], as they go on the wire (contract section 1.6).
const (
	CodeRateLimited         = "rate_limited"
	CodeOverloaded          = "overloaded"
	CodeInsufficientCredits = "insufficient_credits"
	CodeFailed              = "llm_error"
)

// Error is a failure of the provider. Message may be shown to a person; it
// never holds the provider's own text, which can name keys and accounts.
type Error struct {
	Code    string
	Message string
	Err     error
}

func (e *Error) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return e.Message + ": " + e.Err.Error()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// AsError gives err as an *Error, with [CodeFailed] when it is none.
func AsError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Code: CodeFailed, Message: "The model could not answer.", Err: err}
}

// Entry is a model that requests may name.
type Entry struct {
	ID       string
	Provider string
	Name     string // for people
	Model    Model
}

// Catalogue is the models of a runtime; the first is the default.
type Catalogue []Entry

// ErrUnknown says that no model has that id. Its text goes to the client.
type ErrUnknown struct{ ID string }

func (e *ErrUnknown) Error() string { return fmt.Sprintf("Unknown model: %s", e.ID) }

// Find gives the model for a request; empty id and provider mean the default.
func (c Catalogue) Find(id, provider string) (Entry, error) {
	for _, e := range c {
		if (id == "" || e.ID == id) && (provider == "" || e.Provider == provider) {
			return e, nil
		}
	}
	if id == "" {
		id = provider
	}
	return Entry{}, &ErrUnknown{id}
}

// EstimateTokens is the usual rule of thumb, four characters to a token, for
// providers that do not count.
func EstimateTokens(messages []Message) int {
	n := 0
	for _, m := range messages {
		n += 4 + Estimate(m.Text) + Estimate(m.Reasoning)
		for _, c := range m.Calls {
			n += 4 + Estimate(c.Name) + Estimate(string(c.Arguments))
		}
	}
	return n
}

// Estimate is [EstimateTokens] for one text.
func Estimate(s string) int { return (utf8.RuneCountInString(s) + 3) / 4 }
