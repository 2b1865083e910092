package frame

import (
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/event"
)

var update = flag.Bool("update", false, "write testdata/frames.json anew")

// ops lists every op under the name that web/src/frame.js uses.
var ops = map[string]int{
	"StatusChange":         opChange + int(session.StatusChange),
	"ChatIDChange":         opChange + int(session.ChatIDChange),
	"MessagesReset":        opChange + int(session.MessagesReset),
	"MessageAdd":           opChange + int(session.MessageAdd),
	"MessageRemove":        opChange + int(session.MessageRemove),
	"MessageID":            opChange + int(session.MessageID),
	"PartAdd":              opChange + int(session.PartAdd),
	"PartSet":              opChange + int(session.PartSet),
	"PartText":             opChange + int(session.PartText),
	"ConfirmationSet":      opChange + int(session.ConfirmationSet),
	"ConfirmationsCleared": opChange + int(session.ConfirmationsCleared),
	"PendingChange":        opChange + int(session.PendingChange),
	"RawEvent":             opChange + int(session.RawEvent),
	"Notify":               opChange + int(session.Notify),
	"Warning":              opChange + int(session.Warning),
	"Failure":              opChange + int(session.Failure),
	"GrantsChange":         opChange + int(session.GrantsChange),
	"OutputsChange":        opChange + int(session.OutputsChange),
	"OpenStream":           opEffect + int(session.OpenStream),
	"AbortStream":          opEffect + int(session.AbortStream),
	"RunTool":              opEffect + int(session.RunTool),
	"AbortTool":            opEffect + int(session.AbortTool),
	"SetTimer":             opEffect + int(session.SetTimer),
	"ClearTimer":           opEffect + int(session.ClearTimer),
	"Settle":               opEffect + int(session.Settle),
	"Persist":              opEffect + int(session.Persist),
	"Claim":                opEffect + int(session.Claim),
	"SocketDial":           int(OpSocketDial),
	"SocketTimer":          int(OpSocketTimer),
	"SocketFlush":          int(OpSocketFlush),
	"SocketState":          int(OpSocketState),
	"SocketUnavailable":    int(OpSocketUnavailable),
	"Value":                OpValue,
	"Error":                OpError,
	"Request":              OpRequest,
	"Event":                OpEvent,
	"Number":               OpNumber,
	"Bytes":                OpBytes,
}

type record map[string]any

type golden struct {
	Name    string   `json:"name"`
	Hex     string   `json:"hex"`
	Records []record `json:"records"`
}

// frames are what the golden file holds: what Go writes, and what JavaScript
// must read in it.
func frames() []golden {
	of := func(name string, data []byte, records ...record) golden {
		return golden{name, hex.EncodeToString(data), append([]record{}, records...)}
	}
	return []golden{
		of("nothing", nil),
		of("changes", AppendOutput(nil, session.Output{Changes: []session.Change{
			{Kind: session.StatusChange, Text: "streaming"},
			{Kind: session.PartText, Message: 300, Part: 2, Data: []byte("héllo 北 🌍")},
		}}),
			record{"op": 1, "message": 0, "part": 0, "text": "streaming", "data": ""},
			record{"op": 9, "message": 300, "part": 2, "text": "", "data": "héllo 北 🌍"},
		),
		of("effects", AppendOutput(nil, session.Output{Effects: []session.Effect{
			{Kind: session.RunTool, ID: 7, Handler: 3, Call: "c1", Text: "archive", Data: []byte(`{"id":9007199254740993}`)},
			{Kind: session.SetTimer, ID: 8, Delay: 300_000},
			{Kind: session.Settle, Ticket: 5, Err: &session.Error{Code: "busy", Message: "a turn is running", RetryAfter: -1}},
		}}),
			record{"op": 35, "id": 7, "handler": 3, "delay": 0, "ticket": 0, "call": "c1", "text": "archive",
				"data": `{"id":9007199254740993}`, "error": ""},
			record{"op": 37, "id": 8, "handler": 0, "delay": 300000, "ticket": 0, "call": "", "text": "", "data": "", "error": ""},
			record{"op": 39, "id": 0, "handler": 0, "delay": 0, "ticket": 5, "call": "", "text": "", "data": "",
				"error": `{"code":"busy","message":"a turn is running"}`},
		),
		of("changes come before effects", AppendOutput(nil, session.Output{
			Changes: []session.Change{{Kind: session.PendingChange, Message: 1}},
			Effects: []session.Effect{{Kind: session.AbortStream, ID: 1 << 40}},
		}),
			record{"op": 12, "message": 1, "part": 0, "text": "", "data": ""},
			record{"op": 34, "id": 1 << 40, "handler": 0, "delay": 0, "ticket": 0, "call": "", "text": "", "data": "", "error": ""},
		),
		of("answers", AppendNumber(AppendEvent(AppendValue(nil, []byte(`[1]`)), []byte(`{"type":"x"}`)), 128),
			record{"op": 64, "answer": []int{1}},
			record{"op": 67, "answer": record{"type": "x"}},
			record{"op": 68, "answer": 128},
		),
		of("an error", AppendError(nil, &session.Error{Code: "closed", Message: "gone", RetryAfter: -1}),
			record{"op": 65, "answer": record{"code": "closed", "message": "gone"}},
		),
		of("a request", AppendRequest(nil, &event.WireRequest{
			Method: "POST", Endpoint: "stream", Accept: "text/event-stream",
			Headers: [][2]string{{"Content-Type", "application/json"}}, Body: []byte(`{}`),
		}),
			record{"op": 66, "answer": record{
				"method": "POST", "endpoint": "stream", "path": "", "accept": "text/event-stream",
				"headers": [][]string{{"Content-Type", "application/json"}}, "body": "{}",
			}},
		),
	}
}

// TestGoldenFrames keeps the file that the JavaScript test reads too.
func TestGoldenFrames(t *testing.T) {
	want, err := json.MarshalIndent(map[string]any{"ops": ops, "frames": frames()}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	path := filepath.Join("testdata", "frames.json")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("testdata/frames.json is not what this code writes; run with -update and look at the difference")
	}
}

func TestInput(t *testing.T) {
	data := []byte{2, 0, 0, 0, 'h', 'i', 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 9, 0, 0, 0, 'x'}
	in := NewInput(data)
	if got := in.Text(); got != "hi" {
		t.Errorf("first field: expected %q, got %q", "hi", got)
	}
	if got := in.Bytes(); got != nil {
		t.Errorf("absent field: expected nil, got %q", got)
	}
	if got := in.Bytes(); got == nil || len(got) != 0 {
		t.Errorf("empty field: expected an empty slice, got %v", got)
	}
	if got := in.Bytes(); got != nil {
		t.Errorf("a length beyond the input: expected nil, got %q", got)
	}
	if got := in.Copy(); got != nil {
		t.Errorf("after the last field: expected nil, got %q", got)
	}
}

// FuzzInput shows that no input makes the reader fail or read beyond its bytes.
func FuzzInput(f *testing.F) {
	f.Add([]byte{2, 0, 0, 0, 'h', 'i'})
	f.Add([]byte{0xFF, 0xFF, 0xFF, 0xFE, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		in := NewInput(data)
		read := 0
		for in.More() {
			read += 4 + len(in.Bytes())
			if read > len(data)+4 {
				t.Fatal("read more than was given")
			}
		}
	})
}
