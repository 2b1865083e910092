package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/svedawasm/svedawasm/web/internal/slim"
)

// target is one WebAssembly file of the package.
type target struct {
	file string // its name in web/dist
	tags string // the build tags that tell it from the others
}

const socketsFile = "sveda-ws.wasm"

// targets are the builds that the loader chooses from.
var targets = []target{
	{file: "sveda.wasm"},
	// A browser's WebSocket makes no request through net/http.
	{file: socketsFile, tags: "websocket,nethttpomithttp2"},
}

// probe is the build whose entries fail on purpose; tests load it.
var probe = target{file: "probe.wasm", tags: "probe"}

// fast are the packages whose functions are inlined: each byte of a stream goes
// through ours, and all that is allocated, collected and started through the
// runtime's. Everywhere else a call costs less than its copies: without them the
// file is a tenth smaller (docs/size.md).
var fast = []string{
	"github.com/svedawasm/svedawasm/session/sse",
	"github.com/svedawasm/svedawasm/session/rawjson",
	"runtime",
	"internal/runtime/...",
}

// compilerFlags are the -gcflags of every target; the last that matches counts.
func compilerFlags() []string {
	flags := []string{"-gcflags=all=-l"}
	for _, pattern := range fast {
		flags = append(flags, "-gcflags="+pattern+"=")
	}
	return flags
}

// sources are the folders and files that decide the bytes of a WebAssembly build.
var sources = []string{"go.mod", "go.sum", "session", "toolregistry", "wasm", "web/internal/build", "web/internal/slim"}

// build compiles the target unless its sources are those of the last build:
// a link takes seconds, a hash of the sources milliseconds.
func (t target) build(root, dist, version string) error {
	out := filepath.Join(dist, t.file)
	modfile, err := trimMsgp(root)
	if err != nil {
		return err
	}
	flags := append([]string{
		"build", "-trimpath", "-buildvcs=false", "-modfile=" + modfile,
		"-ldflags=-s -w -buildid= -X main.version=" + version,
		"-tags=" + t.tags,
	}, compilerFlags()...)
	stamp, err := sourceStamp(root, flags)
	if err != nil {
		return err
	}
	stampFile := filepath.Join(dist, "."+t.file+".stamp")
	if old, err := os.ReadFile(stampFile); err == nil && string(old) == stamp {
		if _, err := os.Stat(out); err == nil {
			return nil
		}
	}
	absolute, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	cmd := exec.Command("go", append(flags, "-o", absolute, "./wasm")...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=", "GOWORK=off")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return err
	}
	if err := slimDown(absolute); err != nil {
		return err
	}
	for _, stale := range []string{".br", ".gz"} {
		if err := os.Remove(out + stale); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return os.WriteFile(stampFile, []byte(stamp), 0o644)
}

// slimDown rewrites a file so that it compresses better.
func slimDown(path string) error {
	file, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	small, dropped, err := slim.Module(file)
	if err != nil {
		return err
	}
	if !dropped {
		fmt.Fprintf(os.Stderr, "build: the function table of %s is not of the known shape: the file keeps its line numbers\n", runtime.Version())
	}
	return os.WriteFile(path, small, 0o755)
}

// sourceStamp is a hash of everything that decides a build's bytes.
func sourceStamp(root string, flags []string) (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, runtime.Version(), strings.Join(flags, " "))
	for _, source := range sources {
		err := filepath.WalkDir(filepath.Join(root, source), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			name := entry.Name()
			if strings.HasSuffix(name, "_test.go") || !(strings.HasSuffix(name, ".go") || name == source) {
				return nil
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			relative, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			fmt.Fprintf(sum, "%s %d\n", filepath.ToSlash(relative), len(data))
			sum.Write(data)
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// packageVersion reads the one place where the version is written.
func packageVersion(file string) (string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	var manifest struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		return "", fmt.Errorf("reading %s: %w", file, err)
	}
	if manifest.Version == "" {
		return "", fmt.Errorf("reading %s: no version", file)
	}
	return manifest.Version, nil
}
