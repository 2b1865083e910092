package session_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/session"
)

var update = flag.Bool("update", false, "write golden files")

// tableStates are the situations that a call c1 can be in. Each is reached by
// driving a real session.
var tableStates = []struct {
	name, about string
	reach       func(t *testing.T) *chat
}{
	{"asked", "announced, its stream is open", func(t *testing.T) *chat {
		c := newChat(t)
		c.send("x")
		c.head()
		c.feed(START, backendCall)
		return c
	}},
	{"pending", "the turn has paused", func(t *testing.T) *chat { return waitingBackend(t) }},
	{"failed", "a decision was lost on its way", func(t *testing.T) *chat {
		c := waitingBackend(t)
		c.tap("c1", "approve")
		c.lost()
		c.lost() // of the history, too
		return c
	}},
	{"staged", "approved while its stream is open", func(t *testing.T) *chat {
		c := newChat(t)
		c.send("x")
		c.head()
		c.feed(START, backendCall)
		c.tap("c1", "approve")
		return c
	}},
	{"sent", "approved, the request is on its way", func(t *testing.T) *chat {
		c := waitingBackend(t)
		c.tap("c1", "approve")
		return c
	}},
	{"answering", "approved, the response has begun", func(t *testing.T) *chat {
		c := waitingBackend(t)
		c.tap("c1", "approve")
		c.head()
		return c
	}},
	{"denying", "denied, the response has begun", func(t *testing.T) *chat {
		c := waitingBackend(t)
		c.tap("c1", "deny")
		c.head()
		return c
	}},
	{"resolved", "approved, its result is there, the stream is open", func(t *testing.T) *chat {
		c := waitingBackend(t)
		c.tap("c1", "approve")
		c.head()
		c.feed(RES("c1", `1`))
		return c
	}},
	{"over", "approved, its result is there, the turn is over", func(t *testing.T) *chat {
		c := waitingBackend(t)
		c.tap("c1", "approve")
		c.answer(RES("c1", `1`), START, TXT("ok"), END, DONE)
		return c
	}},
	{"expired", "the server knows nothing of it", func(t *testing.T) *chat {
		c := waitingBackend(t)
		c.tap("c1", "approve")
		c.status(409, gone)
		return c
	}},
	{"elsewhere", "answered elsewhere, the stream is open", func(t *testing.T) *chat {
		c := newChat(t)
		c.send("x")
		c.head()
		c.feed(START, backendCall, RES("c1", `1`))
		return c
	}},
	{"unknown", "decided, and the server gave no result", func(t *testing.T) *chat {
		c := waitingBackend(t)
		c.tap("c1", "approve")
		c.answer(END, DONE)
		c.lost() // of the history
		return c
	}},
	{"f.pending", "a frontend call, the turn has paused", waitingFrontend},
	{"f.running", "a frontend call, its handler runs", func(t *testing.T) *chat {
		c := waitingFrontend(t)
		c.tap("c1", "approve")
		return c
	}},
	{"f.approved", "a frontend call, its output is on its way", func(t *testing.T) *chat {
		c := waitingFrontend(t)
		c.tap("c1", "approve")
		c.output("c1", `1`)
		c.head()
		return c
	}},
	{"f.denied", "a frontend call, its denial is on its way", func(t *testing.T) *chat {
		c := waitingFrontend(t)
		c.tap("c1", "deny")
		c.head()
		return c
	}},
	{"f.unknown", "a frontend call, its handler was cut", func(t *testing.T) *chat {
		c := waitingFrontend(t)
		c.tap("c1", "approve")
		c.stop()
		return c
	}},
}

const (
	backendCall = `data: {"type":"tool.call","toolCallId":"c1","toolName":"delete_post","target":"backend","input":{"post_id":1},"confirmation":"required"}` + "\n\n"
	gone        = `{"message":"Chat history is unavailable."}`
	waits       = `{"message":"Tool confirmation is required before the conversation can continue."}`
)

// callOf is the announcement of c1 in this chat.
func callOf(c *chat, input string, flags ...string) string {
	if c.tools.Has("archive") {
		return CALL("c1", "archive", input, append(flags, "frontend")...)
	}
	if input == `{}` {
		input = `{"post_id":1}`
	}
	return CALL("c1", "delete_post", input, flags...)
}

func listOf(c *chat, result string) string {
	name, target, input := "delete_post", "backend", `{"post_id":1}`
	if c.tools.Has("archive") {
		name, target, input = "archive", "frontend", `{}`
	}
	return `[{"id":"u1","role":"user","content":"x"},{"id":"a1","role":"assistant","parts":[{"type":"tool-call","toolCallId":"c1","toolName":"` +
		name + `","target":"` + target + `","input":` + input + `,"confirmation":"required"}` + result + `]}]`
}

