package session_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/sveda"
	"github.com/svedawasm/svedawasm/toolregistry"
)

// chat drives one session as a driver would, and records what the driver was
// told to do: tests assert on that, never on the session's inside.
//
// What holds for every chat is checked in every test: a handler runs at most
// once a call and never after a denial, no other turn leaves while a
// confirmation waits, decisions carry no arguments, bytes that were given to
// the session are not used after the call, each promise settles exactly once,
// nothing is left after Close, and the same inputs give the same outputs byte
// for byte.
type chat struct {
	t     *testing.T
	cfg   session.Config
	s     *session.Session
	tools *toolregistry.Registry

	inputs []input      // all that was put in, to be replayed
	trace  bytes.Buffer // all that came out

	context  string // of the page, as it is when a request is made
	requests []request
	runs     []session.Effect
	claims   []session.Effect
	order    []session.Effect // all effects
	streams  map[int]bool     // open ones
	begun    map[int]bool     // those that a script has begun to answer
	aborted  []int            // streams
	canceled []int            // runs
	settled  map[session.Ticket]settlement
	timers   map[int]int // running timers, id to delay
	failures []string    // codes of Failure changes
	warnings []string    // codes of Warning changes
	notes    []string    // names of Notify changes
	payloads []string    // their data
	events   []string    // RawEvent changes
	outputs  string      // last OutputsChange
	grants   string      // last GrantsChange
	statuses []string
	kinds    []session.ChangeKind
	shown    map[string]confirmation
	asked    []confirmation // all that was ever told of confirmations
	mirror   mirror
	denied   map[string]bool
	anew     bool // the chat was begun anew: the server may use ids again
	lastT    session.Ticket
	large    bool // too much to be played twice
}

type input func(c *chat)

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
		// Of a channel (contract asgard 2.1).
		Action           string           `json:"action"`
		CustomMessageID  string           `json:"customMessageId"`
		ToolCallConsents []map[string]any `json:"toolCallConsents"`
	}
}

type settlement struct {
	err  *session.Error
	data string
}

type confirmation struct {
	ToolCallID string          `json:"toolCallId"`
	ToolName   string          `json:"toolName"`
	NameTokens json.RawMessage `json:"toolNameTokens"`
	Target     string          `json:"target"`
	State      string          `json:"state"`
	Decision   string          `json:"decision"`
	Reason     string          `json:"reason"`
	Remember   string          `json:"remember"`
	Automatic  bool            `json:"automatic"`
	Elsewhere  bool            `json:"elsewhere"`
	Uncertain  bool            `json:"uncertain"`
	Asked      int             `json:"alreadyAsked"`
	Error      *struct {
		Code string `json:"code"`
	} `json:"error"`
	CurrentIndex int    `json:"currentIndex"`
	TotalCount   int    `json:"totalCount"`
	Toolset      string `json:"toolset"`
	ModelReason  string `json:"modelReason"`
}

type option func(*session.Config)

func newChat(t *testing.T, options ...option) *chat {
	t.Helper()
	cfg := baseConfig()
	for _, o := range options {
		o(&cfg)
	}
	c := makeChat(t, cfg)
	t.Cleanup(c.finish)
	return c
}

func baseConfig() session.Config {
	return session.Config{
		ChatID: "chat_1", Dialect: sveda.New(sveda.Config{Histories: true}), Seed: [16]byte{1, 2, 3},
		DecisionAttempts: 1, // what a retry does has its own tests
	}
}

func makeChat(t *testing.T, cfg session.Config) *chat {
	c := &chat{
		t: t, cfg: cfg, tools: toolregistry.New(), settled: map[session.Ticket]settlement{},
		streams: map[int]bool{}, begun: map[int]bool{}, timers: map[int]int{}, shown: map[string]confirmation{}, denied: map[string]bool{},
		mirror: mirror{t: t},
	}
	cfg.Tools = c.tools
	c.s = session.New(cfg)
	return c
}

