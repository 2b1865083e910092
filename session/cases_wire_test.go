package session_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/svedawasm/svedawasm/session"
)

// Cases of requirements/cases.md, kinds 8 to 11 and 15: bytes, values, streams,
// HTTP, ids. The decoder alone is tested in session/sse; here the whole path is.

// answered sends a message and answers it with chunks.
func answered(t *testing.T, chunks ...string) *chat {
	c := newChat(t)
	c.send("x")
	c.answer(chunks...)
	return c
}

func TestB076_CRLFSplit(t *testing.T) {
	c := answered(t, "data: {\"type\":\r\n", "data: \"text.delta\",\r", "\n", "data: \"delta\":\"AB\"}\r\n", "\r\n", strings.ReplaceAll(END+DONE, "\n", "\r\n"))
	c.wantTranscript(lines("user: x", "assistant: AB"))
}

func TestB078_CRLFStream(t *testing.T) {
	c := answered(t, strings.ReplaceAll(START+TXT("a")+CALL("c1", "d", `{}`, "required")+END+DONE, "\n", "\r\n"))
	c.wantState("c1", "pending")
}

func TestB080_CharactersCutAtEveryByte(t *testing.T) {
	whole := frame(`{"type":"text.delta","delta":"北🌍é"}`) + END + DONE
	for cut := range len(whole) {
		c := answered(t, whole[:cut], whole[cut:])
		c.wantTranscript(lines("user: x", "assistant: 北🌍é"))
	}
	var bytes []string
	for i := range len(whole) {
		bytes = append(bytes, whole[i:i+1])
	}
	answered(t, bytes...).wantTranscript(lines("user: x", "assistant: 北🌍é"))
}

func TestB083_CommentsAnywhere(t *testing.T) {
	c := answered(t, ": ping\n\n", "data: {\"type\":\"text.delta\",\n", ": ping\n", "data: \"delta\":\"a\"}\n\n", ":\n", END, DONE)
	c.wantTranscript(lines("user: x", "assistant: a"))
	c.wantWarnings()
}

func TestB085_SeveralDataLines(t *testing.T) {
	c := answered(t, "data: {\"type\":\ndata: \"tool.call\",\"toolCallId\":\"c1\",\ndata: \"toolName\":\"d\",\"input\":{},\"confirmation\":\"required\"}\n\n", END, DONE)
	c.wantState("c1", "pending")
}

func TestB087_LongLines(t *testing.T) {
	for _, n := range []int{100 << 10, 2 << 20} {
		text := strings.Repeat("a", n)
		c := answered(t, TXT(text), END, DONE)
		if got := c.s.Messages()[1].Parts[0].Text; string(got) != text {
			t.Errorf("%d bytes arrived of %d", len(got), n)
		}
	}
}

func TestB089_NoSpaceAfterTheColon(t *testing.T) {
	c := answered(t, "data:{\"type\":\"text.delta\",\"delta\":\" a \"}\n\n", END, DONE)
	if got := string(c.s.Messages()[1].Parts[0].Text); got != " a " {
		t.Errorf("%q", got)
	}
}

func TestB091_AnErrorEventWithoutData(t *testing.T) {
	c := newChat(t)
	sent := c.send("x")
	c.answer(TXT("half"), "event: error\nid: 1\n\n")
	c.wantError(sent, session.CodeServerError)
	c.wantTranscript(lines("user: x", "assistant: half"))
}

func TestB093_AnEmptyDeltaMakesNoPart(t *testing.T) {
	c := answered(t, START, frame(`{"type":"text.delta","delta":"","partId":"SSE-Keep-Alive"}`), frame(`{"type":"reasoning.delta"}`), END, DONE)
	c.wantTranscript(lines("user: x"))
	c.wantWarnings()
}

func TestB095_IntegersBeyondDoublesAreExact(t *testing.T) {
	for _, number := range []string{"2512292042121000001", "9007199254740993", "1e400", "-0", "1.10", "0.1000000000000000055"} {
		input := `{"id":` + number + `}`
		c := newChat(t)
		c.register("archive", "required")
		c.send("x")
		c.answer(START, CALL("c1", "archive", input, "frontend"), END, DONE)
		args, _ := c.s.AppendArguments(nil, "c1", false)
		if !strings.Contains(string(args), `{"t":"text","s":"`+number+`"}`) {
			t.Errorf("card: %s", args)
		}
		c.tap("c1", "approve")
		if got := string(c.runs[0].Data); got != input {
			t.Errorf("handler gets %s", got)
		}
		c.output("c1", input)
		if body := string(c.last().wire.Body); strings.Count(body, input) != 2 {
			t.Errorf("sent: %s", body)
		}
	}
}

