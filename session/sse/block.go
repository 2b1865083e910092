package sse

import (
	"bytes"
	"slices"
)

// value is a field's bytes: a slice of the chunk, or of buf when it had to be kept.
type value struct {
	bytes []byte
	buf   []byte
	owned bool // bytes lies in buf
}

func (v *value) set(p []byte) { v.bytes, v.owned = p, false }

// own moves the bytes out of the chunk.
func (v *value) own(limit int) {
	if !v.owned {
		v.buf = appendCapped(v.buf[:0], v.bytes, limit)
		v.bytes, v.owned = v.buf, true
	}
}

// clear forgets the bytes and keeps a buffer of ordinary size.
func (v *value) clear() {
	v.bytes, v.owned = nil, false
	if cap(v.buf) > keepCapacity {
		v.buf = nil
	}
}

// block gathers the fields between two blank lines.
type block struct {
	data, event, id value
	hasData         bool
	hasEvent        bool
	hasID           bool
	hasRetry        bool
	retry           int
}

// open says whether the block is worth a frame: it has data, or names an event.
func (b *block) open() bool { return b.hasData || len(b.event.bytes) > 0 }

// empty says whether the block has no field at all.
func (b *block) empty() bool {
	return !b.hasData && !b.hasEvent && !b.hasID && !b.hasRetry
}

func (b *block) size() int {
	return len(b.data.bytes) + len(b.event.bytes) + len(b.id.bytes)
}

func (b *block) frame() Frame {
	// Clipped, so that who appends to a value does not write into the chunk.
	f := Frame{Event: slices.Clip(b.event.bytes), ID: slices.Clip(b.id.bytes), HasID: b.hasID, Retry: -1}
	if b.hasData {
		f.Data = slices.Clip(b.data.bytes)
		if f.Data == nil {
			f.Data = []byte{}
		}
	}
	if b.hasRetry {
		f.Retry = b.retry
	}
	return f
}

func (b *block) own(limit int) {
	if b.hasData {
		b.data.own(limit)
	}
	if b.hasEvent {
		b.event.own(limit)
	}
	if b.hasID {
		b.id.own(limit)
	}
}

func (b *block) clear() {
	if b.hasData {
		b.data.clear()
	}
	if b.hasEvent {
		b.event.clear()
	}
	if b.hasID {
		b.id.clear()
	}
	b.hasData, b.hasEvent, b.hasID, b.hasRetry, b.retry = false, false, false, false, 0
}

// field applies one line that is not empty to the open block. It returns false when the
// event grew over its limit.
func (d *Decoder) field(line []byte) bool {
	b := &d.block
	// data: is nearly every line of a stream, so it is looked for first.
	if len(line) >= 5 && string(line[:5]) == "data:" {
		return d.data(trimSpace(line[5:]))
	}
	name, val := line, []byte(nil)
	if i := bytes.IndexByte(line, ':'); i >= 0 {
		name, val = line[:i], trimSpace(line[i+1:])
	}
	switch string(name) {
	case "data":
		return d.data(val)
	case "event":
		d.take(&b.event, val)
		b.hasEvent = true
	case "id":
		if bytes.IndexByte(val, 0) < 0 {
			d.take(&b.id, val)
			b.hasID = true
		}
	case "retry":
		if ms, ok := digits(val); ok {
			b.retry, b.hasRetry = ms, true
			d.retry, d.hasRetry = ms, true
		}
	}
	return d.checkEvent()
}

// data adds one data line to the block.
func (d *Decoder) data(val []byte) bool {
	b := &d.block
	if !b.hasData {
		d.take(&b.data, val)
		b.hasData = true
		return d.checkEvent()
	}
	if b.size()+1+len(val) > d.eventLimit() {
		d.fail(CodeEventTooLong, d.eventLimit())
		return false
	}
	b.data.own(d.eventLimit())
	buf := appendCapped(b.data.bytes, newline, d.eventLimit())
	buf = appendCapped(buf, val, d.eventLimit())
	if cap(buf) != cap(b.data.bytes) {
		b.data.buf = buf // it grew; otherwise bytes is still a part of buf
	}
	b.data.bytes = buf
	return true
}

var newline = []byte{'\n'}

// take makes val the value of v. When the line was put together from several chunks its
// buffer changes hands instead of being copied: v gets it, and the decoder goes on with
// v's old one.
func (d *Decoder) take(v *value, val []byte) {
	v.set(val)
	if d.joined {
		d.joined = false
		d.carry, v.buf, v.owned = v.buf[:0], d.carry, true
	}
}

func (d *Decoder) checkEvent() bool {
	if d.block.size() > d.eventLimit() {
		d.fail(CodeEventTooLong, d.eventLimit())
		return false
	}
	return true
}

// trimSpace drops the one space that may follow the colon.
func trimSpace(p []byte) []byte {
	if len(p) > 0 && p[0] == ' ' {
		return p[1:]
	}
	return p
}

// maxRetry keeps a reconnection time that overflows an int at a finite number, about 24
// days, which is what setTimeout can hold.
const maxRetry = 1<<31 - 1

// digits reads a decimal number of ASCII digits only.
func digits(p []byte) (int, bool) {
	if len(p) == 0 {
		return 0, false
	}
	n := 0
	for _, c := range p {
		if c < '0' || c > '9' {
			return 0, false
		}
		if n = n*10 + int(c-'0'); n > maxRetry {
			n = maxRetry
		}
	}
	return n, true
}

// appendCapped appends and grows in steps of limit divided by a power of two. The sizes of
// one growth then sum up to less than twice the limit, so the peak stays below that even
// when the collector has not run in between (S58).
func appendCapped(dst, p []byte, limit int) []byte {
	need := len(dst) + len(p)
	if need <= cap(dst) {
		return append(dst, p...)
	}
	size := max(limit, need)
	for size/2 >= max(need, 512) {
		size /= 2
	}
	grown := make([]byte, len(dst), size)
	copy(grown, dst)
	return append(grown, p...)
}
