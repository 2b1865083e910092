package session_test

import (
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/session"
	store "github.com/svedawasm/svedawasm/session/snapshot"
	"github.com/svedawasm/svedawasm/session/sveda"
)

const noon = 1_700_000_000_000 // ms since 1970

// saved is what a store holds of the chat, through its bytes.
func (c *chat) saved() *session.Saved {
	c.t.Helper()
	b, err := store.Encode(c.s.Save())
	if err != nil {
		c.t.Fatal(err)
	}
	saved, err := store.Decode(b)
	if err != nil {
		c.t.Fatal(err)
	}
	return saved
}

// reload is the page loaded again after ms milliseconds. What the old page did
// stays known: its handlers count as run.
func (c *chat) reload(ms int64) *chat {
	c.t.Helper()
	saved := c.saved()
	cfg := c.cfg
	cfg.Seed[15]++
	again := makeChat(c.t, cfg)
	again.tools, cfg.Tools = c.tools, c.tools
	again.runs, again.denied = c.runs, c.denied
	again.s = session.Restore(cfg, saved, 0, noon+ms)
	again.trace.WriteString(c.trace.String() + "RELOAD\n")
	again.flush()
	c.t.Cleanup(func() {
		if !c.t.Failed() {
			again.mirror.check(again.s.Messages())
			again.close()
			again.wantAllSettled("the session is closed")
		}
	})
	return again
}

func atNoon(t *testing.T, options ...option) *chat {
	t.Helper()
	c := newChat(t, append([]option{patient}, options...)...)
	c.put(func(c *chat) { c.s.Wall(noon) })
	return c
}

// history answers the reading that is under way.
func (c *chat) history(messages string) {
	c.t.Helper()
	for _, r := range c.requests {
		if r.wire.Method == "GET" && c.streams[r.id] {
			c.headOf(r.id, 200, "application/json")
			c.feedTo(r.id, HISTORY(messages))
			c.end(r.id, session.EOF, "")
			return
		}
	}
	c.t.Fatal("the state is not read")
}

// stored is a chat as the server has it, with c1 waiting.
func stored(parts ...string) string {
	return `[{"id":"u","role":"user","parts":[{"type":"text","text":"x"}]},{"id":"msg_1","role":"assistant","parts":[` +
		strings.Join(parts, ",") + `]}]`
}

func callPart(id, name string) string {
	return `{"type":"tool-call","toolCallId":"` + id + `","toolName":"` + name + `","target":"backend","input":{},"confirmation":"required"}`
}

func resultPart(id, output string) string {
	return `{"type":"tool-result","toolCallId":"` + id + `","toolName":"t","output":` + output + `}`
}

func TestB033_AWaitingConfirmationWaitsAgainAfterAReload(t *testing.T) {
	c := atNoon(t)
	c.sendWith(session.Outgoing{Text: "x", MessageID: "u"})
	c.answer(START, TXT("Shall I?"), CALL("c1", "t", `{}`, "required"), END, DONE)
	again := c.reload(1_000)
	again.wantState("c1", "pending")
	again.wantStatus(session.Idle)
	again.wantPosts(0)
	again.wantError(again.send("y"), session.CodeAwaitingConsent)
	again.wantTranscript(c.transcript())
	again.history(stored(callPart("c1", "t")))
	again.wantState("c1", "pending")
	tap := again.tap("c1", "approve") // B037
	again.wantDecisions("c1 approve")
	again.answer(RES("c1", `1`), START, END, DONE)
	again.wantOutcome(tap, "sent")
}

func TestS50_AfterAReloadConfirmWaitsForTheState(t *testing.T) {
	c := atNoon(t)
	c.sendWith(session.Outgoing{Text: "x", MessageID: "u"})
	c.answer(START, CALL("c1", "t", `{}`, "required"), END, DONE)
	again := c.reload(1_000)
	again.tap("c1", "approve") // before the state has come
	again.wantPosts(0)
	again.history(stored(callPart("c1", "t"), resultPart("c1", denied)))
	again.wantPosts(0)
	again.wantState("c1", "answered-elsewhere")
}

func TestR13_ARecordedDecisionIsSentAgainInTheSameWords(t *testing.T) {
	c := atNoon(t)
	c.sendWith(session.Outgoing{Text: "x", MessageID: "u"})
	c.answer(START, CALL("c1", "t", `{}`, "required"), CALL("c2", "t", `{}`, "required"), END, DONE)
	c.decide(choice("c2", "deny", "wrong row"), choice("c1", "approve", ""))
	first := c.last().wire.Body
	again := c.reload(5_000)
	again.wantState("c1", "deciding")
	again.wantPosts(0) // the state first
	again.history(stored(callPart("c1", "t"), callPart("c2", "t")))
	again.wantPosts(1)
	if got, want := decisionsOf(again.last().wire.Body), decisionsOf(first); got != want {
		t.Errorf("decisions %s, want %s", got, want)
	}
	again.answer(RES("c1", `1`), RES("c2", denied), START, END, DONE)
	again.wantState("c1", "resolved")
	again.wantState("c2", "resolved")
}

