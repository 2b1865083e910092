package session_test

import (
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/sveda"
	"github.com/svedawasm/svedawasm/toolregistry"
)

// Statements of the contract's section 3, in its order. What is the page's side
// of a statement (events, property names, fetch) is tested in web/.

func TestContract_3_01_RequestHeaders(t *testing.T) {
	c := newChat(t)
	c.send("x")
	w := c.last().wire
	if w.Method != "POST" || w.Endpoint != "stream" || w.Path != "" || w.Accept != "application/vnd.sveda.stream+json" ||
		len(w.Headers) != 1 || w.Headers[0] != [2]string{"Content-Type", "application/json"} {
		t.Errorf("%+v", w)
	}
}

func TestContract_3_03_BodyKeyOrder(t *testing.T) {
	c := newChat(t)
	c.register("archive", "required")
	c.sendWith(session.Outgoing{Text: "hi", MessageID: "u1", TurnOptions: session.TurnOptions{
		Model: "m", Provider: "p", Options: []byte(`{"thinking":false}`),
	}})
	c.wantBody(`{"messages":[{"id":"u1","role":"user","content":"hi","parts":[{"type":"text","text":"hi"}]}],"prompt":"hi","chatId":"chat_1",` +
		`"context":{"page":"posts"},"clientTools":[{"name":"archive","description":"","parameters":{"type":"object","properties":{}},"confirmation":"required"}],` +
		`"model":"m","provider":"p","options":{"thinking":false}}`)
	c.answer(START, CALL("c1", "delete_post", `{}`, "required"), END, DONE)
	c.tap("c1", "deny")
	body := string(c.last().wire.Body)
	at := -1
	for _, key := range []string{`{"messages":`, `"prompt":""`, `"chatId":`, `"context":`, `"clientTools":`, `"toolDecisions":[{"toolCallId":"c1","decision":"deny"}]}`} {
		next := strings.Index(body, key)
		if next <= at {
			t.Errorf("%s is missing or out of order in %s", key, body)
		}
		at = next
	}
}

func TestContract_3_03_ContextAndToolsAreAlwaysThere(t *testing.T) {
	d := sveda.New(sveda.Config{})
	w := d.Encode(&event.Request{Kind: event.Turn, ChatID: "c", Prompt: "x"})
	if got := string(w.Body); got != `{"messages":[],"prompt":"x","chatId":"c","context":{},"clientTools":[]}` {
		t.Error(got)
	}
}

func TestContract_3_04_MessagesCarryJoinedTextAndNoCreatedAt(t *testing.T) {
	c := newChat(t)
	c.setMessages(`[{"id":"u1","role":"user","createdAt":"2026-01-01","parts":[{"type":"text","text":"a"},{"type":"file","name":"f.txt","url":"data:,x"},{"type":"text","text":"b"}]}]`)
	c.sendWith(session.Outgoing{Text: "c", MessageID: "u2"})
	want := `{"messages":[{"id":"u1","role":"user","content":"ab","parts":[{"type":"text","text":"a"},{"type":"file","name":"f.txt","url":"data:,x"},{"type":"text","text":"b"}]},` +
		`{"id":"u2","role":"user","content":"c","parts":[{"type":"text","text":"c"}]}],`
	if got := string(c.last().wire.Body); !strings.HasPrefix(got, want) {
		t.Error(got)
	}
}

func TestContract_3_05_AnswersWithoutReasoningAreSentWithAPlaceholder(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.answer(START, TXT("plain"), END, DONE)
	c.send("y")
	c.answer(START, frame(`{"type":"reasoning.delta","delta":"hm"}`), TXT("thought"), END, DONE)
	c.send("z")
	m := c.last().body.Messages
	if got := string(m[1].Parts[0]); got != `{"type":"reasoning","text":"."}` || len(m[1].Parts) != 2 {
		t.Errorf("without reasoning: %s", m[1].Parts)
	}
	if got := string(m[3].Parts[0]); got != `{"type":"reasoning","text":"hm"}` || len(m[3].Parts) != 2 {
		t.Errorf("with reasoning: %s", m[3].Parts)
	}
	if strings.Contains(c.transcript(), "(.)") {
		t.Error("the placeholder is in the local messages")
	}
}

