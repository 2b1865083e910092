package session_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/session"
)

// The faults W1 to W34 of the known client (contract asgard, section 11): each
// with its trigger there and the right outcome here. Elsewhere, because they are
// not about the session: W9 and W28 (the playground), W12's throwing function
// and W25 and W27 (the driver in web/), W29 to W33 (the card and its theme).

// refusals are the ways in which a reply is not accepted.
var refusals = map[string]func(c *chat){
	"in band":            func(c *chat) { c.answer(INIT, RUNERR(refusalText)) },
	"first event":        func(c *chat) { c.answer(INIT, RUNERR("no such pause")) },
	"without init":       func(c *chat) { c.answer(RUNERR("no such pause")) },
	"no frames":          func(c *chat) { c.answer() },
	"only heartbeats":    func(c *chat) { c.answer(": ping\n\n", ": ping\n\n") },
	"only the start":     func(c *chat) { c.answer(INIT) },
	"JSON with 200":      func(c *chat) { c.plain(200, `{"isSuccess":true}`) },
	"HTML with 200":      func(c *chat) { c.headOf(c.last().id, 200, "text/html"); c.feed("<html>"); c.eof() },
	"HTTP 409":           func(c *chat) { c.plain(409, `{"message":"`+refusalText+`"}`) },
	"HTTP 412":           func(c *chat) { c.plain(412, "") },
	"unreadable frames":  func(c *chat) { c.answer("data: {\n\n", "data: []\n\n") },
	"an error, unparsed": func(c *chat) { c.answer(INIT, asgardFrame("asgard.run.error", "runError", "7")) },
}

func TestAsgard_W01_ARefusalInsideTheStreamBringsThePromptBack(t *testing.T) {
	for name, refuse := range refusals {
		c := paused(t, remove("a"))
		tap := c.tap("a", "approve")
		refuse(c)
		if c.settled[tap].err == nil {
			t.Errorf("%s: the promise resolved", name)
		}
		if c.waits() != "a" || c.shown["a"].Error == nil {
			t.Errorf("%s: waits %q, card %+v", name, c.waits(), c.shown["a"])
		}
		c.wantError(c.send("y"), session.CodeAwaitingConsent)
		c.wantRejoin()
		c.answer(BRACKET(remove("a")))
		c.wantState("a", "pending")
		again := c.tap("a", "approve")
		c.wantReply("a ALLOW_ONCE\n")
		c.answer(INIT, SAID("m", "done"), RUNDONE)
		c.wantOutcome(again, "sent")
		c.wantPosts(3)
	}
}

func TestAsgard_W02_AnEmptyOrForeign200IsNoAcceptance(t *testing.T) {
	for name, want := range map[string]string{
		"no frames": session.CodeEmptyStream, "only heartbeats": session.CodeEmptyStream,
		"JSON with 200": session.CodeNotAStream, "HTML with 200": session.CodeNotAStream,
	} {
		c := paused(t, remove("a"))
		tap := c.tap("a", "approve")
		refusals[name](c)
		c.wantError(tap, want)
		c.wantState("a", "pending")
		c.wantCardError("a", want)
	}
}

func TestAsgard_W03_AnAcceptedReplyThatIsCutIsNotAskedAgainButReadAgain(t *testing.T) {
	c := paused(t, remove("a"))
	tap := c.tap("a", "approve")
	c.head()
	c.feed(INIT, MSTART("m"), MDELTA("m", "dele"))
	c.lost()
	c.wantError(tap, session.CodeStreamCut)
	c.wantState("a", "resolved")
	c.wantRejoin()
	c.answer(remove("a").complete("1", false), MCOMPLETE("m", "deleted"), RUNDONE)
	c.wantState("a", "resolved")
	c.wantStatus(session.Idle)
	c.wantPosts(2)
	c.send("next")
	c.wantPosts(3)

	c = paused(t, remove("a")) // and when the server does ask it again, it is asked
	c.tap("a", "approve")
	c.head()
	c.feed(INIT, MSTART("m"), MDELTA("m", "dele"))
	c.lost()
	c.answer(BRACKET(remove("a")))
	c.wantState("a", "pending")
}

