// Package hosttool declares the tools of an MCP host for an agent runtime that
// asks a person before it runs some of them.
//
// A tool says what it is with methods; [Register] turns that into the metadata
// of tools/list, so that any client of the Model Context Protocol reads it:
//
//	{"name":"delete_post","_meta":{"domain":"posts","mode":"delete","confirmation":"required"}}
//
// The confirmation is opt-in and belongs to the host: a tool that implements
// [ConfirmingTool] and answers [Required] is not run before a person said so,
// and nothing that a browser sends can change that. Mode is a hint for
// policies; it never turns the confirmation on by itself.
package hosttool

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Mode says what a tool does to the host's data; policies cap it.
type Mode string

// The modes, weakest first.
const (
	Read   Mode = "read"
	Write  Mode = "write"
	Delete Mode = "delete"
)

// The words that Confirmation may answer. The empty word means Auto.
const (
	Required = "required"
	Auto     = "auto"
)

// Tool is one tool of a host.
type Tool interface {
	Name() string
	Description() string
	Mode() Mode
	// Domain groups tools for policies, for example "posts".
	Domain() string
	// InputSchema is a JSON Schema of type "object".
	InputSchema() json.RawMessage
	// Handle runs the tool. args are the bytes that the runtime sent, checked
	// by nobody yet. The result is encoded as the structured content of the
	// answer; an error becomes an answer with isError, which the model reads.
	Handle(ctx context.Context, args json.RawMessage) (any, error)
}

// ConfirmingTool is a Tool that can ask for a person's confirmation. It is
// optional: a tool without the method runs automatically.
type ConfirmingTool interface {
	Tool
	// Confirmation answers Required, Auto or "".
	Confirmation() string
}

// Register adds the tool to the server. It gives an error when the
// declaration is wrong, so that a misspelt word does not quietly mean "auto".
func Register(server *mcp.Server, tool Tool) error {
	declaration, err := Declaration(tool)
	if err != nil {
		return err
	}
	server.AddTool(declaration, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		args := req.Params.Arguments
		if len(args) == 0 {
			args = json.RawMessage("{}")
		}
		out, err := tool.Handle(ctx, args)
		if err != nil {
			return failure(err), nil
		}
		return success(out)
	})
	return nil
}

// Declaration gives the tools/list entry of a tool.
func Declaration(tool Tool) (*mcp.Tool, error) {
	if tool.Name() == "" {
		return nil, fmt.Errorf("declaring tool: it has no name")
	}
	switch tool.Mode() {
	case Read, Write, Delete:
	default:
		return nil, fmt.Errorf("declaring tool %q: expected mode %q, %q or %q, got %q", tool.Name(), Read, Write, Delete, tool.Mode())
	}
	var schema struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(tool.InputSchema(), &schema); err != nil {
		return nil, fmt.Errorf("declaring tool %q: input schema: %w", tool.Name(), err)
	}
	if schema.Type != "object" {
		return nil, fmt.Errorf("declaring tool %q: expected an input schema of type %q, got %q", tool.Name(), "object", schema.Type)
	}
	meta := mcp.Meta{"mode": string(tool.Mode())}
	if d := tool.Domain(); d != "" {
		meta["domain"] = d
	}
	if c, ok := tool.(ConfirmingTool); ok {
		switch word := c.Confirmation(); word {
		case Required:
			meta["confirmation"] = Required
		case Auto, "":
		default:
			return nil, fmt.Errorf("declaring tool %q: expected confirmation %q or %q, got %q", tool.Name(), Required, Auto, word)
		}
	}
	return &mcp.Tool{
		Name:        tool.Name(),
		Description: tool.Description(),
		InputSchema: tool.InputSchema(),
		Meta:        meta,
	}, nil
}

// success gives the result twice, as the protocol advises: structured, and as
// the same JSON in a text for clients that know only texts.
func success(out any) (*mcp.CallToolResult, error) {
	raw, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("encoding tool result: %w", err)
	}
	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: string(raw)}},
		StructuredContent: json.RawMessage(raw),
	}, nil
}

func failure(err error) *mcp.CallToolResult {
	return &mcp.CallToolResult{
		IsError: true,
		Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}},
	}
}
