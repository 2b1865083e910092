package session

import (
	"github.com/svedawasm/svedawasm/session/event"
)

// turn is what runs from a word of the person (send, decision, continue) until
// nothing is left to do by itself. It may span several streams.
type turn struct {
	active  bool
	options TurnOptions
	rounds  int    // submissions of tool outputs in this turn
	first   int    // the turn's messages begin here
	rest    []byte // of a newer snapshot, opaque
}

// TurnOptions go with a turn and with the requests that follow from it.
type TurnOptions struct {
	Context  []byte // JSON object laid over the page's context; nil for none
	Payload  []byte // JSON value (asgard); nil for none
	Options  []byte // JSON value, e.g. {"thinking":false}; nil for none
	Model    string
	Provider string
}

// given says whether any option was set.
func (o *TurnOptions) given() bool {
	return o.Context != nil || o.Payload != nil || o.Options != nil || o.Model != "" || o.Provider != ""
}

// Outgoing is what the person sends.
type Outgoing struct {
	Text      string
	MessageID string // "" makes one
	Files     []byte // JSON array of file parts; nil for none
	BlobIDs   []byte // JSON array (asgard); nil for none
	TurnOptions
}

// ticket is a promise that waits for the turn. stream is the request that
// decides over it; 0 while that request is still to come.
type ticket struct {
	id      Ticket
	stream  int
	data    []byte
	decided []*confirmation // by the decisions that it is the promise of
}

// undone is the error of a decision that did not come about, nil otherwise.
func (t *ticket) undone(s *Session) *Error {
	for _, c := range t.decided {
		if c.ready(s) {
			return newError(CodeAborted, "the decision was not sent")
		}
		if c.state == Pending || c.state == Expired || c.state == AnsweredElsewhere && c.stream == 0 {
			return c.err
		}
	}
	return nil
}

// Send starts a turn with the person's words. While a confirmation waits or a
// turn runs it is refused and leaves no trace (design rule 4, R17, R18).
func (s *Session) Send(t Ticket, m Outgoing) {
	if !s.mayStart(t) {
		return
	}
	if m.MessageID == "" {
		m.MessageID = s.ids.New()
	}
	user := event.Message{ID: m.MessageID, Role: event.User}
	user.Parts = append(user.Parts, event.Part{Kind: event.TextPart, Text: event.Keep([]byte(m.Text))})
	user.Parts = append(user.Parts, event.FileParts(m.Files)...)
	s.begin(m.TurnOptions)
	s.dropConfirmations()
	s.attachOutputs() // of a turn that failed: they are history now, not lost
	s.addMessage(user)
	s.lastSent = m.MessageID
	s.open(&event.Request{
		Kind: event.Turn, Prompt: m.Text, MessageID: m.MessageID, BlobIDs: m.BlobIDs,
	}, t)
}

// Nudge asks the agent to go on without words (contract asgard 2.1).
func (s *Session) Nudge(t Ticket, o TurnOptions) { s.wordless(t, event.Nudge, "", o) }

// Open starts a channel without words (contract asgard L1).
func (s *Session) Open(t Ticket, o TurnOptions) { s.wordless(t, event.Open, "", o) }

// Continue goes on after the server's step limit (contract sveda 3.18).
func (s *Session) Continue(t Ticket, o TurnOptions) { s.wordless(t, event.Continue, "Continue", o) }

func (s *Session) wordless(t Ticket, kind event.RequestKind, prompt string, o TurnOptions) {
	if !s.cfg.Dialect.Supports(kind) {
		s.reject(t, newError(CodeUnsupported, "the protocol has no such request"))
		return
	}
	if !s.mayStart(t) {
		return
	}
	s.begin(o)
	s.dropConfirmations()
	s.attachOutputs()
	s.open(&event.Request{Kind: kind, Prompt: prompt, MessageID: s.lastSent}, t)
}

// SubmitOutputs sends the outputs of frontend tools that were kept because of
// NoAutoSubmit (W11).
func (s *Session) SubmitOutputs(t Ticket) {
	if !s.mayStart(t) {
		return
	}
	if len(s.outputs) == 0 {
		s.reject(t, newError(CodeNothingToSubmit, "there is no tool output to submit"))
		return
	}
	s.begin(s.turn.options)
	s.submit(t)
}