func TestAsgard_W04_AnsweredInAnotherTabThePromptGoesAndTheGuardLifts(t *testing.T) {
	for name, refuse := range map[string]func(c *chat){
		"4xx": refusals["HTTP 412"], "in band": refusals["first event"],
	} {
		c := paused(t, remove("a"), run("b", "ls"))
		c.tap("a", "approve")
		c.tap("b", "approve")
		refuse(c)
		c.wantRejoin()
		c.answer(MCOMPLETE("m9", "done in the other tab"), RUNDONE)
		for _, id := range []string{"a", "b"} {
			if got := c.shown[id].State; got != "answered-elsewhere" {
				t.Errorf("%s: %s is %s", name, id, got)
			}
		}
		c.send("y")
		if c.last().body.Action != "NONE" {
			t.Errorf("%s: the guard holds", name)
		}
	}
	c := paused(t, remove("a")) // the tab looks, nobody has pressed anything here
	c.reread()
	c.head()
	c.feed(remove("a").complete("1", false))
	c.wantState("a", "answered-elsewhere")
	c.feed(RUNDONE)
	c.eof()
	c.wantResolved(c.stop())
	if c.s.Pending() {
		t.Error("the guard holds")
	}
	c = paused(t, remove("a")) // a decision that is made meanwhile comes to nothing
	c.reread()
	tap := c.tap("a", "approve")
	c.answer(RUNDONE)
	c.wantError(tap, session.CodeSuperseded)
	c.wantPosts(1)
	c = paused(t, remove("a")) // the whole channel is gone
	c.reread()
	c.plain(404, "")
	c.wantState("a", "expired")
	c = paused(t, remove("a")) // looking failed: nothing is known, the prompt stays
	c.reread()
	c.lost()
	c.wantState("a", "pending")
}

func TestAsgard_W05_TheSameProcessIDTwiceIsTwoBatches(t *testing.T) {
	for _, process := range []string{"proc-1", ""} {
		c := newChannel(t)
		c.send("x")
		c.answer(PAUSE(process, remove("a")))
		c.tap("a", "approve")
		c.head()
		c.feed(INIT, CONSENT(process, run("b", "ls")))
		tap := c.tap("b", "approve") // quicker than the terminal
		c.wantPosts(2)
		c.feed(RUNDONE)
		c.eof()
		c.wantReply("b ALLOW_ONCE\n")
		c.answer(INIT, CONSENT(process, run("b", "ls")), RUNDONE) // S7: the same call again
		c.wantOutcome(tap, "sent")
		c.wantState("b", "pending")
		c.tap("b", "deny")
		c.wantReply("b DENY_ONCE\n")
	}
}

func TestAsgard_W06_ADoubleClickCannotAnswerTheNextCall(t *testing.T) {
	c := paused(t, run("a", "ls"), remove("b"))
	c.tap("a", "always")
	c.wantOutcome(c.tap("a", "always"), "already-decided")
	c.wantState("b", "pending")
	c.wantPosts(1)
}

func TestAsgard_W07_ToolsetAndToolAreAPairAndNeverAJoinedKey(t *testing.T) {
	first := aCall{id: "a", toolset: "a", name: "b/c", parameter: "{}"}
	second := aCall{id: "b", toolset: "a/b", name: "c", parameter: "{}"}
	c := paused(t, first, second)
	c.tap("a", "always")
	c.wantState("b", "pending")
	c.tap("b", "deny")
	c.wantReply("a ALLOW_ALWAYS\nb DENY_ONCE\n")
}

func TestAsgard_W08_TheModelsReasonIsNotTheNameOfTheTool(t *testing.T) {
	call := remove("a")
	call.reason = "Just list the posts, nothing is changed"
	c := paused(t, call)
	if conf := c.shown["a"]; conf.ToolName != "delete_post" || conf.Toolset != "posts" || conf.ModelReason != call.reason {
		t.Errorf("%+v", conf)
	}
	shown, err := c.s.AppendArguments(nil, "a", false)
	if err != nil || !strings.Contains(string(shown), `"raw":"{\"post_id\":2}"`) {
		t.Errorf("arguments %s, %v", shown, err)
	}
}

