package app

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/playground/hosttool"
	"github.com/svedawasm/svedawasm/playground/internal/model"
	"github.com/svedawasm/svedawasm/playground/internal/policy"
	"github.com/svedawasm/svedawasm/playground/internal/store"
	"github.com/svedawasm/svedawasm/playground/internal/token"
)

// One test per turn rule of the contract, section 2. Each asserts on rows and
// on calls that the host received, not only on the stream.

var denied = `{"success":false,"denied":true,"error":"The user denied this action and it was not executed."}`

func frontend(name, confirmation string) map[string]any {
	tool := map[string]any{"name": name, "description": "of the page", "parameters": map[string]any{"type": "object"}}
	if confirmation != "" {
		tool["confirmation"] = confirmation
	}
	return tool
}

func with(body map[string]any, key string, value any) map[string]any {
	body[key] = value
	return body
}

func TestTurnRule01_ConfirmationIsOptIn(t *testing.T) {
	quiet := newGate("drop_all", "") // mode delete, no confirmation
	quiet.mode = hosttool.Delete
	close(quiet.let)
	auto := newGate("auto_tool", "auto")
	close(auto.let)
	p := start(t, setup{tools: []hosttool.Tool{quiet, auto}, model: script(
		calling("c1", "drop_all", `{}`, "c2", "auto_tool", `{}`, "c3", "create_post", `{"title":"x"}`))})
	r := p.say("c", "go")
	for _, e := range r.of("tool.call") {
		if e.Confirmation != nil {
			t.Errorf("%s has confirmation %q, want none", e.ToolName, *e.Confirmation)
		}
	}
	p.wantCalls("drop_all", 1)
	p.wantCalls("auto_tool", 1)
	p.wantCalls("create_post", 1)
	if r := p.say("d", "x"); r.status != 200 {
		t.Errorf("a chat without confirmations refuses: %d", r.status)
	}
}

func TestTurnRule01_UnknownWordsConfirm(t *testing.T) {
	// S46: a word that we do not know must not open the gate.
	for _, word := range []any{"required", "REQUIRED", "required_v2", true, 1, []any{}, map[string]any{}, "", false} {
		p := start(t, setup{model: script(calling("c1", "page_tool", `{}`))})
		tool := frontend("page_tool", "")
		tool["confirmation"] = word
		p.post(with(turn("c", "go"), "clientTools", []any{tool}))
		if c := p.call("c", "c1"); c.State != store.StatePending || !c.Confirming {
			t.Errorf("confirmation %v: state %q, want pending", word, c.State)
		}
		p.stop()
	}
	for _, word := range []any{nil, "auto"} {
		p := start(t, setup{model: script(calling("c1", "page_tool", `{}`))})
		tool := frontend("page_tool", "")
		tool["confirmation"] = word
		p.post(with(turn("c", "go"), "clientTools", []any{tool}))
		if c := p.call("c", "c1"); c.State != store.StateOpen {
			t.Errorf("confirmation %v: state %q, want open", word, c.State)
		}
		p.stop()
	}
}

func TestTurnRule02_TargetAndShadowing(t *testing.T) {
	p := start(t, setup{model: script(calling(
		"c1", "page_tool", `{}`, "c2", "delete_post", `{"post_id":2}`, "c3", "nobody_knows", `{}`, "c4", "search_posts", `{}`))})
	r := p.post(with(turn("c", "go"), "clientTools", []any{frontend("page_tool", ""), frontend("delete_post", "")}))
	want := map[string]string{"c1": "frontend", "c2": "frontend", "c3": "backend", "c4": "backend"}
	for _, e := range r.of("tool.call") {
		if e.Target != want[e.ToolCallID] {
			t.Errorf("%s: target %q, want %q", e.ToolCallID, e.Target, want[e.ToolCallID])
		}
		// The host's flag holds although the page's tool shadows it.
		if (e.Confirmation != nil) != (e.ToolCallID == "c2") {
			t.Errorf("%s: confirmation %v", e.ToolCallID, e.Confirmation)
		}
	}
	p.wantCalls("delete_post", 0)
	p.wantPost(2, true)
}

