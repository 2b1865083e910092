package session_test

import (
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/event"
)

func claiming(cfg *session.Config) { cfg.Claims = true }

// claims are the Claim effects so far.
func (c *chat) lastClaim() session.Effect {
	c.t.Helper()
	if len(c.claims) == 0 {
		c.t.Fatal("nothing was claimed")
	}
	return c.claims[len(c.claims)-1]
}

func (c *chat) claimed(verdict session.Verdict, decision string) {
	c.t.Helper()
	id := c.lastClaim().ID
	c.put(func(c *chat) { c.s.Claimed(id, verdict, decision) })
}

func archiving(t *testing.T, options ...option) *chat {
	t.Helper()
	c := atNoon(t, append([]option{claiming}, options...)...)
	c.register("archive", "required")
	c.sendWith(session.Outgoing{Text: "x", MessageID: "u"})
	c.answer(START, CALL("c1", "archive", `{}`, "frontend"), END, DONE)
	return c
}

func TestI2_AHandlerRunsOnlyAfterItsClaim(t *testing.T) {
	c := archiving(t)
	tap := c.tap("c1", "approve")
	c.wantRuns(0)
	if e := c.lastClaim(); e.Call != "c1" || e.Text != "approve" || e.Handler != 0 {
		t.Errorf("claim %+v", e)
	}
	c.wantError(c.send("y"), session.CodeAwaitingConsent)
	c.claimed(session.Granted, "")
	c.wantRuns(1)
	c.claimed(session.Granted, "") // a second answer
	c.wantRuns(1)
	c.output("c1", `1`)
	c.answer(START, END, DONE)
	c.wantOutcome(tap, "sent")
}

func TestI2_AClaimThatAnotherPageHasRunsNothing(t *testing.T) {
	for _, word := range []string{"approve", "deny"} {
		c := archiving(t)
		tap := c.tap("c1", "approve")
		c.claimed(session.Taken, word)
		c.wantRuns(0)
		c.wantPosts(1)
		c.wantState("c1", "deciding")
		if c.shown["c1"].Decision != word {
			t.Errorf("the card shows %q, want %q", c.shown["c1"].Decision, word)
		}
		c.wantResolved(tap)
		c.wantError(c.send("y"), session.CodeAwaitingConsent)
		c.at(15_000)
		c.fire(15_000) // it is looked at again
		c.history(stored(callPart("c1", "archive"), resultPart("c1", `1`)))
		c.wantState("c1", "answered-elsewhere")
		c.wantRuns(0)
	}
}

func TestI9_AClaimThatIsNeverUsedEndsInOutcomeUnknown(t *testing.T) {
	c := archiving(t)
	c.tap("c1", "approve")
	c.claimed(session.Taken, "approve")
	now := int64(0)
	for range 25 {
		now += 15_000
		c.at(now)
		if c.shown["c1"].State != "deciding" {
			break
		}
		c.fire(15_000)
		if c.last().wire.Method == "GET" && c.streams[c.last().id] {
			c.history(stored(callPart("c1", "archive")))
		}
	}
	c.wantState("c1", "outcome-unknown")
	c.wantRuns(0)
}

func TestR25_TheClaimOfAPageThatIsGone(t *testing.T) {
	c := archiving(t)
	c.tap("c1", "approve")
	c.claimed(session.Dead, "approve")
	c.wantRuns(0)
	c.wantState("c1", "outcome-unknown")

	c = archiving(t)
	c.tap("c1", "approve")
	c.claimed(session.Dead, "deny") // its denial stands (I3)
	c.wantRuns(0)
	c.wantPosts(2)
	if !strings.Contains(string(c.last().wire.Body), `"denied":true`) {
		t.Errorf("the denial is not told: %s", c.last().wire.Body)
	}

	c = archiving(t)
	c.tap("c1", "deny")
	c.claimed(session.Dead, "approve") // it may have run
	c.wantState("c1", "outcome-unknown")
	c.wantPosts(1)
}

