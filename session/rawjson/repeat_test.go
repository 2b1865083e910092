package rawjson

import "testing"

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
