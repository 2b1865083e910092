// Package sqlite implements the playground's store on SQLite.
//
// There is one connection that writes and a few that read. A write transaction
// begins "immediate", so that it holds the database's write lock from its
// first statement: that is the chat lock which [store.Store.Update] promises.
package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/svedawasm/svedawasm/playground/internal/store"
	_ "modernc.org/sqlite" // the "sqlite" driver
)

// Store is a [store.Store] in one SQLite file.
type Store struct {
	write *sql.DB
	read  *sql.DB
	lock  *os.File
}

var _ store.Store = (*Store)(nil)

// Open opens or creates the file and brings its schema up to date. The file
// belongs to one process at a time; a second Open gives an error. So whatever
// an earlier process held is free: its turns are given back and the claims of
// its running calls have expired ([store.Store.EndRunning] ends them).
func Open(ctx context.Context, path string) (_ *Store, err error) {
	s := &Store{}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if s.lock, err = lockFile(path); err != nil {
		return nil, err
	}
	if s.write, err = OpenDB(path, 1); err != nil {
		return nil, err
	}
	if err := migrate(ctx, s.write); err != nil {
		return nil, fmt.Errorf("opening %q: %w", path, err)
	}
	_, err = s.write.ExecContext(ctx, `DELETE FROM turns; UPDATE calls SET claim_until = 0 WHERE state = 'running';`)
	if err != nil {
		return nil, fmt.Errorf("opening %q: %w", path, err)
	}
	if s.read, err = OpenDB(path, 4); err != nil {
		return nil, err
	}
	return s, nil
}

// OpenDB opens a SQLite file with the settings that every database of the
// playground uses: write-ahead log, full durability (a claim must survive a
// power cut), foreign keys, five seconds of patience.
func OpenDB(path string, connections int) (*sql.DB, error) {
	q := url.Values{"_txlock": {"immediate"}}
	for _, p := range []string{"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)"} {
		q.Add("_pragma", p)
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+q.Encode())
	if err != nil {
		return nil, fmt.Errorf("opening %q: %w", path, err)
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

// Close closes the file.
func (s *Store) Close() error {
	var errs []error
	for _, db := range []*sql.DB{s.read, s.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	if s.lock != nil {
		errs = append(errs, s.lock.Close())
	}
	return errors.Join(errs...)
}

// Update implements [store.Store].
func (s *Store) Update(ctx context.Context, key store.Key, fn func(store.Tx) error) error {
	t, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("beginning update: %w", err)
	}
	defer t.Rollback()
	if err := fn(&tx{ctx: ctx, tx: t, key: key}); err != nil {
		return err
	}
	if err := t.Commit(); err != nil {
		return fmt.Errorf("committing update: %w", err)
	}
	return nil
}

// Read implements [store.Store].
func (s *Store) Read(ctx context.Context, key store.Key) (*store.Chat, error) {
	t, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("beginning read: %w", err)
	}
	defer t.Rollback()
	return loadChat(ctx, t, key)
}

// List implements [store.Store].
func (s *Store) List(ctx context.Context, visitor string) ([]store.Summary, error) {
	rows, err := s.read.QueryContext(ctx, `
		SELECT chat, title, tokens_used, version, created_at, updated_at,
			COALESCE((SELECT body FROM messages m WHERE m.visitor = c.visitor AND m.chat = c.chat
				AND role = 'user' AND hidden = 0 ORDER BY seq LIMIT 1), '')
		FROM chats c WHERE visitor = ? ORDER BY updated_at DESC, chat`, visitor)
	if err != nil {
		return nil, fmt.Errorf("listing chats: %w", err)
	}
	defer rows.Close()
	var list []store.Summary
	for rows.Next() {
		sum := store.Summary{Key: store.Key{Visitor: visitor}}
		var created, updated int64
		if err := rows.Scan(&sum.Chat, &sum.Title, &sum.TokensUsed, &sum.Version, &created, &updated, &sum.Preview); err != nil {
			return nil, fmt.Errorf("listing chats: %w", err)
		}
		sum.CreatedAt, sum.UpdatedAt = fromNano(created), fromNano(updated)
		list = append(list, sum)
	}
	return list, rows.Err()
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, key store.Key) error {
	res, err := s.write.ExecContext(ctx, `DELETE FROM chats WHERE visitor = ? AND chat = ?`, key.Visitor, key.Chat)
	if err != nil {
		return fmt.Errorf("deleting chat: %w", err)
	}
	if n, _ := res.RowsAffected(); n == 0 {
		return store.ErrNotFound
	}
	return nil
}

// AcquireTurn implements [store.Store].
func (s *Store) AcquireTurn(ctx context.Context, key store.Key, owner string, now, until time.Time) (bool, error) {
	res, err := s.write.ExecContext(ctx, `
		INSERT INTO turns (visitor, chat, owner, held_until) VALUES (?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET owner = excluded.owner, held_until = excluded.held_until
		WHERE turns.owner = excluded.owner OR turns.held_until <= ?`,
		key.Visitor, key.Chat, owner, until.UnixNano(), now.UnixNano())
	if err != nil {
		return false, fmt.Errorf("acquiring turn: %w", err)
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// ReleaseTurn implements [store.Store].
func (s *Store) ReleaseTurn(ctx context.Context, key store.Key, owner string) error {
	_, err := s.write.ExecContext(ctx, `DELETE FROM turns WHERE visitor = ? AND chat = ? AND owner = ?`,
		key.Visitor, key.Chat, owner)
	if err != nil {
		return fmt.Errorf("releasing turn: %w", err)
	}
	return nil
}

// EndRunning implements [store.Store].
func (s *Store) EndRunning(ctx context.Context, now time.Time, output json.RawMessage) (int, error) {
	res, err := s.write.ExecContext(ctx, `
		UPDATE calls SET state = 'done', output = ?, finished_at = ?
		WHERE state = 'running' AND claim_until < ?`, []byte(output), now.UnixNano(), now.UnixNano())
	if err != nil {
		return 0, fmt.Errorf("ending running calls: %w", err)
	}
	n, err := res.RowsAffected()
	return int(n), err
}

// PutHost implements [store.Store].
func (s *Store) PutHost(ctx context.Context, visitor string, h store.Host) error {
	_, err := s.write.ExecContext(ctx, `INSERT OR REPLACE INTO hosts (visitor, url, token, expires_at) VALUES (?, ?, ?, ?)`,
		visitor, h.URL, h.Token, h.ExpiresAt.UnixNano())
	if err != nil {
		return fmt.Errorf("storing host: %w", err)
	}
	return nil
}

// Host implements [store.Store].
func (s *Store) Host(ctx context.Context, visitor string, now time.Time) (store.Host, error) {
	var h store.Host
	var expires int64
	err := s.read.QueryRowContext(ctx, `SELECT url, token, expires_at FROM hosts WHERE visitor = ? AND expires_at > ?`,
		visitor, now.UnixNano()).Scan(&h.URL, &h.Token, &expires)
	if errors.Is(err, sql.ErrNoRows) {
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
	_, err := s.write.ExecContext(ctx, `DELETE FROM chats; DELETE FROM turns; DELETE FROM hosts;`)
	if err != nil {
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
