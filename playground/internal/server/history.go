package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/svedawasm/svedawasm/playground/internal/runtime"
	"github.com/svedawasm/svedawasm/playground/internal/store"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// The history endpoints (contract section 5). A 401 and a 404 have no body.

// maxPreview is the length of a preview, in characters.
const maxPreview = 160

type summary struct {
	ID         string `json:"id"`
	ChatID     string `json:"chatId"`
	Title      string `json:"title"`
	Preview    string `json:"preview"`
	TokensUsed int    `json:"tokensUsed"`
	Version    int    `json:"version"`
	CreatedAt  string `json:"createdAt"`
	UpdatedAt  string `json:"updatedAt"`
}

func (s *Server) listHistories(w http.ResponseWriter, r *http.Request) {
	claims, ok := s.visitor(w, r)
	if !ok {
		return
	}
	list, err := s.Store.List(r.Context(), claims.VisitorID)
	if err != nil {
		s.failed(w, "listing chats", err)
		return
	}
	out := make([]summary, len(list))
	for i, c := range list {
		preview := []rune(c.Preview)
		out[i] = summary{
			ID: c.Chat, ChatID: c.Chat, Title: c.Title, Preview: string(preview[:min(len(preview), maxPreview)]),
			TokensUsed: c.TokensUsed, Version: c.Version, CreatedAt: timeString(c.CreatedAt), UpdatedAt: timeString(c.UpdatedAt),
		}
	}
	answer(w, http.StatusOK, map[string]any{"histories": out})
}

