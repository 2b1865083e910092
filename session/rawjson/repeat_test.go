package rawjson

import (
	"bytes"
	"strings"
	"testing"
)

func TestRepeat(t *testing.T) {
	names := NewNames("a", "delta")
	learn := func(object string) *Repeat {
		var v [2]Value
		if err := names.Scan([]byte(object), v[:]); err != nil {
			t.Fatal(err)
		}
		r := &Repeat{}
		b := []byte(object)
		_ = names.Scan(b, v[:])
		r.Learn(b, v[1].Raw)
		return r
	}
	tests := []struct {
		name, learned, object string
		want                  string
		ok                    bool
	}{
		{"another text", `{"a":1,"delta":"x"}`, `{"a":1,"delta":"hello"}`, `"hello"`, true},
		{"empty text", `{"a":1,"delta":"x"}`, `{"a":1,"delta":""}`, `""`, true},
		{"escapes", `{"a":1,"delta":"x"}`, `{"a":1,"delta":"\"}\u00e9"}`, `"\"}\u00e9"`, true},
		{"the same text elsewhere", `{"a":"x","delta":"x"}`, `{"a":"x","delta":"y"}`, `"y"`, true},
		{"members behind", `{"delta":"x","a":1}`, `{"delta":"long enough for a fast scan","a":1}`, `"long enough for a fast scan"`, true},
		{"another value in front", `{"a":1,"delta":"x"}`, `{"a":2,"delta":"x"}`, ``, false},
		{"another value behind", `{"delta":"x","a":1}`, `{"delta":"x","a":2}`, ``, false},
		{"a member more", `{"a":1,"delta":"x"}`, `{"a":1,"delta":"x","delta":"y"}`, ``, false},
		{"cut", `{"a":1,"delta":"x"}`, `{"a":1,"delta":"x"`, ``, false},
		{"cut in the text", `{"a":1,"delta":"x"}`, `{"a":1,"delta":"x`, ``, false},
		{"control character", `{"a":1,"delta":"x"}`, "{\"a\":1,\"delta\":\"x\ny\"}", ``, false},
		{"bad escape", `{"a":1,"delta":"x"}`, `{"a":1,"delta":"\x"}`, ``, false},
		{"not a string", `{"a":1,"delta":"x"}`, `{"a":1,"delta":null}`, ``, false},
		{"shorter than learned", `{"a":1,"delta":"x"}`, `{`, ``, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, plain, ok := learn(test.learned).Match([]byte(test.object))
			if ok != test.ok || string(got) != test.want {
				t.Fatalf("got %s, %v", got, ok)
			}
			if plain && hasEscape(got) {
				t.Error("said to be plain, and has an escape")
			}
		})
	}
	if _, _, ok := new(Repeat).Match([]byte(`{}`)); ok {
		t.Error("matched before it learned")
	}
}

func FuzzRepeat(f *testing.F) {
	f.Add([]byte(`{"a":1,"delta":"x"}`), []byte(`{"a":1,"delta":"hello"}`))
	f.Add([]byte(`{"delta":"x","a":"x"}`), []byte(`{"delta":"\u0041","a":"x"}`))
	names := NewNames("delta", "a")
	f.Fuzz(func(t *testing.T, learned, object []byte) {
		var v, w [2]Value
		if names.Scan(learned, v[:]) != nil || v[0].Kind != String || v[0].Duplicate {
			return
		}
		var r Repeat
		r.Learn(learned, v[0].Raw)
		lexeme, _, ok := r.Match(object)
		if !ok {
			return
		}
		if err := names.Scan(object, w[:]); err != nil {
			t.Fatalf("matched what Scan refuses: %v", err)
		}
		if string(w[0].Raw) != string(lexeme) || w[0].Duplicate || string(w[1].Raw) != string(v[1].Raw) {
			t.Fatalf("Match says %s, Scan %s and %s", lexeme, w[0].Raw, w[1].Raw)
		}
	})
}

func learned(t testing.TB, object string) *Repeat {
	names := NewNames("delta")
	var v [1]Value
	b := []byte(object)
	if err := names.Scan(b, v[:]); err != nil {
		t.Fatal(err)
	}
	r := &Repeat{Before: "data: ", After: "\n\n"}
	r.Learn(b, v[0].Raw)
	return r
}

