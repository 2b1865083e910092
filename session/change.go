package session

// ChangeKind says what a page must show differently. The mirror in web/ applies
// changes in order.
type ChangeKind uint8

const (
	// StatusChange: Text is the status word.
	StatusChange ChangeKind = iota + 1
	// ChatIDChange: Text is the new chat id.
	ChatIDChange
	// MessagesReset: all messages are gone; MessageAdd follow for those that stay.
	MessagesReset
	// MessageAdd: Data is the JSON of message number Message, the last one.
	MessageAdd
	// MessageRemove: message number Message is gone.
	MessageRemove
	// MessageID: message number Message has the id Text now; its key stays.
	MessageID
	// PartAdd: Data is the JSON of part number Part, the last one.
	PartAdd
	// PartSet: Data is the new JSON of part number Part.
	PartSet
	// PartText: Data (UTF-8) is appended to the text of part number Part.
	PartText
	// ConfirmationSet: Data is the JSON of a confirmation, new or changed, by its
	// toolCallId.
	ConfirmationSet
	// ConfirmationsCleared: all confirmations are gone from the page.
	ConfirmationsCleared
	// PendingChange: Message is 1 while a confirmation holds the chat.
	PendingChange
	// RawEvent: Data is the JSON of a wire event, for event listeners.
	RawEvent
	// Notify: tell the listeners of event name Text; Data is the JSON payload.
	Notify
	// Warning: Data is JSON {code, message, ...}: something odd that was survived.
	Warning
	// Failure: Data is the JSON of an error, told once per failure (W18).
	Failure
	// GrantsChange: Data is the JSON array of what is allowed for this chat.
	GrantsChange
	// OutputsChange: Data is the JSON array of tool results that wait for
	// SubmitOutputs (W11).
	OutputsChange
)

// Change is one thing that a page must show differently.
type Change struct {
	Kind    ChangeKind
	Message int
	Part    int
	Text    string
	Data    []byte
	from    int // PartText: where the appended text begins and ends in its part
	to      int
}

// Output is what one or more inputs led to. Its slices are valid until the next
// input.
type Output struct {
	Effects []Effect
	Changes []Change
}

// Flush takes what has come out since the last Flush. Effects and changes each
// are in order; the driver shows the changes first.
func (s *Session) Flush() Output {
	for i := range s.changes {
		if c := &s.changes[i]; c.Kind == PartText && c.Data == nil {
			c.Data = s.messages[c.Message].Parts[c.Part].Text[c.from:c.to]
		}
	}
	out := Output{Effects: s.effects, Changes: s.changes}
	s.effects, s.changes, s.arena = s.effects[:0], s.changes[:0], s.arena[:0]
	return out
}
