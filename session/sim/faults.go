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

// on says whether a run has the fault at all, for one that is a state and no
// event.
func (w *world) on(f fault) bool { return w.faults.rate[f] > 0 && !w.calm }
