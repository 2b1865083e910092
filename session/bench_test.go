package session_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/sveda"
)

// streaming is a bare session whose answer is streaming, behind n messages.
func streaming(n int) (s *session.Session, stream int) {
	s = session.New(session.Config{ChatID: "c", Dialect: sveda.New(sveda.Config{}), Seed: [16]byte{1}})
	var list strings.Builder
	for i := range n {
		if i > 0 {
			list.WriteByte(',')
		}
		list.WriteString(`{"id":"m` + strconv.Itoa(i) + `","role":"` + []string{"user", "assistant"}[i%2] + `","parts":[{"type":"text","text":"hello"}]}`)
	}
	if err := s.SetMessages([]byte("[" + list.String() + "]")); err != nil {
		panic(err)
	}
	s.Send(0, session.Outgoing{Text: "x"})
	for _, e := range s.Flush().Effects {
		if e.Kind == session.OpenStream {
			stream = e.ID
		}
	}
	s.Head(stream, 200, "text/event-stream", session.HeadInfo{RetryAfter: -1})
	s.Feed(stream, []byte(START+TXT("a")))
	s.Flush()
	return s, stream
}

var delta = []byte(frame(`{"type":"text.delta","delta":" word"}`))

// feed feeds n deltas, one an input, and starts a new part each 4,096 so that no
// part reaches its limit.
func feed(s *session.Session, stream, n int) {
	for i := range n {
		s.Feed(stream, delta)
		if i%4096 == 4095 {
			s.Feed(stream, []byte(frame(`{"type":"reasoning.delta","delta":"h"}`)))
		}
		s.Flush()
	}
}

func BenchmarkDelta(b *testing.B) {
	for _, n := range []int{0, 5000} {
		b.Run(fmt.Sprintf("history=%d", n), func(b *testing.B) {
			s, stream := streaming(n)
			b.ReportAllocs()
			b.ResetTimer()
			feed(s, stream, b.N)
		})
	}
	b.Run("chunks of 16 KiB", func(b *testing.B) {
		s, stream := streaming(0)
		chunk := []byte(strings.Repeat(string(delta), 16<<10/len(delta)))
		b.ReportAllocs()
		b.ResetTimer()
		for i := 0; i < b.N; i += 16 << 10 / len(delta) {
			s.Feed(stream, chunk)
			if i%4096 < 16<<10/len(delta) {
				s.Feed(stream, []byte(frame(`{"type":"reasoning.delta","delta":"h"}`)))
			}
			s.Flush()
		}
	})
}

// calls is a turn of n calls that ask, are decided together, and get results.
func calls(n int) {
	s, stream := streaming(0)
	var choices []session.Choice
	for i := range n {
		id := "c" + strconv.Itoa(i)
		s.Feed(stream, []byte(CALL(id, "d", `{"post_id":1}`, "required")))
		s.Flush()
		choices = append(choices, session.Choice{Decision: event.Decision{ToolCallID: id, Approve: i%2 == 0}})
	}
	s.Feed(stream, []byte(END+DONE))
	s.Flush()
	s.Decide(0, choices, session.TurnOptions{})
	for _, e := range s.Flush().Effects {
		if e.Kind == session.OpenStream {
			stream = e.ID
		}
	}
	s.Head(stream, 200, "text/event-stream", session.HeadInfo{RetryAfter: -1})
	for i := range n {
		s.Feed(stream, []byte(RES("c"+strconv.Itoa(i), `{"success":true}`)))
		s.Flush()
	}
	s.Feed(stream, []byte(END+DONE))
	s.Flush()
}

func BenchmarkCalls(b *testing.B) {
	for _, n := range []int{50, 500} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				calls(n)
			}
		})
	}
}

// argument is one call with n bytes of arguments, shown and approved.
func argument(n int) {
	s, stream := streaming(0)
	s.Feed(stream, []byte(CALL("c1", "d", `{"text":"`+strings.Repeat("x", n)+`"}`, "required")))
	if _, err := s.AppendArguments(nil, "c1", false); err != nil {
		panic(err)
	}
	s.Flush()
	s.Feed(stream, []byte(END+DONE))
	s.Decide(0, []session.Choice{{Decision: event.Decision{ToolCallID: "c1", Approve: true}}}, session.TurnOptions{})
	s.Flush()
}

func BenchmarkArguments1MiB(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(1 << 20)
	for range b.N {
		argument(1<<20 - 64)
	}
}

func history(n int) {
	s, _ := streaming(n)
	s.Stop(0, false)
	s.Flush()
	s.Send(0, session.Outgoing{Text: "y"})
	for _, e := range s.Flush().Effects {
		if e.Kind == session.OpenStream {
			if _, err := s.Encode(e.ID, nil); err != nil {
				panic(err)
			}
		}
	}
}

func BenchmarkLoadAndSend5000(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		history(5000)
	}
}

// TestLinear checks that twice the work takes at most 2.2 times as long. The
// best of several runs counts, and a busy machine gets more tries: what is
// measured is the growth, not the machine.
func TestLinear(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("measures time")
	}
	for _, tt := range []struct {
		name string
		n    int
		work func(n int)
	}{
		{"deltas in one answer", 20_000, func(n int) { s, stream := streaming(0); feed(s, stream, n) }},
		{"calls in one turn", 500, calls},
		{"arguments of a call", 256 << 10, argument},
		{"messages of a history", 3000, history},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ratio := 0.0
			for range 12 {
				best := func(n int) time.Duration {
					shortest := time.Hour
					for range 5 {
						start := time.Now()
						tt.work(n)
						shortest = min(shortest, time.Since(start))
					}
					return shortest
				}
				ratio = float64(best(2*tt.n)) / float64(best(tt.n))
				t.Logf("ratio %.2f", ratio)
				if ratio <= 2.2 {
					return
				}
			}
			t.Errorf("%d takes %.2f times as long as %d", 2*tt.n, ratio, tt.n)
		})
	}
}

// TestB162_ADeltaAllocatesNothingOfTheHistory is the memory side of B162.
func TestB162_ADeltaAllocatesNothingOfTheHistory(t *testing.T) {
	for _, n := range []int{0, 3000} {
		s, stream := streaming(n)
		feed(s, stream, 1000) // memory of the output is there
		if allocs := testing.AllocsPerRun(500, func() { s.Feed(stream, delta); s.Flush() }); allocs > 0.1 {
			t.Errorf("%d messages: %v allocations a delta", n, allocs)
		}
	}
}

// BenchmarkServerCalls is a turn of calls that the server runs by itself.
func BenchmarkServerCalls(b *testing.B) {
	for _, n := range []int{500, 1000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			var turn []byte
			for i := range n {
				id := "call_" + strconv.Itoa(i)
				turn = append(turn, CALL(id, "search_posts", `{"query":"words of post 1","limit":10}`)...)
				turn = append(turn, RES(id, `{"success":true,"data":[{"id":1,"title":"Post 1"}]}`)...)
			}
			b.ReportAllocs()
			for b.Loop() {
				s, stream := streaming(0)
				for from := 0; from < len(turn); from += 16 << 10 {
					s.Feed(stream, turn[from:min(from+16<<10, len(turn))])
					s.Flush()
				}
			}
		})
	}
}
