// Package frame writes what a call led to as one run of bytes, which web/'s
// frame.js reads: the effects, the changes and the answer of the call.
//
// A frame is a sequence of records. A record is one op byte and the fields of
// its kind: a number is an unsigned varint, a text or a run of bytes is its
// length as a varint and then its bytes. The op of a change or an effect is its
// kind in package session, offset by its group.
package frame

import (
	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/event"
)

// Ops of the records. web/src/frame.js has the same list under the same names.
const (
	// Changes take the ops from 1: message, part, text, data.
	opChange = 0
	// Effects take the ops from 33: id, handler, delay, ticket, call, text,
	// data, error (JSON, empty for none).
	opEffect = 32
	// Effects of a socket, in the form of the others with id, delay and text.
	// OpSocketDial: fetch a token for attempt id and answer with "connect".
	OpSocketDial = 48
	// OpSocketTimer: call "fire" for timer id after delay ms, 0 for never.
	OpSocketTimer = 49
	// OpSocketFlush: call "flush".
	OpSocketFlush = 50
	// OpSocketState: text is the state of the link.
	OpSocketState = 51
	// OpSocketUnavailable: stream id must go another way.
	OpSocketUnavailable = 52
	// OpValue is the answer of a call: data (JSON).
	OpValue = 64
	// OpError is the error of a call: data (JSON).
	OpError = 65
	// OpRequest is a request to send: method, endpoint, path, accept, the number
	// of headers and each one's name and value, body.
	OpRequest = 66
	// OpEvent is one decoded wire event: data (JSON).
	OpEvent = 67
	// OpNumber is the answer of a call: an integer.
	OpNumber = 68
	// OpBytes is the answer of a call: bytes as they are.
	OpBytes = 69
)

// AppendOutput appends the changes and then the effects of out.
func AppendOutput(dst []byte, out session.Output) []byte {
	for i := range out.Changes {
		c := &out.Changes[i]
		dst = append(dst, opChange+byte(c.Kind))
		dst = appendInt(dst, c.Message)
		dst = appendInt(dst, c.Part)
		dst = appendBytes(dst, c.Text)
		dst = appendBytes(dst, c.Data)
	}
	for i := range out.Effects {
		dst = appendEffect(dst, &out.Effects[i])
	}
	return dst
}

func appendEffect(dst []byte, e *session.Effect) []byte {
	dst = append(dst, opEffect+byte(e.Kind))
	dst = appendInt(dst, e.ID)
	dst = appendInt(dst, e.Handler)
	dst = appendInt(dst, e.Delay)
	dst = appendInt(dst, int(e.Ticket))
	dst = appendBytes(dst, e.Call)
	dst = appendBytes(dst, e.Text)
	dst = appendBytes(dst, e.Data)
	if e.Err == nil {
		return append(dst, 0)
	}
	return appendBytes(dst, e.Err.AppendJSON(nil))
}

// AppendSocket appends an effect of a socket.
func AppendSocket(dst []byte, op byte, id, delay int, text string) []byte {
	dst = append(dst, op)
	dst = appendInt(dst, id)
	dst = appendInt(dst, 0)
	dst = appendInt(dst, delay)
	dst = appendInt(dst, 0)
	dst = append(dst, 0) // call
	dst = appendBytes(dst, text)
	return append(dst, 0, 0) // data, error
}

// AppendValue appends the answer of a call: JSON, or no bytes for none.
func AppendValue(dst, data []byte) []byte {
	return appendBytes(append(dst, OpValue), data)
}

// AppendBytes appends the answer of a call: bytes as they are.
func AppendBytes(dst, data []byte) []byte {
	return appendBytes(append(dst, OpBytes), data)
}

// AppendNumber appends the answer of a call: an integer that is not negative.
func AppendNumber(dst []byte, n int) []byte {
	return appendInt(append(dst, OpNumber), n)
}

// AppendError appends the error of a call.
func AppendError(dst []byte, err *session.Error) []byte {
	return appendBytes(append(dst, OpError), err.AppendJSON(nil))
}

// AppendEvent appends a wire event as the JSON that listeners get.
func AppendEvent(dst, data []byte) []byte {
	return appendBytes(append(dst, OpEvent), data)
}

// AppendRequest appends a request to send.
func AppendRequest(dst []byte, w *event.WireRequest) []byte {
	dst = append(dst, OpRequest)
	dst = appendBytes(dst, w.Method)
	dst = appendBytes(dst, w.Endpoint)
	dst = appendBytes(dst, w.Path)
	dst = appendBytes(dst, w.Accept)
	dst = appendInt(dst, len(w.Headers))
	for i := range w.Headers {
		dst = appendBytes(dst, w.Headers[i][0])
		dst = appendBytes(dst, w.Headers[i][1])
	}
	return appendBytes(dst, w.Body)
}

// appendInt appends a number that is never negative in a frame.
func appendInt(dst []byte, n int) []byte {
	for u := uint(max(n, 0)); ; u >>= 7 {
		if u < 0x80 {
			return append(dst, byte(u))
		}
		dst = append(dst, byte(u)|0x80)
	}
}

func appendBytes[T string | []byte](dst []byte, data T) []byte {
	dst = appendInt(dst, len(data))
	return append(dst, data...)
}
