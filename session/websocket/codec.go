package websocket

import (
	"errors"

	"github.com/tinylib/msgp/msgp"
)

// Codec encodes frames for one subprotocol.
type Codec struct{ text bool }

// CodecOf gives the codec of a subprotocol; known is false for another.
func CodecOf(protocol string) (c Codec, known bool) {
	switch protocol {
	case ProtocolMessagePack:
		return Codec{}, true
	case ProtocolJSON:
		return Codec{text: true}, true
	}
	return Codec{}, false
}

// Text says whether the messages are text messages.
func (c Codec) Text() bool { return c.text }

// Append appends the message of f. Data must be JSON.
func (c Codec) Append(dst []byte, f *Frame) []byte {
	if c.text {
		return appendJSON(dst, f)
	}
	// The generated code has no way to fail for a struct of plain fields.
	dst, _ = f.MarshalMsg(dst)
	return dst
}

// Errors of Decode. They never quote a message (S62).
var (
	errMessageType = errors.New("reading a frame: text and binary are mixed up")
	errFrame       = errors.New("reading a frame: not a frame of this protocol")
	errDepth       = errors.New("reading a frame: nested too deep")
)

// Decode reads a message. Data is a part of message and not checked; the reader
// of the events checks it.
func (c Codec) Decode(message []byte, text bool) (f Frame, err error) {
	if text != c.text {
		return f, errMessageType
	}
	if c.text {
		return decodeJSON(message)
	}
	if err := checkNesting(message); err != nil {
		return f, err
	}
	rest, err := f.UnmarshalMsg(message)
	if err != nil || len(rest) > 0 || f.Type == "" {
		return Frame{}, errFrame
	}
	return f, nil
}

// maxNesting bounds members that this version does not know: the library skips
// them by recursion, which a stack in a browser survives about 10,000 times.
const maxNesting = 16

// checkNesting walks over a message without recursion. What ends too early or
// is no MessagePack is left to the decoder to name.
func checkNesting(message []byte) error {
	var left [maxNesting]uint64 // values still to come, by depth
	depth, rest := 0, message
	left[0] = 1
	for depth >= 0 {
		if left[depth] == 0 {
			depth--
			continue
		}
		left[depth]--
		var count uint32
		var err error
		switch msgp.NextType(rest) {
		case msgp.MapType:
			count, rest, err = msgp.ReadMapHeaderBytes(rest)
			count64 := 2 * uint64(count)
			if depth++; depth == maxNesting {
				return errDepth
			}
			left[depth] = count64
		case msgp.ArrayType:
			count, rest, err = msgp.ReadArrayHeaderBytes(rest)
			if depth++; depth == maxNesting {
				return errDepth
			}
			left[depth] = uint64(count)
		default:
			rest, err = msgp.Skip(rest)
		}
		if err != nil {
			return errFrame
		}
	}
	return nil
}
