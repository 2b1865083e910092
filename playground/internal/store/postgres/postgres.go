// Package postgres implements the playground's store on PostgreSQL, for several
// runtime processes over one database (docs/scale.md).
//
// The chat lock that [store.Store.Update] promises is a row lock: an update
// begins by taking the chat's row in chat_locks, which exists before the chat
// does. So of all processes one at a time changes a chat, and what it reads
// after the lock is what the one before it has committed.
package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/svedawasm/svedawasm/playground/internal/store"
)

// Store is a [store.Store] in one PostgreSQL database.
type Store struct{ pool *pgxpool.Pool }

var _ store.Store = (*Store)(nil)

// Open connects to the database of a URL like postgres://user@host/name and
// brings its schema up to date. Other processes may use it at the same time, so
// what they hold is left alone.
func Open(ctx context.Context, url string) (*Store, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		// The error of the library quotes the URL without its password.
		return nil, fmt.Errorf("reading DATABASE_URL: %w", err)
	}
	if cfg.ConnConfig.ConnectTimeout == 0 {
		cfg.ConnConfig.ConnectTimeout = 10 * time.Second
	}
	// A claim must be on disk before the host is called, also where the
	// database is set up to be quick about commits.
	cfg.ConnConfig.RuntimeParams["synchronous_commit"] = "on"
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("connecting to PostgreSQL: %w", err)
	}
	s := &Store{pool}
	if err := s.migrate(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("opening the database: %w", err)
	}
	return s, nil
}

// Close closes the connections.
func (s *Store) Close() error {
	s.pool.Close()
	return nil
}

// inTx runs fn in a transaction and commits when it gives nil.
func (s *Store) inTx(ctx context.Context, o pgx.TxOptions, fn func(pgx.Tx) error) error {
	t, err := s.pool.BeginTx(ctx, o)
	if err != nil {
		return fmt.Errorf("beginning a transaction: %w", err)
	}
	// Also when ctx has ended, so that the connection is clean again.
	defer t.Rollback(context.WithoutCancel(ctx))
	if err := fn(t); err != nil {
		return err
	}
	if err := t.Commit(ctx); err != nil {
		return fmt.Errorf("committing: %w", err)
	}
	return nil
}

// lock takes the row that stands for the chat, and waits for whoever has it.
func lock(ctx context.Context, t pgx.Tx, key store.Key) error {
	_, err := t.Exec(ctx, `INSERT INTO chat_locks (visitor, chat) VALUES ($1, $2)
		ON CONFLICT (visitor, chat) DO UPDATE SET chat = excluded.chat`, []byte(key.Visitor), []byte(key.Chat))
	if err != nil {
		return fmt.Errorf("locking the chat: %w", err)
	}
	return nil
}

// Update implements [store.Store].
func (s *Store) Update(ctx context.Context, key store.Key, fn func(store.Tx) error) error {
	return s.inTx(ctx, pgx.TxOptions{}, func(t pgx.Tx) error {
		if err := lock(ctx, t, key); err != nil {
			return err
		}
		return fn(&tx{ctx: ctx, tx: t, key: key})
	})
}

// Read implements [store.Store].
func (s *Store) Read(ctx context.Context, key store.Key) (chat *store.Chat, err error) {
	// Repeatable read: the three queries see one moment.
	err = s.inTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(t pgx.Tx) error {
		chat, err = loadChat(ctx, t, key)
		return err
	})
	if err != nil {
		return nil, err
	}
	return chat, nil
}

// List implements [store.Store].
func (s *Store) List(ctx context.Context, visitor string) ([]store.Summary, error) {
	rows, err := s.pool.Query(ctx, `
		SELECT chat, title, tokens_used, version, created_at, updated_at,
			COALESCE((SELECT body FROM messages m WHERE m.visitor = c.visitor AND m.chat = c.chat
				AND role = 'user' AND NOT hidden ORDER BY seq LIMIT 1), '')
		FROM chats c WHERE visitor = $1 ORDER BY updated_at DESC, chat`, []byte(visitor))
	if err != nil {
		return nil, fmt.Errorf("listing chats: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (store.Summary, error) {
		sum := store.Summary{Key: store.Key{Visitor: visitor}}
		var chat, title, preview []byte
		var created, updated int64
		err := row.Scan(&chat, &title, &sum.TokensUsed, &sum.Version, &created, &updated, &preview)
		sum.Chat, sum.Title, sum.Preview = string(chat), string(title), string(preview)
		sum.CreatedAt, sum.UpdatedAt = fromNano(created), fromNano(updated)
		return sum, err
	})
	if err != nil {
		return nil, fmt.Errorf("listing chats: %w", err)
	}
	return list, nil
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, key store.Key) error {
	return s.inTx(ctx, pgx.TxOptions{}, func(t pgx.Tx) error {
		if err := lock(ctx, t, key); err != nil {
			return err
		}
		done, err := t.Exec(ctx, `DELETE FROM chats WHERE visitor = $1 AND chat = $2`, []byte(key.Visitor), []byte(key.Chat))
		if err != nil {
			return fmt.Errorf("deleting chat: %w", err)
		}
		if done.RowsAffected() == 0 {
			return store.ErrNotFound
		}
		_, err = t.Exec(ctx, `DELETE FROM chat_locks WHERE visitor = $1 AND chat = $2`, []byte(key.Visitor), []byte(key.Chat))
		return err
	})
}

