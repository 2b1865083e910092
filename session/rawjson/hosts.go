package rawjson

import (
	"unicode"
	"unicode/utf8"
)

// host is the place in a value of a host with other letters than ASCII.
type host struct{ start, end int }

// maxHost is the longest host that is looked at, in bytes: a name has at most 253
// characters, and a character at most four bytes.
const maxHost = 4 * 253

// appendHosts finds the hosts in the URL- and e-mail-shaped parts of a value: after "//"
// at the start or after a colon, and after an @ when there is a dot in what follows.
func appendHosts(dst []host, text []byte) []host {
	for i := 0; i < len(text); {
		c := text[i]
		url := c == '/' && i+1 < len(text) && text[i+1] == '/' && (i == 0 || text[i-1] == ':')
		if c != '@' && !url {
			i++
			continue
		}
		start := i + 1
		if url {
			start++
		}
		end, dot := start, false
		for end < len(text) {
			r, n := decodeChar(text[end:])
			mapped := mapHostChar(rune(r))
			if url && mapped == '@' { // what stood before it is user information
				start, dot = end+n, false
			} else if endsHost(mapped) {
				break
			}
			dot = dot || mapped == '.'
			end += n
		}
		name := text[start:end]
		if len(name) <= maxHost && (url || dot) && !isASCII(name) {
			dst = append(dst, host{start: start, end: end})
		}
		i = max(end, i+1)
	}
	return dst
}

// mapHostChar is what a browser makes of a character in a host, as far as it matters
// here: full-width forms become ASCII, four full stops become a dot, letters lower case.
func mapHostChar(r rune) rune {
	switch {
	case 0xFF01 <= r && r <= 0xFF5E:
		r -= 0xFEE0
	case r == 0x3002 || r == 0xFF61:
		return '.'
	}
	if 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	if r >= 0x80 && r < rune(charByte) && r != 0x0130 {
		return unicode.ToLower(r)
	}
	return r
}

// endsHost says whether a mapped character cannot be part of a host.
func endsHost(r rune) bool {
	if r < 0x80 {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '.' || r == '-' || r == '_' || r == '%')
	}
	switch {
	case 0x2010 <= r && r <= 0x2027, 0x3001 <= r && r <= 0x3003, 0x3008 <= r && r <= 0x301F:
		return true // dashes, quotation marks, brackets and stops of running text
	}
	return classOf(r) == classSpace
}

// asciiHost is the ASCII form of a host, which a browser would ask the name service for:
// each label that is not ASCII in Punycode. It follows the mapping of UTS 46 for case,
// width, composition and characters that are left out, but not for other compatibility
// forms such as ligatures and circled letters.
// A label that no register would take still gets a form: all it has to show is that the
// host is not the one it looks like.
func asciiHost(name []byte) []byte {
	ascii := make([]byte, 0, 64)
	var label []byte
	flush := func() {
		if isASCII(label) {
			ascii = append(ascii, label...)
		} else {
			ascii = appendPunycode(append(ascii, "xn--"...), appendNFC(nil, label))
		}
		label = label[:0]
	}
	for len(name) > 0 {
		c, n := decodeChar(name)
		name = name[n:]
		r := mapHostChar(rune(c))
		switch {
		case r == '.':
			flush()
			ascii = append(ascii, '.')
		case r == 0x0130: // its lower case is two characters
			label = append(label, "i\u0307"...)
		case c < charByte && (classOf(r) == classBidi || classOf(r) == classIgnored && r != 0x200C):
			// A browser leaves it out, too, or refuses the whole host.
		default:
			label = utf8.AppendRune(label, r)
		}
	}
	flush()
	for len(ascii) > 0 && ascii[len(ascii)-1] == '.' { // the stop of the sentence
		ascii = ascii[:len(ascii)-1]
	}
	return ascii
}

// appendPunycode appends the Punycode of a label (RFC 3492, section 6.3).
func appendPunycode(dst, label []byte) []byte {
	const base, tMin, tMax, skew, damp = 36, 1, 26, 38, 700
	n, delta, bias := rune(128), 0, 72
	runes := []rune(string(label))
	handled := 0
	for _, r := range runes {
		if r < 0x80 {
			dst = append(dst, byte(r))
			handled++
		}
	}
	basic := handled
	if basic > 0 {
		dst = append(dst, '-')
	}
	for handled < len(runes) {
		next := rune(utf8.MaxRune)
		for _, r := range runes {
			if r >= n && r < next {
				next = r
			}
		}
		delta += int(next-n) * (handled + 1)
		n = next
		for _, r := range runes {
			if r < n {
				delta++
			}
			if r != n {
				continue
			}
			q := delta
			for k := base; ; k += base {
				t := min(max(k-bias, tMin), tMax)
				if q < t {
					break
				}
				dst = append(dst, punycodeDigit(t+(q-t)%(base-t)))
				q = (q - t) / (base - t)
			}
			dst = append(dst, punycodeDigit(q))
			// Adapt the bias.
			if handled == basic {
				delta /= damp
			} else {
				delta /= 2
			}
			delta += delta / (handled + 1)
			k := 0
			for ; delta > (base-tMin)*tMax/2; k += base {
				delta /= base - tMin
			}
			bias = k + (base-tMin+1)*delta/(delta+skew)
			delta = 0
			handled++
		}
		delta++
		n++
	}
	return dst
}

func punycodeDigit(d int) byte {
	if d < 26 {
		return byte('a' + d)
	}
	return byte('0' + d - 26)
}
