package session_test

import (
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/sveda"
)

// The faults W1 to W27 of the known client (contract sveda, section 8): each
// with the sequence that triggers it there and the right outcome here. Not here,
// because they are about the page: W6 and W26 (the card), the throwing listener
// of W19, W21 (what fetch rejects with).

// waitingFrontend is a chat in which the handler of "archive" waits for a word.
func waitingFrontend(t *testing.T) *chat {
	c := newChat(t)
	c.register("archive", "required")
	c.send("x")
	c.answer(START, CALL("c1", "archive", `{}`, "frontend", "required"), END, DONE)
	return c
}

// waitingBackend is a chat in which c1 waits for a word.
func waitingBackend(t *testing.T, options ...option) *chat {
	c := newChat(t, options...)
	c.send("x")
	c.answer(START, CALL("c1", "delete_post", `{"post_id":1}`, "required"), END, DONE)
	return c
}

func TestContract_W01_TwoConfirmsWhileTheHandlerRuns(t *testing.T) {
	c := waitingFrontend(t)
	c.tap("c1", "approve")
	c.wantOutcome(c.tap("c1", "approve"), "already-decided")
	c.wantRuns(1)
	c.output("c1", "1")
	c.wantPosts(2)
}

func TestContract_W02_DenyWhileTheHandlerRuns(t *testing.T) {
	c := waitingFrontend(t)
	c.tap("c1", "approve")
	late := c.tap("c1", "deny")
	if got := c.settled[late].data; got != `[{"toolCallId":"c1","outcome":"already-decided","decision":"approve"}]` {
		t.Error(got)
	}
	c.output("c1", `"done"`)
	c.wantPosts(2)
	c.answer(START, TXT("ok"), END, DONE)
	if conf := c.shown["c1"]; conf.State != "resolved" || conf.Decision != "approve" {
		t.Errorf("%+v", conf)
	}
}

func TestContract_W03_SendAndStopWhileTheHandlerRuns(t *testing.T) {
	c := waitingFrontend(t)
	tap := c.tap("c1", "approve")
	c.wantError(c.send("y"), session.CodeAwaitingConsent)
	c.wantPosts(1)
	c.stop()
	if len(c.canceled) != 1 || c.canceled[0] != c.runs[0].ID {
		t.Errorf("the handler was not signalled: %v", c.canceled)
	}
	c.wantOutcome(tap, "sent")
	c.wantState("c1", "outcome-unknown")
	c.output("c1", `"late"`) // changes nothing any more
	c.wantPosts(1)
	c.wantTranscript(lines("user: x", `assistant: call c1 result c1 {"success":false,"error":"The tool was stopped before it reported; whether it acted is not known."}`))
	c.send("y")
	c.wantPosts(2)
}

func TestContract_W04_TheModelWaitsForEveryConfirmingCall(t *testing.T) {
	c := newChat(t)
	c.register("archive", "required")
	c.register("get_selection", "")
	c.send("x")
	c.answer(START, CALL("f1", "get_selection", `{}`, "frontend"), CALL("c1", "archive", `{}`, "frontend"), CALL("c2", "archive", `{}`, "frontend"), END, DONE)
	c.output("f1", `"sel"`)
	c.wantPosts(1)
	c.tap("c1", "deny")
	c.wantPosts(1)
	c.tap("c2", "approve")
	c.wantPosts(1)
	c.output("c2", "2")
	c.wantPosts(2)
	body := string(c.last().wire.Body)
	for _, id := range []string{"f1", "c1", "c2"} {
		if !strings.Contains(body, `{"type":"tool-result","toolCallId":"`+id+`"`) {
			t.Errorf("the output of %s is missing", id)
		}
	}
}

