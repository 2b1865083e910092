package session_test

import (
	"flag"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/asgard"
	"github.com/svedawasm/svedawasm/session/vercel"
)

// fuzzFrames is what a server may say, right or wrong.
var fuzzFrames = []string{
	START, END, DONE, FAIL, TXT("a"), frame(`{"type":"reasoning.delta","delta":"h"}`),
	CALL("c1", "d", `{"a":1}`, "required"), CALL("c1", "d", `{"a":1}`), CALL("c1", "d", `{"a":2}`, "required"), CALL("c2", "d", `{}`, "required"),
	CALL("f1", "gated", `{}`, "frontend"), CALL("f1", "gated", `{}`, "frontend", "required"), CALL("f2", "auto", `{}`, "frontend"),
	CALL("f2", "auto", `{}`, "frontend", "required"), CALL("f3", "missing", `{}`, "frontend"), CALL("f4", "gated", `{"k":1,"k":2}`, "frontend"), CALL("b1", "s", `{}`),
	RES("c1", "1"), RES("c1", denied), RES("c2", "2"), RES("f1", "3"), RES("f2", "4"), RES("b1", "5"), RES("zz", "6"),
	frame(`{"type":"message.start","messageId":"m2","chatId":"other"}`), frame(`{"type":"message.start","messageId":"m3"}`),
	frame(`{"type":"chat.title","title":"t"}`), frame(`{"type":"max_steps","maxSteps":1}`), frame(`{"type":"unknown"}`), frame(`{`), "data: [DO", "event: error\n\n",
	frame(`{"type":"tool-call","toolCallId":"c1","toolName":"d","args":{"a":1},"confirmation":"required"}`), frame(`{"type":"finish"}`), ": ping\n\n", "\r\r\n\xff\x00",
}

// fuzzRuns is the same for a channel.
var fuzzRuns = []string{
	INIT, RUNDONE, RUNERR("x"), RUNERR(refusalText), SAID("m1", "a"), MSTART("m2"), MDELTA("m2", "b"), MCOMPLETE("m2", "bc"), MUSER("mu", "", "x"),
	CONSENT("p1", remove("c1"), run("c2", "ls")), CONSENT("p1", run("c2", "ls")), CONSENT("", remove("c1")), CONSENT("p2"), CONSENT("p3", allowed(run("c3", "df")), remove("c1")),
	PAUSE("p1", remove("c1"), run("c2", "ls"), run("c3", "df")), BRACKET(remove("c1")), remove("c1").start(), remove("c1").complete("1", false), run("c2", "ls").complete("2", true),
	run("b1", "ps").start(), run("b1", "ps").complete("3", false), withID("7", INIT), withID("8", SAID("m4", "d")), ": ping\n\n", "id:\n\n", "data: {\n\n", "\xff\r\r",
}

func allowed(c aCall) aCall {
	c.allowed = true
	return c
}

// fuzzLists is what a page or a server may have stored.
var fuzzLists = []string{
	`[]`, waitingHistory,
	`[{"id":"a","role":"assistant","parts":[{"type":"tool-call","toolCallId":"f1","toolName":"gated","target":"backend","input":{},"confirmation":"required"}]}]`,
	`[{"id":"a","role":"assistant","parts":[{"type":"tool-call","toolCallId":"f1","toolName":"gated","target":"frontend","input":{}},{"type":"tool-call","toolCallId":"f2","toolName":"auto","target":"frontend","input":{}}]},{"id":"a","role":"user"}]`,
	`[{"id":"a","role":"assistant","parts":[{"type":"tool-call","toolCallId":"c1","toolName":"d","input":{"a":1},"confirmation":"required"},{"type":"tool-result","toolCallId":"c1","toolName":"d","output":{"denied":true}}]}]`,
	`[{"id":"a","role":"assistant","parts":[{"type":"tool-call","toolCallId":"c1","toolName":"d","input":{"a":1},"confirmation":"required"},{"type":"tool-call","toolCallId":"c1","toolName":"d","input":{"a":9}}]},1,{}]`,
	`[{"role":"assistant","parts":[{"type":"reasoning","text":"."},{"type":"tool-result","toolCallId":"f1","output":1},{"type":"tool-result","toolCallId":"f2","output":1}]}]`,
}

var fuzzIDs = []string{"c1", "c2", "f1", "f2", "f4", "c3", "zz"}

// FuzzSession puts random inputs in random order. The harness checks after each
// of them what must always hold: a handler runs once and never after a denial
// (I2, I3), no other turn leaves while a call waits (I6), decisions carry no
// arguments, promises settle once and all of them, the mirror of the page is
// right, nothing is left after Close, and a replay gives the same bytes.
func FuzzSession(f *testing.F) {
	// Send, a gated call, approve it, its result; then with a handler.
	f.Add(byte(0), []byte{0, 0, 5, 0, 6, 0, 6, 6, 6, 1, 6, 2, 1, 0, 5, 0, 6, 17, 6, 4, 6, 1, 6, 2})
	f.Add(byte(0), []byte{0, 0, 5, 0, 6, 10, 6, 1, 6, 2, 1, 2, 10, 0, 5, 0, 6, 1, 6, 2})
	f.Add(byte(1), []byte{0, 0, 5, 0, 6, 12, 6, 6, 4, 0, 12, 1, 1, 0, 9, 0, 13, 0, 20, 1, 2, 0, 8, 0})
	f.Add(byte(2), []byte{12, 3, 1, 2, 10, 0, 12, 0, 12, 2, 1, 2, 0, 0, 5, 0, 6, 10, 7, 0, 16, 0})
	f.Fuzz(func(t *testing.T, mode byte, ops []byte) {
		if len(ops) <= 400 {
			play(t, mode, ops)
		}
	})
}

