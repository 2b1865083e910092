package main

import (
	"strconv"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
	"github.com/svedawasm/svedawasm/session/snapshot"
	"github.com/svedawasm/svedawasm/session/sveda"
	"github.com/svedawasm/svedawasm/toolregistry"
)

// tab is a page with the real session in it: a driver that obeys its effects,
// and the cards that a person sees.
type tab struct {
	w        *world
	n        int // for the trace
	page     int // this page; another one after a reload
	life     int // rises when the page or its core is gone
	alive    bool
	frozen   bool
	forever  bool // it is frozen and does not come back
	deferred []happening
	slept    int64 // ms that the monotonic clock stood still

	s     *session.Session
	tools *toolregistry.Registry
	seed  byte

	timers  []timer
	conns   []*conn
	runs    []running
	held    []session.Effect // wait for the store
	writing int              // strict writes under way
	dirty   bool             // a relaxed write is due
	rev     int              // of the newest snapshot that is known here
	fence   int
	durable bool    // the last write succeeded
	claims  []claim // of this page, while the store does not work

	cards   []card
	tickets int
	open    int // promises that are not settled
	failure string
	refused bool // the person's last words must not leave (I6)
	asked   bool // waits for the lock
}

type timer struct {
	id int
	at int64
}

type running struct {
	id   int
	call string
}

// card is a confirmation as the page shows it.
type card struct {
	call      string
	state     string
	decision  string
	elsewhere bool
	uncertain bool
	frontend  bool
	code      string
}

// open makes a new page of the chat.
func (w *world) open() {
	t := &tab{w: w, n: w.id(), alive: true}
	w.tabs = append(w.tabs, t)
	w.pages++
	w.say("tab opens", t.name())
	t.load()
}

func (t *tab) name() string { return "tab" + strconv.Itoa(t.n) }

// load starts the page: from what is stored, or from the server's history.
func (t *tab) load() {
	w := t.w
	t.page = w.id()
	t.durable, t.rev = true, 0
	t.tools = toolregistry.New()
	for i, name := range []string{"archive", "get_selection"} {
		tool := toolregistry.Tool{Name: name, Handler: i + 1}
		if name == "archive" {
			tool.Confirmation = "required"
		}
		if _, err := t.tools.Register(tool); err != nil {
			panic(err)
		}
	}
	t.s = nil
	t.stand(func() { // the page may act when it is alone
		w.store.read(t, func(bytes []byte, rev int) {
			saved := t.decode(bytes)
			other := w.lock.held(t)
			switch {
			case saved != nil && !other:
				t.rev = rev
				t.s = session.Restore(t.config(), saved, t.mono(), w.wallNow())
			default:
				t.s = session.New(t.config())
				if saved != nil {
					t.rev = rev
					t.tick()
					_ = t.s.Adopt(saved, true)
				} else {
					t.s.Reread(t.ticket())
				}
			}
			t.flush()
		})
	})
}

// stand calls do with the lock when it is free at once, and without it otherwise.
func (t *tab) stand(do func()) {
	w := t.w
	if w.lockless() || w.lock.held(t) {
		t.fence = w.store.newFence()
		do()
		return
	}
	w.lock.acquire(t, func() {
		t.fence = w.store.newFence()
		do()
	})
}

// lockless says that the browser has no locks.
func (w *world) lockless() bool {
	if w.on(F31Lock) && w.seed%3 == 0 {
		w.faults.fired[F31Lock] = true
		return true
	}
	return w.stays == F31Lock
}

func (t *tab) decode(bytes []byte) *session.Saved {
	if bytes == nil {
		return nil
	}
	saved, err := snapshot.Decode(bytes)
	if err != nil {
		t.w.say(t.name(), "snapshot", err.Error())
		return nil
	}
	return saved
}

func (t *tab) config() session.Config {
	t.seed++
	return session.Config{
		ChatID: "chat", Dialect: sveda.New(sveda.Config{Histories: true}), Tools: t.tools,
		Seed:    [16]byte{byte(t.page), byte(t.page >> 8), byte(t.w.seed), byte(t.w.seed >> 8), byte(t.w.seed >> 16), t.seed},
		Persist: true, Claims: true, RefreshAuth: t.w.seed%2 == 0,
		ToolTimeout: 20_000, SilenceTimeout: 45_000,
	}
}