func TestTurnRule03_ConfirmingCallEndsTheTurn(t *testing.T) {
	m := script(calling("c1", "delete_post", `{"post_id":2}`))
	p := start(t, setup{model: m})
	r := p.say("c", "go")
	wantTypes(t, r, "message.start", "tool.call", "context.usage", "message.end", "chat.title")
	if end := r.of("message.end")[0]; end.FinishReason != "tool_calls" || end.MessageID == nil {
		t.Errorf("message.end %s", end.raw)
	}
	p.wantCalls("delete_post", 0)
	p.wantPost(2, true)
	if len(m.asked()) != 1 {
		t.Errorf("the model was asked %d times, want 1", len(m.asked()))
	}
}

func TestTurnRule04_OtherCallsOfTheStepRun(t *testing.T) {
	p := start(t, setup{model: script(calling(
		"c1", "create_post", `{"title":"a"}`, "c2", "delete_post", `{"post_id":2}`, "c3", "create_post", `{"title":"b"}`))})
	r := p.say("c", "go")
	wantTypes(t, r, "message.start", "tool.call", "tool.call", "tool.call", "context.usage", "tool.result", "tool.result", "message.end", "chat.title")
	results := r.of("tool.result")
	if results[0].ToolCallID != "c1" || results[1].ToolCallID != "c3" {
		t.Errorf("results of %s, %s", results[0].ToolCallID, results[1].ToolCallID)
	}
	p.wantCalls("create_post", 2)
	p.wantCalls("delete_post", 0)
}

func TestTurnRule05_BackendCallsRunBesideFrontendCalls(t *testing.T) {
	// The known server runs nothing here; the seed promises that it runs.
	m := script(calling("c1", "page_tool", `{}`, "c2", "create_post", `{"title":"a"}`))
	p := start(t, setup{model: m})
	r := p.post(with(turn("c", "go"), "clientTools", []any{frontend("page_tool", "")}))
	wantTypes(t, r, "message.start", "tool.call", "tool.call", "context.usage", "tool.result", "message.end", "chat.title")
	if r.of("message.end")[0].FinishReason != "tool_calls" {
		t.Errorf("message.end %s", r.of("message.end")[0].raw)
	}
	p.wantCalls("create_post", 1)
	if len(m.asked()) != 1 {
		t.Error("the model was asked before the browser's result")
	}
}

func TestTurnRule06_UnknownToolAlone(t *testing.T) {
	p := start(t, setup{model: script(calling("c1", "nobody_knows", `{}`))})
	r := p.say("c", "go")
	wantTypes(t, r, "message.start", "tool.call", "context.usage", "max_steps", "message.end", "chat.title")
	if r.of("message.end")[0].FinishReason != "stop" {
		t.Errorf("message.end %s", r.of("message.end")[0].raw)
	}
	if c := p.call("c", "c1"); c.State != store.StateSkipped || c.Output != nil {
		t.Errorf("state %q output %s", c.State, c.Output)
	}
}

func TestTurnRule07_StepLimit(t *testing.T) {
	m := script(calling("c1", "search_posts", `{}`), calling("c2", "create_post", `{"title":"never"}`, "c3", "delete_post", `{"post_id":2}`))
	p := start(t, setup{model: m, maxSteps: 2})
	r := p.say("c", "go")
	wantTypes(t, r, "message.start", "tool.call", "context.usage", "tool.result",
		"tool.call", "tool.call", "context.usage", "max_steps", "message.end", "chat.title")
	if e := r.of("max_steps")[0]; !strings.Contains(e.raw, `"maxSteps":2,"canContinue":true`) {
		t.Errorf("max_steps %s", e.raw)
	}
	if r.of("message.end")[0].FinishReason != "stop" {
		t.Errorf("message.end %s", r.of("message.end")[0].raw)
	}
	p.wantCalls("create_post", 0)
	// A confirming call becomes pending all the same.
	if c := p.call("c", "c3"); c.State != store.StatePending {
		t.Errorf("c3 is %q, want pending", c.State)
	}
	if r := p.decide("c", "c3", "approve"); r.status != 200 {
		t.Fatalf("status %d", r.status)
	}
	p.wantPost(2, false)
	p.wantCalls("create_post", 0)
}

