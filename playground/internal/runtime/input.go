package runtime

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/svedawasm/svedawasm/session/rawjson"
)

// checkInput gives the arguments that are stored, shown and run, and why they
// cannot be run ("" when they can). They are the model's own bytes.
//
// Arguments that two readers could read differently must never reach a host:
// a person would confirm one reading and the host run the other.
func checkInput(args json.RawMessage) (input json.RawMessage, fault string) {
	if len(args) == 0 {
		return json.RawMessage("{}"), ""
	}
	if err := rawjson.Valid(args); err != nil {
		return json.RawMessage("{}"), "The arguments are not valid JSON."
	}
	if rawjson.KindOf(args) != rawjson.Object {
		return json.RawMessage("{}"), "The arguments are not a JSON object."
	}
	if !utf8.Valid(args) {
		return json.RawMessage("{}"), "The arguments are not valid UTF-8."
	}
	if hasDuplicate(args) {
		return args, "The arguments name a key twice."
	}
	return args, ""
}

// hasDuplicate looks for equal keys in any object of a valid JSON value.
func hasDuplicate(value []byte) bool {
	found := false
	each := func(v []byte) bool {
		found = hasDuplicate(v)
		return !found
	}
	switch rawjson.KindOf(value) {
	case rawjson.Array:
		_ = rawjson.Elements(value, each) // checked by the caller
	case rawjson.Object:
		seen := map[string]bool{}
		_ = rawjson.Members(value, func(key, v []byte) bool {
			name := string(rawjson.Text(key, nil))
			if seen[name] {
				found = true
				return false
			}
			seen[name] = true
			return each(v)
		})
	}
	return found
}
