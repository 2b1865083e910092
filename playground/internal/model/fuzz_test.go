package model

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzParse: any request gives a plan whose arguments are JSON, unless the
// person has written the arguments.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"delete posts 1 and 2", `create a post titled "x`, "run two tasks: a and b", "list posts and call x with {", "search posts about x 999 times", "\xff", "write 0 words", "call "} {
		f.Add(s)
	}
	offered := map[string]Tool{}
	for _, n := range everything {
		offered[n] = Tool{Name: n}
	}
	f.Fuzz(func(t *testing.T, request string) {
		p := parse(request, offered)
		if p.total() == 0 && p.say == "" {
			t.Error("neither a call nor a word")
		}
		ids := map[string]bool{}
		for _, step := range p.steps {
			for _, c := range step {
				if ids[c.ID] || offered[c.Name].Name == "" {
					t.Errorf("call %+v", c)
				}
				ids[c.ID] = true
				if !json.Valid(c.Arguments) && !strings.Contains(strings.ToLower(request), "call") {
					t.Errorf("arguments %q", c.Arguments)
				}
			}
		}
	})
}
