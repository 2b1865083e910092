package bridge

import (
	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/wasm/frame"
)

// What a build with more than the common entries works with; its entries keep
// the rule of this package: clear the outbox, do one thing, return its length.

// Begin reads the fields of a call and clears the outbox.
func (b *Bridge) Begin(length int) frame.Input { return b.input(length) }

// Session gives a session at the time that Clock told; nil for an unknown
// handle.
func (b *Bridge) Session(handle int) *session.Session {
	s := b.chats.get(handle)
	if s == nil {
		return nil
	}
	s.At(b.now)
	s.Wall(b.wall)
	return s.Session
}

// Restore makes a session of the client from what an earlier page saved. It
// answers with the session's handle and then what the restoring led to.
func (b *Bridge) Restore(clientHandle int, seed [16]byte, saved *session.Saved) int {
	c := b.clients.get(clientHandle)
	if c == nil {
		return b.unknownHandle()
	}
	config := c.config
	config.Dialect, config.Seed = c.newDialect(), seed
	s := &chat{session.Restore(config, saved, b.now, b.wall)}
	b.out = frame.AppendNumber(b.out, b.chats.add(s))
	return b.flush(s)
}

// Now is the time that Clock told, ms.
func (b *Bridge) Now() int64 { return b.now }

// Append adds records to the outbox.
func (b *Bridge) Append(add func(dst []byte) []byte) { b.out = add(b.out) }

// Leave adds what the session's inputs led to, and returns the length.
func (b *Bridge) Leave(s *session.Session) int {
	b.out = frame.AppendOutput(b.out, s.Flush())
	return len(b.out)
}

// Refuse leaves an error.
func (b *Bridge) Refuse(code, message string) int { return b.fail(failure(code, message)) }
