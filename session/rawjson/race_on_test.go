//go:build race

package rawjson

// raceDetector says that times mean nothing in this run.
const raceDetector = true
