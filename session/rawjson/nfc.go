package rawjson

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// The tables and this file cost 9 KB brotli in a wasm build; golang.org/x/text/unicode/norm
// costs 97 KB in a program without fmt, 42 KB in one that has it (Go 1.26.8, brotli -q 11).
// Every sort of this package is one of []int32, so that its code is there only once (4 KB).

//go:generate go run gen_nfc.go

// nfcIndex finds records of nfcDecompositions. It is made at the first use, since most
// chats never need it.
type nfcIndex struct {
	runes   []rune   // in order
	records []string // decomposition of runes[i]
	pairs   []int32  // indexes of the records that compose, ordered by decomposition
	classes []ccc
}

type ccc struct {
	lo, hi rune
	class  uint8
}

var nfc nfcIndex

func (x *nfcIndex) load() {
	if x.runes != nil {
		return
	}
	x.runes, x.records = make([]rune, 0, nfcCount), make([]string, 0, nfcCount)
	r := rune(0)
	for data := nfcDecompositions; data != ""; {
		distance, n := utf8.DecodeRuneInString(data)
		data = data[n:]
		end := 0
		for data[end] > 1 {
			end++
		}
		r += distance
		if data[end] == 1 {
			x.pairs = append(x.pairs, int32(len(x.runes)))
		}
		x.runes = append(x.runes, r)
		x.records = append(x.records, data[:end])
		data = data[end+1:]
	}
	slices.SortFunc(x.pairs, func(i, j int32) int { return strings.Compare(x.records[i], x.records[j]) })
	r = 0
	for data := []rune(nfcClasses); len(data) > 0; data = data[3:] {
		lo := r + data[0]
		r = lo + data[1]
		x.classes = append(x.classes, ccc{lo: lo, hi: r, class: uint8(data[2])})
	}
}

// class is the canonical combining class.
func (x *nfcIndex) class(r rune) uint8 {
	if r < 0x300 {
		return 0
	}
	i, _ := slices.BinarySearchFunc(x.classes, r, func(c ccc, r rune) int { return int(c.hi - r) })
	if i < len(x.classes) && x.classes[i].lo <= r {
		return x.classes[i].class
	}
	return 0
}

// compose returns the character that a and b make, if there is one.
func (x *nfcIndex) compose(a, b rune) (rune, bool) {
	switch {
	case 0x1100 <= a && a < 0x1113 && 0x1161 <= b && b < 0x1176:
		return 0xAC00 + ((a-0x1100)*21+b-0x1161)*28, true
	case 0xAC00 <= a && a < 0xD7A4 && (a-0xAC00)%28 == 0 && 0x11A8 <= b && b < 0x11C3:
		return a + b - 0x11A7, true
	}
	if b < 0x300 {
		return 0, false
	}
	var scratch [32]byte
	both := string(utf8.AppendRune(x.appendDecomposed(scratch[:0], a), b))
	i, found := slices.BinarySearchFunc(x.pairs, both, func(p int32, s string) int {
		return strings.Compare(x.records[p], s)
	})
	if !found {
		return 0, false
	}
	return x.runes[x.pairs[i]], true
}

func (x *nfcIndex) appendDecomposed(dst []byte, r rune) []byte {
	if 0xAC00 <= r && r < 0xD7A4 {
		s := r - 0xAC00
		dst = utf8.AppendRune(dst, 0x1100+s/588)
		dst = utf8.AppendRune(dst, 0x1161+s%588/28)
		if s%28 > 0 {
			dst = utf8.AppendRune(dst, 0x11A7+s%28)
		}
		return dst
	}
	if i, found := slices.BinarySearch(x.runes, r); found {
		return append(dst, x.records[i]...)
	}
	return utf8.AppendRune(dst, r)
}

// appendNFD appends the canonical decomposition of decoded text. Two texts have the same
// NFC exactly when they have the same NFD, which is cheaper. Bytes that are no UTF-8, and
// halves of surrogate pairs, are kept.
func appendNFD(dst, text []byte) []byte {
	nfc.load()
	var marks []rune // of the run that must be put in order
	var classes []uint8
	flush := func() {
		dst = appendOrdered(dst, marks, classes)
		marks, classes = marks[:0], classes[:0]
	}
	var scratch [32]byte
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r < 0x80 || r == utf8.RuneError {
			flush()
			dst = append(dst, text[:n]...)
			text = text[n:]
			continue
		}
		text = text[n:]
		for _, d := range string(nfc.appendDecomposed(scratch[:0], r)) {
			if class := nfc.class(d); class > 0 {
				marks, classes = append(marks, d), append(classes, class)
			} else {
				flush()
				dst = utf8.AppendRune(dst, d)
			}
		}
	}
	flush()
	return dst
}

// appendOrdered appends combining marks in the order of their classes, and those of one
// class as they stood. It counts instead of comparing: a run may be as long as the text.
func appendOrdered(dst []byte, marks []rune, classes []uint8) []byte {
	if len(marks) < 2 {
		return append(dst, string(marks)...)
	}
	var starts [256]int32
	for _, class := range classes {
		starts[class]++
	}
	total := int32(0)
	for class, count := range starts {
		starts[class] = total
		total += count
	}
	ordered := make([]rune, len(marks))
	for i, m := range marks {
		at := &starts[classes[i]]
		ordered[*at] = m
		*at++
	}
	return append(dst, string(ordered)...)
}

// appendNFC appends the canonical composition of decoded text.
func appendNFC(dst, text []byte) []byte {
	if isPlainNFC(text) {
		return append(dst, text...)
	}
	runes := []rune(string(appendNFD(nil, text)))
	out := runes[:0]
	starter := -1 // index in out of the last starter
	last := uint8(0)
	for _, r := range runes {
		class := nfc.class(r)
		blocked := starter < 0 || starter < len(out)-1 && last >= class
		if !blocked {
			if c, ok := nfc.compose(out[starter], r); ok {
				out[starter] = c
				continue
			}
		}
		if class == 0 {
			starter = len(out)
		}
		last = class
		out = append(out, r)
	}
	return append(dst, string(out)...)
}

// isPlainNFC says that a text is in NFC already because it has only characters of some
// blocks that never change; false may mean either.
func isPlainNFC(text []byte) bool {
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		text = text[n:]
		switch {
		case r < 0x300, 0x400 <= r && r < 0x483, 0x48A <= r && r < 0x530,
			0x3041 <= r && r < 0x3097, 0x30A1 <= r && r < 0x30FB,
			0x4E00 <= r && r < 0xA000, 0xAC00 <= r && r < 0xD7A4:
		default:
			return false
		}
	}
	return true
}
