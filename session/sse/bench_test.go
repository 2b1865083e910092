package sse

import (
	"strconv"
	"strings"
	"testing"
)

// BenchmarkDecode feeds small events as a model's stream has them, by size of chunk.
func BenchmarkDecode(b *testing.B) {
	event := `data: {"type":"text.delta","delta":"Hello, wor","chatId":"chat_01HX","messageId":"msg_01HXYZ","timestamp":"2026-01-01T00:00:00.000Z"}` + "\n\n"
	stream := []byte(strings.Repeat(event, 64<<10/len(event)))
	for _, size := range []int{1, len(event), 1000, 16 << 10, 64 << 10} {
		b.Run("chunk"+strconv.Itoa(size), func(b *testing.B) { run(b, stream, size) })
	}
	crlf := []byte(strings.ReplaceAll(string(stream), "\n", "\r\n"))
	b.Run("crlf", func(b *testing.B) { run(b, crlf, 16<<10) })
	fields := []byte(strings.Repeat("id: 17\nevent: message\ndata: {\"a\":1}\ndata: {\"b\":2}\n\n", 1000))
	b.Run("fields", func(b *testing.B) { run(b, fields, 16<<10) })
}

func run(b *testing.B, stream []byte, size int) {
	var d Decoder
	events := 0
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		for i := 0; i < len(stream); i += size {
			d.Feed(stream[i:min(i+size, len(stream))])
			for _, ok := d.Next(); ok; _, ok = d.Next() {
				events++
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
}
