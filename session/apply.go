package session

import (
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// maxPart caps the text of one part, in bytes (S58).
const maxPart = 4 << 20

// apply takes one event of a response. Whatever a server sends, the chat lives
// on: what cannot be applied becomes a warning.
func (s *Session) apply(st *stream, e *event.Event) {
	if s.events && e.Raw != nil {
		s.change(Change{Kind: RawEvent, Data: s.keep(e.Raw)})
	}
	if st == s.main && st.run == "" && len(e.RunID) > 0 {
		st.run = string(e.RunID) // the first that is named (asgard L8)
		s.tellRun()
	}
	switch e.Kind {
	case event.Unknown, event.RunStart:
		return
	case event.Malformed:
		s.warn(string(e.Code), string(e.ToolCallID))
		return
	case event.Error:
		s.applyError(st, e)
		return
	case event.History:
		st.ended = true
		s.takeHistory(st, e.Messages)
		return
	case event.Metadata:
		s.applyMetadata(st, e)
		return
	}
	if st.failed != nil && e.Kind.Content() {
		return // the turn has failed: nothing is built on it any more (W15)
	}
	if !st.accepted {
		st.accepted = true
		s.decisionsTaken(st)
	}
	switch e.Kind {
	case event.MessageStart:
		s.applyStart(st, e)
	case event.Text:
		s.appendText(st, e, event.TextPart)
	case event.Reasoning:
		s.appendText(st, e, event.ReasoningPart)
	case event.SetText:
		s.setText(st, e, event.TextPart)
	case event.SetReasoning:
		s.setText(st, e, event.ReasoningPart)
	case event.UserMessage:
		s.applyUserMessage(st, e)
	case event.Batch:
		s.applyBatch(st, e)
	case event.ToolCall:
		s.applyCall(st, e)
	case event.ToolResult:
		s.applyResult(st, e)
	case event.MessageEnd:
		s.applyEnd(st, e)
	case event.Progress:
		s.notify("toolProgress", e.Raw)
	case event.Usage:
		s.notify("contextUsage", e.Raw)
	case event.MaxSteps:
		s.notify("maxSteps", e.Raw)
	case event.Title:
		s.applyTitle(e)
	}
}

func (s *Session) applyTitle(e *event.Event) {
	start := len(s.arena)
	s.arena = rawjson.AppendQuoted(s.arena, e.Text)
	s.change(Change{Kind: Notify, Text: "title", Data: s.arena[start:]})
}

// applyError keeps the text that arrived (B113) and lets the stream run to its
// end, where the turn fails: a known server stores the turn only then.
func (s *Session) applyError(st *stream, e *event.Event) {
	if st.failed != nil {
		return
	}
	code := string(e.Code)
	if code == "" {
		code = CodeServerError
	}
	st.failed = s.textError(st, code, string(e.Text))
	st.failed.Server = string(e.Text)
	st.failed.inBand = true
	if e.Refusal && len(e.Code) == 0 {
		st.failed.Code = CodeRefused
	}
	s.armTail(st)
}

func (s *Session) applyEnd(st *stream, e *event.Event) {
	st.ended = true
	if st.request.Kind != event.Reread {
		s.notify("finish", e.Raw)
	}
	s.armTail(st)
}

// armTail bounds what may still come after the end: a server that keeps the
// socket open must not hold the chat (B122).
func (s *Session) armTail(st *stream) {
	if st.tail == 0 {
		st.tail = s.setTimer(tailTimer, st.id, s.cfg.TailTimeout)
	}
}

// applyStart opens an assistant message, or gives the waiting placeholder the
// server's id (contract sveda 3.8). The row keeps its key (B159).
func (s *Session) applyStart(st *stream, e *event.Event) {
	if len(e.ChatID) > 0 && string(e.ChatID) != s.chatID {
		s.chatID = string(e.ChatID)
		s.change(Change{Kind: ChatIDChange, Text: s.chatID})
	}
	if len(e.MessageID) == 0 {
		s.target(st, nil)
		return
	}
	if st.message >= 0 && !st.adopted {
		s.messages[st.message].ID = string(e.MessageID)
		s.change(Change{Kind: MessageID, Message: st.message, Text: s.messages[st.message].ID})
	} else {
		s.target(st, e.MessageID)
	}
	st.adopted = true
	if st.request.Kind == event.Reread || st.request.Cursor != "" {
		// A message that was cut is told again from its beginning.
		s.setText(st, &event.Event{MessageID: e.MessageID}, event.TextPart)
	}
}

// target gives the assistant message that an event of the stream belongs to:
// the one with this id, else the one being written, else a new one.
func (s *Session) target(st *stream, id []byte) int {
	if st.message >= 0 && (len(id) == 0 || s.messages[st.message].ID == string(id)) {
		return st.message
	}
	if len(id) > 0 {
		for i := len(s.messages) - 1; i >= st.first; i-- {
			if s.messages[i].ID == string(id) && s.messages[i].Role == event.Assistant {
				st.message = i
				return i
			}
		}
	}
	if st.message >= 0 && !st.adopted && len(s.messages[st.message].Parts) == 0 {
		s.messages[st.message].ID = string(id)
		s.change(Change{Kind: MessageID, Message: st.message, Text: s.messages[st.message].ID})
		st.adopted = true
		return st.message
	}
	m := event.Message{ID: string(id), Role: event.Assistant}
	if m.ID == "" {
		m.ID = s.ids.New()
	}
	st.message = s.addMessage(m)
	st.adopted = len(id) > 0
	return st.message
}

// appendText is the hot path: one delta, and those that follow it at once.
func (s *Session) appendText(st *stream, e *event.Event, kind event.PartKind) {
	if len(e.Text) == 0 {
		return // a keep-alive in the shape of a delta makes no part (B093)
	}
	m := s.target(st, e.MessageID)
	parts := s.messages[m].Parts
	last := len(parts) - 1
	if last < 0 || parts[last].Kind != kind {
		s.addPart(m, event.Part{Kind: kind})
		parts = s.messages[m].Parts
		last = len(parts) - 1
	}
	p := &parts[last]
	if len(p.Text)+len(e.Text) > maxPart {
		s.limitReached(st)
		return
	}
	from := len(p.Text)
	p.Text = append(p.Text, e.Text...)
	// Deltas that follow and differ in their text only would lead to the same.
	if run, ok := st.reader.(event.TextRun); ok && !s.events {
		count := 0
		p.Text, count = run.AppendRun(p.Text, e.Kind, maxPart)
		st.events += count
	}
	s.textAppended(m, last, from, len(p.Text))
}

// textAppended tells of appended text. Deltas of one output become one change.
func (s *Session) textAppended(m, part, from, to int) {
	if n := len(s.changes) - 1; n >= 0 {
		if c := &s.changes[n]; c.Kind == PartText && c.Message == m && c.Part == part {
			c.to = to
			return
		}
	}
	s.change(Change{Kind: PartText, Message: m, Part: part, from: from, to: to})
}

func (s *Session) limitReached(st *stream) {
	if st.failed == nil {
		st.failed = s.textError(st, CodeTooLarge, "a part of the answer is larger than 4 MiB")
		s.effect(Effect{Kind: AbortStream, ID: st.id})
		s.finish(st, st.failed)
	}
}

// setText makes the text of a message what the server says it is in the end.
// What was shown already and agrees is kept.
func (s *Session) setText(st *stream, e *event.Event, kind event.PartKind) {
	if len(e.Text) == 0 && s.find(string(e.MessageID)) < 0 {
		return // a message of other things than text
	}
	m, rest := s.target(st, e.MessageID), e.Text
	agreed := true // so far the parts say what the whole text says
	for i := range s.messages[m].Parts {
		p := &s.messages[m].Parts[i]
		if p.Kind != kind {
			continue
		}
		if n := len(p.Text); agreed && len(rest) >= n && string(rest[:n]) == string(p.Text) {
			rest = rest[n:]
			continue
		}
		if len(rest) > maxPart {
			s.limitReached(st)
			return
		}
		s.freezeText(m, i)
		p.Text, rest, agreed = event.Keep(rest), nil, false
		s.partChanged(m, i)
	}
	e.Text = rest
	s.appendText(st, e, kind)
}

// applyUserMessage adds a replayed message of the person unless it is there
// (contract asgard L12). What follows answers it.
func (s *Session) applyUserMessage(st *stream, e *event.Event) {
	st.message, st.adopted = -1, false
	for i := len(s.messages) - 1; i >= 0; i-- {
		id := s.messages[i].ID
		if id == string(e.MessageID) || len(e.ClientID) > 0 && id == string(e.ClientID) {
			return
		}
	}
	id := string(e.MessageID)
	if id == "" {
		id = s.ids.New()
	}
	m := event.Message{ID: id, Role: event.User}
	m.Parts = []event.Part{{Kind: event.TextPart, Text: event.Keep(e.Text)}}
	s.addMessage(m)
}

// applyCall takes the announcement of a tool call. What it says is fixed from
// here on: one id is one call (design rule 2, S36).
func (s *Session) applyCall(st *stream, e *event.Event) {
	if len(e.ToolCallID) == 0 || len(e.ToolName) == 0 || e.Input == nil {
		s.warn(CodeMalformedCall, string(e.ToolCallID))
		return
	}
	if e.Place > 0 {
		defer s.batchArrived(e.Place)
	}
	if at, known := s.calls[string(e.ToolCallID)]; known {
		s.repeatedCall(st, at, e)
		return
	}
	if st.ended {
		s.warn(CodeOutOfOrder, string(e.ToolCallID)) // after the end of the turn (S38)
		return
	}
	p := event.Part{
		Kind: event.CallPart, Target: e.Target, Required: e.Required,
		Input: event.Keep(e.Input), Extra: append([]byte(nil), e.Extra...),
	}
	p.ToolCallID, p.ToolName, p.Toolset = keepNames(e)
	tool, registered := s.tools.Get(p.ToolName)
	if p.Target == event.Frontend && registered && tool.RequiresConfirmation() {
		p.Required = true
	}
	at := s.addPart(s.target(st, nil), p)
	if early, ok := s.early[p.ToolCallID]; ok {
		delete(s.early, p.ToolCallID)
		s.addResult(early)
		return
	}
	switch {
	case p.Required:
		s.ask(at, st, e)
	case p.Target == event.Frontend:
		s.startRun(at, true)
	}
}

// repeatedCall takes a call whose id is known. The same call again changes
// nothing but may ask for a person late; another call under the same id is an
// error that blocks approval and never replaces what is shown (B008, B124).
func (s *Session) repeatedCall(st *stream, at callRef, e *event.Event) {
	p := &s.messages[at.message].Parts[at.part]
	c := s.confirmationOf(p.ToolCallID)
	if !sameCall(p, string(e.ToolName), e.Input) {
		switch { // its batch waits for an answer: it can be denied
		case e.Place > 0 && c == nil:
			s.require(at, string(e.Toolset))
			s.ask(at, st, e)
		case e.Place > 0 && !c.open():
			c.conflict = true
			s.askAgain(c, e)
		}
		s.contradict(p.ToolCallID)
		return
	}
	switch {
	case !e.Required:
	case c != nil && e.Place > 0:
		s.askAgain(c, e)
	case c != nil:
	case e.Place == 0 && (s.runOf(p.ToolCallID) != nil || s.over(p.ToolCallID)):
		// It runs or ran already: it was announced as automatic.
	default:
		s.require(at, string(e.Toolset))
		s.ask(at, st, e)
	}
}

func sameCall(p *event.Part, name string, input []byte) bool {
	return p.ToolName == name && rawjson.Equal(p.Input, input)
}

// contradict says that one id names two calls.
func (s *Session) contradict(id string) {
	s.warn(CodeConflict, id)
	if c := s.confirmationOf(id); c != nil && c.open() {
		c.conflict = true
		if c.state == Deciding && c.stream == 0 && c.decision.Approve {
			c.state, c.decided, c.auto = Pending, false, false // it has not left yet
		}
		s.move(c, c.state, newError(CodeConflict, "the server announced another call under this id"))
	}
}

// applyResult ends a call, in the message that owns it (B044).
func (s *Session) applyResult(st *stream, e *event.Event) {
	id := string(e.ToolCallID)
	if id == "" || e.Output == nil {
		s.warn(CodeMalformedResult, id)
		return
	}
	part := event.Part{
		Kind: event.ResultPart, ToolCallID: id, ToolName: string(e.ToolName),
		Output: event.Keep(e.Output), Extra: append([]byte(nil), e.Extra...),
	}
	at, known := s.calls[id]
	switch {
	case known:
		p := &s.messages[at.message].Parts[at.part]
		part.ToolCallID = p.ToolCallID
		if len(e.Input) > 0 && string(e.Input) != "null" && !sameCall(p, part.ToolName, e.Input) {
			s.contradict(id) // what ran is not what was shown
		}
		s.addResult(part)
	case e.Input != nil:
		s.addPart(s.target(st, nil), event.Part{
			Kind: event.CallPart, ToolCallID: id, ToolName: part.ToolName, Toolset: string(e.Toolset),
			Input: event.Keep(e.Input),
		})
		s.addResult(part)
	default:
		s.warn(CodeOrphanResult, id)
		if len(s.early) < maxEarly {
			s.early[id] = part
		}
	}
	s.serverResult(id, part.Output)
}

// serverResult ends whatever waits or runs for a call that the server has the
// result of (B071).
func (s *Session) serverResult(id string, output []byte) {
	if c := s.confirmationOf(id); c != nil {
		s.answeredByServer(c, output)
	}
	if r := s.runOf(id); r != nil {
		s.abandonRun(r)
	}
}

// keepNames copies the names of a call as one string. Strings of a few bytes each
// would share their 16 bytes of memory with what Go holds of JavaScript for the
// time of a call, and keep that alive as long as the chat.
func keepNames(e *event.Event) (call, tool, toolset string) {
	id, name := len(e.ToolCallID), len(e.ToolName)
	all := make([]byte, 0, id+name+len(e.Toolset))
	all = append(append(append(all, e.ToolCallID...), e.ToolName...), e.Toolset...)
	text := string(all)
	return text[:id], text[id : id+name], text[id+name:]
}

// maxEarly bounds the results that wait for their call.
const maxEarly = 64

func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
