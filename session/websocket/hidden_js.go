//go:build js

package websocket

import "github.com/hack-pad/safejs"

// The page's side gives the program a WebSocket class that remembers the close
// code of each socket by its number (web/src/socket.js). Without that class the
// code stays unknown, which the protocol survives.
const (
	numberName = "svedaSocketNumber"
	codesName  = "svedaCloseCodes"
)

// available says whether the platform has WebSockets: without the class the
// library would panic.
func available() bool {
	class, err := safejs.Global().Get("WebSocket")
	return err == nil && class.Type() == safejs.TypeFunction
}

// tellNumber names the socket that is made next. Nothing can come between: the
// library makes it before it waits for anything.
func tellNumber(number int) {
	_ = safejs.Global().Set(numberName, number)
}

// hiddenCode is the close code of a socket, 0 when it is not known.
func hiddenCode(number int) int {
	codes, err := safejs.Global().Get(codesName)
	if err != nil || codes.Type() != safejs.TypeObject {
		return 0
	}
	code, err := codes.Index(number)
	if err != nil || code.Type() != safejs.TypeNumber {
		return 0
	}
	n, err := code.Int()
	if err != nil {
		return 0
	}
	return n
}
