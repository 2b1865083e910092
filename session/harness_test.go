package session_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/sveda"
	"github.com/svedawasm/svedawasm/toolregistry"
)

// chat drives one session as a driver would, and records what the driver was
// told to do: tests assert on that, never on the session's inside.
type chat struct {
	t     *testing.T
	s     *session.Session
	tools *toolregistry.Registry

	requests []request
	runs     []session.Effect
	aborted  []int
	settled  map[session.Ticket]settlement
	timers   map[int]int // running timers, id to delay
	failures []string    // codes of Failure changes
	warnings []string    // codes of Warning changes
	notes    []string    // names of Notify changes
	kinds    []session.ChangeKind
	shown    map[string]confirmation
	lastT    session.Ticket
}

// request is a request that the driver was told to send.
type request struct {
	id   int
	wire event.WireRequest
	body struct {
		Messages []struct {
			ID      string            `json:"id"`
			Role    string            `json:"role"`
			Content string            `json:"content"`
			Parts   []json.RawMessage `json:"parts"`
		} `json:"messages"`
		Prompt        string           `json:"prompt"`
		ToolDecisions []map[string]any `json:"toolDecisions"`
	}
}

type settlement struct {
	err  *session.Error
	data string
}

type confirmation struct {
	ToolCallID string `json:"toolCallId"`
	ToolName   string `json:"toolName"`
	Target     string `json:"target"`
	State      string `json:"state"`
	Decision   string `json:"decision"`
	Reason     string `json:"reason"`
	Automatic  bool   `json:"automatic"`
	Asked      int    `json:"alreadyAsked"`
	Error      *struct {
		Code string `json:"code"`
	} `json:"error"`
	CurrentIndex int `json:"currentIndex"`
	TotalCount   int `json:"totalCount"`
}

type option func(*session.Config)

func newChat(t *testing.T, options ...option) *chat {
	t.Helper()
	c := &chat{
		t: t, tools: toolregistry.New(), settled: map[session.Ticket]settlement{},
		timers: map[int]int{}, shown: map[string]confirmation{},
	}
	cfg := session.Config{
		ChatID: "chat_1", Dialect: sveda.New(sveda.Config{Histories: true}), Tools: c.tools,
		Seed: [16]byte{1, 2, 3},
	}
	for _, o := range options {
		o(&cfg)
	}
	c.s = session.New(cfg)
	return c
}

// flush takes the output and does what a driver does with it.
func (c *chat) flush() {
	c.t.Helper()
	for {
		out := c.s.Flush()
		if len(out.Effects)+len(out.Changes) == 0 {
			return
		}
		for _, ch := range out.Changes {
			c.take(ch)
		}
		// Encode is an input too: copy the effects before it is called.
		for _, e := range append([]session.Effect(nil), out.Effects...) {
			c.do(e)
		}
	}
}

func (c *chat) take(ch session.Change) {
	c.kinds = append(c.kinds, ch.Kind)
	if ch.Data != nil && ch.Kind != session.PartText && !json.Valid(ch.Data) {
		c.t.Fatalf("change %d carries no JSON: %s", ch.Kind, ch.Data)
	}
	switch ch.Kind {
	case session.Failure:
		c.failures = append(c.failures, code(ch.Data))
	case session.Warning:
		c.warnings = append(c.warnings, code(ch.Data))
	case session.Notify:
		c.notes = append(c.notes, ch.Text)
	case session.ConfirmationsCleared:
		clear(c.shown)
	case session.ConfirmationSet:
		var conf confirmation
		if err := json.Unmarshal(ch.Data, &conf); err != nil {
			c.t.Fatal(err)
		}
		c.shown[conf.ToolCallID] = conf
	}
}

func code(data []byte) string {
	var v struct{ Code string }
	_ = json.Unmarshal(data, &v)
	return v.Code
}

func (c *chat) do(e session.Effect) {
	switch e.Kind {
	case session.OpenStream:
		wire, err := c.s.Encode(e.ID, nil)
		if err != nil {
			c.t.Fatalf("encode: %v", err)
		}
		r := request{id: e.ID, wire: wire}
		if wire.Body != nil {
			if err := json.Unmarshal(wire.Body, &r.body); err != nil {
				c.t.Fatalf("request body is not JSON: %v: %s", err, wire.Body)
			}
		}
		c.requests = append(c.requests, r)
	case session.AbortStream:
		c.aborted = append(c.aborted, e.ID)
	case session.RunTool:
		e.Data = append([]byte(nil), e.Data...)
		c.runs = append(c.runs, e)
	case session.SetTimer:
		c.timers[e.ID] = e.Delay
	case session.ClearTimer:
		delete(c.timers, e.ID)
	case session.Settle:
		if _, twice := c.settled[e.Ticket]; twice {
			c.t.Fatalf("promise %d settled twice", e.Ticket)
		}
		c.settled[e.Ticket] = settlement{e.Err, string(e.Data)}
	}
}

func (c *chat) ticket() session.Ticket { c.lastT++; return c.lastT }

// posts are the requests that can change something on the server.
func (c *chat) posts() []request {
	var posts []request
	for _, r := range c.requests {
		if r.wire.Method == "POST" {
			posts = append(posts, r)
		}
	}
	return posts
}

func (c *chat) last() *request {
	c.t.Helper()
	if len(c.requests) == 0 {
		c.t.Fatal("no request was sent")
	}
	return &c.requests[len(c.requests)-1]
}

func (c *chat) send(text string) session.Ticket {
	c.t.Helper()
	t := c.ticket()
	c.s.Send(t, session.Outgoing{Text: text})
	c.flush()
	return t
}

// tap decides as a page does.
func (c *chat) tap(id, word string) session.Ticket { return c.tapWith(id, word, "") }

