package websocket

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"nhooyr.io/websocket"
)

// Socket is one WebSocket connection. This file is the only one that knows the
// library: its successor is github.com/coder/websocket. In a browser the
// library has traps, each with a browser test (docs/websocket.md):
//
//   - It can close a socket with 1000 and 3000 to 4999 only; with another code,
//     which it uses itself on a timeout and on a message over the limit, the
//     close fails and the socket stays open. So no read and no dial has a
//     deadline here, and after any failed read the socket is closed again.
//   - It loses the close code; hiddenCode asks the page's side for it.
//   - Its read limit is 32 KiB until it is set.
//   - It drops messages that nobody has read when the close comes. So the
//     reader never waits for anything but the next message.
type Socket struct {
	conn   *websocket.Conn
	number int
}

var (
	errRedirect    = errors.New("opening a WebSocket: the server sent the handshake elsewhere")
	errUnavailable = errors.New("opening a WebSocket: this platform has none")
)

// OpenSocket connects to url (ws or wss). number is for hiddenCode.
func OpenSocket(ctx context.Context, number int, url string, protocols []string) (*Socket, error) {
	if !available() {
		return nil, errUnavailable
	}
	tellNumber(number)
	conn, response, err := websocket.Dial(ctx, url, &websocket.DialOptions{Subprotocols: protocols})
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(MaxMessage)
	s := &Socket{conn, number}
	if response != nil && response.Request != nil && !sameHost(url, response.Request) {
		// The token would follow (S63). A browser refuses by itself.
		s.Close(CloseNormal)
		return nil, errRedirect
	}
	return s, nil
}

func sameHost(url string, r *http.Request) bool {
	_, rest, _ := strings.Cut(url, "://")
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	return strings.EqualFold(rest[:end], r.URL.Host)
}

// Accept answers a handshake; origins are patterns of hosts whose pages may
// connect beside the server's own. On an error the response is written.
// Messages are small until Known.
func Accept(w http.ResponseWriter, r *http.Request, origins []string) (*Socket, error) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: Protocols, OriginPatterns: origins})
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(helloLimit)
	return &Socket{conn: conn}, nil
}

// helloLimit is how much a client may send before it is known, in bytes.
const helloLimit = 64 << 10

// Known lets the other end send messages up to MaxMessage.
func (s *Socket) Known() { s.conn.SetReadLimit(MaxMessage) }

// Protocol is the subprotocol that both ends agreed on, "" for none.
func (s *Socket) Protocol() string { return s.conn.Subprotocol() }

// Read waits for the next message. After an error the socket is closed, and
// code is the code of the close, 0 when none is known.
func (s *Socket) Read() (message []byte, text bool, code int, err error) {
	kind, message, err := s.conn.Read(context.Background())
	if err == nil {
		return message, kind == websocket.MessageText, 0, nil
	}
	code = int(websocket.CloseStatus(err))
	if code < 0 {
		code = hiddenCode(s.number)
	}
	// Natively it is closed already; in a browser a message over the limit
	// left it open, and the close waits for the other end.
	go s.Close(CloseProtocol)
	return nil, false, code, err
}

// Write sends a message. Natively it waits while the network is slow; ctx can
// end that, and the socket with it.
func (s *Socket) Write(ctx context.Context, message []byte, text bool) error {
	kind := websocket.MessageBinary
	if text {
		kind = websocket.MessageText
	}
	return s.conn.Write(ctx, kind, message)
}

// Close closes with code, which must be 1000 or from 3000 to 4999. It waits for
// the other end, natively for at most ten seconds.
func (s *Socket) Close(code int) { _ = s.conn.Close(websocket.StatusCode(code), "") }
