package session_test

import (
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/session"
)

// The life of a channel: L of contract asgard, section 3.

func TestAsgard_L01_OpeningSendsOneTurnWithoutWordsAndANewSessionSendsNothing(t *testing.T) {
	c := newChannel(t)
	if len(c.requests) != 0 {
		t.Error("a new session sent something")
	}
	opened := c.openChannel()
	if got := string(c.last().wire.Body); got != `{"action":"NONE","customChannelId":"ch","text":""}` {
		t.Error(got)
	}
	if got := c.note("runStatus"); !strings.HasPrefix(got, `{"kind":"reset"`) {
		t.Error(got)
	}
	c.answer(INIT, SAID("m", "hello"), RUNDONE)
	c.wantResolved(opened)
	c.wantTranscript("assistant: hello\n")
}

func TestAsgard_L01_ResetDeletesThenOpens(t *testing.T) {
	c := newChannel(t)
	c.send("x")
	c.answer(INIT, SAID("m1", "old"), RUNDONE)
	reset := c.reset()
	if w := c.last().wire; w.Method != "DELETE" || w.Path != "/channel?custom_channel_id=ch" || w.Body != nil {
		t.Errorf("%s %s", w.Method, w.Path)
	}
	c.wantTranscript("user: x\nassistant: old\n") // nothing changes before the server has agreed
	busy := c.send("too early")
	c.wantError(busy, session.CodeBusy)
	if kind := c.settled[busy].err.RunKind; kind != "reset" {
		t.Errorf("run kind %q", kind)
	}
	c.plain(204, "")
	c.wantTranscript("")
	if got := string(c.last().wire.Body); got != `{"action":"NONE","customChannelId":"ch","text":""}` {
		t.Error(got)
	}
	c.wantOpen(reset)
	c.answer(INIT, SAID("m2", "new"), RUNDONE)
	c.wantResolved(reset)
	c.wantTranscript("assistant: new\n")
}

func TestAsgard_L01_AResetThatFailsChangesNothing(t *testing.T) {
	c := paused(t, remove("a"))
	before := c.transcript()
	reset := c.reset()
	c.plain(500, "")
	c.wantError(reset, session.CodeHTTPStatus)
	if c.transcript() != before || c.waits() != "a" {
		t.Errorf("changed: %s waits %q", c.transcript(), c.waits())
	}
	c.tap("a", "approve")
	c.wantReply("a ALLOW_ONCE\n")
}

func TestAsgard_L01_ADecisionMadeDuringAFailingResetIsSent(t *testing.T) {
	c := paused(t, remove("a"))
	reset := c.reset()
	id := c.last().id
	tap := c.tap("a", "approve")
	c.wantPosts(1)
	c.headOf(id, 503, "text/plain")
	c.end(id, session.EOF, "")
	c.wantError(reset, session.CodeHTTPStatus)
	c.wantReply("a ALLOW_ONCE\n")
	c.answer(INIT, RUNDONE)
	c.wantOutcome(tap, "sent")
}

func TestAsgard_L01_ASvedaChatCannotBeReset(t *testing.T) {
	c := newChat(t)
	c.wantError(c.reset(), session.CodeUnsupported)
}

func TestAsgard_L01_RestoreNeitherDeletesNorDispatches(t *testing.T) {
	c := newChannel(t)
	restored := c.restore(false)
	if w := c.last().wire; w.Method != "GET" || w.Path != "/channel/metadata?custom_channel_id=ch" {
		t.Errorf("%s %s", w.Method, w.Path)
	}
	c.plain(200, `{"title":"Posts","runState":"IDLE"}`)
	c.wantRejoin()
	c.answer(MUSER("u", "", "x"), MCOMPLETE("m", "hi"), RUNDONE)
	c.wantResolved(restored)
	if got := c.settled[restored].data; got != `{"exists":true}` {
		t.Error(got)
	}
	c.wantPosts(0)
	c.wantTranscript("user: x\nassistant: hi\n")
}