func (c *chat) tapWith(id, word, reason string) session.Ticket {
	c.t.Helper()
	t := c.ticket()
	c.s.Decide(t, []session.Choice{choice(id, word, reason)}, session.TurnOptions{})
	c.flush()
	return t
}

func choice(id, word, reason string) session.Choice {
	return session.Choice{Decision: event.Decision{ToolCallID: id, Approve: word == "approve", Reason: reason}}
}

func (c *chat) head() {
	c.t.Helper()
	c.s.Head(c.last().id, 200, "text/event-stream", session.HeadInfo{RetryAfter: -1})
	c.flush()
}

func (c *chat) feed(frames ...string) {
	c.t.Helper()
	c.feedTo(c.last().id, frames...)
}

func (c *chat) feedTo(stream int, frames ...string) {
	c.t.Helper()
	for _, f := range frames {
		b := []byte(f)
		c.s.Feed(stream, b)
		c.flush()
		for i := range b {
			b[i] = '#' // what was fed must not be used any more
		}
	}
}

func (c *chat) eof() {
	c.t.Helper()
	c.s.End(c.last().id, session.EOF, "")
	c.flush()
}

// answer is a whole response to the last request.
func (c *chat) answer(frames ...string) {
	c.t.Helper()
	c.head()
	c.feed(frames...)
	c.eof()
}

func (c *chat) status(status int, body string) {
	c.t.Helper()
	c.s.Head(c.last().id, status, "application/json", session.HeadInfo{RetryAfter: -1})
	c.feed(body)
	c.eof()
}

func (c *chat) output(call, value string) {
	c.t.Helper()
	for _, r := range c.runs {
		if r.Call == call {
			c.s.Output(r.ID, []byte(value))
			c.flush()
			return
		}
	}
	c.t.Fatalf("the handler of %s was not run", call)
}

func (c *chat) register(name, confirmation string) {
	c.t.Helper()
	_, err := c.tools.Register(toolregistry.Tool{Name: name, Confirmation: confirmation, Handler: 1 + c.tools.Len()})
	if err != nil {
		c.t.Fatal(err)
	}
}

// Frames of the Sveda wire.

func frame(json string) string { return "data: " + json + "\n\n" }

const (
	END   = "data: {\"type\":\"message.end\",\"finishReason\":\"tool_calls\"}\n\n"
	DONE  = "data: [DONE]\n\n"
	START = "data: {\"type\":\"message.start\",\"chatId\":\"chat_1\",\"messageId\":\"msg_1\"}\n\n"
)

func TXT(text string) string {
	b, _ := json.Marshal(text)
	return frame(`{"type":"text.delta","delta":` + string(b) + `}`)
}

// CALL is a tool.call with the flags "required", "frontend".
func CALL(id, name, input string, flags ...string) string {
	target, rest := "backend", ""
	for _, f := range flags {
		switch f {
		case "frontend":
			target = "frontend"
		case "required":
			rest = `,"confirmation":"required"`
		}
	}
	return frame(`{"type":"tool.call","toolCallId":"` + id + `","toolName":"` + name + `","target":"` + target + `","input":` + input + rest + `}`)
}

func RES(id, output string) string {
	return frame(`{"type":"tool.result","toolCallId":"` + id + `","toolName":"t","output":` + output + `}`)
}

// Assertions.

func (c *chat) wantState(id, state string) {
	c.t.Helper()
	if got := c.shown[id].State; got != state {
		c.t.Errorf("confirmation %s is %q, want %q", id, got, state)
	}
}

func (c *chat) wantError(t session.Ticket, code string) {
	c.t.Helper()
	s, ok := c.settled[t]
	switch {
	case !ok:
		c.t.Errorf("promise %d is not settled, want error %s", t, code)
	case s.err == nil:
		c.t.Errorf("promise %d resolved, want error %s", t, code)
	case s.err.Code != code:
		c.t.Errorf("promise %d: error %s, want %s", t, s.err.Code, code)
	}
}

func (c *chat) wantResolved(t session.Ticket) {
	c.t.Helper()
	if s, ok := c.settled[t]; !ok || s.err != nil {
		c.t.Errorf("promise %d: settled %v, error %v; want it resolved", t, ok, s.err)
	}
}

func (c *chat) wantOutcome(t session.Ticket, want string) {
	c.t.Helper()
	if s := c.settled[t]; s.err != nil || !strings.Contains(s.data, `"outcome":"`+want+`"`) {
		c.t.Errorf("promise %d: %q, error %v; want outcome %s", t, s.data, s.err, want)
	}
}

func (c *chat) wantPosts(n int) {
	c.t.Helper()
	if got := len(c.posts()); got != n {
		c.t.Fatalf("%d requests were sent, want %d", got, n)
	}
}

func (c *chat) wantStatus(want session.Status) {
	c.t.Helper()
	if got := c.s.Status(); got != want {
		c.t.Errorf("status %s, want %s", got, want)
	}
}

// transcript is the chat as one line a part.
func (c *chat) transcript() string {
	var b strings.Builder
	for _, m := range c.s.Messages() {
		b.WriteString(m.Role.String() + ":")
		for i := range m.Parts {
			p := &m.Parts[i]
			switch p.Kind {
			case event.TextPart:
				b.WriteString(" " + string(p.Text))
			case event.ReasoningPart:
				b.WriteString(" (" + string(p.Text) + ")")
			case event.CallPart:
				b.WriteString(" call " + p.ToolCallID)
			case event.ResultPart:
				b.WriteString(" result " + p.ToolCallID + " " + string(p.Output))
			default:
				b.WriteString(" other")
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (c *chat) wantTranscript(want string) {
	c.t.Helper()
	if got := c.transcript(); got != want {
		c.t.Errorf("transcript:\n%swant:\n%s", got, want)
	}
}
