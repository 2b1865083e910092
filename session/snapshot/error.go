package snapshot

// Codes of the errors of Decode, and of Encode.
const (
	CodeForeign = "snapshot-foreign" // no snapshot of a session at all
	CodeNewer   = "snapshot-newer"   // of a version that this code cannot read
	CodeCorrupt = "snapshot-corrupt" // damaged: cut, changed, or never whole
	CodeLarge   = "snapshot-large"   // the chat is beyond what a snapshot can hold
)

// Error says why bytes are not a session. The bytes should be kept aside: they
// may be all that is left of a chat (F34).
type Error struct {
	Code    string
	Message string
}

func (e *Error) Error() string { return "reading a snapshot: " + e.Message }

func corrupt(why string) *Error { return &Error{CodeCorrupt, why} }
