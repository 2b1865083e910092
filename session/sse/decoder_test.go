package sse

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"
)

func frames(d *Decoder, chunk string) []string {
	var got []string
	d.Feed([]byte(chunk))
	for f, ok := d.Next(); ok; f, ok = d.Next() {
		got = append(got, strings.TrimSpace(show(f)))
	}
	return got
}

func TestB076_CRLFCutOverChunks(t *testing.T) {
	var d Decoder
	var got []string
	for _, chunk := range []string{"data: A\r\n", "data: B\r", "\n", "data: C\r\n", "\r\n"} {
		got = append(got, frames(&d, chunk)...)
	}
	if len(got) != 1 || got[0] != `data="A\nB\nC"` {
		t.Fatalf("got %q", got)
	}
	// The event is there with the CR: nobody waits for an LF that may never come.
	if got := frames(&d, "data: D\r\r"); len(got) != 1 || got[0] != `data="D"` {
		t.Fatalf("got %q", got)
	}
	if got := frames(&d, "\n"); got != nil {
		t.Fatalf("the LF of the CR gave %q", got)
	}
}

func TestB087_LongLines(t *testing.T) {
	for _, size := range []int{100 << 10, 2 << 20} {
		text := strings.Repeat("x", size)
		for _, chunk := range []int{1, 4096, 1 << 22} {
			d := New(Limits{})
			stream := []byte("data: " + text + "\n\n")
			count := 0
			for i := 0; i < len(stream); i += chunk {
				d.Feed(stream[i:min(i+chunk, len(stream))])
				for f, ok := d.Next(); ok; f, ok = d.Next() {
					if string(f.Data) != text {
						t.Fatalf("%d bytes in chunks of %d: got %d", size, chunk, len(f.Data))
					}
					count++
				}
			}
			if count != 1 || d.Err() != nil {
				t.Fatalf("%d bytes in chunks of %d: %d frames, %v", size, chunk, count, d.Err())
			}
		}
	}
}

func TestS58_Limits(t *testing.T) {
	l := Limits{Line: 20, Event: 30}
	line := func(n int) string { return "data: " + strings.Repeat("x", n-6) + "\n" }
	tests := []struct {
		name   string
		stream string
		frames int
		code   string
		limit  int
	}{
		{"line at the limit", line(20) + "\n", 1, "", 0},
		{"line over the limit", line(21) + "\n", 0, CodeLineTooLong, 20},
		{"comment at the limit", ":" + strings.Repeat("x", 19) + "\n" + line(10) + "\n", 1, "", 0},
		{"comment over the limit", ":" + strings.Repeat("x", 20) + "\n", 0, CodeLineTooLong, 20},
		{"line without an end", line(10) + "\n" + strings.Repeat("x", 21), 1, CodeLineTooLong, 20},
		{"many comments are no event", strings.Repeat(":xxxxxxxx\n", 100) + line(10) + "\n", 1, "", 0},
		{"event at the limit", line(20) + line(20) + "data\n" + "\n", 1, "", 0}, // 14 + 1 + 14 + 1
		{"event over the limit", line(20) + line(20) + "data: x\n" + "\n", 0, CodeEventTooLong, 30},
		{"empty data lines count", strings.Repeat("data\n", 31) + "\n", 1, "", 0},
		{"too many empty data lines", strings.Repeat("data\n", 32) + "\n", 0, CodeEventTooLong, 30},
		{"event and id count", "event: " + strings.Repeat("e", 13) + "\nid: " + strings.Repeat("i", 16) + "\ndata: x\n\n", 1, "", 0},
		{"event and id are too long", "event: " + strings.Repeat("e", 13) + "\nid: " + strings.Repeat("i", 16) + "\ndata: xy\n\n", 0, CodeEventTooLong, 30},
		{"a later event starts anew", line(20) + line(20) + "\n" + line(20) + line(20) + "\n", 2, "", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			stream := test.stream
			for _, size := range []int{1, 5, 1000} {
				d := New(l)
				count := 0
				for i := 0; i < len(stream); i += size {
					count += len(frames(d, stream[i:min(i+size, len(stream))]))
				}
				var e *Error
				if test.code == "" && d.Err() != nil || test.code != "" && (!errors.As(d.Err(), &e) || e.Code != test.code || e.Limit != test.limit) {
					t.Fatalf("chunks of %d: error %v", size, d.Err())
				}
				if count != test.frames {
					t.Fatalf("chunks of %d: %d frames", size, count)
				}
				if test.code == "" {
					continue
				}
				// Final until Reset: no frame, nothing held.
				if got := frames(d, "\n\ndata: later\n\n"); got != nil {
					t.Fatalf("after the error: %q", got)
				}
				if f, ok := d.End(); ok {
					t.Fatalf("End after the error: %+v", f)
				}
				if d.carry != nil || d.block.data.buf != nil || d.chunk != nil {
					t.Fatal("memory is held after the error")
				}
				d.Reset()
				if got := frames(d, "data: 1\n\n"); len(got) != 1 || d.Err() != nil {
					t.Fatalf("after Reset: %q, %v", got, d.Err())
				}
			}
		})
	}
	d := New(Limits{Line: 3})
	frames(d, "data: 1\n\n")
	if want := "decoding event stream: line is longer than 3 bytes"; d.Err() == nil || d.Err().Error() != want {
		t.Errorf("got %v, want %s", d.Err(), want)
	}
	if want := "decoding event stream: event is longer than 7 bytes"; (&Error{CodeEventTooLong, 7}).Error() != want {
		t.Errorf("want %s", want)
	}
}

