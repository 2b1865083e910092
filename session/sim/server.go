package main

import (
	"strconv"

	"github.com/svedawasm/svedawasm/session/rawjson"
)

// server is the reference: one chat of the Sveda contract, where each approved
// call is executed exactly once and what happened is stored at once.
type server struct {
	w        *world
	held     bool // there is a stored chat
	messages []stored
	calls    []*call // in order of arrival
	texts    []said  // of all answers that were ever begun, by message id
	turns    int
	lastCall int
	lastText int
}

// stored is one message of the stored chat.
type stored struct {
	id, role string
	text     string
	calls    []*call
}

// said is the whole text of an answer, for I7.
type said struct{ id, text string }

// call is a tool call, and what became of it.
type call struct {
	id, name, input string
	frontend        bool
	required        bool
	decided         bool // backend: the first decision
	decider         *tab
	life            int // of the decider then
	approved        bool
	executions      int
	output          string // "" for none
}

func (c *call) waits() bool { return c.required && c.output == "" }

func (s *server) call(id string) *call {
	for _, c := range s.calls {
		if c.id == id {
			return c
		}
	}
	return nil
}

// pending says whether a call of the server waits for a person.
func (s *server) pending() bool {
	for _, c := range s.calls {
		if !c.frontend && c.waits() {
			return true
		}
	}
	return false
}

// response is what the server answers, before the network has it.
type response struct {
	status      int
	contentType string
	retryAfter  int // ms, -1 for none
	delay       int // ms before the headers
	events      []string
	body        string // when there are no events
}

func refusal(status int, message string) response {
	r := response{status: status, contentType: "application/json", retryAfter: -1}
	if message != "" {
		r.body = `{"message":"` + message + `"}`
	}
	return r
}

var (
	requestNames  = rawjson.NewNames("messages", "prompt", "toolDecisions")
	decisionNames = rawjson.NewNames("toolCallId", "decision")
	messageNames  = rawjson.NewNames("id", "role", "parts")
	partNames     = rawjson.NewNames("type", "text", "toolCallId", "output")
	deniedNames   = rawjson.NewNames("denied")
)

func word(v rawjson.Value) string { return string(rawjson.Text(v.Raw, nil)) }

// handle answers a request of a tab.
func (s *server) handle(from *conn, r *request) response {
	if r.get {
		return s.history()
	}
	var body [3]rawjson.Value
	if err := requestNames.Scan(r.body, body[:]); err != nil {
		s.w.check.fail("a request body is not JSON")
		return refusal(400, "")
	}
	if body[2].Kind == rawjson.Array {
		return s.decide(from, r, body[2].Raw)
	}
	if s.pending() {
		return refusal(409, "Tool confirmation is required before the conversation can continue.")
	}
	s.held = true
	s.read(body[0].Raw)
	return s.answer(nil)
}

// read takes the person's words and the outputs of frontend tools out of the
// chat that the client sent. The first output of a call counts.
func (s *server) read(messages []byte) {
	_ = rawjson.Elements(messages, func(m []byte) bool {
		var v [3]rawjson.Value
		_ = messageNames.Scan(m, v[:])
		id, role := word(v[0]), word(v[1])
		text := ""
		_ = rawjson.Elements(v[2].Raw, func(p []byte) bool {
			var f [4]rawjson.Value
			_ = partNames.Scan(p, f[:])
			switch word(f[0]) {
			case "text":
				text += word(f[1])
			case "tool-result":
				if c := s.call(word(f[2])); c != nil && c.frontend && c.output == "" {
					c.output = string(f[3].Raw)
					s.w.check.reported(c)
				}
			}
			return true
		})
		if role == "user" && s.find(id) < 0 {
			s.messages = append(s.messages, stored{id: id, role: role, text: text})
		}
		return true
	})
}

func (s *server) find(id string) int {
	for i := range s.messages {
		if s.messages[i].id == id {
			return i
		}
	}
	return -1
}

// decide takes decisions: the first one about a call counts, a repeated one gets
// its outcome.
func (s *server) decide(from *conn, r *request, decisions []byte) response {
	s.w.check.stats.decisions++
	if !s.held {
		return refusal(409, "Chat history is unavailable.")
	}
	var events []string
	delay := 0
	fresh := false
	_ = rawjson.Elements(decisions, func(d []byte) bool {
		var v [2]rawjson.Value
		_ = decisionNames.Scan(d, v[:])
		c := s.call(word(v[0]))
		if c == nil || c.frontend || !c.required {
			return true
		}
		approve := word(v[1]) == "approve"
		s.w.check.arrived(c, approve)
		if !c.decided {
			fresh = true
			c.decided, c.approved, c.decider, c.life = true, approve, from.t, from.life
			if approve {
				c.executions++
				c.output = `{"done":` + strconv.Itoa(s.w.id()) + `}`
				delay = max(delay, pick(&s.w.rng, 0, 0, 5, 800, 4_000))
				s.w.check.executed(c)
			} else {
				c.output = `{"success":false,"denied":true,"error":"The user denied this action and it was not executed."}`
			}
			s.w.say("server decides", c.id, c.output)
		}
		events = append(events, resultEvent(c))
		return true
	})
	if s.pending() || !fresh {
		events = append(events, `{"type":"message.end","finishReason":"tool_calls"}`)
		return stream(events, delay)
	}
	out := s.answer(events)
	out.delay += delay
	return out
}

