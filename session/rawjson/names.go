package rawjson

import (
	"strconv"
	"unicode"
)

// CodePoint is how the card writes the character: "U+202E", "0xFF" for a byte that is no
// UTF-8, "U+000D U+000A" for CR LF as one line break.
func (c Char) CodePoint() string { return string(c.appendCodePoint(nil)) }

func (c Char) appendCodePoint(dst []byte) []byte {
	if c == charCRLF {
		return append(dst, "U+000D U+000A"...)
	}
	digits, n := 4, uint32(c)
	if c >= charByte {
		dst, digits, n = append(dst, "0x"...), 2, uint32(c-charByte)
	} else {
		dst = append(dst, "U+"...)
	}
	for n>>(4*digits) != 0 {
		digits++
	}
	const hex = "0123456789ABCDEF"
	for digits > 0 {
		digits--
		dst = append(dst, hex[n>>(4*digits)&15])
	}
	return dst
}

var controlNames = [...]string{
	"NULL", "START OF HEADING", "START OF TEXT", "END OF TEXT", "END OF TRANSMISSION",
	"ENQUIRY", "ACKNOWLEDGE", "BELL", "BACKSPACE", "CHARACTER TABULATION", "LINE FEED",
	"LINE TABULATION", "FORM FEED", "CARRIAGE RETURN", "SHIFT OUT", "SHIFT IN",
	"DATA LINK ESCAPE", "DEVICE CONTROL ONE", "DEVICE CONTROL TWO", "DEVICE CONTROL THREE",
	"DEVICE CONTROL FOUR", "NEGATIVE ACKNOWLEDGE", "SYNCHRONOUS IDLE",
	"END OF TRANSMISSION BLOCK", "CANCEL", "END OF MEDIUM", "SUBSTITUTE", "ESCAPE",
	"INFORMATION SEPARATOR FOUR", "INFORMATION SEPARATOR THREE",
	"INFORMATION SEPARATOR TWO", "INFORMATION SEPARATOR ONE", "SPACE",
}

// Name is the Unicode name of a character that this package makes a token of, or what
// kind of character it is where names of their own would cost more than they tell.
func (c Char) Name() string {
	r := rune(c)
	switch {
	case c == charCRLF:
		return "CARRIAGE RETURN LINE FEED"
	case c >= charByte:
		return "BYTE THAT IS NOT UTF-8"
	case 0 <= r && int(r) < len(controlNames):
		return controlNames[r]
	case r == 0x85:
		return "NEXT LINE"
	case 0xFE00 <= r && r <= 0xFE0F:
		return "VARIATION SELECTOR-" + strconv.Itoa(int(r-0xFE00)+1)
	case 0xE0100 <= r && r <= 0xE01EF:
		return "VARIATION SELECTOR-" + strconv.Itoa(int(r-0xE0100)+17)
	case r == 0xE0001:
		return "LANGUAGE TAG"
	case r == 0xE007F:
		return "CANCEL TAG"
	case r == 0xE0020:
		return "TAG SPACE"
	case 0xE0020 < r && r < 0xE007F: // what the tag spells helps more than its name
		return "TAG " + string(r-0xE0000)
	case 0xE0000 <= r && r <= 0xE0FFF:
		return "UNASSIGNED"
	}
	if s := findSpecial(r); s != nil {
		return s.name
	}
	switch {
	case unicode.Is(unicode.Latin, r):
		return "LATIN CHARACTER"
	case unicode.Is(unicode.Cyrillic, r):
		return "CYRILLIC CHARACTER"
	case unicode.Is(unicode.Greek, r):
		return "GREEK CHARACTER"
	case unicode.Is(unicode.Armenian, r):
		return "ARMENIAN CHARACTER"
	case unicode.Is(unicode.Cherokee, r):
		return "CHEROKEE CHARACTER"
	}
	return "CHARACTER"
}
