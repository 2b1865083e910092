package snapshot

import (
	"bytes"
	"errors"
	"flag"
	"hash/crc32"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/tinylib/msgp/msgp"
)

var update = flag.Bool("update", false, "write the golden files")

// full has every field set, so that a field that is forgotten shows.
func full() *session.Saved {
	call := event.Part{
		Kind: event.CallPart, ToolCallID: "c1", ToolName: "delete_post", Toolset: "posts", Target: event.Frontend,
		Required: true, Input: []byte(`{"id":9007199254740993}`), Extra: []byte(`"x-foo":1`),
	}
	result := event.Part{Kind: event.ResultPart, ToolCallID: "c2", ToolName: "t", Output: []byte(`{"ok":true}`), Local: true}
	return &session.Saved{
		ChatID: "chat_1",
		Messages: []event.Message{
			{ID: "u1", Role: event.User, Parts: []event.Part{
				{Kind: event.TextPart, Text: []byte("delete \xf0\x9f\x8c\x8d")},
				{Kind: event.OtherPart, Raw: []byte(`{"type":"file","name":"a"}`)},
			}, CreatedAt: []byte(`"2026-01-01"`)},
			{ID: "a1", Role: event.Assistant, Parts: []event.Part{{Kind: event.ReasoningPart, Text: []byte("hm")}, call}, Extra: []byte(`"y":[1]`)},
			{ID: "t1", Role: event.Tool, Parts: []event.Part{result}},
			{ID: "s1", Role: event.System},
		},
		Fixed:   []event.Part{call},
		Local:   []event.Part{result},
		Batches: []session.SavedBatch{{ProcessID: "p", Total: 2, Count: 1}},
		Confirmations: []session.SavedConfirmation{
			{
				ToolCallID: "c1", ToolName: "delete_post", Toolset: "posts", Mode: "write", Reason: "clean up", Target: event.Frontend,
				Input: []byte(`{"id":9007199254740993}`), Batch: 1, Position: 1, State: session.Deciding, Decided: true,
				Decision:  event.Decision{ToolCallID: "c1", Approve: true, Always: true},
				Automatic: true, Sent: true, Conflict: true, ErrorCode: "network", ErrorText: "the connection failed",
				ArrivedAt: 1_700_000_000_000, DecidedAt: 1_700_000_001_000, Attempt: 1, Asked: 2,
			},
			{
				ToolCallID: "c2", ToolName: "t", Input: []byte(`{}`), State: session.Denied, Decided: true,
				Decision: event.Decision{ToolCallID: "c2", Reason: "wrong row"},
			},
		},
		Grants:   []session.SavedGrant{{Toolset: "posts", ToolName: "delete_post", Batch: 1, Definition: "ab"}},
		Runs:     []session.SavedRun{{ToolCallID: "c1", ToolName: "delete_post", Automatic: true}},
		Outputs:  []session.SavedOutput{{Automatic: true, Part: result}, {}},
		LastSent: "u1",
		Request:  &session.SavedRequest{Kind: event.Decide, MessageID: "u1", UpTo: 3},
		Turn: session.SavedTurn{Active: true, Rounds: 3, Options: session.TurnOptions{
			Context: []byte(`{"page":1}`), Payload: []byte(`[]`), Options: []byte(`{"thinking":false}`), Model: "m", Provider: "p",
		}},
		Failed: true,
	}
}

func TestTheSampleSetsEveryField(t *testing.T) {
	saved := full()
	for _, v := range []any{*saved, saved.Batches[0], saved.Confirmations[0], saved.Grants[0], saved.Runs[0], saved.Outputs[0], *saved.Request, saved.Turn} {
		value := reflect.ValueOf(v)
		for i := range value.NumField() {
			if name := value.Type().Field(i).Name; name != "Rest" && value.Field(i).IsZero() {
				t.Errorf("%T.%s is not set", v, name)
			}
		}
	}
}