func TestAsgard_W10_AnEarlyReplyWaitsForTheEndOfTheRun(t *testing.T) {
	allowed := run("a", "ls")
	allowed.allowed = true
	for _, call := range []aCall{remove("a"), allowed} {
		c := newChannel(t)
		sent := c.send("x")
		c.head()
		c.feed(INIT, CONSENT("p", call))
		if !call.allowed {
			c.tap("a", "approve")
		}
		c.wantPosts(1)
		c.feed(RUNDONE)
		c.wantPosts(1)
		c.eof()
		c.wantPosts(2)
		c.wantOpen(sent)
		c.head()
		c.feed(INIT, SAID("m", "ok"))
		c.wantError(c.send("third"), session.CodeBusy)
		c.feed(RUNDONE)
		c.eof()
		c.wantResolved(sent)
	}
}

func TestAsgard_W11_NothingPendingNothingSentAndTwiceIsOnce(t *testing.T) {
	c := newChannel(t)
	c.wantOutcome(c.tap("a", "approve"), "not-pending")
	c.decide()
	if len(c.requests) != 0 {
		t.Fatal("something was sent")
	}
	c = paused(t, remove("a"))
	first, second := c.decide(allow("a")), c.decide(allow("a"))
	c.wantPosts(2)
	c.answer(INIT, RUNDONE)
	c.wantOutcome(first, "sent")
	c.wantOutcome(second, "already-decided")
	c.wantPosts(2)
}

func TestAsgard_W12_ARequestThatCannotBeMadeTakesNothingAway(t *testing.T) {
	c := paused(t, remove("a"))
	tap := c.tap("a", "approve")
	c.end(c.last().id, session.RequestFailed, "the payload threw")
	c.wantError(tap, session.CodeRequestFailed)
	c.wantState("a", "pending")
	c.wantError(c.send("y"), session.CodeAwaitingConsent)

	c = newChannel(t)
	sent := c.send("x")
	c.end(c.last().id, session.RequestFailed, "the payload threw")
	c.wantError(sent, session.CodeRequestFailed)
	c.wantTranscript("") // no bubble of a turn that never left
}

func TestAsgard_W13_AnEmptyBatchSendsNothing(t *testing.T) {
	c := newChannel(t)
	sent := c.send("x")
	c.answer(INIT, CONSENT("p"), RUNDONE)
	c.wantResolved(sent)
	c.wantPosts(1)
	if c.s.Pending() {
		t.Error("an empty batch holds the channel")
	}
}

func TestAsgard_W14_ARefusalKeepsTheEarlierAnswersAndReasons(t *testing.T) {
	for name, refuse := range refusals {
		c := paused(t, run("a", "ls"), remove("b"), run("c", "df"))
		c.tapWith("a", "deny", "not that one")
		c.tap("b", "approve")
		c.tapWith("c", "deny", "nor that")
		refuse(c)
		if len(c.requests) == 3 {
			c.answer(BRACKET(run("a", "ls"), remove("b"), run("c", "df")))
		}
		if got := c.waits(); got != "c" || c.shown["c"].Reason != "nor that" {
			t.Errorf("%s: waits %q with %q", name, got, c.shown["c"].Reason)
		}
		c.tapWith("c", "deny", "nor that")
		c.wantReply("a DENY_ONCE not that one\nb ALLOW_ONCE\nc DENY_ONCE nor that\n")
	}
}

