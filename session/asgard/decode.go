package asgard

import (
	"bytes"

	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// Names are matched exactly (design rule 8). A fact that is null counts as
// absent: one server writes every key, another only the one in use (2.2).
var (
	envelopeNames = rawjson.NewNames("eventType", "requestId", "fact")
	factNames     = rawjson.NewNames("runError", "messageStart", "messageDelta", "messageComplete",
		"messageThinkingStart", "messageThinkingDelta", "messageThinkingComplete", "messageUser",
		"toolCallStart", "toolCallComplete", "toolCallConsent", "channelTitleUpdate")
	bodyNames    = rawjson.NewNames("message", "error", "title")
	messageNames = rawjson.NewNames("messageId", "text", "parentToolUseId", "customMessageId", "blobIds")
	errorNames   = rawjson.NewNames("message", "code", "inner")
)

const (
	envelopeType = iota
	envelopeRequest
	envelopeFact
	envelopeCount
)

const (
	factRunError = iota
	factMessageStart
	factMessageDelta
	factMessageComplete
	factThinkingStart
	factThinkingDelta
	factThinkingComplete
	factMessageUser
	factToolCallStart
	factToolCallComplete
	factConsent
	factTitle
	factCount
)

const (
	messageID = iota
	messageText
	messageParent
	messageCustomID
	messageBlobs
	messageCount
)

// decoder turns frames of one response into events.
type decoder struct {
	reply   bool            // the response to a reply: its first event may refuse it
	begun   bool            // more than the start of the run has been said
	done    map[string]bool // messages that are complete
	thought map[string]bool // the same for reasoning, whose ids may be the same
	calls   [][]byte        // calls of a consent that are still to be handed out
	total   int             // calls that the consent has
	run     []byte          // the run of those calls
	batched []byte
	text    [4][]byte // memory for texts with escapes
}

// decode reads one frame. What cannot be read is Malformed, what is not for
// the main thread of the chat Unknown: both are told, and change nothing.
func (d *decoder) decode(data []byte, e *event.Event) {
	var v [envelopeCount]rawjson.Value
	if envelopeNames.Scan(data, v[:]) != nil {
		malformed(e)
		return
	}
	e.Raw = data
	kind := v[envelopeType]
	if kind.Kind != rawjson.String || len(kind.Raw) == 2 || kind.Duplicate || v[envelopeFact].Duplicate {
		malformed(e)
		return
	}
	e.RunID = rawjson.Text(v[envelopeRequest].Raw, nil)
	var facts [factCount]rawjson.Value
	if v[envelopeFact].Kind == rawjson.Object {
		_ = factNames.Scan(v[envelopeFact].Raw, facts[:]) // valid: a part of a valid text
	}
	name := string(rawjson.Text(kind.Raw, d.text[0]))
	switch name {
	case "asgard.run.init":
		e.Kind = event.RunStart
		return
	case "asgard.run.done":
		e.Kind = event.MessageEnd
	case "asgard.run.error":
		d.runError(facts[factRunError], e)
	case "asgard.message.start":
		d.message(facts[factMessageStart], event.MessageStart, e)
	case "asgard.message.delta":
		d.message(facts[factMessageDelta], event.Text, e)
	case "asgard.message.complete":
		d.message(facts[factMessageComplete], event.SetText, e)
	case "asgard.message.thinking.start":
		d.message(facts[factThinkingStart], event.Unknown, e)
	case "asgard.message.thinking.delta":
		d.message(facts[factThinkingDelta], event.Reasoning, e)
	case "asgard.message.thinking.complete":
		d.message(facts[factThinkingComplete], event.SetReasoning, e)
	case "asgard.message.user":
		d.userMessage(facts[factMessageUser], e)
	case "asgard.tool_call.start":
		d.toolCall(facts[factToolCallStart], event.ToolCall, e)
	case "asgard.tool_call.complete":
		d.toolCall(facts[factToolCallComplete], event.ToolResult, e)
	case "asgard.tool_call.consent":
		d.consent(facts[factConsent], e)
	case "asgard.channel.title.update":
		d.title(facts[factTitle], e)
	default:
		e.Kind = event.Unknown
	}
	d.begun = true
}

// object opens the object value v for names; false makes the event malformed.
func object(names *rawjson.Names, v rawjson.Value, out []rawjson.Value, e *event.Event) bool {
	if v.Kind != rawjson.Object || v.Duplicate || names.Scan(v.Raw, out) != nil {
		malformed(e)
		return false
	}
	return true
}

// message reads the shape that all message events share. What a subagent says
// is not part of the main thread (L13). A message that is complete stays as it
// is (L12).
func (d *decoder) message(fact rawjson.Value, kind event.Kind, e *event.Event) {
	var body [3]rawjson.Value
	var v [messageCount]rawjson.Value
	if !object(bodyNames, fact, body[:], e) || !object(messageNames, body[0], v[:], e) {
		return
	}
	id, done := d.string(v[messageID], 0), d.done
	if kind == event.Reasoning || kind == event.SetReasoning {
		done = d.thought
	}
	complete := kind == event.SetText || kind == event.SetReasoning
	if len(id) == 0 || v[messageID].Duplicate || v[messageText].Duplicate {
		malformed(e)
		return
	}
	if len(d.string(v[messageParent], 1)) > 0 || !complete && done[string(id)] {
		return // Unknown
	}
	if complete {
		done[string(id)] = true
	}
	e.Kind, e.MessageID = kind, id
	if kind != event.MessageStart {
		e.Text = d.string(v[messageText], 2)
	}
}

// userMessage reads a message of the person that a rejoin replays. The turn
// that opened the channel had no words, and is not shown.
func (d *decoder) userMessage(fact rawjson.Value, e *event.Event) {
	var v [messageCount]rawjson.Value
	if !object(messageNames, fact, v[:], e) {
		return
	}
	e.MessageID, e.ClientID = d.string(v[messageID], 0), d.string(v[messageCustomID], 1)
	e.Text = d.string(v[messageText], 2)
	if len(e.MessageID) == 0 && len(e.ClientID) == 0 {
		malformed(e)
		return
	}
	if len(e.Text) > 0 || v[messageBlobs].Kind == rawjson.Array {
		e.Kind = event.UserMessage
	}
}

func (d *decoder) title(fact rawjson.Value, e *event.Event) {
	var body [3]rawjson.Value
	if object(bodyNames, fact, body[:], e) && body[2].Kind == rawjson.String {
		e.Kind, e.Text = event.Title, d.string(body[2], 0)
	}
}

// runError reads the error that ends a run. It is an error even when its facts
// cannot be read: silence is never approval. A paused channel refuses every
// turn with its word (S2); a reply whose first event is an error was not taken
// (W1).
func (d *decoder) runError(fact rawjson.Value, e *event.Event) {
	e.Kind, e.Text = event.Error, []byte("the run ended with an error")
	var body [3]rawjson.Value
	var v [3]rawjson.Value
	if fact.Kind == rawjson.Object && bodyNames.Scan(fact.Raw, body[:]) == nil && body[1].Kind == rawjson.Object {
		_ = errorNames.Scan(body[1].Raw, v[:])
	}
	if text := d.string(v[0], 0); len(text) > 0 {
		e.Text = text
	}
	paused := bytes.Contains(fact.Raw, []byte(refusalWord))
	switch {
	case d.reply && (paused || !d.begun):
		e.Refusal = true
	case paused:
		e.Code, e.Refusal = []byte("confirmation-required"), true
	default:
		e.Code = d.string(v[1], 1)
	}
}

// string gives the text of a member, nil for a member that is no string. slot
// names the memory that it may use.
func (d *decoder) string(v rawjson.Value, slot int) []byte {
	if v.Kind != rawjson.String {
		return nil
	}
	if bytes.IndexByte(v.Raw, '\\') < 0 {
		return v.Raw[1 : len(v.Raw)-1]
	}
	d.text[slot] = rawjson.AppendString(d.text[slot][:0], v.Raw)
	return d.text[slot]
}

func malformed(e *event.Event) {
	e.Kind, e.Code = event.Malformed, []byte("malformed-event")
}