func (s *Server) getHistory(w http.ResponseWriter, r *http.Request) {
	claims, ok := s.visitor(w, r)
	if !ok {
		return
	}
	chat, err := s.Store.Read(r.Context(), s.key(claims.VisitorID, r))
	if errors.Is(err, store.ErrNotFound) {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if err != nil {
		s.failed(w, "reading a chat", err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(appendHistory(nil, chat))
}

func (s *Server) renameHistory(w http.ResponseWriter, r *http.Request) {
	body, ok := s.readBody(w, r)
	if !ok {
		return
	}
	claims, ok := s.visitor(w, r)
	if !ok {
		return
	}
	var v [1]rawjson.Value
	if err := titleName.Scan(body, v[:]); err != nil {
		plain(w, http.StatusBadRequest, syntax(err).Error())
		return
	}
	title, err := optionalString("title", v[0])
	if err != nil || v[0].Duplicate {
		plain(w, http.StatusUnprocessableEntity, shape("expected title to be a string").Error())
		return
	}
	if title = strings.TrimSpace(title); title == "" {
		refuse(w, http.StatusUnprocessableEntity, "title is required")
		return
	}
	err = s.Store.Update(r.Context(), s.key(claims.VisitorID, r), func(tx store.Tx) error {
		return tx.Touch(title, 0, s.Now())
	})
	s.changed(w, "renaming a chat", err)
}

var titleName = rawjson.NewNames("title")

func (s *Server) deleteHistory(w http.ResponseWriter, r *http.Request) {
	claims, ok := s.visitor(w, r)
	if !ok {
		return
	}
	key := s.key(claims.VisitorID, r)
	s.Engine.Stop(key)
	s.changed(w, "deleting a chat", s.Store.Delete(r.Context(), key))
}

func (s *Server) changed(w http.ResponseWriter, what string, err error) {
	switch {
	case errors.Is(err, store.ErrNotFound):
		w.WriteHeader(http.StatusNotFound)
	case err != nil:
		s.failed(w, what, err)
	default:
		answer(w, http.StatusOK, map[string]bool{"success": true})
	}
}

func (s *Server) failed(w http.ResponseWriter, what string, err error) {
	s.Log.Error(what, "err", err)
	refuse(w, http.StatusInternalServerError, "The request could not be handled.")
}

func (s *Server) key(visitor string, r *http.Request) store.Key {
	return store.Key{Visitor: visitor, Chat: r.PathValue("chat")}
}

// appendHistory writes {"history":{…}}. Inputs and outputs of tools stand in
// it as the bytes that are stored.
func appendHistory(dst []byte, c *store.Chat) []byte {
	dst = append(dst, `{"history":{"id":`...)
	dst = rawjson.AppendQuoted(dst, c.Chat)
	dst = str(dst, "chatId", c.Chat)
	dst = str(dst, "title", c.Title)
	dst = append(name(dst, "messages"), '[')
	for i, m := range runtime.Display(c) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendDisplay(dst, m)
	}
	dst = append(dst, ']')
	dst = append(name(dst, "conversationHistory"), '[')
	dst = append(appendConversation(dst, c), ']')
	dst = num(dst, "tokensUsed", c.TokensUsed)
	dst = num(dst, "version", c.Version)
	dst = str(dst, "createdAt", timeString(c.CreatedAt))
	dst = str(dst, "updatedAt", timeString(c.UpdatedAt))
	return append(dst, "}}"...)
}

func appendDisplay(dst []byte, m runtime.DisplayMessage) []byte {
	dst = append(dst, `{"id":`...)
	dst = rawjson.AppendQuoted(dst, m.ID)
	dst = str(dst, "role", string(m.Role))
	dst = str(dst, "content", m.Text())
	dst = append(name(dst, "parts"), '[')
	for i, p := range m.Parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendPart(dst, p)
	}
	return append(dst, "]}"...)
}

func appendPart(dst []byte, p runtime.Part) []byte {
	switch {
	case p.File != nil:
		return append(dst, p.File...)
	case p.Call != nil:
		dst = append(dst, `{"type":"tool-call"`...)
		dst = str(dst, "toolCallId", p.Call.ID)
		dst = str(dst, "toolName", p.Call.Name)
		dst = str(dst, "target", string(p.Call.Target))
		dst = raw(dst, "input", p.Call.Input)
		if p.Call.Confirming {
			dst = str(dst, "confirmation", "required")
		}
	case p.Result != nil:
		dst = append(dst, `{"type":"tool-result"`...)
		dst = str(dst, "toolCallId", p.Result.ID)
		dst = str(dst, "toolName", p.Result.Name)
		dst = raw(dst, "output", p.Result.Output)
		if hint, data := resourceLinks(p.Result.Output); hint != "" {
			dst = raw(str(dst, "renderHint", hint), "renderData", data)
		}
	case p.Reasoning != "":
		dst = str(append(dst, `{"type":"reasoning"`...), "text", p.Reasoning)
	default:
		dst = str(append(dst, `{"type":"text"`...), "text", p.Text)
	}
	return append(dst, '}')
}

// appendConversation writes what the model has been told, as
// {role, content, reasoning?, tool_calls?, tool_call_id?}.
func appendConversation(dst []byte, c *store.Chat) []byte {
	first := true
	open := func(role, content string) {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, `{"role":"`...)
		dst = append(append(dst, role...), '"')
		dst = str(dst, "content", content)
	}
	for _, m := range c.Messages {
		open(string(m.Role), m.Text)
		if m.Reasoning != "" {
			dst = str(dst, "reasoning", m.Reasoning)
		}
		calls := runtime.CallsOf(c, m.Seq)
		for i, call := range calls {
			if i == 0 {
				dst = append(name(dst, "tool_calls"), '[')
			} else {
				dst = append(dst, ',')
			}
			dst = append(dst, `{"id":`...)
			dst = rawjson.AppendQuoted(dst, call.ID)
			dst = append(dst, `,"function":{"name":`...)
			dst = rawjson.AppendQuoted(dst, call.Name)
			dst = append(str(dst, "arguments", string(call.Input)), "}}"...)
		}
		if len(calls) > 0 {
			dst = append(dst, ']')
		}
		dst = append(dst, '}')
		for _, call := range calls {
			if call.State == store.StateDone {
				open("tool", string(json.RawMessage(call.Output)))
				dst = append(str(dst, "tool_call_id", call.ID), '}')
			}
		}
	}
	return dst
}
