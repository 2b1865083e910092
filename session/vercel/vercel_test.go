package vercel_test

import (
	"encoding/json"
	"testing"

	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/vercel"
)

// decode gives the events of parts, and what listeners get of them.
func decode(parts ...string) (events []event.Event, raw []string) {
	r := vercel.New(vercel.Config{}).Reader(event.Turn)
	for _, p := range parts {
		r.Feed([]byte("data: " + p + "\n\n"))
		var e event.Event
		for r.Next(&e) {
			raw = append(raw, string(e.Raw))
			e.Text = append([]byte(nil), e.Text...)
			events = append(events, e)
		}
	}
	return events, raw
}

func TestContract_4_Rows(t *testing.T) {
	for _, tt := range []struct {
		part, raw string
		kind      event.Kind
	}{
		{`{"type":"text-delta","textDelta":"a\n\"b\""}`, `{"type":"text.delta","delta":"a\n\"b\""}`, event.Text},
		{`{"type":"text-delta"}`, `{"type":"text.delta","delta":""}`, event.Text},
		{`{"type":"reasoning-delta","reasoningDelta":"h"}`, `{"type":"reasoning.delta","delta":"h"}`, event.Reasoning},
		{`{"type":"tool-call","toolCallId":"c1","toolName":"d","args":{"id":1.0},"target":"frontend","confirmation":"required"}`,
			`{"type":"tool.call","toolCallId":"c1","toolName":"d","target":"frontend","input":{"id":1.0},"confirmation":"required"}`, event.ToolCall},
		{`{"type":"tool-call","toolCallId":"c1","toolName":"d","target":"browser"}`, `{"type":"tool.call","toolCallId":"c1","toolName":"d","target":"backend","input":{}}`, event.ToolCall},
		{`{"type":"tool-call","toolCallId":"c1","toolName":"d","args":null,"confirmation":null,"x":1}`,
			`{"type":"tool.call","toolCallId":"c1","toolName":"d","target":"backend","input":{},"x":1}`, event.ToolCall},
		{`{"type":"tool-result","toolCallId":"c1","toolName":"d","result":[9007199254740993],"renderHint":"plain","renderData":{"a":1}}`,
			`{"type":"tool.result","toolCallId":"c1","toolName":"d","output":[9007199254740993],"renderHint":"plain","renderData":{"a":1}}`, event.ToolResult},
		{`{"type":"tool-result","toolCallId":"c1","result":null}`, `{"type":"tool.result","toolCallId":"c1","output":null}`, event.ToolResult},
		{`{"type":"data-toolProgress","data":{"phase":"run","tasks":[{"id":"1"}],"x":1}}`, `{"type":"tool.progress","phase":"run","tasks":[{"id":"1"}]}`, event.Progress},
		{`{"type":"data-contextUsage","data":{"usedTokens":1,"maxTokens":2,"percent":50.0}}`, `{"type":"context.usage","usedTokens":1,"maxTokens":2,"percent":50.0}`, event.Usage},
		{`{"type":"data-chatTitle","data":{"title":"T"}}`, `{"type":"chat.title","title":"T"}`, event.Title},
		{`{"type":"data-maxStepsReached","data":{"maxSteps":3,"canContinue":false}}`, `{"type":"max_steps","maxSteps":3,"canContinue":false}`, event.MaxSteps},
		{`{"type":"data-maxStepsReached","data":{"maxSteps":3}}`, `{"type":"max_steps","maxSteps":3,"canContinue":true}`, event.MaxSteps},
		{`{"type":"finish","finishReason":"tool_calls","usage":{"promptTokens":1}}`, `{"type":"message.end","finishReason":"tool_calls","usage":{"promptTokens":1}}`, event.MessageEnd},
		{`{"type":"finish"}`, `{"type":"message.end","finishReason":"stop"}`, event.MessageEnd},
		{`{"type":"error","error":{"code":"overloaded","message":"busy"}}`, `{"type":"error","code":"overloaded","message":"busy"}`, event.Error},
		{`{"type":"error"}`, `{"type":"error","code":"unknown","message":"Unknown error"}`, event.Error},
		{`{"type":"error","error":"words"}`, `{"type":"error","code":"unknown","message":"Unknown error"}`, event.Error},
	} {
		events, raw := decode(tt.part)
		if len(events) != 1 || events[0].Kind != tt.kind || raw[0] != tt.raw || !json.Valid([]byte(raw[0])) {
			t.Errorf("%s: kind %v\n%s\nwant\n%s", tt.part, events, raw, tt.raw)
		}
	}
}

