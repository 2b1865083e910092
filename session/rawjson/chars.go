package rawjson

import "unicode/utf8"

// Char is a character of a token: a code point, also half of a surrogate pair, or one of
// two things that have none.
type Char rune

const (
	charByte Char = 0x110000 // plus the value of a byte that is no UTF-8
	charCRLF Char = 0x110100 // CR and LF as one line break
)

// class says how a character is drawn.
type class uint8

const (
	classText     class = iota // as it is
	classSpace                 // a space other than U+0020: a token, no warning
	classBidi                  // a token, MarkBidi
	classUnseen                // a token, MarkInvisible
	classIgnored               // the same, Default_Ignorable_Code_Point
	classSelector              // the same, except in an ordinary emoji
)

// charRange is a stretch of code points of one class. name is empty where charName makes
// the names.
type charRange struct {
	lo, hi rune
	class  class
	name   string
}

// special lists what is not drawn as it is, in order. It is made by hand; a test checks
// it against the properties of the Unicode Character Database.
var special = [...]charRange{
	{0x0000, 0x0008, classUnseen, ""},
	{0x000B, 0x001F, classUnseen, ""},
	{0x007F, 0x007F, classUnseen, "DELETE"},
	{0x0080, 0x009F, classUnseen, "CONTROL"},
	{0x00A0, 0x00A0, classSpace, "NO-BREAK SPACE"},
	{0x00AD, 0x00AD, classIgnored, "SOFT HYPHEN"},
	{0x034F, 0x034F, classIgnored, "COMBINING GRAPHEME JOINER"},
	{0x061C, 0x061C, classBidi, "ARABIC LETTER MARK"},
	{0x115F, 0x115F, classIgnored, "HANGUL CHOSEONG FILLER"},
	{0x1160, 0x1160, classIgnored, "HANGUL JUNGSEONG FILLER"},
	{0x1680, 0x1680, classSpace, "OGHAM SPACE MARK"},
	{0x17B4, 0x17B5, classIgnored, "KHMER INHERENT VOWEL"},
	{0x180B, 0x180D, classIgnored, "MONGOLIAN VARIATION SELECTOR"},
	{0x180E, 0x180E, classIgnored, "MONGOLIAN VOWEL SEPARATOR"},
	{0x180F, 0x180F, classIgnored, "MONGOLIAN VARIATION SELECTOR"},
	{0x2000, 0x2000, classSpace, "EN QUAD"},
	{0x2001, 0x2001, classSpace, "EM QUAD"},
	{0x2002, 0x2002, classSpace, "EN SPACE"},
	{0x2003, 0x2003, classSpace, "EM SPACE"},
	{0x2004, 0x2004, classSpace, "THREE-PER-EM SPACE"},
	{0x2005, 0x2005, classSpace, "FOUR-PER-EM SPACE"},
	{0x2006, 0x2006, classSpace, "SIX-PER-EM SPACE"},
	{0x2007, 0x2007, classSpace, "FIGURE SPACE"},
	{0x2008, 0x2008, classSpace, "PUNCTUATION SPACE"},
	{0x2009, 0x2009, classSpace, "THIN SPACE"},
	{0x200A, 0x200A, classSpace, "HAIR SPACE"},
	{0x200B, 0x200B, classIgnored, "ZERO WIDTH SPACE"},
	{0x200C, 0x200C, classIgnored, "ZERO WIDTH NON-JOINER"},
	{0x200D, 0x200D, classSelector, "ZERO WIDTH JOINER"},
	{0x200E, 0x200E, classBidi, "LEFT-TO-RIGHT MARK"},
	{0x200F, 0x200F, classBidi, "RIGHT-TO-LEFT MARK"},
	{0x2028, 0x2028, classUnseen, "LINE SEPARATOR"},
	{0x2029, 0x2029, classUnseen, "PARAGRAPH SEPARATOR"},
	{0x202A, 0x202A, classBidi, "LEFT-TO-RIGHT EMBEDDING"},
	{0x202B, 0x202B, classBidi, "RIGHT-TO-LEFT EMBEDDING"},
	{0x202C, 0x202C, classBidi, "POP DIRECTIONAL FORMATTING"},
	{0x202D, 0x202D, classBidi, "LEFT-TO-RIGHT OVERRIDE"},
	{0x202E, 0x202E, classBidi, "RIGHT-TO-LEFT OVERRIDE"},
	{0x202F, 0x202F, classSpace, "NARROW NO-BREAK SPACE"},
	{0x205F, 0x205F, classSpace, "MEDIUM MATHEMATICAL SPACE"},
	{0x2060, 0x2060, classIgnored, "WORD JOINER"},
	{0x2061, 0x2061, classIgnored, "FUNCTION APPLICATION"},
	{0x2062, 0x2062, classIgnored, "INVISIBLE TIMES"},
	{0x2063, 0x2063, classIgnored, "INVISIBLE SEPARATOR"},
	{0x2064, 0x2064, classIgnored, "INVISIBLE PLUS"},
	{0x2065, 0x2065, classIgnored, "UNASSIGNED"},
	{0x2066, 0x2066, classBidi, "LEFT-TO-RIGHT ISOLATE"},
	{0x2067, 0x2067, classBidi, "RIGHT-TO-LEFT ISOLATE"},
	{0x2068, 0x2068, classBidi, "FIRST STRONG ISOLATE"},
	{0x2069, 0x2069, classBidi, "POP DIRECTIONAL ISOLATE"},
	{0x206A, 0x206F, classIgnored, "DEPRECATED FORMAT CHARACTER"},
	{0x2800, 0x2800, classUnseen, "BRAILLE PATTERN BLANK"},
	{0x3000, 0x3000, classSpace, "IDEOGRAPHIC SPACE"},
	{0x3164, 0x3164, classIgnored, "HANGUL FILLER"},
	{0xD800, 0xDFFF, classUnseen, "LONE SURROGATE"},
	{0xE000, 0xF8FF, classUnseen, "PRIVATE USE"},
	{0xFDD0, 0xFDEF, classUnseen, "NONCHARACTER"},
	{0xFE00, 0xFE0D, classIgnored, ""},
	{0xFE0E, 0xFE0F, classSelector, ""},
	{0xFEFF, 0xFEFF, classIgnored, "ZERO WIDTH NO-BREAK SPACE"},
	{0xFFA0, 0xFFA0, classIgnored, "HALFWIDTH HANGUL FILLER"},
	{0xFFF0, 0xFFF8, classIgnored, "UNASSIGNED"},
	{0xFFF9, 0xFFF9, classUnseen, "INTERLINEAR ANNOTATION ANCHOR"},
	{0xFFFA, 0xFFFA, classUnseen, "INTERLINEAR ANNOTATION SEPARATOR"},
	{0xFFFB, 0xFFFB, classUnseen, "INTERLINEAR ANNOTATION TERMINATOR"},
	{0xFFFC, 0xFFFC, classUnseen, "OBJECT REPLACEMENT CHARACTER"},
	{0xFFFE, 0xFFFF, classUnseen, "NONCHARACTER"},
	{0x13430, 0x1343F, classUnseen, "EGYPTIAN HIEROGLYPH FORMAT CHARACTER"},
	{0x1BCA0, 0x1BCA3, classIgnored, "SHORTHAND FORMAT CHARACTER"},
	{0x1D159, 0x1D159, classUnseen, "MUSICAL SYMBOL NULL NOTEHEAD"},
	{0x1D173, 0x1D17A, classIgnored, "MUSICAL SYMBOL FORMAT CHARACTER"},
	{0x1FFFE, 0x1FFFF, classUnseen, "NONCHARACTER"},
	{0x2FFFE, 0x2FFFF, classUnseen, "NONCHARACTER"},
	{0x3FFFE, 0x3FFFF, classUnseen, "NONCHARACTER"},
	{0x4FFFE, 0x4FFFF, classUnseen, "NONCHARACTER"},
	{0x5FFFE, 0x5FFFF, classUnseen, "NONCHARACTER"},
	{0x6FFFE, 0x6FFFF, classUnseen, "NONCHARACTER"},
	{0x7FFFE, 0x7FFFF, classUnseen, "NONCHARACTER"},
	{0x8FFFE, 0x8FFFF, classUnseen, "NONCHARACTER"},
	{0x9FFFE, 0x9FFFF, classUnseen, "NONCHARACTER"},
	{0xAFFFE, 0xAFFFF, classUnseen, "NONCHARACTER"},
	{0xBFFFE, 0xBFFFF, classUnseen, "NONCHARACTER"},
	{0xCFFFE, 0xCFFFF, classUnseen, "NONCHARACTER"},
	{0xDFFFE, 0xDFFFF, classUnseen, "NONCHARACTER"},
	{0xE0000, 0xE0FFF, classIgnored, ""},
	{0xEFFFE, 0xEFFFF, classUnseen, "NONCHARACTER"},
	{0xF0000, 0xFFFFD, classUnseen, "PRIVATE USE"},
	{0xFFFFE, 0xFFFFF, classUnseen, "NONCHARACTER"},
	{0x100000, 0x10FFFD, classUnseen, "PRIVATE USE"},
	{0x10FFFE, 0x10FFFF, classUnseen, "NONCHARACTER"},
}

