package rawjson

import "unicode/utf8"

// CopyText is the text that the card copies: the same JSON value, with \uXXXX for each
// character that would be a token and each Default_Ignorable one, also inside emoji, so
// that nothing invisible leaves with it (S20). Plain white space stays as it is. A byte
// that is no UTF-8 becomes U+FFFD, as every reader would make it.
func CopyText(raw []byte) []byte {
	dst := make([]byte, 0, len(raw))
	for len(raw) > 0 {
		c := raw[0]
		if c < utf8.RuneSelf && c != 0x7F {
			dst = append(dst, c) // a valid text has control characters only as escapes
			raw = raw[1:]
			continue
		}
		char, n := decodeChar(raw)
		switch {
		case char >= charByte:
			dst = append(dst, "\uFFFD"...)
		case classOf(rune(char)) == classText:
			dst = append(dst, raw[:n]...)
		default:
			dst = appendEscaped(dst, rune(char))
		}
		raw = raw[n:]
	}
	return dst
}

// appendEscaped appends r as \uXXXX, as a surrogate pair where it takes one.
func appendEscaped(dst []byte, r rune) []byte {
	if r > 0xFFFF {
		r -= 0x10000
		dst = appendEscaped(dst, 0xD800+r>>10)
		r = 0xDC00 + r&0x3FF
	}
	return append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}