func TestContract_3_06_TheUserMessageIsSentAndThePlaceholderIsNot(t *testing.T) {
	c := newChat(t)
	c.sendWith(session.Outgoing{Text: "look", MessageID: "u1", Files: []byte(`[{"type":"file","name":"a.png","mediaType":"image/png","url":"data:,a"}]`)})
	if got := len(c.s.Messages()); got != 2 {
		t.Fatalf("%d messages are shown, want the user's and the placeholder", got)
	}
	m := c.last().body.Messages
	if len(m) != 1 || m[0].Role != "user" || m[0].Content != "look" || len(m[0].Parts) != 2 ||
		string(m[0].Parts[1]) != `{"type":"file","name":"a.png","mediaType":"image/png","url":"data:,a"}` {
		t.Errorf("sent: %+v", m)
	}
	if c.kinds[0] != session.MessageAdd {
		t.Errorf("the first change is %d", c.kinds[0])
	}
}

func TestContract_3_07_StatusOrder(t *testing.T) {
	c := newChat(t)
	sent := c.send("x")
	c.wantStatus(session.Submitted)
	c.head()
	c.wantStatus(session.Streaming)
	c.feed(START, TXT("a"), END)
	c.wantStatus(session.Streaming)
	c.wantOpen(sent)
	c.eof()
	c.wantStatus(session.Idle)
	c.wantResolved(sent)
	if got := strings.Join(c.statuses, " "); got != "submitted streaming idle" {
		t.Error(got)
	}
}

func TestContract_3_08_MessageStartGivesIds(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.answer(frame(`{"type":"message.start","chatId":"chat_srv","messageId":"msg_srv"}`), TXT("a"), END, DONE)
	if c.s.ChatID() != "chat_srv" || c.s.Messages()[1].ID != "msg_srv" {
		t.Errorf("chat %q, message %q", c.s.ChatID(), c.s.Messages()[1].ID)
	}
	c.send("y")
	own := c.s.Messages()[3].ID
	c.answer(frame(`{"type":"message.start","chatId":" ","messageId":""}`), TXT("b"), END, DONE)
	if c.s.ChatID() != "chat_srv" || c.s.Messages()[3].ID != own {
		t.Errorf("blank ids were adopted: chat %q, message %q", c.s.ChatID(), c.s.Messages()[3].ID)
	}
}

func TestContract_3_09_DeltasExtendThePartOfTheirKind(t *testing.T) {
	c := newChat(t)
	c.send("x")
	think := func(s string) string { return frame(`{"type":"reasoning.delta","delta":"` + s + `"}`) }
	c.answer(START, think("h"), think("m"), TXT("a"), TXT("b"), think("o"), TXT("c"), CALL("c1", "t", `{}`), RES("c1", `1`), TXT("d"), END, DONE)
	c.wantTranscript(lines("user: x", "assistant: (hm) ab (o) c call c1 result c1 1 d"))
}