// mono is the monotonic clock of the page.
func (t *tab) mono() int64 { return t.w.now - t.slept }

func (t *tab) tick() {
	t.s.At(t.mono())
	t.s.Wall(t.w.wallNow())
}

func (t *tab) ticket() session.Ticket {
	t.tickets++
	t.open++
	return session.Ticket(t.tickets)
}

// put gives the session an input.
func (t *tab) put(what string, input func(s *session.Session)) {
	if t.s == nil {
		return
	}
	t.w.say(t.name(), what)
	t.tick()
	input(t.s)
	t.flush()
}

// flush shows the changes and obeys the effects.
func (t *tab) flush() {
	for t.s != nil {
		out := t.s.Flush()
		if len(out.Effects)+len(out.Changes) == 0 {
			break
		}
		for i := range out.Changes {
			t.show(&out.Changes[i])
		}
		// Encode and Save come before the next Flush; the effects are copied.
		for _, e := range append([]session.Effect(nil), out.Effects...) {
			t.obey(e)
		}
	}
	t.rest()
}

var cardNames = rawjson.NewNames("toolCallId", "state", "decision", "elsewhere", "target", "error", "code", "uncertain")

func (t *tab) show(c *session.Change) {
	t.w.mixInt(int(c.Kind))
	t.w.mixInt(c.Message<<8 | c.Part)
	t.w.mix(c.Text)
	t.w.mix(string(c.Data))
	switch c.Kind {
	case session.ConfirmationsCleared:
		t.cards = t.cards[:0]
	case session.ConfirmationSet:
		t.setCard(c.Data)
	case session.Failure:
		t.w.check.clean(c.Data)
		var v [8]rawjson.Value
		_ = cardNames.Scan(c.Data, v[:])
		t.failure = word(v[6])
		t.w.say(t.name(), "failure", t.failure)
		if t.failure == session.CodeStreamCut || t.failure == session.CodeSilent || t.failure == session.CodeNetwork ||
			t.failure == session.CodeEmptyStream || t.failure == session.CodeInterrupted {
			t.w.after(t.w.rng.between(1_000, 5_000), t, t.reread) // the page looks what is true now
		}
	case session.Warning:
		t.w.check.clean(c.Data)
	}
}

func (t *tab) setCard(data []byte) {
	var v [8]rawjson.Value
	_ = cardNames.Scan(data, v[:])
	c := card{
		call: word(v[0]), state: word(v[1]), decision: word(v[2]), elsewhere: v[3].Kind == rawjson.True,
		frontend: word(v[4]) == "frontend", uncertain: v[7].Kind == rawjson.True,
	}
	if v[5].Kind == rawjson.Object {
		t.w.check.clean(v[5].Raw)
		var e [8]rawjson.Value
		_ = cardNames.Scan(v[5].Raw, e[:])
		c.code = word(e[6])
	}
	t.w.say(t.name(), "card", c.call, c.state, c.decision, c.code)
	t.w.check.shown(t, &c)
	for i := range t.cards {
		if t.cards[i].call == c.call {
			t.cards[i] = c
			return
		}
	}
	t.cards = append(t.cards, c)
}

// obey does one effect.
func (t *tab) obey(e session.Effect) {
	w := t.w
	w.mixInt(int(e.Kind)<<16 | e.ID)
	w.mix(e.Call)
	w.mix(string(e.Data))
	if e.Kind != session.SetTimer && e.Kind != session.ClearTimer {
		w.say(t.name(), effectWords[e.Kind], strconv.Itoa(e.ID), e.Call, e.Text)
	}
	switch e.Kind {
	case session.OpenStream, session.RunTool, session.Claim:
		if t.writing > 0 {
			e.Data = append([]byte(nil), e.Data...)
			t.held = append(t.held, e)
			return
		}
	}
	switch e.Kind {
	case session.OpenStream:
		t.request(e)
	case session.AbortStream:
		t.drop(e)
		for _, c := range append([]*conn(nil), t.w.net.conns...) {
			if c.t == t && c.life == t.life && c.stream == e.ID {
				w.net.drop(c)
			}
		}
	case session.RunTool:
		t.run(e)
	case session.AbortTool:
		t.drop(e)
		t.endRun(e.ID)
	case session.SetTimer:
		t.setTimer(e.ID, e.Delay)
	case session.ClearTimer:
		for i := range t.timers {
			if t.timers[i].id == e.ID {
				t.timers = append(t.timers[:i], t.timers[i+1:]...)
				break
			}
		}
	case session.Settle:
		t.open--
		if e.Err != nil {
			w.check.clean([]byte(e.Err.Message + e.Err.Server))
		}
	case session.Persist:
		t.persist(e.Text == "strict")
	case session.Claim:
		t.claim(e)
	}
}

