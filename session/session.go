// Package session is the heart: one chat as a state machine. Inputs are method
// calls; what must be done comes out as effects, what the page must see as
// changes. It has no I/O, no clock, no goroutine and no randomness of its own:
// the same inputs give the same outputs, byte for byte (design, "The session").
//
// A driver calls one input, then takes the output with Flush, does the effects
// and shows the changes. The driver's answers (response bytes, a tool's output,
// a timer) are inputs again.
package session

import (
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/toolregistry"
)

// Status is what a page shows of the session (contract sveda 3.7).
type Status uint8

const (
	Idle      Status = iota
	Submitted        // a request is on its way
	Streaming        // the response has begun
	Failed           // the last turn ended with an error
)

var statusWords = [...]string{"idle", "submitted", "streaming", "error"}

// String gives the word of the contract.
func (s Status) String() string { return statusWords[s] }

// Config fixes a session at its creation. Zero durations and counts mean the
// default; a negative duration switches the timer off.
type Config struct {
	ChatID  string
	Dialect event.Dialect
	Tools   *toolregistry.Registry
	// Seed feeds the ids of messages. It must be random for each session.
	Seed [16]byte
	// NoAutoSubmit keeps the outputs of frontend tools until SubmitOutputs.
	NoAutoSubmit bool
	// MaxToolRounds ends a turn that submits tool outputs more often than this
	// without a word of the person (W20). Default 30.
	MaxToolRounds int
	// ToolTimeout is how long a frontend handler may take, ms. Default 300,000.
	ToolTimeout int
	// TailTimeout is how long a stream may stay open after its message.end, ms
	// (B122; the title is made in this time). Default 10,000.
	TailTimeout int
	// SilenceTimeout is how long a response may stay without a byte, ms.
	// Default 120,000: the known server sends no heartbeat while a tool runs.
	SilenceTimeout int
	// Grants lets a person approve a tool for the whole chat where the server
	// does not keep such a grant (U56).
	Grants bool
	// Persist asks for Persist effects.
	Persist bool
	// Claims asks for Claim effects: several pages may show this chat.
	Claims bool
	// DecisionAttempts is how often a decision is sent whose fate stays unknown
	// (R14). Default 4; 1 leaves every retry to the person, which is right for a
	// server that may run a tool twice when it hears an approval twice (contract
	// sveda, S-1).
	DecisionAttempts int
	// DecisionTimeout is how long a decision may be on its way without an answer,
	// all attempts together, ms (R20). Default 15,000.
	DecisionTimeout int
	// LateApproval is the age from which an approval that was not sent yet needs a
	// new gesture, ms (I13). Default 120,000.
	LateApproval int
	// RefreshAuth: the page makes the headers for each request, so that a request
	// that got 401 is made once more (R11).
	RefreshAuth bool
}

// Ticket names a promise of the driver; it comes back in a Settle effect.
// 0 is no promise.
type Ticket int

// Session is one chat. It is not safe for concurrent use.
type Session struct {
	cfg      Config
	traits   event.Traits
	tools    *toolregistry.Registry
	ids      idSource
	chatID   string
	now      int64 // ms, as told by At
	wall     int64 // ms since 1970, as told by Wall; 0 when not known
	status   Status
	closed   bool
	events   bool // event listeners want the raw events
	messages []event.Message

	calls   map[string]callRef    // where each call of messages stands, by toolCallId
	results map[string]callRef    // where its result stands
	early   map[string]event.Part // results that came before their call
	// What follows outlives messages that are replaced: a call is what it was when
	// it first arrived (S37), and what ended here never runs again (rule 1).
	fixed ledger
	// local has the results that this client made, outputs and denials, and those
	// of the server that no message holds any more.
	local ledger
	told  map[string]bool // calls of which the server may know a decision

	confirmations []*confirmation
	byCall        map[string]*confirmation
	batch         *batch // the group that the server asked last
	askedAt       []question
	grants        []grant
	runs          []*run // frontend handlers that are running
	outputs       []output
	main          *stream   // the stream of the turn
	sides         []*stream // requests beside the turn (re-reading, stopping)
	doubt         bool      // what the server holds is not known; read it again
	watching      watching
	stopping      stopping
	lastSent      string // id of the person's last message that was sent from here
	turn          turn
	tickets       []ticket
	timers        []timer
	lastID        int    // streams, runs and timers share one counter
	lastMain      int    // the id of the newest stream of a turn
	lost          string // the message whose answer was lost with an earlier page
	rest          []byte // of a newer snapshot, opaque

	effects  []Effect
	changes  []Change
	pending  bool   // last value told to the page
	arena    []byte // bytes of the changes of this output
	readerEv event.Event
}

const (
	defaultToolRounds     = 30
	defaultToolTimeout    = 300_000
	defaultTailTimeout    = 10_000
	defaultSilenceTimeout = 120_000
)

// New makes a session.
func New(cfg Config) *Session {
	cfg.MaxToolRounds = orDefault(cfg.MaxToolRounds, defaultToolRounds)
	cfg.ToolTimeout = orDefault(cfg.ToolTimeout, defaultToolTimeout)
	cfg.TailTimeout = orDefault(cfg.TailTimeout, defaultTailTimeout)
	cfg.SilenceTimeout = orDefault(cfg.SilenceTimeout, defaultSilenceTimeout)
	cfg.DecisionAttempts = orDefault(cfg.DecisionAttempts, defaultDecisionAttempts)
	cfg.DecisionTimeout = orDefault(cfg.DecisionTimeout, defaultDecisionTimeout)
	cfg.LateApproval = orDefault(cfg.LateApproval, defaultLateApproval)
	if cfg.Tools == nil {
		cfg.Tools = toolregistry.New()
	}
	return &Session{
		cfg: cfg, traits: cfg.Dialect.Traits(), tools: cfg.Tools, ids: newIDSource(cfg.Seed),
		chatID: cfg.ChatID, calls: map[string]callRef{}, results: map[string]callRef{},
		early: map[string]event.Part{},
		told:  map[string]bool{}, byCall: map[string]*confirmation{},
	}
}

func orDefault(value, standard int) int {
	if value == 0 {
		return standard
	}
	return value
}

// At tells the session the time, in ms of a clock that only goes forward.
func (s *Session) At(ms int64) { s.now = max(s.now, ms) }

// SetEvents says whether anyone listens to raw events; without it none are
// handed out, which is what makes text cheap.
func (s *Session) SetEvents(on bool) { s.events = on }

// ChatID is the chat's id; the server may give another one in the first answer.
func (s *Session) ChatID() string { return s.chatID }

// Status is what a page shows of the session.
func (s *Session) Status() Status { return s.status }

// Messages are the messages of the chat. They must not be changed.
func (s *Session) Messages() []event.Message { return s.messages }

// Closed says whether the session was closed.
func (s *Session) Closed() bool { return s.closed }

// NewID makes an id for a message.
func (s *Session) NewID() string { return s.ids.New() }