func TestAsgard_L02_AConsentOfTheOpeningRunCanBeAnsweredAndAFailureRejects(t *testing.T) {
	c := newChannel(t)
	opened := c.openChannel()
	c.head()
	c.feed(INIT, CONSENT("p", remove("a")))
	c.wantState("a", "pending") // before the first run ends
	c.tap("a", "approve")
	c.wantPosts(1) // it goes when the run has ended
	c.feed(RUNDONE)
	c.eof()
	c.wantReply("a ALLOW_ONCE\n")
	c.answer(INIT, RUNDONE)
	c.wantResolved(opened)

	failed := newChannel(t)
	opened = failed.openChannel()
	failed.answer(INIT, RUNERR("no such agent"))
	failed.wantError(opened, "FAILED_PRECONDITION")

	failed = newChannel(t)
	restored := failed.restore(false)
	failed.plain(200, `{}`)
	failed.answer(INIT, RUNERR("broken"))
	failed.wantError(restored, "FAILED_PRECONDITION")
}

func TestAsgard_L03_EachRunHasItsKind(t *testing.T) {
	c := newChannel(t)
	kind := func(want string) {
		t.Helper()
		if want != "null" {
			want = `"` + want + `"`
		}
		if got := c.note("runStatus"); !strings.HasPrefix(got, `{"kind":`+want+`,`) {
			t.Errorf("run status %s, want kind %s", got, want)
		}
	}
	c.openChannel()
	kind("reset")
	c.answer(INIT, RUNDONE)
	kind("null")
	c.send("x")
	kind("user")
	c.answer(INIT, RUNDONE)
	c.nudge()
	kind("nudge")
	c.wantError(c.send("y"), session.CodeBusy)
	c.answer(PAUSE("p", remove("a")))
	c.tap("a", "approve")
	kind("user")
	c.answer(INIT, RUNDONE)
	c.reread()
	kind("replay") // the default when the run state is not known
	c.answer(INIT, RUNDONE)
	c.restore(false)
	c.plain(200, `{"data":{"runState":"RUNNING","title":"t"}}`)
	kind("restore")
	c.answer(INIT, RUNDONE)
	c.restore(false)
	c.plain(200, `{"runState":"IDLE"}`)
	kind("replay")
	c.answer(INIT, RUNDONE)
	kind("null")
}

func TestAsgard_L04_TheStatusIsBusyFromDispatchToTheEndOfTheStream(t *testing.T) {
	c := newChannel(t)
	c.send("x")
	c.wantStatus(session.Submitted)
	c.head()
	c.feed(INIT, RUNDONE)
	c.wantStatus(session.Streaming) // the terminal event is not the end
	c.eof()
	c.wantStatus(session.Idle)
}

func TestAsgard_L05_OneRunAtATime(t *testing.T) {
	c := newChannel(t)
	c.send("x")
	for _, busy := range []session.Ticket{c.send("y"), c.nudge(), c.openChannel(), c.restore(false)} {
		c.wantError(busy, session.CodeBusy)
		if err := c.settled[busy].err; err.RunKind != "user" || !strings.Contains(string(err.AppendJSON(nil)), `"runKind":"user"`) {
			t.Errorf("run kind %q", err.RunKind)
		}
	}
	c.head()
	c.feed(INIT)
	c.stop()
	c.wantError(c.send("while stopping"), session.CodeBusy)
	c.plain(200, "")
	c.wantError(c.send("while stopping"), session.CodeBusy)
}

func TestAsgard_L06_ARefusedSendLeavesNoBubbleAndNoRequest(t *testing.T) {
	c := newChannel(t)
	c.send("x")
	before, requests, changes := c.transcript(), len(c.requests), len(c.kinds)
	c.wantError(c.send("y"), session.CodeBusy)
	if c.transcript() != before || len(c.requests) != requests || len(c.kinds) != changes {
		t.Error("a refused send left a trace")
	}
}

// The known client looks at the run first. Here the prompt is looked at first
// (design rule 4): the answer to "why not" stays the same while the run ends.
func TestAsgard_L07_ThePromptIsLookedAtBeforeTheRun(t *testing.T) {
	c := newChannel(t)
	c.send("x")
	c.head()
	c.feed(INIT, CONSENT("p", remove("a")))
	c.wantError(c.send("y"), session.CodeAwaitingConsent)
	c.feed(RUNDONE)
	c.eof()
	c.wantError(c.send("y"), session.CodeAwaitingConsent)
}

