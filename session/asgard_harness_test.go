package session_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/asgard"
)

// newChannel is a chat that speaks the channel protocol.
func newChannel(t *testing.T, options ...option) *chat {
	t.Helper()
	dialect := func(cfg *session.Config) {
		cfg.ChatID, cfg.Dialect = "ch", asgard.New(asgard.Config{})
	}
	return newChat(t, append([]option{dialect}, options...)...)
}

// Frames of the Asgard wire. Every fact key is there, the unused ones null, as
// the Go server writes them; bare writes only the one in use.

var factKeys = []string{"runInit", "runDone", "runError", "processStart", "processComplete",
	"messageStart", "messageDelta", "messageComplete", "messageUser", "toolCallStart",
	"toolCallComplete", "toolCallConsent", "channelTitleUpdate"}

func asgardFrame(kind, key, fact string) string {
	var b strings.Builder
	b.WriteString("event: " + kind + "\ndata: {\"eventType\":\"" + kind + `","requestId":"req-1","eventId":"e","namespace":"ns","botProviderName":"bp","customChannelId":"ch","fact":{`)
	for i, k := range factKeys {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + k + `":`)
		if k == key {
			b.WriteString(fact)
		} else {
			b.WriteString("null")
		}
	}
	b.WriteString("}}\n\n")
	return b.String()
}

func bare(kind, key, fact string) string {
	return "data: {\"eventType\":\"" + kind + `","requestId":"req-1","fact":{"` + key + `":` + fact + "}}\n\n"
}

// withID puts an id line before a frame.
func withID(id, frame string) string { return "id: " + id + "\n" + frame }

var (
	INIT    = asgardFrame("asgard.run.init", "runInit", "{}")
	RUNDONE = asgardFrame("asgard.run.done", "runDone", "{}")
)

func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

func RUNERR(text string) string {
	return asgardFrame("asgard.run.error", "runError", `{"error":{"message":`+quoted(text)+`,"code":"FAILED_PRECONDITION","inner":null,"location":null}}`)
}

const refusalText = "channel is paused: use RespondToolCallConsent"

func aMessage(kind, key, id, text string) string {
	return asgardFrame("asgard.message."+kind, key, `{"message":{"messageId":"`+id+`","replyToCustomMessageId":"","text":`+quoted(text)+`,"payload":null,"isDebug":false,"idx":0,"template":null}}`)
}

func MSTART(id string) string          { return aMessage("start", "messageStart", id, "") }
func MDELTA(id, text string) string    { return aMessage("delta", "messageDelta", id, text) }
func MCOMPLETE(id, text string) string { return aMessage("complete", "messageComplete", id, text) }

// SAID is a whole message of the agent.
func SAID(id, text string) string { return MSTART(id) + MDELTA(id, text) + MCOMPLETE(id, text) }

func MUSER(id, custom, text string) string {
	return asgardFrame("asgard.message.user", "messageUser", `{"messageId":"`+id+`","customMessageId":"`+custom+`","text":`+quoted(text)+`}`)
}

// aCall is a call of a batch.
type aCall struct {
	id, toolset, name, parameter, reason string
	allowed                              bool
}

func (c aCall) pending() string {
	allowed := "false"
	if c.allowed {
		allowed = "true"
	}
	return `{"toolCallId":"` + c.id + `","toolsetName":` + quoted(c.toolset) + `,"toolName":` + quoted(c.name) +
		`,"parameter":` + c.parameter + `,"alreadyAllowed":` + allowed + `,"reason":` + quoted(c.reason) + `}`
}

func (c aCall) start() string {
	return asgardFrame("asgard.tool_call.start", "toolCallStart", `{"processId":"proc-1","callSeq":1,"toolUseId":"`+c.id+`","toolCall":`+c.tool()+`}`)
}

func (c aCall) tool() string {
	return `{"toolsetName":` + quoted(c.toolset) + `,"toolName":` + quoted(c.name) + `,"parameter":` + c.parameter + `,"reason":` + quoted(c.reason) + `}`
}

func (c aCall) complete(result string, isError bool) string {
	rest := ""
	if isError {
		rest = `,"isError":true`
	}
	return asgardFrame("asgard.tool_call.complete", "toolCallComplete", `{"processId":"proc-1","callSeq":1,"toolUseId":"`+c.id+`","toolCall":`+c.tool()+`,"toolCallResult":`+result+rest+`}`)
}

