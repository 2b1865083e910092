package bridge

import (
	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
	"github.com/svedawasm/svedawasm/wasm/frame"
)

type chat struct{ *session.Session }

// Clock takes the time for the entries that follow: milliseconds of a clock
// that only goes forward.
func (b *Bridge) Clock(now int64) { b.now = now }

// OpenSession reads the chat id and a random seed of 16 bytes, and answers with
// the handle of the session.
func (b *Bridge) OpenSession(clientHandle, length int) int {
	in := b.input(length)
	c := b.clients.get(clientHandle)
	if c == nil {
		return b.unknownHandle()
	}
	config := c.config
	config.Dialect = c.newDialect()
	config.ChatID = in.Text()
	copy(config.Seed[:], in.Bytes())
	return b.number(b.chats.add(&chat{session.New(config)}))
}

// CloseSession ends a session; the frame holds what that leads to.
func (b *Bridge) CloseSession(handle int) int {
	b.out = b.out[:0]
	s := b.chats.get(handle)
	if s == nil {
		return 0
	}
	s.Close()
	b.chats.drop(handle)
	return b.flush(s)
}

// with runs an input of a session and leaves what it led to.
func (b *Bridge) with(handle int, input func(s *session.Session)) int {
	b.out = b.out[:0]
	s := b.chats.get(handle)
	if s == nil {
		return b.unknownHandle()
	}
	s.At(b.now)
	s.Wall(b.wall)
	input(s.Session)
	return b.flush(s)
}

func (b *Bridge) flush(s *chat) int {
	b.out = frame.AppendOutput(b.out, s.Flush())
	return len(b.out)
}

// Send reads text, message id, files, blob ids and the options of a turn.
func (b *Bridge) Send(handle, ticket, length int) int {
	in := b.input(length)
	return b.with(handle, func(s *session.Session) {
		s.Send(session.Ticket(ticket), session.Outgoing{
			Text: in.Text(), MessageID: in.Text(), Files: in.Copy(), BlobIDs: in.Copy(), TurnOptions: turnOptions(&in),
		})
	})
}

// turnOptions reads context, payload, options, model and provider.
func turnOptions(in *frame.Input) session.TurnOptions {
	return session.TurnOptions{
		Context: in.Copy(), Payload: in.Copy(), Options: in.Copy(), Model: in.Text(), Provider: in.Text(),
	}
}

// Nudge, OpenTurn and Continue read the options of a turn.
func (b *Bridge) Nudge(handle, ticket, length int) int {
	in := b.input(length)
	return b.with(handle, func(s *session.Session) { s.Nudge(session.Ticket(ticket), turnOptions(&in)) })
}

// OpenTurn starts a channel without words.
func (b *Bridge) OpenTurn(handle, ticket, length int) int {
	in := b.input(length)
	return b.with(handle, func(s *session.Session) { s.Open(session.Ticket(ticket), turnOptions(&in)) })
}

// Continue goes on after the server's step limit.
func (b *Bridge) Continue(handle, ticket, length int) int {
	in := b.input(length)
	return b.with(handle, func(s *session.Session) { s.Continue(session.Ticket(ticket), turnOptions(&in)) })
}

// SubmitOutputs sends the tool outputs that were kept.
func (b *Bridge) SubmitOutputs(handle, ticket int) int {
	return b.with(handle, func(s *session.Session) { s.SubmitOutputs(session.Ticket(ticket)) })
}

// RestoreChat reads the options of a turn and brings back a chat that the server
// may have.
func (b *Bridge) RestoreChat(handle, ticket, create, length int) int {
	in := b.input(length)
	return b.with(handle, func(s *session.Session) {
		s.Restore(session.Ticket(ticket), turnOptions(&in), create != 0)
	})
}

// ResetChat reads the options of a turn, drops the chat on the server and opens
// it anew.
func (b *Bridge) ResetChat(handle, ticket, length int) int {
	in := b.input(length)
	return b.with(handle, func(s *session.Session) { s.Reset(session.Ticket(ticket), turnOptions(&in)) })
}

// Reread asks the server for the state of the chat.
func (b *Bridge) Reread(handle, ticket int) int {
	return b.with(handle, func(s *session.Session) { s.Reread(session.Ticket(ticket)) })
}

// Stop ends the running turn.
func (b *Bridge) Stop(handle, ticket, force int) int {
	return b.with(handle, func(s *session.Session) { s.Stop(session.Ticket(ticket), force != 0) })
}

