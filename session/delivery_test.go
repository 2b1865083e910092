package session_test

import (
	"bytes"
	"strconv"
	"testing"

	"github.com/svedawasm/svedawasm/session"
)

// patient lets decisions be tried again, as a page does by default.
func patient(cfg *session.Config) { cfg.DecisionAttempts = 0 }

// waiting is a chat whose last answer asks about c1.
func asking(t *testing.T, options ...option) *chat {
	t.Helper()
	c := newChat(t, options...)
	c.send("delete post 1")
	c.answer(START, CALL("c1", "delete_post", `{"post_id":1}`, "required"), END, DONE)
	return c
}

// retry lets the delay before the next attempt pass, and gives it.
func (c *chat) retry() int {
	c.t.Helper()
	for id, d := range c.timers {
		if d <= 4_000 {
			delete(c.timers, id)
			c.put(func(c *chat) { c.s.Fire(id) })
			return d
		}
	}
	c.t.Fatalf("no attempt waits: %v", c.timers)
	return 0
}

func TestR14_AnAmbiguousFailureIsSentAgainByteForByte(t *testing.T) {
	c := asking(t, patient)
	tap := c.tap("c1", "approve")
	first := bytes.Clone(c.last().wire.Body)
	fails := []func(){
		func() { c.lost() },
		func() { c.status(502, "<html>bad gateway") },
		func() { c.head(); c.eof() }, // an empty answer
	}
	for i, fail := range fails {
		fail()
		c.wantState("c1", "deciding")
		c.wantFailures()
		c.wantOpen(tap)
		c.wantPosts(2 + i)
		c.put(func(c *chat) { c.context = `{"page":"another"}` }) // it goes with new requests only
		c.retry()
		c.wantPosts(3 + i)
		if !bytes.Equal(c.last().wire.Body, first) {
			t.Errorf("attempt %d has another body:\n%s\n%s", i+2, c.last().wire.Body, first)
		}
	}
	c.answer(RES("c1", `1`), START, TXT("done"), END, DONE)
	c.wantOutcome(tap, "sent")
	c.wantState("c1", "resolved")
	if len(c.timers) != 0 {
		t.Errorf("timers are left: %v", c.timers)
	}
}

func TestR14_AttemptsAreBounded(t *testing.T) {
	c := asking(t, patient)
	tap := c.tap("c1", "approve")
	for range 3 {
		c.lost()
		c.retry()
	}
	c.lost()
	c.wantPosts(5)
	c.wantState("c1", "pending")
	c.wantCardError("c1", session.CodeNetwork)
	c.wantError(tap, session.CodeNetwork)
	again := c.tap("c1", "deny") // both buttons work (R20)
	c.answer(RES("c1", denied), START, END, DONE)
	c.wantOutcome(again, "sent")
}

func TestR11_StatusTableOfADecision(t *testing.T) {
	for _, test := range []struct {
		status int
		body   string
		again  bool
		state  string
		code   string
	}{
		{200, "<html>", false, "pending", session.CodeNotAStream},
		{204, "", false, "pending", session.CodeNotAStream},
		{301, "", false, "pending", session.CodeHTTPStatus},
		{400, "", false, "pending", session.CodeHTTPStatus},
		{401, "", false, "pending", session.CodeUnauthorized},
		{403, "", false, "pending", session.CodeForbidden},
		{404, "", false, "pending", session.CodeHTTPStatus},
		{408, "", true, "deciding", ""},
		{409, `{"message":"Chat history is unavailable."}`, false, "expired", session.CodeHistoryUnavailable},
		{410, "", false, "pending", session.CodeHTTPStatus},
		{413, "", false, "pending", session.CodeTooLarge},
		{422, "", false, "pending", session.CodeHTTPStatus},
		{425, "", true, "deciding", ""},
		{429, `{"message":"Too Many Attempts."}`, true, "deciding", ""},
		{500, "", true, "deciding", ""},
		{502, "", true, "deciding", ""},
		{503, "", true, "deciding", ""},
		{504, "", true, "deciding", ""},
	} {
		t.Run(strconv.Itoa(test.status), func(t *testing.T) {
			c := asking(t, patient)
			c.tap("c1", "approve")
			id := c.last().id
			contentType := "application/json"
			if test.status < 300 {
				contentType = "text/html"
			}
			c.headOf(id, test.status, contentType)
			c.feedTo(id, test.body)
			c.end(id, session.EOF, "")
			c.wantState("c1", test.state)
			c.wantCardError("c1", test.code)
			if test.again {
				c.retry()
				c.wantPosts(3)
			}
		})
	}
}

