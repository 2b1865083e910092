package rawjson

import (
	"bytes"
	"slices"
)

// keyRef is one key of an object that is still open.
type keyRef struct {
	text  []byte // decoded
	row   int32  // index in Rows, -1 when the row is hidden
	value int32  // number of its value, counted from 1
}

// fewKeys is the size up to which every key is compared with every other; sorting costs
// more there.
const fewKeys = 8

// checkKeys looks for keys of one object that are equal, or are not but become equal by
// NFC, and calls found for each of them.
func checkKeys(keys []keyRef, found func(k *keyRef, m Marks)) {
	ascii := true
	for i := range keys {
		ascii = ascii && isASCII(keys[i].text)
	}
	if ascii && len(keys) <= fewKeys {
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
	texts := make([][]byte, len(keys))
	for i := range keys {
		texts[i] = keys[i].text
	}
	equalRuns(texts, func(run []int32) {
		for _, i := range run {
			found(&keys[i], MarkDuplicate)
		}
	})
	if ascii {
		return // ASCII is its own NFC
	}
	// What is equal by NFC is equal by NFD, which is cheaper.
	var nfd []byte
	for i := range texts {
		if !isASCII(texts[i]) {
			from := len(nfd)
			nfd = appendNFD(nfd, texts[i])
			texts[i] = nfd[from:]
		}
	}
	equalRuns(texts, func(run []int32) {
		same := func(i int32) bool { return bytes.Equal(keys[i].text, keys[run[0]].text) }
		if !slices.ContainsFunc(run, func(i int32) bool { return !same(i) }) {
			return // duplicates, found above
		}
		for _, i := range run {
			found(&keys[i], MarkSameKey)
		}
	})
}

// equalRuns calls found with the indexes of each set of equal texts.
func equalRuns(texts [][]byte, found func(run []int32)) {
	// Sorting indexes moves no pointers, which the collector would have to follow.
	order := make([]int32, len(texts))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int {
		if c := bytes.Compare(texts[i], texts[j]); c != 0 {
			return c
		}
		return int(i - j) // as they stood in the source
	})
	for len(order) > 0 {
		n := 1
		for n < len(order) && bytes.Equal(texts[order[n]], texts[order[0]]) {
			n++
		}
		if n > 1 {
			found(order[:n])
		}
		order = order[n:]
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
