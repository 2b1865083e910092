package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/playground/internal/model"
)

// bot is a client of the channel protocol, written from the contract alone.
type bot struct {
	p       *play
	channel string
	hint    string
	key     string
}

func (p *play) bot(channel string) *bot { return &bot{p: p, channel: channel} }

// aFrame is one frame, with the one fact that is not null.
type aFrame struct {
	id    string // "" for none
	kind  string
	trace string
	run   string
	fact  string // key
	body  struct {
		Message struct {
			MessageID              string `json:"messageId"`
			Text                   string `json:"text"`
			ReplyToCustomMessageID string `json:"replyToCustomMessageId"`
		} `json:"message"`
		MessageID       string `json:"messageId"`
		CustomMessageID string `json:"customMessageId"`
		Text            string `json:"text"`
		Error           struct{ Message, Code string }
		ProcessID       string `json:"processId"`
		ToolUseID       string `json:"toolUseId"`
		ToolCall        struct {
			ToolsetName, ToolName string
			Parameter             json.RawMessage
		} `json:"toolCall"`
		ToolCallResult json.RawMessage `json:"toolCallResult"`
		IsError        bool            `json:"isError"`
		PendingCalls   []struct {
			ToolCallID     string          `json:"toolCallId"`
			ToolsetName    string          `json:"toolsetName"`
			ToolName       string          `json:"toolName"`
			Parameter      json.RawMessage `json:"parameter"`
			AlreadyAllowed *bool           `json:"alreadyAllowed"`
			Reason         *string         `json:"reason"`
		} `json:"pendingCalls"`
		Title string `json:"title"`
	}
}

// aReply is a whole response.
type aReply struct {
	status   int
	header   http.Header
	body     string // not an event stream
	frames   []aFrame
	comments int
}

func (b *bot) request(ctx context.Context, method, path string, body any, headers ...string) *http.Response {
	b.p.t.Helper()
	var raw io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			b.p.t.Fatal(err)
		}
		raw = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, b.p.base+"/ns/demo/bot-provider/posts"+path, raw)
	if err != nil {
		b.p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if b.hint != "" {
		req.Header.Set("X-ASGARD-USER-IDENTITY-HINT", b.hint)
	}
	if b.key != "" {
		req.Header.Set("X-API-KEY", b.key)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		b.p.t.Fatal(err)
	}
	return res
}

// readFrames reads a response to its end, or until a frame after which it is cut.
func readFrames(t *testing.T, res *http.Response, until func(aFrame) bool) aReply {
	t.Helper()
	defer res.Body.Close()
	r := aReply{status: res.StatusCode, header: res.Header}
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		r.body = string(body)
		return r
	}
	lines := bufio.NewReader(res.Body)
	id, event := "", ""
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return r
		}
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, ":"):
			r.comments++
		case strings.HasPrefix(line, "id: "):
			id = line[4:]
		case strings.HasPrefix(line, "event: "):
			event = line[7:]
		case strings.HasPrefix(line, "data: "):
			f := parseFrame(t, line[6:])
			if f.kind != event {
				t.Errorf("event %q carries %q", event, f.kind)
			}
			f.id, id = id, ""
			r.frames = append(r.frames, f)
			if until != nil && until(f) {
				return r
			}
		}
	}
}

func parseFrame(t *testing.T, data string) aFrame {
	t.Helper()
	var v struct {
		EventType, RequestID, EventID, Namespace, BotProviderName, CustomChannelID string
		Fact                                                                       map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(data), &v); err != nil {
		t.Fatalf("frame %q: %v", data, err)
	}
	if v.Namespace != "demo" || v.BotProviderName != "posts" || v.CustomChannelID == "" || v.EventID == "" || v.RequestID == "" {
		t.Errorf("envelope of %s", data)
	}
	f := aFrame{kind: v.EventType, run: v.RequestID}
	for key, fact := range v.Fact {
		if string(fact) == "null" {
			continue
		}
		if f.fact != "" {
			t.Errorf("two facts in %s", data)
		}
		f.fact = key
		if err := json.Unmarshal(fact, &f.body); err != nil {
			t.Fatalf("fact %s: %v", fact, err)
		}
	}
	return f
}

// turn sends a body and reads the answer to its end.
func (b *bot) turn(body map[string]any, headers ...string) aReply {
	b.p.t.Helper()
	body["customChannelId"] = b.channel
	return readFrames(b.p.t, b.request(b.p.t.Context(), "POST", "/message/sse", body, headers...), nil)
}

func (b *bot) say(text string) aReply {
	b.p.t.Helper()
	return b.turn(map[string]any{"action": "NONE", "text": text, "customMessageId": "custom-" + text})
}

func (b *bot) nudge() aReply {
	b.p.t.Helper()
	return b.turn(map[string]any{"action": "NUDGE", "text": ""})
}

// reply answers calls, given as id, result, reason, …
func (b *bot) reply(triples ...string) aReply {
	b.p.t.Helper()
	return b.turn(consents(triples...))
}

func consents(triples ...string) map[string]any {
	list := []any{}
	for i := 0; i < len(triples); i += 3 {
		list = append(list, map[string]any{"toolCallId": triples[i], "result": triples[i+1], "denyReason": triples[i+2]})
	}
	return map[string]any{"action": "RESPONSE_TOOL_CALL_CONSENT", "text": "", "toolCallConsents": list}
}

func (b *bot) rejoin() aReply {
	b.p.t.Helper()
	return readFrames(b.p.t, b.request(b.p.t.Context(), "GET", "/message/sse?custom_channel_id="+b.channel, nil), nil)
}

func (b *bot) do(method, path string) aReply {
	b.p.t.Helper()
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	return readFrames(b.p.t, b.request(b.p.t.Context(), method, path+sep+"custom_channel_id="+b.channel, nil), nil)
}

// kinds are the types of the frames in order without their prefix, runs of
// deltas as one.
func (r aReply) kinds() string {
	var list []string
	for _, f := range r.frames {
		kind := strings.TrimPrefix(f.kind, "asgard.")
		if n := len(list); n > 0 && list[n-1] == kind && strings.HasSuffix(kind, ".delta") {
			continue
		}
		list = append(list, kind)
	}
	return strings.Join(list, " ")
}

func (r aReply) of(kind string) []aFrame {
	var list []aFrame
	for _, f := range r.frames {
		if f.kind == "asgard."+kind {
			list = append(list, f)
		}
	}
	return list
}

// asks are the calls that the response asks for: "id toolset/tool arguments".
func (r aReply) asks() string {
	var list []string
	for _, f := range r.of("tool_call.consent") {
		for _, c := range f.body.PendingCalls {
			list = append(list, c.ToolCallID+" "+c.ToolsetName+"/"+c.ToolName+" "+string(c.Parameter))
		}
	}
	return strings.Join(list, "|")
}

func wantKinds(t *testing.T, r aReply, want string) {
	t.Helper()
	if r.status != http.StatusOK {
		t.Fatalf("status %d %q, want 200", r.status, r.body)
	}
	if got := r.kinds(); got != want {
		t.Errorf("frames\n got %s\nwant %s", got, want)
	}
}

// wantRefused checks a refusal inside the stream.
func wantRefused(t *testing.T, r aReply, text string) {
	t.Helper()
	wantKinds(t, r, "run.init run.error")
	if got := r.frames[len(r.frames)-1].body.Error.Message; !strings.Contains(got, text) {
		t.Errorf("refused with %q, want it to name %q", got, text)
	}
}

// withText is a model step that says something before its calls.
func withText(text string, r model.Response) model.Response {
	r.Text = text
	return r
}
