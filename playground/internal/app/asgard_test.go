package app

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/svedawasm/svedawasm/playground/hosttool"
	"github.com/svedawasm/svedawasm/playground/internal/config"
	"github.com/svedawasm/svedawasm/playground/internal/store"
)

const refusalWord = "use RespondToolCallConsent"

// paused is a channel whose first turn asks for delete_post with post 2.
func paused(t *testing.T, s setup) (*play, *bot, aReply) {
	t.Helper()
	p := start(t, s)
	b := p.bot("ch")
	r := b.say("delete post 2")
	return p, b, r
}

func TestAsgard_E1_ATurnThatAsks(t *testing.T) {
	p, _, r := paused(t, setup{})
	wantKinds(t, r, "run.init tool_call.start completion_model.usage tool_call.consent channel.title.update channel.title.update run.done")
	first := r.frames[0]
	if first.id != "0" || r.header.Get("X-Trace-Id") != first.run {
		t.Errorf("first frame has id %q, run %q, trace %q", first.id, first.run, r.header.Get("X-Trace-Id"))
	}
	start, consent := r.of("tool_call.start")[0].body, r.of("tool_call.consent")[0].body
	call := consent.PendingCalls[0]
	if call.ToolCallID != start.ToolUseID || call.ToolsetName != "posts" || call.ToolName != "delete_post" || string(call.Parameter) != `{"post_id":2}` {
		t.Errorf("asked %+v", call)
	}
	if call.AlreadyAllowed == nil || *call.AlreadyAllowed || call.Reason == nil || consent.ProcessID == "" || consent.ProcessID != start.ProcessID {
		t.Errorf("asked %+v in process %q", call, consent.ProcessID)
	}
	p.wantCalls("delete_post", 0)
	p.wantPost(2, true)
}

func TestAsgard_S3_RejoinEndsWithASyntheticBracketWithoutAProcess(t *testing.T) {
	_, b, asked := paused(t, setup{})
	for range 2 {
		r := b.rejoin()
		wantKinds(t, r, "message.user run.init tool_call.consent run.done")
		if got := r.of("tool_call.consent")[0].body.ProcessID; got != "" {
			t.Errorf("process %q", got)
		}
		if r.asks() != asked.asks() {
			t.Errorf("asks %q, want %q", r.asks(), asked.asks())
		}
		if user := r.of("message.user")[0]; user.id == "" || user.body.Text != "delete post 2" || user.body.CustomMessageID != "custom-delete post 2" {
			t.Errorf("user %+v", user)
		}
	}
}

func TestAsgard_S2_APausedChannelTakesOnlyAReply(t *testing.T) {
	p, b, _ := paused(t, setup{})
	for name, r := range map[string]aReply{
		"words": b.say("never mind"), "nudge": b.nudge(), "opening": b.turn(map[string]any{"action": "NONE", "text": ""}),
	} {
		wantRefused(t, r, refusalWord)
		if code := r.frames[1].body.Error.Code; code != "FAILED_PRECONDITION" {
			t.Errorf("%s: code %q", name, code)
		}
	}
	if n := len(b.rejoin().of("message.user")); n != 1 {
		t.Errorf("a refused turn left a trace: %d user messages", n)
	}
	p.wantPost(2, true)
}

