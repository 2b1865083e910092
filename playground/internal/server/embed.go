package server

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"
	"github.com/svedawasm/svedawasm/playground/internal/extract"
	"github.com/svedawasm/svedawasm/playground/internal/policy"
	"github.com/svedawasm/svedawasm/playground/internal/store"
	"github.com/svedawasm/svedawasm/playground/internal/token"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

var tokenNames = rawjson.NewNames("visitor_id", "host_mcp_url", "host_mcp_token", "policy", "grants")

// embedToken is POST /sveda/embed/token: the host asks for a token for one of
// its visitors. It proves itself with x-sveda-host-key.
func (s *Server) embedToken(w http.ResponseWriter, r *http.Request) {
	body, ok := s.readBody(w, r)
	if !ok {
		return
	}
	claims, host, err := decodeTokenRequest(body)
	if err != nil {
		status := http.StatusUnprocessableEntity
		if e, ok := err.(*decodeError); ok {
			status = e.status
		}
		plain(w, status, err.Error())
		return
	}
	if !s.fromHost(r) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if !s.throttle(w, r, "host") {
		return
	}
	if _, ok := s.policyOf(w, claims); !ok {
		return
	}
	ttl := max(s.TokenTTL, token.MinTTL)
	tok, err := s.Tokens.Sign(claims, s.Now(), ttl)
	if err != nil {
		refuse(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	if host.URL != "" {
		// The host's credentials live as long as the token does.
		host.ExpiresAt = s.Now().Add(ttl)
		if err := s.Store.PutHost(r.Context(), claims.VisitorID, host); err != nil {
			s.failed(w, "storing a host", err)
			return
		}
	}
	answer(w, http.StatusOK, struct {
		Token     string `json:"token"`
		VisitorID string `json:"visitor_id"`
		ExpiresIn int    `json:"expires_in"`
	}{tok, claims.VisitorID, int(ttl / time.Second)})
}

func decodeTokenRequest(body []byte) (token.Claims, store.Host, error) {
	var c token.Claims
	var h store.Host
	if err := rawjson.Valid(body); err != nil {
		return c, h, syntax(err)
	}
	var v [5]rawjson.Value
	if err := scan(tokenNames, "request", body, v[:]); err != nil {
		return c, h, err
	}
	var err error
	if c.VisitorID, err = optionalString("visitor_id", v[0]); err != nil {
		return c, h, err
	}
	if c.VisitorID == "" {
		c.VisitorID = "visitor_" + uuid.NewString()
	}
	if h.URL, err = optionalString("host_mcp_url", v[1]); err != nil {
		return c, h, err
	}
	if h.URL != "" && !hostURL(h.URL) {
		return c, h, shape("expected host_mcp_url to be an https URL, or http on this machine")
	}
	if h.Token, err = optionalString("host_mcp_token", v[2]); err != nil {
		return c, h, err
	}
	if v[3].Kind == rawjson.String {
		name := string(rawjson.Text(v[3].Raw, nil))
		c.Policy = &name
	} else if v[3].Kind != rawjson.Absent && v[3].Kind != rawjson.Null {
		return c, h, shape("expected policy to be a string")
	}
	if v[4].Kind == rawjson.Object {
		c.Grants = new(policy.Rules)
		if err := json.Unmarshal(v[4].Raw, c.Grants); err != nil {
			return c, h, shape("grants have a wrong shape")
		}
	} else if v[4].Kind != rawjson.Absent && v[4].Kind != rawjson.Null {
		return c, h, shape("expected grants to be an object")
	}
	return c, h, nil
}

// hostURL reports whether a host may be called there: tokens and arguments do
// not go over a network in the clear.
func hostURL(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.User != nil {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname())
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// embedConfig is GET /sveda/embed/config: what a page needs to know to set
// itself up.
func (s *Server) embedConfig(w http.ResponseWriter, r *http.Request) {
	claims, ok := s.visitor(w, r)
	if !ok {
		return
	}
	p, ok := s.policyOf(w, claims)
	if !ok {
		return
	}
	type modelInfo struct {
		ID       string `json:"id"`
		Provider string `json:"provider"`
		Name     string `json:"name"`
	}
	models := make([]modelInfo, len(s.Models))
	for i, m := range s.Models {
		models[i] = modelInfo{m.ID, m.Provider, m.Name}
	}
	answer(w, http.StatusOK, map[string]any{
		"protocolVersion": "1.0",
		"visitorId":       claims.VisitorID,
		"models":          models,
		"capabilities": map[string]any{
			"restricted": p.Restricted(),
			"web":        p.Web(),
			"code":       p.Code(),
			"client":     map[string]any{"allow": p.ClientPatterns()},
		},
		"documents": map[string]any{"maxFiles": extract.MaxFiles, "maxBytes": extract.MaxBytes},
	})
}

type extracted struct {
	Filename string `json:"filename"`
	OK       bool   `json:"ok"`
	Text     string `json:"text,omitempty"`
	Error    string `json:"error,omitempty"`
}

// extract is POST /sveda/documents/extract.
func (s *Server) extract(w http.ResponseWriter, r *http.Request) {
	claims, ok := s.visitor(w, r)
	if !ok || !s.throttle(w, r, claims.VisitorID) {
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, s.MaxBody)
	reader, err := r.MultipartReader()
	if err != nil {
		plain(w, http.StatusUnsupportedMediaType, "Expected request with `Content-Type: multipart/form-data`")
		return
	}
	items := []extracted{}
	for {
		part, err := reader.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			refuse(w, http.StatusBadRequest, "The upload could not be read.")
			return
		}
		if part.FormName() != "files" && part.FormName() != "files[]" {
			continue
		}
		if len(items) == extract.MaxFiles {
			refuse(w, http.StatusUnprocessableEntity, "Too many files.")
			return
		}
		item := extracted{Filename: part.FileName()}
		if text, err := extract.Text(item.Filename, part); err != nil {
			item.Error = err.Error()
		} else {
			item.OK, item.Text = true, text
		}
		items = append(items, item)
	}
	answer(w, http.StatusOK, map[string]any{"items": items})
}
