package main

import (
	"bytes"
	"testing"
)

func TestR40_TheSameSeedIsTheSameRun(t *testing.T) {
	for seed := uint64(1); seed <= 60; seed++ {
		var trace bytes.Buffer
		a, b, c := run(seed, nil, faultSet{}), run(seed, nil, faultSet{}), run(seed, &trace, faultSet{})
		if a.hash != b.hash || a.steps != b.steps || a.hash != c.hash {
			t.Fatalf("seed %d: hashes %x, %x, traced %x", seed, a.hash, b.hash, c.hash)
		}
		if trace.Len() == 0 {
			t.Fatal("a traced run says nothing")
		}
	}
}

// In a build for the browser, and beside the run of the program: the invariants.
func TestR41_SomeSeedsInProcess(t *testing.T) {
	sum := play(1, 300, 10, faultSet{})
	for _, r := range sum.failed {
		t.Errorf("seed %d, step %d: %s", r.seed, r.at, r.violation)
	}
	if sum.steps < 200*sum.seeds {
		t.Errorf("%d steps in %d seeds, want 200 a seed", sum.steps, sum.seeds)
	}
}

func TestFaultsCanBeLeftOut(t *testing.T) {
	avoid := without("F1,F29")
	for seed := uint64(1); seed <= 200; seed++ {
		if r := run(seed, nil, avoid); r.fired[F1Split] || r.fired[F29Kill] {
			t.Fatalf("seed %d has a fault that was left out", seed)
		}
	}
}

func TestEachFaultSaysWhatItDoes(t *testing.T) {
	for f := fault(1); f < faultCount; f++ {
		if (faultDeeds[f] == "") != (f == F18Oversized) {
			t.Errorf("F%d has no words, or should have none", int(f))
		}
	}
}
