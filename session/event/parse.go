package event

import "github.com/svedawasm/svedawasm/session/rawjson"

var (
	messageNames = rawjson.NewNames("id", "role", "content", "parts", "createdAt")
	partNames    = rawjson.NewNames("type", "text", "toolCallId", "toolName", "toolset", "target",
		"input", "output", "confirmation")
)

// Indexes into the values of messageNames and partNames.
const (
	messageID = iota
	messageRole
	messageContent
	messageParts
	messageCreatedAt
)

const (
	partType = iota
	partText
	partCallID
	partToolName
	partToolset
	partTarget
	partInput
	partOutput
	partConfirmation
)

// ParseMessages reads an array of messages (contract sveda 1.3 and 5). Members
// that the model does not know are kept. An element that is no message is
// skipped and counted; the error is that of the array itself.
func ParseMessages(array []byte) (messages []Message, skipped int, err error) {
	err = rawjson.Elements(array, func(value []byte) bool {
		if m, ok := parseMessage(value); ok {
			messages = append(messages, m)
		} else {
			skipped++
		}
		return true
	})
	return messages, skipped, err
}

func parseMessage(object []byte) (m Message, ok bool) {
	var v [messageCreatedAt + 1]rawjson.Value
	extra, err := messageNames.Split(object, v[:], nil)
	if err != nil {
		return m, false
	}
	m.Role, ok = RoleOf(text(v[messageRole]))
	if !ok {
		return m, false
	}
	m.ID = text(v[messageID])
	if v[messageCreatedAt].Kind != rawjson.Absent {
		m.CreatedAt = Keep(v[messageCreatedAt].Raw)
	}
	if v[messageParts].Kind == rawjson.Array {
		// Scan has validated the whole text, so the walk cannot fail.
		_ = rawjson.Elements(v[messageParts].Raw, func(value []byte) bool {
			if p := parsePart(value); !placeholder(m.Role, &p) {
				m.Parts = append(m.Parts, p)
			}
			return true
		})
	} else if body := text(v[messageContent]); body != "" {
		m.Parts = []Part{{Kind: TextPart, Text: Keep([]byte(body))}}
	}
	m.Extra = extra
	return m, true
}

// placeholder says that a part is the reasoning "." which goes in front of an
// answer without reasoning (contract sveda 3.5). A server that stores it gives
// it back; it is no reasoning and never shown (W25).
func placeholder(role Role, p *Part) bool {
	return role == Assistant && p.Kind == ReasoningPart && string(p.Text) == "." && p.Extra == nil
}

// parsePart never fails: what it cannot read as a part of the model stays as
// the bytes that came. A call or result whose identity is ambiguous (a
// duplicate key) is kept like that too, so that it cannot be acted on.
func parsePart(object []byte) Part {
	var v [partConfirmation + 1]rawjson.Value
	extra, err := partNames.Split(object, v[:], nil)
	if err != nil {
		return other(object)
	}
	p := Part{Extra: extra}
	switch text(v[partType]) {
	case "text":
		p.Kind = TextPart
	case "reasoning":
		p.Kind = ReasoningPart
	case "tool-call":
		p.Kind = CallPart
	case "tool-result":
		p.Kind = ResultPart
	default:
		return other(object)
	}
	if p.Kind == TextPart || p.Kind == ReasoningPart {
		p.Text = rawjson.AppendString(nil, v[partText].Raw)
		return p
	}
	p.ToolCallID, p.ToolName = text(v[partCallID]), text(v[partToolName])
	if p.ToolCallID == "" || v[partType].Duplicate || v[partCallID].Duplicate ||
		v[partToolName].Duplicate || v[partInput].Duplicate || v[partOutput].Duplicate {
		return other(object)
	}
	p.Toolset = text(v[partToolset])
	if text(v[partTarget]) == "frontend" {
		p.Target = Frontend
	}
	p.Input, p.Output = Keep(v[partInput].Raw), Keep(v[partOutput].Raw)
	p.Required = Gated(v[partConfirmation])
	return p
}

// Gated reads a confirmation word: anything but absent, null and exactly "auto"
// asks for a person, and so does a word that stands there twice (design rule 2
// and 8, S46).
func Gated(v rawjson.Value) bool {
	if v.Duplicate {
		return true
	}
	switch v.Kind {
	case rawjson.Absent, rawjson.Null:
		return false
	case rawjson.String:
		return string(rawjson.Text(v.Raw, nil)) != "auto"
	}
	return true
}

func text(v rawjson.Value) string {
	return string(rawjson.Text(v.Raw, nil))
}

// other is a part that is kept as it came.
func other(object []byte) Part { return Part{Kind: OtherPart, Raw: Keep(object)} }

// FileParts reads an array of part objects that go with a message as they are.
func FileParts(array []byte) []Part {
	var parts []Part
	_ = rawjson.Elements(array, func(value []byte) bool {
		if rawjson.KindOf(value) == rawjson.Object {
			parts = append(parts, Part{Kind: OtherPart, Raw: Keep(value)})
		}
		return true
	})
	return parts
}