func TestContract_W05_ADuplicateCallRunsOnce(t *testing.T) {
	c := newChat(t)
	c.register("get_selection", "")
	c.send("x")
	c.head()
	call := CALL("f1", "get_selection", `{}`, "frontend")
	c.feed(START, call, call)
	c.wantRuns(1)
	c.output("f1", "1")
	c.feed(call, CALL("f1", "get_selection", `{ }`, "frontend", "required"), END, DONE)
	c.wantRuns(1)
	c.answer(call, TXT("ok"), END, DONE)
	c.wantRuns(1)
	c.wantWarnings()
	c.wantTranscript(lines("user: x", "assistant: call f1", "tool: result f1 1", "assistant: ok"))
}

func TestContract_W07_RefreshWithAPendingFrontendCall(t *testing.T) {
	stored := `[{"id":"u1","role":"user","content":"x"},{"id":"assistant_turn","role":"assistant","parts":[
		{"type":"reasoning","text":"."},{"type":"tool-call","toolCallId":"c1","toolName":"archive","target":"backend","input":{"n":9007199254740993},"confirmation":"required"}]}]`
	for _, late := range []bool{false, true} {
		c := newChat(t)
		if !late {
			c.register("archive", "required")
		}
		c.setMessages(stored)
		if late {
			c.register("archive", "required") // the page registers after it has restored
		}
		c.wantRuns(0)
		c.wantState("c1", "pending")
		c.wantError(c.send("y"), session.CodeAwaitingConsent)
		c.tap("c1", "approve")
		c.wantRuns(1)
		if got := string(c.runs[0].Data); got != `{"n":9007199254740993}` {
			t.Errorf("arguments %s", got)
		}
		c.output("c1", "1")
		c.wantPosts(1)
		if c.last().body.ToolDecisions != nil {
			t.Error("a useless decision was sent")
		}
		c.answer(START, TXT("ok"), END, DONE)
		c.send("y")
		c.wantPosts(2)
	}
}

func TestContract_W08_OutputBesideAConfirmingBackendCall(t *testing.T) {
	c := newChat(t)
	c.register("get_selection", "")
	c.send("x")
	c.answer(START, CALL("f1", "get_selection", `{}`, "frontend"), CALL("c1", "delete_post", `{}`, "required"), END, DONE)
	c.output("f1", `["a"]`)
	c.wantPosts(1)
	c.tap("c1", "approve")
	c.wantPosts(2)
	c.wantDecisions("c1 approve")
	if m := c.last().body.Messages; m[len(m)-1].Content != `["a"]` {
		t.Errorf("the output was lost: %+v", m)
	}
	c.answer(RES("c1", "1"), START, TXT("ok"), END, DONE)
	c.wantPosts(2)
	c.wantTranscript(lines("user: x", "assistant: call f1 call c1 result c1 1", `tool: result f1 ["a"]`, "assistant: ok"))
}

func TestContract_W09_AHandlerSlowerThanTheStream(t *testing.T) {
	c := newChat(t)
	c.register("get_selection", "")
	sent := c.send("x")
	c.answer(START, CALL("f1", "get_selection", `{}`, "frontend"), END, DONE)
	c.wantOpen(sent)
	c.wantError(c.send("y"), session.CodeBusy)
	c.output("f1", "1")
	c.wantPosts(2)
	c.answer(START, TXT("ok"), END, DONE)
	c.wantResolved(sent)
}

func TestContract_W09_StopLeavesNoOutputBehind(t *testing.T) {
	c := newChat(t)
	c.register("get_selection", "")
	sent := c.send("x")
	c.answer(START, CALL("f1", "get_selection", `{}`, "frontend"), END, DONE)
	c.stop()
	c.wantResolved(sent)
	c.output("f1", "1")
	c.wantPosts(1)
	c.send("y")
	c.answer(START, TXT("ok"), END, DONE)
	c.wantPosts(2) // nothing was submitted after the next answer
}

