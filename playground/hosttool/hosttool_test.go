package hosttool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/svedawasm/svedawasm/playground/hosttool"
	"net/http"
)

// plain is a tool without a word on confirmation.
type plain struct {
	name   string
	mode   hosttool.Mode
	schema string
	err    error
	got    *json.RawMessage
}

func (p plain) Name() string                 { return p.name }
func (p plain) Description() string          { return "does " + p.name }
func (p plain) Mode() hosttool.Mode          { return p.mode }
func (p plain) Domain() string               { return "posts" }
func (p plain) InputSchema() json.RawMessage { return json.RawMessage(p.schema) }
func (p plain) Handle(_ context.Context, args json.RawMessage) (any, error) {
	if p.got != nil {
		*p.got = args
	}
	return map[string]int{"n": 1}, p.err
}

// asking is a tool with one.
type asking struct {
	plain
	word string
}

func (a asking) Confirmation() string { return a.word }

const object = `{"type":"object"}`

// connect serves the tools over streamable HTTP and connects the official
// client.
func connect(t *testing.T, tools ...hosttool.Tool) *mcp.ClientSession {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "host", Version: "1"}, nil)
	for _, tool := range tools {
		if err := hosttool.Register(server, tool); err != nil {
			t.Fatal(err)
		}
	}
	srv := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(srv.Close)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: srv.URL, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

func TestMetaOfConfirmation(t *testing.T) {
	session := connect(t,
		plain{name: "plain", mode: hosttool.Delete, schema: object},
		asking{plain{name: "required", mode: hosttool.Delete, schema: object}, "required"},
		asking{plain{name: "auto", mode: hosttool.Write, schema: object}, "auto"},
		asking{plain{name: "silent", mode: hosttool.Read, schema: object}, ""})
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"plain":    `{"domain":"posts","mode":"delete"}`,
		"required": `{"confirmation":"required","domain":"posts","mode":"delete"}`,
		"auto":     `{"domain":"posts","mode":"write"}`,
		"silent":   `{"domain":"posts","mode":"read"}`,
	}
	if len(list.Tools) != len(want) {
		t.Fatalf("%d tools", len(list.Tools))
	}
	for _, tool := range list.Tools {
		if got, _ := json.Marshal(tool.Meta); string(got) != want[tool.Name] {
			t.Errorf("_meta of %s is %s, want %s", tool.Name, got, want[tool.Name])
		}
	}
}

func TestCall(t *testing.T) {
	var got json.RawMessage
	session := connect(t, plain{name: "ok", mode: hosttool.Read, schema: object, got: &got},
		plain{name: "bad", mode: hosttool.Read, schema: object, err: errors.New("no such row")})
	res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "ok", Arguments: json.RawMessage(`{"n":9007199254740993,"f":1.10}`)})
	if err != nil || res.IsError {
		t.Fatalf("%v %+v", err, res)
	}
	if string(got) != `{"n":9007199254740993,"f":1.10}` {
		t.Errorf("arguments %s", got)
	}
	if text := res.Content[0].(*mcp.TextContent).Text; text != `{"n":1}` || fmt.Sprint(res.StructuredContent) != "map[n:1]" {
		t.Errorf("text %s, structured %v", text, res.StructuredContent)
	}
	res, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "bad"})
	if err != nil || !res.IsError || res.Content[0].(*mcp.TextContent).Text != "no such row" {
		t.Errorf("%v %+v", err, res)
	}
}

func TestWrongDeclarations(t *testing.T) {
	tests := []struct {
		tool hosttool.Tool
		want string
	}{
		{plain{name: "", mode: hosttool.Read, schema: object}, "no name"},
		{plain{name: "x", mode: "destroy", schema: object}, `got "destroy"`},
		{plain{name: "x", mode: hosttool.Read, schema: `{"type":"string"}`}, `got "string"`},
		{plain{name: "x", mode: hosttool.Read, schema: `{`}, "input schema"},
		{asking{plain{name: "x", mode: hosttool.Read, schema: object}, "Required"}, `expected confirmation "required" or "auto", got "Required"`},
	}
	for _, tt := range tests {
		server := mcp.NewServer(&mcp.Implementation{Name: "host", Version: "1"}, nil)
		if err := hosttool.Register(server, tt.tool); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want one with %q", err, tt.want)
		}
	}
}
