// Command sim plays the session through faults: the real session in up to three
// pages, a store, a network and a reference server, all from one number.
//
//	go run ./session/sim                    10,000 seeds, and the figures
//	go run ./session/sim -seed 4711 -trace  one seed, with all that happens
//	go run ./session/sim -model             the small model, whole (R44)
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	var (
		seeds = flag.Int("seeds", 10_000, "how many seeds to play")
		first = flag.Uint64("first", 1, "the first of them")
		seed  = flag.Uint64("seed", 0, "play only this one")
		trace = flag.Bool("trace", false, "say all that happens; with -seed")
		quiet = flag.Bool("quiet", false, "say nothing but violations")
		table = flag.Bool("table", false, "print what happened as a table for the documentation")
		hash  = flag.Bool("hash", false, "say only the hash of all runs")
		stop  = flag.Int("failures", 10, "end after so many violations")
		model = flag.Bool("model", false, "explore the small model and play it against the session")
		avoid = flag.String("without", "", "faults that are left out, as F12,F19")
	)
	flag.Parse()
	if *model {
		playModel()
		return
	}
	if *seed != 0 {
		var out io.Writer
		if *trace {
			out = os.Stdout
		}
		r := run(*seed, out, without(*avoid))
		fmt.Printf("seed %d: %d steps, hash %016x\n", r.seed, r.steps, r.hash)
		if r.violation != "" {
			fmt.Printf("violation at step %d: %s\n", r.at, r.violation)
			os.Exit(1)
		}
		return
	}
	sum := play(*first, *seeds, *stop, without(*avoid))
	switch {
	case *table:
		sum.table(os.Stdout)
	case *hash:
		fmt.Printf("%016x\n", sum.hash)
	case !*quiet:
		sum.print(os.Stdout)
	}
	for _, r := range sum.failed {
		fmt.Printf("seed %d violates at step %d: %s\n  replay: go run ./session/sim -seed %d -trace\n", r.seed, r.at, r.violation, r.seed)
	}
	if len(sum.failed) > 0 {
		os.Exit(1)
	}
}

func playModel() {
	x := explore()
	fmt.Printf("model of 2 pages, 2 calls, 1 crash, 1 duplicate, any order: %d states, %d steps between them\n", len(x.states), x.edges)
	if x.wrong != "" {
		fmt.Printf("violation: %s, after %v\n", x.wrong, x.path(x.at))
		os.Exit(1)
	}
	r := x.replay(1)
	fmt.Printf("all states reached with the real session: %d traces, %d moves\n", r.traces, r.moves)
	if r.wrong != "" {
		fmt.Printf("the real session differs: %s, after %v\n", r.wrong, r.trace)
		os.Exit(1)
	}
}

func without(list string) (set faultSet) {
	for f := fault(1); f < faultCount; f++ {
		for _, name := range strings.Split(list, ",") {
			if name == fmt.Sprintf("F%d", int(f)) {
				set[f] = true
			}
		}
	}
	return set
}