func TestTurnRule08_PendingSetIsTheStoredOne(t *testing.T) {
	p := start(t, setup{model: script(calling("c1", "delete_post", `{"post_id":2}`))})
	p.say("c", "go")
	// What the client says of the call changes nothing: it is not its to say.
	body := with(turn("c", "again"), "messages", []any{
		map[string]any{"id": "a", "role": "assistant", "content": "", "parts": []any{
			map[string]any{"type": "tool-call", "toolCallId": "c1", "toolName": "delete_post", "target": "backend", "input": map[string]any{"post_id": 5}},
			map[string]any{"type": "tool-result", "toolCallId": "c1", "toolName": "delete_post", "output": map[string]any{"success": true}},
		}}, user("again")})
	wantMessage(t, p.post(body), 409, "Tool confirmation is required before the conversation can continue.")
	p.decide("c", "c1", "approve")
	p.wantPost(2, false)
	p.wantPost(5, true)
}

func TestTurnRule08_FrontendConfirmationsAreInIt(t *testing.T) {
	p := start(t, setup{model: script(calling("c1", "archive_selection", `{}`))})
	p.post(with(turn("c", "go"), "clientTools", []any{frontend("archive_selection", "required")}))
	wantMessage(t, p.say("c", "next"), 409, "Tool confirmation is required before the conversation can continue.")
}

func TestTurnRule09_PendingWithoutDecisionsIs409(t *testing.T) {
	m := script(calling("c1", "delete_post", `{"post_id":2}`))
	p := start(t, setup{model: m})
	p.say("c", "go")
	before := p.chat("c")
	tests := map[string]map[string]any{
		"new words":       turn("c", "something else"),
		"tool results":    {"chatId": "c", "prompt": "tool_results", "messages": []any{result("x", "y", 1)}},
		"continue":        {"chatId": "c", "prompt": "Continue", "messages": []any{}},
		"nothing":         {"chatId": "c"},
		"empty decisions": {"chatId": "c", "prompt": "hi", "toolDecisions": []any{}},
	}
	for name, body := range tests {
		t.Run(name, func(t *testing.T) {
			wantMessage(t, p.post(body), http.StatusConflict, "Tool confirmation is required before the conversation can continue.")
		})
	}
	after := p.chat("c")
	if len(after.Messages) != len(before.Messages) || after.Version != before.Version {
		t.Error("a refused turn left a trace in the chat")
	}
	if len(m.asked()) != 1 {
		t.Errorf("the model was asked %d times", len(m.asked()))
	}
}

func TestTurnRule10_DecisionsWithoutStoredChat(t *testing.T) {
	p := start(t, setup{})
	wantMessage(t, p.decide("nowhere", "c1", "approve"), 409, "Chat history is unavailable.")
	// Another visitor's chat is no chat of this one.
	p.say("c", "delete post 2")
	r := p.send("POST", "/sveda/stream", decisions("c", "call_delete_post_1", "approve"), p.sign(token.Claims{VisitorID: "mallory"}))
	wantMessage(t, r, 409, "Chat history is unavailable.")
	p.wantCalls("delete_post", 0)
}

func TestTurnRule11_DecisionsWithNothingPendingAreIgnored(t *testing.T) {
	m := script(model.Response{Text: "hello"})
	p := start(t, setup{model: m})
	p.say("c", "hi")
	body := turn("c", "and now?")
	body["toolDecisions"] = []any{map[string]any{"toolCallId": "c9", "decision": "approve"}}
	r := p.post(body)
	if r.text() != "done" {
		t.Errorf("answer %q, want that of a normal turn", r.text())
	}
	msgs := m.last(t)
	if last := msgs[len(msgs)-1]; last.Role != model.User || last.Text != "and now?" {
		t.Errorf("the model's last message is %+v", last)
	}
}

func TestTurnRule12_WordsBesideDecisionsAreIgnored(t *testing.T) {
	m := script(calling("c1", "delete_post", `{"post_id":2}`))
	p := start(t, setup{model: m})
	p.say("c", "go")
	body := turn("c", "lost words")
	body["toolDecisions"] = []any{map[string]any{"toolCallId": "c1", "decision": "deny"}}
	p.post(body)
	for _, msg := range p.chat("c").Messages {
		if msg.Text == "lost words" {
			t.Error("the words were stored")
		}
	}
	if got := roles(m.last(t)); got != "system user assistant(c1) tool(c1)" {
		t.Errorf("conversation %s", got)
	}
}

