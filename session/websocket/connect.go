package websocket

// dial begins an attempt at once.
func (c *Client) dial() {
	c.conn++
	c.phase = dialing
	c.effect(Effect{Kind: Dial, Conn: c.conn})
	c.set(ConnectTimer, c.cfg.Handshake)
}

// Wants says whether socket conn shall still be opened: fetching a token may
// have taken too long.
func (c *Client) Wants(conn int) bool { return conn == c.conn && c.phase == dialing }

// Opened takes socket conn: it is open and speaks protocol; token is what the
// server is to know the client by.
func (c *Client) Opened(conn int, protocol, token string) {
	if !c.Wants(conn) {
		return
	}
	codec, known := CodecOf(protocol)
	if !known {
		c.hangup(CloseProtocol)
		c.lost()
		return
	}
	c.codec, c.phase = codec, greeting
	c.write(&Frame{Type: TypeHello, Token: token, Link: c.link, Seq: c.seq})
}

// Closed takes the end of socket conn, or the failure to open it; code is 0
// when there was none.
func (c *Client) Closed(conn, code int) {
	if conn != c.conn || c.phase != dialing && c.phase != greeting && c.phase != open {
		return // of an old socket (R5)
	}
	switch status := StatusOf(code); {
	case status == 401 && c.phase == open && !c.refreshed:
		// The token ran out under an open socket; Dial fetches a fresh one. At
		// the start it was fresh, so that a refusal there is final (R11).
		c.refreshed = true
		c.clear(LifeTimer)
		c.dial()
		c.startGiveUp()
	case status != 0 && !passing(status):
		c.refuse(status)
	case code == CloseSuperseded:
		c.forgetLink() // somebody else goes on with it
		c.lost()
	default:
		c.lost()
	}
}

// passing says that a status may be another one soon (R11).
func passing(status int) bool {
	return status == 408 || status == 425 || status == 429 || status >= 500
}

// TokenFailed says that the page could not give a token for socket conn.
func (c *Client) TokenFailed(conn int) {
	if c.Wants(conn) {
		c.endAll(NoToken)
		c.rest()
	}
}

// Fire takes a timer that has run out.
func (c *Client) Fire(t Timer) {
	switch t {
	case ConnectTimer:
		switch c.phase {
		case backoff:
			c.dial()
		case dialing, greeting:
			c.hangup(CloseTimeout)
			c.lost()
		}
	case LifeTimer:
		if c.phase == open {
			c.look()
		}
	case GiveUpTimer:
		if c.phase != open && c.phase != closed {
			c.given = false
			c.giveUp()
		}
	}
}

// look ends a socket that is silent or that nobody needs.
func (c *Client) look() {
	silent := c.now - c.heard
	unused := c.now - c.busyAt
	switch {
	case silent >= int64(c.cfg.Silence):
		c.hangup(CloseTimeout)
		c.lost()
	case len(c.requests) == 0 && unused >= int64(c.cfg.Idle):
		c.hangup(CloseNormal)
		c.rest()
	default:
		rest := int64(c.cfg.Silence) - silent
		if len(c.requests) == 0 {
			rest = min(rest, int64(c.cfg.Idle)-unused)
		}
		c.set(LifeTimer, int(rest))
	}
}

// lost goes on after a socket that broke: by another attempt when something
// waits for it.
func (c *Client) lost() {
	if c.phase == open && c.now-c.welcomedAt >= int64(c.cfg.Stable) {
		c.attempt = 0
	}
	c.clear(ConnectTimer)
	c.clear(LifeTimer)
	c.dropCancelled()
	switch {
	case c.cfg.Fallback && !c.welcomed:
		c.endAll(Unavailable)
		c.rest()
	case len(c.requests) == 0:
		c.rest()
	default:
		c.phase = backoff
		c.startGiveUp()
		c.set(ConnectTimer, c.wait())
		c.attempt++
	}
}

// wait is full jitter: uniform from 0 to the ceiling, which doubles with each
// attempt (R4).
func (c *Client) wait() int {
	ceiling := c.cfg.MaxWait
	if c.attempt < 16 {
		ceiling = min(ceiling, c.cfg.Backoff<<c.attempt)
	}
	return c.random.IntN(ceiling + 1)
}

// rest closes the link: nothing waits for it.
func (c *Client) rest() {
	c.phase, c.link, c.seq, c.unacked, c.attempt = idle, "", 0, 0, 0
	c.clear(ConnectTimer)
	c.clear(LifeTimer)
	c.stopGiveUp()
}

func (c *Client) giveUp() {
	if c.phase == dialing || c.phase == greeting {
		c.hangup(CloseTimeout)
	}
	c.endAll(Lost)
	c.rest()
}

func (c *Client) startGiveUp() {
	if !c.given {
		c.given = true
		c.set(GiveUpTimer, c.cfg.GiveUp)
	}
}

func (c *Client) stopGiveUp() {
	if c.given {
		c.given = false
		c.clear(GiveUpTimer)
	}
}
