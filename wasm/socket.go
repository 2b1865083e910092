//go:build js && wasm && websocket

package main

import (
	"github.com/hack-pad/safejs"

	"github.com/svedawasm/svedawasm/wasm/socket"
)

// The build with the tag websocket has a table more, and the data path's export
// for what a socket has brought.

var sockets = socket.New(host, wake, func(told func()) { told() })

func init() {
	tables = append(tables, table{"SvedaSocket", map[string]entry{
		"open":    func(a args) int { return sockets.Open(a[0], a[1], a[2]) },
		"close":   func(a args) int { return sockets.Close(a[0]) },
		"request": func(a args) int { return sockets.Request(a[0], a[1], a[2]) },
		"connect": func(a args) int { return sockets.Connect(a[0], a[1], a[2], a[3]) },
		"cancel":  func(a args) int { return sockets.Cancel(a[0], a[1]) },
		"fire":    func(a args) int { return sockets.Fire(a[0], a[1]) },
		"hint":    func(a args) int { return sockets.Hint(a[0]) },
		"flush":   func(a args) int { return sockets.Flush(a[0]) },
	}})
}

//go:wasmexport pull
func pull(handle int32) (left int32) {
	defer guard(&left)
	return int32(sockets.Pull(int(handle)))
}

// wake asks the page to call pull, once this call into Go is over.
func wake(handle int) {
	fn, err := safejs.Global().Get("svedaWake")
	if err != nil {
		return // the page is not ours; the next call takes what has arrived
	}
	_, _ = fn.Invoke(handle)
}
