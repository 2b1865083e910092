package websocket

import (
	"fmt"
	"strings"
	"testing"
)

// rig drives a Client in virtual time, as a driver would, against what a test
// says of the network.
type rig struct {
	t      *testing.T
	c      *Client
	now    int64
	timers map[Timer]int64

	dials   []int // conn numbers, in order
	hangups map[int]int
	frames  []Frame // written by the client, decoded
	raw     [][]byte
	heads   map[int]int    // stream: status
	bodies  map[int]string // stream: bytes
	ends    map[int]Reason
	order   []string
}

func newRig(t *testing.T, cfg Config) *rig {
	return &rig{
		t: t, c: New(cfg), timers: map[Timer]int64{}, hangups: map[int]int{},
		heads: map[int]int{}, bodies: map[int]string{}, ends: map[int]Reason{},
	}
}

// do runs an input and does its effects.
func (r *rig) do(input func(c *Client)) {
	r.t.Helper()
	r.c.At(r.now)
	input(r.c)
	for _, e := range r.c.Flush() {
		switch e.Kind {
		case Dial:
			r.dials = append(r.dials, e.Conn)
		case Hangup:
			if e.Code != 1000 && (e.Code < 3000 || e.Code > 4999) {
				r.t.Fatalf("closing with %d, which a browser cannot", e.Code)
			}
			r.hangups[e.Conn] = e.Code
		case SetTimer:
			r.timers[e.Timer] = r.now + int64(e.Delay)
		case ClearTimer:
			delete(r.timers, e.Timer)
		case Write:
			f, err := Codec{text: e.Text}.Decode(e.Data, e.Text)
			if err != nil {
				r.t.Fatalf("the client wrote what it cannot read: %v", err)
			}
			f.Data = append([]byte(nil), f.Data...)
			r.frames = append(r.frames, f)
			r.raw = append(r.raw, e.Data)
		case Head:
			r.heads[e.Stream] = e.Status
			r.order = append(r.order, fmt.Sprintf("head %d %d", e.Stream, e.Status))
		case Bytes:
			r.bodies[e.Stream] += string(e.Data)
		case End:
			r.ends[e.Stream] = e.Reason
			r.order = append(r.order, fmt.Sprintf("end %d %d", e.Stream, e.Reason))
		}
	}
}

// pass lets virtual time go by, firing what runs out.
func (r *rig) pass(ms int64) {
	r.t.Helper()
	until := r.now + ms
	for {
		next, at := Timer(-1), until+1
		for timer, deadline := range r.timers {
			if deadline < at || deadline == at && timer < next {
				next, at = timer, deadline
			}
		}
		if next < 0 {
			r.now = until
			return
		}
		r.now = max(r.now, at)
		delete(r.timers, next)
		r.do(func(c *Client) { c.Fire(next) })
	}
}

// untilDial lets time go by up to the next attempt.
func (r *rig) untilDial() {
	r.t.Helper()
	for n := len(r.dials); len(r.dials) == n; {
		next := int64(-1)
		for _, deadline := range r.timers {
			if next < 0 || deadline < next {
				next = deadline
			}
		}
		if next < 0 {
			r.t.Fatal("no timer leads to another attempt")
		}
		r.pass(max(next-r.now, 0))
	}
}

func (r *rig) conn() int { return r.dials[len(r.dials)-1] }

// openSocket opens the newest socket up to hello and gives that frame.
func (r *rig) openSocket() Frame {
	r.t.Helper()
	r.do(func(c *Client) { c.Opened(r.conn(), ProtocolMessagePack, "secret") })
	hello := r.frames[len(r.frames)-1]
	if hello.Type != TypeHello || hello.Token != "secret" {
		r.t.Fatalf("the first frame is %+v, want hello with the token", hello)
	}
	return hello
}

// receive gives the client a frame.
func (r *rig) receive(f Frame) {
	r.t.Helper()
	message := Codec{}.Append(nil, &f)
	conn := r.conn()
	r.do(func(c *Client) { c.Message(conn, message, false) })
}

func (r *rig) welcome(f Frame) {
	r.t.Helper()
	f.Type = TypeWelcome
	if f.Link == "" {
		f.Link = "L1"
	}
	r.receive(f)
}

// begin makes a request and brings it to an open socket.
func (r *rig) begin(stream int, body string) {
	r.t.Helper()
	r.do(func(c *Client) { c.Request(stream, []byte(body)) })
	if r.c.phase == dialing {
		r.openSocket()
		r.welcome(Frame{})
	}
}

// sent are the requests that were written, as "id:body".
func (r *rig) sent() string {
	var list []string
	for _, f := range r.frames {
		if f.Type == TypeRequest {
			list = append(list, fmt.Sprintf("%d:%s", f.ID, f.Data))
		}
	}
	return strings.Join(list, " ")
}

func (r *rig) count(kind string) (n int) {
	for _, f := range r.frames {
		if f.Type == kind {
			n++
		}
	}
	return n
}

func (r *rig) closeSocket(code int) {
	r.t.Helper()
	conn := r.conn()
	r.do(func(c *Client) { c.Closed(conn, code) })
}

func wantEqual[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
