package server

import (
	"net/http"
	"sync"
	"time"
)

// stream is one event-stream response. It is safe for concurrent use: the
// turn writes events, the keep-alive writes comments.
type stream struct {
	w         http.ResponseWriter
	control   *http.ResponseController
	onFailure func() // the client cannot be written to any more

	mu     sync.Mutex
	buf    []byte
	last   time.Time
	failed bool
}

// writeTimeout is how long one write may take before the client is given up.
const writeTimeout = 30 * time.Second

// openStream sends the head of the response.
func openStream(w http.ResponseWriter, onFailure func()) *stream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	h.Set("X-Sveda-Protocol-Version", "1.0")
	w.WriteHeader(http.StatusOK)
	s := &stream{w: w, control: http.NewResponseController(w), onFailure: onFailure, last: time.Now()}
	s.write(nil)
	return s
}

// frame sends one event: "data: {json}" and a blank line.
func (s *stream) frame(appendTo func([]byte) []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf = append(s.buf[:0], "data: "...)
	s.buf = append(appendTo(s.buf), '\n', '\n')
	s.write(s.buf)
}

// keepAlive sends a comment whenever nothing was sent for the interval, until
// the returned function is called. Long tool runs are not silent then.
func (s *stream) keepAlive(interval time.Duration) (stop func()) {
	if interval <= 0 {
		return func() {}
	}
	done := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				s.comment(interval)
			}
		}
	})
	return func() {
		close(done)
		wait.Wait()
	}
}

func (s *stream) comment(interval time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.last) >= interval*9/10 {
		s.write([]byte(": keep-alive\n\n"))
	}
}

func (s *stream) write(p []byte) {
	if s.failed {
		return
	}
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // not every writer has one
	_, err := s.w.Write(p)
	if err == nil {
		err = s.control.Flush()
	}
	s.last = time.Now()
	if err != nil {
		s.failed = true
		s.onFailure()
	}
}

// end sends the last frame and takes the deadline off the connection, which
// may serve other requests.
func (s *stream) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write([]byte("data: [DONE]\n\n"))
	_ = s.control.SetWriteDeadline(time.Time{})
}
