// Package host is the demo's MCP host: four tools over the posts, served with
// the official Go SDK over streamable HTTP. The runtime calls it as any MCP
// client would.
package host

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/svedawasm/svedawasm/playground/hosttool"
	"github.com/svedawasm/svedawasm/playground/internal/posts"
)

// Options of a host.
type Options struct {
	// Token must come as bearer token with each request. Confirmation is a
	// rule of the runtime, so nobody else may call the tools directly.
	Token string
	// Delay is waited before a tool runs, to see how slow tools look.
	Delay time.Duration
	// Extra tools beside the four of the posts.
	Extra []hosttool.Tool
	Log   *slog.Logger
}

// New gives the handler of the MCP endpoint.
func New(db *posts.DB, opts Options) (http.Handler, error) {
	server := mcp.NewServer(&mcp.Implementation{Name: "playground-posts", Version: "1.0.0"}, nil)
	b := base{db}
	tools := append([]hosttool.Tool{searchPosts{b}, createPost{b}, updatePost{b}, deletePost{b}}, opts.Extra...)
	for _, t := range tools {
		if err := hosttool.Register(server, t); err != nil {
			return nil, err
		}
	}
	server.AddReceivingMiddleware(record(db, opts))
	// Stateless: a call needs no session, so the host can be restarted or
	// stand on several machines without the runtime noticing.
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	return http.NewCrossOriginProtection().Handler(bearer(opts.Token, handler)), nil
}

// record writes down every call before it runs, so that the list also tells of
// calls that a crash has cut.
func record(db *posts.DB, opts Options) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			call, ok := req.(*mcp.CallToolRequest)
			if !ok {
				return next(ctx, method, req)
			}
			entry := posts.Call{Name: call.Params.Name, Arguments: call.Params.Arguments, Time: time.Now()}
			if len(entry.Arguments) == 0 {
				entry.Arguments = json.RawMessage("{}")
			}
			if extra := call.GetExtra(); extra != nil {
				entry.ChatID = extra.Header.Get("X-Sveda-Chat-Id")
			}
			if err := db.LogCall(ctx, entry); err != nil {
				return nil, err
			}
			if opts.Log != nil {
				opts.Log.Info("host call", "tool", entry.Name, "bytes", len(entry.Arguments))
			}
			select {
			case <-time.After(opts.Delay):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			return next(ctx, method, req)
		}
	}
}

func bearer(token string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || subtle.ConstantTimeCompare([]byte(got), []byte(token)) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "unauthorized", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
