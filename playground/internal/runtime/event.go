package runtime

import (
	"encoding/json"

	"github.com/svedawasm/svedawasm/playground/internal/model"
	"github.com/svedawasm/svedawasm/playground/internal/store"
)

// Event is one thing that a turn tells: one of the types of this file.
type Event interface{ isEvent() }

// Emit takes the events of a turn in order, one call at a time. It must not
// block for longer than a client may hold up a turn.
type Emit func(Event)

type (
	// MessageStart comes once, right before the first text, reasoning or call;
	// not at all when the model has produced nothing.
	MessageStart struct{}
	// TextDelta and ReasoningDelta are pieces of the answer.
	TextDelta      struct{ Text string }
	ReasoningDelta struct{ Text string }
	// ToolCall announces a call as it is stored.
	ToolCall struct{ Call store.Call }
	// ToolResult ends a call. Decided is set when a decision led to it.
	ToolResult struct {
		CallID  string
		Name    string
		Output  json.RawMessage
		Decided bool
	}
	// ToolProgress tells how the tasks of spawn_tasks stand.
	ToolProgress struct {
		Phase string
		Tasks []TaskState
	}
	// ContextUsage comes once per model step; both in tokens.
	ContextUsage struct{ Used, Max int }
	// ChatTitle is the stored title.
	ChatTitle struct{ Title string }
	// MaxSteps says that the step limit ended the turn.
	MaxSteps struct{ Max int }
	// MessageEnd ends the turn; everything that it told is stored by then.
	MessageEnd struct {
		Reason string
		Usage  *model.Usage
		// Blocked: the model was not asked, calls still wait.
		Blocked bool
	}
	// Failure is an error of the model.
	Failure struct{ Code, Message string }
)

// TaskState is one task of a ToolProgress. Status is one of pending, running,
// completed and failed.
type TaskState struct {
	ID     string `json:"id"`
	Label  string `json:"label"`
	Status string `json:"status"`
	Detail string `json:"detail,omitempty"`
}

func (MessageStart) isEvent()   {}
func (TextDelta) isEvent()      {}
func (ReasoningDelta) isEvent() {}
func (ToolCall) isEvent()       {}
func (ToolResult) isEvent()     {}
func (ToolProgress) isEvent()   {}
func (ContextUsage) isEvent()   {}
func (ChatTitle) isEvent()      {}
func (MaxSteps) isEvent()       {}
func (MessageEnd) isEvent()     {}
func (Failure) isEvent()        {}

// Finish reasons (contract section 1.6); providers may have others.
const (
	FinishStop      = "stop"
	FinishToolCalls = "tool_calls"
	FinishError     = "error"
)
