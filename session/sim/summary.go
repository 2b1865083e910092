package main

import (
	"fmt"
	"io"
)

// summary is what many runs add up to.
type summary struct {
	first    uint64
	seeds    int
	steps    int
	hash     uint64
	stats    stats
	fired    [faultCount]int // runs in which it happened
	together [faultCount][faultCount]bool
	failed   []result
}

func play(first uint64, seeds, stop int, avoid faultSet) *summary {
	s := &summary{first: first, seeds: seeds, hash: 0xcbf29ce484222325}
	for i := range seeds {
		r := run(first+uint64(i), nil, avoid)
		s.steps += r.steps
		s.hash = (s.hash ^ r.hash) * 0x100000001b3
		s.stats.add(&r.stats)
		for a := range r.fired {
			if !r.fired[a] {
				continue
			}
			s.fired[a]++
			for b := range r.fired {
				s.together[a][b] = s.together[a][b] || r.fired[b]
			}
		}
		if r.violation != "" {
			s.failed = append(s.failed, r)
			if len(s.failed) >= stop {
				s.seeds = i + 1
				break
			}
		}
	}
	return s
}

func (s *stats) add(o *stats) {
	s.turns += o.turns
	s.gestures += o.gestures
	s.decisions += o.decisions
	s.executions += o.executions
	s.runs += o.runs
	s.reloads += o.reloads
	s.unknown += o.unknown
}

// pairs counts the pairs of faults that happened in one run, and all that there
// are.
func (s *summary) pairs() (met, all int) {
	for a := 1; a < int(faultCount); a++ {
		for b := a + 1; b < int(faultCount); b++ {
			if fault(a) == F18Oversized || fault(b) == F18Oversized {
				continue
			}
			all++
			if s.together[a][b] {
				met++
			}
		}
	}
	return met, all
}

func (s *summary) print(out io.Writer) {
	met, all := s.pairs()
	fmt.Fprintf(out, "seeds %d to %d: %d steps (%d a seed), %d violations\n",
		s.first, s.first+uint64(s.seeds)-1, s.steps, s.steps/max(s.seeds, 1), len(s.failed))
	fmt.Fprintf(out, "turns %d, gestures %d, decisions sent %d, executions %d, handler runs %d, reloads %d, unknown outcomes %d\n",
		s.stats.turns, s.stats.gestures, s.stats.decisions, s.stats.executions, s.stats.runs, s.stats.reloads, s.stats.unknown)
	fmt.Fprintf(out, "fault pairs that met in one run: %d of %d\n", met, all)
	fmt.Fprintf(out, "trace hash %016x\n", s.hash)
	for f := fault(1); f < faultCount; f++ {
		if f != F18Oversized {
			fmt.Fprintf(out, "  F%-3d %-24s in %d runs\n", int(f), faultNames[f], s.fired[f])
		}
	}
}

// table prints the faults as docs/reliability.md has them.
func (s *summary) table(out io.Writer) {
	fmt.Fprintf(out, "| fault | what the simulation does | in runs of %d |\n|---|---|---|\n", s.seeds)
	for f := fault(1); f < faultCount; f++ {
		if f != F18Oversized {
			fmt.Fprintf(out, "| F%d %s | %s | %d |\n", int(f), faultNames[f], faultDeeds[f], s.fired[f])
		}
	}
}
