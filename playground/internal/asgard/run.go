package asgard

import (
	"context"
	"sync"

	"github.com/svedawasm/svedawasm/playground/internal/store"
)

// run is a turn that goes on by itself, whoever listens: a client that leaves
// does not end it, and one that comes back can follow it.
type run struct {
	id  string
	key store.Key

	mu        sync.Mutex
	log       []frame
	news      chan struct{} // closed when something is added
	spoken    bool          // the agent has nothing more to say
	suspended bool
	over      bool
}

func newRun(id string, key store.Key) *run {
	return &run{id: id, key: key, news: make(chan struct{})}
}

func (r *run) add(f frame) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = append(r.log, f)
	close(r.news)
	r.news = make(chan struct{})
}

// set changes a flag and wakes those who wait.
func (r *run) set(flag *bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*flag = true
	close(r.news)
	r.news = make(chan struct{})
}

func (r *run) is(flag *bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return *flag
}

// follow gives the frames from the first to the last as they come. It ends with
// the run, or when ctx ends or each reports false.
func (r *run) follow(ctx context.Context, each func(frame) bool) {
	for at := 0; ; {
		r.mu.Lock()
		log, news, over := r.log[at:], r.news, r.over
		r.mu.Unlock()
		for _, f := range log {
			if !each(f) {
				return
			}
		}
		at += len(log)
		if len(log) > 0 {
			continue
		}
		if over {
			return
		}
		select {
		case <-news:
		case <-ctx.Done():
			return
		}
	}
}

// wait waits for the end of the run.
func (r *run) wait(ctx context.Context) {
	r.follow(ctx, func(frame) bool { return true })
}

// runs are the runs of this process, by channel. A channel may have two: one
// that still makes a title, and that of the reply to what it asked.
type runs struct {
	mu   sync.Mutex
	live map[store.Key][]*run
}

func (rs *runs) begin(r *run) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.live[r.key] = append(rs.live[r.key], r)
}

func (rs *runs) end(r *run) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	var left []*run
	for _, other := range rs.live[r.key] {
		if other != r {
			left = append(left, other)
		}
	}
	if len(left) == 0 {
		delete(rs.live, r.key)
	} else {
		rs.live[r.key] = left
	}
}

// of gives the runs of a channel, the newest last.
func (rs *runs) of(key store.Key) []*run {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	return append([]*run(nil), rs.live[key]...)
}

// newest gives the newest run of a channel, nil for none.
func (rs *runs) newest(key store.Key) *run {
	list := rs.of(key)
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1]
}

// speaking says whether a run holds the channel.
func (rs *runs) speaking(key store.Key) bool {
	for _, r := range rs.of(key) {
		if !r.is(&r.spoken) {
			return true
		}
	}
	return false
}