func TestContract_W10_ADecisionDuringAnyStreamIsKept(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.head()
	c.feed(START, CALL("c1", "delete_post", `{}`, "required"), CALL("c2", "delete_post", `{}`, "required"), END)
	first := c.tap("c1", "approve")
	c.wantOpen(first)
	c.feed(frame(`{"type":"chat.title","title":"t"}`), DONE)
	c.wantPosts(2)
	second := c.tap("c2", "approve") // while the decision for c1 is on its way
	c.wantOpen(second)
	c.answer(RES("c1", "1"), END, DONE)
	c.wantPosts(3)
	c.wantDecisions("c2 approve")
	c.answer(RES("c2", "2"), START, TXT("ok"), END, DONE)
	c.wantOutcome(first, "sent")
	c.wantOutcome(second, "sent")
}

func noAutoSubmit(c *session.Config) { c.NoAutoSubmit = true }

func TestContract_W11_OutputsCanBeReadAndSent(t *testing.T) {
	c := newChat(t, noAutoSubmit)
	c.register("get_selection", "")
	sent := c.send("x")
	c.answer(START, CALL("f1", "get_selection", `{}`, "frontend"), END, DONE)
	c.output("f1", `{"a":1}`)
	c.wantResolved(sent)
	c.wantStatus(session.Idle)
	c.wantPosts(1)
	if c.outputs != `[{"type":"tool-result","toolCallId":"f1","toolName":"get_selection","output":{"a":1}}]` {
		t.Errorf("outputs %s", c.outputs)
	}
	submitted := c.submit()
	c.wantPosts(2)
	if c.outputs != "[]" {
		t.Errorf("outputs after the submission: %s", c.outputs)
	}
	c.lost() // not taken: they can be sent again
	c.wantError(submitted, session.CodeNetwork)
	if c.outputs == "[]" {
		t.Error("the outputs are lost")
	}
	again := c.submit()
	c.answer(START, TXT("ok"), END, DONE)
	c.wantResolved(again)
	c.wantError(c.submit(), session.CodeNothingToSubmit)
	c.wantTranscript(lines("user: x", "assistant: call f1", `tool: result f1 {"a":1}`, "assistant: ok"))
}

func TestContract_W11_AConfirmedToolGoesOnByItself(t *testing.T) {
	c := newChat(t, noAutoSubmit)
	c.register("archive", "required")
	c.send("x")
	c.answer(START, CALL("c1", "archive", `{}`, "frontend"), END, DONE)
	c.tap("c1", "approve")
	c.output("c1", "1")
	c.wantPosts(2)
}

func TestContract_W12_ContinueWhileACallWaits(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.answer(START, CALL("c1", "delete_post", `{}`, "required"), frame(`{"type":"max_steps","maxSteps":1,"canContinue":true}`), END, DONE)
	c.wantError(c.goOn(), session.CodeAwaitingConsent)
	c.wantPosts(1)
}

func TestContract_W13_SendWhileACallWaitsLeavesNoTrace(t *testing.T) {
	c := waitingBackend(t)
	before := len(c.kinds)
	c.wantError(c.send("y"), session.CodeAwaitingConsent)
	if len(c.kinds) != before || len(c.requests) != 1 {
		t.Error("a refused turn left a trace")
	}
}

func TestContract_W13_A409FromTheServerLeavesNoTraceAndShowsTheCard(t *testing.T) {
	c := newChat(t)
	sent := c.send("y")
	c.status(409, `{"message":"Tool confirmation is required before the conversation can continue."}`)
	c.wantError(sent, session.CodeConfirmationNeeded)
	c.wantTranscript("")
	if w := c.last().wire; w.Method != "GET" || w.Endpoint != "history" || w.Path != "chat_1" {
		t.Fatalf("the chat was not read again: %+v", w)
	}
	c.headOf(c.last().id, 200, "application/json")
	c.feed(HISTORY(`[{"id":"u1","role":"user","parts":[{"type":"text","text":"x"}]},{"id":"a1","role":"assistant","parts":[
		{"type":"tool-call","toolCallId":"c1","toolName":"delete_post","target":"backend","input":{"post_id":1},"confirmation":"required"}]}]`))
	c.eof()
	c.wantState("c1", "pending")
	c.wantTranscript(lines("user: x", "assistant: call c1"))
	if len(c.requests) != 2 {
		t.Errorf("%d requests: something loops", len(c.requests))
	}
	c.tap("c1", "approve")
	c.wantDecisions("c1 approve")
}