// drop takes a held effect back.
func (t *tab) drop(e session.Effect) {
	for i := range t.held {
		if t.held[i].ID == e.ID {
			t.held = append(t.held[:i], t.held[i+1:]...)
			return
		}
	}
}

func (t *tab) setTimer(id, delay int) {
	w := t.w
	if w.hits(F25Timers) {
		grain := pick(&w.rng, 1_000, 60_000)
		delay = (delay + grain - 1) / grain * grain
	}
	t.timers = append(t.timers, timer{id, w.now + int64(delay)})
	w.after(delay, t, func() {
		for i := range t.timers {
			if t.timers[i].id == id {
				t.timers = append(t.timers[:i], t.timers[i+1:]...)
				t.put("fire", func(s *session.Session) { s.Fire(id) })
				return
			}
		}
	})
}

// request sends what OpenStream asks for.
func (t *tab) request(e session.Effect) {
	w := t.w
	if w.hits(F37HostCallback) && w.rng.chance(300) {
		id := e.ID
		w.after(1, t, func() {
			t.put("headers throw", func(s *session.Session) { s.End(id, session.RequestFailed, "headers threw") })
		})
		return
	}
	t.tick()
	wire, err := t.s.Encode(e.ID, nil)
	if err != nil {
		return // it is not wanted any more
	}
	c := &conn{t: t, life: t.life, stream: e.ID, post: wire.Method == "POST"}
	if c.post {
		w.mix(string(wire.Body))
		w.check.leaves(t, wire.Body)
	}
	w.net.send(c, &request{get: !c.post, body: wire.Body})
}

// run is the page's handler.
func (t *tab) run(e session.Effect) {
	w := t.w
	t.runs = append(t.runs, running{e.ID, e.Call})
	w.check.ran(t, e.Call, e.Data)
	id := e.ID
	finish := func(ms int, what string, input func(s *session.Session)) {
		w.after(ms, t, func() {
			for _, r := range t.runs {
				if r.id == id {
					t.endRun(id)
					t.put(what, input)
					return
				}
			}
		})
	}
	delay := pick(&w.rng, 0, 1, 20, 3_000)
	if w.hits(F39Handler) {
		switch w.rng.n(4) {
		case 0:
			finish(delay, "handler throws", func(s *session.Session) { s.OutputFailed(id, "boom") })
		case 1: // never reports
		case 2:
			finish(delay, "handler gives no JSON", func(s *session.Session) { s.Output(id, []byte("{")) })
		case 3:
			finish(delay, "handler", func(s *session.Session) {
				s.Output(id, []byte(`{"ok":1}`))
				s.Output(id, []byte(`{"ok":2}`)) // twice
			})
		}
		return
	}
	finish(delay, "handler", func(s *session.Session) { s.Output(id, []byte(`{"ok":true}`)) })
}

func (t *tab) endRun(id int) {
	for i, r := range t.runs {
		if r.id == id {
			t.runs = append(t.runs[:i], t.runs[i+1:]...)
			return
		}
	}
}

