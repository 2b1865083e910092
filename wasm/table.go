//go:build js && wasm

package main

import "github.com/hack-pad/safejs"

// entry is a function that JavaScript calls with integers: handles, numbers of
// streams, lengths of what it wrote into the inbox. It returns the length of
// the frame in the outbox.
type entry func(args) int

// args are the integers of a call; those that were not given are 0.
type args [maxArgs]int

const maxArgs = 8

// table is one exported object.
type table struct {
	name    string
	entries map[string]entry
}

// export puts a table on the global object. Its functions are made once and
// live as long as the program: their number never grows (B150).
func export(global safejs.Value, t table) error {
	constructor, err := global.Get("Object")
	if err != nil {
		return err
	}
	object, err := constructor.New()
	if err != nil {
		return err
	}
	for name, call := range t.entries {
		fn, err := safejs.FuncOf(guarded(call))
		if err != nil {
			return err
		}
		if err := object.Set(name, fn); err != nil {
			return err
		}
	}
	return global.Set(t.name, object)
}

// guarded adapts an entry and turns a panic into the error "internal", so that
// the instance lives on.
func guarded(call entry) func(safejs.Value, []safejs.Value) any {
	return func(_ safejs.Value, given []safejs.Value) (length any) {
		defer func() {
			if recover() != nil {
				length = host.Internal()
			}
		}()
		var numbers args
		for i := range min(len(given), maxArgs) {
			n, err := given[i].Int()
			if err != nil {
				return host.Internal()
			}
			numbers[i] = n
		}
		return call(numbers)
	}
}