// find returns the entry of special that holds r, or nil.
func findSpecial(r rune) *charRange {
	lo, hi := 0, len(special)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if special[mid].hi < r {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(special) && special[lo].lo <= r {
		return &special[lo]
	}
	return nil
}

func classOf(r rune) class {
	// Most text lies in a few wide blocks without a special character.
	if 0x2F00 <= r && r < 0x3000 || 0x3165 <= r && r < 0xD800 || 0xAE <= r && r < 0x34F {
		return classText
	}
	if s := findSpecial(r); s != nil {
		return s.class
	}
	return classText
}

// mark is the warning that a token of this class raises.
func (c class) mark() Marks {
	switch c {
	case classText, classSpace:
		return 0
	case classBidi:
		return MarkBidi
	}
	return MarkInvisible
}

// decodeChar reads one character of decoded text. Half of a surrogate pair stands there
// in three bytes; any byte that is no UTF-8 is a character of its own.
func decodeChar(s []byte) (Char, int) {
	r, n := utf8.DecodeRune(s)
	if r != utf8.RuneError || n != 1 {
		return Char(r), n
	}
	if len(s) >= 3 && s[0] == 0xED && s[1] >= 0xA0 && s[1] <= 0xBF && s[2]&0xC0 == 0x80 {
		return Char(0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F)), 3
	}
	return charByte + Char(s[0]), 1
}
