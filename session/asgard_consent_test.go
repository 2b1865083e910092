package session_test

import (
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/session"
)

// The consent rules C and the queue rules Q of contract asgard, sections 4 and 5.

func TestAsgard_C01_AConsentSetsWhatWaitsAndALaterOneReplacesItWhole(t *testing.T) {
	c := newChannel(t)
	c.send("x")
	c.head()
	c.feed(INIT, CONSENT("p1", remove("a"), run("b", "ls")))
	if got := c.waits(); got != "a b" {
		t.Errorf("waits %q", got)
	}
	c.feed(CONSENT("p2", run("c", "df")), RUNDONE)
	c.eof()
	if got := c.waits(); got != "c" {
		t.Errorf("waits %q", got)
	}
	c.wantState("a", "expired")
	c.wantCardError("a", session.CodeSuperseded)
	c.tap("c", "approve")
	c.wantReply("c ALLOW_ONCE\n")
}

func TestAsgard_C02_NothingElseInTheStreamChangesWhatWaits(t *testing.T) {
	c := newChannel(t)
	c.send("x")
	c.head()
	c.feed(INIT, CONSENT("p1", remove("a")))
	for _, f := range []string{INIT, SAID("m1", "waiting"), remove("a").start(), RUNERR("the model broke")} {
		c.feed(f)
		c.wantState("a", "pending")
	}
	c.eof()
	c.wantState("a", "pending")
	if !c.s.Pending() {
		t.Error("the guard is off")
	}
}

func TestAsgard_C03_AReplyTakesThePromptAwayBeforeItIsSent(t *testing.T) {
	c := paused(t, remove("a"))
	c.tap("a", "approve")
	c.wantState("a", "deciding")
	c.wantReply("a ALLOW_ONCE\n")
}

func TestAsgard_C04_OtherTurnsAreRefusedWhileAPromptWaits(t *testing.T) {
	c := paused(t, remove("a"))
	before, changes := c.transcript(), len(c.kinds)
	for _, refused := range []session.Ticket{c.send("never mind"), c.nudge(), c.openChannel()} {
		c.wantError(refused, session.CodeAwaitingConsent)
		err := c.settled[refused].err
		if err.Message != "Cannot send this turn while the channel is awaiting a tool-call consent response." || err.ProcessID != "proc-1" {
			t.Errorf("%q, process %q", err.Message, err.ProcessID)
		}
		if got := string(err.AppendJSON(nil)); !strings.Contains(got, `"processId":"proc-1"`) {
			t.Error(got)
		}
	}
	if c.transcript() != before || len(c.kinds) != changes || len(c.requests) != 1 {
		t.Error("a refused turn left a trace")
	}
}

func TestAsgard_C05_TheProcessIDIsAHintAndEmptyAfterARejoin(t *testing.T) {
	c := newChannel(t)
	c.restore(false)
	c.plain(200, `{"title":"t","runState":"IDLE"}`)
	c.answer(MUSER("u1", "", "x"), BRACKET(remove("a")))
	refused := c.send("y")
	c.wantError(refused, session.CodeAwaitingConsent)
	if err := c.settled[refused].err; err.ProcessID != "" || !strings.Contains(string(err.AppendJSON(nil)), `"processId":""`) {
		t.Errorf("process %q", err.ProcessID)
	}
}

func TestAsgard_C06_TheGuardHoldsForPromptsOfARunAndOfARejoin(t *testing.T) {
	live := newChannel(t)
	live.send("x")
	live.head()
	live.feed(INIT, CONSENT("p", remove("a")))
	live.wantError(live.send("y"), session.CodeAwaitingConsent) // the run is still on
	live.feed(RUNDONE)
	live.eof()
	live.wantError(live.send("y"), session.CodeAwaitingConsent) // the channel looks idle

	again := newChannel(t)
	again.reread()
	again.answer(BRACKET(remove("a")))
	again.wantError(again.send("y"), session.CodeAwaitingConsent)
}

func TestAsgard_C07_TheRunOfAReplyIsAUserRunAndCanBeStopped(t *testing.T) {
	c := paused(t, remove("a"))
	c.tap("a", "approve")
	c.head()
	c.feed(INIT, SAID("m1", "deleting"))
	if got := c.note("runStatus"); got != `{"kind":"user","stopPhase":"idle","requestId":"req-1","traceId":"req-1"}` {
		t.Error(got)
	}
	busy := c.send("y")
	c.wantError(busy, session.CodeBusy)
	stop := c.stop()
	if w := c.last().wire; w.Method != "POST" || w.Path != "/message/suspend?custom_channel_id=ch&request_id=req-1" {
		t.Errorf("%s %s", w.Method, w.Path)
	}
	c.plain(202, "")
	c.wantResolved(stop)
	c.feedTo(c.requests[1].id, RUNDONE)
	c.end(c.requests[1].id, session.EOF, "")
	c.wantStatus(session.Idle)
}

