package session

// EffectKind says what the driver must do.
type EffectKind uint8

const (
	// OpenStream: call Encode(ID), send the request, then Head, Feed and End
	// with the same ID. A failure before the response is End with a reason.
	OpenStream EffectKind = iota + 1
	// AbortStream: the response of ID is of no interest any more. Nothing needs
	// to be answered; late inputs with this ID are ignored.
	AbortStream
	// RunTool: run the page's handler Handler with Data (raw JSON arguments) and
	// answer with Output(ID, ...). Text is the tool's name, Call its call id.
	RunTool
	// AbortTool: signal the handler of run ID; its output is not waited for.
	AbortTool
	// SetTimer: call Fire(ID) after Delay ms. ClearTimer: do not.
	SetTimer
	ClearTimer
	// Settle: the promise Ticket ends; with Err when it failed, else with the
	// JSON value Data (nil for none).
	Settle
	// Persist: the state that must survive has changed; store Snapshot before
	// the effects that follow are done.
	Persist
)

// Effect is one thing that the driver must do, in order.
type Effect struct {
	Kind    EffectKind
	ID      int
	Handler int
	Call    string
	Text    string
	Data    []byte
	Delay   int // ms
	Ticket  Ticket
	Err     *Error
}
