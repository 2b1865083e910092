package main

import (
	"strings"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
	"github.com/svedawasm/svedawasm/session/snapshot"
	"github.com/svedawasm/svedawasm/session/sveda"
	"github.com/svedawasm/svedawasm/toolregistry"
)

// lab is the model's world with real sessions in it: each move of the model is
// made, and after each the pages must show what the model says.
type lab struct {
	pages   [2]labPage
	claim   *claim
	dead    bool
	tools   *toolregistry.Registry
	begin   []byte // the snapshot that both pages start from
	result1 string // what the server answers about c1
	server2 int8
	runs    int
	why     string
}

type labPage struct {
	s        *session.Session
	saved    []byte
	seed     byte
	stream   int // the open request, 0 for none
	kind     int8
	claim    int
	run      int
	approve1 bool // of the decisions that are open
	denial   bool // of the outputs that are open
	cards    [2]string
	flights  []flight
}

// flight is a request that has left, with what the server makes of it.
type flight struct {
	stream int
	m      message
}

var labDialect = sveda.New(sveda.Config{})

// newLab makes the first state: an answer that asks about c1 and c2.
func newLab() *lab {
	l := &lab{tools: toolregistry.New()}
	if _, err := l.tools.Register(toolregistry.Tool{Name: "archive", Confirmation: "required", Handler: 1}); err != nil {
		panic(err)
	}
	s := session.New(l.config(1))
	s.Wall(epoch)
	s.Send(0, session.Outgoing{Text: "t", MessageID: "u"})
	s.Flush()
	c1, c2 := &call{id: "c1", name: "delete_post", input: `{}`}, &call{id: "c2", name: "archive", input: `{}`, frontend: true}
	body := "data: " + callEvent(c1, `{}`, true) + "\n\ndata: " + callEvent(c2, `{}`, true) + "\n\ndata: {\"type\":\"message.end\"}\n\ndata: [DONE]\n\n"
	s.Head(1, 200, "text/event-stream", session.HeadInfo{RetryAfter: -1})
	s.Feed(1, []byte(body))
	s.Flush()
	bytes, err := snapshot.Encode(s.Save())
	if err != nil {
		panic(err)
	}
	l.begin = bytes
	return l
}

func (l *lab) config(seed byte) session.Config {
	return session.Config{
		ChatID: "chat", Dialect: labDialect, Tools: l.tools, Seed: [16]byte{seed}, Persist: true, Claims: true,
		ToolTimeout: -1, TailTimeout: -1, SilenceTimeout: -1, DecisionTimeout: -1, LateApproval: -1,
	}
}

// reset begins anew.
func (l *lab) reset() {
	l.claim, l.dead, l.result1, l.server2, l.runs, l.why = nil, false, "", 0, 0, ""
	for p := range l.pages {
		l.pages[p] = labPage{saved: l.begin, seed: byte(p + 1)}
		l.load(p)
	}
}

func (l *lab) load(p int) {
	page := &l.pages[p]
	saved, err := snapshot.Decode(page.saved)
	if err != nil {
		panic(err)
	}
	page.seed += 2
	page.stream, page.claim, page.run, page.cards, page.flights = 0, 0, 0, [2]string{}, nil
	page.s = session.Restore(l.config(page.seed), saved, 0, epoch)
	l.flush(p)
}

func (l *lab) flush(p int) {
	page := &l.pages[p]
	for {
		out := page.s.Flush()
		if len(out.Effects)+len(out.Changes) == 0 {
			return
		}
		for i := range out.Changes {
			l.show(page, &out.Changes[i])
		}
		for _, e := range append([]session.Effect(nil), out.Effects...) {
			switch e.Kind {
			case session.Persist:
				if e.Text == "strict" {
					page.saved, _ = snapshot.Encode(page.s.Save())
				}
			case session.Claim:
				page.claim = e.ID
			case session.RunTool:
				page.run = e.ID
				l.runs++
			case session.OpenStream:
				l.open(page, e.ID)
			}
		}
	}
}

func (l *lab) show(page *labPage, c *session.Change) {
	switch c.Kind {
	case session.ConfirmationsCleared:
		page.cards = [2]string{}
	case session.ConfirmationSet:
		var v [8]rawjson.Value
		_ = cardNames.Scan(c.Data, v[:])
		page.cards[int(word(v[0])[1]-'1')] = word(v[1])
	}
}

func (l *lab) open(page *labPage, id int) {
	if page.stream != 0 {
		l.why = "I8: two streams"
	}
	wire, err := page.s.Encode(id, nil)
	if err != nil {
		l.why = "a request has no bytes"
		return
	}
	var v [3]rawjson.Value
	_ = requestNames.Scan(wire.Body, v[:])
	page.stream = id
	page.kind = outputs
	page.denial = strings.Contains(string(v[0].Raw), `"denied":true`)
	if v[2].Kind == rawjson.Array {
		page.kind = decisions
		page.approve1 = strings.Contains(string(v[2].Raw), `"decision":"approve"`)
	}
}