func TestAsgard_L08_TheRunIsNamedByItsFirstFrameThatNamesOne(t *testing.T) {
	c := newChannel(t)
	c.send("x")
	c.head()
	c.feed("data: {\"eventType\":\"asgard.run.init\",\"fact\":{}}\n\n")
	c.feed("data: {\"eventType\":\"asgard.process.start\",\"requestId\":\"r-7\",\"fact\":{}}\n\n")
	c.feed("data: {\"eventType\":\"asgard.process.complete\",\"requestId\":\"r-8\",\"fact\":{}}\n\n")
	c.stop()
	if got := c.last().wire.Path; got != "/message/suspend?custom_channel_id=ch&request_id=r-7" {
		t.Error(got)
	}
}

// running is a channel in a run that has begun to answer.
func running(t *testing.T) (c *chat, sent session.Ticket, stream int) {
	c = newChannel(t)
	sent = c.send("x")
	stream = c.last().id
	c.head()
	c.feed(INIT, remove("a").start(), MSTART("m"), MDELTA("m", "I will"))
	return c, sent, stream
}

func (c *chat) wantPhase(want string) {
	c.t.Helper()
	if got := c.note("runStatus"); !strings.Contains(got, `"stopPhase":"`+want+`"`) {
		c.t.Errorf("run status %s, want stop phase %s", got, want)
	}
}

func TestAsgard_L09_StopAsksTheServerAndTheTerminalSettlesIt(t *testing.T) {
	c, sent, stream := running(t)
	stop := c.stop()
	c.wantPhase("stopping")
	c.wantOpen(stop)
	c.plain(202, "")
	c.wantResolved(stop)
	c.wantOpen(sent)
	c.wantPhase("stopping") // accepted is not stopped
	requests := len(c.requests)
	c.wantResolved(c.stop()) // a second press changes nothing
	if len(c.requests) != requests {
		t.Error("a second press asked again")
	}
	c.feedTo(stream, MDELTA("m", " delete it"), RUNDONE)
	c.end(stream, session.EOF, "")
	c.wantResolved(sent)
	c.wantPhase("idle")
	c.wantStatus(session.Idle)
	if got := c.transcript(); !strings.Contains(got, "I will delete it") || !strings.Contains(got, "result a") {
		t.Errorf("what arrived is kept and open calls are closed: %s", got)
	}
}

func TestAsgard_L09_AStoppedRunThatEndsWithAnErrorIsNoFailure(t *testing.T) {
	c, sent, stream := running(t)
	c.stop()
	c.plain(200, "")
	c.feedTo(stream, RUNERR("cancelled"))
	c.end(stream, session.EOF, "")
	c.wantResolved(sent)
	c.wantStatus(session.Idle)
	if len(c.failures) != 0 {
		t.Errorf("failures %v", c.failures)
	}
}

func TestAsgard_L09_AfterTenSecondsItMayBeForced(t *testing.T) {
	c, sent, stream := running(t)
	c.stop()
	c.plain(200, "")
	c.fire(10_000)
	c.wantPhase("force-stoppable")
	force := c.force()
	if got := c.last().wire.Path; got != "/message/suspend?custom_channel_id=ch&request_id=req-1&force=true" {
		t.Error(got)
	}
	c.plain(200, "")
	c.wantResolved(force)
	c.wantResolved(sent)
	c.wantStatus(session.Idle)
	if len(c.aborted) != 1 || c.aborted[0] != stream {
		t.Errorf("aborted %v", c.aborted)
	}
}

func TestAsgard_L09_AStopThatFailsIsRolledBack(t *testing.T) {
	c, sent, stream := running(t)
	stop := c.stop()
	c.plain(500, "")
	c.wantError(stop, session.CodeHTTPStatus)
	c.wantPhase("idle")
	c.wantOpen(sent)
	stop = c.stop()
	c.lost()
	c.wantError(stop, session.CodeNetwork)
	c.wantPhase("idle")
	c.feedTo(stream, RUNDONE)
	c.end(stream, session.EOF, "")
	c.wantResolved(sent)
}

func TestAsgard_L09_NothingToStopIsNoFailure(t *testing.T) {
	c, _, stream := running(t)
	stop := c.stop()
	c.plain(404, "")
	c.wantResolved(stop)
	c.feedTo(stream, RUNDONE)
	c.end(stream, session.EOF, "")

	idle := newChannel(t)
	idle.wantResolved(idle.stop())
	if len(idle.requests) != 0 {
		t.Error("an idle channel was stopped")
	}

	replay := newChannel(t)
	reread := replay.reread()
	replay.head()
	replay.feed(MUSER("u", "", "x"))
	replay.stop()
	if got := replay.last().wire.Path; got != "/message/suspend?custom_channel_id=ch" {
		t.Error(got) // the names in a replay are those of old runs
	}
	replay.plain(404, "")
	replay.wantResolved(reread)
	replay.wantStatus(session.Idle)
}

