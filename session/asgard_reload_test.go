package session_test

import (
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/sveda"
)

// Channels over reloads, tabs and long waits.

func channelAtNoon(t *testing.T, calls ...aCall) *chat {
	t.Helper()
	c := newChannel(t)
	c.put(func(c *chat) { c.s.Wall(noon) })
	c.send("x")
	c.answer(PAUSE("proc-1", calls...))
	return c
}

// An approval that must be checked first is: by a rejoin, after which it goes out.
func TestS50_AnApprovalOfAChannelIsCheckedAndThenSent(t *testing.T) {
	for name, wait := range map[string]func(c *chat) *chat{
		"eleven minutes": func(c *chat) *chat { c.at(11 * 60_000); return c },
		"reload": func(c *chat) *chat {
			again := c.reload(1_000)
			again.wantRejoin()
			again.answer(BRACKET(remove("c1")))
			again.at(11 * 60_000)
			return again
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := wait(channelAtNoon(t, remove("c1")))
			tap := c.decide(allow("c1"))
			c.wantRejoin()
			c.answer(BRACKET(remove("c1")))
			c.wantReply("c1 ALLOW_ONCE\n")
			c.answer(INIT, remove("c1").complete(`"ok"`, false), RUNDONE)
			c.wantOutcome(tap, "sent")
			c.wantState("c1", "resolved")
			c.wantStatus(session.Idle)
		})
	}
}

func TestS50_AnApprovalOfAChannelThatCannotBeCheckedIsLiveAgain(t *testing.T) {
	c := channelAtNoon(t, remove("c1"))
	c.at(11 * 60_000)
	tap := c.decide(allow("c1"))
	c.wantRejoin()
	c.status(503, "")
	c.wantState("c1", "pending")
	c.wantCardError("c1", session.CodeUnverified)
	c.wantError(tap, session.CodeUnverified)
	c.decide(denyWith("c1", "no"))
	c.wantReply("c1 DENY_ONCE no\n")
}

func TestR35_WakeReadsAChannelThatWaitedForLong(t *testing.T) {
	c := channelAtNoon(t, remove("c1"))
	c.at(11 * 60_000)
	c.put(func(c *chat) { c.s.Wake() })
	c.wantRejoin()
	c.answer(INIT, RUNDONE)
	c.wantState("c1", "answered-elsewhere")
}

func TestR13_AReplyThatWasSentBeforeAReloadIsLookedUp(t *testing.T) {
	c := channelAtNoon(t, remove("c1"))
	c.decide(allow("c1"))
	again := c.reload(1_000)
	again.wantRejoin()
	again.answer(BRACKET(remove("c1"))) // it had not arrived
	again.wantReply("c1 ALLOW_ONCE\n")
}

// A page's tool with the name of a server's does not take the consent (I6).
func TestS36_APageToolDoesNotTakeAConsentOfAChannel(t *testing.T) {
	c := newChannel(t)
	c.put(func(c *chat) { c.s.Wall(noon) })
	c.register("run", "required")
	c.send("x")
	c.answer(PAUSE("proc-1", run("c1", "a")))
	again := c.reload(1_000)
	again.decide(denyWith("c1", "no"))
	again.answer(BRACKET(run("c1", "a")))
	again.wantReply("c1 DENY_ONCE no\n")
}

// Calls that ended are not asked again because the chat went on and the page was
// loaded anew (contract asgard S5).
func TestR49_EndedCallsOfAChannelStayEnded(t *testing.T) {
	c := channelAtNoon(t, run("c1", "a"), run("c2", "b"))
	c.decide(allow("c1"), allow("c2"))
	c.answer(INIT, SAID("m2", "done"), RUNDONE) // no result under their own ids
	c.send("thanks")
	c.answer(INIT, SAID("m3", "welcome"), RUNDONE)
	again := c.reload(1_000)
	if again.s.Pending() {
		t.Error("a call that was answered waits again")
	}
	again.send("more")
	again.wantPosts(1)
}

