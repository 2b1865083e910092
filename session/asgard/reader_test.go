package asgard

import (
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/session/event"
)

// read gives the events of a response to a request of the kind, cut into chunks
// of n bytes.
func read(t *testing.T, kind event.RequestKind, body string, n int) []string {
	t.Helper()
	r := New(Config{}).Reader(kind)
	var got []string
	var e event.Event
	next := func() {
		for r.Next(&e) {
			got = append(got, describe(&e))
		}
	}
	for rest := body; rest != ""; {
		chunk := rest[:min(n, len(rest))]
		rest = rest[len(chunk):]
		r.Feed([]byte(chunk))
		next()
	}
	r.End()
	next()
	if r.Cut() {
		got = append(got, "cut")
	}
	return got
}

var kindWords = map[event.Kind]string{
	event.Unknown: "unknown", event.Malformed: "malformed", event.MessageStart: "start", event.Text: "text",
	event.Reasoning: "reasoning", event.SetText: "set", event.SetReasoning: "set-reasoning",
	event.UserMessage: "user", event.ToolCall: "call", event.Batch: "batch", event.ToolResult: "result",
	event.Title: "title", event.MessageEnd: "end", event.Error: "error", event.RunStart: "run", event.Metadata: "metadata",
}

func describe(e *event.Event) string {
	words := []string{kindWords[e.Kind]}
	for _, field := range [][]byte{e.Code, e.RunID, e.MessageID, e.ClientID, e.ToolCallID, e.Toolset, e.ToolName, e.Input, e.Output, e.Extra, e.Reason, e.BatchID, e.Text} {
		if field != nil {
			words = append(words, string(field))
		}
	}
	flags := []struct {
		word string
		set  bool
	}{{"REQUIRED", e.Required}, {"ALLOWED", e.Allowed}, {"REFUSAL", e.Refusal}, {"RUNNING", e.Running}}
	for _, flag := range flags {
		if flag.set {
			words = append(words, flag.word)
		}
	}
	if e.Raw == nil && e.Kind != event.ToolCall {
		words = append(words, "NO RAW")
	}
	return strings.Join(words, " ")
}

func frame(kind, facts string) string {
	return `data: {"eventType":"` + kind + `","requestId":"r","fact":` + facts + "}\n\n"
}

func TestEachEventOfTheWire(t *testing.T) {
	const tool = `"toolCall":{"toolsetName":"ts","toolName":"t","parameter":{"a":1.0},"reason":"why"}`
	for _, c := range []struct{ name, wire, want string }{
		{"run.init", frame("asgard.run.init", `{"runInit":{}}`), "run r"},
		{"run.done", frame("asgard.run.done", `{"runDone":{}}`), "end r"},
		{"run.done without a fact", frame("asgard.run.done", `null`), "end r"},
		{"run.error", frame("asgard.run.error", `{"runError":{"error":{"message":"m\u0021","code":"C"}}}`), "error C r m!"},
		{"run.error with a number for a code", frame("asgard.run.error", `{"runError":{"error":{"message":"m","code":7}}}`), "error r m"},
		{"run.error without facts", frame("asgard.run.error", `{}`), "error r the run ended with an error"},
		{"run.error of a paused channel", frame("asgard.run.error", `{"runError":{"error":{"message":"use RespondToolCallConsent"}}}`), "error confirmation-required r use RespondToolCallConsent REFUSAL"},
		{"process", frame("asgard.process.start", `{"processStart":{"processId":"p"}}`), "unknown r"},
		{"message.start", frame("asgard.message.start", `{"messageStart":{"message":{"messageId":"m","text":"x"}}}`), "start r m"},
		{"message.delta", frame("asgard.message.delta", `{"messageStart":null,"messageDelta":{"message":{"messageId":"m","text":"é\n"}}}`), "text r m é\n"},
		{"message.complete", frame("asgard.message.complete", `{"messageComplete":{"message":{"messageId":"m","text":"x"}}}`), "set r m x"},
		{"message.complete with null text", frame("asgard.message.complete", `{"messageComplete":{"message":{"messageId":"m","text":null}}}`), "set r m"},
		{"thinking.start", frame("asgard.message.thinking.start", `{"messageThinkingStart":{"message":{"messageId":"m","text":""}}}`), "unknown r m "},
		{"thinking.delta", frame("asgard.message.thinking.delta", `{"messageThinkingDelta":{"message":{"messageId":"m","text":"x"}}}`), "reasoning r m x"},
		{"thinking.complete", frame("asgard.message.thinking.complete", `{"messageThinkingComplete":{"message":{"messageId":"m","text":"x"}}}`), "set-reasoning r m x"},
		{"canvas", frame("asgard.message.canvas.complete", `{"messageCanvasComplete":{"message":{"messageId":"m"}}}`), "unknown r"},
		{"user", frame("asgard.message.user", `{"messageUser":{"messageId":"u","customMessageId":"c","text":"x"}}`), "user r u c x"},
		{"user with a blob only", frame("asgard.message.user", `{"messageUser":{"messageId":"u","text":"","blobIds":["b"]}}`), "user r u "},
		{"the opening turn", frame("asgard.message.user", `{"messageUser":{"messageId":"u","text":""}}`), "unknown r u "},
		{"feedback", frame("asgard.message.feedback", `{"messageFeedback":{"messageId":"f"}}`), "unknown r"},
		{"tool_call.start", frame("asgard.tool_call.start", `{"toolCallStart":{"processId":"p","callSeq":1,"toolUseId":"c",`+tool+`}}`), `call r c ts t {"a":1.0} why`},
		{"tool_call.start of an old server", frame("asgard.tool_call.start", `{"toolCallStart":{"processId":"p","callSeq":12,`+tool+`}}`), `call r p#12 ts t {"a":1.0} why`},
		{"tool_call.start without arguments", frame("asgard.tool_call.start", `{"toolCallStart":{"toolUseId":"c","toolCall":{"toolName":"t","parameter":null}}}`), "unknown r c t null"},
		{"tool_call.complete", frame("asgard.tool_call.complete", `{"toolCallComplete":{"toolUseId":"c",`+tool+`,"toolCallResult":[1],"isError":true,"toolUseResultSidecar":{"k":1}}}`), `result r c ts t {"a":1.0} [1] "isError":true,"toolUseResultSidecar":{"k":1} why`},
		{"tool_call.complete without a result", frame("asgard.tool_call.complete", `{"toolCallComplete":{"toolUseId":"c",`+tool+`}}`), `result r c ts t {"a":1.0} null why`},
		{"subagent", frame("asgard.subagent.start", `{"subagentStart":{"agentId":"a"}}`), "unknown r"},
		{"title", frame("asgard.channel.title.update", `{"channelTitleUpdate":{"title":"T"}}`), "title r T"},
		{"status", frame("asgard.channel.status.update", `{"channelStatusUpdate":{"status":"COMPLETED"}}`), "unknown r"},
		{"sandbox", frame("asgard.sandbox.ready", `{"sandboxReady":{"sandboxName":"s"}}`), "unknown r"},
		{"usage", frame("asgard.completion_model.usage", `{"completionModelUsage":{"inputTokens":1}}`), "unknown r"},
		{"a type of tomorrow", frame("asgard.tomorrow", `{"tomorrow":{}}`), "unknown r"},
		{"a name in other case", frame("asgard.message.delta", `{"messagedelta":{"message":{"messageId":"m","text":"x"}}}`), "malformed malformed-event r"},
		{"an escaped type", `data: {"eventType":"asgard.run.\u0069nit","requestId":"r"}` + "\n\n", "run r"},
	} {
		for _, n := range []int{1, 7, 1 << 20} {
			if got := strings.Join(read(t, event.Turn, c.wire, n), "|"); got != c.want {
				t.Errorf("%s in chunks of %d:\n%s, want\n%s", c.name, n, got, c.want)
			}
		}
	}
}

