package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svedawasm/svedawasm/playground/hosttool"
	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/asgard"
	"github.com/svedawasm/svedawasm/session/driver"
	"github.com/svedawasm/svedawasm/session/event"
)

// cutter ends the body of the nth request after so many bytes: by an error, as a
// lost connection does, or cleanly.
type cutter struct {
	nth, bytes int
	clean      bool

	mu    sync.Mutex
	count int
	posts int // that were not resumptions
	size  int // of the nth body, when it was not cut
}

func (c *cutter) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	c.count++
	n := c.count
	if r.Method == http.MethodPost && r.Header.Get("Last-Event-ID") == "" {
		c.posts++
	}
	c.mu.Unlock()
	res, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && n == c.nth {
		res.Body = &cutBody{ReadCloser: res.Body, c: c, left: c.bytes}
	}
	return res, err
}

type cutBody struct {
	io.ReadCloser
	c    *cutter
	left int
}

func (b *cutBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		if b.c.clean {
			return 0, io.EOF
		}
		return 0, errors.New("connection reset")
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	b.c.mu.Lock()
	b.c.size += n
	b.c.mu.Unlock()
	return n, err
}

// channel is our own client on a channel of the playground.
func (p *play) channel(id string, transport http.RoundTripper) *driver.Chat {
	p.t.Helper()
	c := driver.New(driver.Config{
		Session: session.Config{ChatID: id, Dialect: asgard.New(asgard.Config{IdentityHint: "ann"}), Seed: [16]byte{9}},
		Transport: &driver.HTTP{
			Endpoints: map[string]string{"base": p.base + "/ns/demo/bot-provider/posts"}, Client: &http.Client{Transport: transport},
		},
	})
	p.t.Cleanup(c.Close)
	return c
}

// transcript is the chat without the ids that the server makes anew.
func transcript(c *driver.Chat) (text string, waiting []string) {
	c.With(func(s *session.Session) {
		var b strings.Builder
		for _, m := range s.Messages() {
			for i := range m.Parts {
				part := &m.Parts[i]
				fmt.Fprintf(&b, "%s %d %s %s %s %s\n", m.Role, part.Kind, part.ToolName, part.Input, part.Output, part.Text)
			}
		}
		text = b.String()
		for _, m := range s.Messages() {
			for i := range m.Parts {
				if part := &m.Parts[i]; part.Kind == event.CallPart && s.Pending() {
					waiting = append(waiting, part.ToolCallID)
				}
			}
		}
	})
	return text, waiting
}

// whole runs the scenario and gives what is left of it. A cut turn may have
// failed: its state is then read again, which is what this test is about.
func whole(t *testing.T, p *play, id string, transport http.RoundTripper) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	c := p.channel(id, transport)
	_ = c.Send(ctx, session.Outgoing{Text: "delete posts 2 and 3"})
	settle(t, c)
	_, waiting := transcript(c)
	var choices []session.Choice
	for i, call := range waiting {
		choices = append(choices, session.Choice{Decision: event.Decision{ToolCallID: call, Approve: i == 0, Reason: "keep it"}})
	}
	if _, err := c.Decide(ctx, choices...); err != nil {
		settle(t, c)
		if _, still := transcript(c); len(still) > 0 {
			_, err = c.Decide(ctx, choices[len(choices)-1]) // the last one is asked again
			if err != nil {
				t.Errorf("the second answer: %v", err)
			}
		}
	}
	settle(t, c)
	text, still := transcript(c)
	if len(still) > 0 {
		t.Errorf("still asked: %v", still)
	}
	// A replay tells the end of a call where the call stands, a live run when it
	// ends: what is there is the same.
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func settle(t *testing.T, c *driver.Chat) {
	t.Helper()
	eventually(t, "the channel is quiet", func() bool {
		quiet := false
		c.With(func(s *session.Session) { quiet = s.Status() == session.Idle || s.Status() == session.Failed })
		return quiet
	})
}

func TestAsgard_OurClientOnOurServer(t *testing.T) {
	p := start(t, setup{})
	got := whole(t, p, "ch", http.DefaultTransport)
	if !strings.Contains(got, `"denied":true`) || !strings.Contains(got, `"reason":"keep it"`) || !strings.Contains(got, "Post 2 was deleted") {
		t.Error(got)
	}
	p.wantPost(2, false)
	p.wantPost(3, true)
	p.wantCalls("delete_post", 1)
}

// Whatever byte the connection is lost at, of the turn or of the reply, the end
// is that of an uncut run: the call has run once, nothing is doubled, nothing is
// lost, and no POST was sent twice unless the person answered again (R8, X3,
// W3, W23).
func TestAsgard_R08_ACutAtAnyPlaceEndsTheSame(t *testing.T) {
	for nth, name := range map[int]string{1: "turn", 2: "reply"} {
		p := start(t, setup{})
		measure := &cutter{nth: nth, bytes: 1 << 30}
		want := whole(t, p, "ch", measure)
		step := measure.size / 9
		if testing.Short() {
			step = measure.size / 3
		}
		for at := 0; at < measure.size; at += step {
			p := start(t, setup{})
			cut := &cutter{nth: nth, bytes: at, clean: at%2 == 0}
			got := whole(t, p, "ch", cut)
			if got != want {
				t.Errorf("%s cut after %d of %d bytes:\n%s\nwant\n%s", name, at, measure.size, got, want)
			}
			p.wantPost(2, false)
			p.wantPost(3, true)
			p.wantCalls("delete_post", 1)
			if cut.posts > 2 {
				t.Errorf("%s cut after %d bytes: %d requests that dispatch", name, at, cut.posts)
			}
		}
	}
}

// A tool may be slow: the client hears that its decision was taken when the call
// starts, not when it has ended.
func TestAsgard_ADecisionIsTakenBeforeItsToolHasEnded(t *testing.T) {
	gate := newGate("slow", "required")
	p := start(t, setup{model: script(calling("c1", "slow", `{}`)), tools: []hosttool.Tool{gate}})
	c := p.channel("ch", http.DefaultTransport)
	_ = c.Send(t.Context(), session.Outgoing{Text: "x"})
	settle(t, c)
	done := make(chan error, 1)
	go func() {
		_, err := c.Decide(t.Context(), session.Choice{Decision: event.Decision{ToolCallID: "c1", Approve: true}})
		done <- err
	}()
	await(t, "the tool", gate.started)
	eventually(t, "the decision counts as taken", func() (taken bool) {
		c.With(func(s *session.Session) { taken = !s.Pending() })
		return taken
	})
	close(gate.let)
	if err := <-done; err != nil {
		t.Error(err)
	}
	p.wantCalls("slow", 1)
}
