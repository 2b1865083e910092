package rawjson

import (
	"bytes"
	"unicode/utf8"
)

// countedRun is the length from which a run of one character is counted instead of
// drawn (U29).
const countedRun = 4

// tokenizer cuts decoded text into tokens. One is used for all rows of a card, so that
// the tokens lie in one slice.
type tokenizer struct {
	tokens  []Token
	special int   // tokens that are not text, over all calls
	limit   int   // of special: a text is cut before it would be passed
	full    bool  // a text was cut
	marks   Marks // of the text at hand
	hosts   []host
}

// tokenize returns the tokens of decoded text, what it warns about, and how many bytes
// the tokens stand for. With edges, white space at the start and the end is drawn too, as
// names need it.
func (z *tokenizer) tokenize(text []byte, edges bool) ([]Token, Marks, int) {
	first := len(z.tokens)
	z.marks, z.hosts = 0, z.hosts[:0]
	if !isASCII(text) {
		if mixedScript(text) {
			z.marks |= MarkMixed
		}
		z.hosts = appendHosts(z.hosts, text)
	}
	from, to := 0, len(text)
	if edges {
		from, to = len(text)-len(bytes.TrimLeft(text, " \t\n")), len(bytes.TrimRight(text, " \t\n"))
		from = min(from, to)
	}
	n := z.run(text[:from], 2)
	if n == from {
		n = z.body(text[:to], from)
	}
	if n == to {
		n += z.run(text[to:], 2)
	}
	return z.tokens[first:len(z.tokens):len(z.tokens)], z.marks, n
}

// literal is the token of a number, true, false or null.
func (z *tokenizer) literal(lexeme []byte) []Token {
	first := len(z.tokens)
	z.text(lexeme)
	return z.tokens[first:len(z.tokens):len(z.tokens)]
}

// body cuts text from index i on, and returns where it stopped; what stands before i is
// context only.
func (z *tokenizer) body(text []byte, i int) int {
	start := i // of the text that is not a token yet
	for i < len(text) {
		c := text[i]
		if len(z.hosts) > 0 && i >= z.hosts[0].end {
			z.text(text[start:i])
			start = i
			if !z.ascii(text) {
				return i
			}
		}
		if c > ' ' && c < 0x7F {
			i++
			continue
		}
		var n int // bytes at i that are drawn as they are
		switch {
		case c == ' ' || c == '\n' || c == '\t':
			if n = runLength(text[i:], 1); n >= countedRun {
				n = 0
			}
		case c == '\r' && i+1 < len(text) && text[i+1] == '\n':
			if n = runLength(text[i:], 2); n >= 2*countedRun {
				n = 0
			}
		case c >= utf8.RuneSelf:
			n = plainLength(text, i)
		}
		if n > 0 {
			i += n
			continue
		}
		z.text(text[start:i])
		start = i
		if n = z.next(text[i:]); n == 0 {
			return i
		}
		i += n
		start = i
	}
	z.text(text[start:])
	for len(z.hosts) > 0 && z.ascii(text) {
	}
	return len(text)
}

// plainLength is the length of the character at i, or of the whole emoji of which it is a
// part, when it is drawn as it is; 0 when it needs a token.
func plainLength(text []byte, i int) int {
	c, n := decodeChar(text[i:])
	if c >= charByte {
		return 0
	}
	switch classOf(rune(c)) {
	case classText:
		return n
	case classSelector:
		if inEmoji(text, i, rune(c)) {
			return n
		}
	case classIgnored:
		return flagTags(text, i)
	}
	return 0
}

// next adds the token of the character at the start of s, or of its run, and returns how
// long it was; 0 when the limit is reached.
func (z *tokenizer) next(s []byte) int {
	if s[0] == '\r' && len(s) > 1 && s[1] == '\n' {
		if n := runLength(s, 2); n >= 2*countedRun {
			if !z.add(charCRLF, n/2) {
				return 0
			}
			return n
		}
	}
	c, size := decodeChar(s)
	return z.run(s[:charRun(s, c, size)], countedRun)
}

// run adds tokens for a stretch in which every character is drawn as a token, and returns
// how much of it the limit let through. From counted equal characters on, they become one
// token.
func (z *tokenizer) run(s []byte, counted int) int {
	done := 0
	for done < len(s) {
		c, size := decodeChar(s[done:])
		n := charRun(s[done:], c, size)
		if n/size < counted {
			n = size
		}
		if !z.add(c, n/size) {
			break
		}
		done += n
	}
	return done
}

// add adds a token of count equal characters, or returns false when the limit is reached.
func (z *tokenizer) add(c Char, count int) bool {
	if z.special >= z.limit {
		z.full = true
		return false
	}
	z.special++
	if c < charByte {
		z.marks |= classOf(rune(c)).mark()
	} else if c != charCRLF {
		z.marks |= MarkInvisible
	}
	if count > 1 {
		z.tokens = append(z.tokens, Token{Type: TokenSpace, Char: c, Count: count})
	} else {
		z.tokens = append(z.tokens, Token{Type: TokenChar, Char: c})
	}
	return true
}

func (z *tokenizer) text(s []byte) {
	if len(s) > 0 {
		z.tokens = append(z.tokens, Token{Type: TokenText, Text: s})
	}
}

// ascii adds the ASCII form of the host that has just ended, or returns false when the
// limit is reached.
func (z *tokenizer) ascii(text []byte) bool {
	if z.special >= z.limit {
		z.full = true
		return false
	}
	h := z.hosts[0]
	z.hosts = z.hosts[1:]
	z.special++
	z.marks |= MarkHost
	z.tokens = append(z.tokens, Token{Type: TokenASCII, Text: asciiHost(text[h.start:h.end])})
	return true
}

// charRun is the length of the run of the character c, of size bytes, at the start of s. A
// byte that is no UTF-8 can look like the start of the character after it, so these are
// told apart by decoding.
func charRun(s []byte, c Char, size int) int {
	if c < charByte {
		return runLength(s, size)
	}
	n := size
	for n < len(s) && s[n] == s[0] {
		if next, _ := decodeChar(s[n:]); next != c {
			break
		}
		n++
	}
	return n
}

// runLength is the length of the run of the first size bytes at the start of s.
func runLength(s []byte, size int) int {
	n := size
	for n+size <= len(s) && string(s[n:n+size]) == string(s[:size]) {
		n += size
	}
	return n
}

func isASCII(s []byte) bool {
	for _, c := range s {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// DescribeName cuts a tool's name into tokens (S8): what lies outside A-Z a-z 0-9 _ . : /
// - is a token, so that a name cannot pass for another. The name is the decoded text; the
// warnings have an empty path.
func DescribeName(name string) ([]Token, []Warning) {
	text := []byte(name)
	z := tokenizer{limit: Hard.Tokens}
	if mixedScript(text) {
		z.marks = MarkMixed
	}
	for len(text) > 0 {
		n := 0
		for n < len(text) && isNameByte(text[n]) {
			n++
		}
		z.text(text[:n])
		text = text[n:]
		n = 0
		for n < len(text) && !isNameByte(text[n]) {
			n++
		}
		if z.run(text[:n], countedRun) < n {
			break
		}
		text = text[n:]
	}
	return z.tokens, appendWarnings(nil, z.marks, "")
}

func isNameByte(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return c == '_' || c == '.' || c == ':' || c == '/' || c == '-'
}