func TestAsgard_W15_StopLiftsThePrompt(t *testing.T) {
	c := newChannel(t) // while the run is on
	sent := c.send("x")
	stream := c.last().id
	c.head()
	c.feed(INIT, CONSENT("p", remove("a")))
	c.stop()
	c.plain(200, "")
	c.wantState("a", "pending")
	c.feedTo(stream, RUNERR("cancelled"))
	c.end(stream, session.EOF, "")
	c.wantResolved(sent)
	c.wantState("a", "expired")
	c.send("y")
	c.wantPosts(3)

	c = paused(t, remove("a"), run("b", "ls")) // while only the prompt is there
	c.tap("a", "approve")
	stop := c.stop()
	if got := c.last().wire.Path; got != "/message/suspend?custom_channel_id=ch" {
		t.Error(got)
	}
	c.plain(200, "")
	c.wantResolved(stop)
	c.wantState("a", "expired")
	c.wantState("b", "expired")
	if c.s.Pending() {
		t.Error("the guard holds")
	}

	c = paused(t, remove("a")) // the stop fails: the prompt stays
	stop = c.stop()
	c.plain(500, "")
	c.wantError(stop, session.CodeHTTPStatus)
	c.wantState("a", "pending")

	c = paused(t, remove("a")) // the server has nothing to stop: what is true is read
	c.stop()
	c.plain(404, "")
	c.wantRejoin()
	c.answer(RUNDONE)
	c.wantState("a", "answered-elsewhere")
}

func TestAsgard_W16_AConsentInARunThatFailsIsReadAgain(t *testing.T) {
	c := newChannel(t)
	sent := c.send("x")
	c.answer(INIT, CONSENT("p", remove("a")), RUNERR("the model broke"))
	c.wantError(sent, "FAILED_PRECONDITION")
	c.wantState("a", "pending") // not known yet, so it stays
	c.wantRejoin()
	c.answer(RUNDONE)
	c.wantState("a", "answered-elsewhere")
	c.send("y")
	c.wantPosts(2)

	c = newChannel(t)
	c.send("x")
	c.answer(INIT, CONSENT("p", remove("a")), RUNERR("the model broke"))
	c.answer(BRACKET(remove("a")))
	c.wantState("a", "pending")
}

func TestAsgard_W17_AReplacedPromptIsSeenToHaveEnded(t *testing.T) {
	c := newChannel(t)
	c.send("x")
	c.head()
	c.feed(INIT, CONSENT("p", remove("a"), run("b", "ls")))
	c.tap("a", "approve") // staged, not sent
	c.feed(CONSENT("p", run("d", "du")), RUNDONE)
	c.eof()
	for _, id := range []string{"a", "b"} {
		c.wantState(id, "expired")
		c.wantCardError(id, session.CodeSuperseded)
	}
	c.tap("d", "approve")
	c.wantReply("d ALLOW_ONCE\n")
}

func TestAsgard_W18_ResetWhileAPromptIsUp(t *testing.T) {
	c := paused(t, remove("a"))
	reset := c.reset()
	c.plain(204, "")
	c.wantOutcome(c.tap("a", "approve"), "not-pending")
	c.answer(INIT, SAID("m", "hello"), RUNDONE)
	c.wantResolved(reset)
	c.wantPosts(2)
}

func TestAsgard_W19_HeartbeatsAreHarmless(t *testing.T) {
	for _, beat := range []string{": ping\n\n", ":\n\n", "event: ping\n\n", "data:\n\n", "data: \n\n", "\n\n", "retry: 1000\n\n", "event: ping\ndata:\n\n"} {
		c := newChannel(t)
		sent := c.send("x")
		c.head()
		c.feed(beat, beat, withID("3", INIT), beat, MSTART("m"), beat, MDELTA("m", "hi"), beat, CONSENT("p", remove("a")), beat, RUNDONE, beat)
		c.eof()
		c.wantResolved(sent)
		c.wantState("a", "pending")
		if len(c.warnings) != 0 || len(c.requests) != 1 {
			t.Errorf("%q: warnings %v, %d requests", beat, c.warnings, len(c.requests))
		}
	}
}

