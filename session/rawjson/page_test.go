package rawjson

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestAppendArgumentsGolden compares what the page gets with testdata/arguments/*.golden.json,
// one row a line. The pages' tests read the same files.
func TestAppendArgumentsGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/arguments/*.input")
	if err != nil || len(files) == 0 {
		t.Fatalf("no inputs: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".input")
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			a := Describe(raw, false)
			got := AppendArguments(nil, &a)
			if !json.Valid(got) || !utf8.Valid(got) {
				t.Fatalf("not well formed: %q", got)
			}
			golden := strings.TrimSuffix(file, ".input") + ".golden.json"
			lines := breakLines(got)
			if *update {
				if err := os.WriteFile(golden, lines, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(lines, want) {
				t.Errorf("got\n%s\nwant\n%s", lines, want)
			}
		})
	}
}

func breakLines(b []byte) []byte {
	b = bytes.ReplaceAll(b, []byte(`,"rows":[`), []byte(",\n\"rows\":[\n"))
	b = bytes.ReplaceAll(b, []byte(`},{"path":`), []byte("},\n{\"path\":"))
	return append(b, '\n')
}

func TestAppendArgumentsSaysWhatIsHidden(t *testing.T) {
	a := Describe([]byte(sized(Soft.Bytes+100)), false)
	got := AppendArguments(nil, &a)
	var page struct {
		Hidden struct{ Rows, Characters int }
		Rows   []struct {
			Hidden int
			Tokens []struct{ S string }
		}
	}
	if err := json.Unmarshal(got, &page); err != nil {
		t.Fatal(err)
	}
	if page.Hidden.Characters != 98 || page.Rows[0].Hidden != 98 || len(page.Rows[0].Tokens[0].S) != Soft.Bytes+100-8-98 {
		t.Errorf("hidden %+v, row %d, shown %d", page.Hidden, page.Rows[0].Hidden, len(page.Rows[0].Tokens[0].S))
	}
}

func TestCharNames(t *testing.T) {
	for c, want := range map[Char]string{
		0x202E: "U+202E RIGHT-TO-LEFT OVERRIDE", 0: "U+0000 NULL", 0x1B: "U+001B ESCAPE", 0x20: "U+0020 SPACE",
		0x85: "U+0085 NEXT LINE", 0x90: "U+0090 CONTROL", 0xFE0F: "U+FE0F VARIATION SELECTOR-16",
		0xE0100: "U+E0100 VARIATION SELECTOR-17", 0xE01EF: "U+E01EF VARIATION SELECTOR-256",
		0xE0061: "U+E0061 TAG a", 0xE0020: "U+E0020 TAG SPACE", 0xE0001: "U+E0001 LANGUAGE TAG", 0xE007F: "U+E007F CANCEL TAG",
		0xE0FFF: "U+E0FFF UNASSIGNED", 0xDC00: "U+DC00 LONE SURROGATE", 0xF8FF: "U+F8FF PRIVATE USE",
		0x10FFFF: "U+10FFFF NONCHARACTER", 0x430: "U+0430 CYRILLIC CHARACTER", 0x3B1: "U+03B1 GREEK CHARACTER",
		0x561: "U+0561 ARMENIAN CHARACTER", 0x13A0: "U+13A0 CHEROKEE CHARACTER", 0xE9: "U+00E9 LATIN CHARACTER",
		0x6F22: "U+6F22 CHARACTER", charByte + 0xFF: "0xFF BYTE THAT IS NOT UTF-8", charByte: "0x00 BYTE THAT IS NOT UTF-8",
		charCRLF: "U+000D U+000A CARRIAGE RETURN LINE FEED",
	} {
		if got := c.CodePoint() + " " + c.Name(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