func TestR30_AStoreThatFailsOrHangsLeavesTheCardLive(t *testing.T) {
	c := archiving(t)
	tap := c.tap("c1", "approve")
	c.claimed(session.Unclaimable, "")
	c.wantRuns(0)
	c.wantState("c1", "pending")
	c.wantCardError("c1", session.CodeNotDurable)
	c.wantError(tap, session.CodeNotDurable)

	c.tap("c1", "approve")
	late := c.lastClaim().ID
	c.fire(10_000)
	c.wantCardError("c1", session.CodeNotDurable)
	c.put(func(c *chat) { c.s.Claimed(late, session.Granted, "") })
	c.wantRuns(0)

	c.tap("c1", "approve")
	c.claimed(session.Granted, "")
	c.wantRuns(1)
}

func TestStopTakesAClaimingDecisionBack(t *testing.T) {
	c := archiving(t)
	tap := c.tap("c1", "approve")
	c.stop()
	c.wantState("c1", "pending")
	c.wantError(tap, session.CodeAborted)
	c.claimed(session.Granted, "")
	c.wantRuns(0)
}

func TestI4_StopLeavesADecisionOfAnotherPageAlone(t *testing.T) {
	c := atNoon(t, claiming)
	c.register("archive", "required")
	c.send("x")
	c.answer(START, CALL("c1", "archive", `{}`, "frontend"), CALL("c2", "t", `{}`, "required"), END, DONE)
	c.tap("c1", "approve")
	c.claimed(session.Taken, "deny")
	c.tap("c2", "approve")
	c.wantPosts(2)
	c.stop()
	c.wantState("c1", "deciding")
	c.wantState("c2", "pending")
	c.wantRuns(0)
}

func TestR25_ANewAttemptIsANewClaim(t *testing.T) {
	c := archiving(t)
	c.tap("c1", "approve")
	c.claimed(session.Dead, "approve")
	retry := c.ticket()
	c.put(func(c *chat) { c.s.RetryUnknown(retry, "c1") })
	c.tap("c1", "approve")
	if e := c.lastClaim(); e.Handler != 1 {
		t.Errorf("attempt %d is claimed, want 1", e.Handler)
	}
	c.claimed(session.Granted, "")
	c.wantRuns(1)
}

// other is another page of the same chat that shows what c has saved.
func (c *chat) other() *chat {
	c.t.Helper()
	cfg := c.cfg
	cfg.Seed[14]++
	o := makeChat(c.t, cfg)
	cfg.Tools = c.tools
	o.tools = c.tools
	o.s = session.New(cfg)
	o.put(func(o *chat) { o.s.Wall(noon) })
	o.adopt(c, true)
	c.t.Cleanup(func() {
		if !c.t.Failed() {
			o.mirror.check(o.s.Messages())
			o.close()
		}
	})
	return o
}

func (c *chat) adopt(from *chat, alive bool) {
	c.t.Helper()
	saved := from.saved()
	c.put(func(c *chat) {
		if err := c.s.Adopt(saved, alive); err != nil {
			c.t.Fatalf("Adopt: %v", err)
		}
	})
}

func TestR26_ADecisionInOnePageTakesTheButtonsOfTheOther(t *testing.T) {
	a := atNoon(t)
	a.sendWith(session.Outgoing{Text: "x", MessageID: "u"})
	a.answer(START, CALL("c1", "t", `{}`, "required"), END, DONE)
	b := a.other()
	b.wantState("c1", "pending")
	b.wantTranscript(a.transcript())
	a.tap("c1", "approve")
	b.adopt(a, true)
	b.wantState("c1", "deciding")
	if !b.shown["c1"].Elsewhere {
		t.Error("the card does not say that another page acts")
	}
	b.wantPosts(0)
	a.answer(RES("c1", `1`), START, TXT("done"), END, DONE)
	b.adopt(a, true)
	b.wantState("c1", "resolved")
	b.wantTranscript(a.transcript())
	b.wantPosts(0)
}

