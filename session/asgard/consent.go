package asgard

import (
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

var (
	callNames = rawjson.NewNames("processId", "callSeq", "toolUseId", "parentToolUseId", "toolCall",
		"toolCallResult", "isError", "toolUseResultSidecar")
	toolNames    = rawjson.NewNames("toolsetName", "toolName", "parameter", "reason")
	consentNames = rawjson.NewNames("processId", "pendingCalls")
	pendingNames = rawjson.NewNames("toolsetName", "toolName", "parameter", "reason",
		"toolCallId", "alreadyAllowed")
)

const (
	callProcess = iota
	callSeq
	callUseID
	callParent
	callTool
	callResult
	callIsError
	callSidecar
	callCount
)

// The first four places of pendingNames are those of toolNames.
const (
	toolToolset = iota
	toolName
	toolParameter
	toolReason
	toolCount
	pendingID      = 4
	pendingAllowed = 5
	pendingCount   = 6
)

// tool reads what both shapes of a call share. Identity and arguments must not
// be ambiguous; false makes the event malformed.
func (d *decoder) tool(v []rawjson.Value, e *event.Event) bool {
	e.ToolName, e.Toolset = d.string(v[toolName], 1), d.string(v[toolToolset], 2)
	e.Reason = d.string(v[toolReason], 3)
	if len(e.ToolName) == 0 || v[toolName].Duplicate || v[toolToolset].Duplicate || v[toolParameter].Duplicate {
		return malformedCall(e)
	}
	if e.Input = v[toolParameter].Raw; e.Input == nil {
		e.Input = []byte("null") // any JSON is allowed, and none is none
	}
	return true
}

// toolCall reads the start or the end of a call. A start without arguments
// announces nothing that could be shown: the call comes with its consent or its
// end. Calls of a subagent are not part of the main thread (L13).
func (d *decoder) toolCall(fact rawjson.Value, kind event.Kind, e *event.Event) {
	var v [callCount]rawjson.Value
	var tool [toolCount]rawjson.Value
	if !object(callNames, fact, v[:], e) {
		return
	}
	if len(d.string(v[callParent], 0)) > 0 {
		return // Unknown
	}
	e.ToolCallID = d.callID(&v)
	if len(e.ToolCallID) == 0 || v[callUseID].Duplicate || v[callTool].Duplicate || v[callResult].Duplicate {
		malformedCall(e)
		return
	}
	if !object(toolNames, v[callTool], tool[:], e) || !d.tool(tool[:], e) {
		return
	}
	bare := tool[toolParameter].Kind <= rawjson.Null
	if kind == event.ToolCall {
		if !bare {
			e.Kind = kind
		}
		return
	}
	if e.Output = v[callResult].Raw; e.Output == nil {
		e.Output = []byte("null")
	}
	e.Kind = kind
	if v[callIsError].Kind == rawjson.True {
		e.Extra = append(e.Extra, `"isError":true`...)
	}
	if v[callSidecar].Kind > rawjson.Null {
		if e.Extra != nil {
			e.Extra = append(e.Extra, ',')
		}
		e.Extra = append(append(e.Extra, `"toolUseResultSidecar":`...), v[callSidecar].Raw...)
	}
}

// callID is the id of a call. An old server names only the process and the
// number of the call in it.
func (d *decoder) callID(v *[callCount]rawjson.Value) []byte {
	if id := d.string(v[callUseID], 0); len(id) > 0 {
		return id
	}
	process := d.string(v[callProcess], 0)
	if len(process) == 0 || v[callSeq].Kind != rawjson.Number {
		return nil
	}
	return append(append(append([]byte(nil), process...), '#'), v[callSeq].Raw...)
}

// consent reads a batch of calls that wait for a person. A batch with a call
// that cannot be read is malformed as a whole: half of it could never be
// answered.
func (d *decoder) consent(fact rawjson.Value, e *event.Event) {
	var v [2]rawjson.Value
	if !object(consentNames, fact, v[:], e) {
		return
	}
	if v[1].Duplicate || v[1].Kind != rawjson.Array {
		malformed(e)
		return
	}
	calls, whole := d.calls[:0], true
	_ = rawjson.Elements(v[1].Raw, func(value []byte) bool {
		var probe event.Event
		whole = d.pending(value, &probe)
		calls = append(calls, value)
		return whole
	})
	if !whole {
		malformedCall(e)
		return
	}
	d.calls, d.total, d.run = calls, len(calls), e.RunID
	d.batched = append(d.batched[:0], d.string(v[0], 0)...)
	e.Kind, e.BatchID, e.Count = event.Batch, d.batched, len(calls)
}

// call hands out the next call of the batch.
func (d *decoder) call(e *event.Event) bool {
	if len(d.calls) == 0 {
		return false
	}
	value := d.calls[0]
	d.calls = d.calls[1:]
	e.Reset()
	e.RunID, e.Place = d.run, d.total-len(d.calls)
	d.pending(value, e)
	return true
}

// pending reads one call of a batch. Only a plain true counts as allowed.
func (d *decoder) pending(value []byte, e *event.Event) bool {
	var v [pendingCount]rawjson.Value
	if pendingNames.Scan(value, v[:]) != nil {
		return malformedCall(e)
	}
	e.ToolCallID = d.string(v[pendingID], 0)
	if len(e.ToolCallID) == 0 || v[pendingID].Duplicate {
		return malformedCall(e)
	}
	if !d.tool(v[:], e) {
		return false
	}
	e.Kind, e.Required = event.ToolCall, true
	e.Allowed = v[pendingAllowed].Kind == rawjson.True && !v[pendingAllowed].Duplicate
	return true
}

func malformedCall(e *event.Event) bool {
	e.Kind, e.Code = event.Malformed, []byte("malformed-call")
	return false
}
