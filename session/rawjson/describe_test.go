package rawjson

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// outline writes the rows in a short form: path kind size tokens !warnings.
func outline(a *Arguments) string {
	var s strings.Builder
	for i := range a.Rows {
		r := &a.Rows[i]
		s.WriteString(strings.Repeat("  ", r.Depth) + r.Path + " " + kindNames[r.Kind])
		if r.Kind == Object || r.Kind == Array {
			s.WriteString(" " + strconv.Itoa(r.Size))
		} else {
			s.WriteString(" " + spell(r.Tokens))
		}
		if r.Hidden > 0 {
			s.WriteString(" +" + strconv.Itoa(r.Hidden))
		}
		for _, code := range r.Marks.Codes() {
			s.WriteString(" !" + code)
		}
		s.WriteString("\n")
	}
	return s.String()
}

func TestDescribeRows(t *testing.T) {
	tests := []struct {
		name string
		raw  string
		want string
	}{
		{"S13 source order, also of keys like numbers", `{"b":1,"2":2,"1":3}`, "/b number 1\n/2 number 2\n/1 number 3\n"},
		{"S12 exact numbers", `[9007199254740993, 999999999999999999, 1e400, -0, 1.10, 0.1000000000000000055]`,
			"/0 number 9007199254740993\n/1 number 999999999999999999\n/2 number 1e400\n" +
				"/3 number -0\n/4 number 1.10\n/5 number 0.1000000000000000055\n"},
		{"B095 exact integer", `{"id":2512292042121000001}`, "/id number 2512292042121000001\n"},
		{"B108 literal text", `{"z":"<b>&\u2028","a":1}`, "/z string <b>&<U+2028> !invisible\n/a number 1\n"},
		{"nesting", `{"o":{"a":[1,{}],"e":[]},"t":true,"n":null}`,
			"/o object 2\n  /o/a array 2\n    /o/a/0 number 1\n    /o/a/1 object 0\n  /o/e array 0\n/t boolean true\n/n null null\n"},
		{"paths are JSON Pointers", `{"a/b":{"c~d":{"":1}}}`, "/a~1b object 1\n  /a~1b/c~0d object 1\n    /a~1b/c~0d/ number 1\n"},
		{"no arguments", ` {} `, ""},
		{"array", `["x",[]]`, "/0 string x\n/1 array 0\n"},
		{"scalar", ` "x\ty" `, " string x\ty\n"},
		{"null", `null`, " null null\n"},
		{"decoded strings", `{"\u0061":"\u0041\n\ud83d\ude42\ud83d"}`, "/a string A\n🙂<U+D83D> !invisible\n"},
		{"S56 prototype keys", `{"__proto__":{"x":1},"a":{"constructor":{"prototype":{"\u005f_proto__":2}}},"Prototype":3}`,
			"/__proto__ object 1 !prototype-key\n  /__proto__/x number 1\n/a object 1\n  /a/constructor object 1 !prototype-key\n" +
				"    /a/constructor/prototype object 1 !prototype-key\n" +
				"      /a/constructor/prototype/__proto__ number 2 !prototype-key\n/Prototype number 3\n"},
		{"S10 keys equal after NFC", `{"caf\u00e9":1,"cafe\u0301":2,"\u212a":3,"K":4}`,
			"/café number 1 !keys-equal-after-nfc\n/cafe\u0301 number 2 !keys-equal-after-nfc\n" +
				"/\u212a number 3 !keys-equal-after-nfc\n/K number 4 !keys-equal-after-nfc\n"},
		{"same key in other objects", `{"a":{"k":1},"b":{"k":2},"k":3}`, "/a object 1\n  /a/k number 1\n/b object 1\n  /b/k number 2\n/k number 3\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := Describe([]byte(test.raw), false)
			if got := outline(&a); got != test.want {
				t.Errorf("got\n%swant\n%s", got, test.want)
			}
			if a.Blocked != "" || a.Hidden != (Hidden{}) || a.Digest != Digest([]byte(test.raw)) {
				t.Errorf("blocked %q, hidden %+v, digest %s", a.Blocked, a.Hidden, a.Digest)
			}
		})
	}
}

