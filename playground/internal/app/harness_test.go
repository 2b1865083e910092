package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svedawasm/svedawasm/playground/hosttool"
	"github.com/svedawasm/svedawasm/playground/internal/config"
	"github.com/svedawasm/svedawasm/playground/internal/model"
	"github.com/svedawasm/svedawasm/playground/internal/policy"
	"github.com/svedawasm/svedawasm/playground/internal/store"
	"github.com/svedawasm/svedawasm/playground/internal/token"
)

// play is a whole playground on a free port: HTTP, event streams, MCP host,
// SQLite. Tests talk to it as a client does and then look into its databases.
type play struct {
	t     *testing.T
	app   *App
	base  string
	token string
	dir   string
	stop  func()
}

// setup is what a test may change.
type setup struct {
	dir      string // of an earlier play, to restart it
	model    model.Model
	tools    []hosttool.Tool
	maxSteps int
	env      map[string]string
	config   func(*config.Config)
	log      *slog.Logger
}

func start(t *testing.T, s setup) *play {
	t.Helper()
	if s.dir == "" {
		s.dir = t.TempDir()
	}
	env := map[string]string{"SVEDA_DATA_DIR": s.dir, "PORT": "0", "SVEDA_OFFLINE_DELAY": "0", "SVEDA_KEEP_ALIVE": "0"}
	for k, v := range s.env {
		env[k] = v
	}
	c, err := config.Load(nil, func(k string) string { return env[k] }, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	c.WebDir = ""
	if s.maxSteps > 0 {
		c.MaxSteps = s.maxSteps
	}
	if s.config != nil {
		s.config(c)
	}
	o := Options{Tools: s.tools, Log: s.log}
	if s.model != nil {
		o.Models = model.Catalogue{{ID: "test", Provider: "test", Model: s.model}}
	}
	a, err := New(t.Context(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Serve(ctx, io.Discard) }()
	p := &play{t: t, app: a, base: a.URL(), dir: s.dir}
	p.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("stopping the playground: %v", err)
		}
	})
	t.Cleanup(p.stop)
	p.token = p.sign(token.Claims{VisitorID: "alice"})
	return p
}

func (p *play) sign(c token.Claims) string {
	p.t.Helper()
	tok, err := p.app.Tokens.Sign(c, time.Now(), time.Hour)
	if err != nil {
		p.t.Fatal(err)
	}
	return tok
}

// restricted gives a token whose grants are the rules.
func (p *play) restricted(r policy.Rules) string {
	return p.sign(token.Claims{VisitorID: "alice", Grants: &r})
}

// signGrants gives a token with a named policy and grants beside it.
func (p *play) signGrants(name string, r policy.Rules) string {
	return p.sign(token.Claims{VisitorID: "alice", Policy: &name, Grants: &r})
}

// wireEvent is one event of a stream, with its raw JSON.
type wireEvent struct {
	Type         string          `json:"type"`
	ChatID       *string         `json:"chatId"`
	MessageID    *string         `json:"messageId"`
	Timestamp    string          `json:"timestamp"`
	Delta        string          `json:"delta"`
	ToolCallID   string          `json:"toolCallId"`
	ToolName     string          `json:"toolName"`
	Target       string          `json:"target"`
	Input        json.RawMessage `json:"input"`
	Confirmation *string         `json:"confirmation"`
	Output       json.RawMessage `json:"output"`
	Title        string          `json:"title"`
	FinishReason string          `json:"finishReason"`
	Usage        json.RawMessage `json:"usage"`
	Code         string          `json:"code"`
	raw          string
}

// reply is a whole response.
type reply struct {
	status int
	header http.Header
	body   string // not an event stream
	events []wireEvent
	done   bool // [DONE] was the last frame
}

// types gives the kinds of the events in order, runs of deltas as one.
func (r reply) types() []string {
	var list []string
	for _, e := range r.events {
		if n := len(list); n > 0 && list[n-1] == e.Type && strings.HasSuffix(e.Type, ".delta") {
			continue
		}
		list = append(list, e.Type)
	}
	return list
}

func (r reply) of(kind string) []wireEvent {
	var list []wireEvent
	for _, e := range r.events {
		if e.Type == kind {
			list = append(list, e)
		}
	}
	return list
}

func (r reply) text() string {
	var b strings.Builder
	for _, e := range r.of("text.delta") {
		b.WriteString(e.Delta)
	}
	return b.String()
}

// post sends a body to /sveda/stream and reads the answer to its end.
func (p *play) post(body any) reply {
	p.t.Helper()
	return p.send("POST", "/sveda/stream", body, p.token)
}

func (p *play) send(method, path string, body any, tok string) reply {
	p.t.Helper()
	res := p.open(p.t.Context(), method, path, body, tok)
	defer res.Body.Close()
	r, err := read(res, nil)
	if err != nil {
		p.t.Fatalf("reading %s: %v", path, err)
	}
	return r
}

