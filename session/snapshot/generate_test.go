//go:build !js

package snapshot

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The generated code is that of the pinned msgp for wire.go as it is.
func TestTheGeneratedCodeIsCurrent(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command here")
	}
	out := filepath.Join(t.TempDir(), "wire_gen.go")
	cmd := exec.Command("go", "run", "github.com/tinylib/msgp", "-file", "wire.go", "-o", out,
		"-io=false", "-tests=false", "-unexported")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("msgp: %v\n%s", err, text)
	}
	want, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("wire_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("wire_gen.go is stale: run go generate ./session/snapshot")
	}
}