func TestR49_ACallWithoutAResultStaysEnded(t *testing.T) {
	for _, word := range []string{"approve", "deny"} {
		c := atNoon(t)
		c.sendWith(session.Outgoing{Text: "x", MessageID: "u"})
		c.answer(START, CALL("c1", "t", `{}`, "required"), END, DONE)
		c.tap("c1", word)
		c.answer(START, TXT("ok"), END, DONE)
		c.history(stored(callPart("c1", "t")))
		c.wantState("c1", "outcome-unknown")
		c.send("y")
		c.answer(START, TXT("ok"), END, DONE)
		again := c.reload(1_000)
		if again.s.Pending() {
			t.Errorf("%s: the call waits again", word)
		}
	}
}

// An Always that was not taken and is then denied allows nothing.
func TestU56_AnAlwaysThatIsTakenBackAllowsNothing(t *testing.T) {
	c := paused(t, run("c1", "a"), run("c2", "b"))
	c.decide(always("c1"))
	c.wantReply("c1 ALLOW_ALWAYS\nc2 ALLOW_ALWAYS\n")
	c.status(400, "")
	c.decide(denyWith("c1", "no"))
	c.wantState("c2", "pending")
	c.decide(denyWith("c2", ""))
	c.wantReply("c1 DENY_ONCE no\nc2 DENY_ONCE\n")
}

func TestU56_ALateAlwaysThatIsDeniedAllowsNothing(t *testing.T) {
	c := paused(t, run("c1", "a"), run("c2", "b"), remove("c3"))
	c.decide(always("c1"))
	c.at(130_000)
	c.decide(allow("c3"))
	c.wantCardError("c1", session.CodeLateApproval)
	c.decide(denyWith("c1", "no"))
	c.wantState("c2", "pending")
}

func TestU56_AGrantEndsWithTheDenialThatReplacesIt(t *testing.T) {
	c := newChat(t, func(cfg *session.Config) { cfg.Grants = true })
	c.send("x")
	c.answer(START, CALL("c1", "t", `{"a":1}`, "required"), END, DONE)
	c.tap("c1", "always")
	c.status(400, "")
	c.tap("c1", "deny")
	if c.grants != "[]" {
		t.Errorf("grants %s", c.grants)
	}
	c.answer(START, RES("c1", denied), CALL("c2", "t", `{"a":2}`, "required"), END, DONE)
	c.wantState("c2", "pending")
}

// What a grant had answered reacts to the person once it is a card.
func TestAnAutomaticAnswerThatIsTakenBackIsACard(t *testing.T) {
	c := atNoon(t, func(cfg *session.Config) { cfg.Grants = true })
	c.sendWith(session.Outgoing{Text: "x", MessageID: "u"})
	c.answer(START, CALL("c1", "t", `{"a":1}`, "required"), CALL("c2", "t", `{"a":2}`, "required"), END, DONE)
	c.tap("c1", "always")
	again := c.reload(1_000)
	again.status(503, "")
	again.wantState("c2", "pending")
	again.tap("c2", "deny")
	again.wantState("c2", "deciding")
}

// No handler runs for another call than the approved one (I1).
func TestI1_ACutCallThatLeftTheChatIsNotTriedAgain(t *testing.T) {
	for _, list := range []string{`[]`, `[{"id":"m9","role":"assistant","parts":[{"type":"tool-call","toolCallId":"c9","toolName":"fe","target":"frontend","input":{"evil":9},"confirmation":"required"}]}]`} {
		c := atNoon(t, func(cfg *session.Config) { cfg.Dialect = sveda.New(sveda.Config{}) })
		c.register("fe", "required")
		c.sendWith(session.Outgoing{Text: "x", MessageID: "u"})
		c.answer(START, CALL("c1", "fe", `{"a":1}`, "frontend", "required"), END, DONE)
		c.tap("c1", "approve")
		again := c.reload(1_000)
		again.setMessages(list)
		retry := again.ticket()
		again.put(func(c *chat) { c.s.RetryUnknown(retry, "c1") })
		again.wantError(retry, session.CodeNotRetryable)
		again.tap("c1", "approve")
		again.wantRuns(1) // that of before
	}
}

