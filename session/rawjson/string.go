package rawjson

import (
	"bytes"
	"unicode/utf8"
)

func hasEscape(b []byte) bool { return bytes.IndexByte(b, '\\') >= 0 }

// Text returns what a string lexeme says: a part of the lexeme itself when it has no
// escapes, otherwise decoded into buf's memory. A lexeme that is no string gives nil.
func Text(lexeme, buf []byte) []byte {
	if KindOf(lexeme) != String || len(lexeme) < 2 {
		return nil
	}
	if !hasEscape(lexeme) {
		return lexeme[1 : len(lexeme)-1]
	}
	return AppendString(buf[:0], lexeme)
}

// AppendString appends the decoded text of a string lexeme, quotes included, that a scan
// has found valid. Half of a surrogate pair becomes U+FFFD; invalid UTF-8 is passed on.
// A lexeme that is no string adds nothing.
func AppendString(dst, lexeme []byte) []byte {
	if len(lexeme) < 2 || lexeme[0] != '"' {
		return dst
	}
	s := lexeme[1 : len(lexeme)-1]
	for {
		i := bytes.IndexByte(s, '\\')
		if i < 0 || i+1 >= len(s) {
			return append(dst, s...)
		}
		dst = append(dst, s[:i]...)
		r, n := decodeEscape(s[i:])
		if n == 0 { // not reached for a valid lexeme
			return append(dst, s[i:]...)
		}
		dst = utf8.AppendRune(dst, r)
		s = s[i+n:]
	}
}

// appendDecoded is AppendString for what is shown: half of a surrogate pair is kept, in
// the three bytes that decodeChar reads.
func appendDecoded(dst, lexeme []byte) []byte {
	s := lexeme[1 : len(lexeme)-1]
	for {
		i := bytes.IndexByte(s, '\\')
		if i < 0 {
			return append(dst, s...)
		}
		dst = append(dst, s[:i]...)
		r, n := decodeEscape(s[i:])
		if n == 0 { // not reached for a valid lexeme
			return append(dst, s[i:]...)
		}
		if 0xD800 <= r && r < 0xE000 {
			dst = append(dst, 0xED, byte(0x80|r>>6&0x3F), byte(0x80|r&0x3F))
		} else {
			dst = utf8.AppendRune(dst, r)
		}
		s = s[i+n:]
	}
}

// decodeEscape reads the escape at the start of s, a whole surrogate pair at once. The
// rune is a surrogate value when it is only half of a pair, which utf8.AppendRune writes
// as U+FFFD. n is 0 when s does not begin with a valid escape.
func decodeEscape(s []byte) (r rune, n int) {
	if len(s) < 2 {
		return 0, 0
	}
	switch s[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case '"', '\\', '/':
		return rune(s[1]), 2
	case 'u':
		r, ok := unit(s)
		if !ok {
			return 0, 0
		}
		if 0xD800 <= r && r < 0xDC00 {
			if low, ok := unit(s[6:]); ok && 0xDC00 <= low && low < 0xE000 {
				return (r-0xD800)<<10 | (low - 0xDC00) + 0x10000, 12
			}
		}
		return r, 6
	}
	return 0, 0
}

// unit reads \uXXXX.
func unit(s []byte) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range s[2:6] {
		v := hexValue(c)
		if v < 0 {
			return 0, false
		}
		r = r<<4 | rune(v)
	}
	return r, true
}

const hexDigits = "0123456789abcdef"

// AppendQuoted appends s as a JSON string. It escapes only what JSON requires: the quote,
// the backslash and the control characters below U+0020; the text is otherwise kept
// (B108). Invalid UTF-8, also half of a surrogate pair in three bytes, becomes U+FFFD,
// one per byte, so that what we send is well formed (B104).
func AppendQuoted[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	done := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x80 {
			if n := runeLen(s, i); n > 0 {
				i += n
				continue
			}
			dst = append(append(dst, s[done:i]...), "\uFFFD"...)
			i++
			done = i
			continue
		}
		if c >= 0x20 && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[done:i]...)
		i++
		done = i
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(append(dst, s[done:]...), '"')
}

// runeLen is the length of the valid UTF-8 sequence of two or more bytes at s[i], 0 when
// there is none. It is written out because utf8 has no form for both string and []byte
// that does not copy.
func runeLen[T string | []byte](s T, i int) int {
	c := s[i]
	n, low, high := 0, byte(0x80), byte(0xBF)
	switch {
	case 0xC2 <= c && c <= 0xDF:
		n = 2
	case 0xE0 <= c && c <= 0xEF:
		n = 3
		if c == 0xE0 {
			low = 0xA0 // shorter forms are overlong
		} else if c == 0xED {
			high = 0x9F // surrogates
		}
	case 0xF0 <= c && c <= 0xF4:
		n = 4
		if c == 0xF0 {
			low = 0x90
		} else if c == 0xF4 {
			high = 0x8F // above U+10FFFF
		}
	}
	if n == 0 || i+n > len(s) || s[i+1] < low || s[i+1] > high {
		return 0
	}
	for _, k := range [2]int{2, 3} {
		if k < n && s[i+k]&0xC0 != 0x80 {
			return 0
		}
	}
	return n
}
