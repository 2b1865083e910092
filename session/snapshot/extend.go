package snapshot

import "github.com/tinylib/msgp/msgp"

// Each record of the snapshot is what the generated code knows of it, and the
// fields behind those, kept as they came (forward compatibility).
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

// fields is what msgp generates for a struct.
type fields[T any] interface {
	*T
	generated
}

type generated interface {
	msgp.Marshaler
	msgp.Unmarshaler
	msgp.Sizer
}

type record[T any, P fields[T]] struct {
	f    T
	rest []byte // values as MessagePack, one after the other
}

// UnmarshalMsg implements msgp.Unmarshaler.
func (r *record[T, P]) UnmarshalMsg(b []byte) (after []byte, err error) {
	r.rest, after, err = unmarshal(P(&r.f), b)
	return after, err
}

// MarshalMsg implements msgp.Marshaler.
func (r *record[T, P]) MarshalMsg(b []byte) ([]byte, error) { return marshal(P(&r.f), r.rest, b) }

// Msgsize implements msgp.Sizer.
func (r *record[T, P]) Msgsize() int { return P(&r.f).Msgsize() + len(r.rest) + 2 }

// unmarshal reads the fields of f, and gives what stands behind them.
func unmarshal(f generated, b []byte) (rest, after []byte, err error) {
	found, at, err := msgp.ReadArrayHeaderBytes(b)
	if err != nil {
		return nil, b, err
	}
	if after, err = f.UnmarshalMsg(b); err != nil {
		return nil, b, err
	}
	known := count(f)
	if found <= known {
		return nil, after, nil
	}
	for range known {
		if at, err = msgp.Skip(at); err != nil {
			return nil, b, err
		}
	}
	return append(rest, at[:len(at)-len(after)]...), after, nil
}

func marshal(f generated, rest, b []byte) ([]byte, error) {
	if len(rest) == 0 {
		return f.MarshalMsg(b)
	}
	more := uint32(0)
	for at := rest; len(at) > 0; more++ {
		var err error
		if at, err = msgp.Skip(at); err != nil {
			return b, err
		}
	}
	body, err := f.MarshalMsg(nil)
	if err != nil {
		return b, err
	}
	known, values, err := msgp.ReadArrayHeaderBytes(body)
	if err != nil {
		return b, err
	}
	b = msgp.AppendArrayHeader(b, known+more)
	b = append(b, values...)
	return append(b, rest...), nil
}

// count is how many fields of a record this code knows.
func count(f generated) uint32 {
	switch f.(type) {
	case *chatFields:
		return 13
	case *messageFields:
		return 5
	case *partFields:
		return 12
	case *batchFields:
		return 3
	case *confirmationFields:
		return 22
	case *grantFields:
		return 4
	case *runFields:
		return 3
	case *outputFields:
		return 2
	case *requestFields:
		return 3
	case *turnFields:
		return 7
	}
	return 0
}
