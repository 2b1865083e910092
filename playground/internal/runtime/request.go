package runtime

import (
	"encoding/json"
	"strings"

	"github.com/svedawasm/svedawasm/playground/internal/policy"
	"github.com/svedawasm/svedawasm/playground/internal/store"
)

// Request is one turn that a client asks for.
type Request struct {
	Key store.Key

	// Text is what the person newly wrote; blank for none. MessageID is the
	// client's id of that message, Files its file parts. Hidden words are told
	// to the model and not kept for display.
	Text      string
	MessageID string
	Files     []json.RawMessage
	Hidden    bool

	// Seed are the words of an older conversation, used only when the chat is
	// not stored. They are words: no call and no result can come in this way.
	Seed []SeedMessage

	// Results are outputs of frontend calls. Only calls that the store knows
	// to be open take one, and only the first.
	Results []Result

	// Identity is whom the turn speaks for, where a protocol tells; it is kept
	// with the calls of the turn.
	Identity string

	Decisions   []Decision
	ClientTools []ClientTool
	Context     json.RawMessage // the page's context; nil for none
	Model       string          // "" for the default
	Provider    string
	Thinking    bool
	Policy      policy.Policy
}

// speaks reports whether the person wrote or attached anything.
func (r *Request) speaks() bool {
	return strings.TrimSpace(r.Text) != "" || len(r.Files) > 0
}

// SeedMessage is an earlier message of a chat that the store does not have.
type SeedMessage struct {
	ID   string
	Role store.Role
	Text string
}

// Result is the output of a call that ran in the browser.
type Result struct {
	CallID string
	Output json.RawMessage
}

// Decision is a person's answer about one call. It carries no arguments: those
// are the stored ones. A Word other than approve or deny is skipped.
type Decision struct {
	CallID string
	Word   store.Decision
	Reason string // with a denial; "" for none
	// Always lets an approval speak for the later calls of the same tool in this
	// chat.
	Always bool
}

// ClientTool is a tool that the page offers.
type ClientTool struct {
	Name        string
	Description string
	Parameters  json.RawMessage
	Confirming  bool
}
