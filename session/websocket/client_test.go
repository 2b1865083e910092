package websocket

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// wire is a server's end of the link: a Window and what it needs to welcome.
type wire struct {
	w        *Window
	received uint64
}

func (s *wire) takeHello(r *rig, hello Frame) {
	r.t.Helper()
	resumed := hello.Link != ""
	if resumed && !s.w.Resume(hello.Seq) {
		r.t.Fatalf("the client wants to go on after %d, the window cannot", hello.Seq)
	}
	r.welcome(Frame{Resumed: resumed, ID: s.received})
	for _, f := range r.frames {
		if f.Type == TypeRequest {
			s.received = max(s.received, f.ID)
		}
	}
}

// acks lets the window forget what the client acknowledged.
func (s *wire) acks(r *rig) {
	for _, f := range r.frames {
		if f.Type == TypeAck && !s.w.Ack(f.Seq) {
			r.t.Fatalf("the client acknowledged %d, which was not sent", f.Seq)
		}
	}
}

func turnFrames(id uint64, events int) []Frame {
	frames := []Frame{{Type: TypeHead, ID: id, Status: 200}}
	for i := range events {
		frames = append(frames, Frame{Type: TypeEvent, ID: id, Data: fmt.Appendf(nil, `{"n":%d}`, i)})
	}
	return append(frames, Frame{Type: TypeEnd, ID: id})
}

func turnBody(events int) string {
	var b strings.Builder
	for i := range events {
		fmt.Fprintf(&b, "data: {\"n\":%d}\n\n", i)
	}
	b.WriteString("data: [DONE]\n\n")
	return b.String()
}

// runCut runs one turn; cut says how many frames of each socket arrive before
// it breaks, 0 for no more cuts.
func runCut(t *testing.T, seed uint64, events int, cut func() int, repeat func() bool) *rig {
	t.Helper()
	r := newRig(t, Config{Seed: [2]uint64{seed, 1}})
	s := &wire{w: NewWindow(1<<20, 1<<20)}
	r.do(func(c *Client) { c.Request(7, []byte(`{"prompt":"x"}`)) })
	s.takeHello(r, r.openSocket())
	for _, f := range turnFrames(1, events) {
		s.w.Push(f)
	}
	left := cut()
	for !s.w.Empty() {
		f, ok := s.w.Next()
		if !ok {
			s.acks(r)
			if _, ended := r.ends[7]; ended {
				return r
			}
			t.Fatalf("the server waits for an acknowledgement of what is all sent: %+v", s.w)
		}
		r.receive(*f)
		if repeat() {
			r.receive(*f)
		}
		if left--; left == 0 {
			r.closeSocket(1006)
			if _, ended := r.ends[7]; ended {
				return r
			}
			r.untilDial()
			s.takeHello(r, r.openSocket())
			left = cut()
		}
	}
	return r
}

func TestR8_EveryCutLosesAndRepeatsNothing(t *testing.T) {
	const events = 20
	never := func() bool { return false }
	for at := 0; at <= events+2; at++ {
		first := true
		r := runCut(t, uint64(at), events, func() int {
			if first {
				first = false
				return at
			}
			return 0
		}, never)
		wantEqual(t, fmt.Sprint("body after a cut at ", at), r.bodies[7], turnBody(events))
		wantEqual(t, "end", r.ends[7], EOF)
		wantEqual(t, "requests", r.sent(), `1:{"prompt":"x"}`)
	}
}

func TestR8_ManyCutsAndDuplicates(t *testing.T) {
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 2))
		events := random.IntN(60)
		r := runCut(t, seed, events,
			func() int { return random.IntN(events + 4) },
			func() bool { return random.IntN(4) == 0 })
		if got, want := r.bodies[7], turnBody(events); got != want {
			t.Fatalf("seed %d: got %q, want %q", seed, got, want)
		}
		wantEqual(t, "requests", r.count(TypeRequest), 1)
	}
}