func TestI3_APageThatTakesOverSendsTheRecordedDecision(t *testing.T) {
	a := atNoon(t)
	a.sendWith(session.Outgoing{Text: "x", MessageID: "u"})
	a.answer(START, CALL("c1", "t", `{}`, "required"), END, DONE)
	b := a.other()
	a.tap("c1", "deny")
	b.adopt(a, true)
	b.wantPosts(0)
	b.put(func(c *chat) { c.s.TakeOver() })
	b.wantDecisions("c1 deny")
}

func TestRule10_APageThatTakesOverRunsNoHandler(t *testing.T) {
	a := archiving(t)
	a.tap("c1", "approve")
	a.claimed(session.Granted, "")
	a.wantRuns(1)
	b := a.other()
	b.wantState("c1", "approved")
	b.put(func(c *chat) { c.s.TakeOver() })
	b.wantRuns(0)
	b.wantState("c1", "outcome-unknown")
}

func TestAPageInATurnOfItsOwnAdoptsNothing(t *testing.T) {
	a := atNoon(t)
	a.send("x")
	saved := a.saved()
	if err := a.s.Adopt(saved, true); err == nil || err.Code != session.CodeBusy {
		t.Errorf("error %v, want %s", err, session.CodeBusy)
	}
}

func TestR31_DecisionsAndStartsAreStoredBeforeTheyAct(t *testing.T) {
	persist := func(cfg *session.Config) { cfg.Persist = true }
	c := atNoon(t, persist)
	c.register("archive", "required")
	c.send("x")
	c.answer(START, CALL("c1", "archive", `{}`, "frontend"), CALL("c2", "t", `{}`, "required"), END, DONE)
	strictBefore := func(kind session.EffectKind) {
		t.Helper()
		for i := len(c.order) - 1; i >= 0; i-- {
			if c.order[i].Kind != kind {
				continue
			}
			for j := i - 1; j >= 0; j-- {
				if e := c.order[j]; e.Kind == session.Persist && e.Text == "strict" {
					return
				} else if e.Kind == session.OpenStream || e.Kind == session.RunTool {
					break
				}
			}
			t.Errorf("effect %d came without a strict Persist before it", kind)
			return
		}
	}
	c.tap("c1", "approve")
	strictBefore(session.RunTool)
	c.output("c1", `1`)
	c.tap("c2", "deny")
	strictBefore(session.OpenStream)
}

// A stored state that lost the run, because the database was thrown away or
// damaged, does not make this page run its handler again.
func TestI2_APageNeverRunsAHandlerTwiceWhateverIsStored(t *testing.T) {
	c := archiving(t)
	before := c.saved() // the card still waits
	c.tap("c1", "approve")
	c.claimed(session.Granted, "")
	c.wantRuns(1)
	c.stop() // the handler is given up; nothing was reported
	c.put(func(c *chat) {
		if err := c.s.Adopt(before, false); err != nil {
			c.t.Fatal(err)
		}
	})
	c.wantRuns(1)
	c.wantState("c1", "resolved") // what this page knows to be over stays so
	c.tap("c1", "approve")
	c.tap("c1", "deny")
	c.wantRuns(1)
}

func TestR49_AResultThatIsKnownEndsTheCardOfAnOlderState(t *testing.T) {
	a := archiving(t)
	b := a.other()
	stale := b.saved()
	a.tap("c1", "approve")
	a.claimed(session.Granted, "")
	a.output("c1", `{"ok":true}`)
	b.adopt(a, true)
	b.put(func(c *chat) {
		if err := c.s.Adopt(stale, true); err != nil {
			c.t.Fatal(err)
		}
	})
	b.wantState("c1", "resolved")
	b.wantRuns(0)
}

