package rawjson

import "bytes"

// Repeat recognises objects that equal an earlier one but for the value of one
// string member, as the deltas of one answer do. Of such an object only that
// value is scanned; the rest is compared, which costs a fraction of a scan
// (BenchmarkRepeat) and proves the same: equal bytes around a valid string are
// the same members.
type Repeat struct{ head, tail []byte }

// Learn remembers an object that Scan has found valid. lexeme is the Raw of the
// string member that varies.
func (r *Repeat) Learn(object, lexeme []byte) {
	for from := 0; ; {
		i := bytes.Index(object[from:], lexeme)
		if i < 0 {
			return // not a part of object
		}
		at := from + i
		if &object[at] == &lexeme[0] {
			r.head = append(r.head[:0], object[:at+1]...)
			r.tail = append(r.tail[:0], object[at+len(lexeme):]...)
			return
		}
		from = at + 1
	}
}

// Match gives the lexeme of the varying member when object repeats what was
// learned. plain says that it has no escapes.
func (r *Repeat) Match(object []byte) (lexeme []byte, plain, ok bool) {
	at := len(r.head)
	if at == 0 || len(object) < at || string(object[:at]) != string(r.head) {
		return nil, false, false
	}
	end, plain := plainString(object, at), true
	if end < 0 {
		if end, ok = scanString(object, at); !ok {
			return nil, false, false
		}
		plain = false // or too near to the end of the text to tell quickly
	}
	if string(object[end:]) != string(r.tail) {
		return nil, false, false
	}
	return object[at-1 : end : end], plain, true
}
