package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Where the WebAssembly builds find msgp, from the repository's root. The path
// is a part of the built file, so it is the same on every machine.
const trimmedMsgp = "web/test/output/msgp"

// msgpPath is the module that generated code of session/snapshot calls.
const msgpPath = "github.com/tinylib/msgp"

// translators are the files of msgp that turn MessagePack into JSON. Their init
// functions fill jump tables, so the linker keeps them and all of encoding/json:
// 86,000 bytes of brotli that nothing here calls (docs/size.md).
var translators = map[string]bool{"json.go": true, "json_bytes.go": true}

// noTranslator stands in for what the rest of msgp calls of them.
const noTranslator = `package msgp

import (
	"errors"
	"io"
)

// UnmarshalAsJSON is left out of this copy; only Raw.MarshalJSON calls it.
func UnmarshalAsJSON(io.Writer, []byte) ([]byte, error) {
	return nil, errors.New("msgp: built without the translation to JSON")
}
`

// number stands in for encoding/json where msgp only names its Number: the import
// alone runs its init functions, which keep encoders and base64: 2,700 bytes.
const number = `package json

import "strconv"

// Number is the text of a number.
type Number string

func (n Number) Int64() (int64, error) { return strconv.ParseInt(string(n), 10, 64) }

func (n Number) Float64() (float64, error) { return strconv.ParseFloat(string(n), 64) }
`

// trimMsgp copies the pinned and checked msgp without encoding/json and gives
// the -modfile that puts the copy in its place. The repository's own go.mod, and
// with it every native build and test, keeps msgp whole.
func trimMsgp(root string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", msgpPath)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("finding %s: %w", msgpPath, err)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		return "", fmt.Errorf("finding %s: %w", msgpPath, err)
	}
	files, err := filepath.Glob(filepath.Join(module.Dir, "msgp", "*.go"))
	if err != nil {
		return "", err
	}
	copied := map[string]string{
		"go.mod": filepath.Join(module.Dir, "go.mod"),
		"go.sum": filepath.Join(module.Dir, "go.sum"),
	}
	for _, file := range files {
		if name := filepath.Base(file); !strings.HasSuffix(name, "_test.go") && !translators[name] {
			copied["msgp/"+name] = file
		}
	}
	for name, file := range copied {
		data, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		data = bytes.ReplaceAll(data, []byte(`"encoding/json"`), []byte(`"`+msgpPath+`/msgp/json"`))
		if err := put(filepath.Join(root, trimmedMsgp, name), data); err != nil {
			return "", err
		}
	}
	for name, text := range map[string]string{"json_none.go": noTranslator, "json/number.go": number} {
		if err := put(filepath.Join(root, trimmedMsgp, "msgp", name), []byte(text)); err != nil {
			return "", err
		}
	}
	return writeModfile(root)
}

// writeModfile gives the repository's go.mod with msgp replaced.
func writeModfile(root string) (string, error) {
	modules, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return "", err
	}
	replaced := fmt.Appendf(modules, "\nreplace %s => ./%s\n", msgpPath, trimmedMsgp)
	if err := put(filepath.Join(root, trimmedMsgp, "wasm.mod"), replaced); err != nil {
		return "", err
	}
	return trimmedMsgp + "/wasm.mod", put(filepath.Join(root, trimmedMsgp, "wasm.sum"), sums)
}

// put writes a file unless it is there already as it should be: builds may run
// side by side.
func put(path string, data []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), ".put-*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name()) // gone after the rename
	if _, err := temporary.Write(data); err != nil {
		return err
	}
	if err := temporary.Close(); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}
