package app

import (
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/svedawasm/svedawasm/playground/hosttool"
	"github.com/svedawasm/svedawasm/playground/internal/config"
	"github.com/svedawasm/svedawasm/playground/internal/model"
	"github.com/svedawasm/svedawasm/playground/internal/policy"
	"github.com/svedawasm/svedawasm/playground/internal/token"
)

// request sends anything and gives the answer as it is.
func (p *play) request(method, path, contentType, body string, header ...string) (*http.Response, string) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.base+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return res, string(raw)
}

// statusWithHost is a GET with one header, Host included.
func (p *play) statusWithHost(path, header, value string) int {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), "GET", p.base+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set(header, value)
	if header == "Host" {
		req.Host = value
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}

func TestHTTPErrors_BodyBeforeToken(t *testing.T) {
	p := start(t, setup{env: map[string]string{"SVEDA_MAX_BODY": "2000"}})
	const json = "application/json"
	tests := []struct {
		name, contentType, body string
		status                  int
		text                    string // the beginning of the body
	}{
		{"no content type", "", `{}`, 415, "Expected request with `Content-Type: application/json`"},
		{"wrong content type", "text/plain", `{}`, 415, "Expected request with `Content-Type: application/json`"},
		{"form", "application/x-www-form-urlencoded", `a=b`, 415, "Expected request"},
		{"not JSON", json, `{"prompt":`, 400, "Failed to parse the request body as JSON"},
		{"empty", json, ``, 400, "Failed to parse the request body as JSON"},
		{"trailing", json, `{} {}`, 400, "Failed to parse the request body as JSON"},
		{"NaN", json, `{"context":NaN}`, 400, "Failed to parse the request body as JSON"},
		{"too deep", json, `{"context":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`, 400, "Failed to parse"},
		{"array", json, `[]`, 422, "Failed to deserialize the JSON body into the target type"},
		{"prompt is a number", json, `{"prompt":1}`, 422, "Failed to deserialize"},
		{"chatId is an object", json, `{"chatId":{}}`, 422, "Failed to deserialize"},
		{"chatId is too long", json, `{"chatId":"` + strings.Repeat("x", 300) + `"}`, 422, "Failed to deserialize"},
		{"messages is an object", json, `{"messages":{}}`, 422, "Failed to deserialize"},
		{"message without role", json, `{"messages":[{}]}`, 422, "Failed to deserialize"},
		{"unknown role", json, `{"messages":[{"role":"root"}]}`, 422, "Failed to deserialize"},
		{"part without type", json, `{"messages":[{"role":"user","parts":[{}]}]}`, 422, "Failed to deserialize"},
		{"result without id", json, `{"messages":[{"role":"tool","parts":[{"type":"tool-result"}]}]}`, 422, "Failed to deserialize"},
		{"toolDecisions null", json, `{"toolDecisions":null}`, 422, "Failed to deserialize"},
		{"toolDecisions object", json, `{"toolDecisions":{}}`, 422, "Failed to deserialize"},
		{"decision without id", json, `{"toolDecisions":[{"decision":"approve"}]}`, 422, "Failed to deserialize"},
		{"decision without word", json, `{"toolDecisions":[{"toolCallId":"c"}]}`, 422, "Failed to deserialize"},
		{"decision is a bool", json, `{"toolDecisions":[{"toolCallId":"c","decision":true}]}`, 422, "Failed to deserialize"},
		{"reason is a number", json, `{"toolDecisions":[{"toolCallId":"c","decision":"deny","reason":1}]}`, 422, "Failed to deserialize"},
		{"decision in another case", json, `{"toolDecisions":[{"toolCallId":"c","Decision":"approve"}]}`, 422, "Failed to deserialize"},
		{"decision twice", json, `{"toolDecisions":[{"toolCallId":"c","decision":"deny","decision":"approve"}]}`, 422, "Failed to deserialize"},
		{"id twice", json, `{"toolDecisions":[{"toolCallId":"c","toolCallId":"d","decision":"approve"}]}`, 422, "Failed to deserialize"},
		{"id twice, once escaped", json, `{"toolDecisions":[{"toolCallId":"c","tool\u0043allId":"d","decision":"approve"}]}`, 422, "Failed to deserialize"},
		{"toolDecisions twice", json, `{"toolDecisions":[],"toolDecisions":[]}`, 422, "Failed to deserialize"},
		{"tool without name", json, `{"clientTools":[{}]}`, 422, "Failed to deserialize"},
		{"confirmation twice", json, `{"clientTools":[{"name":"x","confirmation":"required","confirmation":"auto"}]}`, 422, "Failed to deserialize"},
		{"parameters is a string", json, `{"clientTools":[{"name":"x","parameters":"y"}]}`, 422, "Failed to deserialize"},
		{"options is a string", json, `{"options":"y"}`, 422, "Failed to deserialize"},
		{"over the limit", json, `{"prompt":"` + strings.Repeat("x", 3000) + `"}`, 413, `{"code":"body_too_large","message":`},
		{"good body, no token", json, `{}`, 401, ""},
		{"nulls are fine, no token", json, `{"prompt":null,"messages":null,"chatId":null,"context":null,"clientTools":null,"model":null,"provider":null,"options":null}`, 401, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, path := range []string{"/sveda/stream", "/sveda/message"} {
				res, body := p.request("POST", path, tt.contentType, tt.body)
				if res.StatusCode != tt.status || !strings.HasPrefix(body, tt.text) || tt.text == "" && body != "" {
					t.Errorf("%s: %d %q, want %d %q", path, res.StatusCode, body, tt.status, tt.text)
				}
				if kind := res.Header.Get("Content-Type"); tt.status != 413 && tt.text != "" && !strings.HasPrefix(kind, "text/plain") {
					t.Errorf("%s: content type %q", path, kind)
				}
			}
		})
	}
	if res, _ := p.request("GET", "/sveda/stream", "", ""); res.StatusCode != 405 {
		t.Errorf("GET: %d, want 405", res.StatusCode)
	}
}

