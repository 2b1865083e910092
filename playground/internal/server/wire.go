package server

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/svedawasm/svedawasm/playground/internal/runtime"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// The events of the contract (1.5, 1.6) as bytes. Keys have a fixed order,
// what is unset is absent and never null, and JSON that a model, a host or a
// browser gave passes through unchanged.

// stamp is the time format of the wire.
const stamp = "2006-01-02T15:04:05.000000Z07:00"

// encoder writes the events of one turn.
type encoder struct {
	chatID    string
	messageID string
	time      string
}

func newEncoder(t *runtime.Turn) *encoder {
	return &encoder{t.ChatID(), t.MessageID(), t.StartedAt().UTC().Format(stamp)}
}

// common says which of the common fields an event has (contract 1.5).
type common int

const (
	full     common = iota // chatId, messageId, timestamp
	noID                   // chatId, timestamp
	timeOnly               // timestamp
)

// append adds the JSON of an event.
func (e *encoder) append(dst []byte, ev runtime.Event) []byte {
	switch ev := ev.(type) {
	case runtime.MessageStart:
		dst = e.head(dst, "message.start", full)
	case runtime.TextDelta:
		dst = str(e.head(dst, "text.delta", full), "delta", ev.Text)
	case runtime.ReasoningDelta:
		dst = str(e.head(dst, "reasoning.delta", full), "delta", ev.Text)
	case runtime.ToolCall:
		dst = str(e.head(dst, "tool.call", full), "toolCallId", ev.Call.ID)
		dst = str(dst, "toolName", ev.Call.Name)
		dst = str(dst, "target", string(ev.Call.Target))
		dst = raw(dst, "input", ev.Call.Input)
		if ev.Call.Confirming {
			dst = str(dst, "confirmation", "required")
		}
	case runtime.ToolResult:
		c := full
		if ev.Decided {
			c = timeOnly
		}
		dst = str(e.head(dst, "tool.result", c), "toolCallId", ev.CallID)
		dst = str(dst, "toolName", ev.Name)
		dst = raw(dst, "output", ev.Output)
		dst = appendLinks(dst, ev.Output)
	case runtime.ToolProgress:
		dst = str(e.head(dst, "tool.progress", full), "phase", ev.Phase)
		tasks, _ := json.Marshal(ev.Tasks) // plain strings always encode
		dst = raw(dst, "tasks", tasks)
	case runtime.ContextUsage:
		dst = num(e.head(dst, "context.usage", full), "usedTokens", ev.Used)
		dst = num(dst, "maxTokens", ev.Max)
		dst = append(dst, `,"percent":`...)
		dst = strconv.AppendFloat(dst, percent(ev.Used, ev.Max), 'f', -1, 64)
	case runtime.ChatTitle:
		dst = str(e.head(dst, "chat.title", noID), "title", ev.Title)
	case runtime.MaxSteps:
		dst = num(e.head(dst, "max_steps", full), "maxSteps", ev.Max)
		dst = append(dst, `,"canContinue":true`...)
	case runtime.MessageEnd:
		c := full
		if ev.Blocked {
			c = noID
		}
		dst = str(e.head(dst, "message.end", c), "finishReason", ev.Reason)
		if ev.Usage != nil {
			dst = append(dst, `,"usage":{"promptTokens":`...)
			dst = strconv.AppendInt(dst, int64(ev.Usage.Prompt), 10)
			dst = num(dst, "completionTokens", ev.Usage.Completion)
			dst = num(dst, "totalTokens", ev.Usage.Prompt+ev.Usage.Completion)
			dst = append(dst, '}')
		}
	case runtime.Failure:
		dst = str(e.head(dst, "error", full), "code", ev.Code)
		dst = str(dst, "message", ev.Message)
	}
	return append(dst, '}')
}

func (e *encoder) head(dst []byte, kind string, c common) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, kind...)
	dst = append(dst, '"')
	if c != timeOnly {
		dst = str(dst, "chatId", e.chatID)
	}
	if c == full {
		dst = str(dst, "messageId", e.messageID)
	}
	return str(dst, "timestamp", e.time)
}

func str(dst []byte, key, value string) []byte {
	return rawjson.AppendQuoted(name(dst, key), value)
}

func num(dst []byte, key string, value int) []byte {
	return strconv.AppendInt(name(dst, key), int64(value), 10)
}

func raw(dst []byte, key string, value json.RawMessage) []byte {
	dst = name(dst, key)
	if len(value) == 0 {
		return append(dst, "null"...)
	}
	return appendOneLine(dst, value)
}

func name(dst []byte, key string) []byte {
	dst = append(dst, ',', '"')
	dst = append(dst, key...)
	return append(dst, '"', ':')
}

// appendOneLine adds JSON without the line breaks that may stand between its
// tokens: one in the middle of a frame would end its data line.
func appendOneLine(dst []byte, value []byte) []byte {
	for _, c := range value {
		if c == '\n' || c == '\r' {
			c = ' '
		}
		dst = append(dst, c)
	}
	return dst
}

// percent has one decimal and is at most 100.
func percent(used, limit int) float64 {
	if limit <= 0 {
		return 0
	}
	return math.Min(100, math.Round(float64(used)*1000/float64(limit))/10)
}

func timeString(t time.Time) string { return t.UTC().Format(stamp) }