func TestAsgard_W20_ABadFrameIsReportedAndSkipped(t *testing.T) {
	for name, bad := range map[string]string{
		"no JSON":             "data: {\"eventType\":\n\n",
		"no object":           "data: [1]\n\n",
		"no type":             bare("", "runInit", "{}"),
		"type twice":          "data: {\"eventType\":\"asgard.run.done\",\"eventType\":\"asgard.run.init\",\"fact\":{}}\n\n",
		"fact twice":          "data: {\"eventType\":\"asgard.message.delta\",\"fact\":{},\"fact\":{}}\n\n",
		"message is a list":   bare("asgard.message.delta", "messageDelta", "[]"),
		"message without id":  bare("asgard.message.delta", "messageDelta", `{"message":{"text":"x"}}`),
		"call without name":   bare("asgard.tool_call.start", "toolCallStart", `{"toolUseId":"z","toolCall":{"parameter":{}}}`),
		"consent is null":     bare("asgard.tool_call.consent", "toolCallConsent", "null"),
		"calls is an object":  bare("asgard.tool_call.consent", "toolCallConsent", `{"pendingCalls":{}}`),
		"call without id":     bare("asgard.tool_call.consent", "toolCallConsent", `{"pendingCalls":[{"toolName":"t","parameter":{}}]}`),
		"calls twice":         bare("asgard.tool_call.consent", "toolCallConsent", `{"pendingCalls":[],"pendingCalls":[]}`),
		"arguments twice":     bare("asgard.tool_call.consent", "toolCallConsent", `{"pendingCalls":[{"toolCallId":"z","toolName":"t","parameter":{},"parameter":{}}]}`),
		"one of two is wrong": bare("asgard.tool_call.consent", "toolCallConsent", `{"pendingCalls":[`+remove("z").pending()+`,{}]}`),
	} {
		c := newChannel(t)
		sent := c.send("x")
		c.answer(INIT + bad + SAID("m", "still here") + CONSENT("p", remove("a")) + RUNDONE)
		c.wantResolved(sent)
		c.wantState("a", "pending")
		if _, shown := c.shown["z"]; shown || len(c.warnings) != 1 || len(c.requests) != 1 {
			t.Errorf("%s: shown %v, warnings %v, %d requests", name, shown, c.warnings, len(c.requests))
		}
	}
}

func TestAsgard_W21_AConsentIsNotLostByACutRightBehindIt(t *testing.T) {
	c := newChannel(t)
	c.send("x")
	c.head()
	c.feed(INIT, CONSENT("p", remove("a")))
	c.lost()
	c.wantState("a", "pending")
	c.wantRejoin()
	c.lost() // and looking fails too
	c.tap("a", "approve")
	c.wantReply("a ALLOW_ONCE\n")

	c = newChannel(t) // cut before the blank line, but whole
	c.send("x")
	c.head()
	c.feed(INIT, strings.TrimSuffix(CONSENT("p", remove("a")), "\n\n"))
	c.lost()
	c.wantState("a", "pending")

	c = newChannel(t) // cut inside: nothing is made of it
	c.send("x")
	c.head()
	whole := CONSENT("p", remove("a"))
	c.feed(INIT, whole[:len(whole)-20])
	c.lost()
	if len(c.shown) != 0 {
		t.Errorf("shown %v", c.shown)
	}
}

func TestAsgard_W22_ResumptionIsBoundedAndSeen(t *testing.T) {
	c := newChannel(t)
	sent := c.send("x")
	c.head()
	c.feed(withID("1", INIT), MSTART("m"), MDELTA("m", "x"))
	c.lost()
	tries := 0
	for _, settled := c.settled[sent]; !settled && tries < 50; _, settled = c.settled[sent] {
		if got := c.note("runStatus"); !strings.Contains(got, `"resuming":true`) {
			t.Fatalf("not seen: %s", got)
		}
		c.resumed()
		tries++
		c.lost()
	}
	if tries != 8 {
		t.Errorf("%d tries", tries)
	}
	c.wantError(sent, session.CodeNetwork)
	c.wantRejoin()
	c.lost()
	c.wantStatus(session.Failed)
	if len(c.failures) != 1 {
		t.Errorf("failures %v", c.failures)
	}
}

func TestAsgard_W23_AnEmptyIDNeverLeadsToASecondPost(t *testing.T) {
	for _, empty := range []string{"id:\n", "id: \n", "id\n"} {
		c := paused(t, remove("a"))
		c.tap("a", "approve")
		c.head()
		c.feed(withID("1", INIT), empty+MSTART("m"))
		c.lost()
		c.wantPosts(2)
		c.wantRejoin()
	}
}