func TestAsgard_W9_TheApprovedCallRunsOnceWithTheArgumentsThatWereShown(t *testing.T) {
	m := script(calling("c1", "delete_post", `{"post_id":2}`, "c2", "delete_post", `{"post_id": 3}`), calling("c3", "delete_post", `{"post_id":4}`))
	p, b, asked := paused(t, setup{model: m})
	if got := asked.asks(); got != `c1 posts/delete_post {"post_id":2}|c2 posts/delete_post {"post_id": 3}` {
		t.Fatal(got)
	}
	r := b.reply("c1", "ALLOW_ONCE", "", "c2", "DENY_ONCE", "keep the third")
	// Both end under their own ids (S5), and a new call of the tool is asked anew (S6).
	var ended []string
	for _, f := range r.of("tool_call.complete") {
		ended = append(ended, f.body.ToolUseID)
		if f.id == "" || f.body.IsError != (f.body.ToolUseID == "c2") {
			t.Errorf("%+v", f)
		}
	}
	if strings.Join(ended, " ") != "c1 c2" && strings.Join(ended, " ") != "c2 c1" {
		t.Errorf("ended %v", ended)
	}
	if got := r.asks(); got != `c3 posts/delete_post {"post_id":4}` {
		t.Errorf("asks %q", got)
	}
	p.wantPost(2, false)
	p.wantPost(3, true)
	p.wantPost(4, true)
	p.wantCalls("delete_post", 1)
	if got := toolText(m.last(t), "c2"); !strings.Contains(got, `"denied":true`) || !strings.Contains(got, `"reason":"keep the third"`) {
		t.Errorf("the model was told %s", got)
	}
	calls, _ := p.app.Posts.Calls(t.Context())
	if string(calls[0].Arguments) != `{"post_id":2}` {
		t.Errorf("ran with %s", calls[0].Arguments)
	}
}

func TestAsgard_S8_AllowAlwaysHoldsForTheChannelUntilItIsDeleted(t *testing.T) {
	m := script(
		calling("c1", "delete_post", `{"post_id":2}`), calling("c2", "delete_post", `{"post_id":3}`), calling(),
		calling("c3", "delete_post", `{"post_id":4}`), calling(), // a later turn
		calling("c4", "delete_post", `{"post_id":5}`), // another channel
		calling("c5", "delete_post", `{"post_id":6}`), // after the deletion
	)
	p, b, _ := paused(t, setup{model: m})
	r := b.reply("c1", "ALLOW_ALWAYS", "")
	if r.asks() != "" {
		t.Errorf("asks %q", r.asks())
	}
	wantKinds(t, r, "run.init tool_call.start tool_call.complete tool_call.start tool_call.complete completion_model.usage channel.title.update run.done")
	p.wantPost(3, false)
	if r := b.say("again"); r.asks() != "" {
		t.Errorf("a later turn asks %q", r.asks())
	}
	p.wantPost(4, false)
	other := p.bot("other")
	if got := other.say("x").asks(); got != `c4 posts/delete_post {"post_id":5}` {
		t.Errorf("another channel asks %q", got)
	}
	if r := b.do("DELETE", "/channel"); r.status != http.StatusNoContent {
		t.Fatal(r.status)
	}
	if got := b.say("x").asks(); got != `c5 posts/delete_post {"post_id":6}` {
		t.Errorf("after the deletion it asks %q", got)
	}
	p.wantCalls("delete_post", 3)
}

func TestAsgard_S8_TheAllowListSurvivesARestart(t *testing.T) {
	p, b, _ := paused(t, setup{model: script(calling("c1", "delete_post", `{"post_id":2}`))})
	b.reply("c1", "ALLOW_ALWAYS", "")
	p.stop()
	again := start(t, setup{dir: p.dir, model: script(calling("c2", "delete_post", `{"post_id":3}`))})
	if r := again.bot("ch").say("and three"); r.asks() != "" {
		t.Errorf("asks %q", r.asks())
	}
	again.wantPost(3, false)
}

func TestAsgard_S3_ThePauseSurvivesARestart(t *testing.T) {
	p, _, asked := paused(t, setup{})
	p.stop()
	again := start(t, setup{dir: p.dir})
	b := again.bot("ch")
	r := b.rejoin()
	if r.asks() != asked.asks() {
		t.Fatalf("asks %q, want %q", r.asks(), asked.asks())
	}
	wantRefused(t, b.say("y"), refusalWord)
	b.reply(r.of("tool_call.consent")[0].body.PendingCalls[0].ToolCallID, "ALLOW_ONCE", "")
	again.wantPost(2, false)
	again.wantCalls("delete_post", 1)
}

