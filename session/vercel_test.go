package session_test

import (
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/vercel"
)

// Section 4 of the contract: the same session over the vercel mode.

func withVercel(cfg *session.Config) { cfg.Dialect = vercel.New(vercel.Config{Histories: true}) }

func TestContract_3_02_VercelHeaders(t *testing.T) {
	c := newChat(t, withVercel)
	c.send("x")
	if w := c.last().wire; w.Accept != "text/event-stream" || w.Headers[1] != [2]string{"X-Sveda-Protocol", "vercel"} {
		t.Errorf("%+v", w)
	}
}

func TestContract_4_AVercelTurn(t *testing.T) {
	c := newChat(t, withVercel)
	c.register("archive", "required")
	c.put(func(c *chat) { c.s.SetEvents(true) })
	sent := c.send("x")
	own := c.s.Messages()[1].ID
	c.answer(
		frame(`{"type":"reasoning-delta","reasoningDelta":"hm"}`), frame(`{"type":"text-delta","textDelta":"I will "}`), frame(`{"type":"text-delta","textDelta":"do it."}`),
		frame(`{"type":"tool-call","toolCallId":"c1","toolName":"delete_post","args":{"post_id":1},"target":"backend","confirmation":"required"}`),
		frame(`{"type":"tool-call","toolCallId":"c2","toolName":"archive","args":{"id":2},"target":"frontend"}`),
		frame(`{"type":"data-contextUsage","data":{"usedTokens":1,"maxTokens":2,"percent":50}}`),
		frame(`{"type":"finish","finishReason":"tool_calls"}`), frame(`{"type":"data-chatTitle","data":{"title":"T"}}`), DONE)
	c.wantResolved(sent)
	c.wantTranscript(lines("user: x", "assistant: (hm) I will do it. call c1 call c2"))
	if c.s.Messages()[1].ID != own || c.s.ChatID() != "chat_1" {
		t.Error("ids were adopted")
	}
	if strings.Join(c.notes, " ") != "contextUsage finish title" || c.payloads[1] != `{"type":"message.end","finishReason":"tool_calls"}` {
		t.Errorf("told %q %q", c.notes, c.payloads)
	}
	if c.events[3] != `{"type":"tool.call","toolCallId":"c1","toolName":"delete_post","target":"backend","input":{"post_id":1},"confirmation":"required"}` {
		t.Errorf("event %s", c.events[3])
	}
	c.tap("c1", "approve")
	c.wantDecisions("c1 approve")
	c.answer(frame(`{"type":"tool-result","toolCallId":"c1","toolName":"delete_post","result":{"success":true}}`), frame(`{"type":"finish"}`), DONE)
	c.wantState("c1", "resolved")
	c.tap("c2", "approve")
	c.output("c2", "1")
	c.answer(frame(`{"type":"text-delta","textDelta":"ok"}`), frame(`{"type":"finish"}`), DONE)
	c.wantState("c2", "resolved")
}

func TestContract_4_AVercelError(t *testing.T) {
	c := newChat(t, withVercel)
	sent := c.send("x")
	c.answer(frame(`{"type":"text-delta","textDelta":"half"}`), frame(`{"type":"error","error":{"code":"overloaded","message":"busy"}}`), DONE)
	c.wantError(sent, "overloaded")
	c.wantTranscript(lines("user: x", "assistant: half"))
}