// do makes a move of the model; s is the state before, next the one after.
func (l *lab) do(s, next *state, m move) {
	page := &l.pages[m.page]
	switch m.what {
	case "tap1", "tap2":
		id := "c" + m.what[3:]
		page.s.Decide(0, []session.Choice{{Decision: event.Decision{ToolCallID: id, Approve: m.approve}}}, session.TurnOptions{})
		l.flush(m.page)
	case "claim":
		l.answerClaim(m.page, s)
	case "handled":
		page.s.Output(page.run, []byte(`{"ok":true}`))
		page.run = 0
		l.flush(m.page)
	case "crash":
		if l.claim != nil && l.claim.owner == m.page {
			l.dead = true
		}
		l.load(m.page)
	case "answer":
		l.answer(s.answers[m.at], next)
	}
}

func (l *lab) answerClaim(p int, s *state) {
	page := &l.pages[p]
	w := "deny"
	if s.pages[p].w2 {
		w = "approve"
	}
	verdict := session.Granted
	switch {
	case l.claim == nil:
		l.claim = &claim{owner: p, word: w}
		l.dead = false
	case l.dead:
		verdict = session.Dead
	case l.claim.owner != p:
		verdict = session.Taken
	}
	id := page.claim
	page.claim = 0
	page.s.Claimed(id, verdict, l.claim.word)
	l.flush(p)
}

// answer brings what the server said. next tells what it holds by then.
func (l *lab) answer(a message, next *state) {
	page := &l.pages[a.page]
	if next.pages[a.page].life != a.life {
		return // of a page that is gone
	}
	id := page.stream
	page.stream = 0
	body := "data: {\"type\":\"message.end\"}\n\ndata: [DONE]\n\n"
	if a.kind == decisions {
		output := `{"done":true}`
		if next.server1 == 2 {
			output = `{"success":false,"denied":true}`
		}
		body = `data: {"type":"tool.result","toolCallId":"c1","toolName":"delete_post","output":` + output + "}\n\n" + body
	}
	page.s.Head(id, 200, "text/event-stream", session.HeadInfo{RetryAfter: -1})
	page.s.Feed(id, []byte(body))
	l.flush(int(a.page))
}

// differs says where the real pages are not what the model says, "" for nowhere.
func (l *lab) differs(s *state) string {
	if l.why != "" {
		return l.why
	}
	if l.runs != int(s.handled) {
		return "handler runs"
	}
	for p := range s.pages {
		want, page := &s.pages[p], &l.pages[p]
		switch {
		case !strings.Contains(cards1[want.c1], page.cards[0]) || page.cards[0] == "":
			return "c1 is shown as " + page.cards[0]
		case !strings.Contains(cards2[want.c2], page.cards[1]) || page.cards[1] == "":
			return "c2 is shown as " + page.cards[1]
		case (want.c2 == claims) != (page.claim != 0):
			return "claims"
		case (want.c2 == runs) != (page.run != 0):
			return "runs"
		case (want.stream != noStream) != (page.stream != 0):
			return "streams"
		case page.stream != 0 && page.kind != want.stream:
			return "the kind of the request"
		case page.stream != 0 && page.kind == decisions && page.approve1 != want.w1:
			return "I4: the word of a decision"
		}
	}
	return ""
}

// What the card of a call may show in each phase. When a call is over it depends
// on the turn whether its card says so already.
var (
	cards1 = map[phase]string{waits: "pending", decided: "deciding", sending: "deciding", over: "resolved answered-elsewhere"}
	cards2 = map[phase]string{
		waits: "pending", decided: "deciding", claims: "deciding", runs: "approved", over: "approved denied resolved",
		other: "deciding", unknown: "outcome-unknown",
	}
)

// replayed is the outcome of playing the model against the real session.
type replayed struct {
	traces, moves int
	wrong         string
	trace         []move
}

// replay plays each every-th of the longest ways through the model, so that with
// 1 each state is reached.
func (x *explored) replay(every int) (r replayed) {
	inner := make([]bool, len(x.states))
	for _, from := range x.from {
		if from >= 0 {
			inner[from] = true
		}
	}
	l := newLab()
	n := 0
	for at := range x.states {
		if inner[at] {
			continue
		}
		if n++; n%every != 0 {
			continue
		}
		r.traces++
		path := x.path(at)
		l.reset()
		s := initial()
		for i, m := range path {
			next := s.after(m)
			l.do(&s, &next, m)
			r.moves++
			s = next
			if why := l.differs(&s); why != "" {
				r.wrong, r.trace = why, path[:i+1]
				return r
			}
		}
	}
	return r
}