func TestHTTPErrors_Tokens(t *testing.T) {
	p := start(t, setup{})
	good := p.token
	expired, err := p.app.Tokens.Sign(token.Claims{VisitorID: "alice"}, time.Now().Add(-2*time.Hour), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	other, _ := token.NewSigner([]byte("another key"))
	forged, _ := other.Sign(token.Claims{VisitorID: "alice"}, time.Now(), time.Hour)
	tests := []struct {
		name   string
		header []string
		status int
	}{
		{"embed header", []string{"x-sveda-embed-token", good}, 200},
		{"bearer", []string{"Authorization", "Bearer " + good}, 200},
		{"embed header wins over bearer", []string{"x-sveda-embed-token", good, "Authorization", "Bearer nonsense"}, 200},
		{"wrong embed header is not saved by bearer", []string{"x-sveda-embed-token", "wrong", "Authorization", "Bearer " + good}, 401},
		{"empty embed header", []string{"x-sveda-embed-token", "", "Authorization", "Bearer " + good}, 200},
		{"bearer without prefix", []string{"Authorization", "Bearer abc"}, 401},
		{"none", nil, 401},
		{"expired", []string{"x-sveda-embed-token", expired}, 401},
		{"other key", []string{"x-sveda-embed-token", forged}, 401},
		{"cut", []string{"x-sveda-embed-token", good[:len(good)-1]}, 401},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res, body := p.request("POST", "/sveda/stream", "application/json", `{"prompt":"hi"}`, tt.header...)
			if res.StatusCode != tt.status || tt.status == 401 && body != "" {
				t.Errorf("%d %q, want %d", res.StatusCode, body, tt.status)
			}
		})
	}
}

func TestHTTPErrors_OrderAfterTheToken(t *testing.T) {
	gone := "gone"
	p := start(t, setup{model: script(calling("c1", "delete_post", `{"post_id":2}`)), config: func(c *config.Config) {
		c.File.Limits.Visitor = config.Limit{PerMinute: 1, Burst: 1}
	}})
	// Throttle before policy.
	lost := p.sign(token.Claims{VisitorID: "bob", Policy: &gone})
	wantMessage(t, p.send("POST", "/sveda/stream", turn("c", "x"), lost), 403, "unknown policy: gone")
	r := p.send("POST", "/sveda/stream", turn("c", "x"), lost)
	wantMessage(t, r, 429, "Too Many Attempts.")
	if after := r.header.Get("Retry-After"); after == "" || after == "0" {
		t.Errorf("Retry-After %q", after)
	}
	// A body that cannot be read comes before the throttle.
	if r := p.send("POST", "/sveda/stream", `{"prompt":1}`, lost); r.status != 422 {
		t.Errorf("status %d", r.status)
	}

	p = start(t, setup{model: script(calling("c1", "delete_post", `{"post_id":2}`))})
	lost = p.sign(token.Claims{VisitorID: "alice", Policy: &gone})
	p.say("c", "go")
	// Policy before the conflicts, conflicts before the model.
	wantMessage(t, p.send("POST", "/sveda/stream", turn("c", "x"), lost), 403, "unknown policy: gone")
	body := turn("c", "x")
	body["model"] = "no-such-model"
	wantMessage(t, p.post(body), 409, "Tool confirmation is required before the conversation can continue.")
	body = decisions("nowhere", "c1", "approve")
	body["model"] = "no-such-model"
	wantMessage(t, p.post(body), 409, "Chat history is unavailable.")
	p.wantCalls("delete_post", 0)
}