func TestAsgard_W4_ASecondReplyIsRefusedAndRunsNothing(t *testing.T) {
	p, b, asked := paused(t, setup{})
	id := asked.of("tool_call.consent")[0].body.PendingCalls[0].ToolCallID
	b.reply(id, "ALLOW_ONCE", "")
	p.wantCalls("delete_post", 1)
	wantRefused(t, b.reply(id, "ALLOW_ONCE", ""), "No tool call of this channel waits")
	wantRefused(t, b.reply(id, "DENY_ONCE", "late"), "No tool call of this channel waits")
	p.wantCalls("delete_post", 1)
	p.wantPost(2, false)
	fresh := p.bot("fresh")
	wantRefused(t, fresh.reply("c1", "ALLOW_ONCE", ""), "No tool call of this channel waits")
	if r := fresh.do("GET", "/channel/metadata"); r.status != http.StatusNotFound {
		t.Errorf("a refused reply made a channel: %d", r.status)
	}
}

func TestAsgard_W4_TwoRepliesAtOnceRunTheCallOnce(t *testing.T) {
	gate := newGate("slow", "required")
	m := script(calling("c1", "slow", `{}`))
	p := start(t, setup{model: m, tools: []hosttool.Tool{gate}})
	b := p.bot("ch")
	b.say("x")
	done := make(chan aReply, 2)
	for range 2 {
		go func() { done <- b.reply("c1", "ALLOW_ONCE", "") }()
	}
	await(t, "the tool", gate.started)
	close(gate.let)
	for range 2 {
		<-done
	}
	p.wantCalls("slow", 1)
}

func TestAsgard_APartOfABatchMayBeAnswered(t *testing.T) {
	m := script(calling("c1", "delete_post", `{"post_id":2}`, "c2", "delete_post", `{"post_id":3}`))
	p, b, _ := paused(t, setup{model: m})
	r := b.reply("c1", "ALLOW_ONCE", "")
	if got := r.asks(); got != `c2 posts/delete_post {"post_id":3}` {
		t.Errorf("asks %q", got)
	}
	p.wantPost(2, false)
	if len(m.asked()) != 1 {
		t.Error("the model was asked before every call had its answer")
	}
	wantRefused(t, b.say("y"), refusalWord)
	b.reply("c2", "DENY_ONCE", "")
	p.wantPost(3, true)
}

func TestAsgard_IdentityOfThePauseMustReply(t *testing.T) {
	p := start(t, setup{})
	ann, bob, nobody := p.bot("ch"), p.bot("ch"), p.bot("ch")
	ann.hint, bob.hint = "ann", "bob"
	id := ann.say("delete post 2").of("tool_call.consent")[0].body.PendingCalls[0].ToolCallID
	for _, b := range []*bot{bob, nobody} {
		if r := b.reply(id, "ALLOW_ONCE", ""); r.status != http.StatusForbidden {
			t.Errorf("status %d", r.status)
		}
	}
	p.wantPost(2, true)
	ann.reply(id, "ALLOW_ONCE", "")
	p.wantPost(2, false)

	plain := p.bot("ch2") // without a hint it is "primary"
	id = plain.say("delete post 3").of("tool_call.consent")[0].body.PendingCalls[0].ToolCallID
	named := p.bot("ch2")
	named.hint = "primary"
	named.reply(id, "ALLOW_ONCE", "")
	p.wantPost(3, false)
}

func TestAsgard_E4_SuspendEndsARunAndWhatItAsks(t *testing.T) {
	gate := newGate("slow", "")
	m := script(calling("c1", "slow", `{}`, "c2", "delete_post", `{"post_id":2}`))
	p := start(t, setup{model: m, tools: []hosttool.Tool{gate}})
	b := p.bot("ch")
	if r := b.do("POST", "/message/suspend"); r.status != http.StatusNotFound {
		t.Errorf("nothing to stop: %d", r.status)
	}
	done := make(chan aReply, 1)
	go func() { done <- b.say("x") }()
	await(t, "the tool", gate.started)
	if r := b.do("POST", "/message/suspend?request_id=another"); r.status != http.StatusNotFound {
		t.Errorf("another run: %d", r.status)
	}
	if r := b.do("POST", "/message/suspend"); r.status != http.StatusAccepted {
		t.Errorf("status %d", r.status)
	}
	close(gate.let)
	r := <-done
	if last := r.frames[len(r.frames)-1]; last.kind != "asgard.run.done" || len(r.of("tool_call.consent")) != 0 {
		t.Errorf("frames %s", r.kinds())
	}
	if r := b.rejoin(); r.asks() != "" {
		t.Errorf("still asks %q", r.asks())
	}
	b.say("next")
	p.wantPost(2, true)
	p.wantCalls("delete_post", 0)
}

