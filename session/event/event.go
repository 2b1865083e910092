// Package event is the one model of what a chat server says and what a chat
// client asks. The session knows this model only; each wire protocol is a
// Dialect that translates to and from it.
package event

// Kind says what an Event means to the session.
type Kind uint8

const (
	// Unknown is passed to event listeners and changes nothing else.
	Unknown Kind = iota
	// Malformed is a frame that could not be read; Code says why. Nothing is
	// applied, the stream goes on.
	Malformed
	// MessageStart opens or adopts an assistant message (MessageID, ChatID).
	MessageStart
	// Text and Reasoning append Text to a message.
	Text
	Reasoning
	// SetText and SetReasoning replace the whole text of a message.
	SetText
	SetReasoning
	// UserMessage is a user message replayed by the server (MessageID,
	// ClientID, Text).
	UserMessage
	// ToolCall announces a call: ToolCallID, ToolName, Target, Input, Required.
	ToolCall
	// Batch says that the next Count ToolCall events, which have a Place, belong
	// to one group of confirmations (BatchID) that replaces an earlier unanswered
	// group.
	Batch
	// ToolResult ends a call: ToolCallID, ToolName, Output. One with an Input
	// brings its call along, for those who have not heard of it.
	ToolResult
	// Progress, Usage, Title, MaxSteps are told to the page and change no
	// message. Title carries Text.
	Progress
	Usage
	Title
	MaxSteps
	// MessageEnd ends a turn as far as the server is concerned; the stream may
	// stay open for a tail (a title).
	MessageEnd
	// Error is an error inside the stream: Code, Text. Refusal is set when the
	// server says that it did not accept the request at all.
	Error
	// RunStart proves only that the server began to answer.
	RunStart
	// Done is the protocol's own end mark: nothing follows.
	Done
	// History is a whole stored chat (Messages), read with a Reread request.
	History
	// Metadata is what the server says of the chat as a whole: Text is its
	// title, Running says that a run is on. It proves that the chat exists.
	Metadata
)

// Content says that the event builds an answer: messages, text and calls.
func (k Kind) Content() bool { return MessageStart <= k && k <= Batch }

// Target says where a tool runs.
type Target uint8

const (
	Backend Target = iota
	Frontend
)

// String gives the word of the wire: "backend" or "frontend".
func (t Target) String() string {
	if t == Frontend {
		return "frontend"
	}
	return "backend"
}

// Event is one thing that the server said. A Reader fills it; its byte slices
// are valid until the Reader's next call, so whoever keeps them copies them.
type Event struct {
	Kind Kind
	// Raw is the JSON that event listeners get; nil when the event has none.
	Raw []byte
	// RunID names the run that the event belongs to, where the wire does.
	RunID []byte

	ChatID    []byte
	MessageID []byte
	ClientID  []byte // id that the client gave a replayed user message
	Text      []byte // decoded UTF-8

	ToolCallID []byte
	ToolName   []byte
	Toolset    []byte
	Target     Target
	// Input and Output are raw JSON, exactly as they came.
	Input  []byte
	Output []byte
	// Extra holds members that the model has no field for, as raw JSON members
	// (`"a":1,"b":2`), to be kept with the call or result.
	Extra []byte
	// Required says that a person must decide first. A dialect sets it for
	// anything but absent, null or "auto" (design rule 2, S46).
	Required bool
	// Allowed marks a call that the server says was granted before (asgard
	// alreadyAllowed): it is approved without asking.
	Allowed bool
	// Reason is the model's own word about the call. It is never a heading.
	Reason []byte

	BatchID []byte
	Count   int
	// Place of a call in its batch, counted from 1; 0 for a call in none.
	Place int

	FinishReason []byte
	Code         []byte
	Refusal      bool
	Running      bool

	Messages []Message
}

// Reset clears e for reuse.
func (e *Event) Reset() { *e = Event{} }