func TestTurnRule13_UnknownIdsWordsAndDuplicates(t *testing.T) {
	setupCalls := func(t *testing.T) *play {
		p := start(t, setup{model: script(calling("c1", "delete_post", `{"post_id":2}`))})
		p.say("c", "go")
		return p
	}
	t.Run("the first of two wins", func(t *testing.T) {
		p := setupCalls(t)
		p.decide("c", "c1", "deny", "c1", "approve")
		p.wantCalls("delete_post", 0)
		p.wantPost(2, true)
	})
	t.Run("an unknown word burns the id", func(t *testing.T) {
		p := setupCalls(t)
		p.decide("c", "c1", "maybe", "c1", "approve")
		p.wantCalls("delete_post", 0)
		if c := p.call("c", "c1"); c.State != store.StatePending {
			t.Errorf("state %q, want pending", c.State)
		}
	})
	t.Run("an unknown id is skipped", func(t *testing.T) {
		p := setupCalls(t)
		p.decide("c", "other", "approve", "c1", "approve")
		p.wantPost(2, false)
	})
	t.Run("words are trimmed and lower-cased", func(t *testing.T) {
		p := setupCalls(t)
		p.decide("c", "c1", "  Approve ")
		p.wantPost(2, false)
	})
}

func TestTurnRule14_PartialDecisions(t *testing.T) {
	m := script(calling("c1", "delete_post", `{"post_id":1}`, "c2", "delete_post", `{"post_id":2}`, "c3", "delete_post", `{"post_id":3}`))
	p := start(t, setup{model: m})
	p.say("c", "go")
	r := p.decide("c", "c3", "approve", "c1", "deny")
	wantTypes(t, r, "tool.result", "tool.result", "message.end", "chat.title")
	if r.events[0].ToolCallID != "c3" || r.events[1].ToolCallID != "c1" {
		t.Errorf("results in order %s, %s; want that of the request", r.events[0].ToolCallID, r.events[1].ToolCallID)
	}
	if e := r.of("message.end")[0]; e.FinishReason != "tool_calls" || e.MessageID != nil || e.ChatID == nil || e.Usage != nil {
		t.Errorf("message.end %s", e.raw)
	}
	if len(m.asked()) != 1 {
		t.Error("the model was asked although a call waits")
	}
	p.wantPost(1, true)
	p.wantPost(3, false)
	if c := p.call("c", "c2"); c.State != store.StatePending {
		t.Errorf("c2 is %q", c.State)
	}
	r = p.decide("c", "c2", "approve")
	wantTypes(t, r, "tool.result", "message.start", "text.delta", "context.usage", "message.end", "chat.title")
	p.wantPost(2, false)
	p.wantCalls("delete_post", 2)
}

func TestTurnRule15_OnlyInvalidDecisions(t *testing.T) {
	p := start(t, setup{model: script(calling("c1", "delete_post", `{"post_id":2}`))})
	p.say("c", "go")
	r := p.decide("c", "c9", "approve", "c1", "perhaps")
	wantTypes(t, r, "message.end", "chat.title")
	if r.events[0].FinishReason != "tool_calls" {
		t.Errorf("message.end %s", r.events[0].raw)
	}
	p.wantCalls("delete_post", 0)
}

func TestTurnRule16_ApproveCallsTheHostOnceWithTheStoredArguments(t *testing.T) {
	p := start(t, setup{model: script(calling("c1", "delete_post", `{"post_id":2,"n":12345678901234567890,"f":1.10,"z":"<b>&"}`))})
	r := p.say("c", "go")
	shown := string(r.of("tool.call")[0].Input)
	body := decisions("c", "c1", "approve")
	body["toolDecisions"] = []any{map[string]any{"toolCallId": "c1", "decision": "approve", "input": map[string]any{"post_id": 5}, "arguments": `{"post_id":5}`}}
	p.post(body)
	p.wantCalls("delete_post", 1)
	p.wantPost(2, false)
	p.wantPost(5, true)
	calls, err := p.app.Posts.Calls(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// The SDK writes <, > and & as escapes of the same characters; numbers,
	// order and values are those that were shown.
	got := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(calls[0].Arguments))
	if got != shown {
		t.Errorf("shown %s\nrun   %s", shown, got)
	}
}

func TestTurnRule17_Deny(t *testing.T) {
	m := script(calling("c1", "delete_post", `{"post_id":2}`))
	p := start(t, setup{model: m})
	p.say("c", "go")
	r := p.decide("c", "c1", "deny")
	wantTypes(t, r, "tool.result", "message.start", "text.delta", "context.usage", "message.end", "chat.title")
	if got := string(r.events[0].Output); got != denied {
		t.Errorf("output %s", got)
	}
	p.wantCalls("delete_post", 0)
	p.wantPost(2, true)
	if got := toolText(m.last(t), "c1"); got != denied {
		t.Errorf("the model is told %s", got)
	}
}

