package asgard

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/svedawasm/svedawasm/playground/internal/store"
)

// message is POST /message/sse. With a position it resumes and dispatches
// nothing; an empty position counts as none (contract 2.2).
func (s *Server) message(w http.ResponseWriter, r *http.Request, ch channel) {
	req, ok := s.readBody(w, r)
	if !ok {
		return
	}
	ch.key.Chat = req.channelID
	if cursor := r.Header.Get(cursorHeader); cursor != "" {
		s.replay(w, r, ch, cursor)
		return
	}
	run, refused := s.begin(r, ch, req)
	if refused != nil && refused.status != 0 {
		refuse(w, refused.status, refused.text)
		return
	}
	if refused != nil {
		out := &writer{ch: ch, runID: "req_" + uuid.NewString()}
		st := s.open(w, out.runID)
		defer st.close()
		st.send(out.runInit(0))
		st.send(out.runError(refused.code, refused.text))
		return
	}
	st := s.open(w, run.id)
	defer st.close()
	run.follow(r.Context(), st.send)
}

// rejoin is GET /message/sse: the collapsed history, then the live run, the
// prompt of a pause, or nothing more.
func (s *Server) rejoin(w http.ResponseWriter, r *http.Request, ch channel) {
	s.replay(w, r, ch, r.Header.Get(cursorHeader))
}

func (s *Server) replay(w http.ResponseWriter, r *http.Request, ch channel, cursor string) {
	live := s.runs.newest(ch.key)
	chat, err := s.Store.Read(r.Context(), ch.key)
	if errors.Is(err, store.ErrNotFound) && live == nil {
		refuse(w, http.StatusNotFound, "There is no such channel.")
		return
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		s.Log.Error("reading a channel", "err", err)
		refuse(w, http.StatusInternalServerError, errInternal.text)
		return
	}
	out := &writer{ch: ch, runID: "req_" + uuid.NewString()}
	if live != nil {
		out.runID = live.id
	}
	st := s.open(w, out.runID)
	defer st.close()
	told := map[string]bool{}
	if chat != nil {
		from := stepOf(cursor)
		for _, f := range history(out, chat) {
			told[f.item] = true
			if f.seq >= from && !st.send(f) {
				return
			}
		}
	}
	if live != nil {
		live.follow(r.Context(), func(f frame) bool { return told[f.item] || st.send(f) })
		return
	}
	if chat == nil {
		return
	}
	if calls := waitingOf(chat); len(calls) > 0 {
		st.send(out.runInit(ephemeral))
		st.send(out.consent("", calls))
	}
	st.send(out.runDone())
}

// stepOf gives the place from which a client that has seen the cursor is told
// again: the whole step, since a call of it may have ended later than what
// stands behind it. What it has seen already changes nothing for it.
func stepOf(cursor string) int {
	n, err := strconv.Atoi(cursor)
	if err != nil {
		return 0
	}
	return n - n%placesPerStep
}

// history gives the frames of a stored chat: user messages and ends, each of
// which says all that there is to say (R2).
func history(out *writer, chat *store.Chat) (frames []frame) {
	replyTo, turn, step := "", "", 0
	for i := range chat.Messages {
		m := &chat.Messages[i]
		if m.Role == store.RoleUser {
			if !m.Hidden {
				replyTo = m.ID
				frames = append(frames, out.user(place(m.Seq, placeMessage), m))
			}
			continue
		}
		if m.ID != turn {
			turn, step = m.ID, 0
		}
		id := stepID(turn, step)
		step++
		if m.Reasoning != "" {
			frames = append(frames, out.message(place(m.Seq, placeThinking), "thinking", "complete", id, replyTo, m.Reasoning))
		}
		if m.Text != "" {
			frames = append(frames, out.message(place(m.Seq, placeMessage), "", "complete", id, replyTo, m.Text))
		}
		for j := range chat.Calls {
			c := &chat.Calls[j]
			if c.MessageSeq == m.Seq && c.State == store.StateDone {
				frames = append(frames, out.callComplete(placeOf(c), "", c))
			}
		}
	}
	return frames
}

// stream is one event-stream response. It is safe for concurrent use: the run
// writes frames, the keep-alive writes comments.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	stop    context.CancelFunc
	beats   sync.WaitGroup

	mu     sync.Mutex
	last   time.Time
	failed bool
}

// writeTimeout is how long one write may take before the client is given up.
const writeTimeout = 30 * time.Second

func (s *Server) open(w http.ResponseWriter, trace string) *stream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	h.Set(traceHeader, trace)
	w.WriteHeader(http.StatusOK)
	ctx, cancel := context.WithCancel(context.Background())
	st := &stream{w: w, control: http.NewResponseController(w), stop: cancel, last: time.Now()}
	st.write(nil)
	if s.KeepAlive > 0 {
		st.beats.Go(func() { st.beat(ctx, s.KeepAlive) })
	}
	return st
}

// beat sends a comment whenever nothing was sent for the interval.
func (st *stream) beat(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			st.mu.Lock()
			if time.Since(st.last) >= every*9/10 {
				st.write([]byte(": keep-alive\n\n"))
			}
			st.mu.Unlock()
		}
	}
}

// send sends a frame and reports whether the client is still there.
func (st *stream) send(f frame) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.write(f.bytes)
	return !st.failed
}

func (st *stream) write(p []byte) {
	if st.failed {
		return
	}
	_ = st.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // not every writer has one
	_, err := st.w.Write(p)
	if err == nil {
		err = st.control.Flush()
	}
	st.last, st.failed = time.Now(), err != nil
}

// close takes the deadline off the connection, which may serve other requests.
func (st *stream) close() {
	st.stop()
	st.beats.Wait()
	_ = st.control.SetWriteDeadline(time.Time{})
}
