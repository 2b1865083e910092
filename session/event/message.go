package event

// Role of a message.
type Role uint8

const (
	User Role = iota
	Assistant
	System
	Tool
)

var roleNames = [...]string{"user", "assistant", "system", "tool"}

// String gives the word of the wire.
func (r Role) String() string { return roleNames[r] }

// RoleOf reads a role word; ok is false for a word that is none.
func RoleOf(word string) (r Role, ok bool) {
	for i, name := range roleNames {
		if name == word {
			return Role(i), true
		}
	}
	return 0, false
}

// Message is one message of the chat.
type Message struct {
	ID    string
	Role  Role
	Parts []Part
	// Extra holds members without a field here as raw JSON members, so that
	// they go back to the server untouched (S44, B046).
	Extra []byte
	// CreatedAt is a page's own time of the message as raw JSON; it is shown
	// again and never sent.
	CreatedAt []byte
	// Rest is what a newer snapshot holds of the message, opaque.
	Rest []byte
}

// PartKind says which fields of a Part are used.
type PartKind uint8

const (
	TextPart PartKind = iota
	ReasoningPart
	CallPart
	ResultPart
	// OtherPart is any part the model has no field for (files included): Raw.
	OtherPart
)

// Part is one piece of a message.
type Part struct {
	Kind PartKind
	Text []byte // TextPart, ReasoningPart: UTF-8

	// CallPart and ResultPart.
	ToolCallID string
	ToolName   string
	Toolset    string
	Target     Target
	Required   bool
	Input      []byte // CallPart: raw JSON
	Output     []byte // ResultPart: raw JSON
	// Local marks a result that this client wrote itself (a handler's output, a
	// denial, an aborted call). A result of the server replaces it.
	Local bool

	// Raw is the part as it came, for an OtherPart.
	Raw []byte
	// Extra holds unknown members of the part as raw JSON members.
	Extra []byte
	// Rest is what a newer snapshot holds of the part, opaque.
	Rest []byte
}

// Keep copies bytes for as long as the chat lives; nil stays nil. The copy has a
// block of memory of its own: Go puts what is below 16 bytes together, in wasm
// also its references to JavaScript values, which would live as long as the copy.
func Keep(b []byte) []byte {
	if b == nil {
		return nil
	}
	return append(make([]byte, 0, max(len(b), 16)), b...)
}

// Body joins the text parts of the message (contract 3, messageText).
func (m *Message) Body() []byte {
	var body []byte
	for i := range m.Parts {
		if m.Parts[i].Kind == TextPart {
			if body == nil && i == len(m.Parts)-1 {
				return m.Parts[i].Text
			}
			body = append(body, m.Parts[i].Text...)
		}
	}
	return body
}
