package rawjson

import "testing"

func TestScanFindsExactNames(t *testing.T) {
	names := NewNames("type", "toolCallId", "input", "missing")
	out := make([]Value, names.Len())
	err := names.Scan([]byte(`{"ToolCallId":"evil","t\u0079pe":"x","toolCallId" : "c1","input":{"a":[1,{}]},"toolCallId":2}`), out)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`"x"`, `"c1"`, `{"a":[1,{}]}`, ""}
	for i, v := range out {
		if string(v.Raw) != want[i] {
			t.Errorf("value %d: got %q, want %q", i, v.Raw, want[i])
		}
	}
	if !out[1].Duplicate || out[0].Duplicate || out[3].Kind != Absent {
		t.Errorf("marks: %+v", out)
	}
	if !Equal([]byte(`{"a":1,"b":"\u0041"}`), []byte(` {"b":"A", "a":1}`)) || Equal([]byte(`[1]`), []byte(`[1.0]`)) {
		t.Error("Equal")
	}
}