func TestHTTPErrors_Occupancy(t *testing.T) {
	gate := newGate("slow_tool", "")
	p := start(t, setup{model: script(calling("c1", "slow_tool", `{}`)), tools: []hosttool.Tool{gate},
		config: func(c *config.Config) { c.File.Limits.Streams = 1 }})
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	res := p.open(ctx, "POST", "/sveda/stream", turn("c", "go"), p.token)
	await(t, "the host call", gate.started)
	wantMessage(t, p.say("d", "hi"), 429, "Too many active streams.")
	if r := p.send("POST", "/sveda/stream", turn("c", "hi"), p.sign(token.Claims{VisitorID: "bob"})); r.status != 200 {
		t.Errorf("another visitor: %d", r.status)
	}
	close(gate.let)
	if _, err := read(res, nil); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the place is free", func() bool { return p.say("e", "hi").status == 200 })
}

func TestFraming(t *testing.T) {
	p := start(t, setup{model: script(model.Response{Text: "a\n\ndata: {\"type\":\"tool.call\"}\r\u2028"})})
	res := p.open(t.Context(), "POST", "/sveda/stream", turn("c", "hi"), p.token)
	defer res.Body.Close()
	raw, _ := io.ReadAll(res.Body)
	want := map[string]string{
		"Content-Type": "text/event-stream", "Cache-Control": "no-cache", "X-Accel-Buffering": "no",
		"X-Sveda-Protocol-Version": "1.0", "Access-Control-Allow-Origin": "*",
	}
	for k, v := range want {
		if got := res.Header.Get(k); got != v {
			t.Errorf("%s is %q, want %q", k, got, v)
		}
	}
	frames := strings.Split(strings.TrimSuffix(string(raw), "\n\n"), "\n\n")
	for i, f := range frames {
		if !strings.HasPrefix(f, "data: ") || strings.ContainsAny(f, "\n\r") {
			t.Errorf("frame %q", f)
		}
		if (f == "data: [DONE]") != (i == len(frames)-1) {
			t.Errorf("frame %d is %q", i, f)
		}
		if strings.Contains(f, "null") {
			t.Errorf("frame %q has null for something unset", f)
		}
	}
}

func TestEventsCarryTheCommonFields(t *testing.T) {
	p := start(t, setup{model: script(calling("c1", "delete_post", `{"post_id":2}`))})
	first := p.say("c", "go")
	second := p.decide("c", "c1", "approve")
	for _, r := range []reply{first, second} {
		stamp := r.events[0].Timestamp
		var id string
		for _, e := range r.events {
			if e.Timestamp != stamp {
				t.Errorf("time stamps differ: %s", e.raw)
			}
			if !strings.HasPrefix(e.raw, `{"type":"`+e.Type+`"`) {
				t.Errorf("type is not the first key: %s", e.raw)
			}
			switch e.Type {
			case "chat.title":
				if e.ChatID == nil || e.MessageID != nil {
					t.Errorf("chat.title %s", e.raw)
				}
			case "tool.result":
				if e.ChatID != nil || e.MessageID != nil {
					t.Errorf("result of a decision %s", e.raw)
				}
			default:
				if e.ChatID == nil || *e.ChatID != "c" || e.MessageID == nil || !strings.HasPrefix(*e.MessageID, "msg_") {
					t.Fatalf("common fields of %s", e.raw)
				}
				if id == "" {
					id = *e.MessageID
				}
				if *e.MessageID != id {
					t.Errorf("message ids differ: %s", e.raw)
				}
			}
		}
		if _, err := time.Parse(time.RFC3339Nano, stamp); err != nil || !strings.Contains(stamp, ".") || !strings.HasSuffix(stamp, "Z") {
			t.Errorf("time stamp %q", stamp)
		}
	}
}

