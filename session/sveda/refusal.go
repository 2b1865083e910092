package sveda

import (
	"bytes"
	"unicode/utf8"

	"github.com/svedawasm/svedawasm/session/rawjson"
	"github.com/svedawasm/svedawasm/session/sse"
)

var errorNames = rawjson.NewNames("message", "text", "error")

// eventText reads the words of an error that came as an event stream.
func eventText(body []byte) string {
	d := sse.New(sse.Limits{})
	d.Feed(body)
	for {
		f, ok := d.Next()
		if !ok {
			if f, ok = d.End(); !ok {
				return ""
			}
		}
		if text := objectText(f.Data); text != "" {
			return text
		}
	}
}

// objectText reads the words of a JSON object: its message, text or error, also
// one level down, as in {"error":{"message":"x"}}.
func objectText(object []byte) string {
	for range 2 {
		var v [3]rawjson.Value
		if errorNames.Scan(object, v[:]) != nil {
			return ""
		}
		object = nil
		for _, value := range v {
			switch value.Kind {
			case rawjson.String:
				return string(rawjson.Text(value.Raw, nil))
			case rawjson.Object:
				object = value.Raw
			}
		}
	}
	return ""
}

const maxRefusalText = 500

// plainText gives short text as it is; markup and binary say nothing to a person.
func plainText(body []byte) string {
	body = bytes.TrimSpace(body)
	if len(body) == 0 || body[0] == '<' || body[0] == '{' || !utf8.Valid(body) {
		return ""
	}
	if len(body) > maxRefusalText {
		body = body[:maxRefusalText]
		for len(body) > 0 && !utf8.Valid(body) {
			body = body[:len(body)-1]
		}
	}
	return string(body)
}
