package rawjson

import (
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// spell writes tokens in a short form: text as it is, <U+202E>, <U+000A*5>, <=xn--a>.
func spell(tokens []Token) string {
	var s strings.Builder
	for _, t := range tokens {
		switch t.Type {
		case TokenText:
			s.Write(t.Text)
		case TokenChar:
			s.WriteString("<" + t.Char.CodePoint() + ">")
		case TokenSpace:
			s.WriteString("<" + t.Char.CodePoint() + "*" + strconv.Itoa(t.Count) + ">")
		case TokenASCII:
			s.WriteString("<=" + string(t.Text) + ">")
		}
	}
	return s.String()
}

func tokenize(text string) ([]Token, Marks) {
	z := tokenizer{limit: Hard.Tokens}
	tokens, marks, _ := z.tokenize([]byte(text), false)
	return tokens, marks
}

var bidiControls = []rune{
	0x061C, 0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069,
}

func TestS5_BidiControlsAreTokensInNameKeyAndValue(t *testing.T) {
	for _, r := range bidiControls {
		cp := Char(r).CodePoint()
		lower := strings.ToLower(strings.TrimPrefix(cp, "U+"))
		for form, raw := range map[string]string{
			"raw":     `{"a` + string(r) + `b":"c` + string(r) + `d"}`,
			"escaped": `{"a\u` + lower + `b":"c\u` + lower + `d"}`,
		} {
			a := Describe([]byte(raw), false)
			if len(a.Rows) != 1 {
				t.Fatalf("%s: %d rows", cp, len(a.Rows))
			}
			row := a.Rows[0]
			if spell(row.Key) != "a<"+cp+">b" || spell(row.Tokens) != "c<"+cp+">d" {
				t.Errorf("%s %s: key %q, value %q", cp, form, spell(row.Key), spell(row.Tokens))
			}
			if row.Marks != MarkBidi || len(a.Warnings) != 1 || a.Warnings[0].Code != "bidi" {
				t.Errorf("%s %s: marks %v, warnings %v", cp, form, row.Marks.Codes(), a.Warnings)
			}
		}
		tokens, warnings := DescribeName("delete" + string(r) + "post")
		if spell(tokens) != "delete<"+cp+">post" || len(warnings) != 1 || warnings[0].Code != "bidi" {
			t.Errorf("%s in a name: %q, %v", cp, spell(tokens), warnings)
		}
	}
}

func TestS5_NothingInvisibleIsText(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		c := classOf(r)
		if c == classText {
			continue
		}
		text := "a" + string(r) + "b"
		if 0xD800 <= r && r < 0xE000 {
			text = "a" + string(appendDecoded(nil, []byte(`"\u`+strconv.FormatInt(int64(r), 16)+`"`))) + "b"
		}
		tokens, marks := tokenize(text)
		if want := "a<" + Char(r).CodePoint() + ">b"; spell(tokens) != want {
			t.Fatalf("%s: got %q", Char(r).CodePoint(), spell(tokens))
		}
		if marks != c.mark() {
			t.Fatalf("%s: marks %v", Char(r).CodePoint(), marks.Codes())
		}
	}
}

func TestS5_OrdinaryEmojiAreText(t *testing.T) {
	for _, s := range []string{
		"🙂", "❤️", "☎︎", "©️", "™️", "👍🏽", "👩‍👩‍👧‍👦", "👨🏿‍🚀", "🏳️‍🌈", "🏴‍☠️", "👁️‍🗨️", "🏃🏽‍♀️‍➡️",
		"🇩🇪", "🇹🇼🇯🇵", "1️⃣", "#️⃣*️⃣0️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "🏴󠁧󠁢󠁷󠁬󠁳󠁿", "❤️‍🔥", "🧑‍🦰", "🐻‍❄️", "‼️", "㊗️",
	} {
		text := "a " + s + " b"
		if tokens, marks := tokenize(text); spell(tokens) != text || marks != 0 || len(tokens) != 1 {
			t.Errorf("%q: got %q, marks %v", text, spell(tokens), marks.Codes())
		}
	}
}