func TestAsgard_C08_ARejectedReplyPutsTheBatchBackUnlessANewerOneCame(t *testing.T) {
	for name, fail := range map[string]func(c *chat){
		"http 500":   func(c *chat) { c.plain(500, "") },
		"http 403":   func(c *chat) { c.plain(403, `{"message":"no"}`) },
		"no network": func(c *chat) { c.lost() },
	} {
		c := paused(t, remove("a"))
		tap := c.tap("a", "approve")
		fail(c)
		if c.settled[tap].err == nil || c.waits() != "a" || c.shown["a"].Error == nil {
			t.Errorf("%s: %v, waits %q, card %+v", name, c.settled[tap].err, c.waits(), c.shown["a"])
		}
		if name == "http 403" {
			c.wantRejoin()
			c.answer(BRACKET(remove("a")))
		}
		again := c.tap("a", "deny")
		c.wantReply("a DENY_ONCE\n")
		c.answer(INIT, SAID("m", "ok"), RUNDONE)
		c.wantOutcome(again, "sent")
	}
	c := paused(t, remove("a"))
	c.tap("a", "approve")
	c.head()
	c.feed(INIT, CONSENT("p2", run("b", "ls")))
	c.lost()
	if got := c.waits(); got != "b" {
		t.Errorf("waits %q, want only the newer batch", got)
	}
	c.wantState("a", "resolved")
}

func TestAsgard_C09_AfterAnAcceptedReplySendsWorkAgain(t *testing.T) {
	c := paused(t, remove("a"))
	tap := c.tap("a", "approve")
	c.answer(INIT, remove("a").complete(`{"deleted":true}`, false), SAID("m1", "gone"), RUNDONE)
	c.wantOutcome(tap, "sent")
	c.wantState("a", "resolved")
	c.send("thanks")
	if r := c.last(); r.body.Action != "NONE" {
		t.Errorf("action %q", r.body.Action)
	}
	c.answer(INIT, SAID("m2", "welcome"), RUNDONE)
	c.wantTranscript("user: x\nassistant: call a result a {\"deleted\":true}\nassistant: gone\nuser: thanks\nassistant: welcome\n")
}

func TestAsgard_C10_OnlyAnswersToWhatIsAskedGoOut(t *testing.T) {
	c := paused(t, remove("a"), run("b", "ls"))
	empty := c.decide()
	if got := c.settled[empty].data; got != "[]" {
		t.Error(got)
	}
	c.wantOutcome(c.tap("zz", "approve"), "not-pending")
	c.wantOutcome(c.tap("a", "approve"), "staged")
	c.wantOutcome(c.tap("a", "deny"), "already-decided")
	c.wantPosts(1)
	c.decide(allow("b"), denyWith("b", "twice"), allow("zz"))
	c.wantReply("a ALLOW_ONCE\nb ALLOW_ONCE\n")
}

func TestAsgard_C11_TheNameOfARunKeepsWhatWaits(t *testing.T) {
	c := newChannel(t)
	c.send("x")
	id := c.last().id
	c.put(func(c *chat) {
		c.s.Head(id, 200, "text/event-stream", session.HeadInfo{RetryAfter: -1, TraceID: "trace-9"})
	})
	c.feed(INIT, CONSENT("p", remove("a")))
	if got := c.note("runStatus"); got != `{"kind":"user","stopPhase":"idle","requestId":"req-1","traceId":"trace-9"}` {
		t.Error(got)
	}
	c.feed(RUNDONE)
	c.eof()
	c.wantState("a", "pending")
}

func TestAsgard_C12_WhatThePageWasToldIsNeverChangedInPlace(t *testing.T) {
	c := newChannel(t)
	c.send("x")
	c.head()
	c.feed(INIT, MSTART("m"), MDELTA("m", "one"))
	out := string(c.s.Messages()[1].Parts[0].Text)
	c.feed(MDELTA("m", " two"), MCOMPLETE("m", "three"), RUNDONE)
	c.eof()
	if out != "one" {
		t.Errorf("an earlier text became %q", out)
	}
	c.wantTranscript("user: x\nassistant: three\n") // and the mirror agrees: see chat.finish
}

