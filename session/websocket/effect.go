package websocket

// EffectKind says what the driver of a Client must do.
type EffectKind uint8

const (
	// Dial: open socket Conn, with a fresh token, and tell Opened or Closed.
	Dial EffectKind = iota + 1
	// Write: send the message Data on socket Conn; Text says which type.
	Write
	// Hangup: close socket Conn with Code. Nothing needs to be answered; what
	// comes from this socket later is ignored.
	Hangup
	// SetTimer: call Fire(Timer) after Delay ms; it replaces an earlier one of
	// the same Timer. ClearTimer: do not.
	SetTimer
	ClearTimer
	// Head: the response to Stream begins with Status; the content type is
	// ContentType, RetryAfter is in ms, -1 for none.
	Head
	// Bytes: Data belongs to the response's body.
	Bytes
	// End: the response is over; Reason says how.
	End
	// State: the link's state has changed, see Client.State.
	State
)

// Reason says how a response ended.
type Reason uint8

const (
	// EOF: as the body of an HTTP response ends.
	EOF Reason = iota
	// Lost: the link could not be brought back in time. Whether the server
	// received the request is not known unless its head has come.
	Lost
	// Gap: the server cannot go on where the link broke.
	Gap
	// Unavailable: no socket can be had; the request was not sent and may go
	// another way. Only with Config.Fallback.
	Unavailable
	// NoToken: the page could not give a token; nothing was sent.
	NoToken
)

// Detail says a reason in words, for the text of an error.
func (r Reason) Detail() string {
	switch r {
	case Lost:
		return "the WebSocket could not be brought back in time"
	case Gap:
		return "the server cannot go on where the WebSocket broke"
	case Unavailable:
		return "no WebSocket can be had"
	case NoToken:
		return "the page could not give a token"
	}
	return ""
}

// Effect is one thing that the driver must do, in order.
type Effect struct {
	Kind        EffectKind
	Conn        int
	Stream      int
	Timer       Timer
	Delay       int
	Code        int
	Status      int
	RetryAfter  int
	ContentType string
	Reason      Reason
	Data        []byte
	Text        bool
}

// Timer is one of the client's three deadlines.
type Timer int

const (
	// ConnectTimer ends a wait before the next attempt, or an attempt.
	ConnectTimer Timer = iota
	// LifeTimer looks after an open socket: silence and idleness.
	LifeTimer
	// GiveUpTimer ends the requests of a link that cannot be brought back.
	GiveUpTimer
)
