package main

import (
	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// tapTime is how long a tap may wait for the lock: later it is no gesture on
// what is shown any more, ms.
const tapTime = 15_000

// act is a person in front of one of the pages, and the world around: it does
// one thing and comes back.
func (w *world) act() {
	if w.calm {
		return
	}
	w.after(w.rng.between(20, 2_500), nil, w.act)
	if len(w.tabs) == 0 {
		w.open()
		return
	}
	w.environment()
	if len(w.tabs) == 0 {
		return
	}
	t := w.tabs[w.rng.n(len(w.tabs))]
	if t.s == nil || t.frozen {
		return
	}
	live := t.live()
	switch {
	case w.hits(F38User) && w.rng.chance(400):
		w.whim(t)
	case len(live) > 0 && w.rng.chance(800):
		t.tap(live, w.rng.chance(650))
	default:
		t.send()
	}
}

// live are the cards that can be answered.
func (t *tab) live() (cards []card) {
	for _, c := range t.cards {
		if c.state == "pending" && !c.elsewhere {
			cards = append(cards, c)
		}
	}
	return cards
}

func (t *tab) send() {
	if t.failure != "" && t.w.rng.chance(300) {
		t.failure = ""
		t.reread()
		return
	}
	text := "t"
	asked := t.w.now
	t.acting(func(s *session.Session) {
		if t.w.now-asked > tapTime {
			return
		}
		t.refused = false
		for _, c := range t.cards {
			t.refused = t.refused || !final(c.state)
		}
		s.Send(t.ticket(), session.Outgoing{Text: text})
	})
}

// tap decides about one of the live cards, or about all of them at once.
func (t *tab) tap(live []card, approve bool) {
	w := t.w
	chosen := live[w.rng.n(len(live)):][:1]
	if w.rng.chance(150) {
		chosen = live
	}
	var choices []session.Choice
	for _, c := range chosen {
		input, ok := t.input(c.call)
		if !ok {
			continue
		}
		d := event.Decision{ToolCallID: c.call, Approve: approve}
		if !approve && w.rng.chance(500) {
			d.Reason = "no"
		}
		choices = append(choices, session.Choice{Decision: d, Digest: rawjson.Digest(input)})
		w.check.gesture(t, c.call, input, approve)
	}
	asked := w.now
	t.acting(func(s *session.Session) {
		if w.now-asked <= tapTime {
			s.Decide(t.ticket(), choices, session.TurnOptions{})
		}
	})
}

// input is what the card of a call shows of its arguments.
func (t *tab) input(call string) ([]byte, bool) {
	for _, m := range t.s.Messages() {
		for i := range m.Parts {
			if p := &m.Parts[i]; p.Kind == event.CallPart && p.ToolCallID == call {
				return p.Input, true
			}
		}
	}
	return nil, false
}

// whim is what a person does that is not foreseen.
func (w *world) whim(t *tab) {
	switch w.rng.n(6) {
	case 0:
		t.acting(func(s *session.Session) { s.Stop(t.ticket(), false) })
	case 1: // taps twice, and changes their mind
		if live := t.live(); len(live) > 0 {
			t.tap(live[:1], true)
			t.tap(live[:1], false)
		}
	case 2:
		t.reread()
	case 3: // writes while a card waits
		t.send()
	case 4: // lets what was cut be tried again
		for _, c := range t.cards {
			if c.state == "outcome-unknown" && c.frontend {
				call := c.call
				t.acting(func(s *session.Session) {
					ticket := t.ticket()
					s.RetryUnknown(ticket, call)
					w.check.retried(call)
				})
				return
			}
		}
	case 5: // goes away and comes back much later
		w.now += int64(pick(&w.rng, 130_000, 700_000))
		t.wake()
	}
}

// environment is what happens to the pages and to the server.
func (w *world) environment() {
	t := w.tabs[w.rng.n(len(w.tabs))]
	if w.hits(F28Reload) {
		w.say(t.name(), "reloads")
		t.reload(false)
	}
	if w.hits(F29Kill) {
		w.say(t.name(), "is killed")
		t.reload(true)
	}
	if w.hits(F40Memory) {
		w.say(t.name(), "core dies")
		t.reload(false)
	}
	if w.hits(F30Tabs) {
		if len(w.tabs) < 3 && w.rng.chance(600) {
			w.open()
		} else {
			t.close()
			return
		}
	}
	if w.hits(F26Freeze) && !t.frozen {
		t.freeze(pick(&w.rng, 60_000, 3_600_000), w.rng.chance(500))
	}
	if w.hits(F27BFCache) && !t.frozen {
		for _, c := range append([]*conn(nil), w.net.conns...) {
			if c.t == t {
				w.net.end(c, session.NetworkFailed)
			}
		}
		t.freeze(pick(&w.rng, 1_000, 60_000), false)
	}
	if w.hits(F24Clock) {
		w.wall = int64(pick(&w.rng, -86_400_000, -3_600_000, 0, 3_600_000, 86_400_000))
	}
	if w.hits(F23OnlineLies) {
		for i := range w.rng.between(1, 5) {
			t.put("online", func(s *session.Session) { s.Online(i%2 == 0) })
		}
	}
	if w.hits(F20ServerRestart) {
		w.server.restart(w.rng.chance(100))
	}
	if w.hits(F31Lock) && w.lock.holder != nil {
		w.lock.steal()
	}
	if w.hits(F33StorageLoss) && w.rng.chance(100) {
		w.store.evict()
	}
	if w.hits(F32StorageError) && w.rng.chance(300) {
		w.store.recover()
	}
	if w.hits(F8BlackHole) && w.rng.chance(500) {
		w.net.dead = 0
	}
}