func TestAsgard_Q01_CallsAreAskedInOrderAndAnsweredInOneReply(t *testing.T) {
	c := paused(t, remove("a"), run("b", "ls"), run("c", "df"))
	for i, id := range []string{"a", "b", "c"} {
		conf := c.shown[id]
		if conf.CurrentIndex != i+1 || conf.TotalCount != 3 {
			t.Errorf("%s is %d of %d", id, conf.CurrentIndex, conf.TotalCount)
		}
	}
	c.wantOutcome(c.tap("c", "approve"), "staged")
	c.wantOutcome(c.tapWith("a", "deny", "keep it"), "staged")
	c.wantPosts(1)
	last := c.tap("b", "always")
	c.wantReply("a DENY_ONCE keep it\nb ALLOW_ALWAYS\nc ALLOW_ONCE\n")
	c.answer(INIT, remove("a").complete(`"denied"`, true), SAID("m", "ok"), RUNDONE)
	c.wantOutcome(last, "sent")
}

func TestAsgard_Q02_AnAllowedCallIsAnsweredBySilentAllowOnce(t *testing.T) {
	allowed := run("b", "ls")
	allowed.allowed = true
	c := paused(t, remove("a"), allowed)
	if got := c.waits(); got != "a" {
		t.Errorf("waits %q", got)
	}
	if conf := c.shown["b"]; conf.State == "pending" {
		t.Error("an allowed call was shown as a question")
	}
	c.tap("a", "approve")
	c.wantReply("a ALLOW_ONCE\nb ALLOW_ONCE\n")
}

func TestAsgard_Q03_AllowAlwaysAnswersLaterCallsOfTheSameToolInTheBatch(t *testing.T) {
	other := run("d", "rm")
	other.toolset = "prod-shell"
	c := paused(t, run("a", "ls"), run("b", "df"), remove("c"), other)
	c.tap("a", "always")
	if got := c.waits(); got != "c d" {
		t.Errorf("waits %q", got)
	}
	c.tap("c", "approve")
	c.tap("d", "approve")
	c.wantReply("a ALLOW_ALWAYS\nb ALLOW_ALWAYS\nc ALLOW_ONCE\nd ALLOW_ONCE\n")
	// The memory ends with the batch: the server keeps the list, not the client.
	c.answer(INIT, CONSENT("proc-1", run("e", "du")), RUNDONE)
	if got := c.waits(); got != "e" {
		t.Errorf("waits %q", got)
	}
}

func TestAsgard_Q04_AutomaticAnswersAreNeverShownAsQuestions(t *testing.T) {
	allowed := run("b", "ls")
	allowed.allowed = true
	c := newChannel(t)
	c.send("x")
	c.head()
	c.feed(INIT, CONSENT("p", remove("a"), allowed, run("c", "df"), run("d", "du")), RUNDONE)
	for _, conf := range c.asked {
		if conf.ToolCallID == "b" {
			t.Errorf("shown: %+v", conf)
		}
	}
	if conf := c.shown["c"]; conf.CurrentIndex != 3 || conf.TotalCount != 4 {
		t.Errorf("c is %d of %d, want 3 of 4: automatic ones count", conf.CurrentIndex, conf.TotalCount)
	}
	c.eof()
}

func TestAsgard_Q05_ADecisionNamesItsCall(t *testing.T) {
	c := paused(t, run("a", "ls"), remove("b"))
	c.tapWith("b", "deny", "no")
	c.wantState("a", "pending")
	c.tap("a", "approve")
	c.wantReply("a ALLOW_ONCE\nb DENY_ONCE no\n")
}

func TestAsgard_Q06_ARefusedReplyKeepsEarlierAnswersAndAsksTheLastOne(t *testing.T) {
	c := paused(t, run("a", "ls"), remove("b"), run("c", "df"))
	c.tapWith("a", "deny", "typed with care")
	c.tap("b", "approve")
	c.tapWith("c", "deny", "also typed")
	c.plain(409, `{"message":"busy"}`)
	c.wantRejoin()
	c.answer(BRACKET(run("a", "ls"), remove("b"), run("c", "df")))
	if got := c.waits(); got != "c" {
		t.Errorf("waits %q", got)
	}
	if conf := c.shown["c"]; conf.Reason != "also typed" || conf.Error == nil {
		t.Errorf("the reason is lost: %+v", conf)
	}
	c.wantPosts(2)
	c.tap("c", "approve")
	c.wantReply("a DENY_ONCE typed with care\nb ALLOW_ONCE\nc ALLOW_ONCE\n")
}

