package server

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/svedawasm/svedawasm/playground/internal/token"
)

// The endpoints of the demo mode: a token for the page, and a look at what
// really happened for tests. They exist on loopback only.

// demoTTL is the life of a demo token.
const demoTTL = 24 * time.Hour

func (s *Server) debugRoutes(mux *http.ServeMux) {
	routes := map[string]http.HandlerFunc{
		"GET /demo/token":      s.demoToken,
		"GET /debug/posts":     s.debugPosts,
		"GET /debug/mcp-calls": s.debugCalls,
		"GET /debug/requests":  s.debugRequests,
		"POST /debug/reset":    s.debugReset,
	}
	for pattern, handler := range routes {
		mux.HandleFunc(pattern, localOnly(handler))
	}
}

// localOnly refuses whatever does not come from this machine and from a page
// of this server. The Host check stops other sites that have pointed a name of
// theirs at the loopback address.
func localOnly(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		site := r.Header.Get("Sec-Fetch-Site")
		foreign := site != "" && site != "same-origin" && site != "none"
		if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
			foreign = true
		}
		if !isLoopback(address(r)) || !isLoopback(host) || foreign {
			plain(w, http.StatusForbidden, "Forbidden")
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		next(w, r)
	}
}

// demoToken gives the page a token. All pages are the visitor "demo", so that
// chats are there again after a reload; ?visitor= names another one.
func (s *Server) demoToken(w http.ResponseWriter, r *http.Request) {
	visitor := r.URL.Query().Get("visitor")
	if visitor == "" {
		visitor = "demo"
	}
	tok, err := s.Tokens.Sign(token.Claims{VisitorID: visitor}, s.Now(), demoTTL)
	if err != nil {
		refuse(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	answer(w, http.StatusOK, map[string]string{"token": tok})
}

func (s *Server) debugPosts(w http.ResponseWriter, r *http.Request) {
	list, err := s.Posts.All(r.Context())
	if err != nil {
		s.failed(w, "reading posts", err)
		return
	}
	answer(w, http.StatusOK, map[string]any{"posts": list})
}

func (s *Server) debugCalls(w http.ResponseWriter, r *http.Request) {
	list, err := s.Posts.Calls(r.Context())
	if err != nil {
		s.failed(w, "reading calls", err)
		return
	}
	answer(w, http.StatusOK, map[string]any{"calls": list})
}

func (s *Server) debugRequests(w http.ResponseWriter, r *http.Request) {
	answer(w, http.StatusOK, map[string]any{"requests": s.requests.all()})
}

func (s *Server) debugReset(w http.ResponseWriter, r *http.Request) {
	if err := s.Store.Reset(r.Context()); err != nil {
		s.failed(w, "resetting", err)
		return
	}
	if err := s.Posts.Reset(r.Context()); err != nil {
		s.failed(w, "resetting", err)
		return
	}
	s.requests.reset()
	s.visitors.Reset()
	s.ips.Reset()
	answer(w, http.StatusOK, map[string]bool{"success": true})
}

// request is one line of GET /debug/requests.
type request struct {
	Method string    `json:"method"`
	Path   string    `json:"path"`
	Body   string    `json:"body"` // cut at maxRecordedBody
	Status int       `json:"status"`
	Time   time.Time `json:"time"`
}

const (
	maxRecorded     = 500
	maxRecordedBody = 128 << 10
)

// recorder keeps the newest requests. It exists in demo mode only and never
// keeps a header.
type recorder struct {
	mu   sync.Mutex
	list []*request
}

func (rec *recorder) record(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		entry := &request{Method: r.Method, Path: r.URL.Path, Time: time.Now().UTC()}
		body := &tee{ReadCloser: r.Body}
		r.Body = body
		rec.add(entry)
		status := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		body.done = func(p []byte) {
			rec.mu.Lock()
			defer rec.mu.Unlock()
			entry.Body = string(p)
		}
		defer func() {
			rec.mu.Lock()
			defer rec.mu.Unlock()
			entry.Status = status.status
		}()
		next.ServeHTTP(status, r)
	})
}

func (rec *recorder) add(e *request) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if rec.list = append(rec.list, e); len(rec.list) > maxRecorded {
		rec.list = rec.list[1:]
	}
}

func (rec *recorder) all() []request {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	list := make([]request, len(rec.list))
	for i, e := range rec.list {
		list[i] = *e
	}
	return list
}

func (rec *recorder) reset() {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.list = nil
}

// tee keeps what is read of a body and hands it over at its end.
type tee struct {
	io.ReadCloser
	buf  bytes.Buffer
	done func([]byte)
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	if room := maxRecordedBody - t.buf.Len(); room > 0 {
		t.buf.Write(p[:min(n, room)])
	}
	if err != nil && t.done != nil {
		t.done(t.buf.Bytes())
		t.done = nil
	}
	return n, err
}
