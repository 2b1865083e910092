package sveda_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/sveda"
)

// read gives what a reader makes of chunks, as text.
func read(chunks ...[]byte) string {
	r := sveda.New(sveda.Config{}).Reader(event.Turn)
	var out bytes.Buffer
	take := func() {
		var e event.Event
		for r.Next(&e) {
			out.WriteByte(byte('A' + e.Kind))
			for _, b := range [][]byte{e.Raw, e.ChatID, e.MessageID, e.Text, e.ToolCallID, e.ToolName, e.Input, e.Output, e.Extra, e.Code, e.FinishReason} {
				out.WriteByte(' ')
				out.Write(b)
			}
			out.WriteByte(byte('0' + e.Target))
			if e.Required {
				out.WriteByte('!')
			}
			out.WriteByte('\n')
		}
	}
	for _, chunk := range chunks {
		own := append([]byte(nil), chunk...)
		r.Feed(own)
		take()
		clear(own) // what was fed must not be used any more
	}
	r.End()
	take()
	if code, err := r.Err(); err != nil {
		out.WriteString(code)
	}
	return out.String()
}

// FuzzDecode feeds foreign bytes, cut anywhere: the events are the same, whatever
// the cut, what is passed on is JSON, and a gate is never opened by what a
// careless reader would take for another member.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`data: {"type":"text.delta","delta":"a\ud83d\ude00"}`, `data: {"type":"tool.call","toolCallId":"c","toolName":"d","target":"frontend","input":{"a":[1e3]},"confirmation":"required","x":{}}`,
		`data: {"type":"tool.result","toolCallId":"c","output":null,"renderHint":"plain"}`, `data: {"type":"message.start","chatId":" ","messageId":"m"}`,
		"event: error\n\ndata: [DONE]", `data: {"type":"error","code":"a","message":"b"}`, `data: {"type":"message.end","finishReason":"stop"}`, "data: {\"type\":\ndata: \"max_steps\"}",
		`data: {"type":"tool.call","toolCallId":"c","toolName":"d","input":{},"confirmation":"auto","confirmation":"required"}`, "\xef\xbb\xbfdata: 1\r\rdata: {}\r\n\r\n",
	} {
		f.Add([]byte(s+"\n\n"), uint16(len(s)/2))
	}
	f.Fuzz(func(t *testing.T, stream []byte, cut uint16) {
		at := int(cut) % (len(stream) + 1)
		whole := read(stream)
		if got := read(stream[:at], stream[at:]); got != whole {
			t.Errorf("cut at %d:\n%q\nuncut:\n%q", at, got, whole)
		}
		r := sveda.New(sveda.Config{}).Reader(event.Turn)
		r.Feed(stream)
		var e event.Event
		for r.Next(&e) {
			for _, b := range [][]byte{e.Raw, e.Input, e.Output} {
				if b != nil && !json.Valid(b) {
					t.Errorf("passed on: %q", b)
				}
			}
			if e.Extra != nil && !json.Valid([]byte("{"+string(e.Extra)+"}")) {
				t.Errorf("extra: %q", e.Extra)
			}
			if e.Kind == event.ToolCall && e.Required != gated(e.Raw) {
				t.Errorf("required %v: %s", e.Required, e.Raw)
			}
		}
	})
}

// gated is the rule of the gate (design rule 2 and 8, S46), read with another
// JSON reader.
func gated(call []byte) bool {
	d := json.NewDecoder(bytes.NewReader(call))
	_, _ = d.Token() // {
	words := []string{}
	for d.More() {
		name, _ := d.Token()
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return true
		}
		if name == "confirmation" {
			var text any
			_ = json.Unmarshal(value, &text)
			switch text {
			case nil:
				words = append(words, "")
			case "auto":
				words = append(words, "auto")
			default:
				return true
			}
		}
	}
	return len(words) > 1
}

// FuzzRequest reads foreign request bodies: never a panic, and what is accepted
// can be decided.
func FuzzRequest(f *testing.F) {
	for _, s := range []string{`{}`, `{"toolDecisions":[{"toolCallId":"a","decision":"approve"}]}`, `{"messages":[{"role":"user","parts":[{"type":"text","text":"x"}]}],"options":{"thinking":false}}`, `{"clientTools":[{"name":"a","parameters":{}}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := sveda.ParseRequest(body)
		if (r == nil) != (err != nil) {
			t.Fatalf("%v and %v", r, err)
		}
		if err == nil && len(r.Decisions) > 0 && !r.HasDecisions {
			t.Errorf("decisions from nowhere: %q", body)
		}
	})
}
