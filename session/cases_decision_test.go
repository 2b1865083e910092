package session_test

import (
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/session"
)

// Cases of requirements/cases.md, kinds 1 to 3: decisions, several calls, deny.
// B001 and B004 are in confirm_test.go.

func TestB006_OnlyIdsOfTheWaitingCallsAreSent(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.answer(START, CALL("c1", "d", `{}`, "required"), CALL("c2", "d", `{}`, "required"), END, DONE)
	c.decide(choice("c1", "approve", ""), choice("c2", "approve", ""))
	c.answer(RES("c1", "1"), RES("c2", "2"), START, CALL("c3", "d", `{}`, "required"), END, DONE)
	c.tap("c3", "approve")
	c.wantDecisions("c3 approve")
}

func TestB008_AnotherCallUnderTheSameIdBlocksApproval(t *testing.T) {
	for name, second := range map[string]string{
		"other arguments": CALL("c1", "mail", `{"to":"b"}`, "required"),
		"other tool":      CALL("c1", "pay", `{"to":"a"}`, "required"),
		"and no flag":     CALL("c1", "mail", `{"to":"b"}`),
	} {
		t.Run(name, func(t *testing.T) {
			c := newChat(t)
			c.send("x")
			c.answer(START, CALL("c1", "mail", `{"to":"a"}`, "required"), second, END, DONE)
			c.wantState("c1", "pending")
			c.wantCardError("c1", session.CodeConflict)
			c.wantWarnings(session.CodeConflict)
			args, _ := c.s.AppendArguments(nil, "c1", false)
			if !strings.Contains(string(args), `"raw":"{\"to\":\"a\"}"`) {
				t.Errorf("shown: %s", args)
			}
			c.wantError(c.tap("c1", "approve"), session.CodeConflict)
			c.wantPosts(1)
			c.tap("c1", "deny")
			c.wantDecisions("c1 deny")
		})
	}
}

func TestB008_TheSameCallAgainChangesNothing(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.answer(START, CALL("c1", "mail", `{"to":"a","n":1}`, "required"), CALL("c1", "mail", `{ "n":1, "to":"\u0061" }`), END, DONE)
	c.wantWarnings()
	c.wantCardError("c1", "")
	c.tap("c1", "approve")
	c.wantPosts(2)
}

func TestB010_TheFlagOfACallIsFixedWhenItArrives(t *testing.T) {
	c := newChat(t)
	c.register("archive", "required")
	c.send("x")
	c.answer(START, CALL("c1", "archive", `{}`, "frontend"), END, DONE)
	c.register("archive", "")
	c.wantRuns(0)
	c.wantState("c1", "pending")
	c.setMessages(`[{"id":"a1","role":"assistant","parts":[{"type":"tool-call","toolCallId":"c1","toolName":"archive","target":"frontend","input":{}}]}]`)
	c.wantRuns(0)
	c.wantState("c1", "pending")
	c.wantError(c.send("y"), session.CodeAwaitingConsent)
}

func TestB012_APendingCallSurvivesEndCloseAndReset(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.head()
	c.feed(START, CALL("c1", "d", `{}`, "required"))
	c.wantState("c1", "pending")
	c.feed(END)
	c.wantState("c1", "pending")
	c.eof()
	c.wantState("c1", "pending")
	c.wantStatus(session.Idle)
	if !c.s.Pending() {
		t.Error("the chat is not held")
	}
	c.stop()
	c.wantState("c1", "pending")
}

func TestB013_EachOfTwoCallsIsDecidedOnceAndTheModelWaits(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.answer(START, CALL("c1", "d", `{}`, "required"), CALL("c2", "d", `{}`, "required"), END, DONE)
	c.tap("c1", "approve")
	c.wantDecisions("c1 approve")
	c.answer(RES("c1", "1"), END, DONE)
	c.wantError(c.send("y"), session.CodeAwaitingConsent)
	c.wantPosts(2)
	c.tap("c2", "deny")
	c.wantDecisions("c2 deny")
	c.answer(RES("c2", denied), START, TXT("ok"), END, DONE)
	c.wantPosts(3)
	c.send("y")
	c.wantPosts(4)
}

func TestB015_ACallThatArrivesWhileAnotherIsAnsweredWaits(t *testing.T) {
	c := waitingBackend(t)
	c.tap("c1", "approve")
	c.answer(RES("c1", "1"), START, CALL("c2", "delete_post", `{"post_id":1}`, "required"), END, DONE)
	c.wantState("c1", "resolved")
	c.wantState("c2", "pending")
	c.wantPosts(2)
	c.tap("c2", "approve")
	c.wantDecisions("c2 approve")
}

func TestB017_ALaterCallOfAnAnswerIsShown(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.answer(START, CALL("c1", "s", `{}`), RES("c1", "1"), CALL("c2", "d", `{}`, "required"), END, DONE)
	c.wantState("c2", "pending")
	if len(c.shown) != 1 {
		t.Errorf("cards: %v", c.shown)
	}
}