func TestS10_DuplicateKeysBlock(t *testing.T) {
	many := func(n int) string {
		var s strings.Builder
		for i := range n {
			s.WriteString(`"k` + strconv.Itoa(i) + `":0,`)
		}
		return s.String()
	}
	for raw, path := range map[string]string{
		`{"to":"alice","to":"mallory"}`:                      "/to",
		`{"to":"alice","t\u006f":"mallory"}`:                 "/to",
		`{"\u0074o":"alice","\u0074\u006F":"mallory"}`:       "/to",
		`{"a":[{"b":{"to":1,"x":2,"to":1}}]}`:                "/a/0/b/to",
		`{"":1,"":2}`:                                        "/",
		`{"é":1,"\u00e9":2}`:                                 "/é",
		`{"\ud83d":1,"\uD83D":2}`:                            "/\xed\xa0\xbd",
		`{"__proto__":1,"__proto__":2}`:                      "/__proto__",
		`{"a/b":1,"a\/b":2}`:                                 "/a~1b",
		`{` + many(1000) + `"k7":1}`:                         "/k7",
		`{` + many(12_000) + `"last":1,"last":2}`:            "/last", // both beyond the soft limit
		`{"x":"` + strings.Repeat("x", 300_000) + `","x":1}`: "/x",
	} {
		a := Describe([]byte(raw), false)
		if a.Blocked != BlockedDuplicateKey {
			t.Errorf("%.60s: blocked %q", raw, a.Blocked)
		}
		count := 0
		for _, w := range a.Warnings {
			if (w == Warning{Code: "duplicate-key", Path: path}) {
				count++
			}
		}
		if count != 1 {
			t.Errorf("%.60s: %d warnings at %s in %v", raw, count, path, a.Warnings)
		}
	}
	for _, raw := range []string{
		`{"a":1,"A":2}`, `{"a":{"a":{"a":1}}}`, `[{"a":1},{"a":2}]`, `{"a":1,"a ":2}`, `{"\ud83d":1,"\ud83e":2}`,
		`{"\ufffd":1,"\ud83d":2}`, `{` + many(500) + `"z":1}`,
	} {
		if a := Describe([]byte(raw), false); a.Blocked != "" {
			t.Errorf("%.60s: blocked %q", raw, a.Blocked)
		}
	}
}

func TestS10_BothRowsOfADuplicateAreMarked(t *testing.T) {
	a := Describe([]byte(`{"to":"alice","x":1,"t\u006f":"mallory"}`), false)
	want := "/to string alice !duplicate-key\n/x number 1\n/to string mallory !duplicate-key\n"
	if got := outline(&a); got != want || len(a.Warnings) != 1 {
		t.Errorf("got\n%swarnings %v", got, a.Warnings)
	}
}

func TestS14_PayloadAtAnyPlaceIsShownOrGated(t *testing.T) {
	for _, at := range []int{117, 120, 1000, 2000, 16_000, 100_000, 250_000, 300_000, 900_000} {
		for _, tail := range []int{0, 500} {
			raw := `{"command":"` + strings.Repeat("echo ok; ", at)[:at] + `rm -rf /` + strings.Repeat("x", tail) + `"}`
			a := Describe([]byte(raw), false)
			shown := strings.Contains(spell(a.Rows[0].Tokens), "rm -rf /")
			if !shown && a.Hidden.Characters == 0 {
				t.Errorf("payload at %d is neither shown nor gated", at)
			}
			b := Describe([]byte(raw), true)
			if !strings.Contains(spell(b.Rows[0].Tokens), "rm -rf /") || b.Hidden != (Hidden{}) {
				t.Errorf("payload at %d is not shown by Show all", at)
			}
		}
	}
}

// leaves is an array of n numbers.
func leaves(n int) string { return "[" + strings.Repeat("1,", n-1) + "1]" }

func nest(n int) string { return strings.Repeat("[", n) + "1" + strings.Repeat("]", n) }

