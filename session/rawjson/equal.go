package rawjson

import (
	"bytes"
	"slices"
)

// Equal bounds: what differs beyond them counts as different. They are the hard limits
// of S17, so that everything a card can show can also be compared.
const (
	maxEqualBytes = 1 << 20 // Hard.Bytes
	maxEqualNodes = 1 << 18
)

// Equal says whether two texts are the same JSON value: white space, the order of members
// and the spelling of escapes do not matter. Numbers are compared as lexemes, so 1, 1.0
// and 1e0 differ: whoever reads the text may tell them apart, and no rounding is hidden.
// Members of the same name are compared in their order.
//
// Texts of equal bytes are equal without being read. Otherwise a text that is not JSON,
// or is larger than the hard limits of the card, equals nothing.
func Equal(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if len(a) > maxEqualBytes || len(b) > maxEqualBytes {
		return false
	}
	x, ok := parseTree(a)
	if !ok {
		return false
	}
	y, ok := parseTree(b)
	if !ok || len(x) != len(y) {
		return false
	}
	// After the members of every object are sorted, equal values have their nodes in
	// the same places.
	type pair struct{ x, y int32 }
	todo := []pair{{0, 0}}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		m, n := &x[p.x], &y[p.y]
		if m.kind != n.kind || len(m.children) != len(n.children) || !bytes.Equal(m.text, n.text) ||
			!bytes.Equal(m.key, n.key) {
			return false
		}
		for i := range m.children {
			todo = append(todo, pair{m.children[i], n.children[i]})
		}
	}
	return true
}

// node is one value of a tree made for comparing.
type node struct {
	kind     token
	key      []byte  // decoded name in its object
	text     []byte  // decoded string, or number lexeme
	children []int32 // of an object: sorted by name, then as in the source
}

func parseTree(b []byte) ([]node, bool) {
	var nodes []node
	var open []int32
	var key []byte
	w := walker{b: b}
	for {
		t := w.next()
		switch t {
		case tokEnd:
			return nodes, true
		case tokError:
			return nil, false
		case tokKey:
			key = decoded(b[w.start:w.end])
			continue
		case tokObjectEnd:
			object := &nodes[open[len(open)-1]]
			slices.SortFunc(object.children, func(i, j int32) int {
				if c := bytes.Compare(nodes[i].key, nodes[j].key); c != 0 {
					return c
				}
				return int(i - j) // as they stood in the source
			})
			open = open[:len(open)-1]
			continue
		case tokArrayEnd:
			open = open[:len(open)-1]
			continue
		}
		if len(nodes) == maxEqualNodes {
			return nil, false
		}
		n := node{kind: t, key: key}
		key = nil
		switch t {
		case tokString:
			n.text = decoded(b[w.start:w.i])
		case tokNumber:
			n.text = b[w.start:w.i]
		}
		at := int32(len(nodes))
		nodes = append(nodes, n)
		if len(open) > 0 {
			parent := &nodes[open[len(open)-1]]
			parent.children = append(parent.children, at)
		}
		if t == tokObject || t == tokArray {
			open = append(open, at)
		}
	}
}

// decoded is the text of a string lexeme, copied only when it has escapes.
func decoded(lexeme []byte) []byte {
	if !hasEscape(lexeme) {
		return lexeme[1 : len(lexeme)-1]
	}
	return appendDecoded(nil, lexeme)
}
