package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// parse reads the files of the js build; tests run natively.
func parse(t *testing.T) (*token.FileSet, []*ast.File) {
	t.Helper()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") || path == "probe.go" {
			continue
		}
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	if len(files) == 0 {
		t.Fatal("no files to look at")
	}
	return set, files
}

// TestExportsArePure holds design "The boundary" and WASM.md 2.2, 2.18, 2.24:
// nothing in the js build starts, waits or exits.
func TestExportsArePure(t *testing.T) {
	set, files := parse(t)
	for _, file := range files {
		for _, imported := range file.Imports {
			switch path := strings.Trim(imported.Path.Value, `"`); path {
			case "time", "sync", "sync/atomic", "net/http", "encoding/json", "fmt", "log", "os", "context", "syscall/js":
				t.Errorf("%s: imports %s", set.Position(imported.Pos()), path)
			}
		}
		ast.Inspect(file, func(node ast.Node) bool {
			switch n := node.(type) {
			case *ast.GoStmt:
				t.Errorf("%s: starts a goroutine", set.Position(n.Pos()))
			case *ast.SendStmt, *ast.ChanType:
				t.Errorf("%s: uses a channel", set.Position(n.Pos()))
			case *ast.UnaryExpr:
				if n.Op == token.ARROW {
					t.Errorf("%s: waits for a channel", set.Position(n.Pos()))
				}
			case *ast.SelectStmt:
				if len(n.Body.List) > 0 { // main waits for ever with an empty one
					t.Errorf("%s: waits in a select", set.Position(n.Pos()))
				}
			}
			return true
		})
	}
}

// TestEveryExportIsGuarded holds WASM.md 2.6: a panic in an export that runs
// the session's code must not end the program. The others only hand out memory.
func TestEveryExportIsGuarded(t *testing.T) {
	_, files := parse(t)
	plain := map[string]bool{"inbox": true, "outbox": true, "clock": true}
	exports := 0
	for _, file := range files {
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Doc == nil || !strings.Contains(docText(fn.Doc), "go:wasmexport") {
				continue
			}
			exports++
			if plain[fn.Name.Name] {
				continue
			}
			first, ok := fn.Body.List[0].(*ast.DeferStmt)
			if !ok {
				t.Errorf("%s: expected its first statement to be defer guard(…)", fn.Name.Name)
				continue
			}
			if name, ok := first.Call.Fun.(*ast.Ident); !ok || name.Name != "guard" {
				t.Errorf("%s: expected its first statement to be defer guard(…)", fn.Name.Name)
			}
		}
	}
	if exports < 5 {
		t.Errorf("expected the exports of the data path, found %d", exports)
	}
}

func docText(group *ast.CommentGroup) string {
	var text strings.Builder
	for _, comment := range group.List {
		text.WriteString(comment.Text + "\n")
	}
	return text.String()
}

// TestSessionIsFreeOfJavaScript holds the design's rooms: neither JavaScript
// nor the network below wasm/, and no dear import in the data path's packages.
func TestSessionIsFreeOfJavaScript(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command here")
	}
	for _, pkg := range []string{"../session", "../session/sveda", "../toolregistry", "./bridge", "./frame"} {
		cmd := exec.Command("go", "list", "-deps", pkg)
		cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("listing what %s imports: %v", pkg, err)
		}
		for dep := range strings.FieldsSeq(string(out)) {
			switch dep {
			case "syscall/js", "github.com/hack-pad/safejs", "net", "net/http", "encoding/json", "reflect", "fmt", "time", "regexp", "os":
				t.Errorf("%s depends on %s", pkg, dep)
			}
		}
	}
}