func TestAsgard_W24_ATruncatedStreamIsNoSuccess(t *testing.T) {
	c := newChannel(t)
	sent := c.send("x")
	c.answer(INIT, SAID("m", "half of the work"))
	c.wantError(sent, session.CodeStreamCut)
	if len(c.failures) != 1 {
		t.Errorf("failures %v", c.failures)
	}
}

func TestAsgard_W26_CloseInTheMiddleSettlesThePromise(t *testing.T) {
	c, sent, _ := running(t)
	c.close()
	if _, ok := c.settled[sent]; !ok {
		t.Error("the promise hangs")
	}
	c = paused(t, remove("a"))
	tap := c.tap("a", "approve")
	c.close()
	c.wantError(tap, session.CodeClosed)
}

func TestAsgard_W34_ADeltaCostsNothingOfTheHistory(t *testing.T) {
	changes := func(history int) int {
		c := newChannel(t)
		c.reread()
		c.head()
		for i := range history {
			c.feed(MCOMPLETE("h"+strconv.Itoa(i), "x"))
		}
		c.feed(RUNDONE)
		c.eof()
		c.send("x")
		c.head()
		before := len(c.kinds)
		c.feed(MSTART("m"))
		for range 50 {
			c.feed(MDELTA("m", "x"))
		}
		return len(c.kinds) - before
	}
	if few, many := changes(1), changes(200); few != many {
		t.Errorf("%d changes after 1 message, %d after 200", few, many)
	}
}

// A batch whose announcement and question contradict each other can only be
// denied (security S37): what was shown first is what a person would read.
func TestAsgard_S37_AContradictionBlocksApprovalAndNoGrantSpeaksForIt(t *testing.T) {
	announced := remove("a")
	asked := announced
	asked.parameter = `{"post_id":7}`
	asked.allowed = true
	c := newChannel(t)
	c.send("x")
	c.answer(INIT, announced.start(), CONSENT("p", asked), RUNDONE)
	c.wantState("a", "pending")
	c.wantError(c.tap("a", "approve"), session.CodeConflict)
	c.wantPosts(1)
	c.tapWith("a", "deny", "which one?")
	c.wantReply("a DENY_ONCE which one?\n")
}

func TestAsgard_S46_OnlyAPlainTrueIsAnAllowance(t *testing.T) {
	for _, allowed := range []string{`"true"`, `1`, `null`, `{}`, `true,"alreadyAllowed":true`, `true,"alreadyAllowed":false`, `false,"AlreadyAllowed":true`} {
		call := strings.Replace(remove("a").pending(), `"alreadyAllowed":false`, `"alreadyAllowed":`+allowed, 1)
		c := newChannel(t)
		c.send("x")
		c.answer(INIT, bare("asgard.tool_call.consent", "toolCallConsent", `{"processId":"p","pendingCalls":[`+call+`]}`), RUNDONE)
		if c.waits() != "a" || len(c.requests) != 1 {
			t.Errorf("%s: waits %q", allowed, c.waits())
		}
	}
}

// A refused turn is not a turn (issue 4, guard): the prompt that the server
// holds is fetched, and the person's words are not in the thread.
func TestAsgard_C04_ATurnThatAPausedServerRefusesLeavesNoTrace(t *testing.T) {
	for name, refuse := range map[string]func(c *chat){
		"in band": func(c *chat) { c.answer(INIT, RUNERR(refusalText)) },
		"inner": func(c *chat) {
			c.answer(INIT, asgardFrame("asgard.run.error", "runError", `{"error":{"message":"refused","inner":"use RespondToolCallConsent"}}`))
		},
		"HTTP": func(c *chat) { c.plain(400, `{"message":"use RespondToolCallConsent"}`) },
	} {
		c := newChannel(t)
		sent := c.send("hello?")
		refuse(c)
		c.wantError(sent, session.CodeConfirmationNeeded)
		c.wantRejoin()
		c.answer(MUSER("u", "", "delete"), BRACKET(remove("a")))
		if c.waits() != "a" || strings.Contains(c.transcript(), "hello?") {
			t.Errorf("%s: waits %q in %s", name, c.waits(), c.transcript())
		}
	}
}

