package rawjson

import (
	"bytes"
	"slices"
)

// keyRef is one key of an object that is still open.
type keyRef struct {
	text  []byte // decoded
	nfd   []byte // the same in NFD, set when it is compared
	row   int    // index in Rows, -1 when the row is hidden
	value int    // number of its value, counted from 1
}

// fewKeys is the size up to which every key is compared with every other; sorting costs
// more there.
const fewKeys = 8

// checkKeys looks for keys of one object that are equal, or equal after NFC, and calls
// found for each of them. It reorders keys.
func checkKeys(keys []keyRef, found func(k *keyRef, m Marks)) {
	ascii := true
	for i := range keys {
		ascii = ascii && isASCII(keys[i].text)
	}
	if len(keys) <= fewKeys && ascii {
		for i := range keys {
			for j := range keys {
				if i != j && bytes.Equal(keys[i].text, keys[j].text) {
					found(&keys[i], MarkDuplicate)
					break
				}
			}
		}
		return
	}
	slices.SortFunc(keys, byText)
	for i := range keys {
		if i > 0 && bytes.Equal(keys[i].text, keys[i-1].text) ||
			i+1 < len(keys) && bytes.Equal(keys[i].text, keys[i+1].text) {
			found(&keys[i], MarkDuplicate)
		}
	}
	if ascii {
		return // ASCII is its own NFC
	}
	for i := range keys {
		if k := &keys[i]; isASCII(k.text) {
			k.nfd = k.text
		} else {
			k.nfd = appendNFD(nil, k.text)
		}
	}
	slices.SortFunc(keys, byNFD)
	for from := 0; from < len(keys); {
		to, same := from+1, true
		for to < len(keys) && bytes.Equal(keys[to].nfd, keys[from].nfd) {
			same = same && bytes.Equal(keys[to].text, keys[from].text)
			to++
		}
		for ; from < to; from++ {
			if !same {
				found(&keys[from], MarkSameKey)
			}
		}
	}
}

// byText and byNFD order keys, and equal ones as they stood in the source.
func byText(a, b keyRef) int {
	if c := bytes.Compare(a.text, b.text); c != 0 {
		return c
	}
	return a.value - b.value
}

func byNFD(a, b keyRef) int {
	if c := bytes.Compare(a.nfd, b.nfd); c != 0 {
		return c
	}
	return a.value - b.value
}

// isPrototypeKey says whether a decoded key reaches a prototype in JavaScript that copies
// members carelessly (S56).
func isPrototypeKey(key []byte) bool {
	switch string(key) {
	case "__proto__", "constructor", "prototype":
		return true
	}
	return false
}
