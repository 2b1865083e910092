package rawjson

// skipSpace returns the index of the first byte at or after i that is not white space.
func skipSpace(b []byte, i int) int {
	for i < len(b) {
		switch b[i] {
		case ' ', '\n', '\r', '\t':
			i++
		default:
			return i
		}
	}
	return i
}

// scanString reads from the byte after the opening quote and returns the index after the
// closing one; false with the place of the fault otherwise.
func scanString(b []byte, i int) (int, bool) {
	for i < len(b) {
		switch c := b[i]; {
		case c == '"':
			return i + 1, true
		case c < 0x20:
			return i, false
		case c != '\\':
			i++
		default:
			end, ok := scanEscape(b, i)
			if !ok {
				return end, false
			}
			i = end
		}
	}
	return i, false
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
