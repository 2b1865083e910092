package model

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// provider is a server with OpenAI's chat completions that streams the chunks.
func provider(t *testing.T, status int, chunks ...string) (*OpenAI, *[]string) {
	t.Helper()
	var bodies []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(body))
		if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer key" {
			t.Errorf("request %s, %s", r.URL.Path, r.Header.Get("Authorization"))
		}
		if status != http.StatusOK {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("x-should-retry", "false")
			w.WriteHeader(status)
			io.WriteString(w, chunks[0])
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, c := range append(chunks, "[DONE]") {
			fmt.Fprintf(w, "data: %s\n\n", c)
		}
	}))
	t.Cleanup(srv.Close)
	return NewOpenAI("key", srv.URL+"/v1", "m"), &bodies
}

func delta(d string) string {
	return `{"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":` + d + `}]}`
}

func TestOpenAIText(t *testing.T) {
	o, bodies := provider(t, 200, delta(`{"role":"assistant","reasoning_content":"hm"}`), delta(`{"content":"Hel"}`), delta(`{"content":"lo"}`),
		`{"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"length"}]}`,
		`{"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}`)
	var got []Delta
	res, err := o.Generate(t.Context(), Request{
		Messages: []Message{{Role: System, Text: "s"}, {Role: User, Text: "u"},
			{Role: Assistant, Calls: []Call{{ID: "c1", Name: "f", Arguments: json.RawMessage(`{"n": 9007199254740993}`)}}},
			{Role: ToolRole, CallID: "c1", Text: `{"ok":1}`}},
		Tools: []Tool{{Name: "f", Description: "d", Parameters: json.RawMessage(`{"type":"object"}`)}},
	}, func(d Delta) { got = append(got, d) })
	if err != nil {
		t.Fatal(err)
	}
	if res.Text != "Hello" || res.Reasoning != "hm" || res.FinishReason != "length" || res.Usage != (Usage{7, 3}) || len(got) != 3 {
		t.Errorf("response %+v, deltas %+v", res, got)
	}
	body := (*bodies)[0]
	for _, want := range []string{`"model":"m"`, `"stream":true`, `"include_usage":true`, `"name":"f"`, `"tool_call_id":"c1"`, `"arguments":"{\"n\": 9007199254740993}"`} {
		if !strings.Contains(body, want) {
			t.Errorf("request lacks %s: %s", want, body)
		}
	}
}

func TestOpenAIToolCallsKeepTheirBytes(t *testing.T) {
	o, _ := provider(t, 200,
		delta(`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]}`),
		delta(`{"tool_calls":[{"index":0,"function":{"arguments":"{ \"n\": 1.10, "}}]}`),
		delta(`{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]}`),
		delta(`{"tool_calls":[{"index":0,"function":{"arguments":"\"x\":\"<&>\"}"}}]}`),
		`{"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`)
	res, err := o.Generate(t.Context(), Request{Messages: []Message{{Role: User, Text: "u"}}}, func(Delta) {})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Calls) != 2 || string(res.Calls[0].Arguments) != `{ "n": 1.10, "x":"<&>"}` || res.Calls[1].Name != "g" || res.Calls[0].ID != "a" {
		t.Errorf("calls %+v", res.Calls)
	}
	if res.FinishReason != "tool_calls" || res.Usage.Prompt == 0 {
		t.Errorf("response %+v", res)
	}
}

func TestOpenAIErrors(t *testing.T) {
	tests := []struct {
		status int
		body   string
		want   string
	}{
		{429, `{"error":{"message":"slow down sk-secret","code":"rate_limit_exceeded"}}`, CodeRateLimited},
		{429, `{"error":{"message":"pay sk-secret","code":"insufficient_quota"}}`, CodeInsufficientCredits},
		{402, `{"error":{"message":"sk-secret"}}`, CodeInsufficientCredits},
		{503, `{"error":{"message":"sk-secret"}}`, CodeOverloaded},
		{529, `{"error":{"message":"sk-secret"}}`, CodeOverloaded},
		{401, `{"error":{"message":"bad key sk-secret"}}`, CodeFailed},
	}
	for _, tt := range tests {
		o, _ := provider(t, tt.status, tt.body)
		_, err := o.Generate(t.Context(), Request{Messages: []Message{{Role: User, Text: "u"}}}, func(Delta) {})
		if e := AsError(err); e.Code != tt.want || strings.Contains(e.Message, "sk-secret") {
			t.Errorf("%d: code %q, message %q; want %q", tt.status, e.Code, e.Message, tt.want)
		}
	}
}
