package websocket

import (
	"math/rand/v2"
	"testing"
)

func TestWindowGivesOutInOrderWithinItsCredit(t *testing.T) {
	w := NewWindow(1000, 2*frameCost)
	for range 5 {
		w.Push(Frame{Type: TypePing})
	}
	for want := uint64(1); want <= 2; want++ {
		f, ok := w.Next()
		if !ok || f.Seq != want {
			t.Fatalf("got %+v, %v, want number %d", f, ok, want)
		}
	}
	if _, ok := w.Next(); ok {
		t.Error("sent more than the credit")
	}
	if !w.Ack(1) {
		t.Error("refused a good acknowledgement")
	}
	if f, ok := w.Next(); !ok || f.Seq != 3 {
		t.Errorf("after an acknowledgement: got %+v, %v", f, ok)
	}
	if w.Ack(4) {
		t.Error("took the acknowledgement of what was not sent")
	}
}

func TestWindowSendsOneFrameOfAnySize(t *testing.T) {
	w := NewWindow(10, 10)
	w.Push(Frame{Data: make([]byte, 5000)})
	w.Push(Frame{})
	if _, ok := w.Next(); !ok {
		t.Error("a frame above the credit is never sent")
	}
	if _, ok := w.Next(); ok {
		t.Error("sent more than the credit")
	}
	if !w.Full() {
		t.Error("not full")
	}
	w.Ack(1)
	if _, ok := w.Next(); !ok {
		t.Error("nothing is sent after the acknowledgement")
	}
}

func TestWindowResumes(t *testing.T) {
	w := NewWindow(1<<20, 1<<20)
	for range 6 {
		w.Push(Frame{})
	}
	for range 5 {
		w.Next()
	}
	w.Ack(2)
	for seq, want := range map[uint64]bool{0: false, 1: false, 2: true, 5: true, 6: false, 1 << 62: false} {
		copied := *w
		copied.frames = append([]Frame(nil), w.frames...)
		if got := copied.Resume(seq); got != want {
			t.Errorf("resume after %d: got %v, want %v", seq, got, want)
		} else if got {
			if f, ok := copied.Next(); !ok || f.Seq != seq+1 {
				t.Errorf("resume after %d goes on with %+v", seq, f)
			}
		}
	}
}

func TestI10_WindowCountsWhatItHolds(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 3))
		w := NewWindow(1<<16, 1<<12)
		for range 500 {
			switch random.IntN(4) {
			case 0, 1:
				w.Push(Frame{Data: make([]byte, random.IntN(300))})
			case 2:
				w.Next()
			case 3:
				if w.sent > 0 {
					w.Ack(w.first + uint64(random.IntN(w.sent)))
				}
			}
			size, flight := 0, 0
			for i := range w.frames {
				size += cost(&w.frames[i])
				if i < w.sent {
					flight += cost(&w.frames[i])
				}
				if w.frames[i].Seq != w.first+uint64(i) {
					t.Fatalf("seed %d: number %d at place %d of %d", seed, w.frames[i].Seq, i, w.first)
				}
			}
			if size != w.size || flight != w.flight {
				t.Fatalf("seed %d: counted %d and %d, hold %d and %d", seed, w.size, w.flight, size, flight)
			}
		}
	}
}