func TestContract_3_10_CallAndResultParts(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.answer(START,
		CALL("c1", "delete_post", `{"z":1,"a":[1.10]}`, "required"),
		CALL("c2", "search", `{}`),
		frame(`{"type":"tool.result","toolCallId":"c2","toolName":"search","output":{"n":1e2},"renderHint":"resource_links","renderData":{"links":[]}}`),
		END, DONE)
	got := string(event.AppendMessage(nil, &c.s.Messages()[1]))
	want := `{"id":"msg_1","role":"assistant","parts":[` +
		`{"type":"tool-call","toolCallId":"c1","toolName":"delete_post","target":"backend","input":{"z":1,"a":[1.10]},"confirmation":"required"},` +
		`{"type":"tool-call","toolCallId":"c2","toolName":"search","target":"backend","input":{}},` +
		`{"type":"tool-result","toolCallId":"c2","toolName":"search","output":{"n":1e2},"renderHint":"resource_links","renderData":{"links":[]}}]}`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestContract_3_11_TheRegistryAddsConfirmation(t *testing.T) {
	c := newChat(t)
	c.register("archive", "required")
	c.send("x")
	c.answer(START, CALL("c1", "archive", `{}`, "frontend"), CALL("c2", "archive", `{}`), END, DONE)
	c.wantRuns(0)
	c.wantState("c1", "pending")
	if _, gated := c.shown["c2"]; gated {
		t.Error("the registry gated a call of the server")
	}
}

func TestContract_3_12_AutomaticHandlersStartDuringTheStream(t *testing.T) {
	c := newChat(t)
	c.register("get_selection", "")
	c.send("x")
	c.head()
	c.feed(START, CALL("f1", "get_selection", `{"a":1}`, "frontend"))
	c.wantRuns(1)
	if r := c.runs[0]; r.Text != "get_selection" || r.Call != "f1" || string(r.Data) != `{"a":1}` || r.Handler != 1 {
		t.Errorf("run: %+v", r)
	}
	c.feed(CALL("f2", "missing", `{}`, "frontend"))
	c.outputFailed("f1", "no selection")
	c.feed(END, DONE)
	c.wantPosts(2)
	m := c.last().body.Messages
	if a, b := m[len(m)-2].Content, m[len(m)-1].Content; a != `{"success":false,"error":"[sveda] Unknown frontend tool: missing"}` || b != `{"success":false,"error":"no selection"}` {
		t.Errorf("outputs: %s, %s", a, b)
	}
}

func TestContract_3_13_OutputsAreSubmittedAtTheEndOfTheStream(t *testing.T) {
	c := newChat(t)
	c.register("t", "")
	c.send("x")
	c.head()
	c.feed(START, CALL("f1", "t", `{}`, "frontend"), CALL("f2", "t", `{}`, "frontend"))
	c.output("f2", `"two"`)
	c.output("f1", `{"one":1}`)
	c.wantPosts(1)
	c.feed(END, DONE)
	c.wantPosts(2)
	r := c.last().body
	if r.Prompt != "tool_results" || r.ToolDecisions != nil {
		t.Errorf("%+v", r)
	}
	m := r.Messages[len(r.Messages)-2:]
	for i, want := range []string{
		`{"type":"tool-result","toolCallId":"f2","toolName":"t","output":"two"}`,
		`{"type":"tool-result","toolCallId":"f1","toolName":"t","output":{"one":1}}`,
	} {
		// Turn rule 22: the known server reads content alone.
		if m[i].Role != "tool" || len(m[i].Parts) != 1 || string(m[i].Parts[0]) != want || m[i].Content == "" {
			t.Errorf("message %d: %+v", i, m[i])
		}
	}
}

func TestContract_3_14_ConfirmedFrontendCall(t *testing.T) {
	c := newChat(t)
	c.register("archive", "required")
	c.send("x")
	c.answer(START, CALL("c1", "archive", `{}`, "frontend", "required"), END, DONE)
	c.wantRuns(0)
	c.wantPosts(1)
	c.tap("c1", "approve")
	c.wantRuns(1)
	c.output("c1", `{"ok":true}`)
	c.wantPosts(2)
	if r := c.last().body; r.Prompt != "" || strings.Contains(string(c.last().wire.Body), "toolDecisions") {
		t.Errorf("%+v", r)
	}
	c.wantTranscript(lines("user: x", `assistant: call c1 result c1 {"ok":true}`, "assistant:"))
}

func TestContract_3_14_DeniedFrontendCall(t *testing.T) {
	c := newChat(t)
	c.register("archive", "required")
	c.send("x")
	c.answer(START, CALL("c1", "archive", `{}`, "frontend", "required"), END, DONE)
	c.tap("c1", "deny")
	c.wantRuns(0)
	c.wantPosts(2)
	c.wantTranscript(lines("user: x", "assistant: call c1 result c1 "+denied, "assistant:"))
}

func TestContract_3_15_ADecisionCarriesIdAndWord(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.answer(START, CALL("c1", "delete_post", `{"post_id":7}`, "required"), END, DONE)
	c.tap("c1", "approve")
	body := string(c.last().wire.Body)
	if !strings.Contains(body, `"prompt":""`) || !strings.HasSuffix(body, `,"toolDecisions":[{"toolCallId":"c1","decision":"approve"}]}`) {
		t.Error(body)
	}
}

func TestContract_3_16_NothingToDecideIsAnOutcome(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.answer(START, CALL("c1", "search", `{}`), RES("c1", `1`), END, DONE)
	for _, id := range []string{"c1", "c9"} {
		c.wantOutcome(c.tap(id, "approve"), "not-pending")
	}
	c.wantPosts(1)
	c.wantStatus(session.Idle)
}

func TestContract_3_17_DecisionStream(t *testing.T) {
	start := func(id string) string { return frame(`{"type":"message.start","messageId":"` + id + `"}`) }
	for _, tt := range []struct {
		name   string
		frames []string
		want   []string
		id     string // of the last message, "" for any
	}{
		{"result only", []string{RES("c1", `1`), END, DONE}, []string{"assistant: call c1 result c1 1"}, "msg_1"},
		{"start makes the message", []string{RES("c1", `1`), start("m2"), TXT("ok"), END, DONE},
			[]string{"assistant: call c1 result c1 1", "assistant: ok"}, "m2"},
		{"text makes the message", []string{RES("c1", `1`), TXT("ok"), END, DONE},
			[]string{"assistant: call c1 result c1 1", "assistant: ok"}, ""},
		{"a later start gives it its id", []string{TXT("ok"), start("m3"), RES("c1", `1`), END, DONE},
			[]string{"assistant: call c1 result c1 1", "assistant: ok"}, "m3"},
		{"a call makes the message", []string{RES("c1", `1`), CALL("c2", "s", `{}`), END, DONE},
			[]string{"assistant: call c1 result c1 1", "assistant: call c2"}, ""},
		{"one result a call", []string{RES("c1", `1`), RES("c1", `2`), END, DONE}, []string{"assistant: call c1 result c1 1"}, ""},
		{"a result without a call", []string{RES("c1", `1`), RES("c9", `2`), END, DONE}, []string{"assistant: call c1 result c1 1"}, ""},
		{"an empty answer leaves nothing", []string{RES("c1", `1`), start("m4"), END, DONE}, []string{"assistant: call c1 result c1 1"}, "msg_1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t)
			c.send("x")
			c.answer(START, CALL("c1", "delete_post", `{}`, "required"), END, DONE)
			c.tap("c1", "approve")
			if n := len(c.s.Messages()); n != 2 {
				t.Fatalf("%d messages: a decision shows a placeholder", n)
			}
			c.answer(tt.frames...)
			c.wantTranscript(lines(append([]string{"user: x"}, tt.want...)...))
			if m := c.s.Messages(); tt.id != "" && m[len(m)-1].ID != tt.id {
				t.Errorf("id %q, want %q", m[len(m)-1].ID, tt.id)
			}
			c.wantState("c1", "resolved")
		})
	}
}

