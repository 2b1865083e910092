package server

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/svedawasm/svedawasm/playground/internal/runtime"
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
	"github.com/svedawasm/svedawasm/session/sveda"
)

// stampFormat is the time format of the wire.
const stampFormat = "2006-01-02T15:04:05.000000Z07:00"

// encoder writes the events of one turn with the dialect's own encoding.
type encoder struct {
	full     sveda.Stamp // what an event of the agent carries (contract 1.5)
	noID     sveda.Stamp // chatId and timestamp
	timeOnly sveda.Stamp
}

func newEncoder(t *runtime.Turn) *encoder {
	at := timeString(t.StartedAt())
	return &encoder{
		full:     sveda.Stamp{ChatID: t.ChatID(), MessageID: t.MessageID(), Timestamp: at},
		noID:     sveda.Stamp{ChatID: t.ChatID(), Timestamp: at},
		timeOnly: sveda.Stamp{Timestamp: at},
	}
}

// append adds the JSON of an event.
func (e *encoder) append(dst []byte, ev runtime.Event) []byte {
	switch ev := ev.(type) {
	case runtime.MessageStart:
		return sveda.AppendMessageStart(dst, e.full)
	case runtime.TextDelta:
		return sveda.AppendText(dst, e.full, ev.Text)
	case runtime.ReasoningDelta:
		return sveda.AppendReasoning(dst, e.full, ev.Text)
	case runtime.ToolCall:
		target := event.Backend
		if string(ev.Call.Target) == event.Frontend.String() {
			target = event.Frontend
		}
		return sveda.AppendToolCall(dst, e.full, ev.Call.ID, ev.Call.Name, target, oneLine(ev.Call.Input), ev.Call.Confirming)
	case runtime.ToolResult:
		stamp := e.full
		if ev.Decided {
			stamp = e.timeOnly
		}
		output := oneLine(ev.Output)
		hint, data := resourceLinks(output)
		return sveda.AppendToolResult(dst, stamp, ev.CallID, ev.Name, output, hint, data)
	case runtime.ToolProgress:
		tasks := make([]sveda.Task, len(ev.Tasks))
		for i, t := range ev.Tasks {
			tasks[i] = sveda.Task{ID: t.ID, Label: t.Label, Status: t.Status, Detail: t.Detail}
		}
		return sveda.AppendProgress(dst, e.full, ev.Phase, tasks)
	case runtime.ContextUsage:
		return sveda.AppendUsage(dst, e.full, ev.Used, ev.Max)
	case runtime.ChatTitle:
		return sveda.AppendTitle(dst, e.noID, ev.Title)
	case runtime.MaxSteps:
		return sveda.AppendMaxSteps(dst, e.full, ev.Max)
	case runtime.MessageEnd:
		stamp := e.full
		if ev.Blocked {
			stamp = e.noID
		}
		var usage *sveda.Usage
		if ev.Usage != nil {
			usage = &sveda.Usage{Prompt: ev.Usage.Prompt, Completion: ev.Usage.Completion}
		}
		return sveda.AppendMessageEnd(dst, stamp, ev.Reason, usage)
	case runtime.Failure:
		return sveda.AppendError(dst, e.full, ev.Code, ev.Message)
	}
	return dst
}

// The pieces of the history API's JSON (contract 5).

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
	return append(dst, oneLine(value)...)
}

func name(dst []byte, key string) []byte {
	dst = append(dst, ',', '"')
	dst = append(dst, key...)
	return append(dst, '"', ':')
}

// oneLine gives JSON without the line breaks that may stand between its tokens:
// one in the middle of a frame would end its data line.
func oneLine(value []byte) []byte {
	out := make([]byte, len(value))
	for i, c := range value {
		if c == '\n' || c == '\r' {
			c = ' '
		}
		out[i] = c
	}
	return out
}

func timeString(t time.Time) string { return t.UTC().Format(stampFormat) }