func TestTurnRule17_DenyWithReason(t *testing.T) {
	m := script(calling("c1", "delete_post", `{"post_id":2}`))
	p := start(t, setup{model: m})
	p.say("c", "go")
	reason := `wrong row","success":true,"x":"` + "\n"
	r := p.post(map[string]any{"chatId": "c", "toolDecisions": []any{map[string]any{"toolCallId": "c1", "decision": "deny", "reason": reason}}})
	var out map[string]any
	if err := json.Unmarshal(r.events[0].Output, &out); err != nil {
		t.Fatal(err)
	}
	if len(out) != 4 || out["success"] != false || out["denied"] != true || out["reason"] != reason {
		t.Errorf("output %s", r.events[0].Output)
	}
	if got := toolText(m.last(t), "c1"); !strings.HasPrefix(got, strings.TrimSuffix(denied, "}")+`,"reason":`) {
		t.Errorf("the model is told %s", got)
	}
}

func TestTurnRule18_HostFailureIsAResult(t *testing.T) {
	m := script(calling("c1", "delete_post", `{"post_id":999}`))
	p := start(t, setup{model: m})
	p.say("c", "go")
	r := p.decide("c", "c1", "approve")
	if got := string(r.events[0].Output); got != `{"success":false,"error":"post 999 does not exist"}` {
		t.Errorf("output %s", got)
	}
	if len(m.asked()) != 2 {
		t.Error("the model does not go on after a failure")
	}
	p.decide("c", "c1", "approve")
	p.wantCalls("delete_post", 1)
}

func TestTurnRule19_SameApproveAgain(t *testing.T) {
	m := script(calling("c1", "delete_post", `{"post_id":2}`))
	p := start(t, setup{model: m})
	p.say("c", "go")
	first := p.decide("c", "c1", "approve")
	asked := len(m.asked())
	r := p.decide("c", "c1", "approve")
	wantTypes(t, r, "tool.result", "message.end", "chat.title")
	if string(r.events[0].Output) != string(first.events[0].Output) {
		t.Errorf("repeat gives %s, first gave %s", r.events[0].Output, first.events[0].Output)
	}
	p.wantCalls("delete_post", 1)
	if len(m.asked()) != asked {
		t.Error("the repeat asked the model again")
	}
	// Deny after approve: the first decision stands.
	r = p.decide("c", "c1", "deny")
	if string(r.events[0].Output) != string(first.events[0].Output) {
		t.Errorf("a late deny gives %s", r.events[0].Output)
	}
	if c := p.call("c", "c1"); c.Decision != store.Approve {
		t.Errorf("the recorded decision is %q", c.Decision)
	}
	// With words the turn runs normally.
	body := turn("c", "thanks")
	body["toolDecisions"] = []any{map[string]any{"toolCallId": "c1", "decision": "approve"}}
	if r := p.post(body); r.text() != "done" {
		t.Errorf("answer %q", r.text())
	}
	p.wantCalls("delete_post", 1)
}

func TestTurnRule20_SpawnTasks(t *testing.T) {
	p := start(t, setup{}) // the offline model: tasks need one that plans by prompt
	r := p.say("c", "run two tasks: list posts and delete post 2")
	p.wantCalls("delete_post", 0)
	p.wantCalls("search_posts", 1)
	p.wantPost(2, true)
	var out struct {
		Success bool `json:"success"`
		Data    struct {
			Tasks []struct {
				Status string          `json:"status"`
				Result json.RawMessage `json:"result"`
			} `json:"tasks"`
		} `json:"data"`
	}
	if err := json.Unmarshal(r.of("tool.result")[0].Output, &out); err != nil {
		t.Fatal(err)
	}
	if !out.Success || len(out.Data.Tasks) != 2 {
		t.Fatalf("output %s", r.of("tool.result")[0].Output)
	}
	if out.Data.Tasks[0].Status != "completed" || out.Data.Tasks[1].Status != "failed" {
		t.Errorf("tasks %+v", out.Data.Tasks)
	}
	want := `{"success":false,"error":"This tool requires user confirmation and cannot run inside spawn_tasks."}`
	if got := string(out.Data.Tasks[1].Result); got != want {
		t.Errorf("refused task says %s", got)
	}
	types := r.types()
	if strings.Join(types, " ") != strings.Join([]string{"message.start", "tool.call", "context.usage",
		"tool.progress", "tool.progress", "tool.progress", "tool.progress", "tool.result",
		"text.delta", "context.usage", "message.end", "chat.title", "chat.title"}, " ") {
		t.Errorf("events %v", types)
	}
	for _, e := range r.of("tool.progress") {
		if !strings.Contains(e.raw, `"phase":"spawn_tasks","tasks":[{"id":"task_1","label":"list posts","status":`) {
			t.Errorf("progress %s", e.raw)
		}
	}
	for _, n := range []int{0, 7} {
		tasks := make([]map[string]string, n)
		for i := range tasks {
			tasks[i] = map[string]string{"prompt": "list posts"}
		}
		raw, _ := json.Marshal(map[string]any{"tasks": tasks})
		r := p.say("limits"+string(rune('0'+n)), "call spawn_tasks with "+string(raw))
		if got := string(r.of("tool.result")[0].Output); !strings.HasPrefix(got, `{"success":false,"error":"spawn_tasks takes 1 to 6 tasks`) {
			t.Errorf("%d tasks: %s", n, got)
		}
	}
}

