package session_test

import (
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/asgard"
)

// Restoring (R), errors and retry (X) of contract asgard, sections 6 and 7.

func TestAsgard_R01_TheRejoinHasNoBodyNoCursorAndAnEncodedID(t *testing.T) {
	c := newChannel(t, func(cfg *session.Config) {
		cfg.ChatID = "a b/ü&c"
		cfg.Dialect = asgard.New(asgard.Config{APIKey: "key", IdentityHint: "ann"})
	})
	c.reread()
	w := c.last().wire
	if w.Method != "GET" || w.Body != nil || w.Path != "/message/sse?custom_channel_id=a+b%2F%C3%BC%26c" || w.Accept != "text/event-stream" {
		t.Errorf("%s %s accept %q body %q", w.Method, w.Path, w.Accept, w.Body)
	}
	want := [][2]string{{"Content-Type", "application/json"}, {"X-API-KEY", "key"}, {"X-ASGARD-USER-IDENTITY-HINT", "ann"}}
	if len(w.Headers) != len(want) {
		t.Fatalf("headers %v", w.Headers)
	}
	for i := range want {
		if w.Headers[i] != want[i] {
			t.Errorf("header %v, want %v", w.Headers[i], want[i])
		}
	}
}

// replayed is a stored channel: two turns, the second with a finished call.
var replayed = withID("1", MUSER("u1", "", "hello")) + withID("2", MCOMPLETE("m1", "hi")) +
	withID("3", MUSER("u2", "", "list")) + withID("4", run("t1", "ls").complete(`"a b"`, false)) +
	withID("5", MCOMPLETE("m2", "two files"))

const replayedTranscript = "user: hello\nassistant: hi\nuser: list\nassistant: call t1 result t1 \"a b\"\nassistant: two files\n"