func TestABatchIsHandedOutInOrder(t *testing.T) {
	wire := frame("asgard.tool_call.consent", `{"toolCallConsent":{"processId":"p","pendingCalls":[`+
		`{"toolCallId":"a","toolsetName":"ts","toolName":"t","parameter":{"n":9007199254740993},"alreadyAllowed":false,"reason":"\u2028"},`+
		`{"toolCallId":"b","toolName":"u","alreadyAllowed":true}]}}`) + frame("asgard.run.done", `{}`)
	want := "batch r p|call r a ts t {\"n\":9007199254740993} \u2028 REQUIRED|call r b u null REQUIRED ALLOWED|end r"
	for _, n := range []int{1, 50, 1 << 20} {
		if got := strings.Join(read(t, event.Turn, wire, n), "|"); got != want {
			t.Errorf("in chunks of %d:\n%q, want\n%q", n, got, want)
		}
	}
}

func TestAReplyIsRefusedByItsFirstEventOnly(t *testing.T) {
	refusal := frame("asgard.run.error", `{"runError":{"error":{"message":"no","code":"C"}}}`)
	for wire, want := range map[string]string{
		refusal:                                  "error r no REFUSAL",
		frame("asgard.run.init", `{}`) + refusal: "run r|error r no REFUSAL",
		frame("asgard.run.init", `{}`) + frame("asgard.message.start", `{"messageStart":{"message":{"messageId":"m"}}}`) + refusal: "run r|start r m|error C r no",
	} {
		if got := strings.Join(read(t, event.Decide, wire, 1<<20), "|"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(frame("asgard.tool_call.consent", `{"toolCallConsent":{"processId":"p","pendingCalls":[{"toolCallId":"a","toolName":"t","parameter":{}}]}}`), 3)
	f.Add("id: 1\n"+frame("asgard.message.delta", `{"messageDelta":{"message":{"messageId":"m","text":"x"}}}`), 1)
	f.Add(frame("asgard.tool_call.complete", `{"toolCallComplete":{"processId":"p","callSeq":1,"toolCall":{"toolName":"t"}}}`), 2)
	f.Fuzz(func(t *testing.T, wire string, n int) {
		if n < 1 || n > 1<<16 {
			return
		}
		whole, cut := read(t, event.Decide, wire, max(1, len(wire))), read(t, event.Decide, wire, n)
		if strings.Join(whole, "|") != strings.Join(cut, "|") {
			t.Fatalf("chunks of %d give\n%q, want\n%q", n, cut, whole)
		}
	})
}
