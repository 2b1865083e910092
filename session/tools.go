package session

import (
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// run is a frontend handler that is running in the page.
type run struct {
	id        int
	call      string
	name      string
	automatic bool // not confirmed by a person
	timer     int
}

// output is a finished call that the server does not know of yet. The result of
// an automatic one gets a message of its own.
type output struct {
	automatic bool
	part      event.Part
}

// startApproved acts on the decisions about frontend tools. It is called when
// no stream is open, so that nothing runs before the turn has paused (S38).
func (s *Session) startApproved() {
	for _, c := range s.confirmations {
		if c.state != Deciding || c.target != event.Frontend || c.held || c.elsewhere || c.claim != 0 {
			continue
		}
		if s.cfg.Claims && !c.claimed {
			s.askClaim(c)
			continue
		}
		at, held := s.calls[c.id]
		if !held {
			c.absent = true
			s.move(c, Expired, newError(CodeSuperseded, "the chat does not hold this call any more"))
			continue
		}
		if !c.decision.Approve {
			s.move(c, Denied, nil)
			output := deniedOutput(c.decision.Reason)
			if c.attempt > 0 {
				output = unknownOutput() // an earlier attempt may have acted: not denied
			}
			s.takeOutput(c.id, c.name, output, false)
			continue
		}
		s.move(c, Approved, nil)
		s.startRun(at, false)
	}
}

// startRun asks the page to run the handler that is registered now (B067). What
// has ended, ran or runs already never runs again (design rule 1).
func (s *Session) startRun(at callRef, automatic bool) {
	p := &s.messages[at.message].Parts[at.part]
	if s.over(p.ToolCallID) || s.runOf(p.ToolCallID) != nil {
		return
	}
	tool, ok := s.tools.Get(p.ToolName)
	if !ok {
		s.takeOutput(p.ToolCallID, p.ToolName, failedOutput(s.prefix()+"Unknown frontend tool: "+p.ToolName), automatic)
		return
	}
	s.lastID++
	r := &run{id: s.lastID, call: p.ToolCallID, name: p.ToolName, automatic: automatic}
	s.runs = append(s.runs, r)
	if s.status == Idle {
		s.setStatus(Submitted) // the turn goes on (B048)
	}
	s.persistNow()
	s.effect(Effect{
		Kind: RunTool, ID: r.id, Handler: tool.Handler, Call: r.call, Text: p.ToolName, Data: p.Input,
	})
	r.timer = s.setTimer(toolTimer, r.id, s.cfg.ToolTimeout)
}

// Output takes what a handler returned, as JSON. Bytes that are not JSON count
// as a failure of the handler (B074).
func (s *Session) Output(id int, value []byte) {
	if len(value) == 0 {
		value = []byte("null") // undefined (W24)
	}
	if err := rawjson.Valid(value); err != nil {
		s.OutputFailed(id, "the tool's output is not JSON")
		return
	}
	s.finishRun(id, event.Keep(value))
}

// OutputFailed takes the failure of a handler: it threw, or what it returned
// cannot be JSON (B065, B074).
func (s *Session) OutputFailed(id int, message string) {
	s.finishRun(id, failedOutput(message))
}

// finishRun ends a run that is still of interest; late outputs change nothing.
func (s *Session) finishRun(id int, value []byte) {
	r := s.runByID(id)
	if r == nil {
		return
	}
	s.endRun(r)
	s.takeOutput(r.call, r.name, value, r.automatic)
	s.advance()
}

// takeOutput records the output of a frontend call. The result of a confirmed
// call stands beside it at once; that of an automatic one gets a message of its
// own when it is submitted (contract sveda 3.13, 3.14).
func (s *Session) takeOutput(call, name string, value []byte, automatic bool) {
	p := event.Part{Kind: event.ResultPart, ToolCallID: call, ToolName: name, Local: true, Output: value}
	s.local.put(p)
	if _, known := s.calls[call]; !known {
		return // the page has replaced the messages; the call may come back
	}
	if !automatic {
		s.addResult(p)
	}
	s.outputs = append(s.outputs, output{automatic, p})
	s.tellOutputs()
}

// over says that a call has ended, whether or not its result stands in the chat.
func (s *Session) over(call string) bool {
	return s.local.of(call) != nil || s.answered(call)
}

// queued says that the output of a call gets a message of its own later.
func (s *Session) queued(call string) bool {
	for i := range s.outputs {
		if s.outputs[i].automatic && s.outputs[i].part.ToolCallID == call {
			return true
		}
	}
	return false
}

// abandonRun gives up a run whose call has ended otherwise.
func (s *Session) abandonRun(r *run) {
	s.endRun(r)
	s.effect(Effect{Kind: AbortTool, ID: r.id, Call: r.call})
}

func (s *Session) endRun(r *run) {
	s.clearTimer(r.timer)
	for i, other := range s.runs {
		if other == r {
			s.runs = append(s.runs[:i], s.runs[i+1:]...)
			return
		}
	}
}

func (s *Session) runByID(id int) *run {
	for _, r := range s.runs {
		if r.id == id {
			return r
		}
	}
	return nil
}

func (s *Session) runOf(call string) *run {
	for _, r := range s.runs {
		if r.call == call {
			return r
		}
	}
	return nil
}

// deniedOutput is the fixed object of the seed; the person's reason is a
// separate member (S73).
func deniedOutput(reason string) []byte {
	out := []byte(`{"success":false,"denied":true,"error":"The user denied this action and it was not executed."`)
	if reason != "" {
		out = append(out, `,"reason":`...)
		out = rawjson.AppendQuoted(out, reason)
	}
	return append(out, '}')
}

// failedOutput is what the model gets for a call that failed in this client.
func failedOutput(message string) []byte {
	out := append([]byte(nil), `{"success":false,"error":`...)
	out = rawjson.AppendQuoted(out, message)
	return append(out, '}')
}

// tellOutputs tells the page which results wait for SubmitOutputs (W11).
func (s *Session) tellOutputs() {
	if !s.cfg.NoAutoSubmit {
		return
	}
	start := len(s.arena)
	s.arena = append(s.arena, '[')
	for i := range s.outputs {
		if i > 0 {
			s.arena = append(s.arena, ',')
		}
		s.arena = event.AppendPart(s.arena, &s.outputs[i].part)
	}
	s.arena = append(s.arena, ']')
	s.change(Change{Kind: OutputsChange, Data: s.arena[start:]})
}
