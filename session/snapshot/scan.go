package snapshot

// Bounds of a snapshot. The generated code makes room for what a header
// announces and follows nested values, so headers are checked before it runs:
// no announced element is without a byte, and the walk itself does not recurse.
const (
	maxSize     = 64 << 20 // bytes of the body
	maxDepth    = 32
	maxElements = 1 << 20 // of all arrays and maps together
)

// check walks over one MessagePack value that must fill b.
func check(b []byte) *Error {
	var open [maxDepth]int // values still to come, by depth
	depth, elements := 0, 0
	open[0] = 1
	for at := 0; ; {
		for open[depth] == 0 {
			if depth == 0 {
				if at != len(b) {
					return corrupt("bytes follow the end")
				}
				return nil
			}
			depth--
		}
		open[depth]--
		if at >= len(b) {
			return corrupt("it is cut short")
		}
		v, ok := header(b[at:])
		if !ok || v.size > len(b)-at {
			return corrupt("it is cut short or not MessagePack")
		}
		at += v.size
		if v.items == 0 {
			continue
		}
		elements += v.items
		if v.items > len(b)-at || elements > maxElements {
			return corrupt("it announces more values than it can hold")
		}
		if depth++; depth == maxDepth {
			return corrupt("it is nested too deep")
		}
		open[depth] = v.items
	}
}

// value is what the first bytes of a MessagePack value say: how many bytes it
// has without its items, and how many values follow as its items.
type value struct{ size, items int }

// Widths of the length fields, and of the values without one, by lead byte from
// 0xc0 on (MessagePack specification, "Formats").
func header(b []byte) (v value, ok bool) {
	lead := b[0]
	switch {
	case lead <= 0x7f, lead >= 0xe0: // fixint
		return value{size: 1}, true
	case lead <= 0x8f: // fixmap
		return value{1, 2 * int(lead&0x0f)}, true
	case lead <= 0x9f: // fixarray
		return value{1, int(lead & 0x0f)}, true
	case lead <= 0xbf: // fixstr
		return value{size: 1 + int(lead&0x1f)}, true
	}
	switch lead {
	case 0xc0, 0xc2, 0xc3: // nil, false, true
		return value{size: 1}, true
	case 0xcc, 0xd0: // 8 bit
		return value{size: 2}, true
	case 0xcd, 0xd1:
		return value{size: 3}, true
	case 0xca, 0xce, 0xd2:
		return value{size: 5}, true
	case 0xcb, 0xcf, 0xd3:
		return value{size: 9}, true
	case 0xd4, 0xd5, 0xd6, 0xd7, 0xd8: // fixext 1, 2, 4, 8, 16
		return value{size: 2 + 1<<(lead-0xd4)}, true
	case 0xc4, 0xd9: // bin 8, str 8
		return blob(b, 1, 0)
	case 0xc5, 0xda:
		return blob(b, 2, 0)
	case 0xc6, 0xdb:
		return blob(b, 4, 0)
	case 0xc7: // ext 8
		return blob(b, 1, 1)
	case 0xc8:
		return blob(b, 2, 1)
	case 0xc9:
		return blob(b, 4, 1)
	case 0xdc: // array 16
		n, ok := length(b, 2)
		return value{3, n}, ok
	case 0xdd:
		n, ok := length(b, 4)
		return value{5, n}, ok
	case 0xde: // map 16
		n, ok := length(b, 2)
		return value{3, 2 * n}, ok
	case 0xdf:
		n, ok := length(b, 4)
		return value{5, 2 * n}, ok
	}
	return value{}, false // 0xc1 is never used
}

func blob(b []byte, width, kind int) (value, bool) {
	n, ok := length(b, width)
	return value{size: 1 + width + kind + n}, ok
}

// length reads the big-endian number after the lead byte. Numbers above maxSize
// count as cut, so that sums of them fit a 32 bit int.
func length(b []byte, width int) (int, bool) {
	if len(b) <= width {
		return 0, false
	}
	var n uint64
	for _, c := range b[1 : 1+width] {
		n = n<<8 | uint64(c)
	}
	return int(n), n <= maxSize
}
