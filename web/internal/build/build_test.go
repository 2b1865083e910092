package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func toolchainGlue(t *testing.T) string {
	t.Helper()
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestR6_GlueIsScoped holds the wrap to the file of this toolchain.
func TestR6_GlueIsScoped(t *testing.T) {
	scoped, err := scopeGlue(toolchainGlue(t), runtime.Version())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(scoped, "\tfs.writeSync(") {
		t.Error("a free use of fs is left")
	}
	if !strings.HasPrefix(scoped, "// Generated") || !strings.Contains(scoped, "export function loadGo(own)") {
		t.Errorf("expected a module that exports loadGo, got %q", scoped[:200])
	}
}

func TestR6_UnknownGlueIsRefused(t *testing.T) {
	text := toolchainGlue(t)
	for name, changed := range map[string]string{
		"no use":   strings.ReplaceAll(text, "\tfs.writeSync(", "\twrite("),
		"two uses": strings.Replace(text, "\tfs.writeSync(", "\tfs.writeSync(\n\tfs.writeSync(", 1),
	} {
		if _, err := scopeGlue(changed, "go0"); err == nil || !strings.Contains(err.Error(), "expected 1 free use") {
			t.Errorf("%s: expected a refusal, got %v", name, err)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestModulesAreCopiedAndPruned(t *testing.T) {
	src, dist := t.TempDir(), t.TempDir()
	write(t, filepath.Join(src, "a.js"), "a")
	write(t, filepath.Join(src, "card", "b.css"), "b")
	write(t, filepath.Join(src, "notes.txt"), "no module")
	write(t, filepath.Join(dist, "gone.js"), "old")
	write(t, filepath.Join(dist, "gone.js.br"), "old")
	write(t, filepath.Join(dist, "wasm_exec.js"), "made")
	write(t, filepath.Join(dist, "sveda.wasm"), "made")
	kept, err := copyModules(src, dist)
	if err != nil {
		t.Fatal(err)
	}
	if err := prune(dist, kept); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"a.js": true, "card/b.css": true, "wasm_exec.js": true, "sveda.wasm": true,
		"notes.txt": false, "gone.js": false, "gone.js.br": false,
	} {
		_, err := os.Stat(filepath.Join(dist, filepath.FromSlash(name)))
		if got := err == nil; got != want {
			t.Errorf("%s: expected it to be there: %v, got %v", name, want, got)
		}
	}
}

func TestStampFollowsSources(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "go.mod"), "module m")
	write(t, filepath.Join(root, "go.sum"), "")
	for _, dir := range []string{"session", "toolregistry", "wasm", "web/internal/build", "web/internal/slim"} {
		write(t, filepath.Join(root, dir, "x.go"), "package x")
	}
	stamp := func(flags ...string) string {
		t.Helper()
		s, err := sourceStamp(root, flags)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := stamp("-a")
	write(t, filepath.Join(root, "session", "x_test.go"), "package x")
	write(t, filepath.Join(root, "session", "testdata", "x.txt"), "data")
	if stamp("-a") != first {
		t.Error("tests and their data must not cause a build")
	}
	if stamp("-b") == first {
		t.Error("other flags must cause a build")
	}
	write(t, filepath.Join(root, "session", "x.go"), "package x // changed")
	if stamp("-a") == first {
		t.Error("a changed source must cause a build")
	}
}

func TestPackageVersion(t *testing.T) {
	file := filepath.Join(t.TempDir(), "package.json")
	write(t, file, `{"version":"1.2.3"}`)
	if got, err := packageVersion(file); err != nil || got != "1.2.3" {
		t.Errorf("got %q, %v", got, err)
	}
	write(t, file, `{}`)
	if _, err := packageVersion(file); err == nil {
		t.Error("expected an error without a version")
	}
}

// TestR5_Reproducible builds the same sources in another folder.
func TestR5_Reproducible(t *testing.T) {
	if testing.Short() {
		t.Skip("builds twice")
	}
	root := filepath.Join("..", "..", "..")
	one, two := t.TempDir(), t.TempDir()
	for _, dir := range []string{one, two} {
		if err := (target{file: "x.wasm"}).build(root, dir, "0.0.0"); err != nil {
			t.Fatal(err)
		}
	}
	a, err := os.ReadFile(filepath.Join(one, "x.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(two, "x.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Error("two builds of the same sources differ")
	}
}
