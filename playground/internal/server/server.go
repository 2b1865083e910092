// Package server is the HTTP side of the playground: the Sveda protocol, the
// demo's files and the debug endpoints of the tests.
package server

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/svedawasm/svedawasm/playground/internal/limit"
	"github.com/svedawasm/svedawasm/playground/internal/model"
	"github.com/svedawasm/svedawasm/playground/internal/policy"
	"github.com/svedawasm/svedawasm/playground/internal/posts"
	"github.com/svedawasm/svedawasm/playground/internal/runtime"
	"github.com/svedawasm/svedawasm/playground/internal/store"
	"github.com/svedawasm/svedawasm/playground/internal/token"
	"github.com/svedawasm/svedawasm/playground/internal/ws"
)

// Config is what the server needs.
type Config struct {
	Engine   *runtime.Engine
	Store    store.Store
	Models   model.Catalogue
	Tokens   *token.Signer
	TokenTTL time.Duration
	HostKey  string // for /sveda/embed/token; "" closes that endpoint
	Policies map[string]policy.Rules
	Visitors limit.Rate // per visitor
	IPs      limit.Rate // per address
	PerKey   int        // open streams of one visitor; 0 for no limit
	Total    int        // open streams in all; 0 for no limit
	Log      *slog.Logger
	Now      func() time.Time

	MaxBody   int64         // bytes of a request body; default 16 MiB
	KeepAlive time.Duration // between comments on a silent stream; 0 for none
	// SocketWindow is how long a client whose WebSocket broke may take to come
	// back; default 120 s.
	SocketWindow time.Duration
	// SocketHeartbeat is the time between heartbeats of a WebSocket; default 15 s.
	SocketHeartbeat time.Duration

	// Asgard is the handler of /ns/, the channel protocol; nil for none.
	Asgard http.Handler
	// MCP is the handler of /mcp/sveda; nil for none.
	MCP http.Handler
	// Web is the folder with demo/, dist/ and src/; nil serves no files.
	Web *os.Root
	// Posts is set in demo mode only: it opens /demo/ and /debug/.
	Posts *posts.DB
}

// Server answers requests.
type Server struct {
	Config
	visitors *limit.Throttle
	ips      *limit.Throttle
	streams  *limit.Occupancy
	requests *recorder
	ws       *ws.Server
	handler  http.Handler
}

// DefaultMaxBody is the body limit when none is set, in bytes.
const DefaultMaxBody = 16 << 20

// New makes the server.
func New(c Config) *Server {
	if c.MaxBody == 0 {
		c.MaxBody = DefaultMaxBody
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		Config:   c,
		visitors: limit.NewThrottle(c.Visitors, c.Now),
		ips:      limit.NewThrottle(c.IPs, c.Now),
		streams:  limit.NewOccupancy(c.PerKey, c.Total),
		requests: &recorder{},
	}
	mux := http.NewServeMux()
	api := http.NewServeMux()
	api.HandleFunc("POST /sveda/stream", s.stream)
	api.HandleFunc("POST /sveda/message", s.message)
	api.HandleFunc("GET /sveda/chat-histories", s.listHistories)
	api.HandleFunc("GET /sveda/chat-histories/{chat}", s.getHistory)
	api.HandleFunc("PATCH /sveda/chat-histories/{chat}", s.renameHistory)
	api.HandleFunc("DELETE /sveda/chat-histories/{chat}", s.deleteHistory)
	api.HandleFunc("POST /sveda/documents/extract", s.extract)
	api.HandleFunc("GET /sveda/embed/config", s.embedConfig)
	api.HandleFunc("POST /sveda/embed/token", s.embedToken)
	sveda := cors(api)
	if c.Posts != nil {
		sveda = s.requests.record(sveda)
		s.debugRoutes(mux)
	}
	mux.Handle("/sveda/", sveda)
	s.ws = ws.New(ws.Config{
		// What comes over a socket is answered, and recorded, like a POST.
		Handler: sveda,
		Verify: func(t string) (string, error) {
			claims, err := s.Tokens.Verify(t, s.Now())
			return claims.VisitorID, err
		},
		Log: c.Log, Window: c.SocketWindow, Heartbeat: c.SocketHeartbeat,
	})
	mux.Handle("GET /sveda/ws", s.ws)
	if c.Asgard != nil {
		if c.Posts != nil {
			c.Asgard = s.requests.record(c.Asgard)
		}
		mux.Handle("/ns/", c.Asgard)
	}
	if c.MCP != nil {
		mux.Handle("/mcp/sveda", c.MCP)
	}
	if c.Web != nil {
		mux.Handle("/", staticFiles(c.Web, c.Log))
	}
	s.handler = s.logged(mux)
	return s
}

// Shutdown ends the WebSockets, which an http.Server does not know. The engine
// must have been told to stop before.
func (s *Server) Shutdown(ctx context.Context) error { return s.ws.Shutdown(ctx) }

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// logged writes one line per request: what, how it ended, how long it took;
// never a header, a query or a body.
func (s *Server) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		rec := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(rec, r)
		s.Log.Info("request", "method", r.Method, "path", r.URL.Path, "status", rec.status, "ms", time.Since(start).Milliseconds())
	})
}

type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// cors lets pages of any origin use the protocol: the token in the header is
// what authorises, and there are no cookies (contract 1.2).
func cors(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE, OPTIONS")
			h.Set("Access-Control-Allow-Headers", "accept, authorization, content-type, x-requested-with, "+
				"x-sveda-embed-token, x-sveda-host-key, x-sveda-admin-key, x-sveda-protocol")
			h.Set("Access-Control-Max-Age", "600")
			w.WriteHeader(http.StatusNoContent)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// readBody gives the JSON body of a request, or answers with the contract's
// error. That comes before the token is looked at (contract 1.8).
func (s *Server) readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	if !isJSON(r.Header.Get("Content-Type")) {
		plain(w, http.StatusUnsupportedMediaType, "Expected request with `Content-Type: application/json`")
		return nil, false
	}
	// A body that trickles in must not hold a connection for ever.
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTimeout)) // not every writer has one
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.MaxBody))
	_ = control.SetReadDeadline(time.Time{})
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		answer(w, http.StatusRequestEntityTooLarge, map[string]any{
			"code": "body_too_large", "message": "The request body is larger than " + strconv.FormatInt(s.MaxBody, 10) + " bytes.",
		})
		return nil, false
	}
	if err != nil {
		plain(w, http.StatusBadRequest, "Failed to buffer the request body")
		return nil, false
	}
	return body, true
}

// bodyTimeout is how long a request may take to send its body.
const bodyTimeout = 30 * time.Second

func isJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && (kind == "application/json" || strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json"))
}

// plain answers with a text.
func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	io.WriteString(w, text)
}

// answer answers with JSON.
func answer(w http.ResponseWriter, status int, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		plain(w, http.StatusInternalServerError, "encoding the answer failed")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(raw)
}

func refuse(w http.ResponseWriter, status int, message string) {
	answer(w, status, map[string]string{"message": message})
}

// address is the client's IP, without the port.
func address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
