package rawjson

import "testing"

func TestS13_SourceOrder(t *testing.T) {
	a := Describe([]byte(`{"b":1,"2":2,"1":[9007199254740993,{"x y ":"a\u202eb 👩‍👩‍👧 \ud800 https://пример.рф/x p\u0430y"}], "b":{}}`), false)
	t.Log(string(AppendArguments(nil, &a)))
	want := []string{"/b", "/2", "/1", "/1/0", "/1/1", "/1/1/x y ", "/b"}
	for i, r := range a.Rows {
		if i >= len(want) || r.Path != want[i] {
			t.Fatalf("row %d: path %q, want %q", i, r.Path, want)
		}
	}
	if a.Blocked != BlockedDuplicateKey {
		t.Errorf("blocked %q", a.Blocked)
	}
}
