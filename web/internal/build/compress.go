package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/andybalholm/brotli"
)

// compressAll writes the .br and .gz copies that a server sends instead of the
// file, where they are missing or older than it.
func compressAll(dist string) error {
	return filepath.WalkDir(dist, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if ext := filepath.Ext(path); ext != ".wasm" && !isModule(entry.Name()) {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for suffix, compress := range compressors {
			if fresh(path+suffix, path) {
				continue
			}
			packed, err := compress(data)
			if err != nil {
				return err
			}
			if err := os.WriteFile(path+suffix, packed, 0o644); err != nil {
				return err
			}
		}
		return nil
	})
}

var compressors = map[string]func([]byte) ([]byte, error){
	".br": func(data []byte) ([]byte, error) {
		return pack(data, func(w io.Writer) io.WriteCloser {
			return brotli.NewWriterOptions(w, brotli.WriterOptions{Quality: brotli.BestCompression, LGWin: 24})
		})
	},
	".gz": func(data []byte) ([]byte, error) {
		return pack(data, func(w io.Writer) io.WriteCloser {
			writer, _ := gzip.NewWriterLevel(w, gzip.BestCompression) // fails only for an unknown level
			return writer
		})
	},
}

func pack(data []byte, newWriter func(io.Writer) io.WriteCloser) ([]byte, error) {
	var packed bytes.Buffer
	writer := newWriter(&packed)
	if _, err := writer.Write(data); err != nil {
		return nil, err
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// fresh reports whether made exists and is not older than from.
func fresh(made, from string) bool {
	a, err := os.Stat(made)
	if err != nil {
		return false
	}
	b, err := os.Stat(from)
	return err == nil && !a.ModTime().Before(b.ModTime())
}
