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
	// Persist: the state that must survive has changed. The driver takes Save at
	// once and stores it. Text is "strict" or "relaxed". After a strict one, the
	// OpenStream, RunTool and Claim effects that come later, in this output or in
	// a next one, are held until the store has answered: a decision and the start
	// of a handler are durable before they act (R13, R31). All other effects are
	// done at once, and an AbortStream or AbortTool drops what is held under its
	// ID. A store that fails, or takes longer than two seconds, holds nothing: the
	// driver goes on and tells the page that the chat is not durable (R30). A
	// relaxed one holds nothing and may be put off.
	Persist
	// Claim: record in the store that the pages share, if nobody has yet, that
	// the decision Text ("approve" or "deny") about call Call, attempt Handler
	// (0, 1, ...), is this page's to act on; answer with Claimed(ID, ...).
	Claim
)

// Effect is one thing that the driver must do, in order.
type Effect struct {
	Kind    EffectKind
	ID      int
	Handler int // RunTool: the page's handler; Claim: the attempt
	Call    string
	Text    string
	Data    []byte
	Delay   int // ms
	Ticket  Ticket
	Err     *Error
}
