package runtime

import (
	"encoding/json"

	"github.com/svedawasm/svedawasm/playground/internal/hostclient"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// The fixed outputs. Their texts are the contract's, or this runtime's where
// the contract has none.
var (
	outputUnknown = json.RawMessage(`{"success":false,"outcome":"unknown","error":"The outcome of this action is unknown: the runtime lost the host while it ran. It was not run again."}`)
	outputGone    = hostclient.Failure("This tool is no longer available. The action was not executed.")
	outputTask    = hostclient.Failure("This tool requires user confirmation and cannot run inside spawn_tasks.")
)

// deniedText is the contract's denied object without its closing brace.
const deniedText = `{"success":false,"denied":true,"error":"The user denied this action and it was not executed."`

// outputDenied is the output of a denied call: the fixed object, and beside it
// the person's reason as a string of its own, so that no reason can change
// what the object says (S73).
func outputDenied(reason string) json.RawMessage {
	out := []byte(deniedText)
	if reason != "" {
		out = append(out, `,"reason":`...)
		out = rawjson.AppendQuoted(out, reason)
	}
	return append(out, '}')
}

var deniedName = rawjson.NewNames("denied")

// saysDenied reports whether a browser's output is that of a denied call.
func saysDenied(output json.RawMessage) bool {
	var v [1]rawjson.Value
	return deniedName.Scan(output, v[:]) == nil && v[0].Kind == rawjson.True && !v[0].Duplicate
}

var successName = rawjson.NewNames("success")

func saysFailed(output json.RawMessage) bool {
	var v [1]rawjson.Value
	return successName.Scan(output, v[:]) == nil && v[0].Kind == rawjson.False
}
