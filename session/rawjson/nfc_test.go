package rawjson

import (
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func TestNFCAgreesWithXTextForEveryCharacter(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) || 0x30000 <= r && r < 0xE0000 || r > 0xE01FF {
			continue // neither assigned nor private characters decompose
		}
		if testing.Short() && (0x3400 <= r && r < 0xF900 || r > 0x20000) {
			continue // ideographs and Hangul
		}
		// A mark after the character shows composition, one before it shows order.
		for _, s := range []string{string(r), "a\u0323" + string(r), string(r) + "\u0301"} {
			if got, want := string(appendNFC(nil, []byte(s))), norm.NFC.String(s); got != want {
				t.Fatalf("NFC of %+q: got %+q, want %+q", s, got, want)
			}
			if got, want := string(appendNFD(nil, []byte(s))), norm.NFD.String(s); got != want {
				t.Fatalf("NFD of %+q: got %+q, want %+q", s, got, want)
			}
		}
	}
}

func TestNFCAgreesWithXTextForRandomText(t *testing.T) {
	// Characters that take part in compositions, and some that do not.
	letters := []rune("aeioqd\u00e4\u0344\u0958\u1100\u1161\u11a8\uac00\uac01\u3055\u3099\u2126\ufb1d\u05d9\u05b4" +
		"\u0300\u0301\u0323\u031b\u0345\u0315\u093c\u0fb2\u0f71\u0f80\u1112\u1175\u11c2\U0001D15E\U0001D165\u0915")
	random := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		var s []rune
		for range 1 + random.IntN(8) {
			s = append(s, letters[random.IntN(len(letters))])
		}
		text := string(s)
		if got, want := string(appendNFC(nil, []byte(text))), norm.NFC.String(text); got != want {
			t.Fatalf("NFC of %+q: got %+q, want %+q", text, got, want)
		}
	}
}

func TestNFDKeepsBytesThatAreNoUTF8(t *testing.T) {
	for _, s := range []string{"\xff", "a\xed\xa0\x80\u0301", "\xc3", "\ufffd"} {
		if got := string(appendNFD(nil, []byte(s))); got != s {
			t.Errorf("%q: got %q", s, got)
		}
	}
}
