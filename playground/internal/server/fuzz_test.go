package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/playground/internal/store"
	"github.com/svedawasm/svedawasm/session/sveda"
)

// FuzzDecodeRequest: no body makes the decoder panic; a refusal has a status
// of the contract; what is taken is well formed.
func FuzzDecodeRequest(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `[]`, `{"prompt":"hi","messages":[{"id":"u","role":"user","content":"hi","parts":[{"type":"text","text":"hi"}]}],"chatId":"c"}`,
		`{"toolDecisions":[{"toolCallId":"c","decision":"approve","reason":"x"}]}`,
		`{"toolDecisions":[{"toolCallId":"c","ToolCallId":"d","decision":"approve","Decision":"deny"}]}`,
		`{"clientTools":[{"name":"a","confirmation":"required","parameters":{}}],"options":{"thinking":false}}`,
		`{"messages":[{"role":"tool","tool_call_id":"c","content":"{\"a\":1}"},{"role":"tool","parts":[{"type":"tool-result","toolCallId":"c","output":1}]}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		req, err := decodeRequest(body)
		if err != nil {
			e, ok := errors.AsType[*decodeError](err)
			if !ok || e.status != http.StatusBadRequest && e.status != http.StatusUnprocessableEntity {
				t.Fatalf("error %v", err)
			}
			return
		}
		if req.Key.Chat == "" || len(req.Key.Chat) > maxChatID {
			t.Errorf("chat id %q", req.Key.Chat)
		}
		for _, d := range req.Decisions {
			if !strings.Contains(string(body), "decision") && !strings.Contains(string(body), `\u`) {
				t.Errorf("a decision %+v from a body without one", d)
			}
			if string(d.Word) != strings.ToLower(string(d.Word)) {
				t.Errorf("decision %q", d.Word)
			}
		}
		for _, r := range req.Results {
			if !json.Valid(r.Output) {
				t.Errorf("output %q is not JSON", r.Output)
			}
		}
		for _, s := range req.Seed {
			if s.Role != store.RoleUser && s.Role != store.RoleAssistant {
				t.Errorf("seed with role %q", s.Role)
			}
		}
	})
}

// FuzzLinks: whatever a tool gives, the event stays one JSON object.
func FuzzLinks(f *testing.F) {
	f.Add([]byte(`{"links":[{"label":"a","url":"b","icon":"c"},{"label":1},3]}`))
	f.Add([]byte("{\n\"links\":[]}"))
	f.Fuzz(func(t *testing.T, output []byte) {
		if !json.Valid(output) {
			return
		}
		line := oneLine(output)
		hint, data := resourceLinks(line)
		dst := sveda.AppendToolResult(nil, sveda.Stamp{}, "c", "t", line, hint, data)
		if !json.Valid(dst) || strings.ContainsAny(string(dst), "\r\n") {
			t.Errorf("event %q", dst)
		}
	})
}
