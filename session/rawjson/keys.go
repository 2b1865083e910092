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

// checkKeys looks for keys of one object that are equal, or equal after NFC, and tells
// found about the later one of each pair. It reorders keys.
func checkKeys(keys []keyRef, found func(k *keyRef, m Marks)) {
	ascii := true
	for i := range keys {
		ascii = ascii && isASCII(keys[i].text)
	}
	if len(keys) <= fewKeys && ascii {
		for i := range keys {
			for j := range keys[:i] {
				if bytes.Equal(keys[i].text, keys[j].text) {
					found(&keys[i], MarkDuplicate)
					break
				}
			}
		}
		return
	}
	slices.SortStableFunc(keys, func(a, b keyRef) int { return bytes.Compare(a.text, b.text) })
	for i := 1; i < len(keys); i++ {
		if bytes.Equal(keys[i].text, keys[i-1].text) {
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
	slices.SortStableFunc(keys, func(a, b keyRef) int { return bytes.Compare(a.nfd, b.nfd) })
	for i := 1; i < len(keys); i++ {
		if bytes.Equal(keys[i].nfd, keys[i-1].nfd) && !bytes.Equal(keys[i].text, keys[i-1].text) {
			found(&keys[i], MarkSameKey)
		}
	}
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