func TestR11_RetryAfterIsHonouredWithinTheTimeThatADecisionHas(t *testing.T) {
	for _, test := range []struct {
		after int
		again bool
	}{{0, true}, {2_000, true}, {14_999, true}, {15_000, false}, {1_000_000_000, false}} {
		c := asking(t, patient)
		c.tap("c1", "approve")
		id := c.last().id
		c.put(func(c *chat) {
			c.s.Head(id, 503, "text/plain", session.HeadInfo{RetryAfter: test.after})
		})
		c.end(id, session.EOF, "")
		if !test.again {
			c.wantState("c1", "pending")
			c.wantCardError("c1", session.CodeHTTPStatus)
			continue
		}
		c.wantState("c1", "deciding")
		c.fire(max(test.after, 1))
		c.wantPosts(3)
	}
}

func TestR20_SendingEndsWithin15Seconds(t *testing.T) {
	c := asking(t, patient)
	tap := c.tap("c1", "approve")
	stuck := c.last().id
	c.at(15_000)
	c.fire(15_000)
	c.wantState("c1", "pending")
	c.wantCardError("c1", session.CodeDecisionTimeout)
	c.wantError(tap, session.CodeDecisionTimeout)
	if len(c.aborted) == 0 || c.aborted[len(c.aborted)-1] != stuck {
		t.Errorf("the request was not given up: %v", c.aborted)
	}
	if c.last().wire.Method != "GET" {
		t.Error("the state is not read, though the server may have taken the decision")
	}
	c.headOf(c.last().id, 200, "application/json")
	c.feed(HISTORY(`[{"id":"a","role":"assistant","parts":[` +
		`{"type":"tool-call","toolCallId":"c1","toolName":"delete_post","target":"backend","input":{"post_id":1},"confirmation":"required"},` +
		`{"type":"tool-result","toolCallId":"c1","toolName":"delete_post","output":{"success":true}}]}]`))
	c.eof()
	c.wantState("c1", "resolved")
}

func TestR20_AnAnswerThatHasBegunMayTakeItsTime(t *testing.T) {
	c := asking(t, patient)
	c.tap("c1", "approve")
	c.head()
	for _, d := range c.timers {
		if d == 15_000 {
			t.Error("the time of the decision still runs")
		}
	}
}

func TestI13_AnApprovalOlderThan120SecondsNeedsANewGesture(t *testing.T) {
	c := asking(t, patient)
	tap := c.tap("c1", "approve")
	c.lost()
	c.at(120_001) // the machine slept
	c.retry()
	c.wantPosts(2)
	c.wantState("c1", "pending")
	c.wantCardError("c1", session.CodeLateApproval)
	c.wantError(tap, session.CodeLateApproval)

	c.tap("c1", "approve")
	c.answer(RES("c1", `1`), START, END, DONE)
	c.wantState("c1", "resolved")
}

func TestI13_SleepThatOnlyTheWallClockSaw(t *testing.T) {
	c := newChat(t, patient)
	c.put(func(c *chat) { c.s.Wall(1_700_000_000_000) })
	c.send("x")
	c.answer(START, CALL("c1", "delete_post", `{}`, "required"), END, DONE)
	c.tap("c1", "approve")
	c.lost()
	c.put(func(c *chat) { c.s.Wall(1_700_000_121_000) })
	c.retry()
	c.wantState("c1", "pending")
	c.wantCardError("c1", session.CodeLateApproval)
}

