package bridge

import "github.com/svedawasm/svedawasm/session"

// What a chat needs that outlives its page, or is shown in several of them. The
// bytes of a snapshot are read and written in package wasm/durable.

// Wall takes the time of day for the entries that follow, in ms since 1970.
func (b *Bridge) Wall(now int) int {
	b.wall = int64(now)
	b.out = b.out[:0]
	return 0
}

// TakeOver says that the page which acted on the chat is gone.
func (b *Bridge) TakeOver(handle int) int {
	return b.with(handle, func(s *session.Session) { s.TakeOver() })
}

// Acting answers 1 while a turn of the session is under way.
func (b *Bridge) Acting(handle int) int {
	return b.with(handle, func(s *session.Session) { b.number(truth(s.Acting())) })
}

// Unstarted takes back a run whose handler has not been started.
func (b *Bridge) Unstarted(handle, run int) int {
	return b.with(handle, func(s *session.Session) { s.Unstarted(run) })
}

// Claimed answers a Claim effect; the word of the claim's holder is read.
func (b *Bridge) Claimed(handle, claim, verdict, length int) int {
	in := b.input(length)
	return b.with(handle, func(s *session.Session) { s.Claimed(claim, session.Verdict(verdict), in.Text()) })
}

// RetryUnknown reads the id of a call whose outcome is unknown.
func (b *Bridge) RetryUnknown(handle, ticket, length int) int {
	in := b.input(length)
	return b.with(handle, func(s *session.Session) { s.RetryUnknown(session.Ticket(ticket), in.Text()) })
}

// Online hands over the browser's hint that there is a network.
func (b *Bridge) Online(handle, online int) int {
	return b.with(handle, func(s *session.Session) { s.Online(online != 0) })
}

// Wake says that the page is in front of a person again.
func (b *Bridge) Wake(handle int) int {
	return b.with(handle, func(s *session.Session) { s.Wake() })
}
