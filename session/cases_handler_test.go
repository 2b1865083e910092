package session_test

import (
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/toolregistry"
)

// Cases of requirements/cases.md, kinds 7 and 12: browser handlers, grants.

func TestB065_AFailingHandlerGivesOneErrorResult(t *testing.T) {
	for _, message := range []string{"x", "", "undefined"} {
		c := newChat(t)
		c.register("f", "")
		c.send("x")
		c.answer(START, CALL("f1", "f", `{}`, "frontend"), END, DONE)
		c.outputFailed("f1", message)
		c.outputFailed("f1", "again") // a second word of the same run changes nothing
		c.wantPosts(2)
		c.answer(START, TXT("ok"), END, DONE)
		c.wantTranscript(lines("user: x", "assistant: call f1", `tool: result f1 {"success":false,"error":"`+message+`"}`, "assistant: ok"))
	}
}

func TestB067_TheLatestHandlerRuns(t *testing.T) {
	c := waitingFrontend(t)
	c.registerTool(toolregistry.Tool{Name: "archive", Confirmation: "required", Handler: 77})
	c.tap("c1", "approve")
	c.wantRuns(1)
	if c.runs[0].Handler != 77 {
		t.Errorf("handler %d", c.runs[0].Handler)
	}
	c.output("c1", "1")
}

func TestB069_SeveralOutputsGoTogether(t *testing.T) {
	c := newChat(t)
	c.register("f", "")
	c.send("x")
	c.answer(START, CALL("f1", "f", `{}`, "frontend"), CALL("f2", "f", `{}`, "frontend"), CALL("f3", "f", `{}`, "frontend"), END, DONE)
	c.output("f2", "2")
	c.output("f3", "3")
	c.wantPosts(1)
	c.output("f1", "1")
	c.wantPosts(2)
	if m := c.last().body.Messages; len(m) != 5 {
		t.Errorf("%d messages, want three outputs", len(m))
	}
}

func TestB071_AResultFromTheServerEndsAFrontendCall(t *testing.T) {
	c := newChat(t)
	c.register("archive", "required")
	c.register("auto", "")
	c.send("x")
	c.answer(START, CALL("c1", "archive", `{}`, "frontend"), CALL("f1", "auto", `{}`, "frontend"), RES("c1", "1"), RES("f1", "2"), END, DONE)
	c.wantState("c1", "answered-elsewhere")
	c.wantOutcome(c.tap("c1", "approve"), "already-decided")
	c.wantRuns(1)
	if len(c.canceled) != 1 {
		t.Error("the running handler was not signalled")
	}
	c.output("f1", `"late"`)
	c.wantPosts(1)
	c.wantTranscript(lines("user: x", "assistant: call c1 call f1 result c1 1 result f1 2"))
}

func TestB074_OutputThatIsNoJSONIsAFailure(t *testing.T) {
	for _, value := range []string{`{"a":`, `10n`, `NaN`, `[object Object]`} {
		c := newChat(t)
		c.register("f", "")
		c.send("x")
		c.answer(START, CALL("f1", "f", `{}`, "frontend"), END, DONE)
		c.output("f1", value)
		c.wantPosts(2)
		if m := c.last().body.Messages; m[len(m)-1].Content != `{"success":false,"error":"the tool's output is not JSON"}` {
			t.Errorf("%s: %+v", value, m[len(m)-1])
		}
	}
}

func TestB074_AHandlerThatNeverSettlesIsTimedOut(t *testing.T) {
	c := newChat(t)
	c.register("archive", "required")
	c.register("f", "")
	c.send("x")
	c.answer(START, CALL("f1", "f", `{}`, "frontend"), CALL("c1", "archive", `{}`, "frontend"), END, DONE)
	c.fire(300_000)
	c.wantState("c1", "pending")
	tap := c.tap("c1", "approve")
	c.fire(300_000)
	c.wantState("c1", "outcome-unknown")
	c.wantCardError("c1", session.CodeOutcomeUnknown)
	if len(c.canceled) != 2 {
		t.Errorf("signalled: %v", c.canceled)
	}
	c.wantPosts(2)
	if got := strings.Count(string(c.last().wire.Body), "did not finish in time; whether it acted is not known."); got < 2 {
		t.Errorf("the model is told %d times", got)
	}
	c.output("c1", "1") // too late
	c.answer(START, TXT("ok"), END, DONE)
	c.wantResolved(tap)
	c.send("y")
	c.wantPosts(3)
}