func decisionsOf(body []byte) string {
	_, rest, _ := strings.Cut(string(body), `"toolDecisions":`)
	return rest
}

func TestR13_ADecisionThatArrivedIsNotSentAgain(t *testing.T) {
	c := atNoon(t)
	c.sendWith(session.Outgoing{Text: "x", MessageID: "u"})
	c.answer(START, CALL("c1", "t", `{}`, "required"), END, DONE)
	c.tap("c1", "approve")
	again := c.reload(5_000)
	again.history(stored(callPart("c1", "t"), resultPart("c1", `1`)))
	again.wantPosts(0)
	again.wantState("c1", "resolved")
	again.wantStatus(session.Idle)
}

func TestI13_ALateApprovalIsAskedAgainAfterAReload(t *testing.T) {
	for name, after := range map[string]int64{"later": 121_000, "clock set back": -1} {
		t.Run(name, func(t *testing.T) {
			c := atNoon(t)
			c.sendWith(session.Outgoing{Text: "x", MessageID: "u"})
			c.answer(START, CALL("c1", "t", `{}`, "required"), CALL("c2", "t", `{}`, "required"), END, DONE)
			c.decide(choice("c1", "approve", ""), choice("c2", "deny", ""))
			again := c.reload(after)
			again.wantState("c1", "pending")
			again.wantCardError("c1", session.CodeLateApproval)
			again.wantState("c2", "deciding")
			again.wantDecisions("c2 deny") // a denial is always delivered
		})
	}
}

func TestR25_AHandlerThatWasCutIsNeverRunAgainByItself(t *testing.T) {
	c := atNoon(t)
	c.register("archive", "required")
	c.sendWith(session.Outgoing{Text: "x", MessageID: "u"})
	c.answer(START, CALL("c1", "archive", `{}`, "frontend"), END, DONE)
	c.tap("c1", "approve")
	c.wantRuns(1)
	again := c.reload(1_000)
	again.wantRuns(1)
	again.wantState("c1", "outcome-unknown")
	again.wantCardError("c1", session.CodeOutcomeUnknown)
	again.wantPosts(0)
	again.tap("c1", "approve")
	again.wantRuns(1)
	again.sendWith(session.Outgoing{Text: "what happened?"})
	if !strings.Contains(string(again.last().wire.Body), `"code":"outcome-unknown"`) {
		t.Errorf("the model is not told: %s", again.last().wire.Body)
	}
	again.answer(START, TXT("I do not know."), END, DONE)
}

func TestR25_ThePersonMayLetItBeTriedAgain(t *testing.T) {
	c := atNoon(t)
	c.register("archive", "required")
	c.sendWith(session.Outgoing{Text: "x", MessageID: "u"})
	c.answer(START, CALL("c1", "archive", `{}`, "frontend"), END, DONE)
	c.tap("c1", "approve")
	again := c.reload(1_000)
	again.runs = nil
	retry := again.ticket()
	again.put(func(c *chat) { c.s.RetryUnknown(retry, "c1") })
	again.wantResolved(retry)
	again.wantState("c1", "pending")
	again.wantRuns(0) // a new gesture is needed
	again.tap("c1", "approve")
	if again.last().wire.Method == "GET" {
		again.history(stored(callPart("c1", "archive")))
	}
	again.wantRuns(1)
	again.output("c1", `{"ok":true}`)
	again.wantPosts(1)
	if strings.Contains(string(again.last().wire.Body), "outcome-unknown") {
		t.Errorf("the model is told of the first attempt: %s", again.last().wire.Body)
	}
	again.answer(START, END, DONE)
	tooLate := again.ticket()
	again.put(func(c *chat) { c.s.RetryUnknown(tooLate, "c1") })
	again.wantError(tooLate, session.CodeNotRetryable)
}

func TestR25_ToldIsTold(t *testing.T) {
	c := atNoon(t)
	c.register("archive", "required")
	c.send("x")
	c.answer(START, CALL("c1", "archive", `{}`, "frontend"), CALL("c2", "t", `{}`, "required"), END, DONE)
	c.tap("c1", "approve")
	again := c.reload(1_000)
	again.wantState("c1", "outcome-unknown")
	again.wantState("c2", "pending")
	again.tap("c2", "deny")
	retry := again.ticket()
	again.put(func(c *chat) { c.s.RetryUnknown(retry, "c1") })
	again.wantError(retry, session.CodeNotRetryable)
}