func TestKeepAliveWhileAToolRuns(t *testing.T) {
	gate := newGate("slow_tool", "required")
	p := start(t, setup{model: script(calling("c1", "slow_tool", `{}`)), tools: []hosttool.Tool{gate},
		env: map[string]string{"SVEDA_KEEP_ALIVE": "50ms"}})
	p.say("c", "go")
	res := p.open(t.Context(), "POST", "/sveda/stream", decisions("c", "c1", "approve"), p.token)
	defer res.Body.Close()
	await(t, "the host call", gate.started)
	// The head and two comments come while the tool still runs.
	want := ": keep-alive\n\n: keep-alive\n\n"
	got := make([]byte, len(want))
	if _, err := io.ReadFull(res.Body, got); err != nil || string(got) != want {
		t.Errorf("while the tool runs: %q, %v", got, err)
	}
	close(gate.let)
	r, err := read(res, nil)
	if err != nil {
		t.Fatal(err)
	}
	wantTypes(t, r, "tool.result", "message.start", "text.delta", "context.usage", "message.end", "chat.title")
}

func TestModelErrors(t *testing.T) {
	for _, code := range []string{"rate_limited", "overloaded", "insufficient_credits", "llm_error"} {
		m := script()
		m.err = &model.Error{Code: code, Message: "Sorry."}
		p := start(t, setup{model: m})
		r := p.say("c", "hi")
		wantTypes(t, r, "error", "context.usage", "chat.title")
		if e := r.of("error")[0]; e.Code != code || !strings.Contains(e.raw, `"message":"Sorry."`) {
			t.Errorf("error %s", e.raw)
		}
		m.err = nil
		// The words are kept; asking again answers them.
		r = p.post(map[string]any{"chatId": "c"})
		if got := roles(m.last(t)); r.text() != "done" || got != "system user" {
			t.Errorf("answer %q, conversation %s", r.text(), got)
		}
		p.stop()
	}
	m := script(calling("c1", "search_posts", `{}`))
	m.err = &model.Error{Code: "overloaded", Message: "Sorry."}
	p := start(t, setup{model: m})
	r := p.say("c", "hi")
	wantTypes(t, r, "message.start", "tool.call", "context.usage", "tool.result", "error", "context.usage", "message.end", "chat.title")
	if r.of("message.end")[0].FinishReason != "error" {
		t.Errorf("message.end %s", r.of("message.end")[0].raw)
	}
}

func TestMessageEndpoint(t *testing.T) {
	m := script(model.Response{Text: "hello there"})
	p := start(t, setup{model: m})
	r := p.send("POST", "/sveda/message", turn("c", "hi"), p.token)
	if r.status != 200 || r.body != `{"explanation":"hello there","tokens_used":12,"chat_id":"c"}` {
		t.Errorf("%d %s", r.status, r.body)
	}
	m.err = &model.Error{Code: "llm_error", Message: "Sorry."}
	wantMessage(t, p.send("POST", "/sveda/message", turn("c", "hi"), p.token), 500, "Sorry.")
	wantMessage(t, p.send("POST", "/sveda/message", decisions("none", "c", "deny"), p.token), 409, "Chat history is unavailable.")
	if r := p.send("POST", "/sveda/message", map[string]any{"prompt": "x", "chatId": "  "}, p.token); !strings.Contains(r.body, `"chat_id":"chat_`) && r.status == 200 {
		t.Errorf("blank chat id gives %s", r.body)
	}
}

