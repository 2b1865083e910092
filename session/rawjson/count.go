package rawjson

import "unicode/utf8"

// countText is the number of characters of decoded text.
func countText(text []byte) int {
	count := 0
	for len(text) > 0 {
		if text[0] < utf8.RuneSelf {
			text = text[1:]
		} else {
			_, n := decodeChar(text)
			text = text[n:]
		}
		count++
	}
	return count
}

// prefixOf is the length in bytes of the first characters of decoded text.
func prefixOf(text []byte, characters int) int {
	n := 0
	for ; n < len(text) && characters > 0; characters-- {
		_, size := decodeChar(text[n:])
		n += size
	}
	return n
}

// wholeChars is the length of the first room bytes of text, less a character that is not
// whole within them.
func wholeChars(text []byte, room int) int {
	if room >= len(text) {
		return len(text)
	}
	for at := room - 1; at >= 0 && at > room-utf8.UTFMax; at-- {
		if utf8.RuneStart(text[at]) {
			if _, size := decodeChar(text[at:]); at+size > room {
				return at
			}
			break
		}
	}
	return room
}

// decodedPrefix is the length that the first room bytes of a string lexeme have when they
// are decoded; an escape or a character that is not whole within them does not count.
func decodedPrefix(lexeme []byte, room int) int {
	room = min(room, len(lexeme))
	length := 0
	for i := 1; i < room; {
		size, decodedSize := 1, 1
		if c := lexeme[i]; c == '"' {
			break // the closing quote
		} else if c == '\\' {
			r, n := decodeEscape(lexeme[i:])
			if n == 0 { // not reached for a valid lexeme
				break
			}
			size, decodedSize = n, utf8.RuneLen(r)
			if decodedSize < 0 {
				decodedSize = 3 // half of a surrogate pair
			}
		} else if c >= utf8.RuneSelf {
			_, size = decodeChar(lexeme[i:])
			decodedSize = size
		}
		if i+size > room {
			break
		}
		i += size
		length += decodedSize
	}
	return length
}