func TestS5_HiddenCharactersBesideEmojiAreTokens(t *testing.T) {
	for text, want := range map[string]string{
		"a\ufe0f":                         "a<U+FE0F>",
		"\ufe0fa":                         "<U+FE0F>a",
		"❤\ufe0f\ufe0f":                   "❤\ufe0f<U+FE0F>",
		"❤\ufe0f\ufe0e":                   "❤\ufe0f<U+FE0E>",
		"❤\ufe00":                         "❤<U+FE00>",
		"🙂\U000E0100":                     "🙂<U+E0100>",
		"1\ufe0f":                         "1<U+FE0F>",
		"1\ufe0fa":                        "1<U+FE0F>a",
		"👩\u200d":                         "👩<U+200D>",
		"👩\u200d\u200d👧":                  "👩<U+200D><U+200D>👧",
		"\u200d👧":                         "<U+200D>👧",
		"a\u200d👧":                        "a<U+200D>👧",
		"👩\u200da":                        "👩<U+200D>a",
		"👩\u200b👧":                        "👩<U+200B>👧",
		"a\ufe0f\u200d👧":                  "a<U+FE0F><U+200D>👧",
		"🏴\U000E0067\U000E0062\U000E007F": "🏴<U+E0067><U+E0062><U+E007F>",
		"🏴\U000E0075\U000E0073\U000E0074\U000E0078\U000E007F": "🏴<U+E0075><U+E0073><U+E0074><U+E0078><U+E007F>",
		"\U000E0061":       "<U+E0061>",
		"क्\u200dष":        "क्<U+200D>ष",
		"می\u200cخواهم":    "می<U+200C>خواهم",
		"\x00\x07\x1b\x7f": "<U+0000><U+0007><U+001B><U+007F>",
		"\xff\xc0a":        "<0xFF><0xC0>a",
		"\xe2\x82":         "<0xE2><0x82>",
	} {
		tokens, marks := tokenize(text)
		if spell(tokens) != want || marks&MarkInvisible == 0 {
			t.Errorf("%+q: got %q, marks %v", text, spell(tokens), marks.Codes())
		}
	}
}

func TestU29_RunsAreCounted(t *testing.T) {
	n := strings.Repeat
	for text, want := range map[string]string{
		"a" + n("\n", 5000) + "b":     "a<U+000A*5000>b",
		"a" + n(" ", 5000) + "b":      "a<U+0020*5000>b",
		"a" + n("\u00a0", 5000) + "b": "a<U+00A0*5000>b",
		"a" + n("\u3000", 5000) + "b": "a<U+3000*5000>b",
		"a" + n("\t", 4) + "b":        "a<U+0009*4>b",
		"a" + n("\r", 4) + "b":        "a<U+000D*4>b",
		"a" + n("\r\n", 5000) + "b":   "a<U+000D U+000A*5000>b",
		"a" + n("\r\n", 3) + "b":      "a\r\n\r\n\r\nb",
		"a" + n(" ", 3) + "b":         "a   b",
		"a" + n("\n", 3) + "b":        "a\n\n\nb",
		"a" + n("\u00a0", 3) + "b":    "a<U+00A0><U+00A0><U+00A0>b",
		n(" ", 4):                     "<U+0020*4>",
		n(" ", 4) + n("\n", 4):        "<U+0020*4><U+000A*4>",
		n(" ", 3) + n("\n", 3):        "   \n\n\n",
		"x\n" + n(" ", 4) + "y":       "x\n<U+0020*4>y",
		"a\rb":                        "a<U+000D>b",
		"a\r\nb":                      "a\r\nb",
		n("\u200b", 4):                "<U+200B*4>",
		n("\u200b", 3):                "<U+200B><U+200B><U+200B>",
		n("\xff", 9):                  "<0xFF*9>",
		"a" + n("\r\n", 4) + "\r":     "a<U+000D U+000A*4><U+000D>",
	} {
		if tokens, _ := tokenize(text); spell(tokens) != want {
			t.Errorf("%q: got %q, want %q", text[:min(len(text), 20)], spell(tokens), want)
		}
	}
}

