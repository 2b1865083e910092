package session_test

import (
	"testing"

	"github.com/svedawasm/svedawasm/session"
)

// TestStopInEveryPhase stops a turn wherever it can be. Each time every promise
// settles, nothing is left running, what arrived is kept, and the next turn can
// begin (after a decision, where one is still wanted).
func TestStopInEveryPhase(t *testing.T) {
	for _, tt := range []struct {
		phase string
		reach func(c *chat)
		want  string // the transcript afterwards
		waits string // the state of c1 afterwards
	}{
		{"idle", func(c *chat) {}, "", ""},
		{"the request is on its way", func(c *chat) { c.send("x") }, lines("user: x"), ""},
		{"the response has begun", func(c *chat) { c.send("x"); c.head() }, lines("user: x"), ""},
		{"text streams", func(c *chat) { c.send("x"); c.head(); c.feed(START, TXT("a")) }, lines("user: x", "assistant: a"), ""},
		{"the answer has ended, the title is to come", func(c *chat) { c.send("x"); c.head(); c.feed(START, TXT("a"), END) }, lines("user: x", "assistant: a"), ""},
		{"a call was asked and the stream is open", func(c *chat) { c.send("x"); c.head(); c.feed(START, CALL("c1", "d", `{}`, "required")) },
			lines("user: x", `assistant: call c1 result c1 {"success":false,"error":"The turn was stopped before this action was confirmed; it was not executed."}`), "expired"},
		{"the turn has paused, the title is to come", func(c *chat) { c.send("x"); c.head(); c.feed(START, CALL("c1", "d", `{}`, "required"), END) },
			lines("user: x", "assistant: call c1"), "pending"},
		{"a decision waits for the end", func(c *chat) {
			c.send("x")
			c.head()
			c.feed(START, CALL("c1", "d", `{}`, "required"), END)
			c.tap("c1", "approve")
		}, lines("user: x", "assistant: call c1"), "pending"},
		{"a decision is on its way", func(c *chat) { pause(c); c.tap("c1", "approve") }, lines("user: x", "assistant: call c1"), "pending"},
		{"its result has come", func(c *chat) { pause(c); c.tap("c1", "approve"); c.head(); c.feed(RES("c1", "1"), START, TXT("b")) },
			lines("user: x", "assistant: call c1 result c1 1", "assistant: b"), "resolved"},
		{"a handler runs in the stream", func(c *chat) { c.send("x"); c.head(); c.feed(START, CALL("f1", "auto", `{}`, "frontend")) },
			lines("user: x", "assistant: call f1", `tool: result f1 {"success":false,"error":"The tool was stopped before it reported; whether it acted is not known."}`), ""},
		{"a handler runs after the stream", func(c *chat) { c.send("x"); c.answer(START, CALL("f1", "auto", `{}`, "frontend"), END, DONE) },
			lines("user: x", "assistant: call f1", `tool: result f1 {"success":false,"error":"The tool was stopped before it reported; whether it acted is not known."}`), ""},
		{"a confirmed handler runs", func(c *chat) {
			c.send("x")
			c.answer(START, CALL("c1", "gated", `{}`, "frontend"), END, DONE)
			c.tap("c1", "approve")
		}, lines("user: x", `assistant: call c1 result c1 {"success":false,"error":"The tool was stopped before it reported; whether it acted is not known."}`), "outcome-unknown"},
		{"outputs are on their way", func(c *chat) {
			c.send("x")
			c.answer(START, CALL("f1", "auto", `{}`, "frontend"), END, DONE)
			c.output("f1", "1")
		}, lines("user: x", "assistant: call f1", "tool: result f1 1"), ""},
		{"the turn has failed", func(c *chat) { c.send("x"); c.status(500, "") }, lines("user: x"), ""},
		{"the history is read", func(c *chat) { c.reread() }, "", ""},
	} {
		t.Run(tt.phase, func(t *testing.T) {
			c := newChat(t)
			c.register("auto", "")
			c.register("gated", "required")
			tt.reach(c)
			requests := len(c.requests)
			c.wantResolved(c.stop())
			c.wantResolved(c.stop()) // twice does no more harm
			c.wantTranscript(tt.want)
			if tt.waits != "" {
				c.wantState("c1", tt.waits)
			}
			if s := c.s.Status(); s != session.Idle && s != session.Failed {
				t.Errorf("status %s", s)
			}
			for _, r := range c.requests[requests:] {
				if r.wire.Method != "GET" {
					t.Error("a stop sent something")
				}
			}
			if tt.phase != "the history is read" {
				for _, r := range c.requests {
					if r.wire.Method == "GET" && c.streams[r.id] {
						c.end(r.id, session.NetworkFailed, "")
					}
				}
				c.wantAllSettled("the turn was stopped")
				if len(c.timers) != 0 && !c.shown["c1"].Uncertain { // what may run is watched
					t.Errorf("timers are left: %v", c.timers)
				}
			}
			posts := len(c.posts())
			if tt.waits == "pending" {
				c.tap("c1", "approve")
			} else {
				c.send("y")
			}
			c.wantPosts(posts + 1)
		})
	}
}

// A server that had stored the question when the turn was stopped waits for it.
func TestAStoppedQuestionThatTheServerHoldsIsAskedAgain(t *testing.T) {
	c := newChat(t)
	c.sendWith(session.Outgoing{Text: "x", MessageID: "u"})
	c.head()
	c.feed(START, CALL("c1", "t", `{}`, "required"))
	c.stop()
	c.wantState("c1", "expired")
	c.reread()
	c.history(stored(callPart("c1", "t")))
	c.wantState("c1", "pending")
	tap := c.tap("c1", "deny")
	c.answer(RES("c1", denied), START, END, DONE)
	c.wantOutcome(tap, "sent")
	c.wantTranscript(lines("user: x", "assistant: call c1 result c1 "+denied))
}

// pause brings a chat to where c1 waits.
func pause(c *chat) {
	c.send("x")
	c.answer(START, CALL("c1", "d", `{}`, "required"), END, DONE)
}
