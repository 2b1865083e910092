package rawjson

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

func TestAppendStringDecodes(t *testing.T) {
	for lexeme, want := range map[string]string{
		`""`:                               "",
		`"plain"`:                          "plain",
		`"\"\\\/\b\f\n\r\t"`:               "\"\\/\b\f\n\r\t",
		`"\u0041\u00e9\u20ac\uD83D\uDE42"`: "Aé€🙂",
		`"\u0000"`:                         "\x00",
		`"\ud83d"`:                         "\uFFFD",
		`"\ude42"`:                         "\uFFFD",
		`"\ud83dx"`:                        "\uFFFDx",
		`"\ud83d\n"`:                       "\uFFFD\n",
		`"\ud83d\ud83d\ude42"`:             "\uFFFD🙂",
		`"\ude42\ud83d"`:                   "\uFFFD\uFFFD",
		`"\ud83d\u0041"`:                   "\uFFFDA",
		`"é\u202eZ"`:                       "é\u202eZ",
		"\"\xff\\n\xfe\"":                  "\xff\n\xfe", // passed on
	} {
		if got := string(AppendString([]byte(">"), []byte(lexeme))); got != ">"+want {
			t.Errorf("%s: got %q, want %q", lexeme, got, want)
		}
		if got := string(Text([]byte(lexeme), nil)); got != want {
			t.Errorf("Text %s: got %q, want %q", lexeme, got, want)
		}
		var std string
		if utf8.ValidString(lexeme) && json.Unmarshal([]byte(lexeme), &std) == nil && std != want {
			t.Errorf("%s: encoding/json says %q", lexeme, std)
		}
	}
	for _, other := range []string{``, `"`, `1`, `{}`, `x"`} {
		if got := AppendString(nil, []byte(other)); got != nil {
			t.Errorf("%q is no string, got %q", other, got)
		}
		if Text([]byte(other), nil) != nil {
			t.Errorf("Text of %q", other)
		}
	}
	// A lexeme that no scan has seen must not do harm either.
	for _, broken := range []string{`"\"`, `"\u12"`, `"\x"`, `"\ud83d\u"`} {
		AppendString(nil, []byte(broken))
		appendDecoded(nil, []byte(broken))
		decodedPrefix([]byte(broken), 100)
	}
}

func TestTextDoesNotCopyPlainLexemes(t *testing.T) {
	lexeme := []byte(`"abc"`)
	text := Text(lexeme, nil)
	if &text[0] != &lexeme[1] {
		t.Error("copied")
	}
	buf := make([]byte, 0, 64)
	if n := testing.AllocsPerRun(100, func() { Text([]byte(`"a\nb"`), buf) }); n != 0 {
		t.Errorf("%v allocations with a buffer", n)
	}
}

func TestB104_AppendQuotedIsWellFormed(t *testing.T) {
	for text, want := range map[string]string{
		"":                             `""`,
		"a\"b\\c/":                     `"a\"b\\c/"`,
		"\b\f\n\r\t\x00\x1f\x7f":       "\"\\b\\f\\n\\r\\t\\u0000\\u001f\x7f\"",
		"<b>&\u2028\u2029é🙂":           "\"<b>&\u2028\u2029é🙂\"", // B108
		"a\xed\xa0\xbd":                "\"a\uFFFD\uFFFD\uFFFD\"",
		"\xff\xc0\x80\xf5":             "\"\uFFFD\uFFFD\uFFFD\uFFFD\"",
		"\xe2\x82":                     "\"\uFFFD\uFFFD\"",
		"\xf0\x9f\x99x":                "\"\uFFFD\uFFFD\uFFFDx\"",
		"\xf4\x90\x80\x80":             "\"\uFFFD\uFFFD\uFFFD\uFFFD\"",
		"\ufffd\U0010FFFF\uD7FF\uE000": "\"\ufffd\U0010FFFF\uD7FF\uE000\"",
	} {
		got := AppendQuoted([]byte(">"), text)
		if string(got) != ">"+want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
		if string(AppendQuoted([]byte(">"), []byte(text))) != string(got) {
			t.Errorf("%q: string and bytes differ", text)
		}
		if !utf8.Valid(got) || !json.Valid(got[1:]) {
			t.Errorf("%q: not well formed: %q", text, got)
		}
	}
}

func TestRuneLenAgreesWithUTF8(t *testing.T) {
	// Every first byte with every second byte, and edges of the rest.
	for a := range 256 {
		for b := range 256 {
			for _, tail := range []string{"", "\x80", "\xbf", "\x80\x80", "\xbf\xbf", "A", "\x80A", "\xc0\x80"} {
				s := string([]byte{byte(a), byte(b)}) + tail
				r, n := utf8.DecodeRuneInString(s)
				want := n
				if r == utf8.RuneError && n == 1 || a < 0x80 {
					want = 0
				}
				if got := runeLen(s, 0); got != want {
					t.Fatalf("%q: got %d, want %d", s, got, want)
				}
			}
		}
	}
}
