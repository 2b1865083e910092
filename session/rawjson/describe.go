package rawjson

import "bytes"

// Describe makes the rows of a card from the raw bytes of a call's arguments. With all
// false it shows what lies within Soft and says in Hidden what it leaves out, exactly;
// with all true, after "Show all", what lies within Hard. The first twenty outermost
// members are never left out: beyond the limits they keep the first forty characters of
// key and value (U25).
//
// It never fails: what cannot be shown is Blocked, so that Confirm is not available and
// Deny is (S17, S18).
func Describe(raw []byte, all bool) Arguments {
	limits := Soft
	if all {
		limits = Hard
	}
	a := describe(raw, limits, Hard)
	a.Digest = Digest(raw)
	return a
}

// describe shows what lies within limits, and blocks what passes hard.
func describe(raw []byte, limits, hard Limits) Arguments {
	d := describer{w: walker{b: raw}, limits: limits}
	d.out.Kind = KindOf(raw)
	// A comma comes with each row but the first of a container. Growing the slices
	// would cost as much as filling them.
	rows := bytes.Count(raw[:min(len(raw), limits.Bytes)], []byte{','}) + 1
	d.out.Rows = make([]Row, 0, min(rows, limits.Leaves))
	d.z.tokens = make([]Token, 0, min(2*rows, limits.Leaves))
	d.walk(hard.Bytes)
	switch {
	case d.stopped:
		d.unread()
		d.out.Blocked = BlockedTooLarge
	case d.w.code == CodeTooDeep:
		d.unread()
		d.out.Blocked = BlockedTooDeep
	case d.w.code != "":
		return malformed(raw, limits)
	case len(raw) > hard.Bytes:
		d.out.Blocked = BlockedTooLarge
	case d.leaves > hard.Leaves, d.z.full && limits.Tokens >= hard.Tokens:
		d.out.Blocked = BlockedTooMany
	case d.duplicate:
		d.out.Blocked = BlockedDuplicateKey
	}
	return d.out
}

// describer walks once over the text.
type describer struct {
	w      walker
	limits Limits
	out    Arguments
	z      tokenizer

	decoded   []byte // memory of decoded strings
	key       []byte // lexeme of the key whose value comes next
	open      []container
	keys      []keyRef // of all open objects
	leaves    int
	values    int // rows and hidden rows so far
	paths     pathBuilder
	stopped   bool // the walk ended at the hard limit: the text is blocked whatever follows
	duplicate bool
}

// container is one open object or array.
type container struct {
	row      int // its index in out.Rows, -1 when it has none
	children int
	keys     int // where its keys begin in describer.keys
	path     int // length of the path that leads to it
	object   bool
}

func (d *describer) walk(hard int) {
	large := len(d.w.b) > hard
	for {
		if large && d.w.i >= hard {
			d.stopped = true
			return
		}
		switch t := d.w.next(); t {
		case tokEnd, tokError:
			return
		case tokKey:
			d.key = d.w.b[d.w.start:d.w.end]
		case tokObjectEnd, tokArrayEnd:
			d.close()
		default:
			d.value(t)
		}
	}
}

// value takes a scalar, or the start of a container.
func (d *describer) value(t token) {
	nested := t == tokObject || t == tokArray
	if len(d.open) == 0 && nested {
		d.open = append(d.open, container{row: -1, object: t == tokObject})
		return
	}
	row := Row{Index: -1, Kind: t.kind(), Depth: len(d.open) - 1}
	var key []byte
	if len(d.open) == 0 {
		row.Depth = 0
	} else {
		in := &d.open[len(d.open)-1]
		if in.object {
			key = d.text(d.key)
		} else {
			row.Index = in.children
		}
		in.children++
		d.paths.enter(in.path, key, row.Index)
	}
	d.values++

	lexeme := d.w.b[d.w.start:d.w.i]
	if nested {
		lexeme = nil
	}
	at := d.add(&row, key, lexeme)
	if row.Index < 0 && len(d.open) > 0 {
		if isPrototypeKey(key) {
			d.warn(at, d.values, MarkPrototype)
		}
		d.keys = append(d.keys, keyRef{text: key, row: int32(at), value: int32(d.values)})
	}
	if nested {
		d.open = append(d.open, container{
			row: at, keys: len(d.keys), path: len(d.paths.buf), object: t == tokObject,
		})
	} else {
		d.leaves++
	}
}

// close ends the innermost container.
func (d *describer) close() {
	c := d.open[len(d.open)-1]
	d.open = d.open[:len(d.open)-1]
	if c.row >= 0 {
		d.out.Rows[c.row].Size = c.children
	}
	if c.children == 0 {
		d.leaves++
	}
	if c.object {
		checkKeys(d.keys[c.keys:], func(k *keyRef, m Marks) {
			d.duplicate = d.duplicate || m == MarkDuplicate
			d.paths.enter(c.path, k.text, -1)
			d.warn(int(k.row), int(k.value), m)
		})
		d.keys = d.keys[:c.keys]
	}
}