func withGrants(cfg *session.Config) { cfg.Grants = true }

func TestB133_AlwaysCoversCallsThatWaitAlready(t *testing.T) {
	c := newChat(t, withGrants)
	c.send("x")
	c.answer(START, CALL("c1", "t", `{}`, "required"), CALL("c2", "t", `{"n":2}`, "required"), CALL("c3", "other", `{}`, "required"),
		CALL("c4", "t", `{"a":1,"a":2}`, "required"), END, DONE)
	c.tap("c1", "always")
	c.wantDecisions("c1 approve", "c2 approve")
	if conf := c.shown["c2"]; conf.State != "deciding" || !conf.Automatic || conf.Decision != "approve" {
		t.Errorf("c2 is not visibly allowed: %+v", conf)
	}
	c.wantState("c3", "pending")
	c.wantState("c4", "pending") // it cannot be shown truly
	if c.shown["c1"].Remember != "chat" || c.grants != `[{"toolset":"","toolName":"t"}]` {
		t.Errorf("%+v, grants %s", c.shown["c1"], c.grants)
	}
}

func TestB135_AGrantCoversTheWholeToolAndNoOther(t *testing.T) {
	c := newChat(t, withGrants)
	c.send("x")
	c.answer(START, CALL("c1", "edit", `{"path":"a"}`, "required"), END, DONE)
	c.tap("c1", "always")
	c.answer(RES("c1", "1"), START, CALL("c2", "edit", `{"path":"b"}`, "required"), CALL("c3", "edit2", `{}`, "required"), END, DONE)
	c.wantDecisions("c2 approve")
	c.wantState("c3", "pending")
}

func TestB137_AGrantHoldsForTheChat(t *testing.T) {
	c := newChat(t, withGrants)
	c.register("archive", "required")
	c.send("x")
	c.answer(START, CALL("c1", "archive", `{}`, "frontend"), END, DONE)
	c.tap("c1", "always")
	c.output("c1", "1")
	c.answer(START, TXT("ok"), END, DONE)
	c.send("y")
	c.answer(START, TXT("well"), END, DONE)
	c.send("z")
	c.answer(START, CALL("c2", "archive", `{}`, "frontend"), END, DONE)
	c.wantRuns(2)
	c.wantState("c2", "approved")
	if !c.shown["c2"].Automatic {
		t.Error("the card does not say that a grant answered")
	}
	c.output("c2", "2")
	c.answer(START, TXT("ok"), END, DONE)
	c.put(func(c *chat) { c.s.Revoke("", "archive") })
	if c.grants != "[]" {
		t.Errorf("grants %s", c.grants)
	}
	c.send("again")
	c.answer(START, CALL("c3", "archive", `{}`, "frontend"), END, DONE)
	c.wantState("c3", "pending")
}

func TestB140_AGrantWorksAtOnceAndOtherToolsStillAsk(t *testing.T) {
	c := newChat(t, withGrants)
	c.send("x")
	c.answer(START, CALL("c1", "a", `{}`, "required"), END, DONE)
	c.tap("c1", "always")
	c.head()
	c.feed(RES("c1", "1"), START, CALL("c2", "a", `{}`, "required"), CALL("c3", "b", `{}`, "required"))
	if _, asked := c.shown["c2"]; asked {
		t.Error("c2 is asked although it is allowed")
	}
	c.wantState("c3", "pending")
	c.feed(END, DONE)
	c.wantDecisions("c2 approve")
}

func TestB137_WithoutGrantsAlwaysIsOnce(t *testing.T) {
	c := waitingBackend(t)
	c.tap("c1", "always")
	c.answer(RES("c1", "1"), START, CALL("c2", "delete_post", `{}`, "required"), END, DONE)
	c.wantState("c2", "pending")
	if c.grants != "" || c.shown["c1"].Remember != "" {
		t.Error("a grant was kept")
	}
}
