// Package asgard serves Asgard's channel protocol (contract asgard, sections 2
// to 2.6) over the playground's engine and store: the same chats, the same
// model and the same MCP host as the Sveda side.
//
// It keeps what the contract says of the wire, and betters what the contract
// says of the server in one point: what a person approves is the call that was
// shown. It runs once, with those arguments, under its own id (S4, S5, S6).
package asgard

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/svedawasm/svedawasm/playground/internal/limit"
	"github.com/svedawasm/svedawasm/playground/internal/runtime"
	"github.com/svedawasm/svedawasm/playground/internal/store"
)

// Config is what the handler needs. Engine and Store must be set.
type Config struct {
	Engine *runtime.Engine
	Store  store.Store
	// APIKey must come as X-API-KEY with each request. Without one the protocol
	// is open when Open is set, and closed otherwise.
	APIKey string
	Open   bool

	IPs       limit.Rate    // requests per address
	MaxBody   int64         // bytes of a request body; default 16 MiB
	KeepAlive time.Duration // between comments on a silent stream; 0 for none
	Log       *slog.Logger
	Now       func() time.Time
}

// Server answers requests under /ns/{namespace}/bot-provider/{name}/.
type Server struct {
	Config
	ips  *limit.Throttle
	runs runs
	mux  *http.ServeMux
}

// New makes the handler.
func New(c Config) *Server {
	if c.MaxBody == 0 {
		c.MaxBody = 16 << 20
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{Config: c, ips: limit.NewThrottle(c.IPs, c.Now), mux: http.NewServeMux()}
	s.runs.live = map[store.Key][]*run{}
	const base = "/ns/{namespace}/bot-provider/{name}"
	for pattern, handler := range map[string]func(http.ResponseWriter, *http.Request, channel){
		"POST " + base + "/message/sse":      s.message,
		"GET " + base + "/message/sse":       s.rejoin,
		"POST " + base + "/message":          s.plain,
		"POST " + base + "/message/dispatch": s.dispatch,
		"POST " + base + "/message/suspend":  s.suspend,
		"GET " + base + "/channel/metadata":  s.metadata,
		"DELETE " + base + "/channel":        s.remove,
	} {
		s.mux.HandleFunc(pattern, s.admit(handler))
	}
	return s
}

// ServeHTTP implements [http.Handler]. Pages of any origin may use the
// protocol, with headers of their own: the key authorises, there are no cookies.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", traceHeader)
	if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
		h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE, OPTIONS")
		h.Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
		h.Add("Vary", "Access-Control-Request-Headers")
		h.Set("Access-Control-Max-Age", "600")
		w.WriteHeader(http.StatusNoContent)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// Names of headers (contract 2).
const (
	keyHeader      = "X-API-KEY"
	identityHeader = "X-ASGARD-USER-IDENTITY-HINT"
	traceHeader    = "X-Trace-Id"
	cursorHeader   = "Last-Event-ID"
)

// primary is who a turn speaks for when no hint was sent (contract 2).
const primary = "primary"

// channel is what a request is about.
type channel struct {
	namespace, bot string
	key            store.Key // Chat is "" until the body has named it
	identity       string
}

// admit checks what comes before every endpoint.
func (s *Server) admit(next func(http.ResponseWriter, *http.Request, channel)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if ok, wait := s.ips.Allow(address(r)); !ok {
			seconds := int64((wait + time.Second - 1) / time.Second)
			w.Header().Set("Retry-After", strconv.FormatInt(max(seconds, 1), 10))
			refuse(w, http.StatusTooManyRequests, "Too Many Attempts.")
			return
		}
		if !s.authorised(r) {
			refuse(w, http.StatusUnauthorized, "The API key is missing or wrong.")
			return
		}
		ch := channel{namespace: r.PathValue("namespace"), bot: r.PathValue("name"), identity: r.Header.Get(identityHeader)}
		if ch.identity == "" {
			ch.identity = primary
		}
		// Channels of one bot are one visitor's chats. No embed token can name
		// this visitor: its name is longer than a token allows.
		ch.key = store.Key{Visitor: visitorPrefix + ch.namespace + "/" + ch.bot, Chat: r.URL.Query().Get("custom_channel_id")}
		if r.Method != http.MethodPost || strings.HasSuffix(r.URL.Path, "/suspend") {
			if err := checkID(ch.key.Chat); err != "" {
				refuse(w, http.StatusBadRequest, err)
				return
			}
		}
		next(w, r, ch)
	}
}

// visitorPrefix is 64 bytes, the most that a visitor of an embed token may have.
const visitorPrefix = "asgard-channels-of-a-bot-provider,-never-a-visitor-of-a-token://"

func (s *Server) authorised(r *http.Request) bool {
	if s.APIKey == "" {
		return s.Open
	}
	return subtle.ConstantTimeCompare([]byte(r.Header.Get(keyHeader)), []byte(s.APIKey)) == 1
}

// maxID is the length limit of a channel id, in bytes.
const maxID = 256

func checkID(id string) string {
	switch {
	case strings.TrimSpace(id) == "":
		return "The channel id is missing."
	case len(id) > maxID:
		return "The channel id is longer than " + strconv.Itoa(maxID) + " bytes."
	}
	return ""
}

// readBody gives the request of a body, or answers with what is wrong with it.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request) (request, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.MaxBody))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, "The request body is larger than "+strconv.FormatInt(s.MaxBody, 10)+" bytes.")
		return request{}, false
	}
	req, err := parseRequest(body)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return request{}, false
	}
	return req, true
}

// background is the context of what goes on without its client.
func background(r *http.Request) context.Context { return context.WithoutCancel(r.Context()) }

func refuse(w http.ResponseWriter, status int, message string) {
	answer(w, status, map[string]string{"message": message})
}

func answer(w http.ResponseWriter, status int, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		http.Error(w, "encoding the answer failed", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(raw)
}

func address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