func TestAsgard_L10_CloseEndsTheRunAndSettlesEveryPromise(t *testing.T) {
	for name, begin := range map[string]func(c *chat) session.Ticket{
		"send":    func(c *chat) session.Ticket { return c.send("x") },
		"restore": func(c *chat) session.Ticket { return c.restore(false) },
		"reset":   func(c *chat) session.Ticket { return c.reset() },
		"rejoin":  func(c *chat) session.Ticket { return c.reread() },
	} {
		c := newChannel(t)
		promise := begin(c)
		id := c.last().id
		c.close()
		if _, ok := c.settled[promise]; !ok || len(c.aborted) != 1 || c.aborted[0] != id {
			t.Errorf("%s: settled %v, aborted %v", name, ok, c.aborted)
		}
		for _, after := range []session.Ticket{c.send("y"), c.nudge(), c.reset(), c.restore(true)} {
			c.wantError(after, session.CodeClosed)
		}
	}
}

func TestAsgard_L11_OnlyA404MeansThatThereIsNoChannel(t *testing.T) {
	c := newChannel(t)
	absent := c.restore(false)
	c.plain(404, "")
	c.wantResolved(absent)
	if got := c.settled[absent].data; got != `{"exists":false}` {
		t.Error(got)
	}
	created := c.restore(true)
	c.plain(404, "")
	if got := string(c.last().wire.Body); got != `{"action":"NONE","customChannelId":"ch","text":""}` {
		t.Error(got)
	}
	c.answer(INIT, SAID("m", "hello"), RUNDONE)
	c.wantResolved(created)

	for _, fail := range []func(c *chat){
		func(c *chat) { c.plain(500, "") }, func(c *chat) { c.plain(403, "") }, func(c *chat) { c.lost() },
		func(c *chat) { c.plain(200, "<html>") }, func(c *chat) { c.plain(200, "") }, func(c *chat) { c.plain(200, "[]") },
	} {
		c := newChannel(t)
		restored := c.restore(true)
		fail(c)
		if c.settled[restored].err == nil {
			t.Errorf("read as %s", c.settled[restored].data)
		}
		c.wantPosts(0)
	}
}

func TestAsgard_L12_WhatIsCompleteNeverGoesBack(t *testing.T) {
	c := newChannel(t)
	c.send("x")
	c.head()
	c.feed(INIT, MCOMPLETE("m", "whole"), MSTART("m"), MDELTA("m", "late")) // a complete without a start
	c.feed(remove("a").complete(`"done"`, false), remove("a").start(), remove("a").complete(`"twice"`, false))
	sent := c.s.Messages()[0].ID
	c.feed(MUSER("u", sent, "x"), MUSER(sent, "", "x"))
	c.feed(RUNDONE)
	c.eof()
	c.wantTranscript("user: x\nassistant: whole call a result a \"done\"\n")
}

func TestAsgard_L13_WhatASubagentSaysIsNotInTheMainThread(t *testing.T) {
	c := newChannel(t)
	c.put(func(c *chat) { c.s.SetEvents(true) })
	c.send("x")
	c.head()
	c.feed(INIT)
	c.feed(asgardFrame("asgard.message.start", "messageStart", `{"message":{"messageId":"s","text":"","parentToolUseId":"t1"}}`))
	c.feed(asgardFrame("asgard.message.delta", "messageDelta", `{"message":{"messageId":"s","text":"inner","parentToolUseId":"t1"}}`))
	c.feed(asgardFrame("asgard.tool_call.start", "toolCallStart", `{"processId":"p","callSeq":1,"toolUseId":"in","parentToolUseId":"t1","toolCall":{"toolsetName":"s","toolName":"t","parameter":{},"reason":""}}`))
	c.feed(SAID("m", "outer"), RUNDONE)
	c.eof()
	c.wantTranscript("user: x\nassistant: outer\n")
	if len(c.events) != 8 {
		t.Errorf("%d events reached the listeners, want all 8", len(c.events))
	}
}
