// Package store keeps the chats of the playground: what was said, which tool
// calls were made, and how each of them ended.
//
// A chat is append-only. Messages are never rewritten, and a tool call is one
// record whose state only moves forward, so two requests that decide two calls
// of one chat at the same moment cannot undo each other's work. The order of
// the conversation (a call, its answer, the text that follows) is derived from
// the records, not stored a second time.
//
// The interface is made so that a database with row locks can implement it:
// [Store.Update] is "begin; select the chat for update; fn; commit".
package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// ErrNotFound says that the chat does not exist for this visitor.
var ErrNotFound = errors.New("store: chat not found")

// ErrDuplicate says that a message id or a tool call id is taken in this chat.
var ErrDuplicate = errors.New("store: duplicate id")

// Key names one chat. Chats are scoped by visitor: the same id under another
// visitor is another chat.
type Key struct {
	Visitor string
	Chat    string
}

// Chat is everything that is stored of one chat.
type Chat struct {
	Key
	Title      string
	TokensUsed int
	Version    int // +1 per checkpoint and per rename
	CreatedAt  time.Time
	UpdatedAt  time.Time
	Messages   []Message // by Seq
	Calls      []Call    // by (MessageSeq, Position)
}

// Call gives the tool call with that id, or nil.
func (c *Chat) Call(id string) *Call {
	for i := range c.Calls {
		if c.Calls[i].ID == id {
			return &c.Calls[i]
		}
	}
	return nil
}

// Role of a stored message. Tool answers are not messages: they live in Call.
type Role string

// The two roles that are stored.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Message is one user message or one model step.
type Message struct {
	Seq       int    // position in the chat, from 1, given by the store
	ID        string // the client's id for a user message; msg_… of the turn for a model step
	Role      Role
	Text      string
	Reasoning string
	// Files are the file parts of a user message, as the client sent them.
	Files []json.RawMessage
	// Hidden messages are told to the model and not displayed, for example
	// the "Continue" after max_steps.
	Hidden    bool
	CreatedAt time.Time
}

// State of a tool call. It only moves forward: nothing leaves StateDone.
type State string

// The states of a tool call.
const (
	// StatePending: a confirming call that waits for a person.
	StatePending State = "pending"
	// StateApproved: a confirming frontend call that was approved; the
	// browser runs it and owes the result.
	StateApproved State = "approved"
	// StateOpen: a frontend call without confirmation; the browser owes the
	// result.
	StateOpen State = "open"
	// StateRunning: claimed by one process, the host is being called. The
	// claim is what makes a call run at most once.
	StateRunning State = "running"
	// StateDone: Output is set, for ever.
	StateDone State = "done"
	// StateSkipped: will never be run and has no output (an unknown tool, or
	// a call of the last allowed step).
	StateSkipped State = "skipped"
)

// Target says where a tool runs.
type Target string

// The two targets of the contract (section 1.6).
const (
	Backend  Target = "backend"
	Frontend Target = "frontend"
)

// Decision of a person on a confirming call; the first one recorded wins.
type Decision string

// The decisions. The zero value means that none was made.
const (
	Approve Decision = "approve"
	Deny    Decision = "deny"
	// ApproveAlways approves the call and, for the rest of the chat, every
	// later call of the same tool of the same toolset.
	ApproveAlways Decision = "approve-always"
)

// Call is one tool call of a model step.
type Call struct {
	ID         string // unique in the chat
	MessageSeq int    // the model step that made it
	Position   int    // place in that step, from 0
	Name       string
	Toolset    string // what the tool belongs to; "" for the runtime's own
	Identity   string // whom the turn that made it spoke for; "" where a protocol has none
	Target     Target
	Input      json.RawMessage // the bytes that the model gave, never re-encoded
	Confirming bool            // fixed when the call arrives
	State      State
	Decision   Decision
	Reason     string // why it was denied; "" when none was given
	Output     json.RawMessage
	ClaimedBy  string    // the claim of StateRunning
	ClaimUntil time.Time // after this the claimer is taken for dead
	DecidedAt  time.Time // zero when undecided
	FinishedAt time.Time // zero until StateDone
}

// Waiting reports whether the conversation must not go on before this call has
// ended: a confirming call without an output.
func (c *Call) Waiting() bool {
	return c.Confirming && c.State != StateDone && c.State != StateSkipped
}

// Summary is one line of the list of chats.
type Summary struct {
	Key
	Title      string
	Preview    string // the first displayed user text, whole
	TokensUsed int
	Version    int
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// Store is the persistence of the runtime. Implementations are safe for
// concurrent use, by several processes too when the database allows that.
type Store interface {
	// Update runs fn with the chat locked against every other Update of the
	// same chat, in this and in any other process, and commits when fn gives
	// nil. The lock holds for a chat that does not exist yet as well. When fn
	// gives an error nothing is written and that error is returned.
	Update(ctx context.Context, key Key, fn func(Tx) error) error
	// Read gives a consistent copy of a chat, or ErrNotFound.
	Read(ctx context.Context, key Key) (*Chat, error)
	// List gives the visitor's chats, newest UpdatedAt first.
	List(ctx context.Context, visitor string) ([]Summary, error)
	// Delete removes a chat and all that belongs to it, or gives ErrNotFound.
	Delete(ctx context.Context, key Key) error

	// AcquireTurn takes the right to run the model in a chat for owner until
	// the given time, and reports whether it was free, expired or already
	// owner's own (then it is prolonged). One turn at a time speaks in a chat.
	AcquireTurn(ctx context.Context, key Key, owner string, now, until time.Time) (bool, error)
	// ReleaseTurn gives the right back; it is no error if owner has lost it.
	ReleaseTurn(ctx context.Context, key Key, owner string) error

	// EndRunning ends every call that is StateRunning with a claim that ended
	// before now, with the given output. It is how the calls of a process
	// that died get their end; they are never run again. It gives the number
	// of calls that were ended.
	EndRunning(ctx context.Context, now time.Time, output json.RawMessage) (int, error)

	// PutHost and Host keep the visitor's own MCP host (POST
	// /sveda/embed/token); Host gives ErrNotFound when there is none that is
	// valid at now.
	PutHost(ctx context.Context, visitor string, h Host) error
	Host(ctx context.Context, visitor string, now time.Time) (Host, error)

	// Reset removes everything. For tests and the demo only.
	Reset(ctx context.Context) error
	Close() error
}

// Host is where a visitor's backend tools live.
type Host struct {
	URL       string
	Token     string
	ExpiresAt time.Time
}

// Tx is one update of one chat. It must not be used after fn has returned.
type Tx interface {
	// Chat gives the chat as it is in this transaction, or ErrNotFound.
	Chat() (*Chat, error)
	// Create makes an empty chat.
	Create(title string, now time.Time) error
	// Append adds a message at the end and gives its Seq.
	Append(m Message) (int, error)
	// AddCall adds a tool call; ErrDuplicate when its id is taken.
	AddCall(c Call) error
	// PutCall writes the changeable fields of a call (State and below).
	PutCall(c Call) error
	// Touch sets the title, adds tokens, sets UpdatedAt and raises Version.
	Touch(title string, tokens int, now time.Time) error
}
