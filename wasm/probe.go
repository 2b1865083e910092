//go:build js && wasm && probe

package main

// The probe build adds entries that fail on purpose, for tests of what a page
// sees then (WASM.md 2.6, 2.8, R20). It is never published.

func init() {
	tables = append(tables, table{"SvedaProbe", map[string]entry{
		"panic":          func(args) int { panic("probe") },
		"goroutinePanic": func(args) int { go func() { panic("probe in a goroutine") }(); return 0 },
		"deadlock":       func(args) int { <-make(chan int); return 0 },
		"deep":           func(a args) int { return deep(a[0]) },
	}})
}

//go:wasmexport probePanic
func probePanic() (left int32) {
	defer guard(&left)
	panic("probe")
}

//go:wasmexport probeDeep
func probeDeep(depth int32) int32 { return int32(deep(int(depth))) }

// deep uses the stack without bound.
func deep(n int) int {
	var room [64]int
	if n > 0 {
		room[n%64] = deep(n - 1)
	}
	return room[n%64] + 1
}
