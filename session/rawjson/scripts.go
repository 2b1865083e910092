package rawjson

import "unicode"

// The script tables with this file and names.go cost 2.6 KB brotli in a wasm build
// (Go 1.26.8, brotli -q 11).

// mixedScript says whether a word of decoded text has Latin letters beside letters of a
// script that looks like it: Cyrillic, Greek, Armenian, Cherokee (S8). A word is a run of
// letters of these scripts, combining marks, ASCII digits and characters that are not
// seen; every other character ends it, so Latin beside Han, kana, Bopomofo or Hangul is
// no mixture.
func mixedScript(text []byte) bool {
	latin, other := false, false
	for i := 0; i < len(text); {
		c := text[i]
		if c < 0x80 {
			i++
			switch {
			case 'a' <= c|0x20 && c|0x20 <= 'z':
				latin = true
			case '0' <= c && c <= '9':
			default:
				latin, other = false, false
			}
		} else {
			char, n := decodeChar(text[i:])
			i += n
			switch scriptOf(rune(char)) {
			case scriptLatin:
				latin = true
			case scriptLookalike:
				other = true
			case scriptNone:
				latin, other = false, false
			}
		}
		if latin && other {
			return true
		}
	}
	return false
}

type script uint8

const (
	scriptNone      script = iota // ends a word
	scriptInherited               // goes on with the word
	scriptLatin
	scriptLookalike
)

func scriptOf(r rune) script {
	switch {
	case 0x3000 <= r && r < 0xA640, 0xAC00 <= r && r < 0xE000: // most of CJK
		return scriptNone
	case 0x0400 <= r && r < 0x0530: // most of Cyrillic
		return scriptLookalike
	case unicode.Is(unicode.Latin, r):
		return scriptLatin
	case unicode.Is(unicode.Cyrillic, r), unicode.Is(unicode.Greek, r),
		unicode.Is(unicode.Armenian, r), unicode.Is(unicode.Cherokee, r):
		return scriptLookalike
	case 0x0300 <= r && r < 0x0370:
		return scriptInherited
	}
	switch classOf(r) {
	case classBidi, classIgnored, classSelector:
		return scriptInherited
	}
	return scriptNone
}