// mayStart is the guard of every turn. It looks at the confirmations first,
// never at whether a stream is open (design rule 4).
func (s *Session) mayStart(t Ticket) bool {
	switch {
	case s.closed:
		s.reject(t, newError(CodeClosed, "the session was closed"))
	case s.Pending():
		err := newError(CodeAwaitingConsent,
			"Cannot send this turn while the channel is awaiting a tool-call consent response.")
		err.ProcessID = s.waitingBatch()
		s.reject(t, err)
	case s.running() || s.sideOf(event.Delete) != nil:
		s.reject(t, s.busy())
	default:
		return true
	}
	return false
}

func (s *Session) busy() *Error {
	err := newError(CodeBusy, "a turn is running; wait for its end or stop it")
	err.RunKind = s.runKind()
	return err
}

// running says that the turn goes on by itself.
func (s *Session) running() bool {
	return s.main != nil || len(s.runs) > 0 || s.holding() || s.claiming()
}

func (s *Session) begin(o TurnOptions) {
	s.turn = turn{active: true, options: o, first: len(s.messages)}
}

// advance does what the turn can do next now that an input has been taken. It
// is the only place that opens follow-up requests.
func (s *Session) advance() {
	s.yieldReread()
	if s.closed || s.main != nil || s.sideOf(event.Delete) != nil {
		return
	}
	if s.doubt {
		s.doubt, s.turn.active = false, true
		s.open(&event.Request{Kind: event.Reread}, 0)
		return
	}
	s.dropLate()
	s.startApproved()
	if len(s.runs) > 0 || s.claiming() || s.check() {
		return // outputs and decisions go together (W8)
	}
	if s.sendDecisions() {
		return
	}
	if s.maySubmit() {
		if s.turn.rounds < s.cfg.MaxToolRounds {
			s.submit(0)
			return
		}
		s.fail(newError(CodeToolRounds, "the turn was ended: it submitted tool outputs too often"))
	}
	s.settleTurn()
}

// maySubmit says whether the outputs of frontend tools go out now: the model is
// not called while a call still waits for its decision (W4), nor by itself
// after a failure.
func (s *Session) maySubmit() bool {
	if len(s.outputs) == 0 || s.waiting() || s.status == Failed {
		return false
	}
	if !s.cfg.NoAutoSubmit {
		return true
	}
	for _, o := range s.outputs {
		if !o.automatic {
			return true // a person has said that it shall go on
		}
	}
	return false
}

// submit sends the outputs of frontend tools to the server.
func (s *Session) submit(t Ticket) {
	s.turn.rounds++
	prompt := ""
	if s.attachOutputs() {
		prompt = "tool_results"
	}
	s.open(&event.Request{Kind: event.Outputs, Prompt: prompt}, t)
}

// attachOutputs puts the outputs of automatic tools into the chat as messages
// of their own (contract sveda 3.13); those of confirmed tools stand beside
// their call already. It reports whether there was one of the first kind.
func (s *Session) attachOutputs() (automatic bool) {
	for i := range s.outputs {
		o := &s.outputs[i]
		if o.automatic && !s.answered(o.part.ToolCallID) {
			s.addMessage(event.Message{ID: s.ids.New(), Role: event.Tool, Parts: []event.Part{o.part}})
		}
		automatic = automatic || o.automatic
	}
	return automatic
}

// settleTurn ends a turn: nothing runs, nothing can be sent by itself.
func (s *Session) settleTurn() {
	for _, c := range s.confirmations {
		if (c.state == Approved || c.state == Denied) && !c.elsewhere {
			s.move(c, Resolved, nil)
		}
	}
	for _, t := range s.tickets {
		if err := t.undone(s); err != nil {
			s.reject(t.id, err)
		} else {
			s.resolve(t.id, t.data)
		}
	}
	s.tickets = s.tickets[:0]
	if s.status == Failed {
		s.attachOutputs() // nothing goes on by itself: what ran is shown
	}
	if s.turn.active {
		s.turn.active = false
		if s.status != Failed {
			s.setStatus(Idle)
		}
		s.persist()
	}
	s.tellPending()
}

// fail ends the turn with an error, told to the page once (W18).
func (s *Session) fail(err *Error) {
	s.setStatus(Failed)
	s.tellFailure(err)
	for _, t := range s.tickets {
		s.reject(t.id, err)
	}
	s.tickets = s.tickets[:0]
}
