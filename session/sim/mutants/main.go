// Command mutants breaks the session's rules one by one and shows that the
// simulation, or else the tests, notice each.
//
//	go run ./session/sim/mutants             all
//	go run ./session/sim/mutants -only claim  those whose rule holds the word
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	seeds := flag.String("seeds", "600", "seeds that the simulation plays against each")
	only := flag.String("only", "", "only mutants whose rule holds this text")
	flag.Parse()
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		fail(err)
	}
	defer os.RemoveAll(dir)
	caught, all := 0, 0
	for i, m := range mutants {
		if !strings.Contains(m.rule, *only) {
			continue
		}
		all++
		by, err := m.hunt(dir, *seeds)
		switch {
		case err != nil:
			fmt.Printf("%2d  %-62s  %v\n", i+1, m.rule, err)
		case by == "":
			fmt.Printf("%2d  %-62s  SURVIVED\n", i+1, m.rule)
		default:
			caught++
			fmt.Printf("%2d  %-62s  %s\n", i+1, m.rule, by)
		}
	}
	fmt.Printf("%d of %d mutants caught\n", caught, all)
	if caught < all {
		os.RemoveAll(dir)
		os.Exit(1)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "mutants:", err)
	os.Exit(1)
}

// hunt says what noticed the mutant, "" for nothing.
func (m mutant) hunt(dir, seeds string) (by string, err error) {
	overlay, err := m.overlay(dir)
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "sim")
	if text, err := exec.Command("go", "build", "-overlay", overlay, "-o", program, "./session/sim").CombinedOutput(); err != nil {
		return "", fmt.Errorf("does not build: %s", text)
	}
	if text, err := exec.Command(program, "-seeds", seeds, "-first", "1", "-failures", "1", "-quiet").CombinedOutput(); err != nil {
		line, _, _ := strings.Cut(string(text), "\n")
		return "simulation: " + line, nil
	}
	text, err := exec.Command("go", "test", "-overlay", overlay, "-short", "-failfast", "./session").CombinedOutput()
	if err != nil {
		for line := range strings.Lines(string(text)) {
			if name, found := strings.CutPrefix(line, "--- FAIL: "); found {
				name, _, _ = strings.Cut(name, " ")
				return "test: " + name, nil
			}
		}
		return "test: " + strings.TrimSpace(string(text)), nil
	}
	return "", nil
}

// overlay writes the mutated file and the file that tells the go command of it.
func (m mutant) overlay(dir string) (string, error) {
	path, err := filepath.Abs(filepath.Join("session", m.file))
	if err != nil {
		return "", err
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(source), m.old); n != 1 {
		return "", fmt.Errorf("STALE: %s holds the text %d times: %q", m.file, n, m.old)
	}
	mutated := filepath.Join(dir, m.file)
	if err := os.WriteFile(mutated, []byte(strings.Replace(string(source), m.old, m.new, 1)), 0o644); err != nil {
		return "", err
	}
	data, err := json.Marshal(map[string]map[string]string{"Replace": {path: mutated}})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, data, 0o644)
}
