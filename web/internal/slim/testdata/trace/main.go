// Command trace works the parts of the runtime that read the function table:
// the collector on deep and growing stacks, deferred calls, panics and traces.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

type node struct {
	next *node
	pad  [100]byte
}

//go:noinline
func deep(n int, list *node) (sum int) {
	defer func() {
		if e := recover(); e != nil {
			sum += e.(int)
		}
	}()
	if n%100 == 0 {
		runtime.GC()
	}
	if n == 0 {
		panic(1)
	}
	list = &node{next: list}
	return deep(n-1, list) + int(list.pad[n%100]) + 1
}

//go:noinline
func fails(at *node) *node { return at.next }

func main() {
	fmt.Println(deep(5000, nil))
	var kept []*node
	for i := range 200_000 {
		if n := (&node{}); i%100 == 0 {
			kept = append(kept, n)
		}
	}
	done := make(chan int)
	go func() { done <- deep(300, nil) }()
	fmt.Println(<-done, len(kept))
	pc := make([]uintptr, 1)
	runtime.Callers(1, pc)
	frame, _ := runtime.CallersFrames(pc).Next()
	fmt.Println(frame.Function)
	defer func() {
		fmt.Println(recover())
		stack := string(debug.Stack())
		fmt.Println("names:", strings.Contains(stack, "main.fails("), "lines:", strings.Contains(stack, "main.go:"))
		os.Stdout.Sync()
		panic("the end")
	}()
	fails(nil)
}
