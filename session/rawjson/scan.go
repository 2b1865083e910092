package rawjson

// Names is a set of member names to look for, made once and used for many scans. It is
// safe for concurrent use.
type Names struct {
	names   []string
	longest int
	first   []int // by length: where in order its names begin
	order   []int // indexes of names, sorted by length
}

// NewNames prepares the names; out[i] of Scan belongs to names[i]. A name that is given
// twice is a mistake of the program and panics.
func NewNames(names ...string) *Names {
	n := &Names{names: names}
	for i, name := range names {
		n.longest = max(n.longest, len(name))
		for _, other := range names[:i] {
			if name == other {
				panic("rawjson: name given twice: " + name)
			}
		}
	}
	for length := 0; length <= n.longest+1; length++ {
		n.first = append(n.first, len(n.order))
		for i, name := range names {
			if len(name) == length {
				n.order = append(n.order, i)
			}
		}
	}
	return n
}

// Len is the number of names.
func (n *Names) Len() int { return len(n.names) }

// Scan validates the whole text as one JSON object and sets out[i] to its member named
// names[i], or to a Value of kind Absent. out must have room for every name. On an error,
// which is always an *Error, every value is Absent: nothing of a broken text is used.
func (n *Names) Scan(object []byte, out []Value) error {
	out = out[:len(n.names)]
	clear(out)
	w := walker{b: object}
	if !n.scan(&w, out) {
		clear(out)
		return w.err()
	}
	return nil
}

func (n *Names) scan(w *walker, out []Value) bool {
	if !w.begin(tokObject, CodeNotObject) {
		return false
	}
	for {
		switch w.next() {
		case tokKey:
			at := n.find(w.b[w.start:w.end])
			t := w.next()
			start := w.start
			if !w.skip(t) {
				return false
			}
			if at < 0 {
				continue
			}
			if out[at].Kind != Absent {
				out[at].Duplicate = true
				continue
			}
			out[at] = Value{Raw: w.b[start:w.i:w.i], Kind: t.kind()}
		case tokObjectEnd:
			return w.next() == tokEnd
		default:
			return false
		}
	}
}

// find returns the index of the name that a key lexeme spells, -1 when it is none.
func (n *Names) find(lexeme []byte) int {
	key := lexeme[1 : len(lexeme)-1]
	if len(key) > 6*n.longest { // an escape is at most six times as long as its character
		return -1
	}
	var scratch [96]byte
	if hasEscape(key) {
		key = AppendString(scratch[:0], lexeme)
	}
	if len(key) > n.longest {
		return -1
	}
	for _, i := range n.order[n.first[len(key)]:n.first[len(key)+1]] {
		if n.names[i] == string(key) {
			return i
		}
	}
	return -1
}

// begin makes the first step, which must be the container t. For another value that is
// whole JSON the code tells so.
func (w *walker) begin(t token, code string) bool {
	got := w.next()
	if got == t {
		return true
	}
	at := w.start
	if w.skip(got) && w.next() == tokEnd {
		w.code, w.i = code, at
	}
	return false
}

// Valid checks that b is one JSON value. The error is an *Error.
func Valid(b []byte) error {
	w := walker{b: b}
	if !w.skip(w.next()) || w.next() != tokEnd {
		return w.err()
	}
	return nil
}

// Members calls visit for each member of an object in source order, also for duplicates,
// with the key's lexeme (quotes included) and the value's text. When visit returns false
// the walk ends with nil and the rest is not looked at; otherwise the whole text has been
// validated when Members returns nil. The error is an *Error.
func Members(object []byte, visit func(key, value []byte) bool) error {
	w := walker{b: object}
	if !w.begin(tokObject, CodeNotObject) {
		return w.err()
	}
	for {
		t := w.next()
		if t == tokObjectEnd {
			if w.next() != tokEnd {
				return w.err()
			}
			return nil
		}
		if t != tokKey {
			return w.err()
		}
		key := object[w.start:w.end:w.end]
		value := w.next()
		start := w.start
		if !w.skip(value) {
			return w.err()
		}
		if !visit(key, object[start:w.i:w.i]) {
			return nil
		}
	}
}

// Elements is Members for an array.
func Elements(array []byte, visit func(value []byte) bool) error {
	w := walker{b: array}
	if !w.begin(tokArray, CodeNotArray) {
		return w.err()
	}
	for {
		t := w.next()
		if t == tokArrayEnd {
			if w.next() != tokEnd {
				return w.err()
			}
			return nil
		}
		start := w.start
		if !w.skip(t) {
			return w.err()
		}
		if !visit(array[start:w.i:w.i]) {
			return nil
		}
	}
}
