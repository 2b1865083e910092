package sveda

import (
	"math"
	"strconv"

	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// The server's half: the eleven events as JSON (contract 1.5, 1.6). A key that is
// unset is absent, never null, and the order of the keys is fixed: type, what all
// events have, then their own.

// Stamp is what all events have. Each field is absent when it is "".
type Stamp struct {
	ChatID    string
	MessageID string
	Timestamp string // RFC 3339, UTC, fractional seconds
}

// DoneFrame ends a stream.
const DoneFrame = "data: [DONE]\n\n"

// AppendFrame appends the frame of an event. Line breaks between the tokens of
// the JSON become blanks: one would end the data line.
func AppendFrame(dst, event []byte) []byte {
	dst = append(dst, "data: "...)
	for _, c := range event {
		if c == '\n' || c == '\r' {
			c = ' '
		}
		dst = append(dst, c)
	}
	return append(dst, "\n\n"...)
}

// AppendMessageStart appends a message.start.
func AppendMessageStart(dst []byte, s Stamp) []byte {
	return append(s.open(dst, "message.start"), '}')
}

// AppendText appends a text.delta.
func AppendText(dst []byte, s Stamp, delta string) []byte {
	return append(quoted(s.open(dst, "text.delta"), "delta", delta), '}')
}

// AppendReasoning appends a reasoning.delta.
func AppendReasoning(dst []byte, s Stamp, delta string) []byte {
	return append(quoted(s.open(dst, "reasoning.delta"), "delta", delta), '}')
}

// AppendToolCall appends a tool.call. input is raw JSON, an object; required says
// that a person must decide.
func AppendToolCall(dst []byte, s Stamp, id, name string, target event.Target, input []byte, required bool) []byte {
	dst = quoted(s.open(dst, "tool.call"), "toolCallId", id)
	dst = quoted(dst, "toolName", name)
	dst = quoted(dst, "target", target.String())
	dst = value(dst, "input", input, "{}")
	if required {
		dst = quoted(dst, "confirmation", "required")
	}
	return append(dst, '}')
}

// AppendToolResult appends a tool.result. output and renderData are raw JSON;
// renderHint and its data are absent when renderHint is "". What a decision led
// to carries its timestamp alone (1.5).
func AppendToolResult(dst []byte, s Stamp, id, name string, output []byte, renderHint string, renderData []byte) []byte {
	dst = quoted(s.open(dst, "tool.result"), "toolCallId", id)
	dst = quoted(dst, "toolName", name)
	dst = value(dst, "output", output, "null")
	if renderHint != "" {
		dst = quoted(dst, "renderHint", renderHint)
		dst = value(dst, "renderData", renderData, "{}")
	}
	return append(dst, '}')
}

// Task is one task of a tool.progress. Status is pending, running, completed or
// failed; Detail may be "".
type Task struct{ ID, Label, Status, Detail string }

// AppendProgress appends a tool.progress; phase may be "".
func AppendProgress(dst []byte, s Stamp, phase string, tasks []Task) []byte {
	dst = s.open(dst, "tool.progress")
	if phase != "" {
		dst = quoted(dst, "phase", phase)
	}
	dst = append(dst, `,"tasks":[`...)
	for i, t := range tasks {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = rawjson.AppendQuoted(append(dst, `{"id":`...), t.ID)
		dst = quoted(dst, "label", t.Label)
		dst = quoted(dst, "status", t.Status)
		if t.Detail != "" {
			dst = quoted(dst, "detail", t.Detail)
		}
		dst = append(dst, '}')
	}
	return append(dst, "]}"...)
}

// AppendUsage appends a context.usage, in tokens; percent has one decimal and is
// at most 100.
func AppendUsage(dst []byte, s Stamp, used, limit int) []byte {
	dst = number(s.open(dst, "context.usage"), "usedTokens", used)
	dst = number(dst, "maxTokens", limit)
	percent := 0.0
	if limit > 0 {
		percent = math.Min(100, math.Round(float64(used)*1000/float64(limit))/10)
	}
	dst = append(dst, `,"percent":`...)
	return append(strconv.AppendFloat(dst, percent, 'f', -1, 64), '}')
}

// AppendTitle appends a chat.title.
func AppendTitle(dst []byte, s Stamp, title string) []byte {
	return append(quoted(s.open(dst, "chat.title"), "title", title), '}')
}

// AppendMaxSteps appends a max_steps.
func AppendMaxSteps(dst []byte, s Stamp, limit int) []byte {
	dst = number(s.open(dst, "max_steps"), "maxSteps", limit)
	return append(dst, `,"canContinue":true}`...)
}

// Usage is what a turn has used, in tokens.
type Usage struct{ Prompt, Completion int }

// AppendMessageEnd appends a message.end; finishReason may be "" and usage nil.
func AppendMessageEnd(dst []byte, s Stamp, finishReason string, usage *Usage) []byte {
	dst = s.open(dst, "message.end")
	if finishReason != "" {
		dst = quoted(dst, "finishReason", finishReason)
	}
	if usage != nil {
		dst = append(dst, `,"usage":{"promptTokens":`...)
		dst = strconv.AppendInt(dst, int64(usage.Prompt), 10)
		dst = number(dst, "completionTokens", usage.Completion)
		dst = number(dst, "totalTokens", usage.Prompt+usage.Completion)
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

// AppendError appends an error.
func AppendError(dst []byte, s Stamp, code, message string) []byte {
	dst = quoted(s.open(dst, "error"), "code", code)
	return append(quoted(dst, "message", message), '}')
}

func (s Stamp) open(dst []byte, kind string) []byte {
	dst = append(append(append(dst, `{"type":"`...), kind...), '"')
	for _, f := range [...][2]string{{"chatId", s.ChatID}, {"messageId", s.MessageID}, {"timestamp", s.Timestamp}} {
		if f[1] != "" {
			dst = quoted(dst, f[0], f[1])
		}
	}
	return dst
}

func key(dst []byte, name string) []byte {
	return append(append(append(dst, `,"`...), name...), `":`...)
}

func quoted(dst []byte, name, text string) []byte {
	return rawjson.AppendQuoted(key(dst, name), text)
}

func number(dst []byte, name string, n int) []byte {
	return strconv.AppendInt(key(dst, name), int64(n), 10)
}

func value(dst []byte, name string, raw []byte, standard string) []byte {
	return appendOr(key(dst, name), raw, standard)
}