// AcquireTurn implements [store.Store].
func (s *Store) AcquireTurn(ctx context.Context, key store.Key, owner string, now, until time.Time) (bool, error) {
	done, err := s.pool.Exec(ctx, `
		INSERT INTO turns (visitor, chat, owner, held_until) VALUES ($1, $2, $3, $4)
		ON CONFLICT (visitor, chat) DO UPDATE SET owner = excluded.owner, held_until = excluded.held_until
		WHERE turns.owner = excluded.owner OR turns.held_until <= $5`,
		[]byte(key.Visitor), []byte(key.Chat), owner, until.UnixNano(), now.UnixNano())
	if err != nil {
		return false, fmt.Errorf("acquiring turn: %w", err)
	}
	return done.RowsAffected() == 1, nil
}

// ReleaseTurn implements [store.Store].
func (s *Store) ReleaseTurn(ctx context.Context, key store.Key, owner string) error {
	_, err := s.pool.Exec(ctx, `DELETE FROM turns WHERE visitor = $1 AND chat = $2 AND owner = $3`,
		[]byte(key.Visitor), []byte(key.Chat), owner)
	if err != nil {
		return fmt.Errorf("releasing turn: %w", err)
	}
	return nil
}

// EndRunning implements [store.Store]. Each chat is locked as in Update: a
// process that is late but alive must find its claim either whole or ended.
func (s *Store) EndRunning(ctx context.Context, now time.Time, output json.RawMessage) (int, error) {
	rows, err := s.pool.Query(ctx, `SELECT DISTINCT visitor, chat FROM calls
		WHERE state = 'running' AND claim_until < $1`, now.UnixNano())
	if err != nil {
		return 0, fmt.Errorf("finding running calls: %w", err)
	}
	keys, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (store.Key, error) {
		var visitor, chat []byte
		err := row.Scan(&visitor, &chat)
		return store.Key{Visitor: string(visitor), Chat: string(chat)}, err
	})
	if err != nil {
		return 0, fmt.Errorf("finding running calls: %w", err)
	}
	ended := 0
	for _, key := range keys {
		err := s.inTx(ctx, pgx.TxOptions{}, func(t pgx.Tx) error {
			if err := lock(ctx, t, key); err != nil {
				return err
			}
			done, err := t.Exec(ctx, `
				UPDATE calls SET state = 'done', output = $1, finished_at = $2
				WHERE visitor = $3 AND chat = $4 AND state = 'running' AND claim_until < $2`,
				[]byte(output), now.UnixNano(), []byte(key.Visitor), []byte(key.Chat))
			ended += int(done.RowsAffected())
			return err
		})
		if err != nil {
			return ended, fmt.Errorf("ending running calls: %w", err)
		}
	}
	return ended, nil
}

// PutHost implements [store.Store].
func (s *Store) PutHost(ctx context.Context, visitor string, h store.Host) error {
	_, err := s.pool.Exec(ctx, `INSERT INTO hosts (visitor, url, token, expires_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (visitor) DO UPDATE SET url = excluded.url, token = excluded.token, expires_at = excluded.expires_at`,
		[]byte(visitor), h.URL, h.Token, h.ExpiresAt.UnixNano())
	if err != nil {
		return fmt.Errorf("storing host: %w", err)
	}
	return nil
}

// Host implements [store.Store].
func (s *Store) Host(ctx context.Context, visitor string, now time.Time) (store.Host, error) {
	var h store.Host
	var expires int64
	err := s.pool.QueryRow(ctx, `SELECT url, token, expires_at FROM hosts WHERE visitor = $1 AND expires_at > $2`,
		[]byte(visitor), now.UnixNano()).Scan(&h.URL, &h.Token, &expires)
	if errors.Is(err, pgx.ErrNoRows) {
		return h, store.ErrNotFound
	}
	if err != nil {
		return h, fmt.Errorf("reading host: %w", err)
	}
	h.ExpiresAt = fromNano(expires)
	return h, nil
}

// Reset implements [store.Store].
func (s *Store) Reset(ctx context.Context) error {
	if _, err := s.pool.Exec(ctx, `DELETE FROM chats; DELETE FROM turns; DELETE FROM hosts; DELETE FROM chat_locks;`); err != nil {
		return fmt.Errorf("resetting: %w", err)
	}
	return nil
}

// nano and fromNano keep the zero time zero.
func nano(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func fromNano(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
