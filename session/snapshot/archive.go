package snapshot

// archive carries the fields of a session into records, or out of them. The order
// of the calls is the format, and each kind of thing has one function for both ways
// (kinds.go): a field cannot be forgotten in one of them.
type archive struct {
	records []record // each followed by those of its lists
	at      int      // the one whose fields are carried
	reading bool
	next    int // reading: the record to come
	batches int // reading: how many there are
	err     *Error
}

func (a *archive) fail(err *Error) {
	if a.err == nil {
		a.err = err
	}
}

// begin turns to a new record, or to the next one. It gives the one around it.
func (a *archive) begin() (outer int) {
	outer = a.at
	switch {
	case !a.reading:
		a.at = len(a.records)
		a.records = append(a.records, record{Texts: make([]text, 0, 8), Numbers: make([]uint64, 0, 8)})
	case a.next < len(a.records):
		a.at = a.next
		a.next++
	default:
		a.fail(corrupt("a record is missing"))
	}
	return outer
}

// end goes back to the record around. What a newer version has put behind the
// known fields stays in rest: a record of it, and those of its lists.
func (a *archive) end(outer int, rest *[]byte) {
	r := &a.records[a.at]
	a.at = outer
	switch {
	case !a.reading && len(*rest) > 0:
		more := a.parse(*rest)
		if len(more) == 0 {
			return
		}
		r.Texts = append(r.Texts, more[0].Texts...)
		r.Numbers = append(r.Numbers, more[0].Numbers...)
		r.Lists = append(r.Lists, more[0].Lists...)
		a.records = append(a.records, more[1:]...)
	case a.reading && r.fields() > 0:
		from := a.next
		a.skip(r)
		*rest = format(format(nil, []record{*r}), a.records[from:a.next])
	}
}

// skip passes over the records of r's lists. It does not recurse: foreign bytes
// may nest them as deep as they like.
func (a *archive) skip(r *record) {
	for left := r.items(); left > 0; left-- {
		if left > len(a.records)-a.next {
			a.fail(corrupt("a record is missing"))
			return
		}
		left += a.records[a.next].items()
		a.next++
	}
}

// bytes carries JSON or a text. Absent and empty are one in a snapshot.
func (a *archive) bytes(b *[]byte) {
	if !a.reading {
		r := &a.records[a.at]
		r.Texts = append(r.Texts, *b)
		return
	}
	*b = append([]byte(nil), a.take()...)
}

func (a *archive) text(s *string) {
	if !a.reading {
		b := []byte(*s)
		a.bytes(&b)
		return
	}
	*s = string(a.take())
}

// take gives the next text, none when an older version wrote the record.
func (a *archive) take() (t text) {
	if r := &a.records[a.at]; len(r.Texts) > 0 {
		t, r.Texts = r.Texts[0], r.Texts[1:]
	}
	return t
}

// number carries n, and gives it as it is now.
func (a *archive) number(n uint64) uint64 {
	r := &a.records[a.at]
	switch {
	case !a.reading:
		r.Numbers = append(r.Numbers, n)
	case len(r.Numbers) == 0: // an older version wrote the record
		n = 0
	default:
		n, r.Numbers = r.Numbers[0], r.Numbers[1:]
	}
	return n
}

func (a *archive) int(n *int) {
	if v := a.number(uint64(*n)); a.reading {
		*n = int(v)
	}
}

func (a *archive) int64(n *int64) {
	if v := a.number(uint64(*n)); a.reading {
		*n = int64(v)
	}
}

// enum carries a value from 0 to last. What a larger one means, only a newer
// version knows.
func (a *archive) enum(n *uint8, last uint8) {
	v := a.number(uint64(*n))
	switch {
	case v > uint64(last):
		a.fail(&Error{CodeNewer, "it holds a value that only a newer version knows"})
	case a.reading:
		*n = uint8(v)
	}
}

func (a *archive) bool(b *bool) {
	var n uint8
	if *b {
		n = 1
	}
	if a.enum(&n, 1); a.reading {
		*b = n == 1
	}
}

// batch carries a place in Saved.Batches.
func (a *archive) batch(n *int) {
	if a.int(n); a.reading && (*n < 0 || *n > a.batches) {
		a.fail(corrupt("it names a batch that it does not hold"))
	}
}

// count carries the length of a list. Each of its elements is a record, so a
// forged length takes no memory.
func (a *archive) count(n int) int {
	r := &a.records[a.at]
	switch {
	case !a.reading:
		r.Lists = append(r.Lists, uint64(n))
		return n
	case len(r.Lists) == 0 || a.err != nil:
		return 0
	}
	count := r.Lists[0]
	r.Lists = r.Lists[1:]
	if count > uint64(len(a.records)-a.next) {
		a.fail(corrupt("it announces more records than it has"))
		return 0
	}
	return int(count)
}

// option carries a list of one record or none.
func (a *archive) option(present bool) bool {
	n := 0
	if present {
		n = 1
	}
	if n = a.count(n); n > 1 {
		a.fail(corrupt("it has two of what is one"))
	}
	return n == 1
}

// list carries a list; one carries an element of it.
func list[T any](a *archive, all *[]T, one func(*archive, *T)) {
	n := a.count(len(*all))
	if a.reading && n > 0 {
		*all = make([]T, n)
	}
	for i := range n {
		one(a, &(*all)[i])
	}
}
