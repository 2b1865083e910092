package sse

import "testing"

func TestB076_CRLFSplit(t *testing.T) {
	var d Decoder
	var got []string
	for _, chunk := range []string{"data: A\r\n", "data: B\r", "\n", "data: C\r\n", "\r\n"} {
		d.Feed([]byte(chunk))
		for f, ok := d.Next(); ok; f, ok = d.Next() {
			got = append(got, string(f.Data))
		}
	}
	if len(got) != 1 || got[0] != "A\nB\nC" {
		t.Fatalf("got %q, want one frame %q", got, "A\nB\nC")
	}
}
