package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/andybalholm/brotli"
)

// bundle is what a page gets of the modules, minified by esbuild.
type bundle struct {
	name, what string
	source     string // an entry module in web/dist
	external   string // what is not counted
	raw        int
	brotli     int
	budget     int // 0 for none
}

// moduleBudget is for loader, driver and view together.
const moduleBudget = 8 << 10

// measureModules bundles each entry with everything that it imports.
func measureModules() ([]bundle, error) {
	bundles := []bundle{
		{
			name: "loader+driver+view", budget: moduleBudget, external: "--external:./wasm_exec.js",
			what:   "with all that they import but Go's wasm_exec.js, minified",
			source: "export { loader } from './load.js'; export { Driver } from './driver.js'; export { View } from './view.js';",
		},
		{
			name: "index.js", what: "the whole package with wasm_exec.js, minified",
			source: "export * from './index.js';",
		},
	}
	for i := range bundles {
		b := &bundles[i]
		args := []string{"--no-install", "esbuild", "--bundle", "--minify", "--format=esm", "--log-level=error"}
		if b.external != "" {
			args = append(args, b.external)
		}
		cmd := exec.Command("npx", args...)
		cmd.Dir = "web/dist"
		cmd.Stdin = strings.NewReader(b.source)
		cmd.Stderr = os.Stderr
		text, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("bundling %s: %w", b.name, err)
		}
		var packed bytes.Buffer
		w := brotli.NewWriterLevel(&packed, brotli.BestCompression)
		if _, err := w.Write(text); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
		b.raw, b.brotli = len(text), packed.Len()
	}
	return bundles, nil
}
