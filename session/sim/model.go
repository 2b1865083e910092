package main

import "strconv"

// A small abstract model of two pages of one chat, explored whole (R44). The
// server has asked about c1, a call of its own, and c2, a call of the page. In each
// page a person may decide about both; once a page crashes and is loaded again, once a
// request arrives twice, and what is on its way arrives in any order.

// Phases of a call in a page.
type phase uint8

const (
	waits   phase = iota
	decided       // recorded, not acted on yet
	sending       // c1: the decision is on its way
	claims        // c2: the store is asked
	runs          // c2: the handler runs
	over          // it has its result
	other         // c2: another page acts on it
	unknown       // c2: its handler was cut
)

type pageState struct {
	c1, c2  phase
	w1, w2  bool // the words: approve
	stream  int8 // what is open: nothing, decisions, outputs
	queued  bool // an output is to be submitted
	outputs bool // that output is a denial
	life    uint8
}

const (
	noStream int8 = iota
	decisions
	outputs
)

// message is a request on its way, or an answer.
type message struct {
	used    bool
	copied  bool // the second arrival of a request: its answer goes nowhere
	kind    int8
	page    uint8
	life    uint8
	approve bool // decisions: the word; outputs: no denial
}

type state struct {
	pages                 [2]pageState
	saved                 [2]pageState // what a crash leaves
	requests, answers     [6]message
	server1, server2      int8 // 0 open, 1 approved or done, 2 denied
	executions, handled   uint8
	claimed, dead, claimW bool
	owner                 uint8
	crashes, copies       uint8
	yes1, no1, yes2, no2  bool // gestures
}

// move is one step of the model.
type move struct {
	what    string
	page    int
	approve bool
	at      int
}

func (m move) String() string {
	s := m.what + " page" + strconv.Itoa(m.page)
	if m.what == "tap1" || m.what == "tap2" {
		s += " " + strconv.FormatBool(m.approve)
	}
	return s + " " + strconv.Itoa(m.at)
}

func initial() state { return state{crashes: 1, copies: 1} }

// moves are the steps that are possible in a state.
func (s *state) moves() (list []move) {
	for p := range s.pages {
		page := &s.pages[p]
		if page.c1 == waits {
			list = append(list, move{what: "tap1", page: p, approve: true}, move{what: "tap1", page: p})
		}
		if page.c2 == waits {
			list = append(list, move{what: "tap2", page: p, approve: true}, move{what: "tap2", page: p})
		}
		switch page.c2 {
		case claims:
			list = append(list, move{what: "claim", page: p})
		case runs:
			list = append(list, move{what: "handled", page: p})
		}
		if s.crashes > 0 {
			list = append(list, move{what: "crash", page: p})
		}
	}
	for i := range s.requests {
		if !s.requests[i].used {
			break
		}
		list = append(list, move{what: "request", at: i})
		if s.copies > 0 && !s.requests[i].copied {
			list = append(list, move{what: "copy", at: i})
		}
	}
	for i := range s.answers {
		if !s.answers[i].used {
			break
		}
		list = append(list, move{what: "answer", at: i})
	}
	return list
}

// after gives the state that a move leads to.
func (s state) after(m move) state {
	switch m.what {
	case "tap1":
		p := &s.pages[m.page]
		p.c1, p.w1 = decided, m.approve
		s.yes1, s.no1 = s.yes1 || m.approve, s.no1 || !m.approve
		s.advance(m.page)
		s.saved[m.page] = *p
	case "tap2":
		p := &s.pages[m.page]
		p.c2, p.w2 = decided, m.approve
		s.yes2, s.no2 = s.yes2 || m.approve, s.no2 || !m.approve
		s.advance(m.page)
		s.saved[m.page] = *p
	case "claim":
		s.claim(m.page)
	case "handled":
		s.ended(m.page, false)
		s.advance(m.page)
	case "crash":
		s.crash(m.page)
	case "request", "copy":
		s.arrive(m)
	case "answer":
		s.answered(m)
	}
	return s
}

// advance is what a page does next by itself.
func (s *state) advance(page int) {
	p := &s.pages[page]
	if p.stream != noStream {
		return
	}
	if p.c2 == decided {
		p.c2 = claims
		s.saved[page] = *p
	}
	switch {
	case p.c2 == claims || p.c2 == runs:
	case p.c1 == decided:
		p.c1, p.stream, p.queued = sending, decisions, false
		push(&s.requests, message{used: true, kind: decisions, page: uint8(page), life: p.life, approve: p.w1})
	case p.queued && p.c1 != waits && p.c2 != other:
		p.stream, p.queued = outputs, false
		push(&s.requests, message{used: true, kind: outputs, page: uint8(page), life: p.life, approve: !p.outputs})
	}
}

// claim is the answer of the store.
func (s *state) claim(page int) {
	p := &s.pages[page]
	if !s.claimed {
		s.claimed, s.owner, s.claimW, s.dead = true, uint8(page), p.w2, false
	}
	granted := s.owner == uint8(page) && !s.dead
	switch {
	case granted && p.w2:
		p.c2 = runs
		s.handled++
		s.saved[page] = *p
	case granted, s.dead && !s.claimW: // a denial stands, whoever made it
		s.ended(page, true)
	case s.dead:
		p.c2 = unknown
	default:
		p.c2, p.w2 = other, s.claimW
	}
	s.advance(page)
}