func TestTurnRule21_PromptChoice(t *testing.T) {
	placeholder := map[string]any{"id": "p", "role": "assistant", "content": "", "parts": []any{map[string]any{"type": "reasoning", "text": "."}}}
	assistant := map[string]any{"id": "a", "role": "assistant", "content": "earlier", "parts": []any{}}
	tests := []struct {
		name     string
		prompt   any
		messages []any
		want     string // the model's last words of the user; "" for none
	}{
		{"the last user message wins over the prompt", "ignored", []any{user("words")}, "words"},
		{"trailing empty assistants are dropped", "ignored", []any{user("words"), placeholder, placeholder}, "words"},
		{"after a tool message there is no prompt", "tool_results", []any{result("x", "y", 1)}, ""},
		{"tool_results is never shown", "tool_results", []any{}, ""},
		{"otherwise the prompt, trimmed", "  hello ", []any{assistant}, "hello"},
		{"no messages", "hello", nil, "hello"},
		{"content missing, text parts joined", "", []any{map[string]any{"role": "user", "parts": []any{
			map[string]any{"type": "text", "text": "a"}, map[string]any{"type": "text", "text": "b"}}}}, "ab"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := script()
			p := start(t, setup{model: m})
			p.post(map[string]any{"chatId": "c", "prompt": tt.prompt, "messages": tt.messages})
			got := ""
			for _, msg := range m.last(t) {
				if msg.Role == model.User {
					got = msg.Text
				}
			}
			if got != tt.want {
				t.Errorf("the model was told %q, want %q", got, tt.want)
			}
		})
	}
	t.Run("empty messages use the stored history", func(t *testing.T) {
		m := script(model.Response{Text: "first"})
		p := start(t, setup{model: m})
		p.say("c", "one")
		p.post(map[string]any{"chatId": "c", "prompt": "two"})
		if got := roles(m.last(t)); got != "system user assistant user" {
			t.Errorf("conversation %s", got)
		}
	})
}

func TestTurnRule22_ResultsReachTheModel(t *testing.T) {
	forms := map[string]any{
		"part of a tool message, content empty": result("c1", "page_tool", map[string]any{"n": 7}),
		"content of a tool message":             map[string]any{"role": "tool", "tool_call_id": "c1", "content": `{"n":7}`},
		"content, camel case id":                map[string]any{"role": "tool", "toolCallId": "c1", "content": `{"n":7}`},
		"part of the assistant message": map[string]any{"id": "a", "role": "assistant", "content": "", "parts": []any{
			map[string]any{"type": "tool-call", "toolCallId": "c1", "toolName": "page_tool", "target": "frontend", "input": map[string]any{}},
			map[string]any{"type": "tool-result", "toolCallId": "c1", "toolName": "page_tool", "output": map[string]any{"n": 7}}}},
	}
	for name, message := range forms {
		t.Run(name, func(t *testing.T) {
			m := script(calling("c1", "page_tool", `{}`))
			p := start(t, setup{model: m})
			tools := []any{frontend("page_tool", "")}
			p.post(with(turn("c", "go"), "clientTools", tools))
			r := p.post(map[string]any{"chatId": "c", "prompt": "tool_results", "messages": []any{message}, "clientTools": tools})
			if r.text() != "done" || len(r.of("tool.result")) != 0 {
				t.Errorf("events %v", r.types())
			}
			if got := toolText(m.last(t), "c1"); got != `{"n":7}` {
				t.Errorf("the model is told %q", got)
			}
		})
	}
}