// finish checks what must hold at the end of each test.
func (c *chat) finish() {
	if c.t.Failed() {
		return
	}
	c.mirror.check(c.s.Messages())
	if c.s.Status() == session.Idle && len(c.streams) == 0 {
		c.wantAllSettled("the session is idle")
	}
	c.close()
	c.wantAllSettled("the session is closed")
	if len(c.timers) != 0 {
		c.t.Errorf("timers are left after close: %v", c.timers)
	}
	if c.large {
		return
	}
	again := makeChat(c.t, c.cfg)
	for _, in := range c.inputs {
		in(again)
		again.flush()
	}
	if !bytes.Equal(c.trace.Bytes(), again.trace.Bytes()) {
		c.t.Errorf("the same inputs gave other outputs:\n%s\nagain:\n%s", &c.trace, &again.trace)
	}
}

func (c *chat) wantAllSettled(when string) {
	c.t.Helper()
	for t := session.Ticket(1); t <= c.lastT; t++ {
		if _, ok := c.settled[t]; !ok {
			c.t.Errorf("%s, and promise %d is not settled\n%s", when, t, &c.trace)
		}
	}
}

// put gives the session an input, and does what it leads to.
func (c *chat) put(in input) {
	c.t.Helper()
	c.inputs = append(c.inputs, in)
	in(c)
	c.flush()
}

// lend calls use with bytes that are overwritten when it returns: what was given
// to the session must not be used any more.
func lend(text string, use func(b []byte)) {
	b := []byte(text)
	use(b)
	for i := range b {
		b[i] = '#'
	}
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
			fmt.Fprintf(&c.trace, "change %d %d %d %q %s\n", ch.Kind, ch.Message, ch.Part, ch.Text, ch.Data)
			c.take(ch)
		}
		// Encode is an input too: copy the effects before it is called.
		for _, e := range append([]session.Effect(nil), out.Effects...) {
			fmt.Fprintf(&c.trace, "effect %d %d %d %q %q %d %d %v %s\n", e.Kind, e.ID, e.Handler, e.Call, e.Text, e.Delay, e.Ticket, e.Err, e.Data)
			c.do(e)
		}
	}
}

func (c *chat) take(ch session.Change) {
	c.kinds = append(c.kinds, ch.Kind)
	if ch.Data != nil && ch.Kind != session.PartText && !json.Valid(ch.Data) {
		c.t.Fatalf("change %d carries no JSON: %s", ch.Kind, ch.Data)
	}
	c.mirror.apply(ch)
	switch ch.Kind {
	case session.StatusChange:
		c.statuses = append(c.statuses, ch.Text)
	case session.Failure:
		c.failures = append(c.failures, code(ch.Data))
	case session.Warning:
		c.warnings = append(c.warnings, code(ch.Data))
	case session.Notify:
		c.notes = append(c.notes, ch.Text)
		c.payloads = append(c.payloads, string(ch.Data))
	case session.RawEvent:
		c.events = append(c.events, string(ch.Data))
	case session.OutputsChange:
		c.outputs = string(ch.Data)
	case session.GrantsChange:
		c.grants = string(ch.Data)
	case session.ConfirmationsCleared:
		clear(c.shown)
	case session.ConfirmationSet:
		var conf confirmation
		if err := json.Unmarshal(ch.Data, &conf); err != nil {
			c.t.Fatal(err)
		}
		if conf.State == "denied" || conf.State == "resolved" && conf.Decision == "deny" {
			c.denied[conf.ToolCallID] = true
		}
		c.shown[conf.ToolCallID] = conf
		c.asked = append(c.asked, conf)
	}
}

func code(data []byte) string {
	var v struct{ Code string }
	_ = json.Unmarshal(data, &v)
	return v.Code
}

