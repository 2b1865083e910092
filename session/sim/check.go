package main

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// checker knows what happened and says what must not have.
type checker struct {
	w         *world
	violation string
	at        int
	stats     stats
	calls     []*ledger
}

// ledger is all that ever happened to one call.
type ledger struct {
	call     string
	gestures []gesture
	runs     int  // of the page's handler
	allowed  int  // runs that the person has allowed beyond the first
	denied   bool // a denial counts: nothing runs any more
	lost     bool // the server forgot it
	loose    bool // the store could not guard it
}

type gesture struct {
	approve bool
	digest  string
	at      int64
	wall    int64
}

func (c *checker) fail(what string) {
	if c.violation == "" {
		c.violation, c.at = what, c.w.steps
		c.w.say("VIOLATION", what)
	}
}

func (c *checker) of(call string) *ledger {
	for _, l := range c.calls {
		if l.call == call {
			return l
		}
	}
	l := &ledger{call: call}
	c.calls = append(c.calls, l)
	return l
}

// gesture is a tap of a person on a card.
func (c *checker) gesture(t *tab, call string, input []byte, approve bool) {
	c.stats.gestures++
	l := c.of(call)
	l.gestures = append(l.gestures, gesture{approve, rawjson.Digest(input), c.w.now, c.w.wallNow()})
}

func (l *ledger) approvals(digest string) (n int) {
	for _, g := range l.gestures {
		if g.approve && g.digest == digest {
			n++
		}
	}
	return n
}

func (l *ledger) wanted(approve bool) bool {
	for _, g := range l.gestures {
		if g.approve == approve {
			return true
		}
	}
	return false
}

// executed is an execution by the server (I1, I2).
func (c *checker) executed(call *call) {
	c.stats.executions++
	if call.executions > 1 {
		c.fail("I2: " + call.id + " was executed twice")
	}
	if c.of(call.id).approvals(rawjson.Digest([]byte(call.input))) == 0 {
		c.fail("I1: " + call.id + " was executed and nobody approved these arguments")
	}
}

// ran is a run of a page's handler.
func (c *checker) ran(t *tab, id string, input []byte) {
	c.stats.runs++
	l := c.of(id)
	l.runs++
	call := c.w.server.call(id)
	if call == nil || !call.frontend {
		c.fail("I1: a handler ran for " + id + ", which is no call of the page")
		return
	}
	if string(input) != call.input {
		c.fail("I1: the handler of " + id + " got other arguments")
	}
	if call.required {
		approvals := l.approvals(rawjson.Digest(input))
		if approvals == 0 {
			c.fail("I1: the handler of " + id + " ran and nobody approved it")
		}
		if l.runs > approvals {
			c.fail("I1: the handler of " + id + " ran more often than it was approved")
		}
	}
	if l.runs > 1+l.allowed && !l.loose {
		c.fail("I2: the handler of " + id + " ran twice")
	}
	if l.denied && !l.loose {
		c.fail("I3: the handler of " + id + " ran after a denial")
	}
}

// reported is the output of a frontend call that the server has taken.
func (c *checker) reported(call *call) {
	l := c.of(call.id)
	if call.required && isDenied([]byte(call.output)) {
		l.denied = true
		if l.runs > 0 && !l.loose {
			c.fail("I3: " + call.id + " is reported as denied, and its handler ran")
		}
		if !l.wanted(false) {
			c.fail("I1: " + call.id + " is reported as denied, and nobody denied it")
		}
	}
	c.w.say("reported", call.id, call.output)
}

func isDenied(output []byte) bool {
	var v [1]rawjson.Value
	return deniedNames.Scan(output, v[:]) == nil && v[0].Kind == rawjson.True
}

// arrived is a decision at the server (I4).
func (c *checker) arrived(call *call, approve bool) {
	l := c.of(call.id)
	if !l.wanted(approve) {
		c.fail("I4: a decision about " + call.id + " arrived that nobody made")
	}
}