func TestTurnRule23_CallWithoutAnswer(t *testing.T) {
	m := script(calling("c1", "page_tool", `{}`))
	p := start(t, setup{model: m})
	p.post(with(turn("c", "go"), "clientTools", []any{frontend("page_tool", "")}))
	p.say("c", "never mind")
	if got := toolText(m.last(t), "c1"); got != "Tool result was not available." {
		t.Errorf("the model is told %q", got)
	}
	if got := roles(m.last(t)); got != "system user assistant(c1) tool(c1) user" {
		t.Errorf("conversation %s", got)
	}
}

func TestTurnRule24_DisplayMessages(t *testing.T) {
	p := start(t, setup{model: script(
		model.Response{Reasoning: "hm", Text: "I look.", Calls: calling("c1", "search_posts", `{"query":"bread"}`).Calls},
		model.Response{Text: "Found."}, calling("c2", "page_tool", `{}`))})
	p.say("c", "go")
	p.post(with(turn("c", "more"), "clientTools", []any{frontend("page_tool", "")}))
	h := p.history("c")
	if len(h.Messages) != 4 {
		t.Fatalf("%d messages", len(h.Messages))
	}
	ids := map[string]bool{}
	for _, m := range h.Messages {
		if ids[m.ID] {
			t.Errorf("id %q stands twice", m.ID)
		}
		ids[m.ID] = true
	}
	first := h.Messages[1]
	if got := partTypes(first); got != "reasoning text tool-call tool-result text" || first.Content != "I look.Found." {
		t.Errorf("parts %s, content %q", got, first.Content)
	}
	if got := h.Messages[3].Parts[0].Target; got != "frontend" {
		t.Errorf("the newest call has target %q, want frontend", got)
	}
}

func TestTurnRule25_DisplayMerge(t *testing.T) {
	p := start(t, setup{model: script(calling("c1", "delete_post", `{"post_id":2}`))})
	p.say("c", "go")
	pending := p.history("c").Messages[1]
	if got := partTypes(pending); got != "tool-call" || pending.Parts[0].Confirmation != "required" {
		t.Errorf("parts %s, confirmation %q", got, pending.Parts[0].Confirmation)
	}
	p.decide("c", "c1", "approve")
	h := p.history("c")
	owner := h.Messages[1]
	if got := partTypes(owner); got != "tool-call tool-result" {
		t.Errorf("parts of the owner: %s", got)
	}
	if owner.Parts[0].Confirmation != "required" {
		t.Error("the confirmation is gone from the call")
	}
	if len(h.Messages) != 3 || partTypes(h.Messages[2]) != "text" {
		t.Errorf("messages %+v", h.Messages)
	}
}

func TestTurnRule26_PoliciesOnTheWire(t *testing.T) {
	p := start(t, setup{})
	readOnly := p.restricted(policy.Rules{MCP: &policy.MCP{Allow: []string{"*"}, MaxMode: "write"}})
	r := p.send("POST", "/sveda/stream", turn("c", "delete post 2"), readOnly)
	if !strings.Contains(r.text(), "no tool delete_post") {
		t.Errorf("answer %q", r.text())
	}
	nothing := p.restricted(policy.Rules{})
	r = p.send("POST", "/sveda/stream", with(turn("d", "archive the selection"), "clientTools", []any{frontend("archive_selection", "required")}), nothing)
	if !strings.Contains(r.text(), "no tool archive_selection") {
		t.Errorf("answer %q", r.text())
	}
	p.wantCalls("delete_post", 0)
}

func TestTurnRule27_PolicyChangeBetweenCallAndDecision(t *testing.T) {
	m := script(calling("c1", "delete_post", `{"post_id":2}`))
	p := start(t, setup{model: m})
	p.say("c", "go")
	narrow := p.restricted(policy.Rules{MCP: &policy.MCP{Allow: []string{"search_posts"}}})
	r := p.send("POST", "/sveda/stream", decisions("c", "c1", "approve"), narrow)
	if r.status != 200 {
		t.Fatalf("status %d", r.status)
	}
	p.wantCalls("delete_post", 0)
	p.wantPost(2, true)
	if len(m.asked()) != 2 {
		t.Error("the turn did not go on")
	}
	// The old approval does not come to life again under the wider policy.
	p.decide("c", "c1", "approve")
	p.wantCalls("delete_post", 0)
	p.wantPost(2, true)
}

