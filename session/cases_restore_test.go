package session_test

import (
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/session"
)

// Cases of requirements/cases.md, kinds 4 and 5: restore, composer, 409, stop.

const waitingHistory = `[{"id":"u1","role":"user","parts":[{"type":"text","text":"x"}]},
	{"id":"a1","role":"assistant","parts":[{"type":"tool-call","toolCallId":"c1","toolName":"delete_post","target":"backend","input":{"post_id":1},"confirmation":"required"}]}]`

func TestB033_ARestoredCallWaits(t *testing.T) {
	c := newChat(t)
	c.register("archive", "required")
	c.setMessages(strings.Replace(waitingHistory, "delete_post", "archive", 1))
	c.wantRuns(0)
	c.wantState("c1", "pending")
	c.wantError(c.send("y"), session.CodeAwaitingConsent)
	c.wantPosts(0)
}

func TestB035_ARestoredCallIsExactlyPending(t *testing.T) {
	c := newChat(t)
	c.setMessages(waitingHistory)
	if conf := c.shown["c1"]; conf.State != "pending" || conf.Decision != "" || conf.Error != nil || conf.Target != "backend" {
		t.Errorf("%+v", conf)
	}
	c.wantStatus(session.Idle)
	if len(c.shown) != 1 {
		t.Errorf("cards: %v", c.shown)
	}
}

func TestB037_ARestoredCallCanBeDecided(t *testing.T) {
	c := newChat(t)
	c.setMessages(waitingHistory)
	tap := c.tap("c1", "approve")
	c.wantDecisions("c1 approve")
	if r := c.last().body; r.Prompt != "" || len(r.Messages) != 2 {
		t.Errorf("%+v", r)
	}
	c.answer(RES("c1", "1"), START, TXT("ok"), END, DONE)
	c.wantOutcome(tap, "sent")
	c.wantTranscript(lines("user: x", "assistant: call c1 result c1 1", "assistant: ok"))
}

func TestB040_ReadingAgainAfterACutDoublesNothing(t *testing.T) {
	c := newChat(t)
	c.sendWith(session.Outgoing{Text: "x", MessageID: "u1"})
	c.head()
	c.feed(START, TXT("ab"))
	c.lost()
	c.reread()
	c.headOf(c.last().id, 200, "application/json")
	c.feed(HISTORY(`[{"id":"u1","role":"user","content":"x"},{"id":"assistant_turn","role":"assistant","parts":[{"type":"text","text":"abc"}]}]`))
	c.eof()
	c.wantTranscript(lines("user: x", "assistant: abc"))
}

func TestB042_ADeltaWithoutAStartMakesAPart(t *testing.T) {
	c := waitingBackend(t)
	c.tap("c1", "approve")
	c.answer(TXT("half a sentence"), RES("c1", "1"), END, DONE)
	c.wantTranscript(lines("user: x", "assistant: call c1 result c1 1", "assistant: half a sentence"))
	c.wantPosts(2)
}

func TestB044_AResultGoesToTheMessageThatOwnsTheCall(t *testing.T) {
	c := newChat(t)
	c.setMessages(strings.TrimSuffix(waitingHistory, "]") + `,{"id":"u2","role":"user","content":"hello?"}]`)
	c.tap("c1", "approve")
	c.answer(RES("c1", "1"), START, TXT("gone"), END, DONE)
	c.wantTranscript(lines("user: x", "assistant: call c1 result c1 1", "user: hello?", "assistant: gone"))
}

func TestB046_UnknownFieldsOfMessagesGoBackUnchanged(t *testing.T) {
	c := newChat(t)
	c.setMessages(`[{"x-a":{"n":1.10},"id":"u1","role":"user","parts":[{"type":"text","text":"x","x-foo":1},{"type":"brand-new","y":[1e3]}],"tokens":9007199254740993}]`)
	c.send("y")
	want := `{"messages":[{"id":"u1","role":"user","content":"x","parts":[{"type":"text","text":"x","x-foo":1},{"type":"brand-new","y":[1e3]}],"x-a":{"n":1.10},"tokens":9007199254740993},`
	if got := string(c.last().wire.Body); !strings.HasPrefix(got, want) {
		t.Error(got)
	}
}

func TestB048_TheComposerIsLockedUntilTheTurnIsOver(t *testing.T) {
	c := waitingFrontend(t)
	c.tap("c1", "approve")
	for _, step := range []func(){
		func() {},
		func() { c.output("c1", "1") },
		func() { c.head() },
		func() { c.feed(START, TXT("ok"), END) },
	} {
		step()
		if s := c.s.Status(); s != session.Submitted && s != session.Streaming {
			t.Errorf("status %s", s)
		}
		if _, err := c.send("y"), c.settled[c.lastT].err; err == nil {
			t.Error("the composer is free too early")
		}
	}
	c.feed(DONE)
	c.wantStatus(session.Idle)
	c.send("y")
	c.wantPosts(3)
}

