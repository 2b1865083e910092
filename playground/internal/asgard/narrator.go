package asgard

import (
	"strconv"

	"github.com/svedawasm/svedawasm/playground/internal/runtime"
	"github.com/svedawasm/svedawasm/playground/internal/store"
)

// Places in the transcript. The frames of one model step lie between its own
// number and that of the next: what it thought, what it said, its calls.
const (
	placesPerStep = 1000
	placeThinking = 0
	placeMessage  = 1
	placeCalls    = 2
)

func place(seq, offset int) int { return seq*placesPerStep + offset }

// stepID is the id of a model step's message. The engine gives all steps of a
// turn one id; here each is a message of its own.
func stepID(turn string, step int) string { return turn + "-" + strconv.Itoa(step) }

// narrator turns the events of a turn into frames.
type narrator struct {
	writer
	run     *run
	process string
	replyTo string
	turn    string
	step    int // model steps that have ended
	seq     int // number of the last stored message
	calls   map[string]*store.Call

	text, thought string // of the open step, as far as they are not complete
	spoke         bool   // the open step is stored, or will be
	failure       *runtime.Failure
	in, out       int
	// pending gives the calls that wait, when the turn ends.
	pending func() []store.Call
}

// tell takes the next event.
func (n *narrator) tell(ev runtime.Event) {
	switch ev := ev.(type) {
	case runtime.ReasoningDelta:
		n.delta("thinking", n.id(), &n.thought, ev.Text)
	case runtime.TextDelta:
		n.closeThinking()
		n.delta("", n.id(), &n.text, ev.Text)
	case runtime.ToolCall:
		c := ev.Call
		n.complete(c.MessageSeq) // a step is stored before its calls are told
		n.calls[c.ID] = &c
		n.run.add(n.callStart(n.process, &c))
	case runtime.ToolResult:
		n.result(&ev)
	case runtime.ContextUsage: // once a model step, behind its calls
		n.closeStep()
		n.step++
	case runtime.ChatTitle:
		n.run.add(n.title(ev.Title))
	case runtime.Failure:
		n.failure = &ev
	case runtime.MessageEnd:
		n.closeStep()
		n.end(&ev)
	}
}

// starting tells of the calls that run now because they were allowed: a client
// hears that its decision was taken before a tool, which may be slow, has ended.
func (n *narrator) starting(decisions []runtime.Decision) {
	for _, d := range decisions {
		if c := n.calls[d.CallID]; c != nil && d.Word != store.Deny {
			n.run.add(n.callStart(n.process, c))
		}
	}
}

func (n *narrator) id() string { return stepID(n.turn, n.step) }

func (n *narrator) delta(kind, id string, so *string, text string) {
	n.spoke = true
	if *so == "" {
		n.run.add(n.message(ephemeral, kind, "start", id, n.replyTo, ""))
	}
	*so += text
	n.run.add(n.message(ephemeral, kind, "delta", id, n.replyTo, text))
}

func (n *narrator) closeThinking() {
	if n.thought != "" {
		n.run.add(n.message(ephemeral, "thinking", "complete", n.id(), n.replyTo, n.thought))
		n.thought = ""
	}
}

// closeStep ends a step without calls: it is stored under the next number.
func (n *narrator) closeStep() {
	if n.spoke {
		n.seq++
		n.complete(n.seq)
	}
}

// complete ends what the model said in the step that is stored as number seq.
func (n *narrator) complete(seq int) {
	n.closeThinking()
	if n.text != "" {
		n.run.add(n.message(place(seq, placeMessage), "", "complete", n.id(), n.replyTo, n.text))
	}
	n.text, n.spoke, n.seq = "", false, seq
}

func (n *narrator) result(ev *runtime.ToolResult) {
	c := n.calls[ev.CallID]
	if c == nil {
		c = &store.Call{ID: ev.CallID, Name: ev.Name}
	}
	c.Output = ev.Output
	n.run.add(n.callComplete(placeOf(c), n.process, c))
}

// placeOf is the place of a call's end. A call of this turn is stored under a
// number that the engine did not tell.
func placeOf(c *store.Call) int {
	if c.MessageSeq == 0 {
		return ephemeral
	}
	return place(c.MessageSeq, placeCalls+c.Position)
}

// end tells how the turn stands: everything is stored by now, and the channel
// is free. A consent comes before the terminal.
func (n *narrator) end(ev *runtime.MessageEnd) {
	if ev.Usage != nil {
		n.run.add(n.usage(n.process, ev.Usage.Prompt, ev.Usage.Completion))
	}
	if !n.run.is(&n.run.suspended) {
		if calls := n.pending(); len(calls) > 0 {
			n.run.add(n.consent(n.process, calls))
		}
	}
	n.run.set(&n.run.spoken)
}

// terminal ends the run.
func (n *narrator) terminal() {
	if n.failure != nil {
		n.run.add(n.runError(n.failure.Code, n.failure.Message))
		return
	}
	n.run.add(n.runDone())
}
