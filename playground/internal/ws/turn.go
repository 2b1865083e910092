package ws

import (
	"bytes"
	"context"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/svedawasm/svedawasm/session/sse"
	"github.com/svedawasm/svedawasm/session/websocket"
)

// turn begins the answer to a request, unless it was received before.
func (s *Server) turn(l *link, id uint64, body []byte, token, remote string) {
	ctx, cancel := context.WithCancel(context.Background())
	if !l.begin(id, cancel) {
		cancel()
		return
	}
	s.mu.Lock()
	stopping := s.stopping
	if !stopping {
		s.turns.Add(1)
	}
	s.mu.Unlock()
	if stopping {
		cancel()
		l.push(context.Background(), websocket.Frame{Type: websocket.TypeHead, ID: id, Status: http.StatusServiceUnavailable})
		l.finish(id)
		return
	}
	go func() {
		defer s.turns.Done()
		defer l.finish(id)
		defer cancel()
		a := &answer{link: l, ctx: ctx, id: id, header: http.Header{}}
		defer a.finish()
		defer func() { // as net/http does for a connection
			if failure := recover(); failure != nil && failure != http.ErrAbortHandler {
				s.Log.Error("a turn panicked", "failure", failure)
			}
		}()
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "/sveda/stream", bytes.NewReader(body))
		if err != nil {
			a.WriteHeader(http.StatusInternalServerError)
			return
		}
		r.RemoteAddr = remote
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "text/event-stream")
		r.Header.Set("X-Sveda-Embed-Token", token)
		s.Handler.ServeHTTP(a, r)
	}()
}

// answer is the response of one turn, as frames.
type answer struct {
	link   *link
	ctx    context.Context
	id     uint64
	header http.Header

	status  int
	stream  bool
	decoder sse.Decoder
	body    []byte // of a refusal
	done    bool   // [DONE] has come
}

// maxRefusal is how much of a refusal's body is passed on, in bytes.
const maxRefusal = 64 << 10

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status != 0 || status < 200 {
		return
	}
	a.status = status
	kind, _, _ := mime.ParseMediaType(a.header.Get("Content-Type"))
	if status <= 299 && kind == "text/event-stream" {
		a.stream = true
		a.push(websocket.Frame{Type: websocket.TypeHead, Status: status})
	}
}

// Write takes bytes of the event stream, or of a refusal. The bytes are the
// handler's own, so they are copied.
func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if !a.stream {
		a.body = append(a.body, p[:min(len(p), maxRefusal-len(a.body))]...)
		return len(p), nil
	}
	a.decoder.Feed(p)
	for f, ok := a.decoder.Next(); ok; f, ok = a.decoder.Next() {
		switch {
		case string(f.Data) == "[DONE]":
			a.done = true
		case len(f.Data) > 0 && a.ctx.Err() == nil:
			a.push(websocket.Frame{Type: websocket.TypeEvent, Data: bytes.Clone(f.Data)})
		}
	}
	if err := a.decoder.Err(); err != nil {
		return 0, err
	}
	return len(p), a.ctx.Err()
}

// Flush implements [http.Flusher]: every frame is sent at once.
func (a *answer) Flush() {}

func (a *answer) push(f websocket.Frame) {
	f.ID = a.id
	a.link.push(a.ctx, f)
}

// finish tells the end of the turn, in the band: the socket stays open.
func (a *answer) finish() {
	a.WriteHeader(http.StatusInternalServerError) // a handler that said nothing
	if !a.stream {
		a.push(websocket.Frame{
			Type: websocket.TypeHead, Status: a.status, Text: string(a.body), RetryAfter: retryAfter(a.header),
		})
		return
	}
	end := websocket.Frame{Type: websocket.TypeEnd}
	if !a.done {
		end.Code = websocket.CodeCut
	}
	a.push(end)
}

// retryAfter reads Retry-After, in seconds or as a date, and gives ms.
func retryAfter(h http.Header) int {
	value := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil && seconds > 0 {
		return seconds * 1000
	}
	if at, err := http.ParseTime(value); err == nil {
		return int(max(time.Until(at).Milliseconds(), 0))
	}
	return 0
}