func TestAsgard_Q06_ABatchOfAutomaticAnswersIsNotSentAgainByItself(t *testing.T) {
	allowed := run("a", "ls")
	allowed.allowed = true
	c := newChannel(t)
	c.send("x")
	c.answer(PAUSE("p", allowed))
	c.wantReply("a ALLOW_ONCE\n")
	c.answer(INIT, RUNERR("no"))
	c.wantRejoin()
	c.answer(BRACKET(allowed))
	c.wantPosts(2)
	c.wantState("a", "pending")
	c.tap("a", "approve")
	c.wantReply("a ALLOW_ONCE\n")
}

func TestAsgard_Q07_ResetAndAnAnswerElsewhereDropTheBatchAndSendNothing(t *testing.T) {
	c := paused(t, remove("a"), run("b", "ls"))
	c.tap("a", "approve")
	reset := c.reset()
	c.plain(204, "")
	if c.s.Pending() || len(c.shown) != 0 {
		t.Errorf("the prompt is still there: %v", c.shown)
	}
	c.answer(INIT, SAID("m", "hello"), RUNDONE)
	c.wantResolved(reset)
	for _, r := range c.requests {
		if r.body.Action == "RESPONSE_TOOL_CALL_CONSENT" {
			t.Error("a reply was sent")
		}
	}
	c.wantTranscript("assistant: hello\n")
}

func TestAsgard_Q08_ABatchIsNewWhateverItsProcessID(t *testing.T) {
	for _, process := range []string{"proc-1", ""} {
		c := newChannel(t)
		c.send("x")
		c.answer(PAUSE(process, remove("a")))
		c.tap("a", "approve")
		c.answer(INIT, remove("a").complete("1", false), CONSENT(process, run("b", "ls")), RUNDONE)
		if got := c.waits(); got != "b" {
			t.Errorf("process %q: waits %q", process, got)
		}
		c.tap("b", "approve")
		c.wantReply("b ALLOW_ONCE\n")
		c.answer(INIT, SAID("m", "ok"), RUNDONE)
		c.wantState("b", "resolved")
	}
}

func TestAsgard_Q09_AReplyIsToldAsTakenOnceAndNeverAfterARefusal(t *testing.T) {
	c := paused(t, remove("a"))
	tap := c.tap("a", "approve")
	c.head()
	c.feed(INIT)
	c.wantState("a", "deciding")
	c.feed(SAID("m", "ok"))
	c.wantState("a", "resolved")
	c.wantOpen(tap) // the promise is that of the run
	c.feed(RUNDONE)
	c.eof()
	c.wantOutcome(tap, "sent")

	c = paused(t, remove("a"))
	c.tap("a", "approve")
	c.answer(INIT, RUNERR(refusalText))
	for _, conf := range c.asked {
		if conf.State == "approved" || conf.State == "resolved" {
			t.Errorf("told as taken: %+v", conf)
		}
	}
}

func TestAsgard_Q10_TwoQueuesOverOneSessionAnswerOnce(t *testing.T) {
	c := paused(t, remove("a"))
	c.decide(allow("a"))
	c.wantOutcome(c.decide(denyWith("a", "second modal")), "already-decided")
	c.wantPosts(2)
	c.wantReply("a ALLOW_ONCE\n")
}

func TestAsgard_Q11_APayloadRidesAlongWithRepliesAndNudges(t *testing.T) {
	c := paused(t, remove("a"))
	reply := c.ticket()
	c.put(func(c *chat) {
		c.s.Decide(reply, []session.Choice{allow("a")}, session.TurnOptions{Payload: []byte(`{"k":1}`)})
	})
	if got := string(c.last().wire.Body); !strings.Contains(got, `"text":"","payload":{"k":1},"toolCallConsents":[`) {
		t.Error(got)
	}
	c.answer(INIT, RUNDONE)
	nudge := c.ticket()
	c.put(func(c *chat) { c.s.Nudge(nudge, session.TurnOptions{Payload: []byte(`{"k":2}`)}) })
	if got := string(c.last().wire.Body); !strings.Contains(got, `{"action":"NUDGE","customChannelId":"ch","customMessageId":`) ||
		!strings.HasSuffix(got, `"text":"","payload":{"k":2}}`) {
		t.Error(got)
	}
	c.answer(INIT, RUNDONE)
}

func TestAsgard_Q12_ARefusedReplyRejectsToTheCallerAndIsToldOnce(t *testing.T) {
	c := paused(t, remove("a"))
	tap := c.tap("a", "approve")
	c.answer(INIT, RUNERR(refusalText))
	c.wantError(tap, session.CodeRefused)
	if len(c.failures) != 1 || c.failures[0] != session.CodeRefused {
		t.Errorf("failures %v", c.failures)
	}
}
