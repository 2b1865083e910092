package websocket

//go:generate go run github.com/tinylib/msgp -io=false -tests=false

// Frame is one message of the protocol. Type says which fields count; a field
// that is zero is not sent, and one that is not known is skipped.
type Frame struct {
	Type string `msg:"type"`
	// Seq numbers the frames of the server that must not be lost, from 1 over
	// the life of a link; in hello and ack it is the last one that was taken.
	Seq uint64 `msg:"seq,omitempty"`
	// ID is the client's number of a request.
	ID         uint64 `msg:"id,omitempty"`
	Token      string `msg:"token,omitempty"`
	Link       string `msg:"link,omitempty"`
	Resumed    bool   `msg:"resumed,omitempty"`
	Code       string `msg:"code,omitempty"`
	Status     int    `msg:"status,omitempty"`
	RetryAfter int    `msg:"retryAfter,omitempty"` // ms
	Window     int    `msg:"window,omitempty"`     // ms
	Heartbeat  int    `msg:"heartbeat,omitempty"`  // ms
	Credit     int    `msg:"credit,omitempty"`     // bytes
	Limit      int    `msg:"limit,omitempty"`      // bytes
	// Text is a response body of a refusal; any text.
	Text string `msg:"text,omitempty"`
	// Data is JSON: a request body or an event, exactly as it came.
	Data []byte `msg:"data,omitempty,zerocopy"`
}