func TestB097_ProtoIsAnId(t *testing.T) {
	c := answered(t, START, CALL("__proto__", "d", `{}`, "required"), END, DONE)
	c.wantState("__proto__", "pending")
	c.tap("__proto__", "approve")
	c.wantDecisions("__proto__ approve")
	c.answer(RES("__proto__", "1"), END, DONE)
	c.wantState("__proto__", "resolved")
}

func TestB099_ToolsNamedLikeInheritedFunctions(t *testing.T) {
	for _, name := range []string{"constructor", "toString", "__proto__", "hasOwnProperty"} {
		c := answered(t, START, CALL("c1", name, `{}`, "frontend", "required"), END, DONE)
		c.tap("c1", "approve")
		c.wantRuns(0)
		c.wantTranscript(lines("user: x", `assistant: call c1 result c1 {"success":false,"error":"[sveda] Unknown frontend tool: `+name+`"}`, "assistant:"))
	}
}

func TestB102_NamesAreMatchedExactly(t *testing.T) {
	c := answered(t, START, frame(`{"type":"tool.call","toolCallId":"c1","ToolCallId":"evil","toolName":"d","TOOLNAME":"x","input":{},"Input":1,"confirmation":"required","Confirmation":"auto"}`), END, DONE)
	c.wantState("c1", "pending")
	if len(c.shown) != 1 || c.shown["c1"].ToolName != "d" {
		t.Errorf("%+v", c.shown)
	}
}

func TestB104_WhatIsSentIsWellFormed(t *testing.T) {
	c := newChat(t)
	c.register("f", "")
	c.send("\xed\xb0\x80 text \xff")
	c.answer(START, CALL("f1", "f", `{"in":"\ud83d"}`, "frontend"), END, DONE)
	c.output("f1", "{\"a\":\"\\ud83d\",\"b\":\"\\uD83D\\uDE00\",\"c\":\"\\\\ud83d\",\"d\":\"\\uDe00\\ud83dx\",\"e\":\"\xf0\x28\"}")
	body := c.last().wire.Body
	if !utf8.Valid(body) || !json.Valid(body) {
		t.Fatalf("not well formed: %q", body)
	}
	for _, want := range []string{
		`{"in":"\ufffd"}`, `"a":"\ufffd"`, `"b":"\uD83D\uDE00"`, `"c":"\\ud83d"`, `"d":"\ufffd\ufffdx"`, `"e":"` + "\uFFFD(" + `"`,
	} {
		if !strings.Contains(string(body), want) {
			t.Errorf("%s is missing in %s", want, body)
		}
	}
}

func TestB106_ABadEventDoesNotEndTheStream(t *testing.T) {
	c := waitingBackend(t)
	c.tap("c1", "approve")
	c.answer(frame(`{"type":"tool.result","toolCallId":"c1","output":{"x":NaN}}`), START, TXT("ok"), END, DONE)
	if c.warnings[0] != "malformed-event" {
		t.Errorf("warnings %q", c.warnings)
	}
	c.wantState("c1", "outcome-unknown")
	if !strings.Contains(c.transcript(), "assistant: ok") {
		t.Error("the stream did not go on")
	}
}

func TestB108_ArgumentsKeepTheirOrderAndText(t *testing.T) {
	input := `{"z":"<b>&\u2028","2":1,"1":{"b":1,"a":2}}`
	c := answered(t, START, CALL("c1", "d", input, "required"), END, DONE)
	args, _ := c.s.AppendArguments(nil, "c1", false)
	var v struct {
		Raw       string
		Arguments struct{ Rows []struct{ Path string } }
	}
	if err := json.Unmarshal(args, &v); err != nil {
		t.Fatal(err)
	}
	if v.Raw != input {
		t.Errorf("raw %s", v.Raw)
	}
	paths := ""
	for _, r := range v.Arguments.Rows {
		paths += r.Path + " "
	}
	if paths != "/z /2 /1 /1/b /1/a " {
		t.Errorf("order %s", paths)
	}
	c.tap("c1", "deny")
	if !strings.Contains(string(c.last().wire.Body), `"input":`+input) {
		t.Error("the history has other arguments")
	}
}

func TestB110_ACallThatIsCutIsNoCall(t *testing.T) {
	call := CALL("f1", "f", `{"a":{"b":1}}`, "frontend")
	for cut := 1; cut < len(call)-2; cut++ {
		c := newChat(t)
		c.register("f", "")
		sent := c.send("x")
		c.answer(START, TXT("a"), call[:cut])
		c.wantRuns(0)
		c.wantError(sent, session.CodeStreamCut)
		c.wantTranscript(lines("user: x", "assistant: a"))
	}
}

