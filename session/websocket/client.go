package websocket

import "math/rand/v2"

// Config fixes a client at its creation. Durations are ms; 0 is the default.
type Config struct {
	// Seed feeds the jitter of reconnects; it must be random for each client.
	Seed [2]uint64
	// Fallback ends requests with Unavailable when the first attempts show
	// that the server, or something on the way, does not do WebSocket.
	Fallback bool

	Handshake int // for the socket and the welcome together; default 10,000
	Backoff   int // ceiling of the first wait; default 500
	MaxWait   int // ceiling of any wait; default 30,000
	Stable    int // a socket that lived so long makes the waits short again; default 10,000
	Silence   int // without a frame an open socket is taken for dead; default 45,000
	Idle      int // without a request an open socket is closed; default 60,000
	GiveUp    int // without a socket the requests are ended; default 120,000
}

// Client is the client's end of a link. Its inputs are method calls, after each
// of which the driver calls Flush and does the effects. It is not safe for
// concurrent use.
type Client struct {
	cfg    Config
	random *rand.Rand
	now    int64 // ms
	phase  phase
	conn   int // number of the newest socket

	codec   Codec
	link    string // "" before the first welcome and after a gap
	seq     uint64 // last numbered frame that was taken
	unacked int    // bytes taken since the last ack
	credit  int    // bytes that the server sends ahead
	limit   int    // cap of a message to the server

	requests []*request
	lastID   uint64

	attempt    int // sockets since the last stable one
	heard      int64
	welcomedAt int64
	busyAt     int64 // when the last request ended
	hintedAt   int64 // when a hint last cut a wait short
	hinted     bool
	welcomed   bool // this server speaks the protocol
	refreshed  bool // the token was fetched again and has not led to anything yet
	given      bool // GiveUpTimer runs

	state   string
	effects []Effect
}

type phase uint8

const (
	idle     phase = iota
	backoff        // waiting before the next attempt
	dialing        // the socket is being opened
	greeting       // hello is sent
	open
	closed
)

var stateWords = [...]string{"idle", "waiting", "connecting", "connecting", "open", "closed"}

// New makes a client. It opens nothing until the first request.
func New(cfg Config) *Client {
	cfg.Handshake = or(cfg.Handshake, 10_000)
	cfg.Backoff = or(cfg.Backoff, 500)
	cfg.MaxWait = or(cfg.MaxWait, 30_000)
	cfg.Stable = or(cfg.Stable, 10_000)
	cfg.Silence = or(cfg.Silence, 45_000)
	cfg.Idle = or(cfg.Idle, 60_000)
	cfg.GiveUp = or(cfg.GiveUp, 120_000)
	return &Client{
		cfg: cfg, random: rand.New(rand.NewPCG(cfg.Seed[0], cfg.Seed[1])), state: stateWords[idle],
		limit: MaxMessage,
	}
}

func or(value, standard int) int {
	if value == 0 {
		return standard
	}
	return value
}

// At tells the time, in ms of a clock that only goes forward.
func (c *Client) At(ms int64) { c.now = max(c.now, ms) }

// Flush takes the effects of the inputs since the last Flush. They are the
// caller's own.
func (c *Client) Flush() []Effect {
	if word := stateWords[c.phase]; word != c.state {
		c.state = word
		c.effect(Effect{Kind: State})
	}
	effects := c.effects
	c.effects = nil
	return effects
}

// State is what a page may show of the link: idle, connecting, open, waiting
// (for the next attempt) or closed.
func (c *Client) State() string { return c.state }

func (c *Client) effect(e Effect) { c.effects = append(c.effects, e) }

// Request sends the body of a turn; stream is the caller's number for it.
func (c *Client) Request(stream int, body []byte) {
	if c.phase == closed {
		c.effect(Effect{Kind: End, Stream: stream, Reason: Lost})
		return
	}
	c.lastID++
	r := &request{id: c.lastID, stream: stream, body: body}
	c.requests = append(c.requests, r)
	switch c.phase {
	case open:
		c.sendRequest(r)
	case idle:
		c.dial()
		c.startGiveUp()
	case backoff:
		c.Hint()
	}
}

// Cancel says that the response to stream is of no interest: nothing comes of
// it any more.
func (c *Client) Cancel(stream int) {
	r := c.requestOf(stream)
	if r == nil {
		return
	}
	r.cancelled, r.body = true, nil
	switch {
	case !r.sent:
		c.drop(r)
	case c.phase == open:
		c.write(&Frame{Type: TypeCancel, ID: r.id})
	}
}

// Hint says that the network may be back (online, the page is visible again).
// It may cut a wait short, but not more often than the longest wait allows, so
// that a flickering signal causes no storm (R33).
func (c *Client) Hint() {
	if c.phase != backoff || c.hinted && c.now-c.hintedAt < int64(c.cfg.MaxWait) {
		return
	}
	c.hinted, c.hintedAt = true, c.now
	c.dial()
}

// Close ends the link. Nothing comes of it any more.
func (c *Client) Close() {
	if c.phase == closed {
		return
	}
	if c.phase == dialing || c.phase == greeting || c.phase == open {
		c.hangup(CloseNormal)
	}
	c.phase, c.requests, c.link = closed, nil, ""
	c.clear(ConnectTimer)
	c.clear(LifeTimer)
	c.stopGiveUp()
}

func (c *Client) hangup(code int) { c.effect(Effect{Kind: Hangup, Conn: c.conn, Code: code}) }

func (c *Client) set(t Timer, delay int) {
	c.effect(Effect{Kind: SetTimer, Timer: t, Delay: max(delay, 1)})
}

func (c *Client) clear(t Timer) { c.effect(Effect{Kind: ClearTimer, Timer: t}) }

func (c *Client) write(f *Frame) {
	c.effect(Effect{Kind: Write, Conn: c.conn, Data: c.codec.Append(nil, f), Text: c.codec.Text()})
}
