package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"unicode/utf8"
)

func seeds(f *testing.F) {
	for _, test := range syntaxErrors {
		f.Add([]byte(test.text))
	}
	for _, text := range []string{
		`{"type":"tool.call","toolCallId":"c1","input":{"a":[1,2.5e-3,"\ud83d\ude42",null,true,false]},"type":1}`,
		`{"to":"alice","t\u006f":"mallory","caf\u00e9":1,"cafe\u0301":2,"__proto__":{}}`,
		"[\"a\u202eb\u200b\u200b\u200b\u200b\", \"\xff\", \"\\ud800\", \"👩\u200d👧\ufe0f\", \"pаypal https://пример.рф a@б.в\"]",
		"{\"k \":\"    \\r\\n\\r\\n\\r\\n\\r\\n\\n\\n\\n\\n\"}",
		`[[[[[[[[1,[],{}]]]]]]]]`, `"x"`, `-0.0E+1`,
	} {
		f.Add([]byte(text))
	}
}

// depth is the deepest nesting, counted without regard to syntax; strings are skipped.
func depthOf(b []byte) int {
	depth, deepest := 0, 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
	}
	return deepest
}

// FuzzScan holds the data half against encoding/json.
func FuzzScan(f *testing.F) {
	seeds(f)
	names := NewNames("type", "toolCallId", "input", "a", "")
	f.Fuzz(func(t *testing.T, b []byte) {
		valid := json.Valid(b)
		err := Valid(b)
		var e *Error
		if err != nil && (!errors.As(err, &e) || e.Offset < 0 || e.Offset > len(b)) {
			t.Fatalf("error %v", err)
		}
		if (err == nil) != valid && !(e != nil && e.Code == CodeTooDeep && depthOf(b) > MaxDepth) {
			t.Fatalf("%q: valid is %v, error %v", b, valid, err)
		}
		out := make([]Value, names.Len())
		if (names.Scan(b, out) == nil) != (err == nil && KindOf(b) == Object) {
			t.Fatalf("%q: scan and valid disagree", b)
		}

		// Scan finds what a walk over all members finds.
		want := make([]Value, names.Len())
		if Members(b, func(key, value []byte) bool {
			for i, name := range []string{"type", "toolCallId", "input", "a", ""} {
				if string(AppendString(nil, key)) != name {
					continue
				}
				if want[i].Kind != Absent {
					want[i].Duplicate = true
				} else {
					want[i] = Value{Raw: value, Kind: KindOf(value)}
				}
			}
			if Valid(value) != nil || bytes.TrimSpace(value)[0] != value[0] {
				t.Fatalf("value %q", value)
			}
			return true
		}) == nil {
			for i := range want {
				if !bytes.Equal(out[i].Raw, want[i].Raw) || out[i].Kind != want[i].Kind || out[i].Duplicate != want[i].Duplicate {
					t.Fatalf("%q: value %d is %+v, want %+v", b, i, out[i], want[i])
				}
			}
		}

		if err == nil && KindOf(b) == String && utf8.Valid(b) {
			var s string
			text := AppendString(nil, bytes.TrimSpace(b))
			if json.Unmarshal(b, &s) != nil || s != string(text) {
				t.Fatalf("%q: got %q, want %q", b, text, s)
			}
		}
		quoted := AppendQuoted(nil, b)
		var back string
		if !utf8.Valid(quoted) || json.Unmarshal(quoted, &back) != nil || back != string(bytes.ToValidUTF8(b, []byte("\uFFFD"))) &&
			utf8.RuneCountInString(back) != utf8.RuneCount(b) {
			t.Fatalf("%q: quoted %q", b, quoted)
		}
		if err == nil {
			var compact bytes.Buffer
			if json.Compact(&compact, b) == nil && !Equal(b, compact.Bytes()) {
				t.Fatalf("%q: not equal to its compact form", b)
			}
			if utf8.Valid(b) && !Equal(b, CopyText(b)) {
				t.Fatalf("%q: the copy %q is another value", b, CopyText(b))
			}
		}
		if n, ok := Int(b); ok {
			var want int64
			if json.Unmarshal(b, &want) != nil || n != want {
				t.Fatalf("%q: got %d, want %d", b, n, want)
			}
		}
	})
}

