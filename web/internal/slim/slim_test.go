package slim

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// build compiles testdata/trace.
func build(t testing.TB) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "trace.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out, "./testdata/trace")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=", "GOWORK=off")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	file, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// run runs a file under Node and gives what it printed.
func run(t *testing.T, file []byte) (stdout, stderr string) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("no Node")
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.wasm")
	if err := os.WriteFile(path, file, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "--stack-size=8192", filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec_node.js"), path)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")} // Go in js takes 8 KB of environment at most
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // the program ends with a panic
	return out.String(), errs.String()
}

// TestTheProgramDoesTheSame runs a program before and after.
func TestTheProgramDoesTheSame(t *testing.T) {
	file := build(t)
	small, dropped, err := Module(file)
	if err != nil || !dropped {
		t.Fatalf("expected a file without lines, got %v, %v", dropped, err)
	}
	before, trace := run(t, file)
	after, bare := run(t, small)
	if want := strings.Replace(before, "lines: true", "lines: false", 1); after != want || !strings.Contains(after, "names: true") {
		t.Errorf("expected %q, got %q", want, after)
	}
	for _, text := range []string{"panic: the end", "goroutine 1", "main.fails("} {
		if !strings.Contains(trace, text) || !strings.Contains(bare, text) {
			t.Errorf("expected both traces to hold %q, got\n%s\n%s", text, trace, bare)
		}
	}
	if again, _, err := Module(small); err != nil || !bytes.Equal(again, small) {
		t.Errorf("expected what is slim to stay as it is, got %d bytes of %d, %v", len(again), len(small), err)
	}
}

// TestMemoryIsTheSame compares what the data sections fill the memory with.
func TestMemoryIsTheSame(t *testing.T) {
	file := build(t)
	body := section(t, file)
	memory, start, err := readData(body)
	if err != nil {
		t.Fatal(err)
	}
	written := appendData(nil, memory, start)
	again, _, err := readData(written)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.TrimRight(memory, "\x00"), bytes.TrimRight(again, "\x00")) {
		t.Error("the memory differs")
	}
	in, was := reader{b: written}, reader{b: body}
	if few, many := in.uint(), was.uint(); few*100 > many {
		t.Errorf("expected far fewer segments than %d, got %d", many, few)
	}
}

// section gives the data section of a file.
func section(t *testing.T, file []byte) []byte {
	for in := (reader{b: file, at: 8}); in.at < len(file) && !in.failed; {
		id := in.byte()
		if body := in.bytes(in.uint()); id == dataSection {
			return body
		}
	}
	t.Fatal("no data section")
	return nil
}

func TestSegments(t *testing.T) {
	zeros := strings.Repeat("\x00", longZeros)
	for name, test := range map[string]struct {
		memory string
		want   int
	}{
		"nothing":         {"", 0},
		"only zeros":      {zeros + zeros, 0},
		"a short gap":     {"a" + zeros[1:] + "b", 1},
		"a long gap":      {"a" + zeros + "b", 2},
		"zeros at an end": {zeros + "a" + zeros, 1},
		"far away":        {strings.Repeat(zeros, 300) + "x", 1},
	} {
		written := appendData(nil, []byte(test.memory), 0)
		in := reader{b: written}
		if got := in.uint(); got != test.want {
			t.Errorf("%s: expected %d segments, got %d", name, test.want, got)
		}
		memory, _, err := readData(written)
		if err != nil || strings.TrimRight(test.memory, "\x00") != strings.TrimRight(string(memory), "\x00") {
			t.Errorf("%s: got %q, %v", name, memory, err)
		}
	}
}

// TestUnknownTableStays holds that a function table of another shape is left alone.
func TestUnknownTableStays(t *testing.T) {
	memory, _, err := readData(section(t, build(t)))
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(memory, tableHead)
	for name, change := range map[string]func(memory []byte){
		"another magic": func(m []byte) { m[at]++ },
		"pointers of 4": func(m []byte) { m[at+7] = 4 },
		"too many":      func(m []byte) { m[at+8+5]++ },
		"places astray": func(m []byte) { m[at+8+8*wordPC+3] = 0x7f },
		"two tables":    func(m []byte) { copy(m[at+800:], tableHead) },
		"records elsewhere": func(m []byte) {
			t, _ := findTable(memory)
			t.funcs[7][funcTables] = 200
		},
	} {
		changed := bytes.Clone(memory)
		was := memory
		memory = changed
		change(changed)
		before := bytes.Clone(changed)
		if dropLines(changed) {
			t.Errorf("%s: expected it to be left alone", name)
		}
		if !bytes.Equal(before, changed) {
			t.Errorf("%s: it was changed", name)
		}
		memory = was
	}
}

func TestWhatIsNoFileIsRefused(t *testing.T) {
	file := build(t)
	for name, file := range map[string][]byte{"empty": nil, "text": []byte("<!doctype html>"), "cut": file[:len(file)/2]} {
		if _, _, err := Module(file); err == nil {
			t.Errorf("%s: expected an error", name)
		}
	}
}

func FuzzModule(f *testing.F) {
	f.Add([]byte("\x00asm\x01\x00\x00\x00\x0b\x07\x01\x00\x41\x08\x0b\x01x"))
	f.Fuzz(func(t *testing.T, file []byte) {
		out, _, err := Module(file)
		if err != nil {
			return
		}
		if again, _, err := Module(out); err != nil || !bytes.Equal(again, out) {
			t.Errorf("expected what is slim to stay as it is, got %x of %x, %v", again, out, err)
		}
	})
}