// The same of a call of the server, whose result came to this page.
func TestR49_AResultOfTheServerEndsTheCardOfAnOlderState(t *testing.T) {
	a := atNoon(t)
	a.sendWith(session.Outgoing{Text: "x", MessageID: "u"})
	a.answer(START, CALL("c1", "t", `{}`, "required"), END, DONE)
	stale := a.saved()
	a.tap("c1", "approve")
	a.answer(RES("c1", `{"done":1}`), START, END, DONE)
	a.put(func(c *chat) {
		if err := c.s.Adopt(stale, true); err != nil {
			c.t.Fatal(err)
		}
	})
	a.wantState("c1", "resolved")
	if got := a.transcript(); !strings.Contains(got, `result c1 {"done":1}`) {
		t.Errorf("the result is lost: %s", got)
	}
}

// What may have arrived is not forgotten for a state that does not know of it.
func TestUncertaintyOutlivesAnotherPagesState(t *testing.T) {
	for _, fail := range []func(c *chat){
		func(c *chat) { c.stop() },
		func(c *chat) { c.close() },
	} {
		a := atNoon(t, func(cfg *session.Config) { cfg.DecisionAttempts = 1 })
		a.sendWith(session.Outgoing{Text: "x", MessageID: "u"})
		a.answer(START, CALL("c1", "t", `{}`, "required"), END, DONE)
		b := a.other()
		stale := a.saved()
		a.tap("c1", "approve")
		b.adopt(a, true)
		fail(a)
		for _, c := range []*chat{a, b} {
			c.put(func(c *chat) {
				if !c.s.Closed() {
					if err := c.s.Adopt(stale, true); err != nil {
						c.t.Fatal(err)
					}
				}
			})
		}
		b.wantState("c1", "pending")
		b.wantUncertain("c1", true)
		if !a.s.Closed() {
			a.wantUncertain("c1", true)
		}
	}
}

// Nor is it when the call leaves the chat and comes back with the server's.
func TestUncertaintyOutlivesTheCallsAbsence(t *testing.T) {
	c := atNoon(t, func(cfg *session.Config) { cfg.DecisionAttempts = 1 })
	empty := c.saved()
	c.sendWith(session.Outgoing{Text: "x", MessageID: "u"})
	c.answer(START, CALL("c1", "t", `{}`, "required"), END, DONE)
	c.tap("c1", "approve")
	c.stop()
	c.put(func(c *chat) {
		if err := c.s.Adopt(empty, true); err != nil {
			c.t.Fatal(err)
		}
	})
	c.reread()
	c.history(stored(callPart("c1", "t")))
	c.wantState("c1", "pending")
	c.wantUncertain("c1", true)
}

// A page that takes over cannot know whether the other one has sent.
func TestADecisionThatIsTakenOverIsUncertain(t *testing.T) {
	a := atNoon(t, func(cfg *session.Config) { cfg.DecisionAttempts = 1 })
	a.sendWith(session.Outgoing{Text: "x", MessageID: "u"})
	a.answer(START, CALL("c1", "t", `{}`, "required"), END, DONE)
	b := a.other()
	a.tap("c1", "deny")
	b.adopt(a, true)
	b.put(func(c *chat) { c.s.TakeOver() })
	b.wantDecisions("c1 deny")
	b.status(403, "")
	b.wantState("c1", "pending")
	b.wantUncertain("c1", true)
}

// A page that is overtaken before its handler started says nothing of the call.
func TestF31_AHandlerThatWasNotStartedLeavesNothing(t *testing.T) {
	a := archiving(t)
	b := a.other()
	a.tap("c1", "approve")
	a.claimed(session.Granted, "")
	a.wantRuns(1) // the effect waits for the store, which refuses
	a.put(func(c *chat) { c.s.Unstarted(c.runs[0].ID) })
	a.wantState("c1", "pending")
	a.stop()
	a.adopt(b, true)
	a.wantState("c1", "pending")
	for _, m := range a.s.Save().Messages {
		for _, p := range m.Parts {
			if p.Kind == event.ResultPart {
				t.Errorf("expected no result of a call that did not run, got %s", p.Output)
			}
		}
	}
}