func TestContract_3_18_ContinueAddsNoUserMessage(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.answer(START, TXT("a"), frame(`{"type":"max_steps","maxSteps":30,"canContinue":true}`), END, DONE)
	c.goOn()
	if r := c.last().body; r.Prompt != "Continue" || len(r.Messages) != 2 || r.Messages[1].Role != "assistant" {
		t.Errorf("%+v", r)
	}
	c.answer(START, TXT("b"), END, DONE)
	c.wantTranscript(lines("user: x", "assistant: a", "assistant: b"))
	if c.notes[0] != "maxSteps" || c.payloads[0] != `{"type":"max_steps","maxSteps":30,"canContinue":true}` {
		t.Errorf("told: %q %q", c.notes, c.payloads)
	}
}

func TestContract_3_19_HTTPErrorText(t *testing.T) {
	c := newChat(t)
	sent := c.send("x")
	c.status(500, `{"message":"boom"}`)
	c.wantError(sent, session.CodeHTTPStatus)
	if err := c.settled[sent].err; err.Message != "[sveda] Stream request failed: 500" || err.Server != "boom" || err.Status != 500 {
		t.Errorf("%+v", err)
	}
	c.wantStatus(session.Failed)
	c.wantFailures(session.CodeHTTPStatus)
}

func TestContract_3_20_StopEndsIdleAndResolves(t *testing.T) {
	c := newChat(t)
	sent := c.send("x")
	c.head()
	c.feed(START, TXT("half"))
	stopped := c.stop()
	c.wantResolved(sent)
	c.wantResolved(stopped)
	c.wantStatus(session.Idle)
	c.wantTranscript(lines("user: x", "assistant: half"))
	if len(c.aborted) != 1 || c.aborted[0] != c.last().id {
		t.Errorf("aborted: %v", c.aborted)
	}
	c.wantFailures()
}

func TestContract_3_22_AnAnswerAlwaysHasAnAssistantMessage(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.head()
	c.feed(START)
	c.setMessages(`[{"id":"u9","role":"user","parts":[{"type":"text","text":"other"}]}]`)
	c.feed(TXT("late"), END, DONE)
	c.wantTranscript(lines("user: other", "assistant: late"))
}