// lateApproval is T_late, with what a request may take to leave, ms.
const lateApproval = 120_000 + 1

// leaves is a request of a tab (I6, I13).
func (c *checker) leaves(t *tab, body []byte) {
	var v [3]rawjson.Value
	_ = requestNames.Scan(body, v[:])
	decisions := v[2].Kind == rawjson.Array
	posts := 0
	for _, other := range c.w.net.conns {
		if other.t == t && other.life == t.life && other.post && !other.over {
			posts++
		}
	}
	if posts > 0 {
		c.fail("I8: " + t.name() + " has two streams")
	}
	if t.refused && word(v[1]) == "t" {
		c.fail("I6: " + t.name() + " sends what a person wrote while a confirmation waits")
	}
	if !decisions {
		for _, k := range t.cards {
			if k.state == "pending" || k.state == "deciding" {
				c.fail("I6: " + t.name() + " sends a turn while " + k.call + " waits")
			}
		}
		return
	}
	_ = rawjson.Elements(v[2].Raw, func(d []byte) bool {
		var f [2]rawjson.Value
		_ = decisionNames.Scan(d, f[:])
		id, approve := word(f[0]), word(f[1]) == "approve"
		if bytes.Contains(d, []byte(secret)) {
			c.fail("I11: a decision carries arguments")
		}
		if !approve {
			return true
		}
		l := c.of(id)
		last := -1
		for i, g := range l.gestures {
			if g.approve {
				last = i
			}
		}
		if last < 0 {
			c.fail("I1: an approval of " + id + " leaves and nobody gave it")
			return true
		}
		if age := c.w.now - l.gestures[last].at; age > lateApproval+tapTime {
			c.fail("I13: an approval of " + id + " leaves after " + strconv.Itoa(int(age)) + " ms")
		}
		return true
	})
}

// shown is a card as it is now.
func (c *checker) shown(t *tab, k *card) {
	if k.state == "outcome-unknown" {
		c.stats.unknown++
	}
	for i := range t.cards {
		if t.cards[i].call == k.call && k.state == "pending" && final(t.cards[i].state) && t.cards[i].state != "outcome-unknown" && t.cards[i].state != "expired" {
			c.fail("R49: the card of " + k.call + " returned from " + t.cards[i].state)
		}
	}
}

func final(state string) bool {
	switch state {
	case "pending", "deciding", "approved", "denied":
		return false
	}
	return true
}

// clean says that a text holds nothing secret (I11).
func (c *checker) clean(text []byte) {
	if bytes.Contains(text, []byte(secret)) {
		c.fail("I11: arguments in an error")
	}
}

// retried is the person's leave to run a handler once more.
func (c *checker) retried(call string) { c.of(call).allowed++ }

// alone and unprotected mark calls that no store could guard: a handler may then
// run again in another page, by another gesture (documented limit).
func (c *checker) alone(call string) { c.of(call).loose = true }

func (c *checker) unprotected() {
	for _, l := range c.calls {
		l.loose = true
	}
}

// forgotten is a call that the server lost with its chat.
func (c *checker) forgotten(call *call) { c.of(call.id).lost = true }

// step is checked after each one.
func (c *checker) step() {
	for _, t := range c.w.tabs {
		if t.s == nil || t.frozen {
			continue
		}
		waits := false
		c.ended(t)
		for i := range t.cards {
			k := &t.cards[i]
			waits = waits || k.state == "deciding"
			c.certain(t, k)
			for j := range i {
				if t.cards[j].call == k.call {
					c.fail("I5: two cards for " + k.call)
				}
			}
		}
		st := t.s.Status()
		if (waits || st == session.Submitted || st == session.Streaming) && !c.moves(t) {
			c.fail("I9: nothing can end what " + t.name() + " waits for")
		}
		if len(t.timers) > 64 || len(t.held) > 64 {
			c.fail("I10: a queue grows")
		}
	}
}

