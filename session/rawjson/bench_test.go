package rawjson

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
)

var (
	eventNames = NewNames("type", "delta", "toolCallId", "toolName", "target", "input", "confirmation",
		"output", "finishReason", "usage", "title", "code", "message", "chatId", "messageId")
	deltaEvent = []byte(`{"type":"text.delta","delta":"Hello, wor","chatId":"chat_01HX","messageId":"msg_01HXYZ",` +
		`"timestamp":"2026-01-01T00:00:00.000000Z","seq":1}`)
	callEvent = []byte(`{"type":"tool.call","toolCallId":"call_del_1","toolName":"delete_post","target":"backend",` +
		`"input":{"post_id":1,"reason":"spam"},"confirmation":"required"}`)
)

func BenchmarkScanDelta(b *testing.B) { benchmarkScan(b, deltaEvent) }
func BenchmarkScanCall(b *testing.B)  { benchmarkScan(b, callEvent) }

func benchmarkScan(b *testing.B, event []byte) {
	out := make([]Value, eventNames.Len())
	b.SetBytes(int64(len(event)))
	b.ReportAllocs()
	for b.Loop() {
		if eventNames.Scan(event, out) != nil {
			b.Fatal("refused")
		}
	}
}

func BenchmarkValid256KiB(b *testing.B) {
	text := manyLeaves(Soft.Bytes, Soft.Leaves)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if Valid(text) != nil {
			b.Fatal("refused")
		}
	}
}

func BenchmarkWalk256KiB(b *testing.B) {
	text := manyLeaves(Soft.Bytes, Soft.Leaves)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		w := walker{b: text}
		for t := tokKey; t != tokEnd; {
			if t = w.next(); t == tokError {
				b.Fatal("refused")
			}
		}
	}
}

// manyLeaves is an object of about size bytes with n members.
func manyLeaves(size, n int) []byte {
	var s bytes.Buffer
	s.WriteByte('{')
	width := size/n - 16
	for i := range n {
		if i > 0 {
			s.WriteByte(',')
		}
		s.WriteString(`"key` + strconv.Itoa(i) + `":"` + strings.Repeat("x", width) + `"`)
	}
	s.WriteByte('}')
	return s.Bytes()
}

func BenchmarkDescribe(b *testing.B) {
	for name, text := range map[string][]byte{
		"small":            []byte(`{"post_id":1,"reason":"spam","tags":["a","b"]}`),
		"256KiB10kLeaves":  manyLeaves(Soft.Bytes, Soft.Leaves),
		"256KiBOneString":  []byte(sized(Soft.Bytes)),
		"256KiBCJK":        []byte(`["` + strings.Repeat("漢字と仮名", Soft.Bytes/15-1) + `"]`),
		"256KiBInvisible":  []byte(`["` + strings.Repeat("a\u200b", Soft.Bytes/4-1) + `"]`),
		"256KiBCyrillic":   []byte(`["` + strings.Repeat("привет ", Soft.Bytes/13-1) + `"]`),
		"1MiBShortKeys":    []byte(`{` + strings.Repeat(`"é":1,`, 1<<20/8) + `"a":1}`),
		"256KiBSameKeys":   []byte(`{` + strings.Repeat(`"é":1,`, Soft.Bytes/8) + `"a":1}`),
		"1MiBDeep":         []byte(strings.Repeat(strings.Repeat(`[`, 500)+strings.Repeat(`]`, 500), 1)),
		"1MiBHosts":        []byte(`["` + strings.Repeat("a@é.b ", 1<<20/8) + `"]`),
		"16MiBShortLeaves": []byte(`[` + strings.Repeat("1,", 8<<20) + `1]`),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Describe(text, len(text) > Soft.Bytes || strings.Contains(name, "Keys"))
			}
		})
	}
}

func BenchmarkAppendArguments(b *testing.B) {
	a := Describe(manyLeaves(Soft.Bytes, Soft.Leaves), false)
	var dst []byte
	for b.Loop() {
		dst = AppendArguments(dst[:0], &a)
	}
	b.SetBytes(int64(len(dst)))
}

func BenchmarkDigest256KiB(b *testing.B) {
	text := make([]byte, Soft.Bytes)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Digest(text)
	}
}

func BenchmarkEqual256KiB(b *testing.B) {
	x := manyLeaves(Soft.Bytes, Soft.Leaves)
	y := append([]byte(" "), x...)
	for b.Loop() {
		if !Equal(x, y) {
			b.Fatal("differ")
		}
	}
}

func BenchmarkAppendQuoted(b *testing.B) {
	text := strings.Repeat("Hello, wörld. ", 20)
	var dst []byte
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		dst = AppendQuoted(dst[:0], text)
	}
}