func TestRule10_AnApprovedHandlerThatHadNotStartedIsAskedAgain(t *testing.T) {
	c := atNoon(t)
	c.register("archive", "required")
	c.send("x")
	c.head()
	c.feed(START, CALL("c1", "archive", `{}`, "frontend"))
	c.tap("c1", "approve") // waits for the end of the stream
	again := c.reload(1_000)
	again.wantRuns(0)
	again.wantState("c1", "pending")
	again.wantCardError("c1", session.CodeInterrupted)
}

func TestR13_ARecordedDenialOfAFrontendToolIsDelivered(t *testing.T) {
	c := atNoon(t)
	c.register("archive", "required")
	c.send("x")
	c.head()
	c.feed(START, CALL("c1", "archive", `{}`, "frontend"))
	c.tapWith("c1", "deny", "wrong row")
	again := c.reload(1_000_000)
	again.wantRuns(0)
	again.wantPosts(1)
	if !strings.Contains(string(again.last().wire.Body), `"denied":true`) {
		t.Errorf("the denial is not told: %s", again.last().wire.Body)
	}
}

func TestR49_ADecidedCardNeverReturnsAsPending(t *testing.T) {
	c := atNoon(t)
	c.sendWith(session.Outgoing{Text: "x", MessageID: "u"})
	c.answer(START, CALL("c1", "t", `{}`, "required"), END, DONE)
	c.tap("c1", "approve")
	c.answer(RES("c1", `1`), START, END, DONE)
	again := c.reload(1_000)
	again.wantState("c1", "resolved")
	again.reread()
	again.history(stored(callPart("c1", "t"))) // a stale copy
	again.wantState("c1", "resolved")
	third := again.reload(2_000)
	third.wantState("c1", "resolved")
	third.wantResolved(third.tap("c1", "deny"))
	third.wantPosts(0)
}

func TestR49_AnOldCopyOfTheChatDoesNotUndoWhatTheServerSaid(t *testing.T) {
	c := atNoon(t)
	c.sendWith(session.Outgoing{Text: "x", MessageID: "u"})
	c.answer(START, CALL("c1", "t", `{}`, "required"), END, DONE)
	c.tap("c1", "approve")
	c.answer(RES("c1", `1`), START, CALL("c2", "t", `{}`, "required"), END, DONE)
	c.tap("c2", "deny")
	c.status(409, `{"message":"Tool confirmation is required before the conversation can continue."}`)
	c.history(stored(callPart("c1", "t"), callPart("c2", "t"))) // from some cache
	if c.shown["c1"].State == "pending" {
		t.Error("a call that ran is asked again")
	}
	c.wantState("c2", "pending")
}

func TestRule1_ADenialAfterAnUnknownOutcomeDoesNotSayThatNothingRan(t *testing.T) {
	c := atNoon(t)
	c.register("archive", "required")
	c.sendWith(session.Outgoing{Text: "x", MessageID: "u"})
	c.answer(START, CALL("c1", "archive", `{}`, "frontend"), END, DONE)
	c.tap("c1", "approve")
	again := c.reload(1_000)
	retry := again.ticket()
	again.put(func(c *chat) { c.s.RetryUnknown(retry, "c1") })
	again.tap("c1", "deny")
	again.wantPosts(1)
	body := string(again.last().wire.Body)
	if strings.Contains(body, "not executed") || !strings.Contains(body, `"code":"outcome-unknown"`) {
		t.Errorf("the model is told: %s", body)
	}
}

func TestATurnThatWasCutByAReloadIsToldAndNotRepeated(t *testing.T) {
	c := atNoon(t)
	c.send("half a question")
	c.head()
	c.feed(START, TXT("half an ans"))
	again := c.reload(1_000)
	again.wantPosts(0)
	again.wantStatus(session.Failed)
	again.wantFailures(session.CodeInterrupted)
	again.wantTranscript(lines("user: half a question", "assistant: half an ans"))
	again.send("go on")
	again.wantPosts(1)
}

func TestWordsThatTheServerHasNotStoredStayInView(t *testing.T) {
	c := atNoon(t)
	c.send("first")
	c.answer(START, TXT("a"), END, DONE)
	c.sendWith(session.Outgoing{Text: "second", MessageID: "u2"})
	again := c.reload(1_000)
	again.reread()
	again.history(`[{"id":"u1","role":"user","parts":[{"type":"text","text":"first"}]},{"id":"a1","role":"assistant","parts":[{"type":"text","text":"a"}]}]`)
	again.wantTranscript(lines("user: first", "assistant: a", "user: second"))
}

