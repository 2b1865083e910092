// Package websocket carries Sveda's stream over a WebSocket. It is an extension
// of this project (docs/websocket.md): requests and events are those of POST
// /sveda/stream, and what the socket adds is that nothing is lost when it
// breaks. Each frame of the server has a number, the client goes on after the
// last one that it took, and a request is never begun twice.
//
// Three parts stand apart. [Client] is the client's end as a state machine
// without I/O, clock or goroutine. [Window] is the server's memory of what a
// client has not acknowledged yet. [Socket] is the one place that knows the
// WebSocket library; the same code runs natively and in a browser.
//
// A session sees no difference to an event stream: Client hands out the head,
// the bytes and the end of a response.
package websocket

// The subprotocols, in the order in which a client offers them. They differ in
// the encoding of a frame only: a binary message of MessagePack, or a text
// message of JSON.
const (
	ProtocolMessagePack = "sveda.v1.msgpack"
	ProtocolJSON        = "sveda.v1.json"
)

// Protocols are what both ends offer; the server takes the client's first.
var Protocols = []string{ProtocolMessagePack, ProtocolJSON}

// Types of a frame. Those of the client:
const (
	// TypeHello is the first frame: Token, and to go on with an earlier link
	// its Link and Seq, the last number that was taken.
	TypeHello = "hello"
	// TypeRequest begins a turn: ID counts up from 1 over the life of the
	// link, Data is the body of POST /sveda/stream.
	TypeRequest = "request"
	// TypeCancel says that the answer to request ID is of no interest.
	TypeCancel = "cancel"
	// TypeAck acknowledges every frame up to Seq; it also answers a ping.
	TypeAck = "ack"
)

// Those of the server:
const (
	// TypeWelcome answers hello: Link, Resumed, ID (the last request that was
	// received on this link), Window and Heartbeat in ms, Credit and Limit in
	// bytes.
	TypeWelcome = "welcome"
	// TypeGap says that frames are lost for good, Code says why; a welcome
	// with a new link follows.
	TypeGap = "gap"
	// TypeHead is the answer to request ID: Status, and for one outside 2xx
	// Text (the body) and RetryAfter.
	TypeHead = "head"
	// TypeEvent is one event of request ID: Data.
	TypeEvent = "event"
	// TypeEnd is the end of the turn of request ID; Code is CodeCut when the
	// turn broke off.
	TypeEnd = "end"
	// TypePing is the heartbeat; it has no number.
	TypePing = "ping"
)

// Codes of a gap and of an end.
const (
	GapUnknown  = "unknown-link"    // the server does not know this link (any more)
	GapOverflow = "window-overflow" // more was unacknowledged than the window holds
	CodeCut     = "cut"             // the turn was ended by the server before its end mark
)

// Close codes. 4400 to 4599 are HTTP statuses: 4401 is 401.
const (
	CloseNormal     = 1000
	CloseTimeout    = 4000 // the other end was silent
	CloseSuperseded = 4001 // the same link came in over another socket
	CloseProtocol   = 4002 // a frame that cannot be
	CloseStopping   = 4003 // the server is being stopped
	closeStatus     = 4000
)

// StatusOf gives the HTTP status that a close code stands for, 0 for none.
func StatusOf(code int) int {
	if code >= closeStatus+400 && code <= closeStatus+599 {
		return code - closeStatus
	}
	return 0
}

// CloseCode is the close code for an HTTP status.
func CloseCode(status int) int { return closeStatus + status }

// MaxMessage is the cap on one message in either direction, in bytes. It holds
// an event of the event stream's cap with room for the frame around it.
const MaxMessage = 16<<20 + 64<<10