func sized(n int) string {
	const frame = `{"a":""}`
	return `{"a":"` + strings.Repeat("x", n-len(frame)) + `"}`
}

// unseen is n tokens that are not text in one string.
func unseen(n int) string { return `["` + strings.Repeat("a\u200b", n) + `"]` }

func TestS17_EachSideOfEachLimit(t *testing.T) {
	tests := []struct {
		name    string
		raw     string
		hidden  Hidden // with all false
		blocked string
		rest    Hidden // with all true
	}{
		{"256 KiB", sized(Soft.Bytes), Hidden{}, "", Hidden{}},
		{"256 KiB and the closing marks", sized(Soft.Bytes + 2), Hidden{}, "", Hidden{}},
		{"a character over 256 KiB", sized(Soft.Bytes + 3), Hidden{Characters: 1}, "", Hidden{}},
		{"depth 64", nest(64), Hidden{}, "", Hidden{}},
		{"depth 65", nest(65), Hidden{Rows: 1, Characters: 1}, "", Hidden{}},
		{"10,000 leaves", leaves(10_000), Hidden{}, "", Hidden{}},
		{"10,001 leaves", leaves(10_001), Hidden{Rows: 1, Characters: 1}, "", Hidden{}},
		{"10,000 special tokens", unseen(10_000), Hidden{}, "", Hidden{}},
		{"10,001 special tokens", unseen(10_001), Hidden{Characters: 1}, "", Hidden{}},
		{"1 MiB", sized(Hard.Bytes), Hidden{Characters: Hard.Bytes - Soft.Bytes - 2}, "", Hidden{}},
		{"over 1 MiB", sized(Hard.Bytes + 1), Hidden{Characters: Hard.Bytes - Soft.Bytes}, BlockedTooLarge, Hidden{Characters: 1}},
		{"far over 1 MiB", leaves(Hard.Bytes), Hidden{Rows: Hard.Bytes/2 - 10_000, Characters: Hard.Bytes/2 - 10_000 + Hard.Bytes + 1},
			BlockedTooLarge, Hidden{Rows: Hard.Bytes/2 - 100_000, Characters: Hard.Bytes/2 - 100_000 + Hard.Bytes + 1}},
		{"depth 512", nest(512), Hidden{Rows: 448, Characters: 1}, "", Hidden{}},
		{"depth 513", nest(513), Hidden{Rows: 447, Characters: 515}, BlockedTooDeep, Hidden{Characters: 515}},
		{"100,000 leaves", leaves(100_000), Hidden{Rows: 90_000, Characters: 90_000}, "", Hidden{}},
		{"100,001 leaves", leaves(100_001), Hidden{Rows: 90_001, Characters: 90_001}, BlockedTooMany, Hidden{Rows: 1, Characters: 1}},
		{"100,000 special tokens", unseen(100_000), Hidden{Characters: 179_999}, "", Hidden{}},
		{"100,001 special tokens", unseen(100_001), Hidden{Characters: 180_001}, "", Hidden{Characters: 1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := Describe([]byte(test.raw), false)
			if a.Hidden != test.hidden || a.Blocked != test.blocked {
				t.Errorf("hidden %+v, blocked %q; want %+v, %q", a.Hidden, a.Blocked, test.hidden, test.blocked)
			}
			b := Describe([]byte(test.raw), true)
			blocked := test.blocked
			if blocked == "" && test.rest != (Hidden{}) {
				blocked = BlockedTooMany // known only when all is shown
			}
			if b.Hidden != test.rest || b.Blocked != blocked {
				t.Errorf("all: hidden %+v, blocked %q; want %+v, %q", b.Hidden, b.Blocked, test.rest, blocked)
			}
		})
	}
}