func (p *play) open(ctx context.Context, method, path string, body any, tok string) *http.Response {
	p.t.Helper()
	var raw []byte
	switch b := body.(type) {
	case nil:
	case string:
		raw = []byte(b)
	default:
		var err error
		if raw, err = json.Marshal(b); err != nil {
			p.t.Fatal(err)
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, p.base+path, bytes.NewReader(raw))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if tok != "" {
		req.Header.Set("x-sveda-embed-token", tok)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatalf("%s %s: %v", method, path, err)
	}
	return res
}

// read takes the response; until, when given, may end the reading early.
func read(res *http.Response, until func(wireEvent) bool) (reply, error) {
	r := reply{status: res.StatusCode, header: res.Header}
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		body, err := io.ReadAll(res.Body)
		r.body = string(body)
		return r, err
	}
	lines := bufio.NewReader(res.Body)
	for {
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			return r, nil
		}
		if err != nil {
			return r, err
		}
		data, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "data: ")
		if !ok {
			r.body += line
			continue
		}
		if r.done = data == "[DONE]"; r.done {
			continue
		}
		var e wireEvent
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			return r, fmt.Errorf("event %q: %w", data, err)
		}
		e.raw = data
		r.events = append(r.events, e)
		if until != nil && until(e) {
			return r, nil
		}
	}
}

// say sends what a person wrote.
func (p *play) say(chat, text string) reply {
	p.t.Helper()
	return p.post(turn(chat, text))
}

func turn(chat, text string) map[string]any {
	return map[string]any{"chatId": chat, "prompt": text, "messages": []any{user(text)}, "context": map[string]any{}, "clientTools": []any{}}
}

var userIDs = struct {
	sync.Mutex
	n int
}{}

func user(text string) map[string]any {
	userIDs.Lock()
	defer userIDs.Unlock()
	userIDs.n++
	return map[string]any{"id": fmt.Sprintf("u%d", userIDs.n), "role": "user", "content": text, "parts": []any{map[string]any{"type": "text", "text": text}}}
}

// decide sends decisions, given as id, word, id, word, …
func (p *play) decide(chat string, pairs ...string) reply {
	p.t.Helper()
	return p.post(decisions(chat, pairs...))
}

func decisions(chat string, pairs ...string) map[string]any {
	list := []any{}
	for pair := range slices.Chunk(pairs, 2) {
		list = append(list, map[string]any{"toolCallId": pair[0], "decision": pair[1]})
	}
	return map[string]any{"chatId": chat, "prompt": "", "messages": []any{}, "toolDecisions": list}
}

// result is the message with which a browser brings an output.
func result(id, name string, output any) map[string]any {
	return map[string]any{"id": "t-" + id, "role": "tool", "content": "", "parts": []any{
		map[string]any{"type": "tool-result", "toolCallId": id, "toolName": name, "output": output}}}
}

func (p *play) chat(id string) *store.Chat {
	p.t.Helper()
	c, err := p.app.Chats.Read(p.t.Context(), store.Key{Visitor: "alice", Chat: id})
	if err != nil {
		p.t.Fatalf("reading chat %q: %v", id, err)
	}
	return c
}

func (p *play) call(chat, id string) store.Call {
	p.t.Helper()
	c := p.chat(chat).Call(id)
	if c == nil {
		p.t.Fatalf("chat %q has no call %q", chat, id)
	}
	return *c
}

// calls counts the tools/call of that tool which the host received.
func (p *play) calls(name string) int {
	p.t.Helper()
	list, err := p.app.Posts.Calls(context.Background())
	if err != nil {
		p.t.Fatal(err)
	}
	n := 0
	for _, c := range list {
		if c.Name == name {
			n++
		}
	}
	return n
}

func (p *play) hasPost(id int64) bool {
	p.t.Helper()
	list, err := p.app.Posts.All(context.Background())
	if err != nil {
		p.t.Fatal(err)
	}
	for _, x := range list {
		if x.ID == id {
			return true
		}
	}
	return false
}

func (p *play) wantPost(id int64, there bool) {
	p.t.Helper()
	if p.hasPost(id) != there {
		p.t.Errorf("post %d is there: %v, want %v", id, !there, there)
	}
}

func (p *play) wantCalls(name string, n int) {
	p.t.Helper()
	if got := p.calls(name); got != n {
		p.t.Errorf("the host received %d calls of %s, want %d", got, name, n)
	}
}

func wantTypes(t *testing.T, r reply, want ...string) {
	t.Helper()
	if r.status != http.StatusOK {
		t.Fatalf("status %d %q, want 200", r.status, r.body)
	}
	if got := r.types(); !slices.Equal(got, want) {
		t.Errorf("events\n got %v\nwant %v", got, want)
	}
	if !r.done {
		t.Error("the stream has no [DONE] at its end")
	}
}