// A stop does not claim that an approval which was on its way was not executed.
func TestF9_AStopOfAReplyWhoseAnswerIsLostIsUncertain(t *testing.T) {
	c := paused(t, run("c1", "a"))
	c.decide(allow("c1"))
	reply := c.last().id
	c.stop()
	c.plain(200, "")
	c.end(reply, session.NetworkFailed, "")
	c.wantState("c1", "outcome-unknown")
	if strings.Contains(c.transcript(), "not executed") {
		t.Error(c.transcript())
	}
}

func TestAStopThatAnotherPagesStateOvertakesEnds(t *testing.T) {
	o := paused(t, run("c1", "a"))
	o.decide(allow("c1"))
	o.answer(INIT, run("c1", "a").complete(`"ok"`, false), RUNDONE)
	saved := o.saved()
	c := paused(t, run("c1", "a"))
	c.stop()
	c.put(func(c *chat) {
		if err := c.s.Adopt(saved, false); err != nil {
			c.t.Fatal(err)
		}
	})
	if note := c.note("runStatus"); !strings.Contains(note, `"stopPhase":"none"`) && strings.Contains(note, "stopping") {
		t.Errorf("run status %s", note)
	}
	c.send("next")
	c.answer(PAUSE("p2", run("c2", "b")))
	c.wantState("c2", "pending")
}

func TestAForcedStopOvertakesOneThatHangs(t *testing.T) {
	c := newChannel(t)
	c.send("x")
	c.head()
	c.feed(INIT)
	first := c.stop()
	c.at(10_000)
	c.fire(10_000)
	requests := len(c.requests)
	c.force()
	if len(c.requests) != requests+1 {
		t.Error("the forced stop is not sent")
	}
	c.wantResolved(first)
	c.plain(200, "")
	c.wantStatus(session.Idle)
}

// The server's wish for a pause is no way to stop a chat, or to flood the server.
func TestR4_RetryOfAStreamIsBounded(t *testing.T) {
	for _, wish := range []string{"86400000", "99999999999"} {
		c := newChannel(t)
		c.send("x")
		c.head()
		c.feed("retry: "+wish+"\n", withID("3", INIT))
		c.lost()
		for _, d := range c.timers {
			if d > 301_000 {
				t.Errorf("retry %s: a timer of %d ms", wish, d)
			}
		}
	}
}

// An id that was answered before and is asked again with other arguments can be
// denied, so that its batch can be answered at all (F19, I9).
func TestF19_AnotherCallUnderAnAnsweredIDCanBeDenied(t *testing.T) {
	c := paused(t, run("c1", "a"))
	c.decide(always("c1"))
	c.answer(PAUSE("p2", run("c1", "other"), run("c2", "b")))
	c.wantState("c1", "pending")
	c.wantError(c.decide(allow("c1")), session.CodeConflict)
	c.decide(denyWith("c1", ""), allow("c2"))
	c.wantReply("c1 DENY_ONCE\nc2 ALLOW_ONCE\n")
}

// Pages that take each other's state do not read by turns for ever.
func TestAPageThatAdoptsAChannelReadsNothing(t *testing.T) {
	a := channelAtNoon(t, remove("c1"))
	b := a.reload(1_000)
	b.wantRejoin()
	b.answer(BRACKET(remove("c1")))
	for range 3 {
		for _, pair := range [][2]*chat{{a, b}, {b, a}} {
			requests := len(pair[0].requests)
			pair[0].adopt(pair[1], false)
			pair[0].put(func(c *chat) { c.s.TakeOver() })
			if len(pair[0].requests) != requests {
				t.Error("a page that adopts a state asks the server")
			}
		}
	}
}
