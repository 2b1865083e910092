// Package faulty is a TCP proxy that breaks connections on purpose, for tests
// over real sockets (requirement R46). It knows nothing of what it carries.
package faulty

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// Kind is what goes wrong.
type Kind string

// The nine faults of R46.
const (
	Latency    Kind = "latency"     // each piece comes late
	Bandwidth  Kind = "bandwidth"   // few bytes a second
	Reset      Kind = "reset"       // the connection is reset
	CleanClose Kind = "clean close" // the connection ends as if all were well
	SlowClose  Kind = "slow close"  // the same, after bytes have been held for long
	Stall      Kind = "stall"       // the connection stays open and carries nothing more
	Slicer     Kind = "slicer"      // pieces of one to three bytes
	Limit      Kind = "limit"       // the connection ends after a few bytes
	OneWay     Kind = "one-way"     // nothing passes in this direction, on any connection
)

// Kinds are all of them, in the order of R46.
var Kinds = []Kind{Latency, Bandwidth, Reset, CleanClose, SlowClose, Stall, Slicer, Limit, OneWay}

// Direction of the bytes that a fault meets.
type Direction string

// Up is to the server, Down to the client.
const (
	Up   Direction = "up"
	Down Direction = "down"
)

// The measures of the faults; a matrix has to end within a minute.
const (
	delay     = 120 * time.Millisecond // ± half
	rate      = 12 << 10               // bytes a second
	holdClose = 600 * time.Millisecond
	limit     = 40 // bytes
)

// Proxy passes connections on to one address.
type Proxy struct {
	listener net.Listener
	target   string
	ctx      context.Context
	cancel   context.CancelFunc
	wait     sync.WaitGroup

	mu     sync.Mutex
	change *sync.Cond
	kind   Kind // "" for no fault
	dir    Direction
	after  int // bytes towards the client until the fault begins
	begun  bool
	first  chan struct{} // closed when the fault has met its first bytes
	hit    bool
}

// New starts a proxy to target ("host:port").
func New(target string) (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{listener: l, target: target}
	p.change = sync.NewCond(&p.mu)
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.wait.Go(p.accept)
	return p, nil
}

// Addr is where clients connect.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Close ends every connection.
func (p *Proxy) Close() {
	p.cancel()
	p.listener.Close()
	p.wait.Wait()
}

// Arm begins a fault once after bytes have gone to clients from now on; 0 is at
// once. The channel is closed when the fault has met something.
func (p *Proxy) Arm(kind Kind, dir Direction, after int) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kind, p.dir, p.after, p.begun = kind, dir, after, after == 0
	p.first, p.hit = make(chan struct{}), false
	return p.first
}

// Heal ends the fault. Connections that it has broken stay broken.
func (p *Proxy) Heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kind = ""
	p.change.Broadcast()
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.wait.Go(func() { p.carry(client.(*net.TCPConn)) })
	}
}

// pair is one connection.
type pair struct {
	client, server *net.TCPConn
	ended          context.Context
	end            context.CancelFunc
}

func (p *Proxy) carry(client *net.TCPConn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer server.Close()
	c := &pair{client: client, server: server.(*net.TCPConn)}
	c.ended, c.end = context.WithCancel(p.ctx)
	defer c.end()
	stop := context.AfterFunc(c.ended, func() {
		client.Close()
		server.Close()
	})
	defer stop()
	var both sync.WaitGroup
	both.Go(func() { p.pump(c, c.client, c.server, Up) })
	both.Go(func() { p.pump(c, c.server, c.client, Down) })
	both.Wait()
}

var errBroken = errors.New("broken on purpose")

// pump carries one direction.
func (p *Proxy) pump(c *pair, from, to *net.TCPConn, dir Direction) {
	buffer := make([]byte, 16<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			if e := p.pass(c, to, buffer[:n], dir); e != nil {
				return
			}
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				_ = to.CloseWrite()
			} else {
				c.end()
			}
			return
		}
	}
}

// pass carries bytes, healthy ones first, and then as the fault wants.
func (p *Proxy) pass(c *pair, to *net.TCPConn, b []byte, dir Direction) error {
	healthy, kind := p.split(len(b), dir)
	if healthy > 0 {
		if _, err := to.Write(b[:healthy]); err != nil {
			c.end()
			return err
		}
	}
	b = b[healthy:]
	if len(b) == 0 {
		return nil
	}
	switch kind {
	case Latency:
		p.sleep(c, delay/2+rand.N(delay))
	case Bandwidth:
		return p.slowly(c, to, b)
	case Slicer:
		return p.slices(c, to, b)
	case Reset:
		_ = c.client.SetLinger(0)
		_ = c.server.SetLinger(0)
		c.end()
		return errBroken
	case Limit:
		_, _ = to.Write(b[:min(limit, len(b))])
		return p.finish(c)
	case CleanClose:
		_, _ = to.Write(b[:len(b)/2])
		return p.finish(c)
	case SlowClose:
		_, _ = to.Write(b[:len(b)/2])
		p.sleep(c, holdClose)
		return p.finish(c)
	case Stall:
		<-c.ended.Done() // until one of the ends gives up
		return errBroken
	case OneWay:
		p.untilHealed(c)
	}
	if _, err := to.Write(b); err != nil {
		c.end()
		return err
	}
	return nil
}

// split says how many of n bytes pass before the fault begins, and which it is.
func (p *Proxy) split(n int, dir Direction) (healthy int, kind Kind) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kind == "" {
		return n, ""
	}
	if !p.begun && dir == Down {
		if p.after > n {
			p.after -= n
			return n, ""
		}
		p.begun = true
		if p.dir == Down {
			healthy = p.after
		} else {
			return n, ""
		}
	}
	if !p.begun || p.dir != dir {
		return n, ""
	}
	if !p.hit {
		p.hit = true
		close(p.first)
	}
	return healthy, p.kind
}

// finish closes both ends as if all had been said.
func (p *Proxy) finish(c *pair) error {
	_ = c.client.CloseWrite()
	_ = c.server.CloseWrite()
	p.sleep(c, 50*time.Millisecond) // so that no reset overtakes the end
	c.end()
	return errBroken
}

func (p *Proxy) sleep(c *pair, d time.Duration) {
	select {
	case <-time.After(d):
	case <-c.ended.Done():
	}
}

func (p *Proxy) slowly(c *pair, to *net.TCPConn, b []byte) error {
	const piece = rate / 20
	for len(b) > 0 {
		n := min(piece, len(b))
		if _, err := to.Write(b[:n]); err != nil {
			c.end()
			return err
		}
		b = b[n:]
		if len(b) > 0 && p.is(Bandwidth) {
			p.sleep(c, 50*time.Millisecond)
		}
	}
	return nil
}

func (p *Proxy) slices(c *pair, to *net.TCPConn, b []byte) error {
	for len(b) > 0 {
		n := min(1+rand.IntN(3), len(b))
		if _, err := to.Write(b[:n]); err != nil {
			c.end()
			return err
		}
		b = b[n:]
		if rand.IntN(16) == 0 {
			p.sleep(c, 50*time.Microsecond)
		}
	}
	return nil
}

func (p *Proxy) is(kind Kind) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kind == kind
}

// untilHealed holds bytes as a network does that carries nothing: they come
// when it works again.
func (p *Proxy) untilHealed(c *pair) {
	stop := context.AfterFunc(c.ended, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.change.Broadcast()
	})
	defer stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.kind == OneWay && c.ended.Err() == nil {
		p.change.Wait()
	}
}
