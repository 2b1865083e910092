// Command sinks fails when code of the page uses a sink for HTML or code
// (requirement S51): text from a model must never reach one.
//
//	sinks web/src web/demo
package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var sink = regexp.MustCompile(`\.(innerHTML|outerHTML|srcdoc)\b|insertAdjacentHTML|document\.write|` +
	`createContextualFragment|DOMParser|new Function\(|[^.\w]eval\(|set(Timeout|Interval)\(\s*['"` + "`" + `]|` +
	`setAttribute\(\s*['"]on|javascript:`)

func main() {
	found := 0
	for _, root := range os.Args[1:] {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			switch filepath.Ext(path) {
			case ".js", ".html":
			default:
				return nil
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			number := 0
			for line := range strings.Lines(string(data)) {
				number++
				if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "*") || strings.HasPrefix(trimmed, "//") {
					continue // a comment may name what it forbids
				}
				if sink.MatchString(line) {
					fmt.Printf("%s:%d: %s", filepath.ToSlash(path), number, line)
					found++
				}
			}
			return nil
		})
		if err != nil {
			fmt.Fprintf(os.Stderr, "sinks: %v\n", err)
			os.Exit(1)
		}
	}
	if found > 0 {
		fmt.Printf("sinks: %d uses of an HTML or code sink\n", found)
		os.Exit(1)
	}
}