func (c *chat) do(e session.Effect) {
	c.order = append(c.order, e)
	switch e.Kind {
	case session.Claim:
		c.claims = append(c.claims, e)
	case session.OpenStream:
		c.open(e.ID)
	case session.AbortStream:
		c.aborted = append(c.aborted, e.ID)
		delete(c.streams, e.ID)
	case session.RunTool:
		e.Data = append([]byte(nil), e.Data...)
		for _, r := range c.runs {
			if r.Call == e.Call && !c.anew {
				c.t.Fatalf("the handler of %s runs a second time\n%s", e.Call, &c.trace)
			}
		}
		if c.denied[e.Call] && !c.anew {
			c.t.Fatalf("the handler of %s runs after a denial\n%s", e.Call, &c.trace)
		}
		c.runs = append(c.runs, e)
	case session.AbortTool:
		c.canceled = append(c.canceled, e.ID)
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

func (c *chat) open(id int) {
	c.t.Helper()
	context := `{"page":"posts"}`
	if c.context != "" {
		context = c.context
	}
	wire, err := c.s.Encode(id, []byte(context))
	if err != nil {
		c.t.Fatalf("encode: %v", err)
	}
	fmt.Fprintf(&c.trace, "request %s %s %s\n", wire.Method, wire.Path, wire.Body)
	r := request{id: id, wire: wire}
	if wire.Body != nil {
		if err := json.Unmarshal(wire.Body, &r.body); err != nil {
			c.t.Fatalf("request body is not JSON: %v: %s", err, wire.Body)
		}
	}
	if wire.Endpoint == "stream" {
		c.checkSchema(wire.Body)
	}
	c.requests = append(c.requests, r)
	c.streams[id] = true
	for _, d := range r.body.ToolDecisions {
		for key := range d {
			if key != "toolCallId" && key != "decision" && key != "reason" {
				c.t.Fatalf("a decision carries %q", key)
			}
		}
	}
	for _, conf := range c.shown {
		decides := r.body.ToolDecisions != nil || r.body.ToolCallConsents != nil
		if wire.Body != nil && !decides && !resumes(wire) && conf.State == "pending" {
			c.t.Fatalf("a turn leaves while %s waits\n%s", conf.ToolCallID, &c.trace)
		}
	}
}

// resumes says that a request goes on with an answer; it is no new turn.
func resumes(wire event.WireRequest) bool {
	for _, h := range wire.Headers {
		if strings.EqualFold(h[0], "Last-Event-ID") {
			return true
		}
	}
	return false
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

// Inputs.

func (c *chat) send(text string) session.Ticket {
	c.t.Helper()
	return c.sendWith(session.Outgoing{Text: text})
}

func (c *chat) sendWith(m session.Outgoing) session.Ticket {
	c.t.Helper()
	t := c.ticket()
	c.put(func(c *chat) { c.s.Send(t, m) })
	return t
}

func (c *chat) goOn() session.Ticket {
	c.t.Helper()
	t := c.ticket()
	c.put(func(c *chat) { c.s.Continue(t, session.TurnOptions{}) })
	return t
}

func (c *chat) submit() session.Ticket {
	c.t.Helper()
	t := c.ticket()
	c.put(func(c *chat) { c.s.SubmitOutputs(t) })
	return t
}

func (c *chat) stop() session.Ticket {
	c.t.Helper()
	t := c.ticket()
	c.put(func(c *chat) { c.s.Stop(t, false) })
	return t
}

func (c *chat) reread() session.Ticket {
	c.t.Helper()
	t := c.ticket()
	c.put(func(c *chat) { c.s.Reread(t) })
	return t
}

func (c *chat) close() {
	c.t.Helper()
	c.put(func(c *chat) { c.s.Close() })
}

func (c *chat) setMessages(array string) {
	c.t.Helper()
	c.put(func(c *chat) {
		lend(array, func(b []byte) {
			if err := c.s.SetMessages(b); err != nil {
				c.t.Fatalf("SetMessages: %v", err)
			}
		})
	})
}

// tap decides as a page does.
func (c *chat) tap(id, word string) session.Ticket {
	c.t.Helper()
	return c.decide(choice(id, word, ""))
}

func (c *chat) tapWith(id, word, reason string) session.Ticket {
	c.t.Helper()
	return c.decide(choice(id, word, reason))
}

func (c *chat) decide(choices ...session.Choice) session.Ticket {
	c.t.Helper()
	t := c.ticket()
	c.put(func(c *chat) { c.s.Decide(t, choices, session.TurnOptions{}) })
	return t
}

func choice(id, word, reason string) session.Choice {
	return session.Choice{Decision: event.Decision{ToolCallID: id, Approve: word != "deny", Always: word == "always", Reason: reason}}
}

func (c *chat) head() {
	c.t.Helper()
	c.headOf(c.last().id, 200, "text/event-stream")
}

func (c *chat) headOf(stream, status int, contentType string) {
	c.t.Helper()
	c.put(func(c *chat) { c.s.Head(stream, status, contentType, session.HeadInfo{RetryAfter: -1}) })
}

func (c *chat) feed(frames ...string) {
	c.t.Helper()
	c.feedTo(c.last().id, frames...)
}

func (c *chat) feedTo(stream int, frames ...string) {
	c.t.Helper()
	for _, f := range frames {
		c.put(func(c *chat) {
			lend(f, func(b []byte) {
				c.s.Feed(stream, b)
				c.flush()
			})
		})
	}
}

func (c *chat) eof() {
	c.t.Helper()
	c.end(c.last().id, session.EOF, "")
}

func (c *chat) end(stream int, reason session.EndReason, detail string) {
	c.t.Helper()
	c.put(func(c *chat) {
		delete(c.streams, stream)
		c.s.End(stream, reason, detail)
	})
}

// lost ends the last response by a lost connection.
func (c *chat) lost() {
	c.t.Helper()
	c.end(c.last().id, session.NetworkFailed, "Load failed")
}

// answer is a whole response to the last request.
func (c *chat) answer(frames ...string) {
	c.t.Helper()
	id := c.last().id
	c.headOf(id, 200, "text/event-stream")
	c.feedTo(id, frames...)
	c.end(id, session.EOF, "")
}

func (c *chat) status(status int, body string) {
	c.t.Helper()
	id := c.last().id
	c.headOf(id, status, "application/json")
	c.feedTo(id, body)
	c.end(id, session.EOF, "")
}

func (c *chat) output(call, value string) {
	c.t.Helper()
	id := c.run(call)
	c.put(func(c *chat) { lend(value, func(b []byte) { c.s.Output(id, b) }) })
}

func (c *chat) outputFailed(call, message string) {
	c.t.Helper()
	id := c.run(call)
	c.put(func(c *chat) { c.s.OutputFailed(id, message) })
}

// run is the id of the run of a call's handler.
func (c *chat) run(call string) int {
	c.t.Helper()
	for _, r := range c.runs {
		if r.Call == call {
			return r.ID
		}
	}
	c.t.Fatalf("the handler of %s was not run", call)
	return 0
}

func (c *chat) at(ms int64) {
	c.t.Helper()
	c.put(func(c *chat) { c.s.At(ms) })
}

// fire lets the running timer with this delay run out.
func (c *chat) fire(delay int) {
	c.t.Helper()
	for id, d := range c.timers {
		if d == delay {
			delete(c.timers, id)
			c.put(func(c *chat) { c.s.Fire(id) })
			return
		}
	}
	c.t.Fatalf("no timer of %d ms runs: %v", delay, c.timers)
}

func (c *chat) register(name, confirmation string) {
	c.t.Helper()
	c.registerTool(toolregistry.Tool{Name: name, Confirmation: confirmation, Handler: 1 + c.tools.Len()})
}

func (c *chat) registerTool(tool toolregistry.Tool) {
	c.t.Helper()
	c.put(func(c *chat) {
		if _, err := c.tools.Register(tool); err != nil {
			c.t.Fatal(err)
		}
	})
}

// Frames of the Sveda wire.

func frame(json string) string { return "data: " + json + "\n\n" }

const (
	END   = "data: {\"type\":\"message.end\",\"finishReason\":\"tool_calls\"}\n\n"
	DONE  = "data: [DONE]\n\n"
	START = "data: {\"type\":\"message.start\",\"chatId\":\"chat_1\",\"messageId\":\"msg_1\"}\n\n"
	FAIL  = "data: {\"type\":\"error\",\"code\":\"llm_error\",\"message\":\"The model is unavailable.\"}\n\n"
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
		default:
			rest = `,"confirmation":` + f
		}
	}
	quoted, _ := json.Marshal(name)
	return frame(`{"type":"tool.call","toolCallId":"` + id + `","toolName":` + string(quoted) + `,"target":"` + target + `","input":` + input + rest + `}`)
}

func RES(id, output string) string {
	return frame(`{"type":"tool.result","toolCallId":"` + id + `","toolName":"t","output":` + output + `}`)
}

// HISTORY is the body of a stored chat.
func HISTORY(messages string) string {
	return `{"history":{"id":"chat_1","chatId":"chat_1","messages":` + messages + `}}`
}

// Assertions.

func (c *chat) wantState(id, state string) {
	c.t.Helper()
	if got := c.shown[id].State; got != state {
		c.t.Errorf("confirmation %s is %q, want %q", id, got, state)
	}
}

// wantCardError checks the error that the card of a call shows, "" for none.
func (c *chat) wantCardError(id, code string) {
	c.t.Helper()
	got := ""
	if e := c.shown[id].Error; e != nil {
		got = e.Code
	}
	if got != code {
		c.t.Errorf("the card of %s shows error %q, want %q", id, got, code)
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

func (c *chat) wantOpen(t session.Ticket) {
	c.t.Helper()
	if s, ok := c.settled[t]; ok {
		c.t.Errorf("promise %d is settled (%q, %v) too early", t, s.data, s.err)
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

func (c *chat) wantRuns(n int) {
	c.t.Helper()
	if len(c.runs) != n {
		c.t.Fatalf("%d handlers ran, want %d", len(c.runs), n)
	}
}

// wantDecisions checks the decisions of the last request, as "c1 approve".
func (c *chat) wantDecisions(want ...string) {
	c.t.Helper()
	var got []string
	for _, d := range c.last().body.ToolDecisions {
		got = append(got, fmt.Sprint(d["toolCallId"], " ", d["decision"]))
	}
	if strings.Join(got, ", ") != strings.Join(want, ", ") {
		c.t.Errorf("decisions %q, want %q", got, want)
	}
}

func (c *chat) wantStatus(want session.Status) {
	c.t.Helper()
	if got := c.s.Status(); got != want {
		c.t.Errorf("status %s, want %s", got, want)
	}
}

func (c *chat) wantFailures(want ...string) {
	c.t.Helper()
	if strings.Join(c.failures, " ") != strings.Join(want, " ") {
		c.t.Errorf("failures %q, want %q", c.failures, want)
	}
}

func (c *chat) wantWarnings(want ...string) {
	c.t.Helper()
	if strings.Join(c.warnings, " ") != strings.Join(want, " ") {
		c.t.Errorf("warnings %q, want %q", c.warnings, want)
	}
}

func (c *chat) wantBody(want string) {
	c.t.Helper()
	if got := string(c.last().wire.Body); got != want {
		c.t.Errorf("request body\n%s\nwant\n%s", got, want)
	}
}

// transcript is the chat as one line a message.
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

// lines joins the lines of a transcript.
func lines(l ...string) string { return strings.Join(l, "\n") + "\n" }
