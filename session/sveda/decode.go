package sveda

import (
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// Names of the members of all events (contract 1.5, 1.6); the constants are
// their places. They are matched exactly (design rule 8, B102).
var names = rawjson.NewNames("type", "chatId", "messageId", "timestamp", "delta", "toolCallId",
	"toolName", "target", "input", "confirmation", "output", "title", "code", "message", "finishReason")

const (
	nType = iota
	nChatID
	nMessageID
	nTimestamp
	nDelta
	nToolCallID
	nToolName
	nTarget
	nInput
	nConfirmation
	nOutput
	nTitle
	nCode
	nMessage
	nFinishReason
	nCount
)

type decoder struct {
	values [nCount]rawjson.Value
	text   [4][]byte // memory for texts with escapes
	extra  []byte    // members that have no place in values
	deltas deltas    // those that repeat the last one are not scanned again
}

func newReader() *Reader {
	d := &decoder{deltas: deltas{Repeat: rawjson.Repeat{Before: "data: ", After: "\n\n"}}}
	r := NewReader(d.decode)
	r.deltas = &d.deltas
	return r
}

// decode reads one event. A frame that cannot be read is Malformed: told, and
// otherwise without effect.
func (d *decoder) decode(data []byte, e *event.Event) bool {
	if lexeme, plain, ok := d.deltas.Match(data); ok {
		e.Raw, e.Kind = data, d.deltas.kind
		if e.Text = lexeme[1 : len(lexeme)-1]; !plain {
			e.Text = d.decoded(lexeme, 0)
		}
		return true
	}
	v := &d.values
	var err error
	if d.extra, err = names.Split(data, v[:], d.extra[:0]); err != nil {
		malformed(e, nil)
		return true
	}
	e.Raw = data
	if v[nType].Kind != rawjson.String || v[nType].Duplicate {
		malformed(e, nil)
		return true
	}
	switch string(d.string(nType, 0)) {
	case "text.delta":
		d.delta(event.Text, data, e)
	case "reasoning.delta":
		d.delta(event.Reasoning, data, e)
	case "message.start":
		e.Kind, e.ChatID, e.MessageID = event.MessageStart, notBlank(d.string(nChatID, 0)), notBlank(d.string(nMessageID, 1))
	case "tool.call":
		d.toolCall(e)
	case "tool.result":
		d.toolResult(e)
	case "tool.progress":
		e.Kind = event.Progress
	case "context.usage":
		e.Kind = event.Usage
	case "chat.title":
		e.Kind, e.Text = event.Title, d.string(nTitle, 0)
	case "max_steps":
		e.Kind = event.MaxSteps
	case "message.end":
		e.Kind, e.FinishReason = event.MessageEnd, d.string(nFinishReason, 0)
	case "error":
		e.Kind, e.Code, e.Text = event.Error, d.string(nCode, 0), d.string(nMessage, 1)
	default:
		e.Kind = event.Unknown // B115
	}
	return true
}

func (d *decoder) delta(kind event.Kind, data []byte, e *event.Event) {
	e.Kind, e.Text = kind, d.string(nDelta, 0)
	if v := &d.values[nDelta]; v.Kind == rawjson.String && !v.Duplicate {
		d.deltas.Learn(data, v.Raw)
		d.deltas.kind = kind
	}
}

// string gives the text of a member, "" for a member that is no string. slot
// names the memory that it may use.
func (d *decoder) string(name, slot int) []byte {
	return d.decoded(d.values[name].Raw, slot)
}

func (d *decoder) decoded(lexeme []byte, slot int) []byte {
	text := rawjson.Text(lexeme, d.text[slot])
	if cap(text) > cap(d.text[slot]) && len(text)+2 != len(lexeme) {
		d.text[slot] = text[:0]
	}
	return text
}

// toolCall reads a call. Its identity and arguments must be there once, and
// null counts as absent (B021, B117).
func (d *decoder) toolCall(e *event.Event) {
	v := &d.values
	e.ToolCallID, e.ToolName = d.string(nToolCallID, 0), d.string(nToolName, 1)
	ambiguous := v[nToolCallID].Duplicate || v[nToolName].Duplicate || v[nInput].Duplicate || v[nTarget].Duplicate
	if len(e.ToolCallID) == 0 || len(e.ToolName) == 0 || v[nInput].Kind <= rawjson.Null || ambiguous {
		malformed(e, e.ToolCallID)
		e.Code = []byte("malformed-call")
		return
	}
	e.Kind, e.Input = event.ToolCall, v[nInput].Raw
	if string(d.string(nTarget, 2)) == "frontend" {
		e.Target = event.Frontend
	}
	e.Required = event.Gated(v[nConfirmation])
	e.Extra = d.extra
}

func (d *decoder) toolResult(e *event.Event) {
	v := &d.values
	e.ToolCallID, e.ToolName = d.string(nToolCallID, 0), d.string(nToolName, 1)
	if len(e.ToolCallID) == 0 || v[nOutput].Kind == rawjson.Absent || v[nToolCallID].Duplicate || v[nOutput].Duplicate {
		malformed(e, e.ToolCallID)
		e.Code = []byte("malformed-result")
		return
	}
	e.Kind, e.Output = event.ToolResult, v[nOutput].Raw
	e.Extra = d.extra
}

func malformed(e *event.Event, call []byte) {
	e.Kind, e.Code, e.ToolCallID, e.Raw = event.Malformed, []byte("malformed-event"), call, nil
}

func notBlank(text []byte) []byte {
	if len(trim(text)) == 0 {
		return nil
	}
	return text
}
