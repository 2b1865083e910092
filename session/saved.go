package session

import "github.com/svedawasm/svedawasm/session/event"

// Saved is what of a session outlives its page, as plain data: Save makes it,
// Restore and Adopt take it, package snapshot gives it bytes. Times are ms since
// 1970 by the wall clock, 0 for unknown. Rest holds what a newer version added,
// as opaque bytes that go back into the next snapshot.
type Saved struct {
	ChatID   string
	Messages []event.Message
	// Fixed are the calls as they first arrived, Local the results that this
	// client made, where the messages do not hold them any more.
	Fixed         []event.Part
	Local         []event.Part
	Batches       []SavedBatch
	Confirmations []SavedConfirmation
	Grants        []SavedGrant
	Runs          []SavedRun
	Outputs       []SavedOutput
	// LastSent is the id of the person's newest message.
	LastSent string
	// Request is what was on its way, nil for nothing. Its answer is lost.
	Request *SavedRequest
	Turn    SavedTurn
	Failed  bool
	Rest    []byte
}

// SavedBatch is a group of confirmations that are answered together.
type SavedBatch struct {
	ProcessID string
	Total     int
	Count     int
	Rest      []byte
}

// SavedConfirmation is a call that waits, or waited, for a person.
type SavedConfirmation struct {
	ToolCallID string
	ToolName   string
	Toolset    string
	Mode       string
	Reason     string // the model's own word
	Target     event.Target
	Input      []byte
	Batch      int // 1-based place in Saved.Batches, 0 for none
	Position   int
	State      State
	// Decision is what was recorded; it never changes (I4). Sent says that it
	// went out at least once, so that the server may know it.
	Decided   bool
	Decision  event.Decision
	Automatic bool
	Sent      bool
	Conflict  bool
	ErrorCode string
	ErrorText string
	ArrivedAt int64
	DecidedAt int64
	Attempt   int // how often the person let the handler be tried again
	Asked     int
	Uncertain bool // a decision that failed may have been taken
	Rest      []byte
}

// SavedGrant is "allow for this chat".
type SavedGrant struct {
	Toolset    string
	ToolName   string
	Batch      int // as in SavedConfirmation
	Definition string
	Rest       []byte
}

// SavedRun is a frontend handler that had started and not reported.
type SavedRun struct {
	ToolCallID string
	ToolName   string
	Automatic  bool
	Rest       []byte
}

// SavedOutput is a result that the server does not know of yet. Part is set for
// an automatic call.
type SavedOutput struct {
	Automatic bool
	Part      event.Part
	Rest      []byte
}

// SavedRequest is a request whose answer was still to come.
type SavedRequest struct {
	Kind      event.RequestKind
	MessageID string
	UpTo      int // messages that it carried
	Rest      []byte
}

// SavedTurn is the turn that was running, or the last one.
type SavedTurn struct {
	Active  bool
	Options TurnOptions
	Rounds  int
	Rest    []byte
}
