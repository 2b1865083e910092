// Command counts passes on the report of a test run and keeps its numbers, so
// that `make test` can print them all at its end.
//
//	go test -json ./... | counts -as go -in DIR
//	counts -show DIR
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	as := flag.String("as", "", "the name of this run")
	in := flag.String("in", "", "the folder that keeps the numbers")
	show := flag.String("show", "", "print the numbers that a folder keeps")
	flag.Parse()
	failed, err := run(*as, *in, *show)
	if err != nil {
		fmt.Fprintf(os.Stderr, "counts: %v\n", err)
	}
	if err != nil || failed {
		os.Exit(1)
	}
}

func run(as, in, show string) (failed bool, err error) {
	if show != "" {
		return false, printAll(show)
	}
	total, err := follow(os.Stdin)
	if err != nil {
		return false, err
	}
	if err := os.MkdirAll(in, 0o755); err != nil {
		return false, err
	}
	fmt.Printf("%s: %s\n", as, total)
	return total.fail > 0 || total.pass == 0, os.WriteFile(filepath.Join(in, as+".txt"), []byte(total.String()), 0o644)
}

type tally struct{ pass, fail, skip int }

func (t tally) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", t.pass, t.fail, t.skip)
}

// follow reads the events of `go test -json`. It prints what failing tests
// wrote and one line a package.
func follow(report io.Reader) (tally, error) {
	var total tally
	output := map[string][]string{}
	lines := bufio.NewScanner(report)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e struct {
			Action, Package, Test, Output, ImportPath string
			Elapsed                                   float64
		}
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Println(lines.Text()) // go's own words, such as a build error
			continue
		}
		key := e.Package + " " + e.Test
		switch e.Action {
		case "build-output":
			fmt.Print(e.Output)
		case "output":
			output[key] = append(output[key], e.Output)
		case "pass", "fail", "skip":
			if e.Action == "fail" {
				fmt.Print(strings.Join(output[key], ""))
			}
			delete(output, key)
			if e.Test == "" {
				fmt.Printf("%-4s %s (%.1fs)\n", e.Action, e.Package, e.Elapsed)
				if e.Action == "fail" {
					total.fail++
				}
				continue
			}
			switch e.Action {
			case "pass":
				total.pass++
			case "fail":
				total.fail++
			case "skip":
				total.skip++
			}
		}
	}
	return total, lines.Err()
}

// printAll prints what each run of the folder counted. A .tap file is the
// report of node's own test runner.
func printAll(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	fmt.Println("\ntests:")
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return err
		}
		name, isTap := strings.CutSuffix(entry.Name(), ".tap")
		text := string(data)
		if isTap {
			text = tapTotal(text).String()
		}
		fmt.Printf("  %-5s %s\n", strings.TrimSuffix(name, ".txt"), text)
	}
	return nil
}

func tapTotal(report string) (t tally) {
	for line := range strings.Lines(report) {
		var n int
		if _, err := fmt.Sscanf(line, "# pass %d", &n); err == nil {
			t.pass = n
		} else if _, err := fmt.Sscanf(line, "# fail %d", &n); err == nil {
			t.fail = n
		} else if _, err := fmt.Sscanf(line, "# skipped %d", &n); err == nil {
			t.skip = n
		}
	}
	return t
}
