package app

import (
	"context"
	"net/http"
	"testing"

	"github.com/svedawasm/svedawasm/playground/hosttool"
	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/driver"
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/sveda"
)

// A person stops while the confirmed tool runs: the card does not claim that
// nothing ran, and without a reload it ends with what the tool did.
func TestADecisionThatIsStoppedOnItsWayEndsWithTheTruth(t *testing.T) {
	gate := newGate("slow", "required")
	p := start(t, setup{model: script(calling("c1", "slow", `{}`)), tools: []hosttool.Tool{gate}})
	c := driver.New(driver.Config{
		Session: session.Config{ChatID: "chat_stop", Dialect: sveda.New(sveda.Config{Histories: true}), Seed: [16]byte{1}},
		Transport: &driver.HTTP{
			Endpoints: map[string]string{"stream": p.base + "/sveda/stream", "history": p.base + "/sveda/chat-histories"},
			Header: func(context.Context) (http.Header, error) {
				return http.Header{"X-Sveda-Embed-Token": {p.token}}, nil
			},
		},
	})
	defer c.Close()
	if err := c.Send(t.Context(), session.Outgoing{Text: "x"}); err != nil {
		t.Fatal(err)
	}
	card := func() (card session.SavedConfirmation) {
		c.With(func(s *session.Session) {
			for _, saved := range s.Save().Confirmations {
				card = saved
			}
		})
		return card
	}
	go func() {
		_, _ = c.Decide(t.Context(), session.Choice{Decision: event.Decision{ToolCallID: "c1", Approve: true}})
	}()
	await(t, "the tool", gate.started)
	if err := c.Stop(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if got := card(); got.State != session.Pending || !got.Uncertain {
		t.Errorf("after the stop the card is %s, uncertain %v", got.State, got.Uncertain)
	}
	close(gate.let)
	eventually(t, "the card has the outcome", func() bool { return card().State == session.Resolved })
	p.wantCalls("slow", 1)
}