func TestB019_ADecisionTouchesItsOwnCallOnly(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.answer(START, CALL("c1", "d", `{}`, "required"), CALL("c2", "d", `{}`, "required"), CALL("c3", "d", `{}`, "required"), END, DONE)
	c.tap("c2", "approve")
	c.answer(RES("c2", "2"), END, DONE)
	c.wantState("c1", "pending")
	c.wantState("c2", "resolved")
	c.wantState("c3", "pending")
	c.wantTranscript(lines("user: x", "assistant: call c1 call c2 call c3 result c2 2"))
}

func TestB021_AMalformedCallIsReportedAndNoCard(t *testing.T) {
	for _, call := range []string{
		`{"type":"tool.call","toolName":"d","target":"backend","input":{},"confirmation":"required"}`,
		`{"type":"tool.call","toolCallId":"c1","target":"backend","input":{},"confirmation":"required"}`,
		`{"type":"tool.call","toolCallId":"c1","toolName":"d","target":"backend","confirmation":"required"}`,
		`{"type":"tool.call","toolCallId":"c1","toolName":null,"target":"backend","input":null,"confirmation":"required"}`,
		`{"type":"tool.call","toolCallId":1,"toolName":"d","input":{},"confirmation":"required"}`,
		`{"type":"tool.call","toolCallId":"","toolName":"d","input":{},"confirmation":"required"}`,
	} {
		c := newChat(t)
		c.send("x")
		c.answer(START, frame(call), TXT("a"), END, DONE)
		c.wantWarnings(session.CodeMalformedCall)
		if len(c.shown) != 0 {
			t.Errorf("%s gives a card", call)
		}
		c.wantTranscript(lines("user: x", "assistant: a"))
	}
}

func TestB023_ADenialTouchesItsOwnCallOnly(t *testing.T) {
	c := newChat(t)
	c.register("get_selection", "")
	c.send("x")
	c.answer(START, CALL("f1", "get_selection", `{}`, "frontend"), CALL("c2", "d", `{}`, "required"), END, DONE)
	c.tap("c2", "deny")
	c.wantPosts(1) // the output of f1 goes along
	if len(c.canceled) != 0 {
		t.Error("the automatic call was stopped")
	}
	c.output("f1", `"ok"`)
	c.wantDecisions("c2 deny")
	c.answer(RES("c2", denied), START, TXT("ok"), END, DONE)
	c.wantTranscript(lines("user: x", "assistant: call f1 call c2 result c2 "+denied, `tool: result f1 "ok"`, "assistant: ok"))
}

func TestB025_TheTurnEndsAfterAnApprovalAndADenial(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.answer(START, CALL("c1", "d", `{}`, "required"), CALL("c2", "d", `{}`, "required"), END, DONE)
	tap := c.decide(choice("c1", "approve", ""), choice("c2", "deny", ""))
	c.answer(RES("c1", `{"ok":1}`), RES("c2", denied), START, TXT("done"), END, DONE)
	c.wantResolved(tap)
	c.wantStatus(session.Idle)
	c.wantState("c1", "resolved")
	c.wantState("c2", "resolved")
	c.send("y")
	c.wantPosts(3)
}

func TestB027_NoResultIsFlaggedAndTheStateIsReadAgain(t *testing.T) {
	for _, word := range []string{"approve", "deny"} {
		c := waitingBackend(t)
		tap := c.tap("c1", word)
		c.answer(START, TXT("fine"), END, DONE)
		c.wantResolved(tap)
		c.wantState("c1", "outcome-unknown")
		c.wantCardError("c1", session.CodeNoResult)
		c.wantWarnings(session.CodeNoResult)
		if strings.Contains(c.transcript(), "result c1") {
			t.Error("a result was made up")
		}
		if c.last().wire.Method != "GET" {
			t.Fatal("the state is not read again")
		}
		c.send("y") // the chat is not held for ever
		c.wantPosts(3)
	}
}

func TestB027_TheHistoryHasTheResult(t *testing.T) {
	c := waitingBackend(t)
	c.tap("c1", "approve")
	c.answer(END, DONE)
	c.wantState("c1", "outcome-unknown")
	c.headOf(c.last().id, 200, "application/json")
	c.feed(HISTORY(`[{"id":"u1","role":"user","content":"x"},{"id":"a1","role":"assistant","parts":[
		{"type":"tool-call","toolCallId":"c1","toolName":"delete_post","target":"backend","input":{"post_id":1},"confirmation":"required"},
		{"type":"tool-result","toolCallId":"c1","toolName":"delete_post","output":{"success":true}}]}]`))
	c.eof()
	c.wantState("c1", "resolved")
	c.wantTranscript(lines("user: x", `assistant: call c1 result c1 {"success":true}`))
}

