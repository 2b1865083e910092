package sqlite

import (
	"path/filepath"
	"strings"
	"testing"
)

func open(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestSettings(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "a b?c#%41.db"))
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "5000"} {
		var got string
		if err := s.write.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %q, want %q (%v)", pragma, got, want, err)
		}
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chats.db")
	s := open(t, path)
	if _, err := s.write.Exec("INSERT INTO schema_version (version) VALUES (999)"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if _, err := Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), "schema version 999") {
		t.Errorf("error %v", err)
	}
}

func TestOpenTakesBackWhatADeadProcessHeld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chats.db")
	s := open(t, path)
	if _, err := s.write.Exec(`INSERT INTO turns VALUES ('v', 'c', 'dead', 9000000000000000000);
		INSERT INTO chats VALUES ('v', 'c', '', 0, 0, 0, 0);
		INSERT INTO calls VALUES ('v', 'c', 'c1', 1, 0, 'x', 'backend', '{}', 1, 'running', 'approve', '', NULL, 'dead', 9000000000000000000, 0, 0, '', '');`); err != nil {
		t.Fatal(err)
	}
	s.Close()
	s = open(t, path)
	var turns, claims int
	if err := s.write.QueryRow(`SELECT (SELECT COUNT(*) FROM turns), (SELECT COUNT(*) FROM calls WHERE claim_until > 0)`).Scan(&turns, &claims); err != nil {
		t.Fatal(err)
	}
	if turns != 0 || claims != 0 {
		t.Errorf("%d turns and %d claims are still held", turns, claims)
	}
}
