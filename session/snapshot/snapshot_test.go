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
				ArrivedAt: 1_700_000_000_000, DecidedAt: 1_700_000_001_000, Attempt: 1, Asked: 2, Uncertain: true,
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
	b := msgp.AppendInt([]byte(head), version+1)
	wantCode(t, append(b, "whatever a later version holds"...), CodeNewer)

	saved := full()
	saved.Confirmations[0].State = session.OutcomeUnknown + 1
	wantCode(t, wrap(format(nil, written(saved))), CodeNewer)
}

// The numbers of a snapshot are those of the constants: a constant may be added at
// the end of its kind, and none may move.
func TestTheNumbersOfEnumsStay(t *testing.T) {
	for name, numbers := range map[string][2]int{
		"user": {int(event.User), 0}, "assistant": {int(event.Assistant), 1}, "system": {int(event.System), 2}, "tool": {int(event.Tool), 3},
		"text": {int(event.TextPart), 0}, "reasoning": {int(event.ReasoningPart), 1}, "call": {int(event.CallPart), 2},
		"result": {int(event.ResultPart), 3}, "other": {int(event.OtherPart), 4},
		"backend": {int(event.Backend), 0}, "frontend": {int(event.Frontend), 1},
		"pending": {int(session.Pending), 0}, "deciding": {int(session.Deciding), 1}, "approved": {int(session.Approved), 2},
		"denied": {int(session.Denied), 3}, "resolved": {int(session.Resolved), 4}, "expired": {int(session.Expired), 5},
		"answered elsewhere": {int(session.AnsweredElsewhere), 6}, "outcome unknown": {int(session.OutcomeUnknown), 7},
		"turn": {int(event.Turn), 0}, "decide": {int(event.Decide), 1}, "outputs": {int(event.Outputs), 2}, "continue": {int(event.Continue), 3},
		"nudge": {int(event.Nudge), 4}, "open": {int(event.Open), 5}, "reread": {int(event.Reread), 6}, "stop": {int(event.Stop), 7},
		"delete": {int(event.Delete), 8}, "probe": {int(event.Probe), 9},
	} {
		if numbers[0] != numbers[1] {
			t.Errorf("%s is %d now, and %d in every snapshot", name, numbers[0], numbers[1])
		}
	}
}

// A newer version of the same number adds fields and lists at the end of any
// record; code that does not know them gives them back.
func TestUnknownFieldsAreKept(t *testing.T) {
	n := uint64(0)
	kept := func() []byte { // two more of each column, with records inside of records
		n++
		return format(nil, []record{
			{Texts: []text{text("new"), nil}, Numbers: []uint64{n, 1 << 63}, Lists: []uint64{2, 1}},
			{Texts: []text{text("first")}, Lists: []uint64{1}}, {Numbers: []uint64{7}}, {},
			{Lists: []uint64{0}},
		})
	}
	s := full()
	for _, rest := range []*[]byte{
		&s.Rest, &s.Messages[0].Rest, &s.Messages[1].Parts[1].Rest, &s.Fixed[0].Rest, &s.Local[0].Rest, &s.Batches[0].Rest,
		&s.Confirmations[0].Rest, &s.Grants[0].Rest, &s.Runs[0].Rest, &s.Outputs[0].Rest, &s.Outputs[1].Rest, &s.Request.Rest, &s.Turn.Rest,
	} {
		*rest = kept()
	}
	newer := encode(t, s)
	got, err := Decode(newer)
	if err != nil || !reflect.DeepEqual(got, s) {
		t.Fatalf("got  %+v\nwant %+v, %v", got, s, err)
	}
	got.Confirmations = got.Confirmations[:1] // what the session does meanwhile does not move it
	if again, err := Decode(encode(t, got)); err != nil || !reflect.DeepEqual(again, got) {
		t.Errorf("got %+v, %v", again, err)
	}
	var typed *Error
	if _, err := Encode(&session.Saved{Rest: []byte("no records")}); !errors.As(err, &typed) {
		t.Errorf("a Rest that is none: %v", err)
	}
}

