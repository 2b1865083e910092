//go:build js && wasm

// Command wasm is the WebAssembly build: it hands the page the tables
// SvedaChatSession, SvedaToolRegistry and their companions, and then waits for
// calls. The JavaScript classes of the same names are faces over these tables
// (design, "The boundary").
package main

import (
	"github.com/hack-pad/safejs"

	"github.com/svedawasm/svedawasm/wasm/bridge"
)

// version is set by the build; the loader refuses a file of another release.
var version = "development"

// host is what every entry works on. Calls never overlap: JavaScript has one
// thread and no entry calls back into it.
var host = bridge.New()

func main() {
	global := safejs.Global()
	for _, t := range tables {
		must(export(global, t))
	}
	must(global.Set("svedaVersion", version))
	select {}
}

// must stops the program at its start; the loader then reports that the core
// exited, with this text.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