func stream(events []string, delay int) response {
	return response{status: 200, contentType: "text/event-stream", retryAfter: -1, delay: delay, events: events}
}

func resultEvent(c *call) string {
	return `{"type":"tool.result","toolCallId":"` + c.id + `","toolName":"` + c.name + `","output":` + c.output + `}`
}

// answer is one step of the model: words, and perhaps calls.
func (s *server) answer(events []string) response {
	rng := &s.w.rng
	s.turns++
	s.w.check.stats.turns++
	m := stored{id: "msg_" + strconv.Itoa(s.turns), role: "assistant"}
	events = append(events, `{"type":"message.start","chatId":"chat","messageId":"`+m.id+`"}`)
	for range rng.n(3) {
		s.lastText++
		words := "word" + strconv.Itoa(s.lastText) + " "
		m.text += words
		events = append(events, `{"type":"text.delta","delta":"`+words+`"}`)
	}
	s.texts = append(s.texts, said{m.id, m.text})
	calls := pick(rng, 0, 1, 1, 1, 2, 3)
	if len(s.calls) > 24 {
		calls = 0
	}
	reason := "stop"
	for range calls {
		c := s.newCall()
		m.calls = append(m.calls, c)
		s.calls = append(s.calls, c)
		events = append(events, callEvent(c, c.input, c.required))
		reason = "tool_calls"
		if !c.frontend && !c.required {
			c.output = `{"ok":true}`
			events = append(events, resultEvent(c))
		}
	}
	s.messages = append(s.messages, m)
	events = append(events, `{"type":"message.end","finishReason":"`+reason+`"}`)
	return stream(events, 0)
}

func (s *server) newCall() *call {
	rng := &s.w.rng
	s.lastCall++
	n := strconv.Itoa(s.lastCall)
	c := &call{id: "c" + n, input: `{"n":` + n + `,"key":"` + secret + `"}`}
	switch pick(rng, 0, 0, 0, 1, 1, 2, 3) {
	case 0:
		c.name, c.required = "delete_post", true
	case 1:
		c.name, c.required, c.frontend = "archive", true, true
	case 2:
		c.name, c.frontend = "get_selection", true
	case 3:
		c.name = "search"
	}
	return c
}

// secret stands in all arguments: no error and no warning may hold it (I11).
const secret = "s3cr3t"

func callEvent(c *call, input string, required bool) string {
	target, flag := "backend", ""
	if c.frontend {
		target = "frontend"
	}
	if required {
		flag = `,"confirmation":"required"`
	}
	return `{"type":"tool.call","toolCallId":"` + c.id + `","toolName":"` + c.name + `","target":"` + target + `","input":` + input + flag + `}`
}

// history is the stored chat.
func (s *server) history() response {
	if !s.held {
		return refusal(404, "")
	}
	b := []byte(`{"history":{"chatId":"chat","messages":[`)
	for i := range s.messages {
		m := &s.messages[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"id":"`+m.id+`","role":"`+m.role+`","parts":[`...)
		if m.text != "" {
			b = append(b, `{"type":"text","text":"`+m.text+`"},`...)
		}
		for _, c := range m.calls {
			flag := ""
			if c.required {
				flag = `,"confirmation":"required"`
			}
			// A stored call says backend whatever it was (rule 25).
			b = append(b, `{"type":"tool-call","toolCallId":"`+c.id+`","toolName":"`+c.name+`","target":"backend","input":`+c.input+flag+`},`...)
			if c.output != "" {
				b = append(b, `{"type":"tool-result","toolCallId":"`+c.id+`","toolName":"`+c.name+`","output":`+c.output+`},`...)
			}
		}
		if b[len(b)-1] == ',' {
			b = b[:len(b)-1]
		}
		b = append(b, `]}`...)
	}
	b = append(b, `]}}`...)
	return response{status: 200, contentType: "application/json", retryAfter: -1, body: string(b)}
}

// restart is the loss of the process, and now and then of all that it stored.
func (s *server) restart(all bool) {
	s.w.say("server restarts")
	s.w.net.cut()
	if !all {
		return
	}
	s.w.say("server forgets the chat")
	s.held, s.messages = false, nil
	for _, c := range s.calls {
		s.w.check.forgotten(c)
		if c.waits() {
			c.required = false // nobody can decide it any more
		}
	}
}