func TestB113_AnErrorAfterTextKeepsTheText(t *testing.T) {
	c := newChat(t)
	sent := c.send("x")
	c.answer(START, TXT("half"), FAIL, frame(`{"type":"message.end","finishReason":"error"}`), DONE)
	c.wantError(sent, "llm_error")
	c.wantTranscript(lines("user: x", "assistant: half"))
	c.send("y")
	c.wantPosts(2)
}

func TestB115_UnknownEventsAreIgnored(t *testing.T) {
	c := answered(t, START, TXT("a"), frame(`{"type":"brand.new","x":1,"toolCallId":"c1","confirmation":"required"}`), TXT("b"), END, DONE)
	c.wantTranscript(lines("user: x", "assistant: ab"))
	c.wantWarnings()
}

func TestB117_NullIsAbsent(t *testing.T) {
	c := newChat(t)
	c.register("f", "")
	c.send("x")
	c.answer(START,
		frame(`{"type":"tool.call","toolCallId":"c1","toolName":"s","target":null,"input":{},"confirmation":null,"chatId":null}`),
		frame(`{"type":"tool.result","toolCallId":"c1","toolName":null,"output":null,"renderHint":null}`), END, DONE)
	c.wantTranscript(lines("user: x", "assistant: call c1 result c1 null"))
	c.wantWarnings()
}

func TestB118_TheHistoryAfterAStopIsComplete(t *testing.T) {
	c := newChat(t)
	c.register("f", "")
	c.send("x")
	c.answer(START, CALL("f0", "f", `{}`, "frontend"), CALL("b0", "search", `{}`), END, DONE)
	c.output("f0", "1")
	c.head()
	c.feed(START, CALL("b1", "search", `{}`), CALL("f1", "f", `{}`, "frontend"))
	c.stop()
	c.send("y")
	body := string(c.last().wire.Body)
	for _, id := range []string{"f0", "b0", "b1", "f1"} {
		if strings.Count(body, `{"type":"tool-result","toolCallId":"`+id+`"`) != 1 {
			t.Errorf("%s has no result in %s", id, body)
		}
	}
}

func TestB118_TheHistoryAfterACutIsComplete(t *testing.T) {
	c := newChat(t)
	c.send("x")
	c.head()
	c.feed(START, CALL("b1", "search", `{}`))
	c.lost()
	c.wantTranscript(lines("user: x", `assistant: call b1 result b1 {"success":false,"error":"The connection ended before the result arrived; whether the tool acted is not known."}`))
}

func TestB120_EveryLossIsAConnectionLoss(t *testing.T) {
	for _, text := range []string{"Load failed", "network error", "Failed to fetch", ""} {
		c := newChat(t)
		sent := c.send("x")
		c.end(c.last().id, session.NetworkFailed, text)
		c.wantError(sent, session.CodeNetwork)
		c.wantStatus(session.Failed)
		c.wantTranscript(lines("user: x"))
	}
}

func TestB122_TheTurnEndsThoughTheSocketStaysOpen(t *testing.T) {
	c := waitingBackend(t)
	tap := c.tap("c1", "approve")
	c.head()
	c.feed(RES("c1", "1"), START, TXT("ok"), END)
	c.wantOpen(tap)
	c.feed(frame(`{"type":"chat.title","title":"late title"}`))
	c.fire(10_000)
	c.wantResolved(tap)
	c.wantStatus(session.Idle)
	if len(c.aborted) == 0 || c.aborted[len(c.aborted)-1] != c.last().id {
		t.Error("the reader was not cancelled")
	}
}

func TestB122_DoneEndsTheResponseAtOnce(t *testing.T) {
	c := newChat(t)
	sent := c.send("x")
	c.head()
	c.feed(START, TXT("a"), END, DONE+TXT("behind the end"))
	c.wantResolved(sent)
	c.wantTranscript(lines("user: x", "assistant: a"))
	if len(c.aborted) != 1 {
		t.Error("the reader was not cancelled")
	}
}