// ended records the output of c2.
func (s *state) ended(page int, denial bool) {
	p := &s.pages[page]
	p.c2, p.queued, p.outputs = over, true, denial
}

// crash is the page loaded again from what was strictly stored.
func (s *state) crash(page int) {
	s.crashes--
	life := s.pages[page].life + 1
	s.pages[page] = s.saved[page]
	p := &s.pages[page]
	p.life, p.stream = life, noStream
	if s.owner == uint8(page) {
		s.dead = s.claimed
	}
	if p.c1 == sending {
		p.c1 = decided
	}
	switch {
	case (p.c2 == decided || p.c2 == claims || p.c2 == other) && p.w2:
		p.c2 = waits
	case p.c2 == claims || p.c2 == other:
		p.c2 = decided
	case p.c2 == runs:
		p.c2 = unknown
	}
	if p.c1 == decided || p.c2 == decided {
		s.advance(page)
	}
}

// arrive is a request at the server.
func (s *state) arrive(m move) {
	r := s.requests[m.at]
	if m.what == "copy" {
		s.copies--
		s.requests[m.at].copied = true // it stays, and arrives again without an answer
	} else {
		remove(&s.requests, m.at)
	}
	done := int8(2)
	if r.approve {
		done = 1
	}
	switch r.kind {
	case decisions:
		if s.server1 == 0 {
			s.server1 = done
			if r.approve {
				s.executions++
			}
		}
	case outputs:
		if s.server2 == 0 && s.server1 != 0 { // a turn while c1 waits is refused
			s.server2 = done
		}
	}
	if !r.copied {
		push(&s.answers, r)
	}
}

// answered is an answer at the page.
func (s *state) answered(m move) {
	a := s.answers[m.at]
	remove(&s.answers, m.at)
	p := &s.pages[a.page]
	if p.life != a.life {
		return
	}
	p.stream = noStream
	if a.kind == decisions {
		p.c1 = over
	}
	s.advance(int(a.page))
}

// push keeps a list in one order, so that states that differ only by the order of
// what is on its way are one.
func push(list *[6]message, m message) {
	at := 0
	for at < len(list) && list[at].used && !m.before(list[at]) {
		at++
	}
	if list[len(list)-1].used {
		panic("model: too many messages")
	}
	copy(list[at+1:], list[at:])
	list[at] = m
}

func (m message) before(o message) bool {
	rank := func(m message) int {
		n := int(m.page)<<5 | int(m.life)<<3 | int(m.kind)<<1
		if m.approve {
			n |= 1
		}
		return n
	}
	return rank(m) < rank(o)
}

func remove(list *[6]message, at int) {
	copy(list[at:], list[at+1:])
	list[len(list)-1] = message{}
}

// wrong says which invariant a state breaks, "" for none.
func (s *state) wrong() string {
	switch {
	case s.executions > 1:
		return "I2: c1 was executed twice"
	case s.executions == 1 && !s.yes1:
		return "I1: c1 was executed and nobody approved it"
	case s.server1 == 2 && (s.executions > 0 || !s.no1):
		return "I3: c1 is denied"
	case s.handled > 1:
		return "I2: the handler of c2 ran twice"
	case s.handled == 1 && !s.yes2:
		return "I1: the handler of c2 ran and nobody approved it"
	case s.server2 == 2 && (s.handled > 0 || !s.no2):
		return "I3: c2 is denied"
	}
	for p := range s.pages {
		page := &s.pages[p]
		if page.stream == outputs && (page.c1 == waits || page.c1 == decided || page.c1 == sending) {
			return "I6: a turn leaves while c1 waits"
		}
	}
	return ""
}

// explored is the whole model.
type explored struct {
	states []state
	from   []int  // the state before, by state
	by     []move // and the move
	edges  int
	wrong  string
	at     int // the state that is wrong
}

// explore visits each state that can be reached, nearest first.
func explore() *explored {
	x := &explored{states: []state{initial()}, from: []int{-1}, by: []move{{}}}
	index := map[state]int{initial(): 0}
	for at := 0; at < len(x.states); at++ {
		here := x.states[at]
		if why := here.wrong(); why != "" && x.wrong == "" {
			x.wrong, x.at = why, at
		}
		for _, m := range here.moves() {
			x.edges++
			next := here.after(m)
			if _, known := index[next]; !known {
				index[next] = len(x.states)
				x.states = append(x.states, next)
				x.from = append(x.from, at)
				x.by = append(x.by, m)
			}
		}
	}
	return x
}

// path is how a state is reached.
func (x *explored) path(at int) (moves []move) {
	for ; x.from[at] >= 0; at = x.from[at] {
		moves = append(moves, x.by[at])
	}
	for i, j := 0, len(moves)-1; i < j; i, j = i+1, j-1 {
		moves[i], moves[j] = moves[j], moves[i]
	}
	return moves
}
