package session_test

import (
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/sveda"
)

// The design's ten rules of the session. Rules 1 and 4 are also checked by the
// harness in every test, rule 5 and 6 in confirm_test.go.

func TestRule01_NeverBeforeApproveOnceAndNeverAfterDeny(t *testing.T) {
	for _, word := range []string{"approve", "deny"} {
		c := waitingFrontend(t)
		call := CALL("c1", "archive", `{}`, "frontend", "required")
		list := `[{"id":"a1","role":"assistant","parts":[{"type":"tool-call","toolCallId":"c1","toolName":"archive","target":"frontend","input":{},"confirmation":"required"}]}]`
		c.wantRuns(0)
		c.tap("c1", word)
		if word == "approve" {
			c.output("c1", "1")
		}
		c.lost() // the output did not arrive
		c.submit()
		c.answer(call, START, TXT("ok"), END, DONE)
		for _, step := range []func(){
			func() { c.setMessages(`[]`) }, func() { c.setMessages(list) }, func() { c.tap("c1", "approve") },
			func() { c.send("y") }, func() { c.answer(START, call, END, DONE) }, func() { c.tap("c1", "approve") },
			func() { c.setMessages(`[]`) }, func() { c.send("z") }, func() { c.answer(START, call, END, DONE) }, func() { c.tap("c1", "approve") },
		} {
			step()
			c.wantRuns(boolInt(word == "approve"))
		}
	}
}

func TestRule02_EitherSideGatesAndWhatArrivedIsFixed(t *testing.T) {
	c := newChat(t)
	c.register("both", "required")
	c.register("page", "required")
	c.register("server", "")
	c.register("none", "auto")
	c.send("x")
	c.answer(START, CALL("1", "both", `{}`, "frontend", "required"), CALL("2", "page", `{}`, "frontend", `"auto"`), CALL("3", "server", `{}`, "frontend", "required"),
		CALL("4", "none", `{}`, "frontend", `"auto"`), END, DONE)
	for _, id := range []string{"1", "2", "3"} {
		c.wantState(id, "pending")
	}
	c.wantRuns(1)
	c.output("4", "1")
	c.register("both", "")
	c.feed(CALL("1", "both", `{}`, "frontend"))
	c.wantState("1", "pending")
	c.wantRuns(1)
}

func TestRule03_ADecisionCarriesNoArguments(t *testing.T) {
	c := waitingBackend(t)
	c.tapWith("c1", "deny", "no")
	for key := range c.last().body.ToolDecisions[0] {
		if key != "toolCallId" && key != "decision" && key != "reason" {
			t.Errorf("it carries %q", key)
		}
	}
}

func TestRule04_EveryOtherTurnIsRefused(t *testing.T) {
	for name, turn := range map[string]func(c *chat) session.Ticket{
		"send":     func(c *chat) session.Ticket { return c.send("y") },
		"continue": func(c *chat) session.Ticket { return c.goOn() },
		"submit":   func(c *chat) session.Ticket { return c.submit() },
	} {
		t.Run(name, func(t *testing.T) {
			for _, open := range []bool{false, true} { // with and without an open stream
				c := newChat(t)
				c.send("x")
				c.head()
				c.feed(START, CALL("c1", "d", `{}`, "required"), END)
				if !open {
					c.eof()
				}
				before := len(c.kinds)
				refused := turn(c)
				c.wantError(refused, session.CodeAwaitingConsent)
				err := c.settled[refused].err
				if err.Message != "Cannot send this turn while the channel is awaiting a tool-call consent response." ||
					!strings.Contains(string(err.AppendJSON(nil)), `"processId":""`) {
					t.Errorf("%s", err.AppendJSON(nil))
				}
				if len(c.kinds) != before || len(c.requests) != 1 {
					t.Error("a refused turn left a trace")
				}
			}
		})
	}
}

