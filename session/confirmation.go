package session

import (
	"strconv"

	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// State of a confirmation. The table of transitions is testdata/confirmation.txt.
type State uint8

const (
	// Pending: a person must decide.
	Pending State = iota
	// Deciding: decided; the decision is staged or on its way.
	Deciding
	// Approved, Denied: the decision has been taken; the result is to come.
	Approved
	Denied
	// Resolved: the call has its result, or nothing more is expected.
	Resolved
	// Expired: the server knows nothing of the call any more.
	Expired
	// AnsweredElsewhere: it ended without a decision made here.
	AnsweredElsewhere
	// OutcomeUnknown: decided, and whether it acted is not known.
	OutcomeUnknown
)

var stateWords = [...]string{"pending", "deciding", "approved", "denied", "resolved", "expired",
	"answered-elsewhere", "outcome-unknown"}

// String gives the word that pages see.
func (s State) String() string { return stateWords[s] }

// confirmation is a call that waits, or waited, for a person.
type confirmation struct {
	id, name, toolset, mode string
	target                  event.Target
	batch                   *batch // the group that is answered together, nil for none
	position                int    // 1-based place in the batch
	reason                  string // the model's own word; never a heading
	message                 int    // the message that owns the call
	asker                   int    // the stream that announced it, 0 when it came from a list
	input                   []byte
	digest                  string // of input, made when first asked for

	state    State
	decision event.Decision
	decided  bool // decision is set
	granting bool // an Always of it speaks for other calls
	auto     bool // decided by a grant, never shown as a question
	conflict bool // the server contradicted itself: only deny works
	absent   bool // it expired because the chat did not hold its call any more
	err      *Error
	stream   int   // the request that carries or carried the decision, 0 when staged
	at       int64 // when it arrived, ms
	asked    int   // earlier confirmations of this tool within a minute (S49)

	arrived   stamp
	decidedAt stamp
	proven    stamp // when the server was last known to wait for it (S50)
	held      bool  // an approval that waits until the state has been read again
	attempt   int   // how often RetryUnknown let the handler be tried again
	before    bool  // an earlier page has sent the decision
	uncertain bool  // a decision that failed may have been taken: see uncertain.go

	claim      int // the Claim effect whose answer is to come, 0 for none
	claimTimer int
	claimed    bool // the decision is this page's to act on

	elsewhere      bool // another page acts on it
	elsewhereSince stamp
	elsewhereID    int // names it in the timer
	elsewhereTimer int
	rest           []byte // of a newer snapshot, opaque
}

// open says that the confirmation holds the chat.
func (c *confirmation) open() bool { return c.state <= Denied }

// sent says that a decision has left this client, or its handler has started.
func (c *confirmation) sent() bool {
	return c.decided && (c.stream != 0 || c.before || c.state != Pending && c.state != Deciding)
}

// Pending says whether a confirmation holds the chat: every other turn is
// refused (design rule 4).
func (s *Session) Pending() bool {
	for _, c := range s.confirmations {
		if c.open() {
			return true
		}
	}
	return false
}

// waiting says whether a call still lacks its decision or its result, so that
// the model must not be called.
func (s *Session) waiting() bool {
	for _, c := range s.confirmations {
		if c.state == Pending || c.state == Deciding {
			return true
		}
	}
	return false
}

// waitingBatch is the process id of the waiting batch, a hint for people.
func (s *Session) waitingBatch() string {
	for _, c := range s.confirmations {
		if c.open() && c.batch != nil {
			return c.batch.processID
		}
	}
	return ""
}

func (s *Session) confirmationOf(id string) *confirmation {
	return s.byCall[id]
}

func (s *Session) addConfirmation(c *confirmation) {
	s.confirmations = append(s.confirmations, c)
	s.byCall[c.id] = c
}

// ask makes the call at this place wait for a person. e of the stream st
// announced it; both are nil when it comes from a list.
func (s *Session) ask(at callRef, st *stream, e *event.Event) {
	p := &s.messages[at.message].Parts[at.part]
	c := &confirmation{
		id: p.ToolCallID, name: p.ToolName, toolset: p.Toolset, target: p.Target,
		message: at.message, input: p.Input, at: s.now, arrived: s.stamp(), proven: s.stamp(),
	}
	if tool, ok := s.tools.Get(c.name); ok && c.target == event.Frontend {
		c.mode = tool.Mode
	}
	c.asked = s.askedLately(c)
	c.uncertain = e == nil && s.told[c.id]
	s.addConfirmation(c)
	allowed := false
	if e != nil {
		c.asker = st.id
		c.conflict = !sameCall(p, string(e.ToolName), e.Input)
		c.reason = string(e.Reason)
		s.joinBatch(c, e)
		allowed = e.Allowed
	}
	s.present(c, allowed)
}

// askAgain takes a repeated question about a known call. A waiting question and
// an answer that is not sent yet stay as they are; a call that was answered is
// asked anew (contract asgard S7).
func (s *Session) askAgain(c *confirmation, e *event.Event) {
	c.proven, c.uncertain = s.stamp(), false
	s.joinBatch(c, e)
	staged := c.state == Deciding && c.stream == 0
	if staged || c.state == Pending {
		s.showConfirmation(c)
		return
	}
	c.decided, c.auto, c.decision, c.stream = false, false, event.Decision{}, 0
	s.present(c, e.Allowed)
}

// present shows the question, or answers it by a grant without showing it.
func (s *Session) present(c *confirmation, allowed bool) {
	if always, granted := s.granted(c, allowed); granted {
		c.auto = true
		c.decided = true
		c.decision = event.Decision{ToolCallID: c.id, Approve: true, Always: always}
		c.decidedAt = s.stamp()
		s.move(c, Deciding, nil)
		return
	}
	s.move(c, Pending, nil)
}

// joinBatch puts a confirmation in its place in the batch that is arriving. It
// stands behind those that were asked before (asgard Q1).
func (s *Session) joinBatch(c *confirmation, e *event.Event) {
	if e.Place == 0 || s.batch == nil {
		return
	}
	c.batch, c.position = s.batch, e.Place
	c.toolset = orElse(string(e.Toolset), c.toolset)
	c.reason = orElse(string(e.Reason), c.reason)
	for i, other := range s.confirmations {
		if other == c {
			s.confirmations = append(append(s.confirmations[:i], s.confirmations[i+1:]...), c)
			return
		}
	}
}

// askedLately counts the questions about the same tool in the last minute (S49).
func (s *Session) askedLately(c *confirmation) int {
	count := 0
	for _, t := range s.askedAt {
		if t.tool == (toolKey{c.toolset, c.name}) && s.now-t.at < 60_000 {
			count++
		}
	}
	if len(s.askedAt) >= 64 {
		s.askedAt = append(s.askedAt[:0], s.askedAt[1:]...)
	}
	s.askedAt = append(s.askedAt, question{toolKey{c.toolset, c.name}, s.now})
	return count
}

type question struct {
	tool toolKey
	at   int64
}

// batch is a group of confirmations that the server asks at once. It is known
// by its identity here, never by its process id, which may be empty or come
// twice (asgard W5).
type batch struct {
	processID    string
	total, count int    // calls that it has, and that have arrived
	stream       int    // that brought it
	rest         []byte // of a newer snapshot, opaque
}

// applyBatch begins a group of confirmations.
func (s *Session) applyBatch(st *stream, e *event.Event) {
	s.batch = &batch{processID: string(e.BatchID), total: e.Count, stream: st.id}
	s.batchArrived(0)
}

// batchArrived takes note of a call of the batch, by its place. Once all are
// here, it ends what an earlier group still asks: the server asks something else
// now (contract asgard C1, W17).
func (s *Session) batchArrived(place int) {
	if s.batch == nil || place < s.batch.count {
		return
	}
	if s.batch.count = place; place < s.batch.total {
		return
	}
	for _, c := range s.confirmations {
		if c.batch != s.batch && (c.state == Pending || c.state == Deciding && c.stream == 0) {
			s.move(c, Expired, newError(CodeSuperseded, "the server asks something else now"))
		}
	}
}

// move changes the state of a confirmation and tells the page.
func (s *Session) move(c *confirmation, to State, err *Error) {
	c.state, c.err = to, err
	s.letGo(c)
	if c.uncertain {
		c.uncertain = to <= Deciding
		s.watch()
	}
	if c.auto && to <= Deciding && err == nil {
		return // what a grant answers is never shown as a question (asgard Q4)
	}
	s.showConfirmation(c)
	s.tellPending()
	s.persist()
}

func (s *Session) showConfirmation(c *confirmation) {
	start := len(s.arena)
	s.arena = s.appendConfirmation(s.arena, c)
	s.change(Change{Kind: ConfirmationSet, Data: s.arena[start:]})
}

// answeredByServer ends a confirmation whose result has come.
func (s *Session) answeredByServer(c *confirmation, output []byte) {
	if !c.open() && c.state != OutcomeUnknown && c.state != Expired {
		return
	}
	approved := !denied(output)
	switch {
	case c.sent() && (!s.traits.ResultsByID || approved == c.decision.Approve):
		s.move(c, Resolved, nil)
	case s.traits.ResultsByID: // another decision was first (S40)
		c.decided, c.decision = true, event.Decision{ToolCallID: c.id, Approve: approved}
		fallthrough
	default:
		s.move(c, AnsweredElsewhere, nil)
	}
}

var resultNames = rawjson.NewNames("denied")

// denied reads whether a result says that the call was denied.
func denied(output []byte) bool {
	var v [1]rawjson.Value
	return rawjson.KindOf(output) == rawjson.Object &&
		resultNames.Scan(output, v[:]) == nil && v[0].Kind == rawjson.True
}

// dropConfirmations forgets ended confirmations as the next turn begins.
func (s *Session) dropConfirmations() {
	s.tellUnknown()
	s.clearConfirmations()
}

func (s *Session) clearConfirmations() {
	if len(s.confirmations) > 0 {
		s.confirmations = nil
		clear(s.byCall)
		s.change(Change{Kind: ConfirmationsCleared})
	}
}

// tellPending tells the page when the chat becomes held or free.
func (s *Session) tellPending() {
	if now := s.Pending(); now != s.pending {
		s.pending = now
		held := 0
		if now {
			held = 1
		}
		s.change(Change{Kind: PendingChange, Message: held})
	}
}

func (s *Session) appendConfirmation(dst []byte, c *confirmation) []byte {
	field := func(name, value string) {
		if value != "" {
			dst = append(append(append(dst, `,"`...), name...), `":`...)
			dst = rawjson.AppendQuoted(dst, value)
		}
	}
	number := func(name string, value int) {
		dst = append(append(append(dst, `,"`...), name...), `":`...)
		dst = strconv.AppendInt(dst, int64(value), 10)
	}
	dst = append(dst, `{"toolCallId":`...)
	dst = rawjson.AppendQuoted(dst, c.id)
	dst = append(dst, `,"toolName":`...)
	dst = rawjson.AppendQuoted(dst, c.name)
	if tokens, _ := rawjson.DescribeName(c.name); len(tokens) != 1 || tokens[0].Type != rawjson.TokenText {
		dst = rawjson.AppendTokens(append(dst, `,"toolNameTokens":`...), tokens) // it could pass for another (S8)
	}
	field("toolset", c.toolset)
	field("mode", c.mode)
	field("target", c.target.String())
	field("state", c.state.String())
	if c.decided {
		field("decision", decisionWord(c.decision.Approve))
		field("reason", c.decision.Reason)
		if c.decision.Always {
			field("remember", "chat")
		}
	}
	if c.auto {
		dst = append(dst, `,"automatic":true`...)
	}
	if c.elsewhere {
		dst = append(dst, `,"elsewhere":true`...)
	}
	if c.held {
		dst = append(dst, `,"checking":true`...)
	}
	if c.uncertain {
		dst = append(dst, `,"uncertain":true`...)
	}
	if c.err != nil {
		dst = append(dst, `,"error":`...)
		dst = c.err.AppendJSON(dst)
	}
	if c.message < len(s.messages) {
		field("messageId", s.messages[c.message].ID)
	}
	field("modelReason", c.reason)
	if s.traits.GrantsAtServer {
		field("grantKeeper", "server") // an Always cannot be taken back from here
	}
	number("alreadyAsked", c.asked)
	if c.batch != nil {
		field("batchId", c.batch.processID)
		number("currentIndex", c.position)
		number("totalCount", c.batch.total)
	}
	return append(dst, '}')
}

func decisionWord(approve bool) string {
	if approve {
		return "approve"
	}
	return "deny"
}

// AppendArguments appends what a card shows of a call's arguments, from the
// bytes that the server sent: rawjson's description and the source text as
// "raw". all gives every row up to the hard limits ("Show all", U28).
func (s *Session) AppendArguments(dst []byte, id string, all bool) ([]byte, *Error) {
	at, ok := s.calls[id]
	if !ok {
		return dst, newError(CodeUnknownCall, "no such tool call")
	}
	input := s.messages[at.message].Parts[at.part].Input
	a := rawjson.Describe(input, all)
	dst = append(dst, `{"arguments":`...)
	dst = rawjson.AppendArguments(dst, &a)
	dst = append(dst, `,"raw":`...)
	dst = rawjson.AppendQuoted(dst, input)
	return append(dst, '}'), nil
}