func TestContract_3_23_Framing(t *testing.T) {
	for _, tt := range []struct{ name, body string }{
		{"CRLF", "data: {\"type\":\"text.delta\",\"delta\":\"a\"}\r\n\r\ndata: [DONE]\r\n\r\n"},
		{"lone CR", "data: {\"type\":\"text.delta\",\"delta\":\"a\"}\r\rdata: [DONE]\r\r"},
		{"no space", "data:{\"type\":\"text.delta\",\"delta\":\"a\"}\n\ndata:[DONE]\n\n"},
		{"byte order mark", "\xEF\xBB\xBFdata: {\"type\":\"text.delta\",\"delta\":\"a\"}\n\ndata: [DONE]\n\n"},
		{"comments and fields", ": ping\n\nevent: x\nid: 1\nretry: 3\ndata: {\"type\":\"text.delta\",\n: in between\ndata: \"delta\":\"a\"}\n\ndata: [DONE]\n\n"},
		{"bad JSON and unknown types", "data: {\n\ndata: 1\n\ndata: {\"type\":\"new\"}\n\ndata: {\"type\":\"text.delta\",\"delta\":\"a\"}\n\ndata: [DONE]\n\n"},
		{"last line without an end", "data: {\"type\":\"text.delta\",\"delta\":\"a\"}\n\ndata: {\"type\":\"message.end\"}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for cut := range len(tt.body) {
				c := newChat(t)
				sent := c.send("x")
				c.answer(tt.body[:cut], tt.body[cut:])
				c.wantTranscript(lines("user: x", "assistant: a"))
				c.wantResolved(sent)
			}
		})
	}
}

func TestContract_3_24_NoBody(t *testing.T) {
	c := newChat(t)
	sent := c.send("x")
	c.answer()
	c.wantError(sent, session.CodeEmptyStream)
	if got := c.settled[sent].err.Message; got != "[sveda] Stream response has no body" {
		t.Error(got)
	}
}

func TestContract_3_25_TurnContextLiesOverThePages(t *testing.T) {
	c := newChat(t)
	c.sendWith(session.Outgoing{Text: "x", TurnOptions: session.TurnOptions{Context: []byte(`{"page":"other","n":9007199254740993}`)}})
	if got := string(c.last().wire.Body); !strings.Contains(got, `"context":{"page":"other","n":9007199254740993}`) {
		t.Error(got)
	}
	c.answer(START, TXT("a"), END, DONE)
	c.sendWith(session.Outgoing{Text: "y", TurnOptions: session.TurnOptions{Context: []byte(`{"n":1}`)}})
	if got := string(c.last().wire.Body); !strings.Contains(got, `"context":{"page":"posts","n":1}`) {
		t.Error(got)
	}
}

func TestContract_3_26_ClientToolsAreFilteredAndHandlersAreNot(t *testing.T) {
	c := newChat(t)
	c.register("archive_selection", "")
	c.registerTool(toolregistry.Tool{Name: "secret", Handler: 9})
	c.put(func(c *chat) { c.tools.SetCapabilities(true, []string{"archive_*"}) })
	c.send("x")
	if got := string(c.last().wire.Body); !strings.Contains(got, `"clientTools":[{"name":"archive_selection","description":"","parameters":{"type":"object","properties":{}}}]`) {
		t.Error(got)
	}
	c.answer(START, CALL("f1", "secret", `{}`, "frontend"), END, DONE)
	c.wantRuns(1)
	c.output("f1", "1")
}

// Section 1: the wire as the session reads it.

func TestContract_1_4_EventsReachListenersFirstAndWhole(t *testing.T) {
	c := newChat(t)
	c.put(func(c *chat) { c.s.SetEvents(true) })
	c.send("x")
	c.kinds = nil
	c.head()
	c.feed(TXT("a"))
	raw := -1
	for i, k := range c.kinds {
		if k == session.RawEvent {
			raw = i
		} else if k == session.PartText && raw < 0 {
			t.Error("the text came before its event")
		}
	}
	c.feed(frame(`{"type":"brand.new","x":1}`), ": ping\n\n", "data: \n\n", "data: {broken\n\n", END, DONE)
	want := `{"type":"text.delta","delta":"a"} {"type":"brand.new","x":1} {"type":"message.end","finishReason":"tool_calls"}`
	if got := strings.Join(c.events, " "); got != want {
		t.Errorf("events: %s", got)
	}
	c.wantWarnings("malformed-event")
}

