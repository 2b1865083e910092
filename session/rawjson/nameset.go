package rawjson

// Names is a set of member names to look for, made once and used for many scans. It is
// safe for concurrent use.
type Names struct {
	names   []string
	longest int
	// slots is a hash table with linear probing: a slot holds an index of names plus
	// one, 0 is empty. In wasm it takes half as long as comparing all names of one length.
	slots [256]uint8
}

// maxNames leaves enough slots empty for short probes.
const maxNames = 128

// NewNames prepares the names; out[i] of Scan belongs to names[i]. A name that is given
// twice, one with a backslash, and more than 128 names are mistakes of the program and
// panic.
func NewNames(names ...string) *Names {
	if len(names) > maxNames {
		panic("rawjson: too many names")
	}
	n := &Names{names: names}
	for i, name := range names {
		if hasEscape([]byte(name)) {
			panic("rawjson: name with a backslash: " + name)
		}
		n.longest = max(n.longest, len(name))
		h := hashName([]byte(name))
		for ; n.slots[h] != 0; h++ {
			if names[n.slots[h]-1] == name {
				panic("rawjson: name given twice: " + name)
			}
		}
		n.slots[h] = uint8(i + 1)
	}
	return n
}

// Len is the number of names.
func (n *Names) Len() int { return len(n.names) }

// hashName looks at the length and the ends, in which the names of a protocol differ.
func hashName(name []byte) uint8 {
	if len(name) == 0 {
		return 0
	}
	return uint8(len(name))*29 + name[0]*7 + name[len(name)-1]
}

// Index returns which of the names a key lexeme (quotes included) spells, -1 when it is
// none.
func (n *Names) Index(key []byte) int { return n.find(key, hasEscape(key)) }

// find is Index for a key of which it is known whether it has escapes.
func (n *Names) find(lexeme []byte, escaped bool) int {
	if !escaped {
		return n.lookUp(lexeme[1 : len(lexeme)-1])
	}
	if len(lexeme)-2 > 6*n.longest { // an escape is at most six times as long as its character
		return -1
	}
	var scratch [96]byte
	return n.lookUp(AppendString(scratch[:0], lexeme))
}

func (n *Names) lookUp(key []byte) int {
	for h := hashName(key); n.slots[h] != 0; h++ {
		if i := int(n.slots[h]) - 1; n.names[i] == string(key) {
			return i
		}
	}
	return -1
}
