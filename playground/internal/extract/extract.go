// Package extract reads the text out of uploaded documents. It reads text
// files of any kind; formats that need a reader of their own are refused with
// a clear word.
package extract

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode/utf8"
)

// Limits of one upload.
const (
	MaxFiles = 10
	MaxBytes = 2 << 20 // of one file
)

var kinds = map[string]bool{
	".txt": true, ".md": true, ".markdown": true, ".csv": true, ".tsv": true, ".json": true, ".jsonl": true,
	".xml": true, ".yaml": true, ".yml": true, ".toml": true, ".ini": true, ".log": true, ".html": true, ".htm": true,
	".css": true, ".js": true, ".ts": true, ".go": true, ".py": true, ".rb": true, ".php": true, ".java": true,
	".c": true, ".h": true, ".rs": true, ".sh": true, ".sql": true, ".svg": true,
}

// Text gives the text of a file. The error may be shown to a person.
func Text(filename string, r io.Reader) (string, error) {
	ext := strings.ToLower(path.Ext(filename))
	if ext != "" && !kinds[ext] {
		return "", fmt.Errorf("files of type %q cannot be read", ext)
	}
	raw, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return "", errors.New("the file could not be read")
	}
	if len(raw) > MaxBytes {
		return "", fmt.Errorf("the file is larger than %d bytes", MaxBytes)
	}
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0 {
		return "", errors.New("the file is not UTF-8 text")
	}
	return string(raw), nil
}
