package sveda

import (
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/session/event"
)

// TestRunTakesOnlyWhatRepeats holds that a run of deltas ends before the
// first event of another kind or shape, and that Next then has that event.
func TestRunTakesOnlyWhatRepeats(t *testing.T) {
	stream := `data: {"type":"text.delta","chatId":"c","delta":"a"}

data: {"type":"text.delta","chatId":"c","delta":"b"}

data:{"type":"text.delta","chatId":"c","delta":"\u00e4"}

data: {"type":"reasoning.delta","chatId":"c","delta":"r"}

data: {"type":"text.delta","chatId":"other","delta":"d"}

event: error

data: [DONE]

`
	for size := 1; size <= len(stream); size++ {
		r := newReader()
		var got string
		var e event.Event
		for at := 0; at < len(stream); at += size {
			r.Feed([]byte(stream[at:min(at+size, len(stream))]))
			for r.Next(&e) {
				switch e.Kind {
				case event.Text, event.Reasoning:
					got += map[event.Kind]string{event.Text: "T", event.Reasoning: "R"}[e.Kind] + string(e.Text)
					text, _ := r.AppendRun(nil, e.Kind, 100)
					got += string(text)
				case event.Error:
					got += "E"
				case event.Done:
					got += "."
				}
			}
		}
		if want := "abäRrdE."; strings.ReplaceAll(got, "T", "") != want {
			t.Fatalf("chunks of %d: expected %q, got %q", size, want, got)
		}
		if size == len(stream) && got != "TabTäRrTdE." {
			t.Errorf("in one chunk: expected a run, got %q", got)
		}
	}
}
