package session_test

import (
	"testing"

	"github.com/svedawasm/svedawasm/session"
)

func (c *chat) wantUncertain(id string, want bool) {
	c.t.Helper()
	if got := c.shown[id].Uncertain; got != want {
		c.t.Errorf("confirmation %s is uncertain: %v, want %v", id, got, want)
	}
}

// gets counts the readings of the state.
func (c *chat) gets() int {
	n := 0
	for _, r := range c.requests {
		if r.wire.Method == "GET" {
			n++
		}
	}
	return n
}

// TestADecisionThatMayHaveArrivedSaysSo: no card says that a call has not run
// when nobody here can know.
func TestADecisionThatMayHaveArrivedSaysSo(t *testing.T) {
	for _, tt := range []struct {
		name string
		fail func(c *chat)
		want bool
	}{
		{"stopped", func(c *chat) { c.stop() }, true},
		{"stopped when the answer had begun", func(c *chat) { c.head(); c.stop() }, true},
		{"no connection", func(c *chat) { c.lost() }, true},
		{"the answer is cut", func(c *chat) { c.head(); c.feed(START); c.eof() }, true},
		{"500", func(c *chat) { c.status(500, "") }, true},
		{"422", func(c *chat) { c.status(422, "") }, true},
		{"401", func(c *chat) { c.status(401, "") }, false},
		{"403", func(c *chat) { c.status(403, "") }, false},
		{"429", func(c *chat) { c.status(429, "") }, false},
		{"the page could not build the request", func(c *chat) { c.end(c.last().id, session.RequestFailed, "no headers") }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := asking(t)
			c.wantUncertain("c1", false)
			c.tap("c1", "approve")
			c.wantUncertain("c1", false)
			tt.fail(c)
			c.wantState("c1", "pending")
			c.wantUncertain("c1", tt.want)
		})
	}
}

// A decision that was staged and never sent cannot have arrived.
func TestAStagedDecisionThatIsRecalledIsCertain(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.head()
	c.feed(START, CALL("c1", "d", `{}`, "required"), END)
	c.tap("c1", "approve")
	c.stop()
	c.wantState("c1", "pending")
	c.wantUncertain("c1", false)
}

// A refusal of the second attempt says nothing about the first one.
func TestUncertaintyOutlivesALaterRefusal(t *testing.T) {
	c := asking(t, patient)
	c.tap("c1", "approve")
	c.lost()
	c.retry()
	c.status(403, "")
	c.wantState("c1", "pending")
	c.wantUncertain("c1", true)
	c.tap("c1", "approve")
	c.status(403, "")
	c.wantUncertain("c1", true)
}

// What may be running is watched until it is known (R20): the reading straight
// after the failure finds a call that still runs.
func TestAnUncertainCardIsReadAgainUntilTheServerTells(t *testing.T) {
	c := asking(t)
	c.tap("c1", "approve")
	c.stop()
	waiting := stored(callPart("c1", "delete_post"))
	for n := 1; n <= 5; n++ {
		if c.gets() != n {
			t.Fatalf("the state was read %d times, want %d", c.gets(), n)
		}
		c.history(waiting)
		c.wantState("c1", "pending")
		c.wantUncertain("c1", true)
		c.nextTimer(1_000<<(n-1), 2_000<<(n-1))
	}
	c.history(stored(callPart("c1", "delete_post"), resultPart("c1", `{"deleted":1}`)))
	c.wantState("c1", "resolved")
	c.wantUncertain("c1", false)
	if len(c.timers) != 0 {
		t.Errorf("timers are left: %v", c.timers)
	}
}

// nextTimer lets the one timer run out whose delay lies within the bounds.
func (c *chat) nextTimer(from, to int) {
	c.t.Helper()
	for id, d := range c.timers {
		if d < from || d > to {
			c.t.Fatalf("a timer of %d ms runs, want %d to %d", d, from, to)
		}
		delete(c.timers, id)
		c.put(func(c *chat) { c.s.Fire(id) })
		return
	}
	c.t.Fatalf("no timer runs")
}

func TestTheReadingsOfAnUncertainCardAreBounded(t *testing.T) {
	c := asking(t)
	c.tap("c1", "approve")
	c.lost()
	c.status(503, "")
	for range 100 {
		if len(c.timers) == 0 {
			break
		}
		c.nextTimer(1_000, 60_000)
		c.status(503, "") // a reading that fails is not the last one
	}
	if n := c.gets(); n < 10 || n > 30 {
		t.Errorf("the state was read %d times", n)
	}
	c.wantState("c1", "pending")
}

func TestANewDecisionEndsTheWatch(t *testing.T) {
	c := asking(t)
	c.tap("c1", "approve")
	c.stop()
	c.history(stored(callPart("c1", "delete_post")))
	c.tap("c1", "deny")
	for _, d := range c.timers {
		if d <= 2_000 {
			t.Errorf("a reading waits beside the new decision: %v", c.timers)
		}
	}
	c.answer(RES("c1", `{"deleted":1}`), START, END, DONE) // the first decision counted (S40)
	c.wantState("c1", "answered-elsewhere")
	c.wantUncertain("c1", false)
}

// An approval that an earlier page has sent may have arrived, however old it is.
func TestALateApprovalOfAnEarlierPageIsUncertain(t *testing.T) {
	c := atNoon(t)
	c.sendWith(session.Outgoing{Text: "x", MessageID: "u"})
	c.answer(START, CALL("c1", "t", `{}`, "required"), END, DONE)
	c.tap("c1", "approve")
	again := c.reload(121_000)
	again.wantState("c1", "pending")
	again.wantCardError("c1", session.CodeLateApproval)
	again.wantUncertain("c1", true)
}

func TestAnUncertainCardIsOneAfterAReload(t *testing.T) {
	c := atNoon(t, func(cfg *session.Config) { cfg.DecisionAttempts = 1 })
	c.sendWith(session.Outgoing{Text: "x", MessageID: "u"})
	c.answer(START, CALL("c1", "t", `{}`, "required"), END, DONE)
	c.tap("c1", "approve")
	c.stop()
	again := c.reload(1_000)
	again.wantUncertain("c1", true)
	again.history(stored(callPart("c1", "t")))
	again.wantUncertain("c1", true)
	again.nextTimer(1_000, 2_000)
	again.history(stored(callPart("c1", "t"), resultPart("c1", `1`)))
	again.wantState("c1", "resolved")
}