func TestRule06_OnlyNothingPendingEndsAQuestion(t *testing.T) {
	for status, body := range map[int]string{
		400: "", 401: "", 403: `{"message":"unknown policy: x"}`, 404: "", 408: "", 413: "", 422: "", 429: "", 500: "", 503: "",
	} {
		c := waitingBackend(t)
		tap := c.tap("c1", "approve")
		c.status(status, body)
		if c.settled[tap].err == nil {
			t.Errorf("%d: the decision counts as taken", status)
		}
		c.wantState("c1", "pending")
		if conf := c.shown["c1"]; conf.Error == nil {
			t.Errorf("%d: the card shows no error", status)
		}
		posts := len(c.posts())
		c.tap("c1", "deny") // the person may also change her mind
		c.wantPosts(posts + 1)
	}
	c := waitingBackend(t)
	tap := c.tap("c1", "approve")
	c.status(409, gone)
	c.wantError(tap, session.CodeHistoryUnavailable)
	c.wantState("c1", "expired")
	c.wantOutcome(c.tap("c1", "approve"), "not-pending")
	c.send("y")
	c.wantPosts(3)
}

func TestRule06_ARefusalInsideTheStream(t *testing.T) {
	c := waitingBackend(t)
	tap := c.tap("c1", "approve")
	c.answer(FAIL, DONE)
	c.wantError(tap, "llm_error")
	c.wantState("c1", "pending")
	c.wantCardError("c1", "llm_error")
}

func TestRule06_AStreamThatTakesNoNotice(t *testing.T) {
	c := waitingBackend(t)
	tap := c.tap("c1", "approve")
	c.answer(": ping\n\n", DONE)
	c.wantError(tap, session.CodeRefused)
	c.wantState("c1", "pending")
	c.wantStatus(session.Failed)
}

func TestRule08_ADuplicateKeyNeverOpensTheGate(t *testing.T) {
	for _, event := range []string{
		`{"type":"tool.call","toolCallId":"c1","toolName":"d","target":"frontend","input":{},"confirmation":"required","Confirmation":"auto"}`,
		`{"type":"tool.call","toolCallId":"c1","toolName":"d","target":"frontend","input":{},"confirmation":"required","confirmation":"auto"}`,
		`{"type":"tool.call","toolCallId":"c1","toolName":"d","target":"frontend","input":{},"confirmation":"auto","confirmation":"required"}`,
		`{"type":"tool.call","toolCallId":"c1","toolName":"d","target":"frontend","input":{},"confirm\u0061tion":"required"}`,
		`{"type":"tool.call","toolCallId":"c1","toolCallId":"c2","toolName":"d","target":"frontend","input":{}}`,
		`{"type":"tool.call","toolCallId":"c1","toolName":"x","toolName":"d","target":"frontend","input":{}}`,
		`{"type":"tool.call","toolCallId":"c1","toolName":"d","target":"backend","target":"frontend","input":{}}`,
		`{"type":"tool.call","toolCallId":"c1","toolName":"d","target":"frontend","input":{},"input":{"all":true}}`,
		`{"type":"text.delta","type":"tool.call","toolCallId":"c1","toolName":"d","target":"frontend","input":{}}`,
	} {
		c := newChat(t)
		c.register("d", "")
		c.send("x")
		c.answer(START, TXT("a"), frame(event), END, DONE)
		c.wantRuns(0)
		c.tap("c1", "deny")
		c.wantRuns(0)
	}
}

func TestRule09_ALateOutputContinuesTheTurn(t *testing.T) {
	c := newChat(t)
	c.register("f", "")
	sent := c.send("x")
	c.answer(START, CALL("f1", "f", `{}`, "frontend"), TXT("wait"), END, DONE)
	c.wantOpen(sent)
	c.at(250_000)
	c.output("f1", "1")
	c.wantPosts(2)
}

func TestRule10_AHandlerCutByAReloadDoesNotRunByItself(t *testing.T) {
	c := waitingFrontend(t)
	c.tap("c1", "approve")
	c.wantRuns(1)
	reloaded := newChat(t, func(cfg *session.Config) { cfg.Dialect = sveda.New(sveda.Config{}) })
	reloaded.register("archive", "required")
	reloaded.setMessages(`[{"id":"a1","role":"assistant","parts":[{"type":"tool-call","toolCallId":"c1","toolName":"archive","target":"backend","input":{},"confirmation":"required"}]}]`)
	reloaded.wantRuns(0)
	reloaded.wantPosts(0)
	reloaded.wantState("c1", "pending")
	c.output("c1", "1")
}
