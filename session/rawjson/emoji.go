package rawjson

import "unicode/utf8"

//go:generate go run gen_pictographs.go

func isPictograph(r rune) bool {
	lo, hi := 0, len(pictographs)
	for lo < hi {
		if mid := (lo + hi) / 2; pictographs[mid][1] < r {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo < len(pictographs) && pictographs[lo][0] <= r
}

func isSkinTone(r rune) bool { return 0x1F3FB <= r && r <= 0x1F3FF }

// inEmoji says whether the variation selector or joiner r at text[i] does its ordinary
// work inside an emoji: a selector right after a pictograph or inside a keycap, a joiner
// between two pictographs. Anywhere else it can only hide something.
func inEmoji(text []byte, i int, r rune) bool {
	before, n := utf8.DecodeLastRune(text[:i])
	after, _ := utf8.DecodeRune(text[i+utf8.RuneLen(r):])
	if r != 0x200D {
		keycap := after == 0x20E3 && (before == '#' || before == '*' || '0' <= before && before <= '9')
		return keycap || isPictograph(before)
	}
	if before == 0xFE0F {
		before, _ = utf8.DecodeLastRune(text[:i-n])
	}
	return isPictograph(after) && (isPictograph(before) || isSkinTone(before))
}

// flagTags is the length of the tag characters at text[i] when they spell one of the
// three flags that are in use, right after the black flag; 0 otherwise.
func flagTags(text []byte, i int) int {
	if before, _ := utf8.DecodeLastRune(text[:i]); before != 0x1F3F4 {
		return 0
	}
	for _, flag := range [...]string{"gbeng", "gbsct", "gbwls"} {
		n := 0
		for _, letter := range flag + "\x7F" {
			r, size := utf8.DecodeRune(text[i+n:])
			if r != 0xE0000+letter {
				n = 0
				break
			}
			n += size
		}
		if n > 0 {
			return n
		}
	}
	return 0
}
