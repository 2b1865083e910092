package asgard

import (
	"strconv"

	"github.com/svedawasm/svedawasm/playground/internal/store"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// The frames of the contract (2.2 to 2.4). Each carries every fact key, null
// where it is not in use, as the platform's own server writes them.

// facts are the keys in the order in which they are written.
var facts = []string{"runInit", "runDone", "runError", "messageStart", "messageDelta", "messageComplete",
	"messageThinkingStart", "messageThinkingDelta", "messageThinkingComplete", "messageUser",
	"toolCallStart", "toolCallComplete", "toolCallConsent", "channelTitleUpdate", "completionModelUsage"}

// frame is one event, ready to be sent.
type frame struct {
	bytes []byte
	// item is what a frame begins, continues or ends: a message, some thinking
	// or a call. A client that has seen its end needs nothing else of it.
	item string
	ends bool
	seq  int // place in the transcript, ephemeral for none
}

// writer makes the frames of one response.
type writer struct {
	ch    channel
	runID string
	next  int // number of the frame, in its event id
}

// frame puts a fact into its envelope. seq is its place in the transcript; a
// frame that is not part of that has none.
func (w *writer) frame(seq int, kind, key string, fact []byte) []byte {
	w.next++
	var dst []byte
	if seq >= 0 {
		dst = append(strconv.AppendInt(append(dst, "id: "...), int64(seq), 10), '\n')
	}
	dst = append(append(dst, "event: "...), kind...)
	dst = str(append(dst, "\ndata: {"...), "", "eventType", kind)
	dst = str(dst, ",", "requestId", w.runID)
	dst = str(dst, ",", "eventId", w.runID+"-"+strconv.Itoa(w.next))
	dst = str(dst, ",", "namespace", w.ch.namespace)
	dst = str(dst, ",", "botProviderName", w.ch.bot)
	dst = str(dst, ",", "customChannelId", w.ch.key.Chat)
	dst = append(dst, `,"fact":{`...)
	for i, name := range facts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), name...), '"', ':')
		if name == key {
			dst = append(dst, fact...)
		} else {
			dst = append(dst, "null"...)
		}
	}
	return append(dst, "}}\n\n"...)
}

// ephemeral marks a frame that is not part of the transcript.
const ephemeral = -1

// runInit begins a run; the first frame of a POST has the position 0.
func (w *writer) runInit(seq int) frame {
	return frame{bytes: w.frame(seq, "asgard.run.init", "runInit", []byte("{}")), seq: ephemeral}
}

func (w *writer) runDone() frame {
	return frame{bytes: w.frame(ephemeral, "asgard.run.done", "runDone", []byte("{}"))}
}

func (w *writer) runError(code, text string) frame {
	fact := str([]byte(`{"error":{`), "", "message", text)
	fact = str(fact, ",", "code", code)
	fact = append(fact, `,"inner":null,"location":null}}`...)
	return frame{bytes: w.frame(ephemeral, "asgard.run.error", "runError", fact)}
}

// message makes a frame of the shape that all message events share. kind is
// "", or "thinking" for what the model thinks.
func (w *writer) message(seq int, kind, step, id, replyTo, text string) frame {
	name, key := "asgard.message."+step, "message"
	if kind != "" {
		name, key = "asgard.message."+kind+"."+step, "messageThinking"
	}
	fact := str([]byte(`{"message":{`), "", "messageId", id)
	fact = str(fact, ",", "replyToCustomMessageId", replyTo)
	fact = str(fact, ",", "text", text)
	fact = append(fact, `,"payload":null,"isDebug":false,"idx":0,"template":null}}`...)
	key += map[string]string{"start": "Start", "delta": "Delta", "complete": "Complete"}[step]
	return frame{w.frame(seq, name, key, fact), kind + "message " + id, step == "complete", seq}
}

func (w *writer) user(seq int, m *store.Message) frame {
	fact := str([]byte("{"), "", "messageId", m.ID)
	fact = str(fact, ",", "text", m.Text)
	fact = str(fact, ",", "customMessageId", m.ID)
	return frame{w.frame(seq, "asgard.message.user", "messageUser", append(fact, '}')), "user " + m.ID, true, seq}
}