func TestCORS(t *testing.T) {
	p := start(t, setup{})
	res, body := p.request("OPTIONS", "/sveda/stream", "", "", "Origin", "https://shop.example",
		"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "x-sveda-embed-token")
	if res.StatusCode != 204 || body != "" || res.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
	if got := res.Header.Get("Access-Control-Allow-Headers"); got != "accept, authorization, content-type, x-requested-with, x-sveda-embed-token, x-sveda-host-key, x-sveda-admin-key, x-sveda-protocol" {
		t.Errorf("allowed headers %q", got)
	}
	if res.Header.Get("Access-Control-Expose-Headers") != "" {
		t.Error("headers are exposed")
	}
	for _, path := range []string{"/demo/token", "/debug/posts", "/mcp/sveda"} {
		if res, _ := p.request("GET", path, "", "", "Origin", "https://shop.example"); res.Header.Get("Access-Control-Allow-Origin") != "" || res.StatusCode < 400 {
			t.Errorf("%s is open to other origins: %d", path, res.StatusCode)
		}
	}
}

func TestEmbedToken(t *testing.T) {
	p := start(t, setup{env: map[string]string{"SVEDA_HOST_KEY": "host-secret"}, model: script(), config: func(c *config.Config) {
		c.File.Policies = map[string]policy.Rules{"agent": {MCP: &policy.MCP{Allow: []string{"search_posts"}}, Client: &policy.Client{Allow: []string{"page_*"}}}}
	}})
	const js = "application/json"
	ask := func(body string) (*http.Response, string) {
		return p.request("POST", "/sveda/embed/token", js, body, "x-sveda-host-key", "host-secret")
	}
	res, body := ask(`{"visitor_id":"v1","policy":"agent"}`)
	if res.StatusCode != 200 || !strings.Contains(body, `"visitor_id":"v1","expires_in":3600}`) {
		t.Fatalf("%d %s", res.StatusCode, body)
	}
	tok := strings.Split(body, `"`)[3]
	if r := p.send("POST", "/sveda/stream", turn("c", "hi"), tok); r.status != 200 {
		t.Errorf("the token does not work: %d", r.status)
	}
	r := p.send("GET", "/sveda/embed/config", nil, tok)
	if r.status != 200 || !strings.Contains(r.body, `"client":{"allow":["page_*"]}`) || !strings.Contains(r.body, `"restricted":true`) {
		t.Errorf("config %d %s", r.status, r.body)
	}
	if res, body := ask(`{}`); res.StatusCode != 200 || !strings.Contains(body, `"visitor_id":"visitor_`) {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	for name, tt := range map[string]struct {
		body   string
		status int
	}{
		"unknown policy":  {`{"policy":"nope"}`, 403},
		"visitor too big": {`{"visitor_id":"` + strings.Repeat("x", 65) + `"}`, 422},
		"plain http host": {`{"host_mcp_url":"http://evil.example/mcp"}`, 422},
		"file url":        {`{"host_mcp_url":"file:///etc/passwd"}`, 422},
		"grants is text":  {`{"grants":"all"}`, 422},
		"not JSON":        {`{`, 400},
	} {
		if res, body := ask(tt.body); res.StatusCode != tt.status {
			t.Errorf("%s: %d %s, want %d", name, res.StatusCode, body, tt.status)
		}
	}
	for _, header := range [][]string{nil, {"x-sveda-host-key", "wrong"}, {"x-sveda-embed-token", tok}} {
		if res, body := p.request("POST", "/sveda/embed/token", js, `{}`, header...); res.StatusCode != 401 || body != "" {
			t.Errorf("with %v: %d %q", header, res.StatusCode, body)
		}
	}
	// Without a configured key the endpoint is closed, also for an empty key.
	closed := start(t, setup{})
	if res, _ := closed.request("POST", "/sveda/embed/token", js, `{}`, "x-sveda-host-key", ""); res.StatusCode != 401 {
		t.Errorf("open without a key: %d", res.StatusCode)
	}
}

func TestExtract(t *testing.T) {
	p := start(t, setup{})
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, text := range map[string]string{"a.txt": "\ufeffplain", "b.pdf": "%PDF", "c.md": "bad \xff"} {
		f, _ := w.CreateFormFile("files", name)
		io.WriteString(f, text)
	}
	w.Close()
	res, body := p.request("POST", "/sveda/documents/extract", w.FormDataContentType(), b.String(), "x-sveda-embed-token", p.token)
	if res.StatusCode != 200 {
		t.Fatalf("%d %s", res.StatusCode, body)
	}
	for _, want := range []string{
		`{"filename":"a.txt","ok":true,"text":"plain"}`,
		`{"filename":"b.pdf","ok":false,"error":"files of type \".pdf\" cannot be read"}`,
		`{"filename":"c.md","ok":false,"error":"the file is not UTF-8 text"}`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("body %s lacks %s", body, want)
		}
	}
	if res, _ := p.request("POST", "/sveda/documents/extract", w.FormDataContentType(), b.String()); res.StatusCode != 401 {
		t.Errorf("without token: %d", res.StatusCode)
	}
	if res, _ := p.request("POST", "/sveda/documents/extract", "application/json", `{}`, "x-sveda-embed-token", p.token); res.StatusCode != 415 {
		t.Errorf("JSON: %d", res.StatusCode)
	}
}
