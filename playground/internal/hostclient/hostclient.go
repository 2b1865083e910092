// Package hostclient is the runtime's side of the Model Context Protocol: it
// lists a host's tools and calls one, with the official SDK's client.
package hostclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"reflect"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Tool is one entry of the host's tools/list.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON Schema
	Domain      string
	Mode        string
	// Confirming is true unless _meta.confirmation is absent, null or "auto".
	// A word that we do not know must not open the gate.
	Confirming bool
}

// Target says which host to talk to, and for whom.
type Target struct {
	URL         string
	Token       string // bearer token; "" for none
	ChatID      string
	PageContext json.RawMessage // the request's context; left out when it does not fit a header
}

// Session is a connection to a host, safe for concurrent use.
type Session struct{ s *mcp.ClientSession }

// Connect opens a session.
func Connect(ctx context.Context, t Target) (*Session, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "playground-runtime", Version: "1.0.0"}, nil)
	s, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint:             t.URL,
		HTTPClient:           &http.Client{Transport: &headers{target: t}, CheckRedirect: noRedirect},
		MaxRetries:           -1, // a cut answer is an unknown outcome, not a reason to ask again
		DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		return nil, fmt.Errorf("connecting to the host: %w", err)
	}
	return &Session{s}, nil
}

// Close ends the session.
func (s *Session) Close() error { return s.s.Close() }

// Tools gives the whole list.
func (s *Session) Tools(ctx context.Context) ([]Tool, error) {
	var list []Tool
	for t, err := range s.s.Tools(ctx, nil) {
		if err != nil {
			return nil, fmt.Errorf("listing the host's tools: %w", err)
		}
		schema, err := json.Marshal(t.InputSchema)
		if err != nil {
			return nil, fmt.Errorf("listing the host's tools: schema of %q: %w", t.Name, err)
		}
		domain, _ := t.Meta["domain"].(string)
		mode, _ := t.Meta["mode"].(string)
		confirmation := t.Meta["confirmation"]
		list = append(list, Tool{
			Name: t.Name, Description: t.Description, Parameters: schema, Domain: domain, Mode: mode,
			Confirming: confirmation != nil && confirmation != "auto",
		})
	}
	return list, nil
}

// ErrUnknownOutcome says that the call may have run on the host, but its
// answer did not come.
var ErrUnknownOutcome = errors.New("the host did not answer; the outcome is unknown")

// Call runs a tool with exactly these argument bytes, once. The output is
// always JSON (contract section 2, rule 18). The error is nil for a failure
// that the host reported; then the output says success false.
func (s *Session) Call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	res, err := s.s.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		if ctx.Err() != nil || !answered(err) {
			return nil, fmt.Errorf("calling %q: %w", name, errors.Join(ErrUnknownOutcome, err))
		}
		return nil, fmt.Errorf("calling %q: %w", name, err)
	}
	return output(res)
}

// answered reports whether the call surely did not run: the host's own
// JSON-RPC error, or no connection at all. Anything else is unknown.
func answered(err error) bool {
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return true
	}
	var rpc *jsonrpc.Error
	return errors.As(err, &rpc) && (rpc.Code == jsonrpc.CodeInvalidParams || rpc.Code == jsonrpc.CodeMethodNotFound ||
		rpc.Code == jsonrpc.CodeInvalidRequest || rpc.Code == jsonrpc.CodeParseError)
}

// output turns an MCP result into the output of the contract: structured
// content first, then a text that is JSON, then the text as a string.
func output(res *mcp.CallToolResult) (json.RawMessage, error) {
	text := joinText(res.Content)
	if res.IsError {
		if text == "" {
			text = "The tool reported an error."
		}
		return Failure(text), nil
	}
	textIsJSON := json.Valid([]byte(text))
	if res.StructuredContent != nil {
		structured, err := json.Marshal(res.StructuredContent)
		if err != nil {
			return nil, fmt.Errorf("encoding structured content: %w", err)
		}
		// The SDK has decoded numbers to doubles. Hosts give the same JSON as
		// text, where the numbers are still exact.
		if textIsJSON && sameJSON(structured, []byte(text)) {
			return compact(text), nil
		}
		return structured, nil
	}
	switch {
	case text == "":
		return json.RawMessage(`{"success":true,"data":null}`), nil
	case textIsJSON:
		return compact(text), nil
	}
	raw, err := json.Marshal(text)
	return raw, err
}

func joinText(content []mcp.Content) string {
	var parts []string
	for _, c := range content {
		if t, ok := c.(*mcp.TextContent); ok {
			parts = append(parts, t.Text)
		}
	}
	return strings.Join(parts, "\n")
}

func compact(text string) json.RawMessage {
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		return json.RawMessage("null")
	}
	return b.Bytes()
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// Failure is the output of a call that did not succeed.
func Failure(message string) json.RawMessage {
	raw, _ := json.Marshal(struct {
		Success bool   `json:"success"`
		Error   string `json:"error"`
	}{false, message})
	return raw
}

// maxContextHeader is the contract's limit for x-sveda-page-context, in bytes.
const maxContextHeader = 24000

// headers adds what the host wants to know of the request (contract 1.2).
type headers struct{ target Target }

func (h *headers) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if h.target.Token != "" {
		r.Header.Set("Authorization", "Bearer "+h.target.Token)
	}
	if headerSafe([]byte(h.target.ChatID)) && h.target.ChatID != "" {
		r.Header.Set("X-Sveda-Chat-Id", h.target.ChatID)
	}
	if c := h.target.PageContext; len(c) > 0 && len(c) <= maxContextHeader && headerSafe(c) {
		r.Header.Set("X-Sveda-Page-Context", string(c))
	}
	return http.DefaultTransport.RoundTrip(r)
}

func headerSafe(b []byte) bool {
	for _, c := range b {
		if c < 0x20 || c > 0x7e {
			return false
		}
	}
	return true
}

// noRedirect keeps the token and the arguments with the host that was named.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