func TestR14_RequestIsNeverBegunTwice(t *testing.T) {
	for _, test := range []struct {
		name     string
		received uint64 // what the server says it had got
		want     string
	}{
		{"the request was lost on the way: identical bytes again", 0, `1:{"a":1} 1:{"a":1}`},
		{"the answer was lost: nothing again", 1, `1:{"a":1}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, Config{})
			r.begin(1, `{"a":1}`)
			r.closeSocket(1006)
			r.untilDial()
			hello := r.openSocket()
			wantEqual(t, "link", hello.Link, "L1")
			r.welcome(Frame{Resumed: true, ID: test.received})
			wantEqual(t, "requests", r.sent(), test.want)
		})
	}
}

func TestR10_GapEndsWhatWasSentAndKeepsWhatWasNot(t *testing.T) {
	r := newRig(t, Config{})
	r.begin(1, `{"a":1}`)
	r.receive(Frame{Type: TypeHead, Seq: 1, ID: 1, Status: 200})
	r.closeSocket(1006)
	r.do(func(c *Client) { c.Request(2, []byte(`{"b":2}`)) })
	r.untilDial()
	r.openSocket()
	r.receive(Frame{Type: TypeGap, Code: GapUnknown})
	r.welcome(Frame{Link: "L2"})
	wantEqual(t, "end of the sent request", r.ends[1], Gap)
	if _, ended := r.ends[2]; ended {
		t.Error("a request that was never sent has ended")
	}
	wantEqual(t, "requests", r.sent(), `1:{"a":1} 2:{"b":2}`)
	r.receive(Frame{Type: TypeHead, Seq: 1, ID: 2, Status: 200})
	wantEqual(t, "head on the new link", r.heads[2], 200)
}

func TestR10_GapInsideAnOpenSocket(t *testing.T) {
	r := newRig(t, Config{})
	r.begin(1, `{}`)
	r.receive(Frame{Type: TypeGap, Code: GapOverflow})
	wantEqual(t, "end", r.ends[1], Gap)
	r.welcome(Frame{Link: "L2"})
	wantEqual(t, "state", r.c.State(), "open")
}

func TestR10_ServerThatForgetsToSayGap(t *testing.T) {
	r := newRig(t, Config{})
	r.begin(1, `{}`)
	r.closeSocket(1006)
	r.untilDial()
	r.openSocket()
	r.welcome(Frame{Link: "L2"})
	wantEqual(t, "end", r.ends[1], Gap)
}

func TestR4_BackoffIsFullJitter(t *testing.T) {
	const seeds = 10_000
	for attempt, ceiling := range []int{500, 1000, 2000, 4000, 8000, 16000, 30000, 30000} {
		sum, waits := 0.0, map[int]int{}
		for seed := range uint64(seeds) {
			c := New(Config{Seed: [2]uint64{seed, seed * 7}})
			c.attempt = attempt
			w := c.wait()
			if w < 0 || w > ceiling {
				t.Fatalf("attempt %d: wait %d is outside [0, %d]", attempt, w, ceiling)
			}
			sum += float64(w)
			if seed < 1000 {
				waits[w*50/(ceiling+1)]++
			}
		}
		mean, want := sum/seeds, float64(ceiling)/2
		if mean < want*0.95 || mean > want*1.05 {
			t.Errorf("attempt %d: mean wait %.0f, want %.0f within 5 %%", attempt, mean, want)
		}
		for slot, n := range waits { // 1000 clients in 50 slots: 20 each
			if n > 60 {
				t.Errorf("attempt %d: %d of 1000 clients come in slot %d together", attempt, n, slot)
			}
		}
	}
}

func TestR4_StableSocketMakesWaitsShortAgain(t *testing.T) {
	r := newRig(t, Config{})
	r.begin(1, `{}`)
	for range 5 {
		r.closeSocket(1006)
		r.untilDial()
		r.openSocket()
		r.welcome(Frame{Resumed: true, ID: 1})
	}
	wantEqual(t, "attempts of sockets that broke at once", r.c.attempt, 5)
	r.pass(10_000)
	r.closeSocket(1006)
	wantEqual(t, "attempts after a stable one", r.c.attempt, 1)
}

func TestR5_OldSocketsHaveNoEffect(t *testing.T) {
	r := newRig(t, Config{})
	r.begin(1, `{}`)
	old := r.conn()
	r.closeSocket(1006)
	r.closeSocket(1006) // told twice
	wantEqual(t, "timers", len(r.timers), 2)
	r.untilDial()
	r.openSocket()
	r.welcome(Frame{Resumed: true, ID: 1})
	late := Codec{}.Append(nil, &Frame{Type: TypeHead, Seq: 1, ID: 1, Status: 500})
	r.do(func(c *Client) {
		c.Message(old, late, false)
		c.Opened(old, ProtocolJSON, "x")
		c.Closed(old, 4401)
		c.TokenFailed(old)
	})
	wantEqual(t, "heads", len(r.heads), 0)
	wantEqual(t, "sockets", len(r.dials), 2)
	wantEqual(t, "state", r.c.State(), "open")
}

func TestR6_SilentSocketIsGivenUp(t *testing.T) {
	r := newRig(t, Config{})
	r.begin(1, `{}`)
	r.pass(44_999)
	wantEqual(t, "hangups before the time", len(r.hangups), 0)
	r.pass(1)
	wantEqual(t, "close code", r.hangups[1], CloseTimeout)
	r.untilDial()
	wantEqual(t, "sockets", len(r.dials), 2)
}

func TestR6_QuietStreamWithHeartbeatsLivesADay(t *testing.T) {
	r := newRig(t, Config{})
	r.begin(1, `{}`)
	r.receive(Frame{Type: TypeHead, Seq: 1, ID: 1, Status: 200})
	for range 24 * 60 * 3 {
		r.pass(20_000)
		r.receive(Frame{Type: TypePing})
	}
	wantEqual(t, "sockets", len(r.dials), 1)
	wantEqual(t, "hangups", len(r.hangups), 0)
	wantEqual(t, "answers", r.count(TypeAck), 24*60*3)
	wantEqual(t, "comments for the session", strings.Count(r.bodies[1], ": heartbeat\n\n"), 24*60*3)
}

func TestR11_FreshTokenThatIsRefusedIsFinal(t *testing.T) {
	r := newRig(t, Config{})
	r.do(func(c *Client) { c.Request(1, []byte(`{}`)) })
	r.openSocket()
	r.closeSocket(4401)
	wantEqual(t, "sockets", len(r.dials), 1)
	wantEqual(t, "status", r.heads[1], 401)
}

func TestR11_TokenIsRefreshedOnce(t *testing.T) {
	r := newRig(t, Config{})
	r.begin(1, `{}`)
	r.closeSocket(4401)
	wantEqual(t, "sockets", len(r.dials), 2)
	r.openSocket()
	r.welcome(Frame{Resumed: true})
	wantEqual(t, "requests", r.sent(), "1:{} 1:{}")
	r.closeSocket(4401)
	wantEqual(t, "sockets", len(r.dials), 2)
	wantEqual(t, "status", r.heads[1], 401)
	wantEqual(t, "order", strings.Join(r.order, ", "), "head 1 401, end 1 0")
	wantEqual(t, "timers", len(r.timers), 0)
}

func TestR11_TokenThatRunsOutInsideAStreamIsRefreshed(t *testing.T) {
	r := newRig(t, Config{})
	r.begin(1, `{}`)
	r.receive(Frame{Type: TypeHead, Seq: 1, ID: 1, Status: 200})
	r.closeSocket(4401)
	hello := r.openSocket()
	wantEqual(t, "link", hello.Link, "L1")
	wantEqual(t, "seq", hello.Seq, 1)
	r.welcome(Frame{Resumed: true, ID: 1})
	r.receive(Frame{Type: TypeEnd, Seq: 2, ID: 1})
	wantEqual(t, "end", r.ends[1], EOF)
}

func TestR11_OtherStatusIsFinal(t *testing.T) {
	for code, status := range map[int]int{4403: 403, 4404: 404, 4410: 410} {
		r := newRig(t, Config{})
		r.do(func(c *Client) { c.Request(1, []byte(`{}`)) })
		r.openSocket()
		r.closeSocket(code)
		wantEqual(t, "status", r.heads[1], status)
		wantEqual(t, "sockets", len(r.dials), 1)
	}
}

func TestR11_PassingStatusIsTriedAgain(t *testing.T) {
	for _, code := range []int{4408, 4425, 4429, 4500, 4503} {
		r := newRig(t, Config{})
		r.do(func(c *Client) { c.Request(1, []byte(`{}`)) })
		r.openSocket()
		r.closeSocket(code)
		r.untilDial()
		r.openSocket()
		r.welcome(Frame{})
		wantEqual(t, "requests", r.sent(), "1:{}")
		wantEqual(t, "heads", len(r.heads), 0)
	}
}

func TestR33_HintsCauseNoStorm(t *testing.T) {
	r := newRig(t, Config{})
	r.begin(1, `{}`)
	r.closeSocket(1006)
	for range 100 { // 100 toggles in 10 s, and every attempt fails at once
		r.do(func(c *Client) { c.Hint() })
		if r.c.phase == dialing {
			r.closeSocket(0)
		}
		r.pass(100)
	}
	// Without hints: at most the waits 0.5, 1, 2, 4, 8 … s; one more by a hint.
	plain := newRig(t, Config{})
	plain.begin(1, `{}`)
	plain.closeSocket(1006)
	for range 100 {
		if plain.c.phase == dialing {
			plain.closeSocket(0)
		}
		plain.pass(100)
	}
	if len(r.dials) > len(plain.dials)+1 {
		t.Errorf("100 hints led to %d sockets, without them %d", len(r.dials), len(plain.dials))
	}
}

func TestR36_CloseLeavesNothing(t *testing.T) {
	for name, prepare := range map[string]func(r *rig){
		"idle":    func(*rig) {},
		"dialing": func(r *rig) { r.do(func(c *Client) { c.Request(1, []byte(`{}`)) }) },
		"open":    func(r *rig) { r.begin(1, `{}`) },
		"waiting": func(r *rig) { r.begin(1, `{}`); r.closeSocket(1006) },
	} {
		r := newRig(t, Config{})
		prepare(r)
		r.do(func(c *Client) { c.Close() })
		wantEqual(t, name+": timers", len(r.timers), 0)
		if open := r.c.phase != closed; open {
			t.Errorf("%s: not closed", name)
		}
		sockets := len(r.dials)
		r.pass(200_000)
		r.do(func(c *Client) { c.Request(2, []byte(`{}`)); c.Hint(); c.Fire(ConnectTimer) })
		wantEqual(t, name+": sockets after close", len(r.dials), sockets)
		wantEqual(t, name+": a late request", r.ends[2], Lost)
	}
}

func TestI9_NothingWaitsForEver(t *testing.T) {
	r := newRig(t, Config{})
	r.begin(1, `{}`)
	r.closeSocket(1006)
	for range 1000 {
		if r.c.phase == dialing {
			r.closeSocket(0)
		}
		r.pass(1000)
		if len(r.timers) == 0 {
			break
		}
	}
	wantEqual(t, "end", r.ends[1], Lost)
	wantEqual(t, "timers", len(r.timers), 0)
	wantEqual(t, "state", r.c.State(), "idle")
}

func TestI9_SocketThatNeverOpensOrNeverWelcomes(t *testing.T) {
	for _, opened := range []bool{false, true} {
		r := newRig(t, Config{})
		r.do(func(c *Client) { c.Request(1, []byte(`{}`)) })
		if opened {
			r.openSocket()
		}
		r.pass(10_000)
		wantEqual(t, "close code", r.hangups[1], CloseTimeout)
		r.pass(111_000)
		wantEqual(t, "end", r.ends[1], Lost)
		wantEqual(t, "timers", len(r.timers), 0)
	}
}

func TestFallbackOnlyBeforeTheFirstWelcome(t *testing.T) {
	r := newRig(t, Config{Fallback: true})
	r.do(func(c *Client) { c.Request(1, []byte(`{}`)) })
	r.closeSocket(0)
	wantEqual(t, "end", r.ends[1], Unavailable)
	wantEqual(t, "timers", len(r.timers), 0)

	r = newRig(t, Config{Fallback: true})
	r.begin(1, `{}`)
	r.closeSocket(1006)
	if _, ended := r.ends[1]; ended {
		t.Error("a request that may have been received was given up")
	}
}

func TestUnusedSocketIsClosed(t *testing.T) {
	r := newRig(t, Config{})
	r.begin(1, `{}`)
	for _, f := range turnFrames(1, 0) {
		f.Seq = uint64(len(r.order) + 1)
		r.receive(f)
	}
	for range 3 {
		r.pass(19_000)
		r.receive(Frame{Type: TypePing})
	}
	wantEqual(t, "hangups before the time", len(r.hangups), 0)
	r.pass(3_000)
	wantEqual(t, "close code", r.hangups[1], CloseNormal)
	wantEqual(t, "timers", len(r.timers), 0)
	r.do(func(c *Client) { c.Request(2, []byte(`{}`)) })
	hello := r.openSocket()
	wantEqual(t, "link after a clean end", hello.Link, "")
}

func TestCancelReachesTheServerAlsoLater(t *testing.T) {
	r := newRig(t, Config{})
	r.begin(1, `{}`)
	r.do(func(c *Client) { c.Cancel(1) })
	wantEqual(t, "cancels", r.count(TypeCancel), 1)
	r.receive(Frame{Type: TypeHead, Seq: 1, ID: 1, Status: 200})
	r.receive(Frame{Type: TypeEvent, Seq: 2, ID: 1, Data: []byte(`{}`)})
	r.begin(2, `{}`)
	r.closeSocket(1006)
	r.untilDial()
	r.openSocket()
	r.welcome(Frame{Resumed: true, ID: 2})
	wantEqual(t, "cancels", r.count(TypeCancel), 2)
	r.receive(Frame{Type: TypeEnd, Seq: 3, ID: 1})
	wantEqual(t, "heads", len(r.heads), 0)
	wantEqual(t, "bytes", r.bodies[1], "")
	wantEqual(t, "ends", len(r.ends), 0)
}

func TestCancelBeforeTheSocketIsOpenSendsNothing(t *testing.T) {
	r := newRig(t, Config{})
	r.do(func(c *Client) { c.Request(1, []byte(`{}`)); c.Cancel(1) })
	r.openSocket()
	r.welcome(Frame{})
	wantEqual(t, "requests", r.sent(), "")
}

func TestAcknowledgesBeforeTheServerHasToWait(t *testing.T) {
	r := newRig(t, Config{})
	r.do(func(c *Client) { c.Request(1, []byte(`{}`)) })
	r.openSocket()
	r.welcome(Frame{Credit: 4000})
	w := NewWindow(1<<20, 4000)
	w.Push(Frame{Type: TypeHead, ID: 1, Status: 200})
	for range 200 {
		w.Push(Frame{Type: TypeEvent, ID: 1, Data: []byte(strings.Repeat("1", 200))})
	}
	acks := 0
	for {
		f, ok := w.Next()
		if ok {
			r.receive(*f)
		}
		for ; acks < len(r.frames); acks++ {
			if g := r.frames[acks]; g.Type == TypeAck && !w.Ack(g.Seq) {
				t.Fatal("acknowledged what was not sent")
			}
		}
		if !ok {
			break
		}
	}
	wantEqual(t, "events", strings.Count(r.bodies[1], "data: "), 200)
}

func TestTooLargeARequestIsRefusedHere(t *testing.T) {
	r := newRig(t, Config{})
	r.do(func(c *Client) { c.Request(1, []byte(`{"a":"`+strings.Repeat("x", 5000)+`"}`)) })
	r.openSocket()
	r.welcome(Frame{Limit: 5000})
	wantEqual(t, "requests", r.sent(), "")
	wantEqual(t, "status", r.heads[1], 413)
	wantEqual(t, "end", r.ends[1], EOF)
}

func TestBrokenFramesEndTheLinkWithAGap(t *testing.T) {
	missing := Codec{}.Append(nil, &Frame{Type: TypeEvent, Seq: 9, ID: 1, Data: []byte(`{}`)})
	for name, message := range map[string][]byte{
		"no frame": []byte("nonsense"), "empty": {}, "a number is missing": missing,
	} {
		r := newRig(t, Config{})
		r.begin(1, `{}`)
		r.do(func(c *Client) { c.Message(1, message, false) })
		wantEqual(t, name+": end", r.ends[1], Gap)
		wantEqual(t, name+": close code", r.hangups[1], CloseProtocol)
		wantEqual(t, name+": timers", len(r.timers), 0)
	}
}

func TestUnknownFrameTypesChangeNothing(t *testing.T) {
	r := newRig(t, Config{})
	r.begin(1, `{}`)
	r.receive(Frame{Type: "later"})
	r.receive(Frame{Type: "later too", Seq: 1, ID: 1})
	r.receive(Frame{Type: TypeHead, Seq: 2, ID: 1, Status: 200})
	wantEqual(t, "head", r.heads[1], 200)
}

func TestRefusalCarriesTheServersWords(t *testing.T) {
	r := newRig(t, Config{})
	r.begin(1, `{}`)
	r.receive(Frame{Type: TypeHead, Seq: 1, ID: 1, Status: 409, Text: `{"message":"Chat history is unavailable."}`})
	wantEqual(t, "status", r.heads[1], 409)
	wantEqual(t, "body", r.bodies[1], `{"message":"Chat history is unavailable."}`)
	wantEqual(t, "end", r.ends[1], EOF)
}

func TestCutTurnHasNoEndMark(t *testing.T) {
	r := newRig(t, Config{})
	r.begin(1, `{}`)
	r.receive(Frame{Type: TypeHead, Seq: 1, ID: 1, Status: 200})
	r.receive(Frame{Type: TypeEnd, Seq: 2, ID: 1, Code: CodeCut})
	wantEqual(t, "body", r.bodies[1], "")
	wantEqual(t, "end", r.ends[1], EOF)
}

func TestB076_LineBreaksInTheWhiteSpaceOfAnEvent(t *testing.T) {
	for in, want := range map[string]string{
		"{\"a\":1}":             "data: {\"a\":1}\n\n",
		"{\n\"a\":1,\r\"b\":2}": "data: {\ndata: \"a\":1,\ndata: \"b\":2}\n\n",
		"{\r\n}":                "data: {\ndata: \ndata: }\n\n",
	} {
		wantEqual(t, fmt.Sprintf("%q", in), string(eventStream([]byte(in))), want)
	}
}
