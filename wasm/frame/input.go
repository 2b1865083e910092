package frame

// absent is the length that stands for a field without a value.
const absent = 0xFFFFFFFF

// Input reads the fields of a call, as web/src/core.js writes them: each is its
// length in 4 bytes, little endian, and then its bytes.
type Input struct{ rest []byte }

// NewInput reads the fields in data.
func NewInput(data []byte) Input { return Input{data} }

// Bytes gives the next field, in place; nil for an absent one and after the
// last.
func (in *Input) Bytes() []byte {
	if len(in.rest) < 4 {
		return nil
	}
	b := in.rest
	n := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
	in.rest = b[4:]
	if n == absent || uint64(n) > uint64(len(in.rest)) {
		return nil
	}
	field := in.rest[:n:n]
	in.rest = in.rest[n:]
	return field
}

// Text gives the next field as a string.
func (in *Input) Text() string { return string(in.Bytes()) }

// Copy gives the next field as bytes of its own; nil for an absent one.
func (in *Input) Copy() []byte {
	field := in.Bytes()
	if field == nil {
		return nil
	}
	return append([]byte{}, field...)
}

// More says whether a field follows.
func (in *Input) More() bool { return len(in.rest) >= 4 }