func TestContract_1_6_EventsOfThePage(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.answer(START, TXT("a"),
		frame(`{"type":"tool.progress","phase":"run","tasks":[{"id":"1","label":"a","status":"running"}]}`),
		frame(`{"type":"context.usage","usedTokens":10,"maxTokens":100,"percent":10.0}`),
		frame(`{"type":"max_steps","maxSteps":3,"canContinue":true}`),
		frame(`{"type":"message.end","finishReason":"stop","usage":{"promptTokens":1}}`),
		frame(`{"type":"chat.title","title":"Posts \"and\" more"}`), DONE)
	want := []string{"toolProgress", "contextUsage", "maxSteps", "finish", "title"}
	if strings.Join(c.notes, " ") != strings.Join(want, " ") {
		t.Errorf("told %q", c.notes)
	}
	if c.payloads[4] != `"Posts \"and\" more"` {
		t.Errorf("title %s", c.payloads[4])
	}
	if c.payloads[1] != `{"type":"context.usage","usedTokens":10,"maxTokens":100,"percent":10.0}` {
		t.Errorf("usage %s", c.payloads[1])
	}
}

func TestContract_1_7_PausedOrder(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.head()
	c.feed(START, CALL("c1", "delete_post", `{}`, "required"), CALL("c2", "search", `{}`),
		frame(`{"type":"context.usage","usedTokens":1,"maxTokens":2,"percent":50}`), RES("c2", `[]`), END)
	c.tap("c1", "approve") // before the checkpoint is written: waits for the end
	c.wantPosts(1)
	c.feed(frame(`{"type":"chat.title","title":"t"}`))
	c.wantPosts(1)
	c.feed(DONE)
	c.wantPosts(2)
}

func TestContract_1_8_Refusals(t *testing.T) {
	for _, tt := range []struct {
		status     int
		body       string
		code, text string
	}{
		{400, "Failed to parse the request body as JSON", session.CodeHTTPStatus, "Failed to parse the request body as JSON"},
		{401, "", session.CodeUnauthorized, ""},
		{403, `{"message":"unknown policy: x"}`, session.CodeForbidden, "unknown policy: x"},
		{409, `{"message":"Chat history is unavailable."}`, session.CodeHistoryUnavailable, "Chat history is unavailable."},
		{409, `{"message":"Tool confirmation is required before the conversation can continue."}`, session.CodeConfirmationNeeded,
			"Tool confirmation is required before the conversation can continue."},
		{413, "", session.CodeTooLarge, ""},
		{422, `{"message":"Unknown model."}`, session.CodeHTTPStatus, "Unknown model."},
		{429, `{"message":"Too Many Attempts."}`, session.CodeRateLimited, "Too Many Attempts."},
		{429, `{"message":"Too many active streams."}`, session.CodeRateLimited, "Too many active streams."},
		{502, "<html><h1>Bad Gateway</h1></html>", session.CodeHTTPStatus, ""},
	} {
		c := newChat(t)
		sent := c.send("x")
		c.status(tt.status, tt.body)
		c.wantError(sent, tt.code)
		if err := c.settled[sent].err; err != nil && err.Server != tt.text {
			t.Errorf("%d %s: server said %q", tt.status, tt.body, err.Server)
		}
		c.wantFailures(tt.code)
	}
}

func TestContract_3_15_ADecisionsOptionsGoWithWhatFollows(t *testing.T) {
	options := session.TurnOptions{Model: "m2", Context: []byte(`{"page":"other"}`)}
	decide := func(c *chat) {
		ticket := c.ticket()
		c.put(func(c *chat) { c.s.Decide(ticket, []session.Choice{choice("c1", "approve", "")}, options) })
	}
	for _, open := range []bool{false, true} {
		c := newChat(t)
		c.send("x")
		c.head()
		c.feed(START, CALL("c1", "d", `{}`, "required"), END)
		if open { // the decision waits for the end of the stream
			decide(c)
			c.eof()
		} else {
			c.eof()
			decide(c)
		}
		if body := string(c.last().wire.Body); !strings.Contains(body, `"context":{"page":"other"}`) || !strings.HasSuffix(body, `,"model":"m2"}`) {
			t.Errorf("stream open %v: %s", open, body)
		}
	}
}

