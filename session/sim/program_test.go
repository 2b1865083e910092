//go:build !js

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The program is built anew, so that a test with the race detector does not slow
// it down tenfold.
func build(t *testing.T, env ...string) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command here")
	}
	file := filepath.Join(t.TempDir(), "sim")
	cmd := exec.Command("go", "build", "-o", file, ".")
	cmd.Env = append(os.Environ(), env...)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building the simulation: %v\n%s", err, text)
	}
	return file
}

func TestR41_TenThousandSeedsAndR42_AllComeToRest(t *testing.T) {
	seeds := "10000"
	if testing.Short() {
		seeds = "500"
	}
	text, err := exec.Command(build(t), "-seeds", seeds).CombinedOutput()
	t.Logf("\n%s", text)
	if err != nil {
		t.Error(err)
	}
	if !testing.Short() && !strings.Contains(string(text), "fault pairs that met in one run: 741 of 741") {
		t.Error("not all pairs of faults met")
	}
}

func TestR40_WebAssemblyPlaysTheSameRuns(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node here")
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("no go command here")
	}
	const seeds = "150"
	native, err := exec.Command(build(t), "-seeds", seeds, "-hash").Output()
	if err != nil {
		t.Fatal(err)
	}
	// A js program of Go does not start in an environment above 8 KB.
	cmd := exec.Command(node, "--stack-size=8192", filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec_node.js"),
		build(t, "GOOS=js", "GOARCH=wasm"), "-seeds", seeds, "-hash")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	inNode, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if string(native) != string(inNode) {
		t.Errorf("trace hash %s natively, %s in Node", native, inNode)
	}
	t.Logf("%s seeds: trace hash %s in both", seeds, strings.TrimSpace(string(native)))
}

func TestR44_TheModelHoldsAndTheRealSessionFollowsIt(t *testing.T) {
	if testing.Short() {
		t.Skip("the whole model takes half a minute")
	}
	text, err := exec.Command(build(t), "-model").CombinedOutput()
	t.Logf("\n%s", text)
	if err != nil {
		t.Error(err)
	}
}