func TestEveryFieldSurvives(t *testing.T) {
	want := full()
	b := encode(t, want)
	got, err := Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if again := encode(t, got); !bytes.Equal(again, b) {
		t.Error("the same state gave other bytes")
	}
	empty, err := Decode(encode(t, &session.Saved{}))
	if err != nil || !reflect.DeepEqual(empty, &session.Saved{}) {
		t.Errorf("an empty session became %+v, %v", empty, err)
	}
}

// The files of each version stay for ever: what was written once can be read.
func TestGoldenFilesOfEachVersion(t *testing.T) {
	for name, saved := range map[string]*session.Saved{"full": full(), "empty": {}} {
		file := filepath.Join("testdata", "v1", name+".msgpack")
		if *update {
			if err := os.WriteFile(file, encode(t, saved), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(b)
		if err != nil || !reflect.DeepEqual(got, saved) {
			t.Errorf("%s: got %+v, %v", file, got, err)
		}
		if !bytes.Equal(encode(t, saved), b) {
			t.Errorf("%s: this code writes other bytes; a change of the shape needs a new version or a new field", file)
		}
	}
}

func TestF34_EveryCutAndEveryFlippedBitIsATypedError(t *testing.T) {
	good := encode(t, full())
	for n := range good {
		wantCode(t, good[:n], CodeForeign, CodeCorrupt)
	}
	for i := range good {
		for bit := range 8 {
			bad := bytes.Clone(good)
			bad[i] ^= 1 << bit
			wantCode(t, bad, CodeForeign, CodeCorrupt, CodeNewer)
		}
	}
	wantCode(t, append(bytes.Clone(good), 0), CodeCorrupt)
	wantCode(t, nil, CodeForeign)
	wantCode(t, []byte("{}"), CodeForeign)
	wantCode(t, []byte("<!doctype html>"), CodeForeign)
}

func TestANewerVersionIsToldFromDamage(t *testing.T) {
	b := msgp.AppendArrayHeader(nil, 7)
	b = msgp.AppendString(b, magic)
	b = msgp.AppendInt(b, version+1)
	wantCode(t, append(b, "whatever a later version holds"...), CodeNewer)

	word := toWire(full())
	word.f.Confirmations[0].f.State = "held-by-the-court"
	wantCode(t, sealed(t, word), CodeNewer)
}

// A newer version of the same number adds fields at the end of any record; code
// that does not know them gives them back.
func TestUnknownFieldsAreKept(t *testing.T) {
	c := toWire(full())
	n := 0
	add := func(rest *[]byte) {
		n++
		*rest = msgp.AppendMapHeader(nil, 1)
		*rest = msgp.AppendString(*rest, "deep")
		*rest = msgp.AppendArrayHeader(*rest, 2)
		*rest = append(msgp.AppendInt(*rest, n), 0xc0)
		*rest = msgp.AppendBytes(*rest, []byte{1, 2, 3})
	}
	add(&c.rest)
	add(&c.f.Messages[0].rest)
	add(&c.f.Messages[1].f.Parts[1].rest)
	add(&c.f.Fixed[0].rest)
	add(&c.f.Local[0].rest)
	add(&c.f.Batches[0].rest)
	add(&c.f.Confirmations[0].rest)
	add(&c.f.Grants[0].rest)
	add(&c.f.Runs[0].rest)
	add(&c.f.Outputs[0].rest)
	add(&c.f.Request[0].rest)
	add(&c.f.Turn.rest)
	newer := sealed(t, c)
	saved, err := Decode(newer)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encode(t, saved), newer) {
		t.Error("unknown fields were lost")
	}
}

// Code that has learned a field finds it missing in an older snapshot.
func TestMissingFieldsAreZero(t *testing.T) {
	body := msgp.AppendArrayHeader(nil, 2)
	body = msgp.AppendString(body, "chat_1")
	body = msgp.AppendArrayHeader(body, 1)
	body = msgp.AppendArrayHeader(body, 2)
	body = msgp.AppendString(body, "u1")
	body = msgp.AppendString(body, "user")
	got, err := Decode(wrap(body))
	want := &session.Saved{ChatID: "chat_1", Messages: []event.Message{{ID: "u1"}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestHostileHeadersAreRefusedBeforeMemoryIsTaken(t *testing.T) {
	deep := bytes.Repeat([]byte{0x91}, 100_000)
	for name, body := range map[string][]byte{
		"array of 2^32-1":   {0x92, 0xa0, 0xdd, 0xff, 0xff, 0xff, 0xff},
		"map of 2^32-1":     {0xdf, 0xff, 0xff, 0xff, 0xff},
		"text of 2^32-1":    {0x91, 0xdb, 0xff, 0xff, 0xff, 0xff},
		"100,000 deep":      append(deep, 0xc0),
		"deep unknown":      append([]byte{0x81, 0xa1, 'z'}, append(deep[:200:200], 0xc0)...),
		"never used lead":   {0xc1},
		"two values":        {0x90, 0x90},
		"a map":             {0x80},
		"number for a text": {0x91, 0x01},
		"batch that is not": append([]byte{0x97, 0xa0, 0x90, 0x90, 0x90, 0x90, 0x90, 0x91, 0x93}, "\xa0\xa1t\x01"...),
	} {
		t.Run(name, func(t *testing.T) { wantCode(t, wrap(body), CodeCorrupt) })
	}
}

func TestTheCountOfFieldsIsThatOfTheGeneratedCode(t *testing.T) {
	for _, f := range []generated{
		&chatFields{}, &messageFields{}, &partFields{}, &batchFields{}, &confirmationFields{}, &grantFields{},
		&runFields{}, &outputFields{}, &requestFields{}, &turnFields{},
	} {
		if want := reflect.TypeOf(f).Elem().NumField(); count(f) != uint32(want) {
			t.Errorf("%T has %d fields, counted as %d", f, want, count(f))
		}
	}
}

func FuzzSnapshot(f *testing.F) {
	good, err := Encode(full())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[len(good)-len(full().ChatID)-8:])
	f.Fuzz(func(t *testing.T, b []byte) {
		// As they are, and as a body whose sum is right: foreign bytes seldom get
		// past the sum.
		for _, b := range [][]byte{b, wrap(b)} {
			saved, err := Decode(b)
			if err != nil {
				var typed *Error
				if !errors.As(err, &typed) || typed.Code == "" {
					t.Fatalf("the error %v has no code", err)
				}
				continue
			}
			again, err := Decode(encode(t, saved))
			if err != nil || !reflect.DeepEqual(again, saved) {
				t.Fatalf("what was read cannot be written: %v", err)
			}
		}
	})
}

func encode(t *testing.T, saved *session.Saved) []byte {
	t.Helper()
	b, err := Encode(saved)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sealed gives a body of any shape a right envelope.
func sealed(t *testing.T, c *chat) []byte {
	t.Helper()
	body, err := c.MarshalMsg(nil)
	if err != nil {
		t.Fatal(err)
	}
	return wrap(body)
}

func wrap(body []byte) []byte {
	b := msgp.AppendArrayHeader(nil, envelope)
	b = msgp.AppendString(b, magic)
	b = msgp.AppendUint(b, version)
	b = msgp.AppendUint32(b, crc32.ChecksumIEEE(body))
	return msgp.AppendBytes(b, body)
}

func wantCode(t *testing.T, b []byte, codes ...string) {
	t.Helper()
	_, err := Decode(b)
	var typed *Error
	if !errors.As(err, &typed) {
		t.Fatalf("%.40x: error %v, want one of %q", b, err, codes)
	}
	for _, code := range codes {
		if typed.Code == code {
			return
		}
	}
	t.Errorf("%.40x: code %s, want one of %q", b, typed.Code, codes)
}
