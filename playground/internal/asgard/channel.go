package asgard

import (
	"errors"
	"net/http"

	"github.com/svedawasm/svedawasm/playground/internal/store"
)

// metadata is GET /channel/metadata (R7): whether there is such a channel, and
// what is not part of its history.
func (s *Server) metadata(w http.ResponseWriter, r *http.Request, ch channel) {
	chat, err := s.Store.Read(r.Context(), ch.key)
	if errors.Is(err, store.ErrNotFound) {
		refuse(w, http.StatusNotFound, "There is no such channel.")
		return
	}
	if err != nil {
		s.Log.Error("reading a channel", "err", err)
		refuse(w, http.StatusInternalServerError, errInternal.text)
		return
	}
	state, status := "IDLE", "COMPLETED"
	if s.runs.speaking(ch.key) {
		state = "RUNNING"
	}
	if len(waitingOf(chat)) > 0 {
		status = "NEEDS_INPUT"
	}
	answer(w, http.StatusOK, map[string]any{
		"title": chat.Title, "runState": state, "lastActivityAt": chat.UpdatedAt.UTC(),
		"launchedSandboxes": []any{}, "conversationStatus": status,
	})
}

// suspend is POST /message/suspend: it asks a run to stop, and gives up what
// the channel waits for (S9). Accepted is not stopped: the terminal comes on
// the run's own stream. request_id means one run only.
func (s *Server) suspend(w http.ResponseWriter, r *http.Request, ch channel) {
	wanted := r.URL.Query().Get("request_id")
	stopped := false
	for _, run := range s.runs.of(ch.key) {
		if wanted == "" || wanted == run.id {
			run.set(&run.suspended)
			stopped = true
		}
	}
	if stopped {
		s.Engine.Stop(ch.key)
	} else if wanted == "" && s.paused(r.Context(), ch.key) {
		if err := s.rollBack(r.Context(), ch.key); err != nil {
			s.Log.Error("rolling a turn back", "err", err)
			refuse(w, http.StatusInternalServerError, errInternal.text)
			return
		}
		stopped = true
	}
	if !stopped {
		refuse(w, http.StatusNotFound, "There is nothing to stop.")
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

// remove is DELETE /channel. It is no error that there is no such channel.
func (s *Server) remove(w http.ResponseWriter, r *http.Request, ch channel) {
	if err := s.drop(r.Context(), ch.key); err != nil {
		s.Log.Error("removing a channel", "err", err)
		refuse(w, http.StatusInternalServerError, errInternal.text)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