func TestB124_TwoCallsOneId(t *testing.T) {
	c := newChat(t)
	c.register("f", "")
	c.send("x")
	c.answer(START, CALL("c1", "f", `{"a":1}`, "frontend"), CALL("c1", "f", `{"a":2}`, "frontend"), END, DONE)
	c.wantWarnings(session.CodeConflict)
	c.wantRuns(1)
	c.output("c1", "1")
	restored := newChat(t)
	restored.setMessages(`[{"id":"a1","role":"assistant","parts":[
		{"type":"tool-call","toolCallId":"c1","toolName":"d","target":"backend","input":{"a":1},"confirmation":"required"},
		{"type":"tool-call","toolCallId":"c1","toolName":"d","target":"backend","input":{"a":2},"confirmation":"required"}]}]`)
	restored.wantWarnings(session.CodeConflict)
	restored.wantError(restored.tap("c1", "approve"), session.CodeConflict)
	restored.tap("c1", "deny")
	restored.wantPosts(1)
}

func TestB127_TheWordsOfAnEventShapedErrorBody(t *testing.T) {
	for body, want := range map[string]string{
		"event: error\ndata: {\"text\":\"No model\"}\n\n": "No model",
		"data: {\"type\":\"error\",\"message\":\"Busy\"}": "Busy",
		`{"error":{"message":"Nested","type":"x"}}`:       "Nested",
		`{"error":"Flat"}`: "Flat",
		"data: {\"error\":{\"message\":\"Nested too\"}}\r\n\r\n": "Nested too",
		"No such model": "No such model",
		"event: error\n\n: ping\n\ndata: {\"message\":\"Later\"}\n\n": "Later",
		"<html></html>": "",
		"\x00\xff":      "",
	} {
		c := newChat(t)
		sent := c.send("x")
		c.status(400, body)
		if err := c.settled[sent].err; err == nil || err.Server != want {
			t.Errorf("%q: %+v", body, err)
		}
	}
}

func TestB129_ADecisionWithoutAStream(t *testing.T) {
	for _, status := range []int{204, 200} {
		c := waitingBackend(t)
		tap := c.tap("c1", "approve")
		c.headOf(c.last().id, status, "text/event-stream")
		c.eof()
		if c.settled[tap].err == nil {
			t.Errorf("%d: the decision counts as taken", status)
		}
		c.wantState("c1", "pending")
		c.tap("c1", "approve")
		c.wantPosts(3)
	}
}

func TestB131_TheChatIdInAPathIsEncoded(t *testing.T) {
	for id, want := range map[string]string{
		"a/b?c#d é": "a%2Fb%3Fc%23d%20%C3%A9", "..": "%2E%2E", ".": "%2E", "../x": "..%2Fx", "%2F": "%252F", "a\x00b": "a%00b",
	} {
		c := newChat(t, func(cfg *session.Config) { cfg.ChatID = id })
		c.reread()
		if got := c.last().wire.Path; got != want {
			t.Errorf("%q: path %q, want %q", id, got, want)
		}
	}
}

func TestB157_IdsAreUniqueInOneTick(t *testing.T) {
	s := session.New(session.Config{Dialect: newChat(t).cfg.Dialect, Seed: [16]byte{7}})
	seen := map[string]bool{}
	for range 10_000 {
		id := s.NewID()
		if len(id) != 36 || id[14] != '4' || !strings.ContainsRune("89ab", rune(id[19])) || seen[id] {
			t.Fatalf("id %q", id)
		}
		seen[id] = true
	}
}

func TestB159_ARowKeepsItsPlaceWhenItsIdChanges(t *testing.T) {
	c := newChat(t)
	c.send("x")
	own := c.s.Messages()[1].ID
	before := len(c.kinds)
	c.head()
	c.feed(frame(`{"type":"message.start","messageId":"m-srv"}`))
	for _, k := range c.kinds[before:] {
		if k == session.MessageAdd || k == session.MessageRemove || k == session.MessagesReset {
			t.Error("the row was built anew")
		}
	}
	if id := c.s.Messages()[1].ID; id != "m-srv" || own == id {
		t.Errorf("id %q", id)
	}
}

// TestB162_ADeltaCostsTheSameInALongChat counts what a delta leads to; its
// time and memory are in bench_test.go.
func TestB162_ADeltaCostsTheSameInALongChat(t *testing.T) {
	for _, n := range []int{0, 3000} {
		c := newChat(t)
		var list strings.Builder
		for i := range n {
			list.WriteString(`,{"id":"m` + strconv.Itoa(i) + `","role":"user","content":"hello"}`)
		}
		c.setMessages("[" + strings.TrimPrefix(list.String(), ",") + "]")
		c.send("x")
		c.head()
		c.feed(START, TXT("a"))
		before := len(c.kinds)
		c.feed(TXT("b"))
		if got := c.kinds[before:]; len(got) != 1 || got[0] != session.PartText {
			t.Errorf("%d messages: a delta changes %v", n, got)
		}
	}
}