func TestI13_ARequestThatWaitedForTheStoreTooLongIsNotSent(t *testing.T) {
	c := asking(t)
	tap := c.ticket()
	c.put(func(c *chat) {
		c.s.Decide(tap, []session.Choice{choice("c1", "approve", "")}, session.TurnOptions{})
		for _, e := range append([]session.Effect(nil), c.s.Flush().Effects...) {
			if e.Kind != session.OpenStream {
				c.do(e)
				continue
			}
			c.s.At(120_001) // the machine slept while the store was asked
			if _, err := c.s.Encode(e.ID, nil); err == nil {
				c.t.Error("the request has bytes")
			}
		}
	})
	c.wantState("c1", "pending")
	c.wantCardError("c1", session.CodeLateApproval)
	c.wantError(tap, session.CodeLateApproval)
	c.wantPosts(1)
}

func TestI13_ADenialIsDeliveredHoweverOld(t *testing.T) {
	c := newChat(t, patient)
	c.send("x")
	c.answer(START, CALL("c1", "t", `{}`, "required"), CALL("c2", "t", `{}`, "required"), END, DONE)
	c.decide(choice("c1", "approve", ""), choice("c2", "deny", "no"))
	c.lost()
	c.at(600_000)
	c.retry()
	c.wantDecisions("c2 deny")
	c.wantState("c1", "pending")
	c.wantState("c2", "deciding")
}

func TestR29_LateBytesOfAnEarlierAttemptChangeNothing(t *testing.T) {
	c := asking(t, patient)
	c.tap("c1", "approve")
	old := c.last().id
	c.lost()
	c.feedTo(old, RES("c1", `1`))
	c.headOf(old, 200, "text/event-stream")
	c.retry()
	c.feedTo(old, RES("c1", `1`))
	c.end(old, session.EOF, "")
	c.wantState("c1", "deciding")

	c.head() // the second attempt had begun to answer
	old = c.last().id
	c.lost()
	c.feedTo(old, RES("c1", `1`))
	c.wantState("c1", "deciding")
}

func TestR4_BackoffIsFullJitter(t *testing.T) {
	const seeds = 2_000
	sum := map[int]int{}
	seen := map[int]int{}
	for seed := range seeds {
		c := makeChat(t, chatConfig(byte(seed), byte(seed>>8)))
		c.send("x")
		c.answer(START, CALL("c1", "delete_post", `{}`, "required"), END, DONE)
		c.tap("c1", "approve")
		for n := range 3 {
			c.lost()
			d := c.retry()
			sum[n] += d
			if n == 0 {
				seen[d]++
			}
		}
	}
	for n, ceiling := range []int{500, 1_000, 2_000} {
		mean := float64(sum[n]) / seeds
		if half := float64(ceiling) / 2; mean < half*0.95 || mean > half*1.05 {
			t.Errorf("attempt %d: mean delay %.0f ms, want %.0f within 5 %%", n+1, mean, half)
		}
	}
	for d, n := range seen {
		if n > 30 { // 4 are expected of each
			t.Errorf("%d of %d clients wait exactly %d ms", n, seeds, d)
		}
	}
}

func chatConfig(a, b byte) session.Config {
	cfg := baseConfig()
	cfg.DecisionAttempts, cfg.Seed = 0, [16]byte{a, b, 7}
	return cfg
}

func TestR33_OnlineIsAHintThatShortensOneWait(t *testing.T) {
	c := asking(t, patient)
	c.tap("c1", "approve")
	c.lost()
	for i := range 100 {
		c.put(func(c *chat) { c.s.Online(i%2 == 1) })
	}
	c.wantPosts(2) // nothing was sent by the flag itself
	waiting := 0
	for _, d := range c.timers {
		if d <= 4_000 {
			waiting++
		}
	}
	if waiting != 1 {
		t.Errorf("%d attempts wait, want one (I8)", waiting)
	}
	c.retry()
	c.wantPosts(3)
	c.lost()
	before := len(c.timers)
	c.put(func(c *chat) { c.s.Online(true) })
	if len(c.timers) != before {
		t.Error("a second wait was shortened")
	}
}

func TestR11_401IsTriedOnceWithNewHeaders(t *testing.T) {
	c := newChat(t, func(cfg *session.Config) { cfg.RefreshAuth = true })
	sent := c.send("x")
	c.status(401, "")
	c.wantFailures()
	c.retry()
	c.wantPosts(2)
	c.status(401, "")
	c.wantFailures(session.CodeUnauthorized)
	c.wantError(sent, session.CodeUnauthorized)
	c.wantPosts(2)
}

