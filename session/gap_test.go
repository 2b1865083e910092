package session_test

import (
	"testing"

	"github.com/svedawasm/svedawasm/session"
)

// R10: a declared gap is told, the chat is read again, and what waits there
// waits here, under the same id.
func TestR10_GapReadsTheChatAgain(t *testing.T) {
	c := newChat(t)
	sent := c.send("delete post 1")
	c.head()
	c.feed(START, TXT("I am go"))
	c.end(c.last().id, session.Gapped, "")
	c.wantError(sent, session.CodeGap)
	c.wantFailures(session.CodeGap)
	if len(c.notes) == 0 || c.notes[len(c.notes)-1] != "gap" {
		t.Errorf("the page is not told: %v", c.notes)
	}
	if w := c.last().wire; w.Endpoint != "history" {
		t.Fatalf("the chat is not read again: the last request goes to %q", w.Endpoint)
	}
	history := c.last().id
	c.headOf(history, 200, "application/json")
	c.feedTo(history, HISTORY(`[{"id":"u1","role":"user","parts":[{"type":"text","text":"delete post 1"}]},
		{"id":"m1","role":"assistant","parts":[{"type":"text","text":"I am going to delete it."},
			{"type":"tool-call","toolCallId":"c1","toolName":"delete_post","target":"backend","input":{"post_id":1},"confirmation":"required"}]}]`))
	c.end(history, session.EOF, "")
	c.wantState("c1", "pending")
}

func TestR14_DecisionInAGapIsSentAgain(t *testing.T) {
	c := asking(t, patient)
	tap := c.tap("c1", "approve")
	c.end(c.last().id, session.Gapped, "")
	c.wantFailures()
	c.wantState("c1", "deciding")
	c.retry()
	c.answer(RES("c1", `1`), START, TXT("done"), END, DONE)
	c.wantOutcome(tap, "sent")
	c.wantState("c1", "resolved")
}
