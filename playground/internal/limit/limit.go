// Package limit holds the runtime's two brakes: how often a visitor or an
// address may ask, and how many streams may be open at once.
package limit

import (
	"sync"
	"time"
)

// Rate lets Burst requests through at once and refills at PerMinute. A Rate
// with PerMinute 0 lets everything through.
type Rate struct {
	PerMinute int
	Burst     int // 0 means PerMinute
}

// Throttle counts requests by key. It is safe for concurrent use.
type Throttle struct {
	rate Rate
	now  func() time.Time

	mu      sync.Mutex
	buckets map[string]bucket
}

type bucket struct {
	tokens float64
	at     time.Time
}

// sweepAt is the number of keys from which on full buckets are forgotten.
const sweepAt = 10000

// NewThrottle makes a throttle; now may be nil.
func NewThrottle(r Rate, now func() time.Time) *Throttle {
	if now == nil {
		now = time.Now
	}
	if r.Burst == 0 {
		r.Burst = r.PerMinute
	}
	return &Throttle{rate: r, now: now, buckets: map[string]bucket{}}
}

// Allow takes one request of key. When it may not pass, wait is how long until
// the next one may.
func (t *Throttle) Allow(key string) (ok bool, wait time.Duration) {
	if t.rate.PerMinute <= 0 {
		return true, 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	b, known := t.buckets[key]
	if !known {
		t.sweep(now)
		b = bucket{tokens: float64(t.rate.Burst)}
	} else {
		b.tokens = t.fill(b, now)
	}
	b.at = now
	if b.tokens >= 1 {
		b.tokens--
		ok = true
	} else {
		wait = time.Duration((1 - b.tokens) / float64(t.rate.PerMinute) * float64(time.Minute))
	}
	t.buckets[key] = b
	return ok, wait
}

func (t *Throttle) fill(b bucket, now time.Time) float64 {
	return min(float64(t.rate.Burst), b.tokens+now.Sub(b.at).Minutes()*float64(t.rate.PerMinute))
}

func (t *Throttle) sweep(now time.Time) {
	if len(t.buckets) < sweepAt {
		return
	}
	for k, b := range t.buckets {
		if t.fill(b, now) >= float64(t.rate.Burst) {
			delete(t.buckets, k)
		}
	}
}

// Reset forgets all counts.
func (t *Throttle) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.buckets)
}

// Occupancy counts open streams, by key and in all. It is safe for concurrent
// use. A limit of 0 is none.
type Occupancy struct {
	perKey, total int

	mu    sync.Mutex
	open  map[string]int
	inAll int
}

// NewOccupancy makes a counter.
func NewOccupancy(perKey, total int) *Occupancy {
	return &Occupancy{perKey: perKey, total: total, open: map[string]int{}}
}

// Enter takes a place, or reports that there is none. release must be called
// once when the stream ends.
func (o *Occupancy) Enter(key string) (release func(), ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.perKey > 0 && o.open[key] >= o.perKey || o.total > 0 && o.inAll >= o.total {
		return nil, false
	}
	o.open[key]++
	o.inAll++
	return sync.OnceFunc(func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.inAll--
		if o.open[key]--; o.open[key] == 0 {
			delete(o.open, key)
		}
	}), true
}
