package main

// fault is one of the faults of requirements/reliability.md.
type fault int

// The numbers are those of the document. F18 has no place here: its caps are
// megabytes, and their tests are those of sse and session.
const (
	F1Split fault = iota + 1
	F2Delay
	F3Throttle
	F4Reset
	F5Close
	F6SlowClose
	F7Stall
	F8BlackHole
	F9LostAnswer
	F10LostRequest
	F11DuplicateRequest
	F12DuplicateEvents
	F13Reorder
	F14Gap
	F15Status
	F16Buffering
	F17Framing
	F18Oversized
	F19MutatedReplay
	F20ServerRestart
	F21TokenExpiry
	F22NoConnection
	F23OnlineLies
	F24Clock
	F25Timers
	F26Freeze
	F27BFCache
	F28Reload
	F29Kill
	F30Tabs
	F31Lock
	F32StorageError
	F33StorageLoss
	F34Corruption
	F35Broadcast
	F36ServiceWorker
	F37HostCallback
	F38User
	F39Handler
	F40Memory
	faultCount
)

var faultNames = [faultCount]string{
	F1Split: "split", F2Delay: "delay", F3Throttle: "throttle", F4Reset: "reset", F5Close: "clean close",
	F6SlowClose: "slow close", F7Stall: "stall", F8BlackHole: "one-way black hole", F9LostAnswer: "lost answer",
	F10LostRequest: "lost request", F11DuplicateRequest: "duplicate request", F12DuplicateEvents: "duplicate events",
	F13Reorder: "reorder", F14Gap: "gap", F15Status: "status", F16Buffering: "proxy buffering", F17Framing: "wrong framing",
	F18Oversized: "oversized", F19MutatedReplay: "mutated replay", F20ServerRestart: "server restart",
	F21TokenExpiry: "token expiry", F22NoConnection: "DNS/CORS/TLS failure", F23OnlineLies: "onLine lies", F24Clock: "clock",
	F25Timers: "throttled timers", F26Freeze: "freeze/resume", F27BFCache: "bfcache", F28Reload: "reload", F29Kill: "kill",
	F30Tabs: "second/third tab", F31Lock: "lock stolen or absent", F32StorageError: "storage error",
	F33StorageLoss: "storage loss", F34Corruption: "storage corruption", F35Broadcast: "BroadcastChannel",
	F36ServiceWorker: "service worker", F37HostCallback: "host callback", F38User: "user", F39Handler: "handler",
	F40Memory: "memory pressure",
}

// faultDeeds say what the simulation does, for the table of docs/reliability.md.
var faultDeeds = [faultCount]string{
	F1Split: "a body in up to nine chunks, cut anywhere", F2Delay: "10 ms to 10 s before a request or a chunk",
	F3Throttle: "1, 10 or 100 KB/s", F4Reset: "the connection is lost at any byte", F5Close: "the body ends at any byte",
	F6SlowClose: "the end comes 30 s late", F7Stall: "nothing for 5 s to 10 minutes or for ever, before the head or inside the body",
	F8BlackHole:  "requests get no answer at all for up to 5 minutes; in some runs for ever",
	F9LostAnswer: "the server has acted, the answer is lost", F10LostRequest: "the server never sees it",
	F11DuplicateRequest: "the server sees it a second time, up to a minute later", F12DuplicateEvents: "the last events once more",
	F13Reorder: "two neighbouring events change places", F14Gap: "an event that is no tool's is missing",
	F15Status:    "sixteen statuses, with and without Retry-After, of a proxy before the server or after it",
	F16Buffering: "the whole body at once, late", F17Framing: "BOM, CR, CRLF, comments, NUL, broken JSON, no end mark",
	F19MutatedReplay: "a known call again with other arguments or without its flag",
	F20ServerRestart: "all connections are lost, now and then the stored chat too", F21TokenExpiry: "401",
	F22NoConnection: "the request fails at once", F23OnlineLies: "the flag toggles up to five times",
	F24Clock: "the wall clock is off by an hour or a day", F25Timers: "timers run with 1 s or 1 minute granularity",
	F26Freeze:  "no task for a minute or an hour, the monotonic clock with or without it; in some runs one page for ever",
	F27BFCache: "connections end, then as freeze", F28Reload: "the page is loaded again at any step",
	F29Kill: "as reload, and what was not strictly stored may be lost", F30Tabs: "up to three pages open and close",
	F31Lock:         "the lock is stolen while its holder goes on, or there are no locks",
	F32StorageError: "single accesses, or all, fail or hang; no storage at all", F33StorageLoss: "relaxed writes are lost, or the whole database",
	F34Corruption: "a flipped bit in what is read", F35Broadcast: "hints are lost, late, doubled",
	F36ServiceWorker: "an old copy of the chat is given", F37HostCallback: "the page's headers throw",
	F38User:    "stops, taps twice, changes their mind, goes away for 12 minutes, lets a cut call be tried again",
	F39Handler: "throws, never reports, reports twice, gives no JSON", F40Memory: "the core is gone, its page lives",
}

type faultSet [faultCount]bool

// serverFaults are those where the server itself says something wrong. What is
// shown then cannot be compared with what the server meant.
var serverFaults = [...]fault{F12DuplicateEvents, F13Reorder, F14Gap, F19MutatedReplay}

// faults says which of them a run mixes, how often each happens, and which did.
type faults struct {
	rate  [faultCount]int // of a thousand chances
	fired faultSet
}

// choose gives a run a handful of faults, so that over many runs each meets each.
func (f *faults) choose(rng *source, avoid faultSet) {
	for n := rng.between(3, 14); n > 0; n-- {
		which := fault(rng.between(1, int(faultCount)-1))
		rate := pick(rng, 40, 120, 300)
		if !avoid[which] {
			f.rate[which] = rate
		}
	}
}

// hits says whether the fault happens now.
func (w *world) hits(f fault) bool {
	if w.faults.rate[f] == 0 || w.calm || !w.rng.chance(w.faults.rate[f]) {
		return false
	}
	w.fire(f)
	return true
}

func (w *world) fire(f fault) {
	w.faults.fired[f] = true
	w.say("fault", faultNames[f])
}

// mixes says whether the run may meet one of the faults.
func (w *world) mixes(list ...fault) bool {
	for _, f := range list {
		if w.faults.rate[f] > 0 || w.stays == f {
			return true
		}
	}
	return false
}

// on says whether a run has the fault at all, for one that is a state and no
// event.
func (w *world) on(f fault) bool { return w.faults.rate[f] > 0 && !w.calm }
