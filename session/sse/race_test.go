//go:build race

package sse

// raceEnabled tells that the race detector is on, which slows decoding tenfold.
const raceEnabled = true
