package snapshot

import "github.com/tinylib/msgp/msgp"

// Each record of the snapshot is what the generated code knows of it, and the
// members that it does not know, kept as they came (forward compatibility).
type (
	chat         = record[chatFields, *chatFields]
	message      = record[messageFields, *messageFields]
	part         = record[partFields, *partFields]
	batch        = record[batchFields, *batchFields]
	confirmation = record[confirmationFields, *confirmationFields]
	grant        = record[grantFields, *grantFields]
	run          = record[runFields, *runFields]
	output       = record[outputFields, *outputFields]
	request      = record[requestFields, *requestFields]
	turn         = record[turnFields, *turnFields]
)

// fields is what msgp generates for a struct, and its keys.
type fields[T any] interface {
	*T
	msgp.Marshaler
	msgp.Unmarshaler
	msgp.Sizer
	known(key []byte) bool
}

type record[T any, P fields[T]] struct {
	f    T
	rest []byte // key, value, key, value ... as MessagePack
}

// UnmarshalMsg implements msgp.Unmarshaler.
func (r *record[T, P]) UnmarshalMsg(b []byte) ([]byte, error) {
	n, at, err := msgp.ReadMapHeaderBytes(b)
	if err != nil {
		return b, err
	}
	for range n {
		key, value, err := msgp.ReadMapKeyZC(at)
		if err != nil {
			return b, err
		}
		after, err := msgp.Skip(value)
		if err != nil {
			return b, err
		}
		if !P(&r.f).known(key) {
			r.rest = append(r.rest, at[:len(at)-len(after)]...)
		}
		at = after
	}
	return P(&r.f).UnmarshalMsg(b)
}

// MarshalMsg implements msgp.Marshaler.
func (r *record[T, P]) MarshalMsg(b []byte) ([]byte, error) {
	if len(r.rest) == 0 {
		return P(&r.f).MarshalMsg(b)
	}
	more := 0
	for at := r.rest; len(at) > 0; more++ {
		_, value, err := msgp.ReadMapKeyZC(at)
		if err != nil {
			return b, err
		}
		if at, err = msgp.Skip(value); err != nil {
			return b, err
		}
	}
	body, err := P(&r.f).MarshalMsg(nil)
	if err != nil {
		return b, err
	}
	n, members, err := msgp.ReadMapHeaderBytes(body)
	if err != nil {
		return b, err
	}
	b = msgp.AppendMapHeader(b, n+uint32(more))
	b = append(b, members...)
	return append(b, r.rest...), nil
}

// Msgsize implements msgp.Sizer.
func (r *record[T, P]) Msgsize() int { return P(&r.f).Msgsize() + len(r.rest) + 5 }