// textOf puts back together what tokens stand for.
func textOf(tokens []Token) []byte {
	var b []byte
	one := func(c Char) {
		switch {
		case c == charCRLF:
			b = append(b, '\r', '\n')
		case c >= charByte:
			b = append(b, byte(c-charByte))
		case 0xD800 <= c && c < 0xE000:
			b = append(b, 0xED, byte(0x80|c>>6&0x3F), byte(0x80|c&0x3F))
		default:
			b = utf8.AppendRune(b, rune(c))
		}
	}
	for _, t := range tokens {
		switch t.Type {
		case TokenText:
			b = append(b, t.Text...)
		case TokenChar:
			one(t.Char)
		case TokenSpace:
			for range t.Count {
				one(t.Char)
			}
		}
	}
	return b
}

// scalarsAndKeys lists what a card must account for, in order, by another way than
// Describe: a walk by Members and Elements.
func pieces(b []byte, key []byte, isRoot bool) [][2][]byte {
	var list [][2][]byte
	kind := KindOf(b)
	value := []byte(nil)
	switch kind {
	case String:
		value = appendDecoded([]byte{}, bytes.TrimSpace(b))
	case Object, Array:
	default:
		value = bytes.TrimSpace(b)
	}
	if !isRoot || value != nil {
		list = append(list, [2][]byte{key, value})
	}
	Members(b, func(k, v []byte) bool {
		list = append(list, pieces(v, appendDecoded([]byte{}, k), false)...)
		return true
	})
	Elements(b, func(v []byte) bool {
		list = append(list, pieces(v, nil, false)...)
		return true
	})
	return list
}

// FuzzDescribe checks that a card loses nothing: what the tokens stand for and what
// Hidden counts are the whole text, at any limits.
func FuzzDescribe(f *testing.F) {
	f.Add([]byte(`{"a":"bcdefgh","i":[1,2,3]}`), uint16(12), uint8(2), uint8(3), uint8(1))
	f.Add([]byte("[\"\u202e\u200ba\u200b\"]"), uint16(100), uint8(9), uint8(9), uint8(2))
	f.Add([]byte(`{"k":"`+"\\u0041\\ud83d\\ude42é"+`"}`), uint16(20), uint8(9), uint8(9), uint8(9))
	f.Add([]byte(`not json`+"\u202e"), uint16(5), uint8(9), uint8(9), uint8(9))
	f.Add([]byte(`{"a":1,"a":2}`), uint16(9999), uint8(9), uint8(9), uint8(9))
	f.Fuzz(func(t *testing.T, raw []byte, size uint16, depth, leaves, tokens uint8) {
		limits := Limits{Bytes: int(size), Depth: int(depth), Leaves: int(leaves), Tokens: int(tokens)}
		for _, l := range []Limits{limits, Soft} {
			a := describe(raw, l, Hard)
			check(t, raw, &a)
		}
		page := Describe(raw, true)
		if out := AppendArguments(nil, &page); !json.Valid(out) || !utf8.Valid(out) {
			t.Fatalf("%q: page %q", raw, out)
		}
		DescribeName(string(raw))
	})
}

func check(t *testing.T, raw []byte, a *Arguments) {
	t.Helper()
	var want [][2][]byte
	switch a.Blocked {
	case BlockedTooDeep:
		return // the rest cannot be told apart any more
	case BlockedMalformed:
		if json.Valid(raw) {
			t.Fatalf("%q is no JSON?", raw)
		}
		want = [][2][]byte{{nil, raw}}
	default:
		want = pieces(raw, nil, true)
	}
	characters, next := 0, 0
	for i := range a.Rows {
		row := &a.Rows[i]
		key, value := textOf(row.Key), textOf(row.Tokens)
		characters += countText(key) + countText(value)
		if (row.Key == nil) != (row.Index >= 0 || row.Path == "" && len(a.Rows) == 1 && a.Kind != Object) {
			t.Fatalf("%q: row %d has key %v and index %d", raw, i, row.Key, row.Index)
		}
		// Rows are the values in order, with gaps only where they are hidden.
		for ; ; next++ {
			if next == len(want) {
				t.Fatalf("%q: row %d is not in the text: %q %q", raw, i, key, value)
			}
			w := want[next]
			if bytes.HasPrefix(w[0], key) && bytes.HasPrefix(w[1], value) &&
				countText(w[0][len(key):])+countText(w[1][len(value):]) == row.Hidden {
				break
			}
			if a.Hidden.Rows == 0 {
				t.Fatalf("%q: row %d shows %q %q, want %q", raw, i, key, value, w)
			}
		}
		next++
	}
	total := 0
	for _, w := range want {
		total += countText(w[0]) + countText(w[1])
	}
	if characters+a.Hidden.Characters != total || len(a.Rows)+a.Hidden.Rows != len(want) {
		t.Fatalf("%q: %d characters of %d in %d rows of %d, hidden %+v", raw, characters, total, len(a.Rows), len(want), a.Hidden)
	}
}
