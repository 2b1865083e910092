package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestTwoFoldersGiveTheSameBytes holds that a build depends on its sources and
// the toolchain only, not on where it is made.
func TestTwoFoldersGiveTheSameBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("two builds take long")
	}
	var built [2][]byte
	for i := range built {
		root := t.TempDir()
		for _, source := range sources {
			from, to := filepath.Join("..", "..", "..", source), filepath.Join(root, source)
			info, err := os.Stat(from)
			if err != nil {
				t.Fatal(err)
			}
			if info.IsDir() {
				err = os.CopyFS(to, os.DirFS(from))
			} else {
				var data []byte
				if data, err = os.ReadFile(from); err == nil {
					err = os.WriteFile(to, data, 0o644)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		dist := filepath.Join(root, "dist")
		if err := os.Mkdir(dist, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := targets[0].build(root, dist, "1.0.0"); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dist, targets[0].file))
		if err != nil {
			t.Fatal(err)
		}
		built[i] = data
	}
	if !bytes.Equal(built[0], built[1]) {
		t.Error("expected the same bytes from two folders")
	}
}