// Both forms of a frame mean the same: every fact key with null, or one key.
func TestAsgard_C01_NullAndAbsentFactKeysMeanTheSame(t *testing.T) {
	with := paused(t, remove("a"))
	without := newChannel(t)
	without.send("x")
	without.answer(
		bare("asgard.run.init", "runInit", "{}"),
		bare("asgard.tool_call.start", "toolCallStart", `{"toolUseId":"a","toolCall":`+remove("a").tool()+`}`),
		bare("asgard.tool_call.consent", "toolCallConsent", `{"processId":"proc-1","pendingCalls":[`+remove("a").pending()+`]}`),
		"data: {\"eventType\":\"asgard.run.done\"}\n\n",
	)
	if a, b := with.transcript(), without.transcript(); a != b {
		t.Errorf("%s%s", a, b)
	}
	if a, b := with.waits(), without.waits(); a != b {
		t.Errorf("%q %q", a, b)
	}
}

func TestAsgard_C10_AnyChunkingGivesTheSame(t *testing.T) {
	whole := withID("1", PAUSE("p", remove("a"), run("b", "ls"))) + ": beat\n\n"
	for size := 1; size < 40; size += 3 {
		c := newChannel(t)
		c.send("x")
		c.head()
		for rest := whole; rest != ""; {
			n := min(size, len(rest))
			c.feed(rest[:n])
			rest = rest[n:]
		}
		c.eof()
		if got := c.waits(); got != "a b" {
			t.Errorf("chunks of %d: waits %q", size, got)
		}
	}
}

func TestAsgard_W23_AReplyWithoutAnAnswerIsLookedUpAndNotRepeated(t *testing.T) {
	c := newChannel(t, patient) // a session that would try a decision again where it may
	c.send("x")
	c.answer(PAUSE("proc-1", remove("a")))
	tap := c.tap("a", "approve")
	c.lost()
	c.wantPosts(2)
	c.wantError(tap, session.CodeNetwork)
	c.wantState("a", "pending")
	c.wantRejoin()
	c.answer(remove("a").complete("1", false), MCOMPLETE("m", "deleted"), RUNDONE) // it had arrived
	if c.s.Pending() {
		t.Errorf("still asked: %+v", c.shown["a"])
	}
	c.wantPosts(2)
	c.wantTranscript("user: x\nassistant: call a result a 1\nassistant: deleted\n")
}

func TestAsgard_R20_ADecisionDoesNotWaitForAReadingThatHangs(t *testing.T) {
	c := paused(t, remove("a"))
	c.tap("a", "approve")
	c.plain(412, "")
	c.wantRejoin() // and the server says nothing
	again := c.tap("a", "deny")
	c.wantReply("a DENY_ONCE\n")
	c.answer(INIT, RUNDONE)
	c.wantOutcome(again, "sent")

	c = paused(t, remove("a")) // one that the page has asked for is waited for
	reread := c.reread()
	c.tap("a", "deny")
	c.wantRejoin()
	c.answer(BRACKET(remove("a")))
	c.wantResolved(reread)
	c.wantReply("a DENY_ONCE\n")
}

func TestAsgard_R08_AMessageThatWasCutIsToldAgainFromItsBeginning(t *testing.T) {
	c := newChannel(t)
	c.send("x")
	c.head()
	c.feed(withID("1", INIT), MSTART("m"), MDELTA("m", "hal"))
	c.lost()
	c.resumed()
	c.head()
	c.feed(MSTART("m"), MDELTA("m", "half "))
	c.wantTranscript("user: x\nassistant: half \n")
	c.feed(MDELTA("m", "and half"), withID("2", MCOMPLETE("m", "half and half")), RUNDONE)
	c.eof()
	c.wantTranscript("user: x\nassistant: half and half\n")
}
