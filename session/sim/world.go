package main

import (
	"io"
	"strconv"

	"github.com/svedawasm/svedawasm/session"
)

// world is one run: virtual time, a server, a network, a store and a few tabs of
// one chat, all in one goroutine. The same seed gives the same run.
type world struct {
	seed   uint64
	rng    source
	now    int64 // virtual ms; the monotonic clock
	wall   int64 // what the wall clock is off by, ms
	queue  queue
	seq    int
	steps  int
	server server
	net    network
	store  store
	lock   lock
	bus    bus
	tabs   []*tab
	pages  int // that were ever opened
	nextID int
	faults faults
	check  checker
	hash   uint64
	trace  io.Writer // nil for none
	calm   bool      // faults have stopped
	stays  fault     // but for this one, 0 for none (R42)
}

// epoch is where the wall clock begins, ms since 1970.
const epoch = 1_700_000_000_000

const (
	minSteps   = 200
	settleTime = 120_000 // L: virtual ms after the faults until all must be well
)

// result is what a run leaves.
type result struct {
	seed      uint64
	steps     int
	hash      uint64
	fired     [faultCount]bool
	violation string // "" for none
	at        int    // the step of the violation
	stats     stats
}

type stats struct {
	turns, gestures, decisions, executions, runs, reloads, unknown int
}

// run plays the seed.
func run(seed uint64, trace io.Writer, avoid faultSet) (r result) {
	w := &world{seed: seed, rng: source(mix(seed + 0x5eda)), trace: trace, hash: 0xcbf29ce484222325}
	r.seed = seed
	defer func() {
		if p := recover(); p != nil {
			if trace != nil {
				panic(p)
			}
			w.check.fail("I12: panic")
		}
		r.steps, r.hash, r.fired, r.stats = w.steps, w.hash, w.faults.fired, w.check.stats
		r.violation, r.at = w.check.violation, w.check.at
	}()
	w.check.w = w
	w.faults.choose(&w.rng, avoid)
	w.server.w, w.net.w, w.store.w, w.bus.w, w.lock.w = w, w, w, w, w
	w.store.start()
	w.open()
	if w.rng.chance(500) {
		w.open()
	}
	w.after(w.rng.between(1, 500), nil, w.act)
	for w.steps < minSteps && w.step() {
	}
	w.settle()
	return r
}

// settle lets the faults stop and checks that all comes to rest (I14).
func (w *world) settle() {
	if w.check.violation != "" {
		return
	}
	w.calm = true
	if w.rng.chance(300) {
		w.stays = pick(&w.rng, F8BlackHole, F26Freeze, F31Lock, F32StorageError)
	}
	w.say("faults stop, but for", faultNames[w.stays])
	w.store.recover()
	if len(w.tabs) == 0 {
		w.open()
	}
	switch w.stays {
	case F8BlackHole:
		w.net.dead = w.now + 2*settleTime
	case F32StorageError:
		w.store.failed = true
	}
	for i, t := range w.tabs {
		if t.thaw(); i == 1 && w.stays == F26Freeze {
			t.frozen, t.forever = true, true
			continue
		}
		w.after(1_000, t, t.wake)
		w.after(settleTime/2, t, t.reread)
		w.after(settleTime-15_000, t, t.reread)
	}
	end := w.now + settleTime
	for len(w.queue) > 0 && w.queue[0].at <= end && w.step() {
	}
	if w.check.violation != "" {
		return
	}
	w.now = end
	w.check.atRest()
	for len(w.tabs) > 0 {
		w.tabs[0].close()
	}
	w.check.step()
}

// step plays the next event; it reports whether the run goes on.
func (w *world) step() bool {
	if len(w.queue) == 0 {
		return false
	}
	e := w.queue.pop()
	w.now = max(w.now, e.at)
	if t := e.tab; t != nil {
		if e.life != t.life {
			return true // of a page that is gone
		}
		if t.frozen {
			t.deferred = append(t.deferred, e)
			return true
		}
	}
	w.steps++
	e.do()
	w.check.step()
	return w.check.violation == ""
}

// after plays do in ms milliseconds. With a tab it is lost with its page, and
// waits while that is frozen.
func (w *world) after(ms int, t *tab, do func()) {
	w.seq++
	e := happening{at: w.now + int64(ms), seq: w.seq, tab: t, do: do}
	if t != nil {
		e.life = t.life
	}
	w.queue.push(e)
}

// say adds a line to the trace and its hash.
func (w *world) say(parts ...string) {
	w.mixInt(int(w.now))
	for _, p := range parts {
		w.mix(p)
	}
	if w.trace != nil {
		line := strconv.Itoa(w.steps) + " " + strconv.FormatInt(w.now, 10)
		for _, p := range parts {
			line += " " + p
		}
		_, _ = io.WriteString(w.trace, line+"\n")
	}
}

// mix adds to the hash (FNV-1a).
func (w *world) mix(text string) {
	h := w.hash
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 0x100000001b3
	}
	w.hash = (h ^ 0xff) * 0x100000001b3
}

func (w *world) mixInt(n int) { w.hash = (w.hash ^ uint64(n)) * 0x100000001b3 }

func (w *world) id() int { w.nextID++; return w.nextID }

// wallNow is the time of day, as a page sees it.
func (w *world) wallNow() int64 { return epoch + w.now + w.wall }

// happening is something that is going to happen.
type happening struct {
	at   int64
	seq  int
	tab  *tab
	life int
	do   func()
}

// queue is a heap by time, and by order of entry within one moment.
type queue []happening

func (q queue) less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].seq < q[j].seq
}

func (q *queue) push(e happening) {
	*q = append(*q, e)
	h := *q
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if !h.less(i, up) {
			break
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

func (q *queue) pop() happening {
	h := *q
	top := h[0]
	last := len(h) - 1
	h[0] = h[last]
	h[last] = happening{}
	h = h[:last]
	*q = h
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && h.less(child+1, child) {
			child++
		}
		if !h.less(child, i) {
			break
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
	return top
}

// effectWords name the effects in a trace.
var effectWords = map[session.EffectKind]string{
	session.OpenStream: "open", session.AbortStream: "abort", session.RunTool: "run", session.AbortTool: "abort-tool",
	session.SetTimer: "timer", session.ClearTimer: "clear", session.Settle: "settle", session.Persist: "persist", session.Claim: "claim",
}