func TestContract_W13_ContinueRefusedBy409KeepsTheUsersMessage(t *testing.T) {
	c := newChat(t, func(cfg *session.Config) { cfg.Dialect = sveda.New(sveda.Config{}) })
	c.send("x")
	c.status(500, "")
	c.goOn()
	c.status(409, `{"message":"Tool confirmation is required before the conversation can continue."}`)
	c.wantTranscript(lines("user: x"))
}

func TestContract_W14_SendWhileStreaming(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.head()
	c.feed(START, TXT("a"))
	before := c.transcript()
	c.wantError(c.send("y"), session.CodeBusy)
	c.wantPosts(1)
	if c.transcript() != before {
		t.Error("a refused turn left a trace")
	}
	c.feed(TXT("b"), END, DONE)
	c.wantTranscript(lines("user: x", "assistant: ab"))
	c.wantStatus(session.Idle)
}

func TestContract_W15_AWireErrorFailsTheTurn(t *testing.T) {
	c := newChat(t)
	c.register("archive", "")
	sent := c.send("x")
	c.head()
	c.feed(START, TXT("half"), FAIL, TXT("late"), CALL("c1", "delete_post", `{}`, "required"), CALL("f1", "archive", `{}`, "frontend"), END, DONE)
	c.wantError(sent, "llm_error")
	c.wantStatus(session.Failed)
	c.wantFailures("llm_error")
	c.wantRuns(0)
	c.wantTranscript(lines("user: x", "assistant: half"))
	c.send("y")
	c.wantPosts(2)
}

func TestContract_W16_CutAndForeignResponsesAreErrors(t *testing.T) {
	for _, tt := range []struct {
		name, contentType string
		status            int
		body              []string
		end               session.EndReason
		code, text        string
	}{
		{"no end mark", "text/event-stream", 200, []string{START, TXT("half")}, session.EOF, session.CodeStreamCut, "half"},
		{"cut inside an event", "text/event-stream", 200, []string{START, TXT("half"), `data: {"type":"tool.call","toolCallId":"c1"`}, session.EOF, session.CodeStreamCut, "half"},
		{"connection lost", "text/event-stream", 200, []string{START, TXT("half")}, session.NetworkFailed, session.CodeStreamCut, "half"},
		{"HTML with status 200", "text/html", 200, []string{"<html>data: {}</html>"}, session.EOF, session.CodeNotAStream, ""},
		{"JSON with status 200", "application/json", 200, []string{`{"explanation":"x"}`}, session.EOF, session.CodeNotAStream, ""},
		{"no content", "", 204, nil, session.EOF, session.CodeNotAStream, ""},
		{"empty", "text/event-stream", 200, nil, session.EOF, session.CodeEmptyStream, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t)
			sent := c.send("x")
			c.headOf(c.last().id, tt.status, tt.contentType)
			c.feed(tt.body...)
			c.end(c.last().id, tt.end, "")
			c.wantError(sent, tt.code)
			c.wantStatus(session.Failed)
			c.wantFailures(tt.code)
			want := lines("user: x")
			if tt.text != "" {
				want = lines("user: x", "assistant: "+tt.text)
			}
			c.wantTranscript(want)
		})
	}
}

