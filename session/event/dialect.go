package event

// RequestKind says what a Request asks of the server.
type RequestKind uint8

const (
	// Turn sends what the person wrote.
	Turn RequestKind = iota
	// Decide answers confirmations.
	Decide
	// Outputs brings the outputs of tools that ran in this client.
	Outputs
	// Continue goes on after the server's step limit.
	Continue
	// Nudge asks the agent to go on without words of the person.
	Nudge
	// Open is the first turn of a channel, without words.
	Open
	// Reread asks for the state of the chat; it changes nothing on the server.
	Reread
	// Stop asks the server to stop the run.
	Stop
	// Delete drops the chat on the server.
	Delete
	// Probe asks whether the server has the chat; it changes nothing.
	Probe
)

// Decision of a person about one call.
type Decision struct {
	ToolCallID string
	Approve    bool
	// Always extends an approval to later calls of the same tool in this chat.
	Always bool
	// Reason is what the person wrote beside a denial; may be empty.
	Reason string
}

// Request is what the session asks; a Dialect turns it into bytes.
// It never carries arguments of a call beside its id (design rule 3).
type Request struct {
	Kind      RequestKind
	ChatID    string
	Prompt    string
	MessageID string // id of the user message that this turn sends or answers
	Messages  []Message
	Decisions []Decision

	ClientTools []byte // JSON array
	Context     []byte // JSON value; nil when absent
	Payload     []byte // JSON value; nil when absent
	Model       string
	Provider    string
	Options     []byte // JSON value; nil when absent
	BlobIDs     []byte // JSON array; nil when absent
	Cursor      string // resume after this position; the request is then not new
	RunID       string // Stop: the run that is meant
	Force       bool
}

// WireRequest is a request as HTTP. Endpoint is a key into the client's
// endpoint table ("stream", "history", ...), Path is appended to it (already
// percent-encoded, with its query).
type WireRequest struct {
	Method   string
	Endpoint string
	Path     string
	Accept   string
	// Headers are set before those of the page, which may override them.
	Headers [][2]string
	Body    []byte
}

// Refusal says what a status outside 2xx means.
type Refusal struct {
	Code string // stable code of this project
	Text string // the server's own words; may be empty
	// Message is how the protocol words the error; "" leaves it to the session.
	Message string
	// Pending: the server holds a confirmation that this client must show.
	Pending bool
	// Gone: the server knows nothing of what was decided; asking again is
	// pointless.
	Gone bool
}

// Traits are the facts of a protocol that the session must reckon with.
type Traits struct {
	// ResultsByID: a decided call gets its result under its own id.
	ResultsByID bool
	// BatchReply: the decisions of one batch go out together, once each call
	// of it has one.
	BatchReply bool
	// GrantsAtServer: the server remembers an Always; the client does so only
	// within one batch.
	GrantsAtServer bool
	// RepeatsDecisions: a decision that arrives twice gets the outcome of the
	// first, so a request whose fate is not known may be sent again.
	RepeatsDecisions bool
	// RereadIsRun: reading the state again is a run of the channel (it may tail a
	// live one), not a request beside the turn.
	RereadIsRun bool
	// Placeholder: an empty assistant message is shown as soon as a turn is sent.
	Placeholder bool
	// ClientName prefixes error texts, as "[sveda]".
	ClientName string
}

// Dialect is one wire protocol.
type Dialect interface {
	Traits() Traits
	// Supports says whether the protocol has such a request, and the client an
	// endpoint for it.
	Supports(kind RequestKind) bool
	// Encode builds a supported request.
	Encode(r *Request) WireRequest
	// Reader reads the response to a request of the kind.
	Reader(kind RequestKind) Reader
	// Refuse reads the body (at most 64 KiB of it) of a status outside 2xx.
	Refuse(status int, body []byte) Refusal
}

// Reader turns the bytes of one response into events.
type Reader interface {
	// Accepts says whether a 2xx response with this status and content type is
	// an answer of the protocol.
	Accepts(status int, contentType string) bool
	// Feed gives the next bytes. They must stay unchanged until Next has
	// returned false.
	Feed(p []byte)
	// Next fills e with the next event.
	Next(e *Event) bool
	// End says that no more bytes come. Events may follow from Next; Cut
	// reports whether a started frame had to be given up.
	End()
	Cut() bool
	// Err is an error that ended the reading (a limit); code is stable.
	Err() (code string, err error)
}

// TextRun is a Reader that gives a run of deltas without an Event for each.
type TextRun interface {
	// AppendRun appends the texts of the events that follow, as long as they are
	// deltas of this kind (Text or Reasoning) which differ from the last event of
	// Next in their text only, and dst grows no longer than limit. It gives their
	// number; the event behind them comes from Next.
	AppendRun(dst []byte, kind Kind, limit int) (text []byte, count int)
}

// Resumer is a Reader of a protocol that can go on after a cut.
type Resumer interface {
	// Cursor is the position to resume after. known says that this response
	// gave one; when it is "" then, the request must not be repeated. retry is
	// the delay in ms that the server asked for, -1 when it did not.
	Cursor() (position string, known bool, retry int)
}
