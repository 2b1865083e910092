package websocket

import (
	"context"
	"runtime"
	"sync"
)

// Line runs one socket of a client: it opens it, reads it and writes to it, and
// never makes its owner wait.
type Line struct {
	on     Events
	cancel context.CancelFunc

	mu     sync.Mutex
	socket *Socket // nil while it is being opened
	queue  []message
	closed int // code, once Close was called
	ended  bool
	wake   chan struct{}
}

type message struct {
	data []byte
	text bool
}

// Events are called from a goroutine of the line, one at a time, and must not
// wait for anything: they only append. One may still be under way when Close
// returns.
type Events struct {
	Opened  func(protocol string)
	Message func(data []byte, text bool)
	// Closed comes once, also when the socket was never open, and nothing
	// after it. After Line.Close it does not come.
	Closed func(code int)
}

// OpenLine opens a socket in the background.
func OpenLine(number int, url string, on Events) *Line {
	ctx, cancel := context.WithCancel(context.Background())
	l := &Line{on: on, cancel: cancel, wake: make(chan struct{}, 1)}
	go l.run(ctx, number, url)
	return l
}

func (l *Line) run(ctx context.Context, number int, url string) {
	defer l.cancel()
	defer l.survive()
	socket, err := OpenSocket(ctx, number, url, Protocols)
	if err != nil {
		l.end(hiddenCode(number))
		return
	}
	l.mu.Lock()
	l.socket = socket
	code := l.closed
	l.mu.Unlock()
	if code != 0 { // given up meanwhile
		socket.Close(code)
		return
	}
	go l.writeAll(ctx)
	l.on.Opened(socket.Protocol())
	for {
		data, text, code, err := socket.Read()
		if err != nil {
			l.end(code)
			return
		}
		if l.isClosed() {
			continue // until the other end has answered the close
		}
		l.on.Message(data, text)
	}
}

// writeAll writes what is queued. An error ends the socket, which the reader
// notices.
func (l *Line) writeAll(ctx context.Context) {
	defer l.survive()
	for {
		l.mu.Lock()
		queue := l.queue
		l.queue = nil
		l.mu.Unlock()
		for _, m := range queue {
			if l.socket.Write(ctx, m.data, m.text) != nil {
				return
			}
		}
		select {
		case <-l.wake:
		case <-ctx.Done():
			return
		}
	}
}

// Write queues a message.
func (l *Line) Write(data []byte, text bool) {
	l.mu.Lock()
	l.queue = append(l.queue, message{data, text})
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Close ends the line with code; no event follows.
func (l *Line) Close(code int) {
	l.mu.Lock()
	again := l.closed != 0
	l.closed = code
	socket := l.socket
	l.mu.Unlock()
	switch {
	case again:
	case socket != nil:
		go socket.Close(code)
	case runtime.GOOS != "js":
		l.cancel() // in a browser that would leave the socket open
	}
}

// survive turns a panic below into the end of the line: in a browser it would
// be the end of the whole program.
func (l *Line) survive() {
	if recover() != nil {
		l.end(0)
	}
}

func (l *Line) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed != 0
}

func (l *Line) end(code int) {
	l.mu.Lock()
	silent := l.closed != 0 || l.ended
	l.ended = true
	l.mu.Unlock()
	if !silent {
		l.on.Closed(code)
	}
}