// memory is how many bytes f allocates in all; the peak cannot be higher.
func memory(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestS58_EndlessLineTakesAtMostTwiceTheCap(t *testing.T) {
	chunk := bytes.Repeat([]byte("x"), 64<<10)
	for _, start := range []string{"", "data: ", ":", "id: ", "data: x\ndata: "} {
		d := New(Limits{})
		used := memory(func() {
			d.Feed([]byte(start))
			d.Next()
			for range 64 << 20 / len(chunk) {
				d.Feed(chunk)
				if _, ok := d.Next(); ok {
					t.Fatal("a frame")
				}
			}
		})
		var e *Error
		if !errors.As(d.Err(), &e) || e.Code != CodeLineTooLong {
			t.Fatalf("%q: %v", start, d.Err())
		}
		if limit := uint64(2*DefaultLimit + 64<<10); used > limit {
			t.Errorf("%q: %d bytes were allocated, more than %d", start, used, limit)
		}
	}
}

func TestS58_EndlessEventTakesAtMostTwiceTheCap(t *testing.T) {
	chunk := bytes.Repeat([]byte("data: "+strings.Repeat("x", 1000)+"\n"), 64)
	d := New(Limits{})
	used := memory(func() {
		for range 64 << 20 / len(chunk) {
			d.Feed(chunk)
			d.Next()
		}
	})
	var e *Error
	if !errors.As(d.Err(), &e) || e.Code != CodeEventTooLong {
		t.Fatal(d.Err())
	}
	if limit := uint64(2*DefaultLimit + 64<<10); used > limit {
		t.Errorf("%d bytes were allocated, more than %d", used, limit)
	}
}

func TestS58_ManyTinyEventsTakeNoMemory(t *testing.T) {
	events := 10_000_000
	if testing.Short() || raceEnabled {
		events = 500_000
	}
	chunk := []byte(strings.Repeat("id: 7\nevent: e\ndata: x\n\n", 1000))
	d := New(Limits{})
	count := 0
	used := memory(func() {
		for range events / 1000 {
			d.Feed(chunk)
			for _, ok := d.Next(); ok; _, ok = d.Next() {
				count++
			}
		}
	})
	if count != events || used > 4096 {
		t.Errorf("%d events, %d bytes", count, used)
	}
}

func TestFramesOfOneChunkAreNotCopied(t *testing.T) {
	chunk := []byte("event: e\nid: 1\ndata: abc\n\n")
	var d Decoder
	d.Feed(chunk)
	f, ok := d.Next()
	if !ok || &f.Data[0] != &chunk[21] || &f.Event[0] != &chunk[7] || &f.ID[0] != &chunk[13] {
		t.Fatal("a value was copied")
	}
	_ = append(f.Data, '!')
	if string(chunk) != "event: e\nid: 1\ndata: abc\n\n" {
		t.Fatalf("the chunk was changed: %q", chunk)
	}
}

func TestDecodingAllocatesNothingPerEvent(t *testing.T) {
	stream := []byte("data: {\"type\":\"text.delta\",\"delta\":\"abc\"}\n\nid: 5\nevent: x\ndata: 1\ndata: 2\n\n: c\r\n\r\n")
	for _, size := range []int{1, 3, 17, len(stream)} {
		d := New(Limits{})
		run := func() {
			for i := 0; i < len(stream); i += size {
				d.Feed(stream[i:min(i+size, len(stream))])
				for _, ok := d.Next(); ok; _, ok = d.Next() {
				}
			}
		}
		run()
		if n := testing.AllocsPerRun(100, run); n != 0 {
			t.Errorf("chunks of %d: %v allocations", size, n)
		}
	}
}

func TestBuffersOfHugeEventsAreGivenBack(t *testing.T) {
	var d Decoder
	frames(&d, "data: "+strings.Repeat("x", 4<<20))
	frames(&d, "\ndata: y")
	frames(&d, "\n\n")
	frames(&d, "data: z\n\n")
	for name, buf := range map[string][]byte{"data": d.block.data.buf, "carry": d.carry, "id": d.block.id.buf} {
		if cap(buf) > keepCapacity {
			t.Errorf("%s keeps %d bytes", name, cap(buf))
		}
	}
}

func TestFrameIsValidUntilTheNextCall(t *testing.T) {
	var d Decoder
	d.Feed([]byte("data: a\ndata: b\nid: 1\n"))
	d.Next()
	d.Feed([]byte("\ndata: c\ndata: d\nid: 2\n\n"))
	first, _ := d.Next()
	if show(first) != ` id="1" data="a\nb"` {
		t.Fatalf("first %s", show(first))
	}
	second, _ := d.Next()
	if show(second) != ` id="2" data="c\nd"` {
		t.Fatalf("second %s", show(second))
	}
}

func TestFeedKeepsWhatWasNotRead(t *testing.T) {
	var d Decoder
	d.Feed([]byte("data: 1\n\ndata: 2\n\ndata: 3"))
	if f, ok := d.Next(); !ok || string(f.Data) != "1" {
		t.Fatal("first frame")
	}
	if got := frames(&d, "4\n\n"); strings.Join(got, " ") != `data="2" data="34"` {
		t.Fatalf("got %q", got)
	}
}

func TestLastEventIDAndRetry(t *testing.T) {
	var d Decoder
	check := func(chunk, id string, retry int) {
		t.Helper()
		frames(&d, chunk)
		if d.LastEventID() != id || d.Retry() != retry {
			t.Errorf("after %q: id %q, retry %d; want %q, %d", chunk, d.LastEventID(), d.Retry(), id, retry)
		}
	}
	check("", "", -1)
	check("id: 1\ndata: x\n\n", "1", -1)
	check("data: y\n\n", "1", -1)
	check("id: 2\n", "1", -1) // the block may still be cut
	check("\n", "2", -1)      // an id needs no data
	check("retry: 500\n", "2", 500)
	check("retry: no\n\n", "2", 500)
	check("id\n\n", "", 500)
	check("id: 3\ndata: cut", "", 500)
	if f, ok := d.End(); !ok || string(f.ID) != "3" || d.LastEventID() != "" {
		t.Errorf("the id of a cut event was taken over: %q", d.LastEventID())
	}
	d.Reset()
	check("", "", -1)

	// They outlive an error: a reconnect needs them.
	d = *New(Limits{Line: 20})
	check("id: 9\nretry: 7\n\n", "9", 7)
	check(strings.Repeat("x", 21), "9", 7)
	if d.Err() == nil {
		t.Error("no error")
	}
}

func TestEndTwiceAndNextAfterEnd(t *testing.T) {
	var d Decoder
	frames(&d, "data: 1")
	if f, ok := d.End(); !ok || string(f.Data) != "1" {
		t.Fatal("the open event")
	}
	if _, ok := d.End(); ok {
		t.Error("a second End gave a frame")
	}
	if _, ok := d.Next(); ok {
		t.Error("Next after End gave a frame")
	}
	if _, ok := New(Limits{}).End(); ok {
		t.Error("End of nothing gave a frame")
	}
	d.Reset()
	d.Feed([]byte("data: 1\n\ndata: 2\n\n"))
	d.Next()
	if f, ok := d.End(); ok {
		t.Errorf("End before Next returned false gave %s", show(f))
	}
}
