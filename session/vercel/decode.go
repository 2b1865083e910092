package vercel

import (
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// Names of the members of all parts; the constants are their places. They are
// matched exactly (design rule 8).
var names = rawjson.NewNames("type", "textDelta", "reasoningDelta", "toolCallId", "toolName", "args",
	"target", "confirmation", "result", "data", "finishReason", "usage", "error")

const (
	nType = iota
	nText
	nReasoning
	nToolCallID
	nToolName
	nArgs
	nTarget
	nConfirmation
	nResult
	nData
	nFinishReason
	nUsage
	nError
	nCount
)

var (
	dataNames  = rawjson.NewNames("phase", "tasks", "usedTokens", "maxTokens", "percent", "title", "maxSteps", "canContinue")
	errorNames = rawjson.NewNames("code", "message")
)

const (
	dPhase = iota
	dTasks
	dUsedTokens
	dMaxTokens
	dPercent
	dTitle
	dMaxSteps
	dCanContinue
	dCount
)

// decoder translates parts to events. Raw, what listeners get, is the Sveda event
// that the part stands for.
type decoder struct {
	values [nCount]rawjson.Value
	raw    []byte    // memory of Raw
	text   [3][]byte // memory of decoded texts
	rest   []byte    // members that have no place in values
}

func (d *decoder) decode(part []byte, e *event.Event) bool {
	v := &d.values
	var err error
	if d.rest, err = names.Split(part, v[:], d.rest[:0]); err != nil || v[nType].Kind != rawjson.String || v[nType].Duplicate {
		malformed(e, "malformed-event")
		return true
	}
	switch string(d.string(&v[nType], 0)) {
	case "text-delta":
		e.Kind, e.Text = event.Text, d.string(&v[nText], 0)
		d.begin("text.delta").member("delta", v[nText], `""`)
	case "reasoning-delta":
		e.Kind, e.Text = event.Reasoning, d.string(&v[nReasoning], 0)
		d.begin("reasoning.delta").member("delta", v[nReasoning], `""`)
	case "tool-call":
		if !d.toolCall(part, e) {
			return true
		}
	case "tool-result":
		if !d.toolResult(part, e) {
			return true
		}
	case "data-toolProgress":
		e.Kind = event.Progress
		d.data("tool.progress", dPhase, dTasks)
	case "data-contextUsage":
		e.Kind = event.Usage
		d.data("context.usage", dUsedTokens, dMaxTokens, dPercent)
	case "data-chatTitle":
		e.Kind = event.Title
		in := d.data("chat.title", dTitle)
		e.Text = d.string(&in[dTitle], 0)
	case "data-maxStepsReached":
		e.Kind = event.MaxSteps
		in := d.data("max_steps", dMaxSteps)
		d.member("canContinue", in[dCanContinue], "true")
	case "finish":
		e.Kind, e.FinishReason = event.MessageEnd, d.string(&v[nFinishReason], 0)
		d.begin("message.end").member("finishReason", v[nFinishReason], `"stop"`).member("usage", v[nUsage], "")
		if len(e.FinishReason) == 0 {
			e.FinishReason = []byte("stop")
		}
	case "error":
		d.failure(e)
	default:
		return false // dropped, as the known client does
	}
	d.raw = append(d.raw, '}')
	e.Raw = d.raw
	return true
}

func (d *decoder) toolCall(part []byte, e *event.Event) bool {
	v := &d.values
	e.ToolCallID, e.ToolName = d.string(&v[nToolCallID], 0), d.string(&v[nToolName], 1)
	if len(e.ToolCallID) == 0 || len(e.ToolName) == 0 || v[nToolCallID].Duplicate || v[nToolName].Duplicate ||
		v[nArgs].Duplicate || v[nTarget].Duplicate {
		malformed(e, "malformed-call")
		return false
	}
	e.Kind, e.Input = event.ToolCall, v[nArgs].Raw
	if v[nArgs].Kind <= rawjson.Null {
		e.Input = []byte("{}")
	}
	if string(d.string(&v[nTarget], 2)) == "frontend" {
		e.Target = event.Frontend
	}
	e.Required = event.Gated(v[nConfirmation])
	e.Extra = d.rest
	d.begin("tool.call").member("toolCallId", v[nToolCallID], "").member("toolName", v[nToolName], "")
	d.raw = append(append(append(d.raw, `,"target":"`...), e.Target.String()...), '"')
	d.member("input", v[nArgs], "{}").member("confirmation", v[nConfirmation], "")
	d.extra(e.Extra)
	return true
}

// toolResult reads a result. renderHint and renderData are kept with it as
// members that the model has no field for.
func (d *decoder) toolResult(part []byte, e *event.Event) bool {
	v := &d.values
	e.ToolCallID, e.ToolName = d.string(&v[nToolCallID], 0), d.string(&v[nToolName], 1)
	if len(e.ToolCallID) == 0 || v[nResult].Kind == rawjson.Absent || v[nToolCallID].Duplicate || v[nResult].Duplicate {
		malformed(e, "malformed-result")
		return false
	}
	e.Kind, e.Output = event.ToolResult, v[nResult].Raw
	e.Extra = d.rest
	d.begin("tool.result").member("toolCallId", v[nToolCallID], "").member("toolName", v[nToolName], "").member("output", v[nResult], "null")
	d.extra(e.Extra)
	return true
}

func (d *decoder) failure(e *event.Event) {
	var in [2]rawjson.Value
	_ = errorNames.Scan(d.values[nError].Raw, in[:]) // an error that is no object says nothing
	e.Kind, e.Code, e.Text = event.Error, d.string(&in[0], 0), d.string(&in[1], 1)
	if len(e.Code) == 0 {
		e.Code = []byte("unknown")
	}
	if len(e.Text) == 0 {
		e.Text = []byte("Unknown error")
	}
	d.begin("error").member("code", in[0], `"unknown"`).member("message", in[1], `"Unknown error"`)
}

// data begins an event whose members stand one level down, in "data".
func (d *decoder) data(kind string, members ...int) (in [dCount]rawjson.Value) {
	_ = dataNames.Scan(d.values[nData].Raw, in[:]) // without an object there are none
	d.begin(kind)
	for _, at := range members {
		d.member(dataMembers[at], in[at], "")
	}
	return in
}

var dataMembers = [dCount]string{"phase", "tasks", "usedTokens", "maxTokens", "percent", "title", "maxSteps", "canContinue"}

func (d *decoder) begin(kind string) *decoder {
	d.raw = append(append(append(d.raw[:0], `{"type":"`...), kind...), '"')
	return d
}

// member appends a value that is there, or what stands for one that is not; ""
// for nothing.
func (d *decoder) member(name string, v rawjson.Value, standard string) *decoder {
	if v.Kind <= rawjson.Null && standard == "" {
		return d
	}
	d.raw = append(append(append(d.raw, `,"`...), name...), `":`...)
	if v.Kind <= rawjson.Null {
		d.raw = append(d.raw, standard...)
	} else {
		d.raw = append(d.raw, v.Raw...)
	}
	return d
}

func (d *decoder) extra(members []byte) {
	if len(members) > 0 {
		d.raw = append(append(d.raw, ','), members...)
	}
}

// string gives the text of a member, "" for one that is no string. slot names the
// memory that it may use.
func (d *decoder) string(v *rawjson.Value, slot int) []byte {
	text := rawjson.Text(v.Raw, d.text[slot])
	if v.Kind == rawjson.String && len(text)+2 != len(v.Raw) {
		d.text[slot] = text[:0]
	}
	return text
}

func malformed(e *event.Event, code string) {
	e.Kind, e.Code = event.Malformed, []byte(code)
}