func TestU25_OutermostMembersAreNeverHidden(t *testing.T) {
	var s strings.Builder
	s.WriteString(`{"first":"` + strings.Repeat("x", Soft.Bytes) + `"`)
	for i := range 30 {
		s.WriteString(`,"key` + strconv.Itoa(i) + strings.Repeat("k", 100) + `":"\u0041` + strings.Repeat("é", 100) + `"`)
	}
	s.WriteString(`,"list":[1,2]}`)
	a := Describe([]byte(s.String()), false)
	if len(a.Rows) != 20 {
		t.Fatalf("%d rows", len(a.Rows))
	}
	for i, r := range a.Rows[1:] {
		key, value := spell(r.Key), spell(r.Tokens)
		if key != ("key" + strconv.Itoa(i) + strings.Repeat("k", 100))[:40] || value != "A"+strings.Repeat("é", 39) {
			t.Errorf("row %d: %q %q", i, key, value)
		}
	}
	// 11 string rows with key and value, the list and its two numbers.
	if a.Hidden.Rows != 11+1+2 {
		t.Errorf("hidden rows %d", a.Hidden.Rows)
	}
}

func TestMalformedTextIsShownAsItIs(t *testing.T) {
	for raw, want := range map[string]string{
		``:                 " text \n",
		`{"a":1`:           " text {\"a\":1\n",
		`rm -rf "\u202e/"`: " text rm -rf \"\\u202e/\"\n",
		"{\u202e}":         " text {<U+202E>} !bidi\n",
		`{"a":1}}`:         " text {\"a\":1}}\n",
		`{"a":"\`:          " text {\"a\":\"\\\n",
	} {
		a := Describe([]byte(raw), false)
		if got := outline(&a); got != want || a.Blocked != BlockedMalformed || a.Kind != Absent || a.Digest != Digest([]byte(raw)) {
			t.Errorf("%q: got %q, blocked %q", raw, got, a.Blocked)
		}
	}
	long := strings.Repeat("é", Soft.Bytes) // a character lies across the limit
	a := Describe([]byte("x"+long), false)
	if got := countText([]byte(spell(a.Rows[0].Tokens))); got+a.Hidden.Characters != 1+Soft.Bytes || a.Rows[0].Marks != 0 {
		t.Errorf("%d shown, hidden %+v, marks %v", got, a.Hidden, a.Rows[0].Marks.Codes())
	}
}

func TestPathsStaySmall(t *testing.T) {
	// One long key around many values: the pointers together would be 500 times the text.
	raw := `{"` + strings.Repeat("k", 1000) + `":` + leaves(9_000) + `}`
	a := Describe([]byte(raw), false)
	total := 0
	for _, r := range a.Rows {
		total += len(r.Path)
	}
	if total > maxAllPaths+len(a.Rows)*6 {
		t.Errorf("%d bytes of paths", total)
	}
	if last := a.Rows[len(a.Rows)-1]; last.Path != "#9001" || last.Index != 8999 {
		t.Errorf("last path %q", last.Path)
	}
	raw = `{"a":{"` + strings.Repeat("k", 2000) + `":{"b":{"constructor":1}}},"c":2}`
	a = Describe([]byte(raw), false)
	var paths []string
	for _, r := range a.Rows {
		paths = append(paths, r.Path)
	}
	if got := strings.Join(paths, " "); got != "/a #2 #3 #4 /c" {
		t.Errorf("paths %s", got)
	}
	if len(a.Warnings) != 1 || a.Warnings[0].Path != "#4" {
		t.Errorf("warnings %v", a.Warnings)
	}
}

func TestWarningsAreBounded(t *testing.T) {
	raw := `[` + strings.Repeat(`"\u202e",`, 5000) + `1]`
	a := Describe([]byte(raw), false)
	if len(a.Warnings) != maxWarnings {
		t.Errorf("%d warnings", len(a.Warnings))
	}
	for _, r := range a.Rows[:5000] {
		if r.Marks != MarkBidi {
			t.Fatal("a row lost its own warning")
		}
	}
}

func TestS20_CopyTextKeepsTheValue(t *testing.T) {
	for raw, want := range map[string]string{
		`{"a": "b"}`:                     `{"a": "b"}`,
		"\"a\u202eb\"":                   `"a\u202eb"`,
		"\"\\u202e\\\\\u200b\"":          `"\u202e\\\u200b"`,
		"\"\U000E0061\"":                 `"\udb40\udc61"`,
		"\"👩\u200d👧❤\ufe0f\"":            `"👩\u200d👧❤\ufe0f"`,
		"\"a\u00a0\u3000b\x7f\"":         `"a\u00a0\u3000b\u007f"`,
		"{\n\t\"é漢🙂\": \"    \"\r\n}":    "{\n\t\"é漢🙂\": \"    \"\r\n}",
		"\"\xff\"":                       "\"\uFFFD\"",
		"\"\xed\xa0\xbd\"":               `"\ud83d"`,
		"{\"\u2066k\":\"\ue000\ufffe\"}": `{"\u2066k":"\ue000\ufffe"}`,
	} {
		got := CopyText([]byte(raw))
		if string(got) != want {
			t.Errorf("%q: got %s, want %s", raw, got, want)
		}
		if !strings.ContainsAny(raw, "\xff\xed") && !Equal(got, []byte(raw)) {
			t.Errorf("%q: the copy is another value", raw)
		}
		for _, r := range string(got) {
			if defaultIgnorable(r) || classOf(r) != classText && r != '\t' && r != '\n' && r != '\r' {
				t.Errorf("%q: the copy holds %s", raw, Char(r).CodePoint())
			}
		}
	}
}

func TestU32_DescribeIsFastAndLinear(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("measures time")
	}
	measure := func(text []byte) time.Duration {
		best := time.Hour
		for range 7 {
			start := time.Now()
			a := Describe(text, true)
			AppendArguments(nil, &a)
			best = min(best, time.Since(start))
		}
		return best
	}
	for name, make := range map[string]func(size int) []byte{
		"leaves":    func(n int) []byte { return manyLeaves(n, n*Soft.Leaves/Soft.Bytes) },
		"string":    func(n int) []byte { return []byte(sized(n)) },
		"escapes":   func(n int) []byte { return []byte(`["` + strings.Repeat(`\u0041`, n/6) + `"]`) },
		"cyrillic":  func(n int) []byte { return []byte(`["` + strings.Repeat("привет ", n/13) + `"]`) },
		"same keys": func(n int) []byte { return []byte(`{` + strings.Repeat(`"é":1,`, n/8) + `"a":1}`) },
		"long keys": func(n int) []byte {
			return []byte(`{"` + strings.Repeat("k", n/2) + `":{"` + strings.Repeat("k", n/4) + `":[` + strings.Repeat("1,", n/8) + `1]}}`)
		},
		"marks": func(n int) []byte { return []byte(`{"` + strings.Repeat("\u0301\u0323", n/4) + `":1,"b":2}`) },
		"hosts": func(n int) []byte { return []byte(`["` + strings.Repeat("a@é.b ", n/8) + `"]`) },
		"at":    func(n int) []byte { return []byte(`["é` + strings.Repeat("//@", n/3) + `"]`) },
	} {
		small, large := measure(make(Soft.Bytes/8)), measure(make(Soft.Bytes))
		// Far above what it takes (BenchmarkDescribe), far below anything quadratic: other
		// work on the machine must not fail the test.
		slower := time.Duration(1)
		if runtime.GOARCH == "wasm" {
			slower = 20
		}
		if large > slower*500*time.Millisecond || name == "leaves" && large > slower*50*time.Millisecond {
			t.Errorf("%s: %v for 256 KiB", name, large)
		}
		if large > 40*small+slower*50*time.Millisecond {
			t.Errorf("%s: %v for 32 KiB, %v for 256 KiB", name, small, large)
		}
		t.Logf("%-10s %v %v", name, small, large)
	}
}

func TestDescribeLeavesTheSourceAlone(t *testing.T) {
	raw := []byte(`{"a":["x\u0041\u202e",1,{"b":"` + strings.Repeat(`\n`, 50) + `"}],"a":2}`)
	before := bytes.Clone(raw)
	a := Describe(raw, true)
	AppendArguments(nil, &a)
	CopyText(raw)
	if !bytes.Equal(raw, before) {
		t.Error("the source was changed")
	}
}
