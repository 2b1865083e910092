package rawjson

import "math/bits"

// skipSpace returns the index of the first byte at or after i that is not white space.
// Text from a server rarely has any, so that case is kept small enough to be inlined.
func skipSpace(b []byte, i int) int {
	if i < len(b) && b[i] <= ' ' {
		return skipSpaces(b, i)
	}
	return i
}

func skipSpaces(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// Every byte of a word holds the same value.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// load8 reads eight bytes; the compiler makes one load of it, also for wasm.
func load8(b []byte) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// store8 writes what load8 reads.
func store8(b []byte, x uint64) {
	_ = b[7]
	b[0], b[1], b[2], b[3] = byte(x), byte(x>>8), byte(x>>16), byte(x>>24)
	b[4], b[5], b[6], b[7] = byte(x>>32), byte(x>>40), byte(x>>48), byte(x>>56)
}

// special8 has the high bit set in the lowest byte of x that is a quote, a backslash or
// below U+0020; bits above that one may be wrong.
func special8(x uint64) uint64 {
	quote, slash := x^(ones*'"'), x^(ones*'\\')
	return ((quote-ones)&^quote | (slash-ones)&^slash | (x-ones*' ')&^x) & highs
}

// plainString is scanString for a string without escapes; -1 when it is not that simple,
// also for the last bytes of a text.
func plainString(b []byte, i int) int {
	for i+8 <= len(b) {
		if m := special8(load8(b[i:])); m != 0 {
			if i += bits.TrailingZeros64(m) >> 3; b[i] == '"' {
				return i + 1
			}
			return -1
		}
		i += 8
	}
	return -1
}

// scanString reads from the byte after the opening quote and returns the index after the
// closing one; false with the place of the fault otherwise.
func scanString(b []byte, i int) (int, bool) {
	for {
		// Eight bytes at a step: a branch per byte costs 3 ns in wasm.
		for i+8 <= len(b) {
			if m := special8(load8(b[i:])); m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				break
			}
			i += 8
		}
		for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= ' ' {
			i++ // only for the last bytes of the text
		}
		switch {
		case i >= len(b) || b[i] < ' ':
			return i, false
		case b[i] == '"':
			return i + 1, true
		}
		end, ok := scanEscape(b, i)
		if !ok {
			return end, false
		}
		i = end
	}
}

// scanEscape reads one escape whose backslash is at i.
func scanEscape(b []byte, i int) (int, bool) {
	if i+1 >= len(b) {
		return i + 1, false
	}
	switch b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, true
	case 'u':
		for n := i + 2; n < i+6; n++ {
			if n >= len(b) || hexValue(b[n]) < 0 {
				return n, false
			}
		}
		return i + 6, true
	}
	return i + 1, false
}

// scanWord reads true, false or null at i.
func scanWord(b []byte, i int) (int, bool) {
	word := ""
	switch b[i] {
	case 't':
		word = "true"
	case 'f':
		word = "false"
	case 'n':
		word = "null"
	default:
		return i, false
	}
	if i+len(word) <= len(b) && string(b[i:i+len(word)]) == word {
		return i + len(word), true
	}
	for n := 1; ; n++ {
		if i+n >= len(b) || b[i+n] != word[n] {
			return i + n, false
		}
	}
}

// scanNumber reads a number that begins at i.
func scanNumber(b []byte, i int) (int, bool) {
	if i < len(b) && b[i] == '-' {
		i++
	}
	switch {
	case i < len(b) && b[i] == '0':
		i++
	case i < len(b) && '1' <= b[i] && b[i] <= '9':
		i = scanDigits(b, i)
	default:
		return i, false
	}
	if i < len(b) && b[i] == '.' {
		from := i + 1
		if i = scanDigits(b, from); i == from {
			return i, false
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		from := i
		if i = scanDigits(b, from); i == from {
			return i, false
		}
	}
	return i, true
}

func scanDigits(b []byte, i int) int {
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	return i
}

func hexValue(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
