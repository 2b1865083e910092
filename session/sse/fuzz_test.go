package sse

import (
	"strings"
	"testing"
)

// FuzzDecode checks that any chunking gives the frames of the specification, and that
// limits bound what is held.
func FuzzDecode(f *testing.F) {
	for _, v := range append(vectors(f), streams(f)...) {
		f.Add([]byte(v.stream), []byte{3, 1, 200})
	}
	f.Fuzz(func(t *testing.T, stream, cuts []byte) {
		want := strings.Join(reference(string(stream)), "\n")
		var chunks [][]byte
		rest := stream
		for i := 0; len(rest) > 0; i++ {
			n := len(rest)
			if len(cuts) > 0 {
				n = min(n, int(cuts[i%len(cuts)]))
			}
			if n == 0 && i >= 2*len(cuts) {
				n = 1 // all cuts are 0
			}
			chunks = append(chunks, rest[:n])
			rest = rest[n:]
		}
		if got := strings.Join(decode(New(Limits{}), chunks...), "\n"); got != want {
			t.Fatalf("%q in %d chunks: got\n%s\nwant\n%s", stream, len(chunks), got, want)
		}

		d := New(Limits{Line: 16, Event: 24})
		for _, chunk := range chunks {
			d.Feed(chunk)
			for f, ok := d.Next(); ok; f, ok = d.Next() {
				if len(f.Data)+len(f.Event)+len(f.ID) > 24 {
					t.Fatalf("%q: a frame of %s", stream, show(f))
				}
			}
			if held := cap(d.carry) + cap(d.block.data.buf) + cap(d.block.event.buf) + cap(d.block.id.buf); held > 4*512 {
				t.Fatalf("%q: %d bytes are held", stream, held)
			}
		}
	})
}
