package sveda_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/sveda"
)

func TestContract_1_6_EventsAsJSON(t *testing.T) {
	full := sveda.Stamp{ChatID: "c", MessageID: "m", Timestamp: "2026-01-01T00:00:00.000000Z"}
	const head = `"chatId":"c","messageId":"m","timestamp":"2026-01-01T00:00:00.000000Z"`
	for _, tt := range []struct {
		got  []byte
		want string
		kind event.Kind
	}{
		{sveda.AppendMessageStart(nil, full), `{"type":"message.start",` + head + `}`, event.MessageStart},
		{sveda.AppendText(nil, full, "a\"\n"), `{"type":"text.delta",` + head + `,"delta":"a\"\n"}`, event.Text},
		{sveda.AppendReasoning(nil, full, "h"), `{"type":"reasoning.delta",` + head + `,"delta":"h"}`, event.Reasoning},
		{sveda.AppendToolCall(nil, full, "c1", "delete_post", event.Backend, []byte(`{"id":1.0}`), true),
			`{"type":"tool.call",` + head + `,"toolCallId":"c1","toolName":"delete_post","target":"backend","input":{"id":1.0},"confirmation":"required"}`, event.ToolCall},
		{sveda.AppendToolCall(nil, full, "c1", "s", event.Frontend, nil, false),
			`{"type":"tool.call",` + head + `,"toolCallId":"c1","toolName":"s","target":"frontend","input":{}}`, event.ToolCall},
		{sveda.AppendToolResult(nil, sveda.Stamp{Timestamp: "t"}, "c1", "s", []byte(`[1]`), "", nil),
			`{"type":"tool.result","timestamp":"t","toolCallId":"c1","toolName":"s","output":[1]}`, event.ToolResult},
		{sveda.AppendToolResult(nil, sveda.Stamp{}, "c1", "s", nil, "resource_links", []byte(`{"links":[]}`)),
			`{"type":"tool.result","toolCallId":"c1","toolName":"s","output":null,"renderHint":"resource_links","renderData":{"links":[]}}`, event.ToolResult},
		{sveda.AppendProgress(nil, sveda.Stamp{}, "run", []sveda.Task{{"1", "a", "running", ""}, {"2", "b", "failed", "x"}}),
			`{"type":"tool.progress","phase":"run","tasks":[{"id":"1","label":"a","status":"running"},{"id":"2","label":"b","status":"failed","detail":"x"}]}`, event.Progress},
		{sveda.AppendUsage(nil, sveda.Stamp{}, 1234, 8000), `{"type":"context.usage","usedTokens":1234,"maxTokens":8000,"percent":15.4}`, event.Usage},
		{sveda.AppendUsage(nil, sveda.Stamp{}, 9, 8), `{"type":"context.usage","usedTokens":9,"maxTokens":8,"percent":100}`, event.Usage},
		{sveda.AppendTitle(nil, sveda.Stamp{ChatID: "c", Timestamp: "t"}, "T"), `{"type":"chat.title","chatId":"c","timestamp":"t","title":"T"}`, event.Title},
		{sveda.AppendMaxSteps(nil, sveda.Stamp{}, 30), `{"type":"max_steps","maxSteps":30,"canContinue":true}`, event.MaxSteps},
		{sveda.AppendMessageEnd(nil, sveda.Stamp{}, "stop", &sveda.Usage{Prompt: 2, Completion: 3}),
			`{"type":"message.end","finishReason":"stop","usage":{"promptTokens":2,"completionTokens":3,"totalTokens":5}}`, event.MessageEnd},
		{sveda.AppendMessageEnd(nil, sveda.Stamp{}, "", nil), `{"type":"message.end"}`, event.MessageEnd},
		{sveda.AppendError(nil, sveda.Stamp{}, "overloaded", "busy"), `{"type":"error","code":"overloaded","message":"busy"}`, event.Error},
	} {
		if string(tt.got) != tt.want || !json.Valid(tt.got) {
			t.Errorf("got\n%s\nwant\n%s", tt.got, tt.want)
		}
		// What we encode, we decode.
		r := sveda.New(sveda.Config{}).Reader(event.Turn)
		r.Feed(sveda.AppendFrame(nil, tt.got))
		var e event.Event
		if !r.Next(&e) || e.Kind != tt.kind || string(e.Raw) != tt.want {
			t.Errorf("%s is decoded to kind %d", tt.want, e.Kind)
		}
	}
}