func wantMessage(t *testing.T, r reply, status int, message string) {
	t.Helper()
	if r.status != status {
		t.Fatalf("status %d %q, want %d", r.status, r.body, status)
	}
	var body struct{ Message string }
	if err := json.Unmarshal([]byte(r.body), &body); err != nil || body.Message != message {
		t.Errorf("body %q, want message %q", r.body, message)
	}
}

// scripted is a model that makes the given steps, then says "done".
type scripted struct {
	mu       sync.Mutex
	steps    []model.Response
	requests []model.Request
	during   func(step int) // called at the beginning of each step
	err      error          // of the step after the last
	title    func()         // called when a title is asked for
}

func script(steps ...model.Response) *scripted { return &scripted{steps: steps} }

// calling is a step with calls, given as id, name, arguments, …
func calling(triples ...string) model.Response {
	var r model.Response
	for c := range slices.Chunk(triples, 3) {
		r.Calls = append(r.Calls, model.Call{ID: c[0], Name: c[1], Arguments: json.RawMessage(c[2])})
	}
	r.FinishReason = "tool_calls"
	return r
}

func (s *scripted) Generate(ctx context.Context, req model.Request, emit func(model.Delta)) (model.Response, error) {
	s.mu.Lock()
	n := len(s.requests)
	s.requests = append(s.requests, req)
	during, err := s.during, s.err
	res := model.Response{Text: "done", FinishReason: "stop"}
	if n < len(s.steps) {
		res = s.steps[n]
		err = nil
	}
	s.mu.Unlock()
	if during != nil {
		during(n)
	}
	if err != nil {
		return model.Response{}, err
	}
	if res.Reasoning != "" {
		emit(model.Delta{Reasoning: res.Reasoning})
	}
	if res.Text != "" {
		emit(model.Delta{Text: res.Text})
	}
	res.Usage = model.Usage{Prompt: 10, Completion: 2}
	return res, ctx.Err()
}

func (s *scripted) Title(context.Context, string) (string, error) {
	if s.title != nil {
		s.title()
	}
	return "", nil
}

func (s *scripted) ContextWindow() int { return 1000 }

// asked gives the requests that the model has got.
func (s *scripted) asked() []model.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// last gives the conversation of the model's last request.
func (s *scripted) last(t *testing.T) []model.Message {
	t.Helper()
	list := s.asked()
	if len(list) == 0 {
		t.Fatal("the model was not asked")
	}
	return list[len(list)-1].Messages
}

// roles writes a conversation as "user assistant(c1,c2) tool(c1) …".
func roles(messages []model.Message) string {
	var list []string
	for _, m := range messages {
		s := string(m.Role)
		var ids []string
		for _, c := range m.Calls {
			ids = append(ids, c.ID)
		}
		if m.CallID != "" {
			ids = append(ids, m.CallID)
		}
		if len(ids) > 0 {
			s += "(" + strings.Join(ids, ",") + ")"
		}
		list = append(list, s)
	}
	return strings.Join(list, " ")
}

func toolText(messages []model.Message, id string) string {
	for _, m := range messages {
		if m.CallID == id {
			return m.Text
		}
	}
	return ""
}

// gateTool is a host tool that runs until it is let go.
type gateTool struct {
	name    string
	confirm string
	mode    hosttool.Mode
	started chan struct{} // gets one value per call
	let     chan struct{} // closed to let all calls end
	err     error
}

func newGate(name, confirm string) *gateTool {
	return &gateTool{name: name, confirm: confirm, mode: hosttool.Write, started: make(chan struct{}, 100), let: make(chan struct{})}
}

func (g *gateTool) Name() string                 { return g.name }
func (g *gateTool) Description() string          { return "a tool of a test" }
func (g *gateTool) Mode() hosttool.Mode          { return g.mode }
func (g *gateTool) Domain() string               { return "test" }
func (g *gateTool) Confirmation() string         { return g.confirm }
func (g *gateTool) InputSchema() json.RawMessage { return json.RawMessage(`{"type":"object"}`) }
func (g *gateTool) Handle(ctx context.Context, args json.RawMessage) (any, error) {
	g.started <- struct{}{}
	select {
	case <-g.let:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return map[string]any{"success": true, "data": "ran"}, g.err
}

func await(t *testing.T, what string, ch <-chan struct{}) {
	t.Helper()
	select {
	case <-ch:
	case <-time.After(10 * time.Second):
		t.Fatalf("%s: nothing within 10 s", what)
	}
}

// eventually polls a condition that another goroutine brings about.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within 10 s", what)
		}
	}
}