// warn adds a warning about the key whose path was entered last: to its row, if it has
// one, and to the list.
func (d *describer) warn(row, value int, m Marks) {
	if row >= 0 {
		d.out.Rows[row].Marks |= m
	}
	if len(d.out.Warnings) < maxWarnings {
		d.out.Warnings = appendWarnings(d.out.Warnings, m, d.paths.path(value))
	}
}

// within says whether the value at hand lies within the limits.
func (d *describer) within() bool {
	return d.w.start < d.limits.Bytes && d.leaves < d.limits.Leaves &&
		len(d.open) <= d.limits.Depth && !d.z.full
}

// shows says whether the value at hand gets a row.
func (d *describer) shows() bool {
	return d.within() || len(d.open) == 0 || len(d.open) == 1 && d.open[0].children <= alwaysRows
}

// add appends the row, as much of it as the limits let through, and returns its index, or
// -1 when it is hidden.
func (d *describer) add(row *Row, key, lexeme []byte) int {
	if !d.shows() {
		d.out.Hidden.Rows++
		d.out.Hidden.Characters += countText(key) + d.countScalar(row.Kind, lexeme)
		return -1
	}
	within := d.within()
	room := 0 // source bytes of the value that may be shown
	d.z.limit = d.limits.Tokens
	if within {
		room = d.limits.Bytes - d.w.start
	} else {
		d.z.limit = d.z.special + 4*alwaysCharacters
	}
	row.Path = d.paths.path(d.values)
	if len(d.open) > 0 && row.Index < 0 {
		// A key lies before start, so it is cut only when the value is out of bounds.
		shown := key
		if !within {
			shown = key[:prefixOf(key, alwaysCharacters)]
		}
		n := 0
		row.Key, row.Marks, n = d.z.tokenize(shown, true)
		if row.Key == nil {
			row.Key = []Token{} // an empty key is a key
		}
		row.Hidden = countText(key[n:])
	}
	d.scalar(row, lexeme, room)
	d.out.Hidden.Characters += row.Hidden
	d.out.Rows = append(d.out.Rows, *row)
	d.out.Warnings = appendWarnings(d.out.Warnings, row.Marks, row.Path)
	return len(d.out.Rows) - 1
}

// scalar sets the tokens of a scalar, of which room bytes of the source may be shown, but
// always the first characters.
func (d *describer) scalar(row *Row, lexeme []byte, room int) {
	if lexeme == nil {
		return
	}
	if row.Kind != String {
		n := min(len(lexeme), max(room, alwaysCharacters))
		row.Tokens = d.z.literal(lexeme[:n])
		row.Hidden += len(lexeme) - n
		return
	}
	text := d.text(lexeme)
	shown := text
	if len(lexeme) > room {
		n := max(decodedPrefix(lexeme, room), prefixOf(text, alwaysCharacters))
		shown = text[:n]
	}
	tokens, marks, n := d.z.tokenize(shown, false)
	row.Tokens = tokens
	row.Marks |= marks
	row.Hidden += countText(text[n:])
}

func (d *describer) countScalar(kind Kind, lexeme []byte) int {
	if kind != String {
		return len(lexeme)
	}
	// The memory is used again: nothing of a hidden text is kept.
	used := len(d.decoded)
	n := countText(d.text(lexeme))
	d.decoded = d.decoded[:used]
	return n
}

// text is the decoded text of a string lexeme, which lies in the source when it has no
// escapes.
func (d *describer) text(lexeme []byte) []byte {
	if !hasEscape(lexeme) {
		return lexeme[1 : len(lexeme)-1]
	}
	from := len(d.decoded)
	d.decoded = appendDecoded(d.decoded, lexeme)
	return d.decoded[from:len(d.decoded):len(d.decoded)]
}

// unread makes up for a text that was left before its end.
func (d *describer) unread() {
	for len(d.open) > 0 {
		c := d.open[len(d.open)-1]
		d.open = d.open[:len(d.open)-1]
		if c.row >= 0 {
			d.out.Rows[c.row].Size = c.children
		}
	}
	d.out.Hidden.Characters += countText(d.w.b[d.w.i:])
}

// malformed shows a text that is no JSON as it is.
func malformed(raw []byte, limits Limits) Arguments {
	n := wholeChars(raw, limits.Bytes)
	z := tokenizer{limit: limits.Tokens}
	row := Row{Index: -1}
	row.Tokens, row.Marks, n = z.tokenize(raw[:n], false)
	row.Hidden = countText(raw[n:])
	return Arguments{
		Blocked:  BlockedMalformed,
		Rows:     []Row{row},
		Hidden:   Hidden{Characters: row.Hidden},
		Warnings: appendWarnings(nil, row.Marks, ""),
	}
}