func TestContract_W17_TheServersWordsAndRetryAfterAreRead(t *testing.T) {
	c := newChat(t)
	sent := c.send("x")
	id := c.last().id
	c.put(func(c *chat) {
		c.s.Head(id, 429, "application/json", session.HeadInfo{RetryAfter: 30_000})
	})
	c.feed(`{"message":"Too Many `, `Attempts."}`)
	c.eof()
	err := c.settled[sent].err
	if err.Code != session.CodeRateLimited || err.Server != "Too Many Attempts." || err.RetryAfter != 30_000 || err.Status != 429 {
		t.Errorf("%+v", err)
	}
	if got := string(err.AppendJSON(nil)); got != `{"code":"rate-limited","message":"[sveda] Stream request failed: 429","status":429,"retryAfter":30000,"serverMessage":"Too Many Attempts."}` {
		t.Error(got)
	}
	c.wantPosts(1)
}

func TestContract_W18_AFailingFollowUpIsToldOnce(t *testing.T) {
	c := newChat(t)
	c.register("get_selection", "")
	sent := c.send("x")
	for _, id := range []string{"f1", "f2", "f3"} {
		c.answer(START, CALL(id, "get_selection", `{}`, "frontend"), END, DONE)
		c.output(id, "1")
	}
	c.status(500, "")
	c.wantFailures(session.CodeHTTPStatus)
	c.wantError(sent, session.CodeHTTPStatus)
	c.wantStatus(session.Failed)
}

func TestContract_W19_ARequestThatThePageCannotMakeLeavesNoTrace(t *testing.T) {
	c := newChat(t)
	sent := c.send("x")
	c.end(c.last().id, session.RequestFailed, "reading the context: boom")
	c.wantError(sent, session.CodeRequestFailed)
	c.wantTranscript("")
	c.send("x")
	c.wantPosts(2)
}

func TestContract_W20_ToolRoundsAreLimited(t *testing.T) {
	c := newChat(t, func(cfg *session.Config) { cfg.MaxToolRounds = 2 })
	c.register("get_selection", "")
	sent := c.send("x")
	for _, id := range []string{"f1", "f2", "f3"} {
		c.answer(START, CALL(id, "get_selection", `{}`, "frontend"), END, DONE)
		c.output(id, "1")
	}
	c.wantPosts(3)
	c.wantError(sent, session.CodeToolRounds)
	c.wantFailures(session.CodeToolRounds)
	c.wantStatus(session.Failed)
	c.submit() // the person may let it go on
	c.wantPosts(4)
	if c.last().body.Prompt != "tool_results" {
		t.Errorf("%+v", c.last().body)
	}
	c.answer(START, TXT("ok"), END, DONE)
	c.wantStatus(session.Idle)
}

func TestContract_W22_ManyDecisionsOneRequest(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.answer(START, CALL("c1", "d", `{}`, "required"), CALL("c2", "d", `{}`, "required"), CALL("c3", "d", `{}`, "required"), END, DONE)
	both := c.decide(choice("c1", "approve", ""), choice("c2", "deny", "no"), choice("c9", "approve", ""), choice("c1", "deny", ""))
	c.wantPosts(2)
	c.wantDecisions("c1 approve", "c2 deny")
	c.answer(RES("c1", "1"), RES("c2", denied), END, DONE)
	if got := c.settled[both].data; got != `[{"toolCallId":"c1","outcome":"sent","decision":"approve"},{"toolCallId":"c2","outcome":"sent","decision":"deny"},`+
		`{"toolCallId":"c9","outcome":"not-pending"},{"toolCallId":"c1","outcome":"already-decided","decision":"approve"}]` {
		t.Error(got)
	}
	c.wantState("c3", "pending")
}

func TestContract_W23_StopBeforeThePauseEndsTheQuestion(t *testing.T) {
	c := newChat(t)
	c.register("archive", "required")
	c.send("x")
	c.head()
	c.feed(START, CALL("c1", "delete_post", `{}`, "required"), CALL("c2", "archive", `{}`, "frontend"))
	staged := c.tap("c1", "approve")
	c.stop()
	c.wantError(staged, session.CodeAborted)
	c.wantState("c1", "expired")
	c.wantState("c2", "expired")
	c.wantPosts(1)
	c.wantOutcome(c.tap("c2", "approve"), "not-pending")
	c.wantRuns(0)
	c.send("y") // the chat is free, and what it sends is complete
	c.wantPosts(2)
	if got := strings.Count(string(c.last().wire.Body), "it was not executed"); got != 2*1 {
		t.Errorf("%d calls are closed in the history", got)
	}
}

