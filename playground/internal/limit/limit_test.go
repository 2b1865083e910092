package limit

import (
	"testing"
	"time"
)

func TestThrottle(t *testing.T) {
	now := time.Unix(0, 0)
	th := NewThrottle(Rate{PerMinute: 60, Burst: 2}, func() time.Time { return now })
	for i, want := range []bool{true, true, false} {
		if ok, _ := th.Allow("a"); ok != want {
			t.Errorf("request %d: %v", i, ok)
		}
	}
	if _, wait := th.Allow("a"); wait != time.Second {
		t.Errorf("wait %s, want 1s", wait)
	}
	if ok, _ := th.Allow("b"); !ok {
		t.Error("another key is held up")
	}
	now = now.Add(time.Second)
	if ok, _ := th.Allow("a"); !ok {
		t.Error("nothing was refilled")
	}
	now = now.Add(time.Hour)
	for i, want := range []bool{true, true, false} {
		if ok, _ := th.Allow("a"); ok != want {
			t.Errorf("after an hour, request %d: %v; the burst is the most that is saved up", i, ok)
		}
	}
	th.Reset()
	if ok, _ := th.Allow("a"); !ok {
		t.Error("reset forgot nothing")
	}
	free := NewThrottle(Rate{}, nil)
	for range 1000 {
		if ok, _ := free.Allow("a"); !ok {
			t.Fatal("no limit limits")
		}
	}
}

func TestOccupancy(t *testing.T) {
	o := NewOccupancy(2, 3)
	a1, _ := o.Enter("a")
	if _, ok := o.Enter("a"); !ok {
		t.Error("the second place is taken")
	}
	if _, ok := o.Enter("a"); ok {
		t.Error("a third place of two")
	}
	if _, ok := o.Enter("b"); !ok {
		t.Error("the third of three in all is taken")
	}
	if _, ok := o.Enter("c"); ok {
		t.Error("a fourth of three in all")
	}
	a1()
	a1() // once counts
	if _, ok := o.Enter("c"); !ok {
		t.Error("a free place is not given")
	}
	if _, ok := o.Enter("d"); ok {
		t.Error("a place was given back twice")
	}
}
