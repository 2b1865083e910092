package sqlite_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/playground/internal/store"
	"github.com/svedawasm/svedawasm/playground/internal/store/sqlite"
	"github.com/svedawasm/svedawasm/playground/internal/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Test(t, func(t *testing.T) store.Store {
		s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "chats.db"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	})
}

func TestFileBelongsToOneProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chats.db")
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a second opening: got %v", err)
	}
	s.Close()
	again, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}