// tableInputs is everything that can happen to the call.
var tableInputs = []struct {
	name string
	fire func(c *chat)
}{
	{"approve", func(c *chat) { c.tap("c1", "approve") }},
	{"deny", func(c *chat) { c.tap("c1", "deny") }},
	{"send", func(c *chat) { c.send("y") }},
	{"result", func(c *chat) { c.feed(RES("c1", `1`)) }},
	{"result denied", func(c *chat) { c.feed(RES("c1", denied)) }},
	{"same call", func(c *chat) { c.feed(callOf(c, `{}`)) }},
	{"same call, required", func(c *chat) { c.feed(callOf(c, `{}`, "required")) }},
	{"other call", func(c *chat) { c.feed(callOf(c, `{"post_id":2}`)) }},
	{"error event", func(c *chat) { c.feed(FAIL) }},
	{"end of turn", func(c *chat) { c.feed(END, DONE) }},
	{"end without mark", func(c *chat) { c.eof() }},
	{"connection lost", func(c *chat) { c.lost() }},
	{"500", func(c *chat) { c.status(500, "") }},
	{"409 waits", func(c *chat) { c.status(409, waits) }},
	{"409 gone", func(c *chat) { c.status(409, gone) }},
	{"stop", func(c *chat) { c.stop() }},
	{"output", func(c *chat) { outputIfRun(c, func(s *session.Session, id int) { s.Output(id, []byte(`1`)) }) }},
	{"output failed", func(c *chat) { outputIfRun(c, func(s *session.Session, id int) { s.OutputFailed(id, "x") }) }},
	{"list with the call", func(c *chat) { c.setMessages(listOf(c, "")) }},
	{"list with its result", func(c *chat) {
		c.setMessages(listOf(c, `,{"type":"tool-result","toolCallId":"c1","toolName":"t","output":1}`))
	}},
	{"list without it", func(c *chat) { c.setMessages(`[]`) }},
	{"close", func(c *chat) { c.close() }},
}

func outputIfRun(c *chat, f func(s *session.Session, id int)) {
	for _, r := range c.runs {
		c.put(func(c *chat) { f(c.s, r.ID) })
	}
}

// TestConfirmationTable walks state x input: testdata/confirmation.txt says what
// each leads to. Run it with -update after a change, and read the difference.
func TestConfirmationTable(t *testing.T) {
	const path = "testdata/confirmation.txt"
	var b strings.Builder
	b.WriteString(tableHead)
	for _, s := range tableStates {
		fmt.Fprintf(&b, "\n# %s: %s\n", s.name, s.about)
		for _, in := range tableInputs {
			c := s.reach(t)
			before := snapshotOf(c)
			in.fire(c)
			fmt.Fprintf(&b, "%-10s %-20s  %-34s %s\n", s.name, in.name, stateCell(c), before.effects(c))
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(b.String(), "\n")
	for i, line := range strings.Split(string(want), "\n") {
		if i >= len(got) || got[i] != line {
			t.Errorf("line %d is\n%s\nwant\n%s", i+1, strings.Join(got[min(i, len(got)):min(i+1, len(got))], ""), line)
		}
	}
	if n := strings.Count(string(want), "\n"); n != len(got)-1 {
		t.Errorf("%d lines, want %d", len(got)-1, n)
	}
}

const tableHead = `# What happens to a call that waits for a person (design, "The session").
#
# state, input, the state that follows, and the effects. The state is that of
# the confirmation: its word, its decision, the error on its card, and "held"
# while it refuses other turns. Effects:
#
#   POST decisions c1=approve   a request with decisions
#   POST turn, POST outputs     another request; outputs brings those of tools
#   GET                         the chat is read again
#   RUN, CANCEL                 the handler is run, is told to stop
#   ABORT                       the response is given up
#   sent, already-decided, not-pending, ok    a promise resolves, with the outcome
#   reject CODE                 a promise rejects
#   error CODE, warning CODE    the page is told
#
# "-" is nothing: a late or foreign input. Written and checked by
# TestConfirmationTable, which drives a real session into each state.
`

func stateCell(c *chat) string {
	conf, ok := c.shown["c1"]
	if !ok {
		conf.State = "(no card)"
	}
	cell := conf.State
	if conf.Decision != "" {
		cell += " " + conf.Decision
	}
	if conf.Error != nil {
		cell += " !" + conf.Error.Code
	}
	if c.s.Pending() {
		cell += " held"
	}
	return cell
}

// snapshot counts what a chat has been told so far.
type snapshot struct {
	requests, runs, aborted, canceled, failures, warnings int
	settled                                               map[session.Ticket]bool
}

func snapshotOf(c *chat) snapshot {
	s := snapshot{len(c.requests), len(c.runs), len(c.aborted), len(c.canceled), len(c.failures), len(c.warnings), map[session.Ticket]bool{}}
	for t := range c.settled {
		s.settled[t] = true
	}
	return s
}

// effects says what came out since the snapshot.
func (s snapshot) effects(c *chat) string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for range c.aborted[s.aborted:] {
		add("ABORT")
	}
	for range c.canceled[s.canceled:] {
		add("CANCEL")
	}
	for range c.runs[s.runs:] {
		add("RUN")
	}
	for _, r := range c.requests[s.requests:] {
		switch {
		case r.wire.Method == "GET":
			add("GET")
		case r.body.ToolDecisions != nil:
			words := "POST decisions"
			for _, d := range r.body.ToolDecisions {
				words += fmt.Sprintf(" %v=%v", d["toolCallId"], d["decision"])
			}
			add("%s", words)
		case r.body.Prompt == "" || r.body.Prompt == "tool_results":
			add("POST outputs")
		default:
			add("POST turn")
		}
	}
	for t := session.Ticket(1); t <= c.lastT; t++ {
		got, ok := c.settled[t]
		switch {
		case !ok || s.settled[t]:
		case got.err != nil:
			add("reject %s", got.err.Code)
		case got.data == "":
			add("ok")
		default:
			_, rest, _ := strings.Cut(got.data, `"outcome":"`)
			outcome, _, _ := strings.Cut(rest, `"`)
			add("%s", outcome)
		}
	}
	for _, f := range c.failures[s.failures:] {
		add("error %s", f)
	}
	for _, w := range c.warnings[s.warnings:] {
		add("warning %s", w)
	}
	if out == nil {
		return "-"
	}
	return strings.Join(out, ", ")
}