// TestRandomInputs is the same with seeds: -inputs says how many chats.
func TestRandomInputs(t *testing.T) {
	// Ops that lead on come more often than their share.
	likely := []byte{0, 1, 1, 2, 3, 5, 5, 5, 6, 6, 6, 6, 6, 6, 19, 7, 7, 8, 10, 10, 12, 14, 20}
	for seed := range *inputs {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		ops := make([]byte, 2*(20+r.IntN(120)))
		for i := range ops {
			ops[i] = byte(r.Uint32())
			if i%2 == 0 && r.IntN(4) > 0 {
				ops[i] = likely[r.IntN(len(likely))]
			} else if i%2 == 1 {
				ops[i] &= 63 // of the last stream
			}
		}
		if !t.Run(strconv.Itoa(seed), func(t *testing.T) { play(t, byte(seed), ops) }) {
			return
		}
	}
}

var inputs = flag.Int("inputs", 200, "chats of TestRandomInputs")

// play drives a chat by ops, pairs of what and with what.
func play(t *testing.T, mode byte, ops []byte) {
	cfg := baseConfig()
	cfg.NoAutoSubmit = mode&1 != 0
	cfg.Grants = mode&2 != 0
	if mode&4 != 0 {
		cfg.DecisionAttempts = 3
	}
	if mode&8 != 0 {
		cfg.Dialect = vercel.New(vercel.Config{Histories: true})
	}
	frames := fuzzFrames
	if mode&16 != 0 {
		cfg.Dialect, frames = asgard.New(asgard.Config{}), fuzzRuns
	}
	cfg.MaxToolRounds = 3
	c := makeChat(t, cfg)
	c.register("gated", "required")
	c.register("auto", "")
	now, reloaded := int64(0), false
	for i := 0; i+1 < len(ops) && !t.Failed(); i += 2 {
		op, arg := ops[i]%25, int(ops[i+1])
		id := fuzzIDs[arg%len(fuzzIDs)]
		stream := 0
		if len(c.requests) > 0 {
			stream = c.requests[len(c.requests)-1-arg/64%len(c.requests)].id // often the last one
		}
		switch op {
		case 0:
			c.send("x")
		case 1:
			c.tap(id, "approve")
		case 2:
			c.tapWith(id, "deny", "no")
		case 3:
			c.decide(choice(id, "approve", ""), choice(fuzzIDs[(arg+1)%len(fuzzIDs)], "deny", ""))
		case 4:
			c.stop()
		case 5:
			c.headOf(stream, 200, "text/event-stream")
		case 6:
			c.feedTo(stream, frames[arg%len(frames)])
		case 7:
			c.end(stream, session.EOF, "")
		case 8:
			c.end(stream, session.NetworkFailed, "x")
		case 9:
			status := []int{409, 500, 401, 429, 204, 422, 404}[arg%7]
			c.headOf(stream, status, "application/json")
			c.feedTo(stream, []string{waits, gone, ``, `{"error":"x"}`}[arg/8%4])
			c.end(stream, session.EOF, "")
		case 10, 11:
			if len(c.runs) > 0 {
				run := c.runs[arg%len(c.runs)].ID
				c.put(func(c *chat) {
					if op == 10 {
						lend(`{"ok":1}`, func(b []byte) { c.s.Output(run, b) })
					} else {
						c.s.OutputFailed(run, "x")
					}
				})
			}
		case 12:
			c.setMessages(fuzzLists[arg%len(fuzzLists)])
		case 13:
			c.reread()
		case 14:
			for timer := 1; timer < 2000 && len(c.timers) > 0; timer++ {
				if _, runs := c.timers[timer]; runs {
					if arg--; arg%4 == 3 || arg < 0 {
						delete(c.timers, timer)
						c.put(func(c *chat) { c.s.Fire(timer) })
						break
					}
				}
			}
		case 15:
			if mode&16 != 0 {
				t := c.ticket()
				c.put(func(c *chat) { c.s.Nudge(t, session.TurnOptions{}) })
			} else {
				c.goOn()
			}
		case 16:
			if mode&16 != 0 && arg%4 == 0 {
				t := c.ticket()
				c.put(func(c *chat) { c.anew = true; c.s.Reset(t, session.TurnOptions{}) })
			} else {
				c.submit()
			}
		case 17:
			word := []string{"", "required"}[arg%2]
			c.register([]string{"gated", "auto", "d"}[arg/2%3], word)
		case 18:
			now += int64(arg) * 1000
			c.at(now)
		case 19:
			c.feedTo(stream, frames[arg%len(frames)]+frames[(arg+7)%len(frames)])
		case 20:
			c.headOf(stream, 200, "application/json")
			c.feedTo(stream, HISTORY(fuzzLists[arg%len(fuzzLists)]))
			c.end(stream, session.EOF, "")
		case 21:
			whole := frames[arg%len(frames)]
			cut := arg % (len(whole) + 1)
			c.feedTo(stream, whole[:cut], whole[cut:])
		case 22:
			c.tap(id, "always")
		case 23:
			c.put(func(c *chat) { c.s.SetEvents(arg%2 == 0) })
		case 24:
			anew := c.anew
			now += int64(arg) * 1000
			c, reloaded = c.reload(now), true
			c.anew = anew
		}
		for _, conf := range c.shown {
			if conf.State == "pending" && !c.s.Pending() {
				t.Fatalf("%s waits and the chat is free\n%s", conf.ToolCallID, &c.trace)
			}
		}
	}
	if !reloaded { // the clean-up of a reload checks the rest
		c.finish()
	}
}