func TestB050_TheSameGuardAfterARestore(t *testing.T) {
	c := newChat(t)
	c.register("archive", "required")
	c.setMessages(strings.Replace(waitingHistory, "delete_post", "archive", 1))
	c.tap("c1", "approve")
	c.wantError(c.send("y"), session.CodeAwaitingConsent)
	c.output("c1", "1")
	c.wantPosts(1)
	c.answer(START, TXT("ok"), END, DONE)
	c.wantState("c1", "resolved")
}

func TestB053_A409IsNeverSentAgainByItself(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.status(409, `{"message":"Tool confirmation is required before the conversation can continue."}`)
	c.headOf(c.last().id, 200, "application/json")
	c.feed(HISTORY(waitingHistory))
	c.eof()
	c.wantPosts(1)
	c.tap("c1", "deny")
	c.answer(RES("c1", denied), START, TXT("ok"), END, DONE)
	c.wantPosts(2)
}

func TestB055_ADecisionWorksWhileTheComposerIsLocked(t *testing.T) {
	c := waitingBackend(t)
	c.wantError(c.send("y"), session.CodeAwaitingConsent)
	c.tap("c1", "approve")
	c.wantPosts(2)
}

func TestB056_StopDuringAServerTool(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.head()
	c.feed(START, TXT("I look."), CALL("c1", "search", `{}`))
	c.stop()
	c.wantStatus(session.Idle)
	c.wantTranscript(lines("user: x", `assistant: I look. call c1 result c1 {"success":false,"error":"The turn was stopped before the result arrived; whether the tool acted is not known."}`))
	c.send("y")
	c.wantPosts(2)
}

func TestB058_ALaterHistoryEndsTheQuestion(t *testing.T) {
	c := waitingBackend(t)
	rereading := c.reread()
	c.headOf(c.last().id, 200, "application/json")
	c.feed(HISTORY(`[{"id":"u1","role":"user","content":"x"},{"id":"a1","role":"assistant","parts":[
		{"type":"tool-call","toolCallId":"c1","toolName":"delete_post","target":"backend","input":{"post_id":1},"confirmation":"required"},
		{"type":"tool-result","toolCallId":"c1","toolName":"delete_post","output":{"success":false,"error":"cancelled"}}]}]`))
	c.eof()
	c.wantResolved(rereading)
	c.wantState("c1", "answered-elsewhere")
	c.send("y")
	c.wantPosts(2)
}

func TestB058_ACallThatTheChatDoesNotHoldAnyMoreExpires(t *testing.T) {
	c := waitingBackend(t)
	c.setMessages(`[]`)
	c.wantState("c1", "expired")
	c.wantOutcome(c.tap("c1", "approve"), "not-pending")
	c.send("y")
	c.wantPosts(2)
}

// What random inputs have found (TestRandomInputs).

func TestR49_ADecidedCallThatComesBackIsNotAskedAgain(t *testing.T) {
	c := waitingBackend(t)
	c.tap("c1", "deny")
	c.answer(RES("c1", denied), START, TXT("ok"), END, DONE)
	c.setMessages(`[]`)
	c.send("y")
	c.answer(START, TXT("ok"), END, DONE)
	c.register("delete_post", "required") // the page has a tool of that name now
	c.setMessages(waitingHistory)
	c.wantOutcome(c.tap("c1", "approve"), "not-pending")
	c.wantRuns(0)
	c.wantTranscript(lines("user: x", "assistant: call c1 result c1 "+denied))
}

func TestR49_ACallThatTheServerWasToldOfStaysTheServers(t *testing.T) {
	c := newChat(t)
	c.setMessages(waitingHistory)
	c.tap("c1", "deny")
	c.answer(START, TXT("no result"), END, DONE)
	c.lost() // the history
	c.register("delete_post", "required")
	c.setMessages(`[]`)
	c.send("y")
	c.answer(START, TXT("ok"), END, DONE)
	c.setMessages(waitingHistory)
	c.tap("c1", "approve")
	c.wantRuns(0)
	c.wantDecisions("c1 approve")
}

func TestR36_CloseWhileATurnWaitsForAReset(t *testing.T) {
	c := newChannel(t)
	c.setMessages(waitingHistory)
	resetting := c.ticket()
	c.put(func(c *chat) { c.s.Reset(resetting, session.TurnOptions{}) })
	tap := c.tap("c1", "approve") // waits for the answer
	c.wantOpen(tap)
	c.close()
	c.wantError(tap, session.CodeClosed)
	c.wantError(resetting, session.CodeClosed)
}