func TestAsgard_S9_SuspendLiftsAPause(t *testing.T) {
	p, b, asked := paused(t, setup{})
	id := asked.of("tool_call.consent")[0].body.PendingCalls[0].ToolCallID
	if r := b.do("POST", "/message/suspend?force=true"); r.status != http.StatusAccepted {
		t.Fatal(r.status)
	}
	wantRefused(t, b.reply(id, "ALLOW_ONCE", ""), "No tool call of this channel waits")
	if r := b.say("list posts"); r.asks() != "" || strings.Contains(r.kinds(), "run.error") {
		t.Errorf("frames %s", r.kinds())
	}
	p.wantPost(2, true)
}

func TestAsgard_E3_Metadata(t *testing.T) {
	gate := newGate("slow", "")
	p := start(t, setup{model: script(calling("c1", "slow", `{}`), calling("c2", "delete_post", `{"post_id":2}`)), tools: []hosttool.Tool{gate}})
	b := p.bot("ch")
	meta := func() (m struct {
		Title, RunState, ConversationStatus string
		LastActivityAt                      time.Time
		LaunchedSandboxes                   []any
	}) {
		t.Helper()
		r := b.do("GET", "/channel/metadata")
		if r.status != http.StatusOK {
			t.Fatalf("status %d", r.status)
		}
		if err := json.Unmarshal([]byte(r.body), &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	if r := b.do("GET", "/channel/metadata"); r.status != http.StatusNotFound {
		t.Errorf("status %d", r.status)
	}
	done := make(chan aReply, 1)
	go func() { done <- b.say("work hard") }()
	await(t, "the tool", gate.started)
	if m := meta(); m.RunState != "RUNNING" || m.Title != "work hard" || m.LastActivityAt.IsZero() || m.LaunchedSandboxes == nil {
		t.Errorf("%+v", m)
	}
	if r := b.say("me too"); r.kinds() != "run.init run.error" || !strings.Contains(r.frames[1].body.Error.Message, "Another run") {
		t.Errorf("a second run: %s", r.kinds())
	}
	close(gate.let)
	<-done
	if m := meta(); m.RunState != "IDLE" || m.ConversationStatus != "NEEDS_INPUT" {
		t.Errorf("%+v", m)
	}
}

func TestAsgard_E2_RejoinFollowsALiveRunToItsEnd(t *testing.T) {
	gate := newGate("slow", "")
	m := script(withText("I look.", calling("c1", "slow", `{}`)))
	p := start(t, setup{model: m, tools: []hosttool.Tool{gate}})
	b := p.bot("ch")
	ctx, leave := context.WithCancel(t.Context())
	res := b.request(ctx, "POST", "/message/sse", map[string]any{"action": "NONE", "text": "x", "customChannelId": "ch", "customMessageId": "u1"})
	cut := readFrames(t, res, func(f aFrame) bool { return f.kind == "asgard.tool_call.start" })
	leave() // the client is gone, the run is not
	await(t, "the tool", gate.started)
	second := make(chan aReply, 1)
	go func() { second <- b.rejoin() }()
	time.Sleep(50 * time.Millisecond)
	close(gate.let)
	r := <-second
	wantKinds(t, r, "message.user message.complete run.init tool_call.start tool_call.complete message.start message.delta message.complete completion_model.usage channel.title.update run.done")
	if r.frames[0].run != cut.frames[0].run {
		t.Errorf("run %q, want %q", r.frames[0].run, cut.frames[0].run)
	}
	ids := map[string]bool{}
	for _, f := range append(cut.of("message.complete"), r.of("message.complete")...) {
		ids[f.body.Message.MessageID] = true
	}
	if len(ids) != 2 {
		t.Errorf("messages %v", ids)
	}
	later := b.rejoin() // the same ids again, all of them ends
	wantKinds(t, later, "message.user message.complete tool_call.complete message.complete run.done")
	for _, f := range later.of("message.complete") {
		if !ids[f.body.Message.MessageID] || f.id == "" || f.body.Message.ReplyToCustomMessageID != "u1" {
			t.Errorf("%+v", f)
		}
	}
}

func TestAsgard_ResumeDispatchesNothing(t *testing.T) {
	m := script(withText("one", calling("c1", "delete_post", `{"post_id":2}`)))
	p := start(t, setup{model: m})
	b := p.bot("ch")
	body := map[string]any{"action": "NONE", "text": "x", "customMessageId": "u1"}
	first := b.turn(body)
	var cursor string
	for _, f := range first.frames {
		if f.id != "" {
			cursor = f.id
		}
	}
	r := b.turn(body, "Last-Event-ID", cursor)
	if len(m.asked()) != 1 {
		t.Fatalf("the model was asked %d times", len(m.asked()))
	}
	wantKinds(t, r, "message.complete run.init tool_call.consent run.done")
	if r.asks() != first.asks() {
		t.Errorf("asks %q", r.asks())
	}
	if r := b.turn(body, "Last-Event-ID", "0"); len(r.of("message.user")) != 1 || len(m.asked()) != 1 {
		t.Errorf("from the start: %s", r.kinds())
	}
	reply := consents("c1", "ALLOW_ONCE", "")
	b.turn(reply)
	r = b.turn(reply, "Last-Event-ID", "0")
	p.wantCalls("delete_post", 1)
	if !strings.Contains(r.kinds(), "tool_call.complete") || len(m.asked()) != 2 {
		t.Errorf("frames %s, %d steps", r.kinds(), len(m.asked()))
	}
}

func TestAsgard_OpeningNudgeAndReset(t *testing.T) {
	p := start(t, setup{})
	b := p.bot("ch")
	r := b.turn(map[string]any{"action": "NONE", "text": ""})
	if !strings.HasPrefix(r.kinds(), "run.init message.start message.delta message.complete") {
		t.Errorf("opening: %s", r.kinds())
	}
	if r := b.rejoin(); strings.Contains(r.kinds(), "message.user") {
		t.Errorf("an opening turn has words: %s", r.kinds())
	}
	b.say("list posts")
	if r := b.nudge(); !strings.HasSuffix(r.kinds(), "run.done") {
		t.Errorf("nudge: %s", r.kinds())
	}
	if n := len(b.rejoin().of("message.user")); n != 1 {
		t.Errorf("%d user messages: a nudge has no words", n)
	}
	b.say("delete post 2")
	if r := b.turn(map[string]any{"action": "RESET_CHANNEL", "blobIds": []string{"b"}}); r.status != http.StatusBadRequest {
		t.Errorf("status %d", r.status)
	}
	if r := b.turn(map[string]any{"action": "RESET_CHANNEL", "text": ""}); strings.Contains(r.kinds(), "error") {
		t.Errorf("reset: %s", r.kinds())
	}
	if r := b.rejoin(); r.asks() != "" || len(r.of("message.user")) != 0 {
		t.Errorf("after the reset: %s", r.kinds())
	}
	p.wantPost(2, true)
}

func TestAsgard_E5_DeleteIsNoErrorWithoutAChannel(t *testing.T) {
	p := start(t, setup{})
	b := p.bot("never was")
	b.channel = "never-was"
	if r := b.do("DELETE", "/channel"); r.status != http.StatusNoContent {
		t.Errorf("status %d", r.status)
	}
	if r := b.rejoin(); r.status != http.StatusNotFound {
		t.Errorf("rejoin of no channel: %d", r.status)
	}
}

func TestAsgard_E6_ThePlainRequest(t *testing.T) {
	p := start(t, setup{})
	b := p.bot("ch")
	post := func(path string, body map[string]any) (r struct {
		IsSuccess bool
		Data      struct {
			RequestID, CustomChannelID string
			Messages                   []struct{ Text string }
			ToolCallConsentRequest     *struct {
				ProcessID    *string
				PendingCalls []struct{ ToolCallID, ToolName string }
			}
		}
		Error, ErrorCode *string
	}) {
		t.Helper()
		body["customChannelId"] = "ch"
		raw := readFrames(t, b.request(t.Context(), "POST", path, body), nil)
		if raw.status != http.StatusOK {
			t.Fatalf("status %d %s", raw.status, raw.body)
		}
		if err := json.Unmarshal([]byte(raw.body), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	asked := post("/message", map[string]any{"action": "NONE", "text": "delete post 2"})
	consent := asked.Data.ToolCallConsentRequest
	if !asked.IsSuccess || consent == nil || consent.ProcessID != nil || consent.PendingCalls[0].ToolName != "delete_post" {
		t.Fatalf("%+v", asked)
	}
	refused := post("/message", map[string]any{"action": "NONE", "text": "y"})
	if refused.IsSuccess || refused.Error == nil || !strings.Contains(*refused.Error, refusalWord) {
		t.Errorf("%+v", refused)
	}
	reply := consents(consent.PendingCalls[0].ToolCallID, "ALLOW_ONCE", "")
	answered := post("/message", reply)
	if !answered.IsSuccess || answered.Data.ToolCallConsentRequest != nil || len(answered.Data.Messages) == 0 {
		t.Errorf("%+v", answered)
	}
	p.wantPost(2, false)
	if d := post("/message/dispatch", map[string]any{"action": "NONE", "text": "delete post 3"}); d.Data.RequestID == "" || d.Data.CustomChannelID != "ch" {
		t.Errorf("%+v", d)
	}
	eventually(t, "the dispatched run", func() bool { return b.rejoin().asks() != "" })
}

func TestAsgard_BadBodiesAreRefusedBeforeAnything(t *testing.T) {
	p := start(t, setup{})
	b := p.bot("ch")
	id := b.say("delete post 2").of("tool_call.consent")[0].body.PendingCalls[0].ToolCallID
	for _, body := range []string{
		``, `{`, `[]`, `{"action":"NONE"}`, `{"action":"NONE","customChannelId":" "}`, `{"action":"DANCE","customChannelId":"ch"}`,
		`{"action":"NONE","customChannelId":7}`, `{"action":"NONE","action":"NUDGE","customChannelId":"ch"}`,
		`{"action":"RESPONSE_TOOL_CALL_CONSENT","customChannelId":"ch"}`,
		`{"action":"RESPONSE_TOOL_CALL_CONSENT","customChannelId":"ch","toolCallConsents":[7]}`,
		`{"action":"RESPONSE_TOOL_CALL_CONSENT","customChannelId":"ch","toolCallConsents":[{"result":"ALLOW_ONCE"}]}`,
		`{"action":"RESPONSE_TOOL_CALL_CONSENT","customChannelId":"ch","toolCallConsents":[{"toolCallId":"` + id + `","result":"allow_once"}]}`,
		`{"action":"RESPONSE_TOOL_CALL_CONSENT","customChannelId":"ch","toolCallConsents":[{"toolCallId":"` + id + `","result":"DENY_ONCE","result":"ALLOW_ONCE"}]}`,
		`{"action":"RESPONSE_TOOL_CALL_CONSENT","customChannelId":"ch","toolCallConsents":[{"toolCallId":"` + id + `","result":"DENY_ONCE","denyReason":"` + strings.Repeat("x", 5000) + `"}]}`,
	} {
		r := readFrames(t, b.request(t.Context(), "POST", "/message/sse", json.RawMessage(orNull(body))), nil)
		if r.status != http.StatusBadRequest || !strings.Contains(r.body, `"message"`) {
			t.Errorf("%.80s: status %d %s", body, r.status, r.body)
		}
	}
	p.wantCalls("delete_post", 0)
	if r := b.rejoin(); r.asks() == "" {
		t.Error("the pause is gone")
	}
}

func orNull(body string) string {
	if !json.Valid([]byte(body)) {
		return `"not an object"`
	}
	return body
}

func TestAsgard_W28_TheKeyIsNeeded(t *testing.T) {
	p := start(t, setup{config: func(c *config.Config) { c.AsgardKey = "right" }})
	for key, status := range map[string]int{"": 401, "wrong": 401, "right": 200} {
		b := p.bot("ch")
		b.key = key
		if r := b.say("list posts"); r.status != status {
			t.Errorf("key %q: status %d, want %d", key, r.status, status)
		}
	}
	closed := start(t, setup{config: func(c *config.Config) { c.Demo, c.Secret = false, "a secret of sixteen bytes" }})
	if r := closed.bot("ch").say("x"); r.status != http.StatusNotFound {
		t.Errorf("without a key and outside the demo: status %d", r.status)
	}
}

func TestAsgard_ChannelsOfBotsAndSvedaChatsAreApart(t *testing.T) {
	p, _, _ := paused(t, setup{})
	res, err := http.Get(p.base + "/ns/demo/bot-provider/other/channel/metadata?custom_channel_id=ch")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusNotFound {
		t.Errorf("another bot sees the channel: %d", res.StatusCode)
	}
	if r := p.send("GET", "/sveda/chat-histories/ch", nil, p.token); r.status != http.StatusNotFound {
		t.Errorf("a visitor sees the channel: %d", r.status)
	}
	list, err := p.app.Chats.List(t.Context(), "alice")
	if err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

func TestAsgard_CORS_HeadersOfThePage(t *testing.T) {
	p := start(t, setup{})
	req, _ := http.NewRequest("OPTIONS", p.base+"/ns/demo/bot-provider/posts/message/sse", nil)
	req.Header.Set("Origin", "https://page.example")
	req.Header.Set("Access-Control-Request-Method", "POST")
	req.Header.Set("Access-Control-Request-Headers", "content-type,last-event-id,x-api-key,x-own")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != 204 || res.Header.Get("Access-Control-Allow-Headers") != "content-type,last-event-id,x-api-key,x-own" ||
		res.Header.Get("Access-Control-Allow-Origin") != "*" || res.Header.Get("Access-Control-Expose-Headers") != "X-Trace-Id" {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
}

func TestAsgard_HeartbeatsOnASilentRun(t *testing.T) {
	gate := newGate("slow", "")
	p := start(t, setup{
		model: script(calling("c1", "slow", `{}`)), tools: []hosttool.Tool{gate},
		config: func(c *config.Config) { c.KeepAlive = 20 * time.Millisecond },
	})
	b := p.bot("ch")
	done := make(chan aReply, 1)
	go func() { done <- b.say("x") }()
	await(t, "the tool", gate.started)
	time.Sleep(100 * time.Millisecond)
	close(gate.let)
	if r := <-done; r.comments == 0 {
		t.Error("no heartbeat")
	}
}

func TestAsgard_AModelThatFailsEndsTheRunWithAnError(t *testing.T) {
	m := script()
	m.err = context.DeadlineExceeded
	p := start(t, setup{model: m})
	r := p.bot("ch").say("x")
	last := r.frames[len(r.frames)-1]
	if last.kind != "asgard.run.error" || last.body.Error.Code != "llm_error" {
		t.Errorf("frames %s, %+v", r.kinds(), last.body.Error)
	}
	if strings.Contains(last.body.Error.Message, "deadline") {
		t.Errorf("the message tells too much: %q", last.body.Error.Message)
	}
}

func TestAsgard_TheStoreKeepsWhoAndWhat(t *testing.T) {
	p, b, asked := paused(t, setup{})
	id := asked.of("tool_call.consent")[0].body.PendingCalls[0].ToolCallID
	b.reply(id, "ALLOW_ALWAYS", "")
	chat, err := p.app.Chats.Read(t.Context(), store.Key{Visitor: "asgard-channels-of-a-bot-provider,-never-a-visitor-of-a-token://demo/posts", Chat: "ch"})
	if err != nil {
		t.Fatal(err)
	}
	if c := chat.Call(id); c.Toolset != "posts" || c.Identity != "primary" || c.Decision != store.ApproveAlways || c.State != store.StateDone {
		t.Errorf("%+v", c)
	}
}
