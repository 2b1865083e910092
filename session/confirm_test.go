package session_test

import (
	"testing"

	"github.com/svedawasm/svedawasm/session"
)

const denied = `{"success":false,"denied":true,"error":"The user denied this action and it was not executed."}`

func TestB001_TwoTapsInOneTickSendOneDecision(t *testing.T) {
	c := newChat(t)
	sent := c.send("delete post 1")
	c.answer(START, CALL("c1", "delete_post", `{"post_id":1}`, "required"), END, DONE)
	c.wantResolved(sent)
	c.wantState("c1", "pending")
	c.wantStatus(session.Idle)
	first := c.tap("c1", "approve")
	second := c.tap("c1", "approve")
	third := c.tap("c1", "deny")
	c.wantPosts(2)
	if d := c.last().body.ToolDecisions; len(d) != 1 || d[0]["toolCallId"] != "c1" || d[0]["decision"] != "approve" || len(d[0]) != 2 {
		t.Errorf("decisions %v", d)
	}
	if got := c.settled[second].data; got != `[{"toolCallId":"c1","outcome":"already-decided","decision":"approve"}]` {
		t.Errorf("second tap: %s", got)
	}
	c.wantOutcome(third, "already-decided")
	c.wantState("c1", "deciding")
	c.answer(RES("c1", `{"success":true}`), START, TXT("Post 1 is gone."), END, DONE)
	c.wantOutcome(first, "sent")
	c.wantState("c1", "resolved")
	c.wantTranscript("user: delete post 1\nassistant: call c1 result c1 {\"success\":true}\nassistant: Post 1 is gone.\n")
	if len(c.timers) != 0 {
		t.Errorf("timers are left: %v", c.timers)
	}
}

func TestB004_ADecisionThatWasNotAcceptedIsUndone(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.answer(START, CALL("c1", "delete_post", `{}`, "required"), END, DONE)
	tap := c.tap("c1", "approve")
	c.wantState("c1", "deciding")
	c.lost()
	c.wantError(tap, session.CodeNetwork)
	c.wantState("c1", "pending")
	if c.shown["c1"].Error == nil || c.shown["c1"].Error.Code != session.CodeNetwork {
		t.Errorf("the card shows no error: %+v", c.shown["c1"])
	}
	again := c.tap("c1", "deny")
	c.answer(RES("c1", denied), START, TXT("ok"), END, DONE)
	c.wantOutcome(again, "sent")
	c.wantPosts(3)
}

func TestRule4_SendWhileWaitingLeavesNoTrace(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.answer(START, CALL("c1", "delete_post", `{}`, "required"), END, DONE)
	before := c.transcript()
	changes := len(c.kinds)
	c.wantError(c.send("never mind"), session.CodeAwaitingConsent)
	if c.transcript() != before || len(c.kinds) != changes {
		t.Error("a refused turn left a trace")
	}
	c.wantPosts(1)
	c.wantStatus(session.Idle)
}

func TestRule5_DecisionsWaitForTheEndOfTheStreamAndGoTogether(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.head()
	c.feed(START, CALL("c1", "delete_post", `{"post_id":1}`, "required"), CALL("c2", "delete_post", `{"post_id":3}`, "required"))
	a := c.tap("c1", "approve")
	c.feed(END)
	b := c.tap("c2", "deny")
	c.wantPosts(1)
	c.eof()
	c.wantPosts(2)
	if d := c.last().body.ToolDecisions; len(d) != 2 || d[0]["decision"] != "approve" || d[1]["decision"] != "deny" {
		t.Errorf("decisions %v", d)
	}
	c.answer(RES("c1", `1`), RES("c2", denied), START, TXT("done"), END, DONE)
	c.wantOutcome(a, "sent")
	c.wantOutcome(b, "sent")
	c.wantState("c1", "resolved")
	c.wantState("c2", "resolved")
}

func TestW1_AFrontendHandlerRunsOnceAndItsOutputContinuesTheTurn(t *testing.T) {
	c := newChat(t)
	c.register("archive", "required")
	c.send("x")
	c.answer(START, CALL("c1", "archive", `{"n":9007199254740993}`, "frontend"), END, DONE)
	c.wantState("c1", "pending")
	if len(c.runs) != 0 {
		t.Fatal("the handler ran before the decision")
	}
	tap := c.tap("c1", "approve")
	c.tap("c1", "approve")
	c.tap("c1", "deny")
	if len(c.runs) != 1 || string(c.runs[0].Data) != `{"n":9007199254740993}` {
		t.Fatalf("runs: %v", c.runs)
	}
	c.wantError(c.send("y"), session.CodeAwaitingConsent)
	c.output("c1", `{"archived":true}`)
	c.wantPosts(2)
	if r := c.last().body; r.Prompt != "" || r.ToolDecisions != nil {
		t.Errorf("continuation: %+v", r)
	}
	c.wantTranscript("user: x\nassistant: call c1 result c1 {\"archived\":true}\nassistant:\n")
	c.answer(START, TXT("ok"), END, DONE)
	c.wantOutcome(tap, "sent")
	c.wantState("c1", "resolved")
	c.wantStatus(session.Idle)
}

func TestS73_DenyOfAFrontendToolRunsNothing(t *testing.T) {
	c := newChat(t)
	c.register("archive", "required")
	c.send("x")
	c.answer(START, CALL("c1", "archive", `{}`, "frontend"), END, DONE)
	c.tapWith("c1", "deny", "wrong row")
	if len(c.runs) != 0 {
		t.Fatal("the handler ran")
	}
	c.wantPosts(2)
	c.answer(START, TXT("ok"), END, DONE)
	c.wantTranscript("user: x\nassistant: call c1 result c1 " + denied[:len(denied)-1] + `,"reason":"wrong row"}` + "\nassistant: ok\n")
}

func TestW8_OutputsAndDecisionsTravelTogether(t *testing.T) {
	c := newChat(t)
	c.register("get_selection", "")
	c.send("x")
	c.answer(START, CALL("f1", "get_selection", `{}`, "frontend"), CALL("c1", "delete_post", `{}`, "required"), END, DONE)
	c.output("f1", `["a"]`)
	c.wantPosts(1)
	c.tap("c1", "approve")
	c.wantPosts(2)
	m := c.last().body.Messages
	if last := m[len(m)-1]; last.Role != "tool" || last.Content != `["a"]` {
		t.Errorf("the output did not go with the decision: %+v", last)
	}
}

func TestW9_ALateOutputStillContinuesTheTurn(t *testing.T) {
	c := newChat(t)
	c.register("get_selection", "")
	sent := c.send("x")
	c.answer(START, CALL("f1", "get_selection", `{}`, "frontend"), END, DONE)
	c.wantStatus(session.Streaming)
	c.wantError(c.send("y"), session.CodeBusy)
	c.output("f1", `1`)
	if r := c.last().body; r.Prompt != "tool_results" || len(c.posts()) != 2 {
		t.Errorf("continuation: %+v", r)
	}
	c.answer(START, TXT("ok"), END, DONE)
	c.wantResolved(sent)
	c.wantStatus(session.Idle)
}

func TestS8_ANameThatCouldPassForAnotherComesAsTokens(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.answer(START, CALL("c1", "d\u0435lete_post", `{}`, "required"), CALL("c2", "delete_post", `{}`, "required"), END, DONE)
	if got := string(c.shown["c1"].NameTokens); got == "" || c.shown["c2"].NameTokens != nil {
		t.Errorf("tokens %s and %s", got, c.shown["c2"].NameTokens)
	}
}