func TestB029_TheReasonGoesWithTheDecisionOnEveryPath(t *testing.T) {
	reasonOf := func(c *chat) any { return c.last().body.ToolDecisions[0]["reason"] }
	c := waitingBackend(t)
	c.tapWith("c1", "deny", "wrong row")
	if got := reasonOf(c); got != "wrong row" {
		t.Errorf("reason %v", got)
	}
	c.lost()
	if got := c.shown["c1"].Reason; got != "wrong row" {
		t.Errorf("the card lost the reason: %q", got)
	}
	c.tapWith("c1", "deny", "wrong row")
	if got := reasonOf(c); got != "wrong row" {
		t.Errorf("reason after a failure: %v", got)
	}

	restored := newChat(t)
	restored.setMessages(`[{"id":"a1","role":"assistant","parts":[{"type":"tool-call","toolCallId":"c1","toolName":"d","target":"backend","input":{},"confirmation":"required"}]}]`)
	restored.tapWith("c1", "deny", "wrong row")
	if got := reasonOf(restored); got != "wrong row" {
		t.Errorf("reason after a reload: %v", got)
	}
	empty := waitingBackend(t)
	empty.tapWith("c1", "deny", "")
	if got := reasonOf(empty); got != nil {
		t.Errorf("an empty reason is sent: %v", got)
	}
}

func TestB031_ARepeatedCallIsAFreshQuestion(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.answer(START, CALL("c1", "d", `{"id":1}`, "required"), END, DONE)
	for i, id := range []string{"c1", "c2", "c3", "c4", "c5"} {
		c.wantState(id, "pending")
		if got := c.shown[id].Asked; got != i {
			t.Errorf("%s: asked %d times before, want %d", id, got, i)
		}
		c.tap(id, "deny")
		next := "c" + string(rune('2'+i))
		c.answer(RES(id, denied), START, CALL(next, "d", `{"id":1}`, "required"), END, DONE)
	}
	if got := strings.Count(c.transcript(), denied); got != 5 {
		t.Errorf("%d denials are in the chat unchanged, want 5", got)
	}
}

func TestB004_ALostAnswerIsFoundInTheHistory(t *testing.T) {
	for _, tt := range []struct{ name, word, output, state string }{
		{"it was carried out", "approve", `{"success":true}`, "resolved"},
		{"it was denied", "deny", denied, "resolved"},
		{"another word was first", "deny", `{"success":true}`, "answered-elsewhere"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := waitingBackend(t)
			c.tap("c1", tt.word)
			c.head()
			c.feed(TXT("Gone: po"))
			c.lost()
			c.wantState("c1", "pending")
			c.wantCardError("c1", session.CodeStreamCut)
			c.headOf(c.last().id, 200, "application/json")
			c.feed(HISTORY(`[{"id":"u9","role":"user","content":"x"},{"id":"a1","role":"assistant","parts":[
				{"type":"tool-call","toolCallId":"c1","toolName":"delete_post","target":"backend","input":{"post_id":1},"confirmation":"required"},
				{"type":"tool-result","toolCallId":"c1","toolName":"delete_post","output":` + tt.output + `}]}]`))
			c.eof()
			c.wantState("c1", tt.state)
			// What had arrived stays (design rule 7).
			c.wantTranscript(lines("user: x", "assistant: call c1 result c1 "+tt.output, "assistant: Gone: po"))
			c.send("y")
			c.wantPosts(3)
		})
	}
}

func TestB008_ADecisionThatHasNotLeftIsTakenBack(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.head()
	c.feed(START, CALL("c1", "mail", `{"to":"a"}`, "required"))
	tap := c.tap("c1", "approve")
	c.feed(CALL("c1", "mail", `{"to":"b"}`, "required"), END, DONE)
	c.wantError(tap, session.CodeConflict)
	c.wantState("c1", "pending")
	c.wantPosts(1)
}

func TestR21_ThreeCallsInAnyOrderOneByOneOrTogether(t *testing.T) {
	permute(3, func(order []int) {
		for split := range 3 { // how many are decided before the rest go together
			c := newChat(t)
			c.send("x")
			c.answer(START, CALL("s", "search", `{}`), CALL("c0", "d", `{}`, "required"), CALL("c1", "d", `{}`, "required"), CALL("c2", "d", `{}`, "required"),
				RES("s", `"not held up"`), END, DONE)
			id := func(i int) string { return "c" + string(rune('0'+order[i])) }
			for i := range split {
				c.tap(id(i), "approve")
				c.answer(RES(id(i), "1"), END, DONE)
				if strings.Contains(c.transcript(), "all three") {
					t.Fatal("the model was asked too early")
				}
			}
			var rest []session.Choice
			var frames []string
			for i := split; i < 3; i++ {
				rest = append(rest, choice(id(i), "approve", ""))
				frames = append(frames, RES(id(i), "1"))
			}
			c.decide(rest...)
			c.wantPosts(2 + split)
			c.answer(append(frames, START, TXT("all three"), END, DONE)...)
			for _, call := range []string{"c0", "c1", "c2"} {
				c.wantState(call, "resolved")
			}
			c.send("y")
			c.wantPosts(3 + split)
		}
	})
}
