package websocket

// Window is the server's memory of a link: the numbered frames that the client
// has not acknowledged, sent or not. It is not safe for concurrent use.
type Window struct {
	// Limit is how much the window may hold, in bytes; above it Full is true
	// and the turn has to wait. Credit is how much of it may be on its way.
	Limit, Credit int

	frames []Frame // unacknowledged, in order
	first  uint64  // number of frames[0]; the next number when there is none
	sent   int     // how many of frames were given out by Next
	size   int     // bytes of frames
	flight int     // bytes of frames[:sent]
}

// NewWindow makes an empty window; the first frame gets the number 1.
func NewWindow(limit, credit int) *Window {
	return &Window{Limit: limit, Credit: credit, first: 1}
}

// frameCost is what a frame counts beside its data.
const frameCost = 64

func cost(f *Frame) int { return frameCost + len(f.Data) + len(f.Text) }

// Push numbers a frame and keeps it.
func (w *Window) Push(f Frame) {
	f.Seq = w.first + uint64(len(w.frames))
	w.frames = append(w.frames, f)
	w.size += cost(&f)
}

// Full says that nothing more should be pushed before the client acknowledges.
func (w *Window) Full() bool { return w.size >= w.Limit }

// Empty says that the client has everything.
func (w *Window) Empty() bool { return len(w.frames) == 0 }

// Next gives the next frame to send, as far as the credit goes. One frame may
// always be on its way, whatever its size.
func (w *Window) Next() (f *Frame, ok bool) {
	if w.sent == len(w.frames) || w.flight > 0 && w.flight+cost(&w.frames[w.sent]) > w.Credit {
		return nil, false
	}
	f = &w.frames[w.sent]
	w.sent++
	w.flight += cost(f)
	return f, true
}

// Ack forgets the frames up to seq. It reports false for a number that was
// never sent: the client is then not to be trusted.
func (w *Window) Ack(seq uint64) bool {
	if seq < w.first {
		return true // an old one
	}
	n := int(seq - w.first + 1)
	if seq-w.first >= uint64(w.sent) {
		return false
	}
	w.forget(n)
	return true
}

// Resume goes on after seq on another socket: what follows is sent again. It
// reports false when frames after seq are gone.
func (w *Window) Resume(seq uint64) bool {
	if seq+1 < w.first || seq+1 > w.first+uint64(w.sent) {
		return false
	}
	w.forget(int(seq + 1 - w.first))
	w.sent, w.flight = 0, 0
	return true
}

func (w *Window) forget(n int) {
	for i := range n {
		c := cost(&w.frames[i])
		w.size -= c
		w.flight -= c
	}
	rest := copy(w.frames, w.frames[n:])
	clear(w.frames[rest:])
	w.frames = w.frames[:rest]
	w.first += uint64(n)
	w.sent -= n
}