func TestR6_SilenceIsMeasuredFromTheLastByte(t *testing.T) {
	c := newChat(t, func(cfg *session.Config) { cfg.SilenceTimeout = 45_000 })
	c.send("x")
	c.head()
	c.at(44_000)
	c.feed(": alive\n\n")
	c.at(45_000)
	c.fire(45_000)
	c.wantFailures()
	c.at(88_999)
	c.fire(44_000) // 89,000 is due
	c.wantFailures()
	c.at(89_000)
	c.fire(1)
	c.wantFailures(session.CodeSilent)
}

func TestR6_AHeartbeatKeepsAQuietStreamFor24Hours(t *testing.T) {
	c := newChat(t, func(cfg *session.Config) { cfg.SilenceTimeout = 45_000 })
	c.send("x")
	c.head()
	now := int64(0)
	for now < 24*3_600_000 {
		now += 20_000
		c.at(now)
		c.feed(":\n\n")
		for id, d := range c.timers {
			if now%45_000 < 20_000 && d <= 45_000 {
				delete(c.timers, id)
				c.put(func(c *chat) { c.s.Fire(id) })
			}
		}
	}
	c.wantFailures()
	c.feed(START, TXT("still here"), END, DONE)
	c.wantTranscript(lines("user: x", "assistant: still here"))
}

func TestR35_AfterAFreezeTheStreamGetsAMomentToSpeak(t *testing.T) {
	c := newChat(t, func(cfg *session.Config) { cfg.SilenceTimeout = 45_000 })
	c.send("x")
	c.head()
	c.at(3_600_000) // frozen for an hour; the timer comes before the bytes
	c.fire(45_000)
	c.wantFailures()
	c.feed(START, TXT("a"))
	c.at(3_605_000)
	c.fire(5_000)
	c.wantFailures()
	c.at(3_700_000)
	c.fire(40_000)
	c.wantFailures()
	c.at(3_705_000)
	c.fire(5_000)
	c.wantFailures(session.CodeSilent)
}

func TestS50_AnApprovalAfterTenMinutesAsksTheServerFirst(t *testing.T) {
	const call = `{"type":"tool-call","toolCallId":"c1","toolName":"delete_post","target":"backend","input":{"post_id":1},"confirmation":"required"}`
	for _, test := range []struct {
		name, body, state, code string
		status, posts           int
	}{
		{"still waits", HISTORY(`[{"id":"a","role":"assistant","parts":[` + call + `]}]`), "deciding", "", 200, 2},
		{"forgotten", HISTORY(`[{"id":"a","role":"assistant","parts":[]}]`), "expired", session.CodeSuperseded, 200, 1},
		{"chat deleted", "", "expired", session.CodeSuperseded, 404, 1},
		{"unknown", "<html>", "pending", session.CodeUnverified, 200, 1},
		{"server away", "", "pending", session.CodeUnverified, 502, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := asking(t)
			c.at(600_001)
			tap := c.tap("c1", "approve")
			c.wantState("c1", "deciding")
			c.wantPosts(1)
			if c.last().wire.Method != "GET" {
				t.Fatal("the state is not read")
			}
			c.wantOpen(tap)
			c.status(test.status, test.body)
			c.wantState("c1", test.state)
			c.wantCardError("c1", test.code)
			c.wantPosts(test.posts)
			if test.posts == 1 && test.state == "pending" {
				c.wantError(tap, session.CodeUnverified)
			}
		})
	}
}

func TestS50_ADenialIsNeverHeldBack(t *testing.T) {
	c := asking(t)
	c.at(3_600_000)
	c.tap("c1", "deny")
	c.wantPosts(2)
}

func TestS50_WakeReadsWhatWaitedForLong(t *testing.T) {
	c := asking(t)
	c.at(599_000)
	c.put(func(c *chat) { c.s.Wake() })
	if c.last().wire.Method == "GET" {
		t.Error("fresh state was read again")
	}
	c.at(600_001)
	c.put(func(c *chat) { c.s.Wake() })
	c.put(func(c *chat) { c.s.Wake() })
	gets := 0
	for _, r := range c.requests {
		if r.wire.Method == "GET" {
			gets++
		}
	}
	if gets != 1 {
		t.Errorf("%d readings, want 1", gets)
	}
}