// Code that has learned a field finds it missing in an older snapshot.
func TestMissingFieldsAreZero(t *testing.T) {
	got, err := Decode(wrap(format(nil, []record{
		{Texts: []text{text("chat_1")}, Lists: []uint64{1}},
		{Texts: []text{text("u1")}},
	})))
	want := &session.Saved{ChatID: "chat_1", Messages: []event.Message{{ID: "u1"}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestHostileLengthsAreRefusedBeforeMemoryIsTaken(t *testing.T) {
	const most = 1<<64 - 1
	announce := func(lists ...uint64) []byte { return format(nil, []record{{Lists: lists}}) }
	confirmation := written(&session.Saved{Confirmations: []session.SavedConfirmation{{Batch: 1}}})
	for name, body := range map[string][]byte{
		"empty":                   {},
		"no record":               {0xc0},
		"a text":                  {0xa1, 'x'},
		"a map":                   {0x83, 0x90, 0x90, 0x90},
		"two columns":             {0x92, 0x90, 0x90},
		"four columns":            {0x94, 0x90, 0x90, 0x90, 0x90},
		"a number for a text":     {0x93, 0x91, 0x01, 0x90, 0x90},
		"a text for a number":     {0x93, 0x90, 0x91, 0xc4, 0x00, 0x90},
		"a number below zero":     {0x93, 0x90, 0x91, 0xff, 0x90},
		"2^32-1 texts":            {0x93, 0xdd, 0xff, 0xff, 0xff, 0xff},
		"2^32-1 numbers":          {0x93, 0x90, 0xdd, 0xff, 0xff, 0xff, 0xff},
		"2^32-1 lists":            {0x93, 0x90, 0x90, 0xdd, 0xff, 0xff, 0xff, 0xff},
		"a text of 2^32-1":        {0x93, 0x91, 0xc6, 0xff, 0xff, 0xff, 0xff},
		"2^64-1 messages":         announce(most),
		"a message that is not":   announce(1),
		"2^64-1 unknown records":  announce(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, most, most, most),
		"two requests":            format(announce(0, 0, 0, 0, 0, 0, 0, 0, 2), []record{{}, {}}),
		"a record too many":       format(announce(0), []record{{}}),
		"a batch that is not":     format(nil, confirmation),
		"a batch below zero":      format(nil, written(&session.Saved{Grants: []session.SavedGrant{{Batch: -1}}})),
		"a part that is not":      format(announce(0, 0, 0, 0, 0, 0, 0, 1), []record{{Lists: []uint64{1}}}),
		"too many records":        bytes.Repeat([]byte{0x93, 0x90, 0x90, 0x90}, maxElements/8+1),
		"too many texts":          bytes.Repeat(format(nil, []record{{Texts: make([]text, 512)}}), maxElements/512),
		"all of them in one list": append(announce(maxElements/16), bytes.Repeat([]byte{0x93, 0x90, 0x90, 0x90}, maxElements/16-1)...),
	} {
		t.Run(name, func(t *testing.T) { wantCode(t, wrap(body), CodeCorrupt) })
	}
}

// Records that this code does not know may be nested without bound; passing over
// them takes no stack.
func TestUnknownRecordsMayBeNestedDeep(t *testing.T) {
	body := format(nil, []record{{Lists: make([]uint64, 11)}})
	body[len(body)-1] = 1
	const deep = 200_000
	body = append(body, bytes.Repeat([]byte{0x93, 0x90, 0x90, 0x91, 0x01}, deep)...)
	b := wrap(append(body, 0x93, 0x90, 0x90, 0x90))
	saved, err := Decode(b)
	if err != nil || len(saved.Rest) < 5*deep {
		t.Fatalf("Rest has %d bytes, %v", len(saved.Rest), err)
	}
	if again, err := Decode(encode(t, saved)); err != nil || !bytes.Equal(again.Rest, saved.Rest) {
		t.Errorf("the unknown records were lost: %v", err)
	}
}

func TestAChatThatIsTooLargeIsNotWritten(t *testing.T) {
	var typed *Error
	for name, saved := range map[string]*session.Saved{
		"records": {Runs: make([]session.SavedRun, maxElements/4)},
		"bytes":   {Messages: []event.Message{{Parts: []event.Part{{Text: make([]byte, maxSize)}}}}},
	} {
		if _, err := Encode(saved); !errors.As(err, &typed) || typed.Code != CodeLarge {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestADecisionThatWasNotMadeIsNotRead(t *testing.T) {
	got, err := Decode(encode(t, &session.Saved{Confirmations: []session.SavedConfirmation{{
		ToolCallID: "c1", Decision: event.Decision{ToolCallID: "c1", Approve: true, Always: true, Reason: "r"},
	}}}))
	if err != nil || got.Confirmations[0].Decision != (event.Decision{}) {
		t.Errorf("got %+v, %v", got, err)
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

// written gives the records of saved, whatever they hold.
func written(saved *session.Saved) []record {
	var a archive
	a.chat(saved)
	return a.records
}

// wrap gives any body a right envelope.
func wrap(body []byte) []byte {
	b := msgp.AppendUint64([]byte(head), version)
	b = msgp.AppendUint64(b, uint64(crc32.ChecksumIEEE(body)))
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
