package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// copyModules copies the plain modules of src as they are and returns their
// names. The package needs no bundler: a browser loads these files directly.
func copyModules(src, dist string) (map[string]bool, error) {
	kept := map[string]bool{}
	err := filepath.WalkDir(src, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(src, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.MkdirAll(filepath.Join(dist, relative), 0o755)
		}
		if !isModule(entry.Name()) && !strings.HasSuffix(entry.Name(), ".d.ts") {
			return nil
		}
		kept[filepath.ToSlash(relative)] = true
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return writeIfChanged(filepath.Join(dist, relative), data)
	})
	return kept, err
}

func isModule(name string) bool {
	switch filepath.Ext(name) {
	case ".js", ".css", ".json":
		return true
	}
	return false
}

// writeIfChanged keeps the time of a file whose content stays, so that what
// depends on it is not made again.
func writeIfChanged(file string, data []byte) error {
	if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return os.WriteFile(file, data, 0o644)
}

// generated are the modules of dist that come from no file in src.
var generated = map[string]bool{"wasm_exec.js": true, "build-info.js": true, "build-info.json": true}

// prune removes the modules of an earlier build whose source is gone. Types
// and WebAssembly files have makers of their own and stay.
func prune(dist string, kept map[string]bool) error {
	return filepath.WalkDir(dist, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		relative, err := filepath.Rel(dist, path)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.ToSlash(relative), ".br"), ".gz")
		if !isModule(name) || kept[name] || generated[name] {
			return nil
		}
		return os.Remove(path)
	})
}
