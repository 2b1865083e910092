package snapshot

// The shape of a snapshot, version 1. Keys are short because a snapshot is
// written at every decision; a field that is empty is left out. A field may be
// added without a new version: older code keeps it in Rest.

//go:generate go run github.com/tinylib/msgp -file wire.go -o wire_gen.go -io=false -tests=false -unexported

//msgp:noduplicates
//msgp:limit arrays:200000 maps:1024

type chatFields struct {
	ChatID        string         `msg:"id"`
	Messages      []message      `msg:"msgs,omitempty"`
	Fixed         []part         `msg:"fixed,omitempty"`
	Local         []part         `msg:"local,omitempty"`
	Batches       []batch        `msg:"batches,omitempty"`
	Confirmations []confirmation `msg:"confs,omitempty"`
	Grants        []grant        `msg:"grants,omitempty"`
	Runs          []run          `msg:"runs,omitempty"`
	Outputs       []output       `msg:"outs,omitempty"`
	LastSent      string         `msg:"sent,omitempty"`
	Request       []request      `msg:"req,omitempty"` // none or one
	Turn          turn           `msg:"turn"`
	Failed        bool           `msg:"failed,omitempty"`
}

type messageFields struct {
	ID        string `msg:"id"`
	Role      string `msg:"role"`
	Parts     []part `msg:"parts,omitempty"`
	Extra     []byte `msg:"extra,omitempty"`
	CreatedAt []byte `msg:"at,omitempty"`
}

type partFields struct {
	Kind       string `msg:"k"`
	Text       []byte `msg:"t,omitempty"`
	ToolCallID string `msg:"call,omitempty"`
	ToolName   string `msg:"tool,omitempty"`
	Toolset    string `msg:"set,omitempty"`
	Frontend   bool   `msg:"front,omitempty"`
	Required   bool   `msg:"req,omitempty"`
	Input      []byte `msg:"in,omitempty"`
	Output     []byte `msg:"out,omitempty"`
	Local      bool   `msg:"local,omitempty"`
	Raw        []byte `msg:"raw,omitempty"`
	Extra      []byte `msg:"extra,omitempty"`
}

type batchFields struct {
	ProcessID string `msg:"proc,omitempty"`
	Total     int    `msg:"total"`
	Count     int    `msg:"count"`
}

type confirmationFields struct {
	ToolCallID string `msg:"call"`
	ToolName   string `msg:"tool"`
	Toolset    string `msg:"set,omitempty"`
	Mode       string `msg:"mode,omitempty"`
	Reason     string `msg:"why,omitempty"`
	Frontend   bool   `msg:"front,omitempty"`
	Input      []byte `msg:"in"`
	Batch      int    `msg:"batch,omitempty"`
	Position   int    `msg:"pos,omitempty"`
	State      string `msg:"state"`
	Decision   string `msg:"dec,omitempty"` // "approve" or "deny"
	Always     bool   `msg:"always,omitempty"`
	DenyReason string `msg:"deny,omitempty"`
	Automatic  bool   `msg:"auto,omitempty"`
	Sent       bool   `msg:"sent,omitempty"`
	Conflict   bool   `msg:"conflict,omitempty"`
	ErrorCode  string `msg:"err,omitempty"`
	ErrorText  string `msg:"errtext,omitempty"`
	ArrivedAt  int64  `msg:"came,omitempty"`
	DecidedAt  int64  `msg:"decat,omitempty"`
	Attempt    int    `msg:"try,omitempty"`
	Asked      int    `msg:"asked,omitempty"`
}

type grantFields struct {
	Toolset    string `msg:"set,omitempty"`
	ToolName   string `msg:"tool"`
	Batch      int    `msg:"batch,omitempty"`
	Definition string `msg:"def,omitempty"`
}

type runFields struct {
	ToolCallID string `msg:"call"`
	ToolName   string `msg:"tool"`
	Automatic  bool   `msg:"auto,omitempty"`
}

type outputFields struct {
	Automatic bool   `msg:"auto,omitempty"`
	Part      []part `msg:"part,omitempty"` // none or one
}

type requestFields struct {
	Kind      string `msg:"kind"`
	MessageID string `msg:"msg,omitempty"`
	UpTo      int    `msg:"upto,omitempty"`
}

type turnFields struct {
	Active   bool   `msg:"on,omitempty"`
	Context  []byte `msg:"ctx,omitempty"`
	Payload  []byte `msg:"payload,omitempty"`
	Options  []byte `msg:"opts,omitempty"`
	Model    string `msg:"model,omitempty"`
	Provider string `msg:"prov,omitempty"`
	Rounds   int    `msg:"rounds,omitempty"`
}