func TestS8_MixedScriptWords(t *testing.T) {
	positive := []string{
		"pаypal", "раypal", "gооgle", "аdmin", "Аpple", "miсrosoft", "fасebook", "ехample",
		"see pаypal now", "user=pаypal;", "pаypal.com", "\"pаypal\"", "x9а", "а9x",
		"αdmin", "gοogle", "Ρaypal", "Ωmega", "micrοsoft", "xρ",
		"օpen", "ցoogle", "hօst", "Տony",
		"ꭰpple", "Ꭺpple", "Ꮪony", "ꮃindows",
		"pa\u200bypаl", "pé\u0301а", "p\u202eа", "ÀЖ",
	}
	for _, s := range positive {
		if _, marks := tokenize(s); marks&MarkMixed == 0 {
			t.Errorf("%q is not warned about", s)
		}
		if _, warnings := DescribeName(s); len(warnings) == 0 || !hasCode(warnings, "mixed-script") {
			t.Errorf("name %q is not warned about: %v", s, warnings)
		}
	}
	negative := []string{
		"paypal", "café", "naïve", "Straße", "привет", "Привет мир", "почта 2024", "Ελλάδα", "αβγδ", "Հայաստան", "ᏣᎳᎩ",
		"привет world", "user имя", "user_имя", "foo-бар", "a.б", "пример.com",
		"Gmailのパスワード", "GmailをΩと使う", "iPhoneを買う", "東京Tower", "カタカナabc漢字",
		"台北101大樓", "ㄅㄆㄇabc", "注音ㄓㄨˋ一ㄣzhuyin", "臺灣Taiwan", "漢字かなabcカナ",
		"한국어abc", "서울Seoul역", "漢字한글abc", "km²", "5µm", "№5", "عربي abc", "שלום", "हिन्दीabc", "ไทยabc", "🙂a",
	}
	if len(positive) < 30 || len(negative) < 30 {
		t.Errorf("%d positive and %d negative tokens", len(positive), len(negative))
	}
	for _, s := range negative {
		if _, marks := tokenize(s); marks&MarkMixed != 0 {
			t.Errorf("%q is warned about", s)
		}
	}
}

func hasCode(warnings []Warning, code string) bool {
	for _, w := range warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}

func TestS8_NamesShowEverythingUnusual(t *testing.T) {
	for name, want := range map[string]string{
		"delete_post":          "delete_post",
		"a.b:c/d-E9":           "a.b:c/d-E9",
		"":                     "",
		" a":                   "<U+0020>a",
		"a ":                   "a<U+0020>",
		"delete post":          "delete<U+0020>post",
		"a    b":               "a<U+0020*4>b",
		"dеlete":               "d<U+0435>lete",
		"削除":                   "<U+524A><U+9664>",
		"a\n":                  "a<U+000A>",
		"a<b>":                 "a<U+003C>b<U+003E>",
		"🙂":                    "<U+1F642>",
		"a\u200b\xff":          "a<U+200B><0xFF>",
		"tool\u00a0":           "tool<U+00A0>",
		"a\r\nb":               "a<U+000D><U+000A>b",
		"https://пр.рф/delete": "https://<U+043F><U+0440>.<U+0440><U+0444>/delete",
	} {
		if tokens, _ := DescribeName(name); spell(tokens) != want {
			t.Errorf("%q: got %q, want %q", name, spell(tokens), want)
		}
	}
	tokens, _ := DescribeName(strings.Repeat("éà", 200_000))
	if len(tokens) != Hard.Tokens {
		t.Errorf("an endless name gives %d tokens", len(tokens))
	}
}

func TestHostsStandBesideTheirASCIIForm(t *testing.T) {
	for text, want := range map[string]string{
		"https://пример.рф/x":             "https://пример.рф<=xn--e1afmkfd.xn--p1ai>/x",
		"bob@раypal.com":                  "bob@раypal.com<=xn--ypal-43d9g.com>",
		"https://пример.рф    x":          "https://пример.рф<=xn--e1afmkfd.xn--p1ai><U+0020*4>x",
		"https://пример.рф\u202e":         "https://пример.рф<U+202E><=xn--e1afmkfd.xn--p1ai>",
		"https://a.рф https://\u200bб.рф": "https://a.рф<=a.xn--p1ai> https://<U+200B>б.рф<=xn--90a.xn--p1ai>",
	} {
		tokens, marks := tokenize(text)
		if spell(tokens) != want || marks&MarkHost == 0 {
			t.Errorf("%q: got %q, marks %v", text, spell(tokens), marks.Codes())
		}
	}
}

func TestKeysShowWhiteSpaceAtTheirEdges(t *testing.T) {
	for key, want := range map[string]string{
		"to": "to", "to ": "to<U+0020>", " to": "<U+0020>to", "a b": "a b", "": "",
		" ": "<U+0020>", "   ": "<U+0020*3>", "\t\n": "<U+0009><U+000A>", "to\u3000": "to<U+3000>",
	} {
		z := tokenizer{limit: Hard.Tokens}
		if tokens, _, n := z.tokenize([]byte(key), true); spell(tokens) != want || n != len(key) {
			t.Errorf("%q: got %q, %d bytes", key, spell(tokens), n)
		}
	}
}
