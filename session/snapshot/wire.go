package snapshot

// The shape of a snapshot, version 1: each record is an array of its fields in
// this order. A field may be added at the end of a record without a new version:
// older code keeps it in Rest, newer code finds it missing. Arrays instead of
// maps take 60 KB of generated code less in the WebAssembly file (raw; Go 1.26).

//go:generate go run github.com/tinylib/msgp -file wire.go -o wire_gen.go -io=false -tests=false -unexported

//msgp:limit arrays:200000
//msgp:vartuple chatFields messageFields partFields batchFields confirmationFields
//msgp:vartuple grantFields runFields outputFields requestFields turnFields

type chatFields struct {
	ChatID        string
	Messages      []message
	Fixed         []part
	Local         []part
	Batches       []batch
	Confirmations []confirmation
	Grants        []grant
	Runs          []run
	Outputs       []output
	LastSent      string
	Request       []request // none or one
	Turn          turn
	Failed        bool
}

type messageFields struct {
	ID        string
	Role      string
	Parts     []part
	Extra     []byte
	CreatedAt []byte
}

type partFields struct {
	Kind       string
	Text       []byte
	ToolCallID string
	ToolName   string
	Toolset    string
	Frontend   bool
	Required   bool
	Input      []byte
	Output     []byte
	Local      bool
	Raw        []byte
	Extra      []byte
}

type batchFields struct {
	ProcessID string
	Total     int
	Count     int
}

type confirmationFields struct {
	ToolCallID string
	ToolName   string
	Toolset    string
	Mode       string
	Reason     string
	Frontend   bool
	Input      []byte
	Batch      int
	Position   int
	State      string
	Decision   string // "approve" or "deny"
	Always     bool
	DenyReason string
	Automatic  bool
	Sent       bool
	Conflict   bool
	ErrorCode  string
	ErrorText  string
	ArrivedAt  int64
	DecidedAt  int64
	Attempt    int
	Asked      int
}

type grantFields struct {
	Toolset    string
	ToolName   string
	Batch      int
	Definition string
}

type runFields struct {
	ToolCallID string
	ToolName   string
	Automatic  bool
}

type outputFields struct {
	Automatic bool
	Part      []part // none or one
}

type requestFields struct {
	Kind      string
	MessageID string
	UpTo      int
}

type turnFields struct {
	Active   bool
	Context  []byte
	Payload  []byte
	Options  []byte
	Model    string
	Provider string
	Rounds   int
}
