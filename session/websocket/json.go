package websocket

import (
	"strconv"

	"github.com/svedawasm/svedawasm/session/rawjson"
)

// frameNames are the names of Frame's fields in both encodings.
var frameNames = rawjson.NewNames("type", "seq", "id", "token", "link", "resumed", "code", "status",
	"retryAfter", "window", "heartbeat", "credit", "limit", "text", "data")

func appendJSON(dst []byte, f *Frame) []byte {
	dst = append(dst, `{"type":`...)
	dst = rawjson.AppendQuoted(dst, f.Type)
	dst = appendUint(dst, `,"seq":`, f.Seq)
	dst = appendUint(dst, `,"id":`, f.ID)
	dst = appendText(dst, `,"token":`, f.Token)
	dst = appendText(dst, `,"link":`, f.Link)
	if f.Resumed {
		dst = append(dst, `,"resumed":true`...)
	}
	dst = appendText(dst, `,"code":`, f.Code)
	dst = appendInt(dst, `,"status":`, f.Status)
	dst = appendInt(dst, `,"retryAfter":`, f.RetryAfter)
	dst = appendInt(dst, `,"window":`, f.Window)
	dst = appendInt(dst, `,"heartbeat":`, f.Heartbeat)
	dst = appendInt(dst, `,"credit":`, f.Credit)
	dst = appendInt(dst, `,"limit":`, f.Limit)
	dst = appendText(dst, `,"text":`, f.Text)
	if f.Data != nil {
		dst = append(append(dst, `,"data":`...), f.Data...)
	}
	return append(dst, '}')
}

func appendText(dst []byte, key, value string) []byte {
	if value == "" {
		return dst
	}
	return rawjson.AppendQuoted(append(dst, key...), value)
}

func appendInt(dst []byte, key string, value int) []byte {
	if value == 0 {
		return dst
	}
	return strconv.AppendInt(append(dst, key...), int64(value), 10)
}

func appendUint(dst []byte, key string, value uint64) []byte {
	if value == 0 {
		return dst
	}
	return strconv.AppendUint(append(dst, key...), value, 10)
}

// decodeJSON reads names exactly; of two equal names the message is refused.
func decodeJSON(message []byte) (f Frame, err error) {
	var v [15]rawjson.Value
	if frameNames.Scan(message, v[:]) != nil {
		return f, errFrame
	}
	valid := true
	for i := range v {
		valid = valid && !v[i].Duplicate
	}
	text := func(v rawjson.Value) string {
		if v.Kind == rawjson.Absent {
			return ""
		}
		valid = valid && v.Kind == rawjson.String
		return string(rawjson.Text(v.Raw, nil))
	}
	number := func(v rawjson.Value) int {
		if v.Kind == rawjson.Absent {
			return 0
		}
		n, ok := rawjson.Int(v.Raw)
		valid = valid && ok && n >= 0 && n <= maxNumber
		return int(n)
	}
	f = Frame{
		Type: text(v[0]), Seq: uint64(number(v[1])), ID: uint64(number(v[2])),
		Token: text(v[3]), Link: text(v[4]), Resumed: v[5].Kind == rawjson.True,
		Code: text(v[6]), Status: number(v[7]), RetryAfter: number(v[8]), Window: number(v[9]),
		Heartbeat: number(v[10]), Credit: number(v[11]), Limit: number(v[12]), Text: text(v[13]), Data: v[14].Raw,
	}
	if !valid || f.Type == "" {
		return Frame{}, errFrame
	}
	return f, nil
}

// maxNumber is the largest number that every JSON reader takes exactly.
const maxNumber = 1<<53 - 1
