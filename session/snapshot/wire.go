package snapshot

import "github.com/tinylib/msgp/msgp"

//go:generate go run github.com/tinylib/msgp -file wire.go -o wire_gen.go -io=false -tests=false -unexported

//msgp:tuple record
//msgp:ignore text
//msgp:limit arrays:512

// record is one thing of a session: the chat, a message, a part, a confirmation.
// All share it, so that the generated code exists once. MessagePack has it as
// [texts, numbers, lists]; kinds.go says what is what.
type record struct {
	Texts   []text
	Numbers []uint64
	Lists   []uint64 // of each list of records: how many it has
}

// text is UTF-8 or JSON. It is apart from the generated code, whose limit of an
// array's length would be that of its bytes too. It shares the memory it is read from.
type text []byte

func (t text) MarshalMsg(b []byte) ([]byte, error) { return msgp.AppendBytes(b, t), nil }

func (t *text) UnmarshalMsg(b []byte) (after []byte, err error) {
	*t, after, err = msgp.ReadBytesZC(b)
	return after, err
}

func (t text) Msgsize() int { return msgp.BytesPrefixSize + len(t) }

// parse reads the records that b is made of. They share its memory.
func (a *archive) parse(b []byte) (records []record) {
	for room := maxElements; len(b) > 0; {
		var r record
		after, err := r.UnmarshalMsg(b)
		if err != nil {
			a.fail(corrupt("a record has another shape"))
			return nil
		}
		if room -= r.weight(); room < 0 {
			a.fail(corrupt("it has too many records"))
			return nil
		}
		records, b = append(records, r), after
	}
	return records
}

// format appends records to b.
func format(b []byte, records []record) []byte {
	for i := range records {
		b, _ = records[i].MarshalMsg(b) // there is nothing in a record that could fail
	}
	return b
}

// weight is what the bound of elements counts for r: its fields, and a record is
// the memory of some.
func (r *record) weight() int { return 8 + r.fields() }

func (r *record) fields() int { return len(r.Texts) + len(r.Numbers) + len(r.Lists) }

// items is how many records the lists of r announce; forged lengths are cut, so
// that the sum of them fits a 32 bit int.
func (r *record) items() (n int) {
	for _, count := range r.Lists {
		n += int(min(count, maxElements))
	}
	return n
}