// CONSENT asks for calls; starts of them are not a part of it.
func CONSENT(process string, calls ...aCall) string {
	items := make([]string, len(calls))
	for i, c := range calls {
		items[i] = c.pending()
	}
	return asgardFrame("asgard.tool_call.consent", "toolCallConsent", `{"processId":"`+process+`","pendingCalls":[`+strings.Join(items, ",")+`]}`)
}

// PAUSE is what a live run says that asks for calls.
func PAUSE(process string, calls ...aCall) string {
	text := INIT
	for _, c := range calls {
		text += c.start()
	}
	return text + CONSENT(process, calls...) + RUNDONE
}

// BRACKET is what a rejoin of a paused channel ends with (S3).
func BRACKET(calls ...aCall) string { return INIT + CONSENT("", calls...) + RUNDONE }

func remove(id string) aCall {
	return aCall{id: id, toolset: "posts", name: "delete_post", parameter: `{"post_id":2}`, reason: "clean up"}
}

func run(id, command string) aCall {
	return aCall{id: id, toolset: "shell", name: "run", parameter: `{"command":` + quoted(command) + `}`}
}

// paused is a channel whose first turn asks for calls.
func paused(t *testing.T, calls ...aCall) *chat {
	t.Helper()
	c := newChannel(t)
	sent := c.send("x")
	c.answer(PAUSE("proc-1", calls...))
	c.wantResolved(sent)
	c.wantStatus(session.Idle)
	return c
}

// consents are the answers of a reply, one line each.
func consents(r *request) string {
	var b strings.Builder
	for _, d := range r.body.ToolCallConsents {
		b.WriteString(d["toolCallId"].(string) + " " + d["result"].(string))
		if d["denyReason"] != "" {
			b.WriteString(" " + d["denyReason"].(string))
		}
		if len(d) != 3 {
			b.WriteString(" and more")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (c *chat) wantReply(want string) {
	c.t.Helper()
	r := c.last()
	if r.body.Action != "RESPONSE_TOOL_CALL_CONSENT" || r.wire.Path != "/message/sse" || r.wire.Method != "POST" {
		c.t.Fatalf("the last request is no reply: %s %s %s", r.wire.Method, r.wire.Path, r.wire.Body)
	}
	if got := consents(r); got != want {
		c.t.Errorf("reply:\n%swant:\n%s", got, want)
	}
}

// wantRejoin checks that the state of the channel is being read again.
func (c *chat) wantRejoin() {
	c.t.Helper()
	if w := c.last().wire; w.Method != "GET" || w.Path != "/message/sse?custom_channel_id=ch" || w.Body != nil {
		c.t.Fatalf("the last request is no rejoin: %s %s", w.Method, w.Path)
	}
}

func (c *chat) nudge() session.Ticket {
	c.t.Helper()
	t := c.ticket()
	c.put(func(c *chat) { c.s.Nudge(t, session.TurnOptions{}) })
	return t
}

func (c *chat) openChannel() session.Ticket {
	c.t.Helper()
	t := c.ticket()
	c.put(func(c *chat) { c.s.Open(t, session.TurnOptions{}) })
	return t
}

func (c *chat) force() session.Ticket {
	c.t.Helper()
	t := c.ticket()
	c.put(func(c *chat) { c.s.Stop(t, true) })
	return t
}

func (c *chat) reset() session.Ticket {
	c.t.Helper()
	t := c.ticket()
	c.put(func(c *chat) { c.s.Reset(t, session.TurnOptions{}) })
	return t
}

func (c *chat) restore(create bool) session.Ticket {
	c.t.Helper()
	t := c.ticket()
	c.put(func(c *chat) { c.s.Restore(t, session.TurnOptions{}, create) })
	return t
}

// plain answers the last request with a status and a body that is no stream.
func (c *chat) plain(status int, body string) {
	c.t.Helper()
	c.status(status, body)
}

// note is the data of the last notification with this name.
func (c *chat) note(name string) string {
	for i := len(c.notes) - 1; i >= 0; i-- {
		if c.notes[i] == name {
			return c.payloads[i]
		}
	}
	return ""
}

// waits says which calls a person is asked about, in the order of the batch.
func (c *chat) waits() string {
	best := ""
	for place := 1; place < 100; place++ {
		for id, conf := range c.shown {
			if conf.State == "pending" && conf.CurrentIndex == place {
				best += id + " "
			}
		}
	}
	return strings.TrimSpace(best)
}

func allow(id string) session.Choice            { return choice(id, "approve", "") }
func always(id string) session.Choice           { return choice(id, "always", "") }
func denyWith(id, reason string) session.Choice { return choice(id, "deny", reason) }
