package rawjson

// token is one lexical step of a walk.
type token uint8

const (
	tokError token = iota
	tokEnd         // the one value is complete and nothing follows
	tokKey
	tokString
	tokNumber
	tokTrue
	tokFalse
	tokNull
	tokObject
	tokObjectEnd
	tokArray
	tokArrayEnd
)

// state is what the grammar allows next.
type state uint8

const (
	wantValue   state = iota
	wantKey           // after {: a key or }
	wantElement       // after [: a value or ]
	wantMore          // after a value: a comma, the end of its container, or of the text
)

// walker steps through one JSON text, token by token.
type walker struct {
	b     []byte
	i     int // next byte to read; after a value, its end
	start int // first byte of the token
	end   int // end of the last key, whose colon is already read
	depth int // containers that are open
	state state
	code  string // why the walk stopped, with tokError
	stack [MaxDepth / 64]uint64
}

// next makes one step. After tokError, code and i tell what was wrong and where.
func (w *walker) next() token {
	b := w.b
	i := skipSpace(b, w.i)
	if i >= len(b) {
		if w.state == wantMore && w.depth == 0 {
			w.start, w.i = i, i
			return tokEnd
		}
		return w.fail(i)
	}
	c := b[i]
	switch w.state {
	case wantMore:
		if w.depth == 0 {
			return w.fail(i)
		}
		object := w.inObject()
		if c != ',' {
			return w.close(i, object)
		}
		if i = skipSpace(b, i+1); i >= len(b) {
			return w.fail(i)
		}
		if object {
			return w.key(i)
		}
		c = b[i]
	case wantKey:
		if c == '}' {
			return w.close(i, true)
		}
		return w.key(i)
	case wantElement:
		if c == ']' {
			return w.close(i, false)
		}
	}

	w.start, w.state = i, wantMore
	switch c {
	case '"':
		end, ok := scanString(b, i+1)
		if !ok {
			return w.fail(end)
		}
		w.i = end
		return tokString
	case '{':
		return w.open(i, tokObject)
	case '[':
		return w.open(i, tokArray)
	case 't', 'f', 'n':
		end, ok := scanWord(b, i)
		if !ok {
			return w.fail(end)
		}
		w.i = end
		switch c {
		case 't':
			return tokTrue
		case 'f':
			return tokFalse
		}
		return tokNull
	}
	end, ok := scanNumber(b, i)
	if !ok {
		return w.fail(end)
	}
	w.i = end
	return tokNumber
}

func (w *walker) key(i int) token {
	b := w.b
	if b[i] != '"' {
		return w.fail(i)
	}
	end, ok := scanString(b, i+1)
	if !ok {
		return w.fail(end)
	}
	colon := skipSpace(b, end)
	if colon >= len(b) || b[colon] != ':' {
		return w.fail(colon)
	}
	w.start, w.end, w.i, w.state = i, end, colon+1, wantValue
	return tokKey
}

func (w *walker) open(i int, t token) token {
	if w.depth == MaxDepth {
		w.code, w.i = CodeTooDeep, i
		return tokError
	}
	word, bit := w.depth/64, uint64(1)<<(w.depth%64)
	if t == tokObject {
		w.stack[word] |= bit
		w.state = wantKey
	} else {
		w.stack[word] &^= bit
		w.state = wantElement
	}
	w.depth++
	w.i = i + 1
	return t
}

func (w *walker) close(i int, object bool) token {
	t, c := tokArrayEnd, byte(']')
	if object {
		t, c = tokObjectEnd, '}'
	}
	if w.b[i] != c {
		return w.fail(i)
	}
	w.depth--
	w.start, w.i, w.state = i, i+1, wantMore
	return t
}

func (w *walker) inObject() bool {
	at := w.depth - 1
	return w.stack[at/64]&(1<<(at%64)) != 0
}

// fail stops the walk at byte i.
func (w *walker) fail(i int) token {
	w.i, w.code = refuse(w.b, i)
	return tokError
}

func (t token) kind() Kind { return kinds[t] }

var kinds = [...]Kind{
	tokString: String, tokNumber: Number, tokTrue: True, tokFalse: False, tokNull: Null,
	tokObject: Object, tokArray: Array, tokArrayEnd: Absent,
}
