package rawjson

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// defaultIgnorable derives the property Default_Ignorable_Code_Point from the tables of
// package unicode, as DerivedCoreProperties.txt says.
func defaultIgnorable(r rune) bool {
	switch {
	case unicode.Is(unicode.White_Space, r), 0xFFF9 <= r && r <= 0xFFFB,
		0x13430 <= r && r <= 0x13440, unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	}
	return unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) ||
		unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r)
}

func TestS5_EveryInvisibleCharacterHasAClass(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		got := classOf(r)
		var want class
		switch {
		case r == '\n' || r == '\t' || r == ' ':
			want = classText
		case unicode.Is(unicode.Bidi_Control, r):
			want = classBidi
		case r == 0x200D || r == 0xFE0E || r == 0xFE0F:
			want = classSelector
		case defaultIgnorable(r):
			want = classIgnored
		case unicode.Is(unicode.Zs, r):
			want = classSpace
		case unicode.Is(unicode.Noncharacter_Code_Point, r), unicode.Is(unicode.Co, r),
			unicode.Is(unicode.Cs, r), unicode.Is(unicode.Cc, r),
			unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
			want = classUnseen
		case r == 0x2800 || r == 0xFFFC || r == 0x1D159 || 0xFFF9 <= r && r <= 0xFFFB || 0x13430 <= r && r <= 0x1343F:
			want = classUnseen // blank or controlling though no property says so
		}
		if got != want {
			t.Errorf("%s: class %d, want %d", Char(r).CodePoint(), got, want)
		}
		if got != classText && Char(r).Name() == "" {
			t.Errorf("%s has no name", Char(r).CodePoint())
		}
	}
}

func TestSpecialRangesAreInOrder(t *testing.T) {
	last := rune(-1)
	for _, s := range special {
		if s.lo <= last || s.hi < s.lo {
			t.Errorf("range %X to %X is out of order", s.lo, s.hi)
		}
		last = s.hi
	}
}

func TestPictographsAreExtendedPictographic(t *testing.T) {
	data, err := os.ReadFile("testdata/extended_pictographic.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := map[rune]bool{}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		from, to, _ := strings.Cut(strings.TrimSpace(line), " ")
		lo, err1 := strconv.ParseInt(from, 16, 32)
		hi, err2 := strconv.ParseInt(to, 16, 32)
		if err1 != nil || err2 != nil {
			t.Fatalf("line %q", line)
		}
		for r := rune(lo); r <= rune(hi); r++ {
			want[r] = true
		}
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if isPictograph(r) != want[r] {
			t.Errorf("%s: isPictograph is %v", Char(r).CodePoint(), isPictograph(r))
		}
	}
}