func TestTurnRule27_UnreachableHostLeavesTheCallPending(t *testing.T) {
	m := script(calling("c1", "delete_post", `{"post_id":2}`))
	p := start(t, setup{model: m})
	p.say("c", "go")
	if err := p.app.Chats.PutHost(t.Context(), "alice", deadHost()); err != nil {
		t.Fatal(err)
	}
	wantMessage(t, p.say("c", "next"), 409, "Tool confirmation is required before the conversation can continue.")
	if c := p.call("c", "c1"); c.State != store.StatePending {
		t.Errorf("state %q", c.State)
	}
	// Approving anyway resolves the call as failed; it never ran (rule 18).
	r := p.decide("c", "c1", "approve")
	if got := string(r.events[0].Output); !strings.Contains(got, "was not executed") || !strings.Contains(got, `"success":false`) {
		t.Errorf("output %s", got)
	}
	p.wantCalls("delete_post", 0)
}

func TestTurnRule28_ManyToolsAreDeferred(t *testing.T) {
	var tools []hosttool.Tool
	for _, n := range "abcdefghij" {
		g := newGate("extra_"+string(n), "")
		close(g.let)
		tools = append(tools, g)
	}
	m := script(calling("c1", "search_agent_tools", `{"query":"delete post"}`), calling("c2", "delete_post", `{"post_id":2}`))
	p := start(t, setup{model: m, tools: tools})
	r := p.say("c", "go")
	offered := func(i int) string {
		var names []string
		for _, tool := range m.asked()[i].Tools {
			names = append(names, tool.Name)
		}
		return strings.Join(names, " ")
	}
	if got := offered(0); got != "spawn_tasks search_agent_tools" {
		t.Errorf("first offer %s", got)
	}
	if got := offered(1); !strings.Contains(got, "delete_post") {
		t.Errorf("second offer %s", got)
	}
	if e := r.of("tool.call")[1]; e.Confirmation == nil {
		t.Error("a deferred tool has lost its confirmation")
	}
	p.wantCalls("delete_post", 0)
	p.decide("c", "c2", "approve")
	p.wantPost(2, false)
}

func TestTurnRule28_FewToolsAreOffered(t *testing.T) {
	m := script()
	p := start(t, setup{model: m})
	p.say("c", "go")
	var names []string
	for _, tool := range m.asked()[0].Tools {
		names = append(names, tool.Name)
	}
	if got := strings.Join(names, " "); got != "create_post delete_post search_posts update_post spawn_tasks" {
		t.Errorf("offer %s", got)
	}
}

func TestTurnRule29_Titles(t *testing.T) {
	long := strings.Repeat("word ", 40)
	p := start(t, setup{})
	r := p.say("c", "  please \n list   posts ")
	titles := r.of("chat.title")
	if len(titles) != 2 || titles[0].Title != "please list posts" || titles[1].Title != "List posts" {
		t.Errorf("titles %+v", titles)
	}
	if got := p.chat("c").Title; got != "List posts" {
		t.Errorf("stored title %q", got)
	}
	// Every turn repeats the stored title, once.
	if r := p.say("c", "list posts"); len(r.of("chat.title")) != 1 || r.of("chat.title")[0].Title != "List posts" {
		t.Errorf("titles %v", r.of("chat.title"))
	}
	if r := p.say("long", long); len([]rune(r.of("chat.title")[0].Title)) > 80 {
		t.Errorf("provisional title %q", r.of("chat.title")[0].Title)
	}
	for _, name := range []string{"New Chat", "New Chat 3", "Новый чат", "Новый чат 2", "__NEW_CHAT__"} {
		p.send("PATCH", "/sveda/chat-histories/c", map[string]any{"title": name}, p.token)
		p.say("c", "list posts")
		if got := p.chat("c").Title; got != "List posts" {
			t.Errorf("%q became %q", name, got)
		}
	}
	p.send("PATCH", "/sveda/chat-histories/c", map[string]any{"title": "Mine"}, p.token)
	p.say("c", "list posts")
	if got := p.chat("c").Title; got != "Mine" {
		t.Errorf("a chosen title became %q", got)
	}
}