func TestContract_W23_TheServerHadStoredTheQuestionAfterAll(t *testing.T) {
	for _, histories := range []bool{true, false} {
		c := newChat(t, func(cfg *session.Config) { cfg.Dialect = sveda.New(sveda.Config{Histories: histories}) })
		c.send("x")
		c.head()
		c.feed(START, CALL("c1", "delete_post", `{}`, "required"))
		c.stop()
		c.send("y")
		c.status(409, `{"message":"Tool confirmation is required before the conversation can continue."}`)
		if histories {
			c.headOf(c.last().id, 200, "application/json")
			c.feed(HISTORY(`[{"id":"u1","role":"user","parts":[]},{"id":"a1","role":"assistant","parts":[
				{"type":"tool-call","toolCallId":"c1","toolName":"delete_post","target":"backend","input":{},"confirmation":"required"}]}]`))
			c.eof()
		}
		c.wantState("c1", "pending")
		c.tap("c1", "deny")
		c.wantDecisions("c1 deny")
		c.answer(RES("c1", denied), START, TXT("ok"), END, DONE)
		c.wantState("c1", "resolved")
	}
}

func TestContract_W24_UndefinedIsNull(t *testing.T) {
	c := newChat(t)
	c.register("f", "")
	c.send("x")
	c.answer(START, CALL("f1", "f", `{}`, "frontend"), END, DONE)
	c.output("f1", "")
	if m := c.last().body.Messages; string(m[len(m)-1].Parts[0]) != `{"type":"tool-result","toolCallId":"f1","toolName":"f","output":null}` {
		t.Errorf("%s", m[len(m)-1].Parts)
	}
}

func TestContract_W25_PlaceholdersAndSharedIdsOfAStoredChat(t *testing.T) {
	stored := `[{"id":"u1","role":"user","content":"a"},{"id":"assistant_turn","role":"assistant","parts":[{"type":"reasoning","text":"."},{"type":"text","text":"b"}]},
		{"id":"u2","role":"user","content":"c"},{"id":"assistant_turn","role":"assistant","parts":[{"type":"reasoning","text":"hm."},{"type":"text","text":"d"}]},
		{"role":"user","content":"."}]`
	c := newChat(t)
	c.setMessages(stored)
	c.wantTranscript(lines("user: a", "assistant: b", "user: c", "assistant: (hm.) d", "user: ."))
	ids := map[string]bool{}
	for _, m := range c.s.Messages() {
		if m.ID == "" || ids[m.ID] {
			t.Errorf("id %q is not unique", m.ID)
		}
		ids[m.ID] = true
	}
	before := c.s.Messages()[3].ID
	c.setMessages(stored)
	if got := c.s.Messages()[3].ID; got != before {
		t.Errorf("the same list gave %q, then %q: rows are built anew", before, got)
	}
}

func TestContract_W27_ADeltaIsOneSmallChange(t *testing.T) {
	c := newChat(t)
	c.setMessages(`[{"id":"u0","role":"user","content":"x"},{"id":"a0","role":"assistant","content":"y"}]`)
	c.send("x")
	c.head()
	c.feed(START, TXT("a"))
	before := len(c.kinds)
	c.feed(TXT("b")+TXT("c")+TXT("d"), TXT("e"))
	if got := c.kinds[before:]; len(got) != 2 || got[0] != session.PartText || got[1] != session.PartText {
		t.Errorf("four deltas in two chunks are the changes %v", got)
	}
	// What it costs is in bench_test.go: BenchmarkDelta, TestLinear.
}
