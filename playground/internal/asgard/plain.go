package asgard

import (
	"encoding/json"
	"net/http"

	"github.com/svedawasm/svedawasm/playground/internal/store"
)

// envelope is what the requests without a stream answer with (E6, E7).
type envelope struct {
	IsSuccess bool    `json:"isSuccess"`
	Data      any     `json:"data"`
	Error     *string `json:"error"`
	ErrorCode *string `json:"errorCode"`
}

type replyMessage struct {
	MessageID              string `json:"messageId"`
	ReplyToCustomMessageID string `json:"replyToCustomMessageId"`
	Text                   string `json:"text"`
	Payload                any    `json:"payload"`
	IsDebug                bool   `json:"isDebug"`
	Idx                    int    `json:"idx"`
	Template               any    `json:"template"`
}

type consentRequest struct {
	PendingCalls json.RawMessage `json:"pendingCalls"` // no process id (2.5)
}

type genericReply struct {
	RequestID       string          `json:"requestId"`
	Namespace       string          `json:"namespace"`
	BotProviderName string          `json:"botProviderName"`
	CustomChannelID string          `json:"customChannelId"`
	Messages        []replyMessage  `json:"messages"`
	ErrorDetail     any             `json:"errorDetail"`
	Consent         *consentRequest `json:"toolCallConsentRequest,omitempty"`
}

// taken begins the turn of a request without a stream, or answers for one that
// was not taken.
func (s *Server) taken(w http.ResponseWriter, r *http.Request, ch *channel) *run {
	req, ok := s.readBody(w, r)
	if !ok {
		return nil
	}
	ch.key.Chat = req.channelID
	run, refused := s.begin(r, *ch, req)
	if refused != nil {
		status := refused.status
		if status == 0 {
			status = http.StatusOK // in the envelope, as the stream has it in band
		}
		answer(w, status, envelope{Error: &refused.text, ErrorCode: &refused.code})
		return nil
	}
	return run
}

// plain is POST /message: the same turn with one JSON answer.
func (s *Server) plain(w http.ResponseWriter, r *http.Request, ch channel) {
	run := s.taken(w, r, &ch)
	if run == nil {
		return
	}
	run.wait(r.Context())
	chat, err := s.Store.Read(r.Context(), ch.key)
	if err != nil {
		answer(w, http.StatusInternalServerError, envelope{Error: &errInternal.text, ErrorCode: &errInternal.code})
		return
	}
	reply := genericReply{
		RequestID: run.id, Namespace: ch.namespace, BotProviderName: ch.bot, CustomChannelID: ch.key.Chat,
		Messages: lastMessages(chat),
	}
	if calls := waitingOf(chat); len(calls) > 0 {
		reply.Consent = &consentRequest{pendingCalls(nil, calls)}
	}
	answer(w, http.StatusOK, envelope{IsSuccess: true, Data: reply})
}

// lastMessages are what the agent has said since the person's last word.
func lastMessages(chat *store.Chat) []replyMessage {
	list := []replyMessage{}
	replyTo, turn, step := "", "", 0
	for _, m := range chat.Messages {
		if m.Role == store.RoleUser {
			list, replyTo = list[:0], m.ID
			continue
		}
		if m.ID != turn {
			turn, step = m.ID, 0
		}
		if m.Text != "" {
			list = append(list, replyMessage{MessageID: stepID(turn, step), ReplyToCustomMessageID: replyTo, Text: m.Text, Idx: len(list)})
		}
		step++
	}
	return list
}

// dispatch is POST /message/dispatch: the turn runs, nobody listens.
func (s *Server) dispatch(w http.ResponseWriter, r *http.Request, ch channel) {
	if run := s.taken(w, r, &ch); run != nil {
		answer(w, http.StatusOK, envelope{IsSuccess: true, Data: map[string]string{"requestId": run.id, "customChannelId": ch.key.Chat}})
	}
}