func (w *writer) callStart(process string, c *store.Call) frame {
	fact := append(call(process, c), '}')
	return frame{w.frame(ephemeral, "asgard.tool_call.start", "toolCallStart", fact), "call " + c.ID, false, ephemeral}
}

func (w *writer) callComplete(seq int, process string, c *store.Call) frame {
	fact := append(call(process, c), `,"toolCallResult":`...)
	fact = raw(fact, c.Output)
	fact = strconv.AppendBool(append(fact, `,"isError":`...), failed(c.Output))
	return frame{w.frame(seq, "asgard.tool_call.complete", "toolCallComplete", append(fact, '}')), "call " + c.ID, true, seq}
}

// call begins the fact of a call, and leaves it open.
func call(process string, c *store.Call) []byte {
	fact := str([]byte("{"), "", "processId", process)
	fact = strconv.AppendInt(append(fact, `,"callSeq":`...), int64(c.Position), 10)
	fact = str(fact, ",", "toolUseId", c.ID)
	fact = tool(append(fact, `,"toolCall":{`...), c)
	return append(fact, '}')
}

// tool writes what every shape of a call has. The arguments are the model's own
// bytes.
func tool(dst []byte, c *store.Call) []byte {
	dst = str(dst, "", "toolsetName", c.Toolset)
	dst = str(dst, ",", "toolName", c.Name)
	dst = raw(append(dst, `,"parameter":`...), c.Input)
	return str(dst, ",", "reason", "")
}

// consent asks for the calls. A prompt that is rebuilt from the pause has no
// process id, on purpose (S3).
func (w *writer) consent(process string, calls []store.Call) frame {
	fact := str([]byte("{"), "", "processId", process)
	fact = append(fact, `,"pendingCalls":`...)
	fact = append(pendingCalls(fact, calls), '}')
	return frame{bytes: w.frame(ephemeral, "asgard.tool_call.consent", "toolCallConsent", fact)}
}

func pendingCalls(dst []byte, calls []store.Call) []byte {
	dst = append(dst, '[')
	for i := range calls {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = str(append(dst, '{'), "", "toolCallId", calls[i].ID)
		dst = tool(append(dst, ','), &calls[i])
		dst = append(dst, `,"alreadyAllowed":false}`...) // allowed calls run, and are not here (2.4)
	}
	return append(dst, ']')
}

func (w *writer) title(title string) frame {
	fact := append(str([]byte("{"), "", "title", title), '}')
	return frame{bytes: w.frame(ephemeral, "asgard.channel.title.update", "channelTitleUpdate", fact)}
}

func (w *writer) usage(process string, in, out int) frame {
	fact := str([]byte("{"), "", "processId", process)
	fact = str(fact, ",", "completionModelName", "")
	for _, n := range []struct {
		name  string
		value int
	}{{"inputTokens", in}, {"outputTokens", out}, {"totalTokens", in + out}} {
		fact = append(append(append(fact, ',', '"'), n.name...), '"', ':')
		fact = strconv.AppendInt(fact, int64(n.value), 10)
	}
	fact = append(fact, `,"isPreset":true}`...)
	return frame{bytes: w.frame(ephemeral, "asgard.completion_model.usage", "completionModelUsage", fact)}
}

var successName = rawjson.NewNames("success")

// failed reports whether a tool says of itself that it did not succeed.
func failed(output []byte) bool {
	var v [1]rawjson.Value
	return successName.Scan(output, v[:]) == nil && v[0].Kind == rawjson.False
}

func str(dst []byte, before, key, value string) []byte {
	dst = append(append(append(append(dst, before...), '"'), key...), '"', ':')
	return rawjson.AppendQuoted(dst, value)
}

// raw writes JSON that passes through. A line break that stands between its
// tokens would end the frame's data line.
func raw(dst, value []byte) []byte {
	if len(value) == 0 {
		return append(dst, "null"...)
	}
	for _, c := range value {
		if c == '\n' || c == '\r' {
			c = ' '
		}
		dst = append(dst, c)
	}
	return dst
}
