package websocket

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var samples = []Frame{
	{Type: TypeHello, Token: "sveda_embed_x.y", Link: "L", Seq: 12},
	{Type: TypeRequest, ID: 3, Data: []byte(`{"prompt":"ä\"\n🙂","n":9007199254740993}`)},
	{Type: TypeCancel, ID: 3},
	{Type: TypeAck, Seq: 1<<53 - 1},
	{Type: TypeWelcome, Link: "L", Resumed: true, ID: 3, Window: 120_000, Heartbeat: 15_000, Credit: 1 << 20, Limit: MaxMessage},
	{Type: TypeGap, Code: GapUnknown},
	{Type: TypeHead, Seq: 1, ID: 3, Status: 429, RetryAfter: 1500, Text: "{\"message\":\"Too Many Attempts.\"}"},
	{Type: TypeEvent, Seq: 2, ID: 3, Data: []byte(`{"type":"text.delta","delta":"x"}`)},
	{Type: TypeEnd, Seq: 3, ID: 3, Code: CodeCut},
	{Type: TypePing},
}

var codecs = map[string]Codec{ProtocolMessagePack: {}, ProtocolJSON: {text: true}}

func TestFramesOfBothEncodings(t *testing.T) {
	for name, codec := range codecs {
		var golden bytes.Buffer
		for _, f := range samples {
			message := codec.Append(nil, &f)
			golden.Write(message)
			golden.WriteByte('\n')
			got, err := codec.Decode(message, codec.Text())
			if err != nil {
				t.Fatalf("%s: %+v: %v", name, f, err)
			}
			if !reflect.DeepEqual(got, f) {
				t.Errorf("%s: got %+v, want %+v", name, got, f)
			}
		}
		file := filepath.Join("testdata", "frames."+name)
		if os.Getenv("UPDATE") != "" {
			if err := os.WriteFile(file, golden.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(golden.Bytes(), want) {
			t.Errorf("%s: the bytes of the protocol have changed; a new version needs a new name", name)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	json, pack := codecs[ProtocolJSON], codecs[ProtocolMessagePack]
	deep := append([]byte("\x82\xa4type\xa4ping\xa1x"), bytes.Repeat([]byte{0x91}, 20_000)...)
	for _, test := range []struct {
		name    string
		codec   Codec
		message string
		text    bool
	}{
		{"text for binary", pack, `{"type":"ping"}`, true},
		{"binary for text", json, `{"type":"ping"}`, false},
		{"no type", json, `{"seq":1}`, true},
		{"a type that is no string", json, `{"type":1}`, true},
		{"a name twice", json, `{"type":"ack","seq":1,"seq":2}`, true},
		{"a negative number", json, `{"type":"ack","seq":-1}`, true},
		{"a fraction", json, `{"type":"ack","seq":1.5}`, true},
		{"more than one value", json, `{"type":"ping"} {}`, true},
		{"cut", json, `{"type":"pi`, true},
		{"nested too deep", json, `{"type":"ping","x":` + strings.Repeat("[", 20_000), true},
		{"nested too deep", pack, string(deep), false},
		{"an array of four billion", pack, "\xdd\xff\xff\xff\xff", false},
		{"more than one value", pack, "\x81\xa4type\xa4ping\xc0", false},
		{"cut", pack, "\x81\xa4type\xa4pi", false},
		{"empty", pack, "", false},
	} {
		if f, err := test.codec.Decode([]byte(test.message), test.text); err == nil {
			t.Errorf("%s: got %+v, want an error", test.name, f)
		}
	}
}

func TestUnknownMembersAreSkipped(t *testing.T) {
	for text, message := range map[bool]string{
		true:  `{"later":{"a":[1,2]},"type":"ack","seq":4}`,
		false: "\x83\xa5later\x81\xa1a\x92\x01\x02\xa4type\xa3ack\xa3seq\x04",
	} {
		f, err := Codec{text: text}.Decode([]byte(message), text)
		if err != nil || f.Seq != 4 {
			t.Errorf("text %v: got %+v, %v", text, f, err)
		}
	}
}

func FuzzFrame(f *testing.F) {
	for _, codec := range codecs {
		for _, s := range samples {
			f.Add(codec.Append(nil, &s), codec.Text())
		}
	}
	f.Fuzz(func(t *testing.T, message []byte, text bool) {
		codec := Codec{text: text}
		frame, err := codec.Decode(message, text)
		if err != nil {
			return
		}
		again, err := codec.Decode(codec.Append(nil, &frame), text)
		if text && frame.Type != again.Type && strings.ToValidUTF8(frame.Type, "") != frame.Type {
			return // invalid UTF-8 is not passed on in JSON
		}
		if err != nil || again.Type != frame.Type || again.Seq != frame.Seq || !bytes.Equal(again.Data, frame.Data) {
			t.Fatalf("%+v became %+v, %v", frame, again, err)
		}
	})
}
