package asgard

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/svedawasm/svedawasm/playground/internal/runtime"
	"github.com/svedawasm/svedawasm/playground/internal/store"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// action is what a body asks for (contract 2.1).
type action string

const (
	actionNone  action = "NONE"
	actionReply action = "RESPONSE_TOOL_CALL_CONSENT"
	actionNudge action = "NUDGE"
	actionReset action = "RESET_CHANNEL"
)

// request is the body of a turn.
type request struct {
	action    action
	channelID string
	messageID string
	text      string
	payload   json.RawMessage
	blobs     bool
	decisions []runtime.Decision
}

// Names are matched exactly and may stand once: what answers a consent must not
// depend on which of two a parser takes.
var requestNames = rawjson.NewNames("action", "customChannelId", "customMessageId", "text", "payload", "blobIds", "toolCallConsents")

func parseRequest(body []byte) (request, error) {
	var v [7]rawjson.Value
	if err := requestNames.Scan(body, v[:]); err != nil {
		return request{}, fmt.Errorf("the body is not a JSON object: %w", err)
	}
	for i := range v {
		if v[i].Duplicate {
			return request{}, errors.New("a field of the body stands twice")
		}
	}
	var req request
	var word string
	for _, field := range []struct {
		name string
		v    rawjson.Value
		to   *string
	}{{"action", v[0], &word}, {"customChannelId", v[1], &req.channelID}, {"customMessageId", v[2], &req.messageID}, {"text", v[3], &req.text}} {
		switch field.v.Kind {
		case rawjson.Absent, rawjson.Null:
		case rawjson.String:
			*field.to = string(rawjson.Text(field.v.Raw, nil))
		default:
			return req, fmt.Errorf("expected %s to be a string", field.name)
		}
	}
	if reason := checkID(req.channelID); reason != "" {
		return req, errors.New(reason)
	}
	if len(req.messageID) > maxID {
		return req, errors.New("customMessageId is too long")
	}
	if req.text = strings.TrimSpace(req.text); v[4].Kind > rawjson.Null {
		req.payload = v[4].Raw
	}
	req.blobs = v[5].Kind > rawjson.Null && string(v[5].Raw) != "[]"
	switch req.action = action(word); req.action {
	case actionNone, actionNudge:
	case actionReset:
		if req.blobs {
			return req, errors.New("RESET_CHANNEL takes no blobIds")
		}
	case actionReply:
		var err error
		req.decisions, err = parseConsents(v[6])
		return req, err
	default:
		return req, fmt.Errorf("unknown action %q", word)
	}
	return req, nil
}

var consentNames = rawjson.NewNames("toolCallId", "result", "denyReason")

// maxReason is the length limit of a reason, in bytes.
const maxReason = 4096

func parseConsents(v rawjson.Value) (list []runtime.Decision, err error) {
	if v.Kind != rawjson.Array {
		return nil, errors.New("expected toolCallConsents to be an array")
	}
	_ = rawjson.Elements(v.Raw, func(raw []byte) bool { // valid: a part of a valid body
		var m [3]rawjson.Value
		if consentNames.Scan(raw, m[:]) != nil {
			err = errors.New("expected toolCallConsents to hold objects")
			return false
		}
		for i := range m {
			if m[i].Duplicate {
				err = errors.New("a field of a consent stands twice")
				return false
			}
		}
		d := runtime.Decision{CallID: string(rawjson.Text(m[0].Raw, nil)), Reason: string(rawjson.Text(m[2].Raw, nil))}
		switch word := string(rawjson.Text(m[1].Raw, nil)); word {
		case "ALLOW_ONCE":
			d.Word, d.Reason = store.Approve, ""
		case "ALLOW_ALWAYS":
			d.Word, d.Reason, d.Always = store.Approve, "", true
		case "DENY_ONCE":
			d.Word = store.Deny
		default:
			err = fmt.Errorf("unknown result %q of a consent", word)
		}
		if d.CallID == "" && err == nil {
			err = errors.New("a consent names no toolCallId")
		}
		if len(d.Reason) > maxReason && err == nil {
			err = fmt.Errorf("a denyReason has %d bytes, at most %d are allowed", len(d.Reason), maxReason)
		}
		list = append(list, d)
		return err == nil
	})
	return list, err
}
