package session_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/session"
)

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// drain does with the output what costs no memory, and gives the stream that was
// opened, 0 for none.
func drain(s *session.Session) (opened int) {
	for {
		out := s.Flush()
		if len(out.Effects)+len(out.Changes) == 0 {
			return opened
		}
		for _, e := range append([]session.Effect(nil), out.Effects...) {
			if e.Kind == session.OpenStream {
				opened = e.ID
				if _, err := s.Encode(e.ID, nil); err != nil {
					panic(err)
				}
			}
		}
	}
}

func TestR36_AThousandSessionsLeaveNothing(t *testing.T) {
	cycle := func() {
		cfg := baseConfig()
		cfg.Persist = true
		s := session.New(cfg)
		s.Send(1, session.Outgoing{Text: "delete post 1"})
		id := drain(s)
		s.Head(id, 200, "text/event-stream", session.HeadInfo{RetryAfter: -1})
		s.Feed(id, []byte(START+TXT(strings.Repeat("x", 1_000))+CALL("c1", "delete_post", `{"post_id":1}`, "required")+END+DONE))
		drain(s)
		s.Decide(2, []session.Choice{choice("c1", "approve", "")}, session.TurnOptions{})
		drain(s)
		s.Close()
		drain(s)
	}
	cycle()
	before := heap()
	for range 1_000 {
		cycle()
	}
	if grown := heap() - before; grown > 1<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
}

func TestR38_AnHourOf100EventsASecond(t *testing.T) {
	events := 360_000
	if testing.Short() {
		events = 20_000
	}
	s := session.New(baseConfig())
	s.Send(0, session.Outgoing{Text: "count"})
	id := drain(s)
	s.Head(id, 200, "text/event-stream", session.HeadInfo{RetryAfter: -1})
	s.Feed(id, []byte(START))
	usage := []byte(frame(`{"type":"context.usage","usedTokens":1,"maxTokens":2,"percent":50}`))
	progress := []byte(frame(`{"type":"tool.progress","tasks":[{"id":"a","label":"b","status":"running"}]}`))
	word := []byte(TXT("a"))
	var warm int64
	for n := range events {
		s.At(int64(n) * 10)
		switch n % 10 {
		case 0:
			s.Feed(id, word)
		case 5:
			s.Feed(id, progress)
		default:
			s.Feed(id, usage)
		}
		drain(s)
		if n == events/10 {
			warm = heap()
		}
	}
	grown := heap() - warm
	messages := s.Messages()
	if got := len(messages[len(messages)-1].Body()); got != events/10 {
		t.Errorf("the answer has %d letters, want %d", got, events/10)
	}
	if grown > 256<<10 { // the answer itself is 36,000 of them
		t.Errorf("the heap grew by %d bytes after the warm-up", grown)
	}
	runtime.KeepAlive(s)
}