func TestAsgard_R02_AReplayIsUserMessagesAndSelfSufficientEnds(t *testing.T) {
	for name, tail := range map[string]string{
		"terminal": RUNDONE,
		"paused":   BRACKET(remove("a")),
		"live":     INIT + SAID("m3", "and so on") + RUNDONE,
	} {
		c := newChannel(t)
		reread := c.reread()
		c.answer(replayed + tail)
		c.wantResolved(reread)
		if got := c.transcript(); !strings.HasPrefix(got, strings.TrimSuffix(replayedTranscript, "\n")) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestAsgard_R02_AReplayOverWhatIsThereChangesNothing(t *testing.T) {
	c := newChannel(t)
	c.reread()
	c.answer(replayed + RUNDONE)
	before := c.transcript()
	for range 2 {
		c.reread()
		c.answer(replayed + RUNDONE)
	}
	if got := c.transcript(); got != before {
		t.Errorf("became\n%s", got)
	}
}

func TestAsgard_R02_ALiveChatAndItsReplayAreOne(t *testing.T) {
	c := newChannel(t)
	c.send("hello")
	c.answer(INIT, SAID("m1", "hi"), remove("a").start(), remove("a").complete("1", false), RUNDONE)
	before, sent := c.transcript(), c.s.Messages()[0].ID
	c.reread()
	c.answer(MUSER("u1", sent, "hello"), MCOMPLETE("m1", "hi"), remove("a").complete("1", false), RUNDONE)
	if got := c.transcript(); got != before {
		t.Errorf("became\n%s", got)
	}
}

func TestAsgard_R03_ThePromptSurvivesTheTerminalOfItsBracket(t *testing.T) {
	c := newChannel(t)
	c.reread()
	c.answer(replayed + BRACKET(remove("a"), run("b", "ls")))
	c.wantStatus(session.Idle)
	if got := c.waits(); got != "a b" {
		t.Errorf("waits %q", got)
	}
}

func TestAsgard_R04_HistoryBeforeTheBracketStays(t *testing.T) {
	c := newChannel(t)
	c.reread()
	c.answer(replayed + BRACKET(remove("a")))
	c.wantTranscript(strings.TrimSuffix(replayedTranscript, "\n") + " call a\n")
}

func TestAsgard_R05_AReplyAfterARejoinNeedsNoIDs(t *testing.T) {
	c := newChannel(t)
	c.reread()
	c.answer(MUSER("u1", "custom-1", "delete"), BRACKET(remove("a")))
	c.tap("a", "approve")
	if got := string(c.last().wire.Body); got != `{"action":"RESPONSE_TOOL_CALL_CONSENT","customChannelId":"ch","text":"","toolCallConsents":[{"toolCallId":"a","result":"ALLOW_ONCE","denyReason":""}]}` {
		t.Error(got)
	}
}

func TestAsgard_R06_TheStatusIsHeldDuringTheReplay(t *testing.T) {
	c := newChannel(t)
	c.reread()
	c.wantStatus(session.Submitted)
	c.head()
	c.feed(replayed)
	c.wantStatus(session.Streaming)
	c.feed(RUNDONE)
	c.eof()
	c.wantStatus(session.Idle)
}

func TestAsgard_R07_MetadataSeedsTheTitle(t *testing.T) {
	for _, body := range []string{
		`{"title":"My posts","runState":"IDLE","lastActivityAt":1,"launchedSandboxes":[]}`,
		`{"data":{"title":"My posts","runState":"IDLE"}}`,
	} {
		c := newChannel(t)
		c.restore(false)
		c.plain(200, body)
		if got := c.note("title"); got != `"My posts"` {
			t.Errorf("title %s", got)
		}
		c.answer(RUNDONE)
	}
	c := newChannel(t)
	c.send("x")
	c.answer(INIT, asgardFrame("asgard.channel.title.update", "channelTitleUpdate", `{"title":"New \"title\""}`), RUNDONE)
	if got := c.note("title"); got != `"New \"title\""` {
		t.Errorf("title %s", got)
	}
}

func TestAsgard_X01_AStatusOutside2xxIsAnErrorWithTheServersWords(t *testing.T) {
	for status, want := range map[int]string{403: "HTTP 403: Forbidden", 500: "HTTP 500: Internal Server Error", 418: "HTTP 418"} {
		c := newChannel(t)
		sent := c.send("x")
		c.plain(status, `{"error":{"message":"not for you"}}`)
		err := c.settled[sent].err
		if err == nil || err.Message != want || err.Status != status || err.Server != "not for you" {
			t.Errorf("%d: %+v", status, err)
		}
		if len(c.requests) != 1 {
			t.Errorf("%d was tried again", status)
		}
	}
	for body, want := range map[string]string{
		`plain words`: "plain words", `<html>no</html>`: "", `{"isSuccess":false,"data":null,"error":"envelope","errorCode":"E"}`: "envelope",
		`{"message":null,"detail":"d"}`: "d", `{}`: "", ``: "", `[1]`: "", "\xff\x00": "",
	} {
		c := newChannel(t)
		sent := c.send("x")
		c.plain(400, body)
		if got := c.settled[sent].err.Server; got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
}

func TestAsgard_X02_WithoutACursorACutIsAnErrorAndNothingIsRepeated(t *testing.T) {
	c := newChannel(t)
	sent := c.send("x")
	c.lost()
	c.wantError(sent, session.CodeNetwork)
	if len(c.requests) != 1 {
		t.Error("it was tried again")
	}
	c = newChannel(t)
	sent = c.send("x")
	c.head()
	c.feed(INIT, MSTART("m"), MDELTA("m", "hal"))
	c.lost()
	c.wantError(sent, session.CodeStreamCut)
	c.wantPosts(1)
	c.wantRejoin() // it changes nothing on the server
	c = newChannel(t)
	sent = c.send("x")
	c.head() // the server has begun to answer, so it has the turn
	c.lost()
	c.wantError(sent, session.CodeStreamCut)
	c.wantRejoin()
	c.answer(MUSER("u", c.s.Messages()[0].ID, "x"), MCOMPLETE("m", "y"), RUNDONE)
	c.wantTranscript("user: x\nassistant: y\n")
}

// resumed lets the timer of the resumption run out.
func (c *chat) resumed() {
	c.t.Helper()
	for id, delay := range c.timers {
		if delay != 120_000 && delay != 10_000 {
			delete(c.timers, id)
			c.put(func(c *chat) { c.s.Fire(id) })
			return
		}
	}
	c.t.Fatalf("nothing waits to be resumed: %v", c.timers)
}

func (c *chat) lastEventID() string {
	for _, h := range c.last().wire.Headers {
		if h[0] == "Last-Event-ID" {
			return h[1]
		}
	}
	return ""
}

func TestAsgard_X03_WithACursorTheStreamIsResumedAndNotRepeated(t *testing.T) {
	for name, cut := range map[string]func(c *chat){
		"lost":   func(c *chat) { c.lost() },
		"closed": func(c *chat) { c.eof() },
		"silent": func(c *chat) { c.at(200_000); c.fire(120_000) },
	} {
		c := newChannel(t)
		sent := c.send("x")
		body := string(c.last().wire.Body)
		if c.lastEventID() != "" {
			t.Error("a new turn has a cursor")
		}
		c.head()
		c.feed(withID("0", INIT), withID("7", MCOMPLETE("m1", "one")), MSTART("m2"), MDELTA("m2", "t"))
		cut(c)
		c.wantOpen(sent)
		c.wantStatus(session.Streaming)
		if got := c.note("runStatus"); !strings.Contains(got, `"resuming":true`) {
			t.Errorf("%s: run status %s", name, got)
		}
		c.resumed()
		if got := c.lastEventID(); got != "7" || string(c.last().wire.Body) != body {
			t.Errorf("%s: cursor %q, body %s", name, got, c.last().wire.Body)
		}
		c.answer(withID("8", MCOMPLETE("m2", "two")), RUNDONE)
		c.wantResolved(sent)
		c.wantTranscript("user: x\nassistant: one\nassistant: two\n")
		if len(c.failures) != 0 {
			t.Errorf("%s: failures %v", name, c.failures)
		}
	}
}

func TestAsgard_X03_AReplyIsResumedAndNotRepeated(t *testing.T) {
	c := newChannel(t, patient)
	c.send("x")
	c.answer(PAUSE("proc-1", remove("a")))
	tap := c.tap("a", "approve")
	c.head()
	c.feed(withID("0", INIT), withID("3", remove("a").complete("1", false)))
	c.lost()
	c.wantOpen(tap)
	c.resumed()
	if c.lastEventID() != "3" {
		t.Errorf("a reply was repeated with the cursor %q", c.lastEventID())
	}
	c.answer(withID("4", MCOMPLETE("m", "done")), RUNDONE)
	c.wantOutcome(tap, "sent")
	c.wantState("a", "resolved")
}

func TestAsgard_X03_AStatusOutside2xxEndsTheResumption(t *testing.T) {
	c := newChannel(t)
	sent := c.send("x")
	c.head()
	c.feed(withID("1", INIT), MSTART("m"))
	c.lost()
	c.resumed()
	c.plain(410, "")
	c.wantError(sent, session.CodeHTTPStatus)
	c.wantPosts(2)
	c.wantRejoin()
	c.answer(MCOMPLETE("m", "all of it"), RUNDONE)
	c.wantTranscript("user: x\nassistant: all of it\n")
	c.wantStatus(session.Idle)
}

func TestAsgard_X03_TheServersRetryIsObeyed(t *testing.T) {
	c := newChannel(t)
	c.send("x")
	c.head()
	c.feed("retry: 4000\n"+withID("1", INIT), MSTART("m"))
	c.lost()
	for _, delay := range c.timers {
		if delay < 4000 || delay > 4500 {
			t.Errorf("delay %d", delay)
		}
	}
}

func TestAsgard_X03_ARejoinIsResumedToo(t *testing.T) {
	c := newChannel(t)
	reread := c.reread()
	c.head()
	c.feed(withID("1", MUSER("u", "", "x")))
	c.lost()
	c.resumed()
	if w := c.last().wire; w.Method != "GET" || c.lastEventID() != "1" {
		t.Errorf("%s with cursor %q", w.Method, c.lastEventID())
	}
	c.answer(withID("2", MCOMPLETE("m", "y")), RUNDONE)
	c.wantResolved(reread)
	c.wantTranscript("user: x\nassistant: y\n")
}

func TestAsgard_X04_AbandoningAStreamIsNoErrorAndResumesNothing(t *testing.T) {
	c := newChannel(t)
	sent := c.send("x")
	id := c.last().id
	c.head()
	c.feed(withID("1", INIT), MSTART("m"), MDELTA("m", "half"))
	c.close()
	c.wantResolved(sent)
	c.feedTo(id, MDELTA("m", " more"))
	c.end(id, session.NetworkFailed, "aborted")
	if len(c.failures) != 0 || len(c.timers) != 0 || len(c.requests) != 1 {
		t.Errorf("failures %v, timers %v, %d requests", c.failures, c.timers, len(c.requests))
	}
}

func TestAsgard_X05_ACleanCloseBeforeTheTerminalIsADrop(t *testing.T) {
	c := newChannel(t)
	sent := c.send("x")
	c.answer(INIT, MSTART("m"), MDELTA("m", "half"))
	c.wantError(sent, session.CodeStreamCut)
	c.wantRejoin()
	c.answer(MUSER("u", c.s.Messages()[0].ID, "x"), MCOMPLETE("m", "half of it"), RUNDONE)
	c.wantTranscript("user: x\nassistant: half of it\n")
	c.wantStatus(session.Idle)
}

func TestAsgard_X06_A200ThatIsNoEventStreamIsAnError(t *testing.T) {
	for _, contentType := range []string{"text/html", "application/json", "", "text/event-streams"} {
		c := newChannel(t)
		sent := c.send("x")
		id := c.last().id
		c.headOf(id, 200, contentType)
		c.feedTo(id, INIT, SAID("m", "no"), RUNDONE)
		c.end(id, session.EOF, "")
		c.wantError(sent, session.CodeNotAStream)
		c.wantTranscript("user: x\n")
	}
	c := newChannel(t)
	sent := c.send("x")
	id := c.last().id
	c.headOf(id, 200, "Text/Event-Stream; charset=utf-8")
	c.feedTo(id, INIT, SAID("m", "yes"), RUNDONE)
	c.end(id, session.EOF, "")
	c.wantResolved(sent)
}

func TestAsgard_X07_FramesAreTakenAtOnceAndInOrder(t *testing.T) {
	c := newChannel(t)
	c.send("x")
	c.head()
	c.feed(INIT + SAID("m1", "one") + CONSENT("p", remove("a")))
	c.wantState("a", "pending") // with the very bytes that carried it
	c.lost()
	c.wantState("a", "pending") // an error discards nothing
	c.wantTranscript("user: x\nassistant: one call a\n")
}

func TestAsgard_X08_NothingHereDependsOnWhetherThePageIsShown(t *testing.T) {
	c := newChannel(t)
	sent := c.send("x")
	c.head()
	c.at(3_600_000) // an hour without a task, then all at once
	c.feed(INIT, SAID("m", "late"), RUNDONE)
	c.eof()
	c.wantResolved(sent)
}
