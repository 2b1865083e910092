package asgard

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/svedawasm/svedawasm/playground/internal/policy"
	"github.com/svedawasm/svedawasm/playground/internal/runtime"
	"github.com/svedawasm/svedawasm/playground/internal/store"
)

// refusal is a turn that was not taken. It is told inside the stream (S2); one
// with a status is told as HTTP.
type refusal struct {
	status     int
	code, text string
}

func (r *refusal) Error() string { return r.text }

const codePrecondition = "FAILED_PRECONDITION"

var (
	errPaused   = &refusal{0, codePrecondition, "The channel is paused for a tool call consent: use RespondToolCallConsent to answer it."}
	errBusy     = &refusal{0, codePrecondition, "Another run holds the channel."}
	errNoPause  = &refusal{0, codePrecondition, "No tool call of this channel waits for a consent."}
	errStopping = &refusal{http.StatusServiceUnavailable, "UNAVAILABLE", "The server is stopping."}
	errIdentity = &refusal{http.StatusForbidden, "PERMISSION_DENIED", "The consent was asked of another identity."}
	errInternal = &refusal{http.StatusInternalServerError, "INTERNAL", "The request could not be handled."}
)

// begin takes a turn and lets it run by itself.
func (s *Server) begin(r *http.Request, ch channel, req request) (*run, *refusal) {
	if req.action == actionReset {
		if err := s.drop(r.Context(), ch.key); err != nil {
			s.Log.Error("resetting a channel", "err", err)
			return nil, errInternal
		}
	}
	turn := runtime.Request{Key: ch.key, Identity: ch.identity, Context: req.payload, Thinking: true, Policy: policy.Of(nil, nil)}
	switch req.action {
	case actionReply:
		if refused := s.mayReply(r.Context(), ch, req.decisions); refused != nil {
			return nil, refused
		}
		turn.Decisions = req.decisions
	case actionNudge:
		turn.Text, turn.Hidden = "Continue", true
	default:
		turn.Text, turn.MessageID = req.text, req.messageID
	}
	// What waits for a consent is told before what is busy: only then does the
	// client know what to do.
	if req.action != actionReply && !s.paused(r.Context(), ch.key) && s.runs.speaking(ch.key) {
		return nil, errBusy
	}
	t, err := s.Engine.Begin(r.Context(), turn)
	if err != nil {
		return nil, s.refusalOf(r, err)
	}
	return s.start(background(r), ch, t, turn.Decisions), nil
}

func (s *Server) refusalOf(r *http.Request, err error) *refusal {
	refused, ok := errors.AsType[*runtime.Refusal](err)
	if !ok {
		if r.Context().Err() == nil {
			s.Log.Error("beginning a turn", "err", err)
		}
		return errInternal
	}
	switch refused.Code {
	case runtime.CodeConfirmationRequired:
		return errPaused
	case runtime.CodeBusy:
		return errBusy
	case runtime.CodeStopping:
		return errStopping
	}
	return &refusal{0, codePrecondition, refused.Message}
}

// mayReply checks a reply: something must wait, it must have been asked of the
// same identity, and the reply must answer some of it.
func (s *Server) mayReply(ctx context.Context, ch channel, decisions []runtime.Decision) *refusal {
	waiting, err := s.waiting(ctx, ch.key)
	if err != nil {
		s.Log.Error("reading a channel", "err", err)
		return errInternal
	}
	for _, c := range waiting {
		if c.Identity != ch.identity {
			return errIdentity
		}
	}
	for _, d := range decisions {
		for _, c := range waiting {
			if c.ID == d.CallID {
				return nil
			}
		}
	}
	return errNoPause
}

// waiting gives the calls of a channel that wait for a consent, in the order in
// which they are asked.
func (s *Server) waiting(ctx context.Context, key store.Key) ([]store.Call, error) {
	chat, err := s.Store.Read(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return waitingOf(chat), nil
}

func waitingOf(chat *store.Chat) (calls []store.Call) {
	for _, c := range chat.Calls {
		if c.Confirming && c.State == store.StatePending {
			calls = append(calls, c)
		}
	}
	return calls
}

func (s *Server) paused(ctx context.Context, key store.Key) bool {
	calls, err := s.waiting(ctx, key)
	return err == nil && len(calls) > 0
}

// start runs an admitted turn. It goes on when its client leaves.
func (s *Server) start(ctx context.Context, ch channel, t *runtime.Turn, decisions []runtime.Decision) *run {
	r := newRun("req_"+uuid.NewString(), ch.key)
	n := &narrator{
		writer: writer{ch: ch, runID: r.id}, run: r, process: "proc_" + uuid.NewString(),
		turn: t.MessageID(), calls: map[string]*store.Call{},
		pending: func() []store.Call {
			calls, err := s.waiting(ctx, ch.key)
			if err != nil {
				s.Log.Error("reading a channel", "err", err)
			}
			return calls
		},
	}
	if chat, err := s.Store.Read(ctx, ch.key); err == nil {
		n.know(chat)
	}
	s.runs.begin(r)
	r.add(n.runInit(0))
	n.starting(decisions)
	go func() {
		defer s.runs.end(r)
		t.Run(ctx, n.tell)
		r.set(&r.spoken)
		if r.is(&r.suspended) {
			if err := s.rollBack(ctx, ch.key); err != nil {
				s.Log.Error("rolling a turn back", "err", err)
			}
		}
		n.terminal()
		r.set(&r.over)
	}()
	return r
}

// know takes from the stored chat what the turn's frames refer to.
func (n *narrator) know(chat *store.Chat) {
	for _, m := range chat.Messages {
		n.seq = m.Seq
		if m.Role == store.RoleUser && !m.Hidden {
			n.replyTo = m.ID
		}
	}
	for i := range chat.Calls {
		c := chat.Calls[i]
		n.calls[c.ID] = &c
	}
}

// outputStopped is what is recorded of a call whose turn was stopped before a
// person had decided.
var outputStopped = []byte(`{"success":false,"error":"The turn was stopped before this action was confirmed; it was not executed."}`)

// rollBack ends what waits, so that the channel is not paused any more (S9).
func (s *Server) rollBack(ctx context.Context, key store.Key) error {
	err := s.Store.Update(ctx, key, func(tx store.Tx) error {
		chat, err := tx.Chat()
		if err != nil {
			return err
		}
		for _, c := range waitingOf(chat) {
			c.State, c.Output, c.FinishedAt = store.StateDone, outputStopped, s.Now()
			if err := tx.PutCall(c); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// dropTime is how long a channel's run may take to end before the channel is
// dropped all the same; a tool that runs is not cut.
const dropTime = time.Minute

// drop removes a channel with all that belongs to it, the allow-list included.
func (s *Server) drop(ctx context.Context, key store.Key) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropTime)
	defer cancel()
	runs := s.runs.of(key)
	for _, r := range runs {
		r.set(&r.suspended)
	}
	s.Engine.Stop(key)
	for _, r := range runs {
		r.wait(ctx)
	}
	if err := s.Store.Delete(context.WithoutCancel(ctx), key); err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return nil
}
