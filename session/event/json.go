package event

import "github.com/svedawasm/svedawasm/session/rawjson"

// The JSON of a message and its parts, as contract sveda 1.3 has it. It is also
// what a page sees, so one form serves the wire, the page and the storage.

// AppendMessage appends m as the page sees it: {id, role, parts, createdAt?, ...}.
func AppendMessage(dst []byte, m *Message) []byte {
	dst = appendHead(dst, m)
	dst = appendParts(dst, m.Parts)
	if m.CreatedAt != nil {
		dst = append(dst, `,"createdAt":`...)
		dst = append(dst, m.CreatedAt...)
	}
	dst = appendExtra(dst, m.Extra)
	return append(dst, '}')
}

// AppendMessageContent appends m as it is sent: {id, role, content, parts, ...}
// with content, and without the page's createdAt (contract sveda 3.4). parts
// stand for m.Parts.
func AppendMessageContent(dst []byte, m *Message, content []byte, parts []Part) []byte {
	dst = appendHead(dst, m)
	dst = append(dst, `,"content":`...)
	dst = rawjson.AppendQuoted(dst, content)
	dst = appendParts(dst, parts)
	dst = appendExtra(dst, m.Extra)
	return append(dst, '}')
}

func appendHead(dst []byte, m *Message) []byte {
	dst = append(dst, `{"id":`...)
	dst = rawjson.AppendQuoted(dst, m.ID)
	dst = append(dst, `,"role":"`...)
	dst = append(dst, m.Role.String()...)
	return append(dst, '"')
}

func appendParts(dst []byte, parts []Part) []byte {
	dst = append(dst, `,"parts":[`...)
	for i := range parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendPart(dst, &parts[i])
	}
	return append(dst, ']')
}

// AppendPart appends p.
func AppendPart(dst []byte, p *Part) []byte {
	switch p.Kind {
	case TextPart:
		dst = appendText(dst, "text", p.Text)
	case ReasoningPart:
		dst = appendText(dst, "reasoning", p.Text)
	case CallPart:
		dst = appendCall(dst, p)
	case ResultPart:
		dst = appendResult(dst, p)
	default:
		return append(dst, p.Raw...)
	}
	dst = appendExtra(dst, p.Extra)
	return append(dst, '}')
}

func appendText(dst []byte, kind string, text []byte) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, kind...)
	dst = append(dst, `","text":`...)
	return rawjson.AppendQuoted(dst, text)
}

func appendCall(dst []byte, p *Part) []byte {
	dst = append(dst, `{"type":"tool-call","toolCallId":`...)
	dst = rawjson.AppendQuoted(dst, p.ToolCallID)
	dst = append(dst, `,"toolName":`...)
	dst = rawjson.AppendQuoted(dst, p.ToolName)
	if p.Toolset != "" {
		dst = append(dst, `,"toolset":`...)
		dst = rawjson.AppendQuoted(dst, p.Toolset)
	}
	dst = append(dst, `,"target":"`...)
	dst = append(dst, p.Target.String()...)
	dst = append(dst, `","input":`...)
	dst = appendValue(dst, p.Input)
	if p.Required {
		dst = append(dst, `,"confirmation":"required"`...)
	}
	return dst
}

func appendResult(dst []byte, p *Part) []byte {
	dst = append(dst, `{"type":"tool-result","toolCallId":`...)
	dst = rawjson.AppendQuoted(dst, p.ToolCallID)
	dst = append(dst, `,"toolName":`...)
	dst = rawjson.AppendQuoted(dst, p.ToolName)
	dst = append(dst, `,"output":`...)
	return appendValue(dst, p.Output)
}

func appendValue(dst, value []byte) []byte {
	if len(value) == 0 {
		return append(dst, "null"...)
	}
	return append(dst, value...)
}

func appendExtra(dst, extra []byte) []byte {
	if len(extra) == 0 {
		return dst
	}
	dst = append(dst, ',')
	return append(dst, extra...)
}