// certain says that no live card is shown as if nothing had been decided here when
// the server has this page's decision (U22). After a reload the page knows what the
// store kept, which another page may have written.
func (c *checker) certain(t *tab, k *card) {
	call := c.w.server.call(k.call)
	if call == nil || call.decider != t || c.of(k.call).lost {
		return
	}
	if call.life != t.life && (c.w.pages > 1 || c.w.mixes(F32StorageError, F33StorageLoss, F34Corruption)) {
		return
	}
	if k.state == "pending" && !k.uncertain {
		c.fail("U22: " + t.name() + " shows " + k.call + " as if its own decision had not arrived")
	}
}

// ended says that no card is live whose call has its result in the chat (R49).
func (c *checker) ended(t *tab) {
	for i := range t.cards {
		k := &t.cards[i]
		if k.state != "pending" && k.state != "deciding" {
			continue
		}
		for _, m := range t.s.Messages() {
			for j := range m.Parts {
				if p := &m.Parts[j]; p.Kind == event.ResultPart && p.ToolCallID == k.call {
					c.fail("R49: " + t.name() + " has the result of " + k.call + " and shows it as " + k.state)
				}
			}
		}
	}
}

// moves says that something is under way for the page.
func (c *checker) moves(t *tab) bool {
	if len(t.timers) > 0 || len(t.runs) > 0 || t.writing > 0 || len(t.held) > 0 {
		return true
	}
	for _, conn := range c.w.net.conns {
		if conn.t == t && conn.life == t.life {
			return true
		}
	}
	return false
}

// closed is a page whose session was closed (I10).
func (c *checker) closed(t *tab) {
	if len(t.timers) > 0 {
		c.fail("I10: timers are left after close")
	}
	for _, conn := range c.w.net.conns {
		if conn.t == t && conn.life == t.life {
			c.fail("I10: a stream is left after close")
		}
	}
}

// atRest is what must hold when the faults have been over for a while (I7, I14).
func (c *checker) atRest() {
	server := &c.w.server
	for _, t := range c.w.tabs {
		if t.frozen {
			continue
		}
		if t.s == nil {
			c.fail("I14: " + t.name() + " never started")
			continue
		}
		if st := t.s.Status(); st == session.Submitted || st == session.Streaming {
			c.fail("I14: " + t.name() + " is still " + st.String())
		}
		for i := range t.cards {
			k := &t.cards[i]
			if k.state == "deciding" && !k.elsewhere {
				c.fail("I14: " + t.name() + " still decides about " + k.call)
			}
		}
		c.transcript(t)
		if c.w.stays == F8BlackHole {
			continue // nobody can know what the server holds; nothing is stuck
		}
		for i := range t.cards {
			k := &t.cards[i]
			if call := server.call(k.call); call != nil && !c.of(k.call).lost && call.output != "" && !final(k.state) {
				c.fail("I14: " + t.name() + " shows " + k.call + " as " + k.state + ", and it is over")
			}
		}
		for _, call := range server.calls {
			if !call.frontend && call.waits() && server.held && t.card(call.id) != "pending" && t.card(call.id) != "deciding" {
				c.fail("I14: " + t.name() + " shows " + call.id + " as " + t.card(call.id) + ", and the server waits for it")
			}
		}
	}
}

func (t *tab) card(call string) string {
	for i := range t.cards {
		if t.cards[i].call == call {
			return t.cards[i].state
		}
	}
	return ""
}

// transcript compares what the page shows with what the server said (I7).
func (c *checker) transcript(t *tab) {
	for _, f := range serverFaults {
		if c.w.faults.fired[f] {
			return
		}
	}
	for _, m := range t.s.Messages() {
		if m.Role != event.Assistant {
			continue
		}
		text := string(m.Body())
		for _, s := range c.w.server.texts {
			if s.id == m.ID && !strings.HasPrefix(s.text, text) {
				c.fail("I7: " + t.name() + " shows " + strconv.Quote(text) + " of " + strconv.Quote(s.text))
			}
		}
	}
}