// persist stores the session, at once when it is strict.
func (t *tab) persist(strict bool) {
	w := t.w
	if !strict {
		if !t.dirty {
			t.dirty = true
			w.after(50, t, func() {
				if t.dirty && t.s != nil {
					t.dirty = false
					w.store.write(t, t.snapshot(), t.fence, false, func(o outcome) { t.written(o) })
				}
			})
		}
		return
	}
	t.dirty = false
	t.writing++
	answered := false
	done := func(o outcome) {
		if answered {
			return
		}
		answered = true
		t.writing--
		if t.written(o) {
			t.release()
		}
		t.rest()
	}
	w.after(2_000, t, func() { done(broken) }) // a store that hangs holds nothing
	w.store.write(t, t.snapshot(), t.fence, true, done)
}

func (t *tab) snapshot() []byte {
	b, err := snapshot.Encode(t.s.Save())
	if err != nil {
		panic(err)
	}
	return b
}

// written takes the answer of the store. A page whose fence is old has been
// overtaken: it does nothing of what it held, and shows what the newer one says.
func (t *tab) written(o outcome) bool {
	t.durable = o == stored_
	if o != stale {
		return true
	}
	t.w.say(t.name(), "is overtaken")
	held := t.held
	t.held = nil
	for _, e := range held {
		if e.Kind == session.RunTool {
			t.put("unstarted", func(s *session.Session) { s.Unstarted(e.ID) })
		}
	}
	t.put("stop", func(s *session.Session) { s.Stop(0, false) })
	t.look()
	return false
}

// release does what was held.
func (t *tab) release() {
	for t.writing == 0 && len(t.held) > 0 {
		e := t.held[0]
		t.held = t.held[1:]
		t.obey(e)
	}
	t.flush()
}

// claim asks the shared store for the right to act.
func (t *tab) claim(e session.Effect) {
	w := t.w
	ok, hung := w.store.usable()
	if hung {
		return // the session gives up by itself
	}
	id, call, attempt, decision := e.ID, e.Call, e.Handler, e.Text
	w.after(w.rng.between(1, 6), t, func() {
		verdict, word := session.Granted, decision
		switch {
		case ok:
			c := w.store.claimFor(t, call, attempt, decision)
			word = c.word
			switch {
			case c.owner == t.page:
			case w.pageLives(c.owner) || w.lockless():
				verdict = session.Taken
			default:
				verdict = session.Dead
			}
		case len(w.tabs) > 1 || w.lockless():
			verdict = session.Unclaimable
		default:
			w.check.alone(call) // no store, no other page: memory has to do
			c := t.claimInMemory(call, attempt, decision)
			word = c.word
		}
		t.put("claimed", func(s *session.Session) { s.Claimed(id, verdict, word) })
	})
}

func (t *tab) claimInMemory(call string, attempt int, word string) claim {
	for _, c := range t.claims {
		if c.call == call && c.attempt == attempt {
			return c
		}
	}
	c := claim{call, attempt, t.page, word}
	t.claims = append(t.claims, c)
	return c
}

func (w *world) pageLives(page int) bool {
	for _, t := range w.tabs {
		if t.page == page {
			return true
		}
	}
	return false
}

// hint says that another page has stored something.
func (t *tab) hint() {
	if t.s != nil && t.w.store.rev > t.rev && !t.busy() {
		t.look()
	}
}

// look shows what is stored.
func (t *tab) look() {
	t.w.store.read(t, func(bytes []byte, rev int) {
		saved := t.decode(bytes)
		if saved == nil || rev <= t.rev || t.s == nil || t.busy() {
			return
		}
		t.rev = rev
		t.put("adopts", func(s *session.Session) { _ = s.Adopt(saved, true) })
	})
}

// busy says that the page acts.
func (t *tab) busy() bool {
	if t.s == nil || t.writing > 0 || len(t.held) > 0 || len(t.runs) > 0 {
		return true
	}
	st := t.s.Status()
	return st == session.Submitted || st == session.Streaming || t.open > 0
}

// rest gives the lock back when nothing is left to do, and asks for it when a
// decision of another page is to be taken over should that one go.
func (t *tab) rest() {
	w := t.w
	if t.s == nil || w.lockless() {
		return
	}
	if w.lock.holder == t && w.lock.life == t.life {
		switch {
		case t.busy():
		case t.dirty: // what was done is stored before another page may act
			t.dirty = false
			t.persist(true)
		default:
			w.lock.release(t)
		}
		return
	}
	for i := range t.cards {
		if t.cards[i].elsewhere && !t.asked {
			t.asked = true
			w.lock.acquire(t, t.takeOver)
			return
		}
	}
}