func TestContract_1_4_Frame(t *testing.T) {
	if got := string(sveda.AppendFrame(nil, []byte("{\"a\":\r\n1}"))); got != "data: {\"a\":  1}\n\n" {
		t.Errorf("%q", got)
	}
}

func TestContract_1_3_Request(t *testing.T) {
	r, err := sveda.ParseRequest([]byte(`{"prompt":"hi","chatId":" c1 ","context":{"a":1},"messages":[{"id":"u","role":"user","content":"hi"}],
		"clientTools":[{"name":"a","description":"d","parameters":{},"confirmation":"required"},{"name":"b","confirmation":"auto"}],
		"toolDecisions":[{"toolCallId":"x","decision":" APPROVE "},{"toolCallId":"y","decision":"maybe"},{"toolCallId":"y","decision":"deny"},
			{"toolCallId":"x","decision":"deny"},{"toolCallId":"z","decision":"deny","reason":"no"}],
		"model":"m","provider":null,"options":{"thinking":false},"more":[1]}`))
	if err != nil {
		t.Fatal(err)
	}
	if r.Prompt != "hi" || r.ChatID != "c1" || string(r.Context) != `{"a":1}` || len(r.Messages) != 1 || r.Model != "m" || r.Thinking || !r.HasDecisions {
		t.Errorf("%+v", r)
	}
	if len(r.ClientTools) != 2 || !r.ClientTools[0].Required || r.ClientTools[1].Required || string(r.ClientTools[0].Parameters) != "{}" {
		t.Errorf("%+v", r.ClientTools)
	}
	if len(r.Decisions) != 2 || r.Decisions[0] != (event.Decision{ToolCallID: "x", Approve: true}) || r.Decisions[1] != (event.Decision{ToolCallID: "z", Reason: "no"}) {
		t.Errorf("%+v", r.Decisions)
	}
	for body, status := range map[string]int{
		`{`: 400, `{"prompt":NaN}`: 400, `[]`: 422, `{"toolDecisions":null}`: 422, `{"toolDecisions":{}}`: 422, `{"toolDecisions":[1]}`: 422,
		`{"toolDecisions":[{"toolCallId":1,"decision":"deny"}]}`: 422, `{"toolDecisions":[{"toolCallId":"a","decision":"approve","decision":"deny"}]}`: 422,
		`{"prompt":1}`: 422, `{"messages":{}}`: 422, `{"messages":[1]}`: 422, `{"clientTools":[{"name":" "}]}`: 422, `{"options":[]}`: 422,
		`{"chatId":"a","chatId":"b"}`: 422, strings.Repeat("[", 600): 400,
	} {
		if _, err := sveda.ParseRequest([]byte(body)); err == nil || err.Status != status {
			t.Errorf("%s: %v, want %d", body, err, status)
		}
	}
	for _, body := range []string{`{}`, `{"prompt":null,"messages":null,"chatId":null,"context":null,"clientTools":null,"model":null,"options":null}`, `{"toolDecisions":[]}`} {
		r, err := sveda.ParseRequest([]byte(body))
		if err != nil || r.HasDecisions || !r.Thinking || r.Context != nil {
			t.Errorf("%s: %+v, %v", body, r, err)
		}
	}
}

// TestRequestRoundTrip reads what the client writes.
func TestRequestRoundTrip(t *testing.T) {
	w := sveda.New(sveda.Config{}).Encode(&event.Request{
		Kind: event.Decide, ChatID: "c", Decisions: []event.Decision{{ToolCallID: "a", Approve: true}, {ToolCallID: "b", Reason: "no"}},
		Messages: []event.Message{{ID: "m", Role: event.Assistant, Parts: []event.Part{{Kind: event.CallPart, ToolCallID: "a", ToolName: "t", Input: []byte(`{}`), Required: true}}}},
	})
	r, err := sveda.ParseRequest(w.Body)
	if err != nil || len(r.Decisions) != 2 || len(r.Messages) != 1 || len(r.Messages[0].Parts) != 1 || !r.Messages[0].Parts[0].Required {
		t.Errorf("%+v, %v", r, err)
	}
}
