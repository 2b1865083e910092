// Package bridge is the boundary between JavaScript and the session, without
// JavaScript: sessions, registries and decoders by integer handle, bytes in
// through an inbox, frames out through an outbox. The js build only lends it a
// memory; tests drive it natively.
//
// Every entry clears the outbox, does one thing and returns the length of the
// frame that it left there.
package bridge

import (
	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/wasm/frame"
)

// keptInbox is how much room stays after a large input, in bytes.
const keptInbox = 1 << 20

// Bridge holds everything that JavaScript has a handle of.
type Bridge struct {
	in  []byte
	out []byte
	now int64 // ms, as told by Clock
	// wall is the time of day, ms since 1970, as told by Wall; 0 when not known.
	wall int64

	registries handles[registry]
	contexts   handles[pageContext]
	decoders   handles[decoder]
	clients    handles[client]
	chats      handles[chat]
}

// New returns an empty bridge.
func New() *Bridge { return &Bridge{} }

// Inbox gives room for size bytes of input. The buffer is valid until the next
// call of Inbox.
func (b *Bridge) Inbox(size int) []byte {
	if size > cap(b.in) || cap(b.in) > keptInbox && size <= keptInbox {
		b.in = make([]byte, max(size, 64<<10))
	}
	return b.in[:max(size, 1)]
}

// Outbox is the frame that the last entry left.
func (b *Bridge) Outbox() []byte { return b.out }

// Internal leaves the error of an entry that panicked. It says nothing of the
// panic: its text may hold what the person wrote (S62).
func (b *Bridge) Internal() int {
	return b.fail(failure("internal", "the core failed inside a call; its state is as before"))
}

// input gives the fields that JavaScript wrote before the call.
func (b *Bridge) input(length int) frame.Input { return frame.NewInput(b.data(length)) }

func (b *Bridge) data(length int) []byte {
	b.out = b.out[:0]
	return b.in[:min(max(length, 0), len(b.in))]
}

func (b *Bridge) fail(err *session.Error) int {
	b.out = frame.AppendError(b.out[:0], err)
	return len(b.out)
}

func (b *Bridge) unknownHandle() int {
	return b.fail(failure(session.CodeClosed, "the object was closed"))
}

// number answers a call with an integer.
func (b *Bridge) number(n int) int {
	b.out = frame.AppendNumber(b.out, n)
	return len(b.out)
}

// value answers a call with JSON, or with nothing.
func (b *Bridge) value(data []byte) int {
	b.out = frame.AppendValue(b.out, data)
	return len(b.out)
}

func failure(code, message string) *session.Error {
	return &session.Error{Code: code, Message: message, RetryAfter: -1}
}