// takeOver acts for a page that is gone.
func (t *tab) takeOver() {
	t.asked = false
	t.fence = t.w.store.newFence()
	t.w.store.read(t, func(bytes []byte, rev int) {
		if saved := t.decode(bytes); saved != nil && rev > t.rev && !t.busy() {
			t.rev = rev
			t.put("adopts", func(s *session.Session) { _ = s.Adopt(saved, false) })
			return
		}
		t.put("takes over", func(s *session.Session) { s.TakeOver() })
	})
}

// acting calls do when this page may act: with the lock, and with what is stored.
func (t *tab) acting(do func(s *session.Session)) {
	w := t.w
	act := func() {
		t.fence = w.store.newFence()
		if t.s == nil {
			return
		}
		if w.store.rev <= t.rev || t.busy() {
			t.put("acts", do)
			return
		}
		w.store.read(t, func(bytes []byte, rev int) {
			if saved := t.decode(bytes); saved != nil && rev > t.rev && !t.busy() {
				t.rev = rev
				alive := w.lockless() && len(w.tabs) > 1
				t.put("adopts", func(s *session.Session) { _ = s.Adopt(saved, alive) })
			}
			t.put("acts", do)
		})
	}
	if w.lockless() || w.lock.holder == t && w.lock.life == t.life {
		act()
		return
	}
	w.lock.acquire(t, act)
}

func (t *tab) wake() {
	t.put("wake", func(s *session.Session) { s.Wake() })
}

func (t *tab) reread() {
	if t.s != nil && !t.busy() {
		ticket := t.ticket()
		t.put("reread", func(s *session.Session) { s.Reread(ticket) })
	}
}

// known are the calls that the page knows.
func (t *tab) known() (calls []*call) {
	if t.s == nil {
		return nil
	}
	for _, m := range t.s.Messages() {
		for i := range m.Parts {
			if m.Parts[i].Kind == event.CallPart {
				if c := t.w.server.call(m.Parts[i].ToolCallID); c != nil {
					calls = append(calls, c)
				}
			}
		}
	}
	return calls
}

// gone is the end of the page or of its core: nothing of it goes on.
func (t *tab) gone() {
	for _, c := range append([]*conn(nil), t.w.net.conns...) {
		if c.t == t {
			t.w.net.drop(c)
		}
	}
	t.life++
	t.s, t.timers, t.runs, t.held, t.cards, t.deferred = nil, nil, nil, nil, nil, nil
	t.writing, t.open, t.dirty, t.asked, t.frozen = 0, 0, false, false, false
	t.claims = nil
	t.w.lock.next()
}

// reload is the page loaded again. kill loses what was not strictly stored.
func (t *tab) reload(kill bool) {
	t.w.check.stats.reloads++
	t.gone()
	if kill {
		t.w.store.lose()
	}
	t.load()
}

// close is the orderly end of the page.
func (t *tab) close() {
	t.w.say(t.name(), "closes")
	t.thaw()
	t.put("close", func(s *session.Session) { s.Close() })
	t.w.check.closed(t)
	t.gone()
	t.alive = false
	for i, other := range t.w.tabs {
		if other == t {
			t.w.tabs = append(t.w.tabs[:i], t.w.tabs[i+1:]...)
			break
		}
	}
}

// freeze lets no task of the page run for a while.
func (t *tab) freeze(ms int, clockStands bool) {
	t.w.say(t.name(), "freezes")
	t.frozen = true
	life := t.life
	t.w.after(ms, nil, func() {
		if t.life == life && t.frozen && !t.forever {
			if clockStands {
				t.slept += int64(ms)
			}
			t.thaw()
			t.wake()
		}
	})
}

func (t *tab) thaw() {
	if !t.frozen {
		return
	}
	t.frozen = false
	for _, e := range t.deferred {
		e.at = t.w.now
		t.w.seq++
		e.seq = t.w.seq
		t.w.queue.push(e)
	}
	t.deferred = nil
}