// Decide reads the options of a turn, and of each decision the call's id, the
// word, the reason, the digest of what was shown, and whether it is for the
// whole chat ("1").
func (b *Bridge) Decide(handle, ticket, length int) int {
	in := b.input(length)
	return b.with(handle, func(s *session.Session) {
		options := turnOptions(&in)
		var choices []session.Choice
		for in.More() {
			id, word, reason, digest, always := in.Text(), in.Text(), in.Text(), in.Text(), in.Text()
			d, known := decision(word)
			if !known {
				b.out = frame.AppendError(b.out, failure(session.CodeInvalidDecision,
					`expected the decision "approve" or "deny", got `+quote(word)))
				return
			}
			d.ToolCallID, d.Reason, d.Always = id, reason, d.Always || always == "1"
			choices = append(choices, session.Choice{Decision: d, Digest: digest})
		}
		s.Decide(session.Ticket(ticket), choices, options)
	})
}

// decision reads the words of both protocols.
func decision(word string) (d event.Decision, known bool) {
	switch word {
	case "approve", "ALLOW_ONCE":
		return event.Decision{Approve: true}, true
	case "ALLOW_ALWAYS":
		return event.Decision{Approve: true, Always: true}, true
	case "deny", "DENY_ONCE":
		return event.Decision{}, true
	}
	return event.Decision{}, false
}

// Revoke reads a toolset and a tool's name and takes back what was allowed for
// the chat.
func (b *Bridge) Revoke(handle, length int) int {
	in := b.input(length)
	return b.with(handle, func(s *session.Session) { s.Revoke(in.Text(), in.Text()) })
}

// SetMessages reads a JSON array of messages.
func (b *Bridge) SetMessages(handle, length int) int {
	in := b.input(length)
	return b.with(handle, func(s *session.Session) {
		if err := s.SetMessages(in.Copy()); err != nil {
			b.out = frame.AppendError(b.out, err)
		}
	})
}

// SetEvents says whether raw events are wanted.
func (b *Bridge) SetEvents(handle, on int) int {
	return b.with(handle, func(s *session.Session) { s.SetEvents(on != 0) })
}

// Arguments reads a call's id and answers with what a card shows of its
// arguments.
func (b *Bridge) Arguments(handle, all, length int) int {
	in := b.input(length)
	return b.with(handle, func(s *session.Session) {
		data, err := s.AppendArguments(nil, in.Text(), all != 0)
		if err != nil {
			b.out = frame.AppendError(b.out, err)
			return
		}
		b.out = frame.AppendValue(b.out, data)
	})
}

// Encode reads the page's context and answers with the request of an OpenStream
// effect.
func (b *Bridge) Encode(handle, stream, length int) int {
	in := b.input(length)
	return b.with(handle, func(s *session.Session) {
		w, err := s.Encode(stream, in.Bytes())
		if err != nil {
			b.out = frame.AppendError(b.out, err)
			return
		}
		b.out = frame.AppendRequest(b.out, &w)
	})
}

// Head reads content type and trace id of a response; retryAfter is -1 when the
// response has none.
func (b *Bridge) Head(handle, stream, status, retryAfter, length int) int {
	in := b.input(length)
	return b.with(handle, func(s *session.Session) {
		contentType, trace := in.Text(), in.Text()
		s.Head(stream, status, contentType, session.HeadInfo{RetryAfter: retryAfter, TraceID: trace})
	})
}

// Feed takes length bytes of a response, in the inbox as they are.
func (b *Bridge) Feed(handle, stream, length int) int {
	data := b.data(length)
	s := b.chats.get(handle)
	if s == nil {
		return 0
	}
	s.At(b.now)
	s.Feed(stream, data)
	return b.flush(s)
}

// End reads what a failed response said of itself.
func (b *Bridge) End(handle, stream, reason, length int) int {
	in := b.input(length)
	return b.with(handle, func(s *session.Session) { s.End(stream, session.EndReason(reason), in.Text()) })
}

// Fire takes a timer that has run out.
func (b *Bridge) Fire(handle, timer int) int {
	return b.with(handle, func(s *session.Session) { s.Fire(timer) })
}

// Output reads the JSON that a handler gave, or its error when failed is set.
func (b *Bridge) Output(handle, run, failed, length int) int {
	in := b.input(length)
	return b.with(handle, func(s *session.Session) {
		if failed != 0 {
			s.OutputFailed(run, in.Text())
			return
		}
		s.Output(run, in.Bytes())
	})
}

func quote(text string) string { return string(rawjson.AppendQuoted(nil, text)) }
