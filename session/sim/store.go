package main

// store is what the pages share: the newest snapshot, guarded by a fence, and
// the claims.
type store struct {
	w      *world
	absent bool // no such API here
	failed bool // every access fails
	hangs  bool // nothing is answered

	rev    int // of the snapshot, rising
	fence  int // of its writer
	bytes  []byte
	strict []byte // what a kill cannot lose, and its numbers
	srev   int
	fences int // last fence that was given out
	claims []claim
}

type claim struct {
	call    string
	attempt int
	owner   int // the page
	word    string
}

type outcome int

const (
	stored_ outcome = iota
	stale           // a newer writer was there
	broken
)

func (s *store) start() {
	s.absent = s.w.on(F32StorageError) && s.w.rng.chance(200)
	if s.absent {
		s.w.fire(F32StorageError)
	}
}

// recover lets a store work again that had failed for a while.
func (s *store) recover() { s.failed, s.hangs = false, false }

// usable draws whether this access works; hung says that it never ends.
func (s *store) usable() (ok, hung bool) {
	if s.absent || s.failed {
		return false, false
	}
	if s.hangs {
		return false, true
	}
	if s.w.hits(F32StorageError) {
		switch s.w.rng.n(6) {
		case 0:
			s.failed = true
		case 1:
			s.hangs = true
			return false, true
		}
		return false, false
	}
	return true, false
}

// newFence gives a page that begins to act a number above all earlier ones.
func (s *store) newFence() int {
	s.fences++
	return s.fences
}

// write stores a snapshot and calls done, unless the access hangs.
func (s *store) write(t *tab, bytes []byte, fence int, strict bool, done func(outcome)) {
	ok, hung := s.usable()
	if hung {
		return
	}
	s.w.after(s.w.rng.between(1, 6), t, func() {
		switch {
		case !ok:
			done(broken)
		case fence < s.fence:
			done(stale)
		default:
			s.rev++
			s.fence, s.bytes = fence, bytes
			if strict {
				s.strict, s.srev = bytes, s.rev
			}
			t.rev = s.rev
			s.w.bus.tell(t)
			done(stored_)
		}
	})
}

// read gives the newest snapshot, nil for none.
func (s *store) read(t *tab, done func(bytes []byte, rev int)) {
	ok, hung := s.usable()
	if hung {
		s.w.after(2_000, t, func() { done(nil, 0) }) // given up
		return
	}
	s.w.after(s.w.rng.between(1, 6), t, func() {
		if !ok || s.bytes == nil {
			done(nil, 0)
			return
		}
		bytes := s.bytes
		if s.w.hits(F34Corruption) {
			bytes = append([]byte(nil), bytes...)
			bytes[s.w.rng.n(len(bytes))] ^= byte(1 << s.w.rng.n(8))
		}
		done(bytes, s.rev)
	})
}

// lose is what a kill does to writes that were not strict.
func (s *store) lose() {
	if s.w.hits(F33StorageLoss) {
		s.bytes, s.rev = s.strict, s.srev
	}
}

// evict is the loss of the whole database. The pages that live go on; claims are
// gone, so what was claimed before may be asked again by a page that knows nothing.
func (s *store) evict() {
	s.w.say("storage evicted")
	s.bytes, s.strict, s.fence, s.claims = nil, nil, 0, nil
	s.w.check.unprotected()
}

// claimFor records the claim, or gives the one that is there.
func (s *store) claimFor(t *tab, call string, attempt int, word string) claim {
	for _, c := range s.claims {
		if c.call == call && c.attempt == attempt {
			return c
		}
	}
	c := claim{call, attempt, t.page, word}
	s.claims = append(s.claims, c)
	return c
}

// lock is held by the page that acts.
type lock struct {
	w      *world
	holder *tab
	life   int
	queue  []waiter
}

type waiter struct {
	t    *tab
	life int
	do   func()
}

// held says whether another page than t is known to act.
func (l *lock) held(t *tab) bool { return l.holder != nil && l.life == l.holder.life && l.holder != t }

// acquire calls do once the page may act.
func (l *lock) acquire(t *tab, do func()) {
	if l.holder == t && l.life == t.life {
		do()
		return
	}
	l.queue = append(l.queue, waiter{t, t.life, do})
	l.next()
}

func (l *lock) release(t *tab) {
	if l.holder == t {
		l.holder = nil
		l.next()
	}
}

func (l *lock) next() {
	for l.holder == nil || l.life != l.holder.life {
		if len(l.queue) == 0 {
			l.holder = nil
			return
		}
		first := l.queue[0]
		l.queue = l.queue[1:]
		if first.life != first.t.life {
			continue // its page is gone
		}
		l.holder, l.life = first.t, first.life
		l.w.after(1, first.t, first.do)
	}
}

// steal gives the lock to another page while its holder goes on.
func (l *lock) steal() {
	l.w.say("lock stolen")
	l.holder = nil
	l.next()
}

// bus is the BroadcastChannel: a hint that the snapshot has changed.
type bus struct{ w *world }

func (b *bus) tell(from *tab) {
	w := b.w
	for _, t := range w.tabs {
		if t == from {
			continue
		}
		if w.hits(F35Broadcast) && w.rng.chance(500) {
			continue // lost, or no such API
		}
		for n := 1; n > 0; n-- {
			ms := w.rng.between(1, 10)
			if w.hits(F35Broadcast) {
				ms = pick(&w.rng, 500, 5_000)
			}
			if w.hits(F35Broadcast) {
				n++
			}
			w.after(ms, t, t.hint)
		}
	}
}
