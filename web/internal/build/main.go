// Command build makes web/dist with Go alone: the WebAssembly files, the
// scoped wasm_exec.js of this toolchain, the modules of web/src, the
// precompressed copies and build-info.json.
//
// Run it at the repository's root:
//
//	go run ./web/internal/build [-compress=false] [-sockets=false]
//	go run ./web/internal/build -probe web/test/output
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	root := flag.String("root", ".", "the repository's root")
	compress := flag.Bool("compress", true, "write .br and .gz beside each file")
	sockets := flag.Bool("sockets", true, "also build the file with WebSockets")
	probeDir := flag.String("probe", "", "only build probe.wasm, which tests load, into this folder")
	flag.Parse()
	err := error(nil)
	if *probeDir != "" {
		err = buildProbe(*root, *probeDir)
	} else {
		err = run(*root, *compress, *sockets)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n", err)
		os.Exit(1)
	}
}

func run(root string, compress, sockets bool) error {
	dist := filepath.Join(root, "web", "dist")
	if err := os.MkdirAll(dist, 0o755); err != nil {
		return err
	}
	version, err := packageVersion(filepath.Join(root, "web", "package.json"))
	if err != nil {
		return err
	}
	for _, target := range targets {
		if target.file == socketsFile && !sockets {
			continue
		}
		if err := target.build(root, dist, version); err != nil {
			return fmt.Errorf("building %s: %w", target.file, err)
		}
	}
	kept, err := copyModules(filepath.Join(root, "web", "src"), dist)
	if err != nil {
		return fmt.Errorf("copying modules: %w", err)
	}
	if err := writeGlue(dist); err != nil {
		return fmt.Errorf("scoping wasm_exec.js: %w", err)
	}
	if compress {
		if err := compressAll(dist); err != nil {
			return fmt.Errorf("compressing: %w", err)
		}
	}
	info, err := describe(dist, version)
	if err != nil {
		return fmt.Errorf("describing the build: %w", err)
	}
	if err := info.write(dist); err != nil {
		return err
	}
	return prune(dist, kept)
}

func buildProbe(root, dir string) error {
	version, err := packageVersion(filepath.Join(root, "web", "package.json"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return probe.build(root, dir, version)
}
