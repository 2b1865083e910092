package sveda_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/sveda"
)

// schema reads one of the contract's schemas; definition "" is the whole.
func schema(t *testing.T, file, definition string) *jsonschema.Resolved {
	t.Helper()
	text, err := os.ReadFile("testdata/schema/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	root := &s
	if definition != "" {
		// A document of its own that refers into the other one.
		root = &jsonschema.Schema{ID: "test:" + definition, Ref: s.ID + "#/$defs/" + definition, Defs: map[string]*jsonschema.Schema{"whole": &s}}
	}
	r, err := root.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func check(t *testing.T, s *jsonschema.Resolved, text string) error {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return s.Validate(v)
}

func TestEventSchema(t *testing.T) {
	s := schema(t, "event.schema.json", "")
	full := sveda.Stamp{ChatID: "c", MessageID: "m", Timestamp: "2026-01-01T00:00:00.123456Z"}
	for _, good := range [][]byte{
		sveda.AppendMessageStart(nil, full), sveda.AppendText(nil, full, ""), sveda.AppendReasoning(nil, full, "h"),
		sveda.AppendToolCall(nil, full, "c1", "d", event.Backend, []byte(`{"a":1}`), true), sveda.AppendToolCall(nil, full, "c1", "d", event.Frontend, nil, false),
		sveda.AppendToolResult(nil, sveda.Stamp{Timestamp: full.Timestamp}, "c1", "d", []byte(`null`), "", nil),
		sveda.AppendToolResult(nil, full, "c1", "d", []byte(`{}`), "resource_links", []byte(`{"links":[{"label":"a","url":"b"}]}`)),
		sveda.AppendProgress(nil, full, "", []sveda.Task{{ID: "1", Label: "a", Status: "running"}}), sveda.AppendUsage(nil, full, 1, 3),
		sveda.AppendTitle(nil, sveda.Stamp{ChatID: "c", Timestamp: full.Timestamp}, "T"), sveda.AppendMaxSteps(nil, full, 30),
		sveda.AppendMessageEnd(nil, full, "stop", &sveda.Usage{Prompt: 1}), sveda.AppendMessageEnd(nil, sveda.Stamp{}, "", nil), sveda.AppendError(nil, full, "llm_error", "x"),
	} {
		if err := check(t, s, string(good)); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{
		`{}`, `{"type":"brand.new"}`, `{"type":"text.delta"}`, `{"type":"text.delta","delta":1}`, `{"type":"text.delta","delta":"a","chatId":null}`, `{"type":"text.delta","delta":"a","x":1}`,
		`{"type":"tool.call","toolCallId":"c","toolName":"d","target":"backend","input":{},"confirmation":"auto"}`, `{"type":"tool.call","toolCallId":"c","toolName":"d","target":"browser","input":{}}`,
		`{"type":"tool.call","toolCallId":"c","toolName":"d","target":"backend","input":[]}`, `{"type":"tool.call","toolCallId":"","toolName":"d","target":"backend","input":{}}`,
		`{"type":"tool.result","toolCallId":"c","toolName":"d"}`, `{"type":"tool.result","toolCallId":"c","toolName":"d","output":1,"renderHint":"resource_links"}`,
		`{"type":"tool.progress","tasks":[{"id":"1","label":"a","status":"done"}]}`, `{"type":"context.usage","usedTokens":1,"maxTokens":2,"percent":101}`,
		`{"type":"chat.title","title":"t","messageId":"m"}`, `{"type":"max_steps","maxSteps":1,"canContinue":false}`, `{"type":"message.end","usage":{"promptTokens":1}}`,
		`{"type":"error","code":"other","message":"x"}`, `{"type":"message.start","timestamp":"yesterday"}`,
	} {
		if check(t, s, bad) == nil {
			t.Errorf("%s fits the schema", bad)
		}
	}
}

func TestRequestSchema(t *testing.T) {
	contract, client := schema(t, "request.schema.json", ""), schema(t, "request.schema.json", "client")
	body := string(sveda.New(sveda.Config{}).Encode(&event.Request{
		Kind: event.Decide, ChatID: "c", ClientTools: []byte(`[{"name":"a","description":"","parameters":{},"confirmation":"required"}]`), Options: []byte(`{"thinking":false}`), Model: "m",
		Decisions: []event.Decision{{ToolCallID: "a", Approve: true}, {ToolCallID: "b", Reason: "no"}},
		Messages: []event.Message{{ID: "u", Parts: []event.Part{{Kind: event.TextPart, Text: []byte("x")}, {Kind: event.OtherPart, Raw: []byte(`{"type":"file","name":"f"}`)}}}, {ID: "m", Role: event.Assistant, Parts: []event.Part{
			{Kind: event.CallPart, ToolCallID: "a", ToolName: "t", Input: []byte(`{}`), Required: true, Extra: []byte(`"x":1`)},
			{Kind: event.ResultPart, ToolCallID: "z", ToolName: "t", Output: []byte(`1`), Extra: []byte(`"renderHint":"plain"`)}}}},
	}).Body)
	for _, s := range []*jsonschema.Resolved{contract, client} {
		if err := check(t, s, body); err != nil {
			t.Errorf("%v: %s", err, body)
		}
		for _, change := range [][2]string{
			{`"decision":"approve"`, `"decision":"approve","input":{}`}, {`"decision":"approve"`, `"decision":"APPROVE"`}, {`"confirmation":"required"}]`, `"confirmation":"auto"}]`},
			{`"role":"user"`, `"role":"human"`}, {`"toolDecisions":[`, `"toolDecisions":null,"x":[`}, {`"target":"backend"`, `"target":"x"`}, {`"thinking":false`, `"thinking":1`}, {`{"messages"`, `{"extra":1,"messages"`},
		} {
			if !strings.Contains(body, change[0]) {
				t.Fatalf("%s is not in %s", change[0], body)
			}
			if check(t, s, strings.Replace(body, change[0], change[1], 1)) == nil {
				t.Errorf("%s fits the schema", change[1])
			}
		}
	}
	for _, bare := range []string{`{}`, `{"prompt":null,"messages":null}`, `{"toolDecisions":[]}`, `{"messages":[{"role":"tool","tool_call_id":"a","content":"x"}]}`} {
		if err := check(t, contract, bare); err != nil {
			t.Errorf("%s: %v", bare, err)
		}
		if check(t, client, bare) == nil {
			t.Errorf("%s passes for a request of our client", bare)
		}
	}
}