func TestOutputsThatWereOnTheirWayAreKept(t *testing.T) {
	c := atNoon(t)
	c.register("get_selection", "")
	c.send("x")
	c.answer(START, CALL("f1", "get_selection", `{}`, "frontend"), END, DONE)
	c.output("f1", `["a"]`)
	again := c.reload(1_000)
	again.wantPosts(0)
	submit := again.submit()
	again.wantPosts(1)
	if got := strings.Count(string(again.last().wire.Body), `"content":"[\"a\"]"`); got != 1 {
		t.Errorf("the output is there %d times: %s", got, again.last().wire.Body)
	}
	again.answer(START, END, DONE)
	again.wantResolved(submit)
}

func TestAnAutomaticHandlerThatWasCutIsNotRunAgain(t *testing.T) {
	c := atNoon(t)
	c.register("get_selection", "")
	c.send("x")
	c.answer(START, CALL("f1", "get_selection", `{}`, "frontend"), END, DONE)
	again := c.reload(1_000)
	again.wantRuns(1)
	again.wantPosts(0)
	again.send("y")
	if !strings.Contains(string(again.last().wire.Body), "outcome-unknown") {
		t.Errorf("the model is not told: %s", again.last().wire.Body)
	}
}

func TestS43_NothingThatIsStoredMakesAHandlerRun(t *testing.T) {
	c := atNoon(t)
	c.register("archive", "required")
	c.send("x")
	c.answer(START, CALL("c1", "archive", `{}`, "frontend"), END, DONE)
	for _, state := range []session.State{session.Deciding, session.Approved, session.Resolved, session.OutcomeUnknown} {
		saved := c.saved()
		forged := &saved.Confirmations[0]
		forged.State = state
		if state != session.Approved { // also without any decision
			forged.Decided, forged.Decision.Approve, forged.DecidedAt = true, true, noon
		}
		cfg := c.cfg
		cfg.Tools = c.tools
		victim := makeChat(t, cfg)
		victim.s = session.Restore(cfg, saved, 0, noon)
		victim.flush()
		victim.wantRuns(0)
		victim.wantPosts(0)
	}
}

func TestS50_AFrontendCallThatCannotBeCheckedCanOnlyBeDeniedAfterTenMinutes(t *testing.T) {
	c := atNoon(t, func(cfg *session.Config) { cfg.Dialect = sveda.New(sveda.Config{}) })
	c.register("archive", "required")
	c.send("x")
	c.answer(START, CALL("c1", "archive", `{}`, "frontend"), CALL("c2", "t", `{}`, "required"), END, DONE)
	old := c.reload(600_001)
	old.wantError(old.tap("c1", "approve"), session.CodeUnverified)
	old.tap("c2", "approve") // the server is asked by the decision itself
	old.wantPosts(1)
	old.tap("c1", "deny")
	fresh := c.reload(300_000)
	fresh.tap("c1", "approve")
	fresh.wantRuns(1)
}

func TestRestoreIsTheSameTwice(t *testing.T) {
	c := atNoon(t)
	c.register("archive", "required")
	c.send("x")
	c.answer(START, CALL("c1", "archive", `{}`, "frontend"), CALL("c2", "t", `{}`, "required"), END, DONE)
	c.tap("c2", "deny")
	a, b := c.reload(1_000), c.reload(1_000)
	if a.trace.String() != b.trace.String() {
		t.Errorf("the same state gave other outputs:\n%s\n%s", &a.trace, &b.trace)
	}
}

func TestR25_ACutHandlerWhoseCallLeftTheChatIsNotAskedAsNew(t *testing.T) {
	c := atNoon(t)
	c.register("archive", "required")
	c.send("x")
	c.answer(START, CALL("c1", "archive", `{}`, "frontend"), END, DONE)
	c.tap("c1", "approve")
	c.wantRuns(1)
	c.setMessages(`[]`)
	again := c.reload(1000)
	again.wantState("c1", "outcome-unknown")
	again.send("y") // the chat goes on without it
	again.answer(START, TXT("ok"), END, DONE)
	again.setMessages(`[{"id":"a1","role":"assistant","parts":[` + callPart("c1", "archive") + `]}]`)
	again.wantOutcome(again.tap("c1", "approve"), "not-pending")
	again.wantRuns(1)
	c.output("c1", "1")
}
