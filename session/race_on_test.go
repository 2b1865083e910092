//go:build race

package session_test

// raceDetector says that times mean nothing in this run.
const raceDetector = true
