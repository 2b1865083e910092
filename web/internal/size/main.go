// Command size prints the sizes of the built WebAssembly files and of the
// minified modules, and fails when one is over its budget.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// budgets are in bytes of brotli (DESIGN.md, "Measured facts"; the table of
// prices is in docs/size.md).
var budgets = map[string]int64{
	"sveda.wasm":    740_000,
	"sveda-ws.wasm": 1_190_000,
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "size: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	data, err := os.ReadFile("web/dist/build-info.json")
	if err != nil {
		return err
	}
	var info struct {
		Files map[string]struct{ Bytes, Gzip, Brotli int64 }
	}
	if err := json.Unmarshal(data, &info); err != nil {
		return err
	}
	fmt.Printf("%-18s %10s %10s %10s %10s\n", "file", "raw", "gzip", "brotli", "budget")
	over := 0
	names := make([]string, 0, len(info.Files))
	for name := range info.Files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		file, budget := info.Files[name], budgets[name]
		fmt.Printf("%-18s %10d %10d %10d %10d\n", name, file.Bytes, file.Gzip, file.Brotli, budget)
		if file.Brotli == 0 || file.Brotli > budget {
			over++
		}
	}
	modules, err := measureModules()
	if err != nil {
		return err
	}
	for _, m := range modules {
		fmt.Printf("%-18s %10d %10s %10d %10d  %s\n", m.name, m.raw, "", m.brotli, m.budget, m.what)
		if m.budget > 0 && m.brotli > m.budget {
			over++
		}
	}
	if over > 0 {
		return fmt.Errorf("%d over budget or without a brotli copy", over)
	}
	return nil
}
