package postgres_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/svedawasm/svedawasm/playground/internal/store"
	"github.com/svedawasm/svedawasm/playground/internal/store/postgres"
	"github.com/svedawasm/svedawasm/playground/internal/store/postgres/pgtest"
	"github.com/svedawasm/svedawasm/playground/internal/store/storetest"
)

func TestStore(t *testing.T) {
	url := pgtest.Start(t)
	storetest.Test(t, func(t *testing.T) store.Store {
		s, err := postgres.Open(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		if err := s.Reset(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s
	})
	t.Run("ProcessesMigrateTogether", func(t *testing.T) {
		drop(t, url)
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
				s, err := postgres.Open(t.Context(), url)
				if err != nil {
					t.Error(err)
					return
				}
				s.Close()
			})
		}
		wait.Wait()
	})
	t.Run("NewerDatabaseIsRefused", func(t *testing.T) {
		exec(t, url, `INSERT INTO schema_version (version) VALUES (1000)`)
		if _, err := postgres.Open(t.Context(), url); err == nil || !strings.Contains(err.Error(), "version 1000") {
			t.Errorf("got %v", err)
		}
	})
}

func TestErrorsDoNotTellThePassword(t *testing.T) {
	for _, url := range []string{"postgres://u:hunter2@127.0.0.1:1/x?connect_timeout=1", "postgres://u:hunter2@127.0.0.1:nonsense/x"} {
		s, err := postgres.Open(context.Background(), url)
		if err == nil {
			s.Close()
			t.Fatal("no error")
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error tells the password: %v", err)
		}
	}
}

func drop(t *testing.T, url string) {
	exec(t, url, `DROP SCHEMA public CASCADE; CREATE SCHEMA public;`)
}

func exec(t *testing.T, url, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}
