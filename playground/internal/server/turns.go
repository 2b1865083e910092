package server

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/svedawasm/svedawasm/playground/internal/runtime"
)

// admit does everything that comes before the first byte of an answer, in the
// order of the contract (1.8). done must be called when the turn has ended.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) (t *runtime.Turn, done func(), ok bool) {
	body, ok := s.readBody(w, r)
	if !ok {
		return nil, nil, false
	}
	req, err := decodeRequest(body)
	if err != nil {
		status := http.StatusUnprocessableEntity
		if e, ok := errors.AsType[*decodeError](err); ok {
			status = e.status
		}
		plain(w, status, err.Error())
		return nil, nil, false
	}
	claims, ok := s.visitor(w, r)
	if !ok || !s.throttle(w, r, claims.VisitorID) {
		return nil, nil, false
	}
	done, ok = s.streams.Enter(claims.VisitorID)
	if !ok {
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusTooManyRequests, "Too many active streams.")
		return nil, nil, false
	}
	if req.Policy, ok = s.policyOf(w, claims); !ok {
		done()
		return nil, nil, false
	}
	req.Key.Visitor = claims.VisitorID
	t, err = s.Engine.Begin(r.Context(), req)
	if err != nil {
		done()
		s.refuseTurn(w, r, err)
		return nil, nil, false
	}
	return t, done, true
}

// refuseTurn answers for a turn that was not admitted.
func (s *Server) refuseTurn(w http.ResponseWriter, r *http.Request, err error) {
	refusal, ok := errors.AsType[*runtime.Refusal](err)
	if !ok {
		if r.Context().Err() == nil {
			s.Log.Error("beginning a turn", "err", err)
		}
		refuse(w, http.StatusInternalServerError, "The request could not be handled.")
		return
	}
	status := http.StatusConflict
	switch refusal.Code {
	case runtime.CodeUnknownModel:
		status = http.StatusUnprocessableEntity
	case runtime.CodeBusy:
		status = http.StatusTooManyRequests
		w.Header().Set("Retry-After", "1")
	case runtime.CodeStopping:
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", "1")
	}
	refuse(w, status, refusal.Message)
}

// stream is POST /sveda/stream.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	t, done, ok := s.admit(w, r)
	if !ok {
		return
	}
	defer done()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	out := openStream(w, cancel)
	stop := out.keepAlive(s.KeepAlive)
	defer stop()
	enc := newEncoder(t)
	t.Run(ctx, func(ev runtime.Event) {
		out.frame(func(dst []byte) []byte { return enc.append(dst, ev) })
	})
	out.end()
}

// message is POST /sveda/message: the same turn with one JSON answer.
func (s *Server) message(w http.ResponseWriter, r *http.Request) {
	t, done, ok := s.admit(w, r)
	if !ok {
		return
	}
	defer done()
	var text strings.Builder
	var failure *runtime.Failure
	tokens := 0
	t.Run(r.Context(), func(ev runtime.Event) {
		switch ev := ev.(type) {
		case runtime.TextDelta:
			text.WriteString(ev.Text)
		case runtime.MessageEnd:
			if ev.Usage != nil {
				tokens = ev.Usage.Prompt + ev.Usage.Completion
			}
		case runtime.Failure:
			failure = &ev
		}
	})
	if failure != nil && text.Len() == 0 {
		refuse(w, http.StatusInternalServerError, failure.Message)
		return
	}
	answer(w, http.StatusOK, struct {
		Explanation string `json:"explanation"`
		TokensUsed  int    `json:"tokens_used"`
		ChatID      string `json:"chat_id"`
	}{text.String(), tokens, t.ChatID()})
}