func TestContract_4_UnknownPartsAreDropped(t *testing.T) {
	if events, _ := decode(`{"type":"text-start","id":"1"}`, `{"type":"message.start","chatId":"c"}`, `{"type":"text.delta","delta":"x"}`); len(events) != 0 {
		t.Errorf("%v", events)
	}
}

func TestContract_4_Fields(t *testing.T) {
	events, _ := decode(
		`{"type":"text-delta","textDelta":"a\u00e9"}`,
		`{"type":"tool-call","toolCallId":"c1","toolName":"d","args":{"a":1},"confirmation":"REQUIRED"}`,
		`{"type":"error","error":{"code":"x","message":"m"}}`,
		`{"type":"data-chatTitle","data":{"title":"T"}}`, `[DONE]`)
	if string(events[0].Text) != "aé" {
		t.Errorf("text %q", events[0].Text)
	}
	if c := events[1]; !c.Required || c.Target != event.Backend {
		t.Errorf("%+v", c)
	}
	if string(events[2].Text) != "m" || string(events[3].Text) != "T" || events[4].Kind != event.Done {
		t.Errorf("%+v", events[2:])
	}
}

func TestMalformedPartsAreTold(t *testing.T) {
	for part, code := range map[string]string{
		`{`: "malformed-event", `[]`: "malformed-event", `{"type":1}`: "malformed-event", `{"type":"finish","type":"error"}`: "malformed-event",
		`{"type":"tool-call","toolName":"d","args":{}}`: "malformed-call", `{"type":"tool-call","toolCallId":"c","args":{}}`: "malformed-call",
		`{"type":"tool-call","toolCallId":"c","toolName":"d","args":{},"args":{"all":1}}`:                       "malformed-call",
		`{"type":"tool-call","toolCallId":"c","toolName":"d","args":{},"target":"backend","target":"frontend"}`: "malformed-call",
		`{"type":"tool-result","toolCallId":"c"}`:                                                               "malformed-result", `{"type":"tool-result","result":1}`: "malformed-result",
	} {
		events, _ := decode(part)
		if len(events) != 1 || events[0].Kind != event.Malformed || string(events[0].Code) != code || events[0].Raw != nil {
			t.Errorf("%s: %+v", part, events)
		}
	}
	for _, part := range []string{
		`{"type":"tool-call","toolCallId":"c","toolName":"d","args":{},"confirmation":"auto","confirmation":"auto"}`,
		`{"type":"tool-call","toolCallId":"c","toolName":"d","args":{},"confirmation":true}`,
	} {
		if events, _ := decode(part); !events[0].Required {
			t.Errorf("%s is automatic", part)
		}
	}
}

func TestContract_3_02_Headers(t *testing.T) {
	d := vercel.New(vercel.Config{Histories: true})
	w := d.Encode(&event.Request{Kind: event.Turn, ChatID: "c", Prompt: "x"})
	if w.Accept != "text/event-stream" || len(w.Headers) != 2 || w.Headers[1] != [2]string{"X-Sveda-Protocol", "vercel"} ||
		string(w.Body) != `{"messages":[],"prompt":"x","chatId":"c","context":{},"clientTools":[]}` {
		t.Errorf("%+v", w)
	}
	if w := d.Encode(&event.Request{Kind: event.Reread, ChatID: "c"}); w.Accept != "application/json" || w.Headers != nil {
		t.Errorf("%+v", w)
	}
}