func TestRun(t *testing.T) {
	const a, b = `data: {"a":1,"delta":"`, `","b":2}` + "\n\n"
	tests := []struct {
		name, learned, stream, want, rest string
		count                             int
	}{
		{"texts of every length", "", a + "" + b + a + "1" + b + a + "12345678" + b + a + "1234567890123456789012345678901234567890" + b,
			"1123456781234567890123456789012345678901234567890", "", 4},
		{"escapes", "", a + `\n` + b + a + `\u00e4\"` + b + a + "x" + b, "\nä\"x", "", 3},
		{"another object", "", a + "x" + b + `data: {"a":2,"delta":"y","b":2}` + "\n\n", "x", `data: {"a":2,"delta":"y","b":2}` + "\n\n", 1},
		{"another field", "", a + "x" + b + "id: 7\n" + a + "y" + b, "x", "id: 7\n" + a + "y" + b, 1},
		{"cut in the text", "", a + "x" + b + a + "y", "x", a + "y", 1},
		{"cut in the blank line", "", a + "x" + b + a + "y" + b[:len(b)-1], "x", a + "y" + b[:len(b)-1], 1},
		{"cut in front of the text", "", a + "x" + b + a[:9], "x", a[:9], 1},
		{"control character", "", a + "x\ny" + b, "", a + "x\ny" + b, 0},
		{"over the limit", "", a + strings.Repeat("x", 60) + b + a + strings.Repeat("y", 41) + b, strings.Repeat("x", 60), a + strings.Repeat("y", 41) + b, 1},
		{"learned from several lines", "{\"a\":1,\n\"delta\":\"x\"}", "data: {\"a\":1,\n\"delta\":\"x\"}\n\n", "", "data: {\"a\":1,\n\"delta\":\"x\"}\n\n", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.learned == "" {
				test.learned = `{"a":1,"delta":"first","b":2}`
			}
			r := learned(t, test.learned)
			out, read, count := r.AppendRun([]byte("kept "), []byte(test.stream), 105)
			if string(out) != "kept "+test.want || test.stream[read:] != test.rest || count != test.count {
				t.Errorf("expected %q, %d texts and the rest %q, got %q, %d and %q", test.want, test.count, test.rest, out, count, test.stream[read:])
			}
		})
	}
	if out, read, _ := new(Repeat).AppendRun(nil, []byte("data: {}"), 10); out != nil || read != 0 {
		t.Error("ran before it learned")
	}
}

// FuzzRun holds that a run says what its objects say one by one.
func FuzzRun(f *testing.F) {
	f.Add(`{"delta":"x"}`, []byte(`data: {"delta":"a"}`+"\n\n"+`data: {"delta":"\u0041b"}`+"\n\n"), 10)
	f.Fuzz(func(t *testing.T, object string, stream []byte, limit int) {
		names := NewNames("delta")
		var v [1]Value
		if names.Scan([]byte(object), v[:]) != nil || v[0].Kind != String || v[0].Duplicate {
			return
		}
		r := learned(t, object)
		out, read, count := r.AppendRun(nil, stream, limit)
		var want []byte
		frames := bytes.SplitAfter(stream[:read], []byte("\n\n"))
		for _, frame := range frames[:len(frames)-1] {
			lexeme, _, ok := r.Match(bytes.TrimSuffix(bytes.TrimPrefix(frame, []byte("data: ")), []byte("\n\n")))
			if !ok {
				t.Fatalf("took %q, which does not repeat %q", frame, object)
			}
			want = AppendString(want, lexeme)
		}
		if count != len(frames)-1 || string(out) != string(want) || len(out) > max(limit, 0) {
			t.Fatalf("expected %q of %d frames within %d bytes, got %q of %d", want, len(frames)-1, limit, out, count)
		}
	})
}

func BenchmarkRepeat(b *testing.B) {
	out := make([]Value, eventNames.Len())
	if eventNames.Scan(deltaEvent, out) != nil {
		b.Fatal("refused")
	}
	var r Repeat
	r.Learn(deltaEvent, out[1].Raw)
	b.SetBytes(int64(len(deltaEvent)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, ok := r.Match(deltaEvent); !ok {
			b.Fatal("not recognised")
		}
	}
}

// BenchmarkRun is a chunk of 16 KiB of deltas of 4 characters.
func BenchmarkRun(b *testing.B) {
	frame := "data: " + strings.Replace(string(deltaEvent), "Hello, wor", "Hell", 1) + "\n\n"
	r := learned(b, strings.TrimSpace(frame[len("data: "):]))
	stream := []byte(strings.Repeat(frame, 16<<10/len(frame)))
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	var out []byte
	events := 0
	for b.Loop() {
		var count int
		if out, _, count = r.AppendRun(out[:0], stream, len(stream)); count == 0 {
			b.Fatal("not recognised")
		}
		events += count
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
}
