//go:build ignore

// Command gen_streams writes testdata/streams: turns of both protocols in every framing
// that a server or a proxy may give them.
package main

import (
	"fmt"
	"log"
	"os"
	"strings"
)

// turns are the payloads of one stream each.
var turns = map[string][]string{
	"sveda-text": {
		`{"type":"message.start","chatId":"chat_1","messageId":"msg_1","timestamp":"2026-01-01T00:00:00.5Z"}`,
		`{"type":"text.delta","delta":"Größe: 北京 🌍","messageId":"msg_1"}`,
		`{"type":"text.delta","delta":" line\u2028two\n\ndata: no"}`,
		`{"type":"context.usage","usedTokens":12,"maxTokens":1000,"percent":1.2}`,
		`{"type":"message.end","finishReason":"stop"}`,
		`[DONE]`,
	},
	"sveda-confirmation": {
		`{"type":"message.start","chatId":"chat_1","messageId":"msg_2"}`,
		`{"type":"tool.call","toolCallId":"call_del_1","toolName":"delete_post","target":"backend","input":{"post_id":1},"confirmation":"required"}`,
		`{"type":"message.end","finishReason":"tool_calls"}`,
		`{"type":"chat.title","chatId":"chat_1","title":"Удалить запись"}`,
		`[DONE]`,
	},
	"sveda-decision": {
		`{"type":"tool.result","toolCallId":"call_del_1","toolName":"delete_post","output":{"success":false,"denied":true,"error":"The user denied this action and it was not executed."}}`,
		`{"type":"message.start","chatId":"chat_1","messageId":"msg_3"}`,
		`{"type":"text.delta","delta":"Not deleted."}`,
		`{"type":"message.end","finishReason":"stop"}`,
		`[DONE]`,
	},
	"asgard-consent": {
		`{"eventType":"asgard.run.init","requestId":"r1","processId":"p1"}`,
		`{"eventType":"asgard.tool_call.consent","fact":{"toolCallConsent":{"pendingCalls":[{"toolCallId":"t1","toolName":"刪除","parameter":{"id":"9007199254740993"}}]}}}`,
		`{"eventType":"asgard.run.done","requestId":"r1"}`,
	},
	"vercel-text": {
		`{"type":"text-delta","textDelta":"Hello"}`,
		`{"type":"tool-call","toolCallId":"c1","toolName":"archive_selection","args":{},"target":"frontend","confirmation":"required"}`,
		`{"type":"finish","finishReason":"stop"}`,
		`[DONE]`,
	},
}

// framings write the payload number n of a turn.
var framings = []struct {
	name  string
	start string // of the stream
	write func(n int, data string) string
	end   func(stream string) string
}{
	{"plain", "", func(n int, d string) string { return "data: " + d + "\n\n" }, nil},
	{"no-space", "", func(n int, d string) string { return "data:" + d + "\n\n" }, nil},
	{"crlf", "", func(n int, d string) string { return "data: " + d + "\r\n\r\n" }, nil},
	{"cr", "", func(n int, d string) string { return "data: " + d + "\r\r" }, nil},
	{"mixed-ends", "", func(n int, d string) string {
		return "id: " + fmt.Sprint(n) + []string{"\n", "\r", "\r\n"}[n%3] + "data: " + d + []string{"\r\n\n", "\n\r\n", "\r\r\n"}[n%3]
	}, nil},
	{"bom", "\uFEFF", func(n int, d string) string { return "data: " + d + "\n\n" }, nil},
	{"comments", ": hello\n\n", func(n int, d string) string { return ": ping\ndata: " + d + "\n:\n\n: pong\n\n" }, nil},
	{"fields", "retry: 1500\n\n", func(n int, d string) string {
		return fmt.Sprintf("id: %d\nevent: e%d\nunknown: x\ndata: %s\nretry: %d\n\n", n, n%2, d, 1000+n)
	}, nil},
	{"two-lines", "", func(n int, d string) string {
		head, tail, ok := strings.Cut(d, ",")
		if !ok {
			return "data: " + d + "\n\n"
		}
		return "data: " + head + ",\r\ndata: " + tail + "\r\n\r\n"
	}, nil},
	{"no-last-blank-line", "", func(n int, d string) string { return "data: " + d + "\n\n" },
		func(s string) string { return strings.TrimSuffix(s, "\n") }},
	{"cut-in-payload", "", func(n int, d string) string { return "data: " + d + "\n\n" },
		func(s string) string { return s[:len(s)-5] }},
}

func main() {
	for turn, payloads := range turns {
		for _, f := range framings {
			s := f.start
			for n, data := range payloads {
				s += f.write(n, data)
			}
			if f.end != nil {
				s = f.end(s)
			}
			if err := os.WriteFile("testdata/streams/"+turn+"."+f.name+".sse", []byte(s), 0o644); err != nil {
				log.Fatal(err)
			}
		}
	}
}