func TestContract_3_21_AWireErrorRejectsAndIsTold(t *testing.T) {
	c := newChat(t)
	sent := c.send("x")
	c.head()
	c.feed(START, TXT("half"), FAIL)
	c.wantOpen(sent) // the server goes on to its end mark, where it stores the turn
	c.feed(frame(`{"type":"context.usage","usedTokens":1,"maxTokens":2,"percent":50}`), frame(`{"type":"message.end","finishReason":"error"}`), DONE)
	c.wantError(sent, "llm_error")
	if err := c.settled[sent].err; err.Message != "The model is unavailable." || err.Server != "The model is unavailable." {
		t.Errorf("%+v", err)
	}
	c.wantStatus(session.Failed)
	c.wantFailures("llm_error")
}

func TestContract_1_3_StoredHistoryOfEveryForm(t *testing.T) {
	c := newChat(t)
	c.setMessages(`[{"role":"system","content":"be kind"},{"role":"user","content":"x"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"t1","function":{"name":"s","arguments":"{\"a\":1}"}}]},
		{"role":"tool","tool_call_id":"t1","content":"found"}]`)
	c.send("y")
	body := string(c.last().wire.Body)
	for _, want := range []string{
		`"role":"system","content":"be kind"`, `"tool_calls":[{"id":"t1","function":{"name":"s","arguments":"{\"a\":1}"}}]`,
		`"role":"tool","content":"found","parts":[{"type":"text","text":"found"}],"tool_call_id":"t1"`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is missing in %s", want, body)
		}
	}
}

func TestContract_1_5_CommonFieldsMayBeAbsent(t *testing.T) {
	c := waitingBackend(t)
	c.tap("c1", "approve")
	c.answer(frame(`{"type":"tool.result","timestamp":"2026-01-01T00:00:00Z","toolCallId":"c1","toolName":"d","output":1}`),
		frame(`{"type":"message.end","chatId":"chat_1","timestamp":"2026-01-01T00:00:00Z","finishReason":"tool_calls"}`),
		frame(`{"type":"chat.title","chatId":"chat_1","timestamp":"2026-01-01T00:00:00Z","title":"t"}`), DONE)
	c.wantState("c1", "resolved")
	c.wantTranscript(lines("user: x", "assistant: call c1 result c1 1"))
}

func TestContract_5_TheChatIsReadAgain(t *testing.T) {
	c := newChat(t)
	reading := c.reread()
	if w := c.last().wire; w.Method != "GET" || w.Endpoint != "history" || w.Path != "chat_1" || w.Accept != "application/json" || w.Body != nil || w.Headers != nil {
		t.Errorf("%+v", w)
	}
	c.headOf(c.last().id, 200, "application/json; charset=utf-8")
	body := HISTORY(`[{"id":"u1","role":"user","content":"x"},{"id":"assistant_turn","role":"assistant","parts":[{"type":"text","text":"a"}]}]`)
	c.feed(body[:20], body[20:])
	c.eof()
	c.wantResolved(reading)
	c.wantTranscript(lines("user: x", "assistant: a"))
	missing := c.reread()
	c.status(404, "")
	c.wantError(missing, session.CodeHTTPStatus)
	broken := c.reread()
	c.status(200, `{"history":{"messages":{}}}`)
	if c.settled[broken].err == nil {
		t.Error("a history without messages was taken")
	}
	c.wantTranscript(lines("user: x", "assistant: a"))
}

func TestContract_1_8_ARefusalWhoseBodyIsLostKeepsItsStatus(t *testing.T) {
	for status, code := range map[int]string{401: session.CodeUnauthorized, 429: session.CodeRateLimited, 409: session.CodeConfirmationNeeded, 500: session.CodeHTTPStatus} {
		c := newChat(t)
		sent := c.send("x")
		id := c.last().id
		c.headOf(id, status, "application/json")
		c.feedTo(id, `{"mess`)
		c.end(id, session.NetworkFailed, "reset")
		c.wantError(sent, code)
		if err := c.settled[sent].err; err != nil && err.Status != status {
			t.Errorf("%+v", err)
		}
	}
}
