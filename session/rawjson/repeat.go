package rawjson

import (
	"bytes"
	"slices"
)

// Repeat recognises objects that equal an earlier one but for the value of one
// string member, as the deltas of one answer do. Of such an object only that
// value is scanned; the rest is compared, which costs a fraction of a scan
// (BenchmarkRepeat) and proves the same: equal bytes around a valid string are
// the same members.
type Repeat struct {
	// Before and After frame an object in a run; see AppendRun.
	Before, After string

	head, tail []byte
	between    []byte // what stands between two texts of a run, nil for none
}

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
			r.learn(object[:at+1], object[at+len(lexeme):])
			return
		}
		from = at + 1
	}
}

func (r *Repeat) learn(head, tail []byte) {
	r.head = append(r.head[:0], head...)
	r.tail = append(r.tail[:0], tail...)
	r.between = r.between[:0]
	if bytes.IndexByte(head, '\n') >= 0 || bytes.IndexByte(tail, '\n') >= 0 {
		return // it came in several lines, so its frame is another
	}
	for _, part := range [...]string{string(tail), r.After, r.Before, string(head)} {
		r.between = append(r.between, part...)
	}
}

// Match gives the lexeme of the varying member when object repeats what was
// learned. plain says that it has no escapes.
func (r *Repeat) Match(object []byte) (lexeme []byte, plain, ok bool) {
	at := len(r.head)
	if at == 0 || !hasPrefix(object, r.head) {
		return nil, false, false
	}
	end, plain, ok := endOfString(object, at)
	if !ok || len(object)-end != len(r.tail) || !hasPrefix(object[end:], r.tail) {
		return nil, false, false
	}
	return object[at-1 : end : end], plain, true
}

// AppendRun appends the decoded values of the varying member of all objects that
// stand at the start of b one after the other, each between Before and After,
// and repeat what was learned. read is their length, count their number. It
// stops before a text that would make dst longer than limit.
func (r *Repeat) AppendRun(dst, b []byte, limit int) (out []byte, read, count int) {
	last := len(r.tail) + len(r.After)
	first := len(r.between) - last
	if first <= 0 || !hasPrefix(b, r.between[last:]) {
		return dst, 0, 0
	}
	for at := first; ; at = read + first {
		end, plain, ok := endOfString(b, at)
		if !ok || len(dst)+end-1-at > limit {
			return dst, read, count
		}
		more := hasPrefix(b[end:], r.between)
		if !more && !hasPrefix(b[end:], r.between[:last]) {
			return dst, read, count
		}
		if plain {
			dst = appendShort(dst, b, at, end-1)
		} else {
			dst = AppendString(dst, b[at-1:end])
		}
		count++
		if read = end + last; !more {
			return dst, read, count
		}
	}
}

// endOfString is scanString that also says whether the string is plain.
func endOfString(b []byte, at int) (end int, plain, ok bool) {
	if end = plainString(b, at); end >= 0 {
		return end, true, true
	}
	end, ok = scanString(b, at) // it has an escape, or ends too near to the end of b
	return end, false, ok
}

// hasPrefix is bytes.HasPrefix in steps of eight bytes: the call that Go makes of
// it takes three times as long in wasm for the 50 bytes of a frame.
func hasPrefix(b, prefix []byte) bool {
	if len(b) < len(prefix) {
		return false
	}
	b = b[:len(prefix)]
	for len(b) >= 8 && len(prefix) >= 8 {
		if load8(b) != load8(prefix) {
			return false
		}
		b, prefix = b[8:], prefix[8:]
	}
	for i, c := range prefix {
		if i >= len(b) || b[i] != c {
			return false
		}
	}
	return true
}

// appendShort is append(dst, b[from:to]...) for the few bytes of a delta, without
// a call of memmove. What it writes behind the end of dst is overwritten by the
// next.
func appendShort(dst, b []byte, from, to int) []byte {
	size := to - from
	if size > 32 || from+32 > len(b) {
		return append(dst, b[from:to]...)
	}
	n := len(dst)
	if n+32 > cap(dst) {
		dst = slices.Grow(dst, 32)
	}
	room := dst[n : n+32]
	for i := 0; i < size; i += 8 {
		store8(room[i:], load8(b[from+i:]))
	}
	return dst[:n+size]
}
