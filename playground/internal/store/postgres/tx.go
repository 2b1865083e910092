package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/svedawasm/svedawasm/playground/internal/store"
)

type tx struct {
	ctx context.Context
	tx  pgx.Tx
	key store.Key
}

func (t *tx) exec(sql string, more ...any) (pgconn.CommandTag, error) {
	args := append([]any{[]byte(t.key.Visitor), []byte(t.key.Chat)}, more...)
	return t.tx.Exec(t.ctx, sql, args...)
}

// Chat implements [store.Tx].
func (t *tx) Chat() (*store.Chat, error) { return loadChat(t.ctx, t.tx, t.key) }

// insert runs a statement that may meet a duplicate. It stands behind a
// savepoint: PostgreSQL would refuse the rest of the transaction otherwise,
// and the caller may go on after [store.ErrDuplicate].
func (t *tx) insert(sql string, more ...any) error {
	inner, err := t.tx.Begin(t.ctx)
	if err != nil {
		return err
	}
	outer := t.tx
	t.tx = inner
	_, err = t.exec(sql, more...)
	t.tx = outer
	if err != nil {
		if back := inner.Rollback(t.ctx); back != nil {
			return back
		}
		return orDuplicate(err)
	}
	return inner.Commit(t.ctx)
}

// Create implements [store.Tx].
func (t *tx) Create(title string, now time.Time) error {
	err := t.insert(`INSERT INTO chats (visitor, chat, title, tokens_used, version, created_at, updated_at)
		VALUES ($1, $2, $3, 0, 0, $4, $4)`, []byte(title), nano(now))
	if err != nil {
		return fmt.Errorf("creating chat: %w", err)
	}
	return nil
}

// Append implements [store.Tx].
func (t *tx) Append(m store.Message) (int, error) {
	var files []byte
	if len(m.Files) > 0 {
		var err error
		if files, err = json.Marshal(m.Files); err != nil {
			return 0, fmt.Errorf("encoding files: %w", err)
		}
	}
	var seq int
	err := t.tx.QueryRow(t.ctx, `
		INSERT INTO messages (visitor, chat, seq, id, role, body, reasoning, files, hidden, created_at)
		VALUES ($1, $2, (SELECT COALESCE(MAX(seq), 0) + 1 FROM messages WHERE visitor = $1 AND chat = $2),
			$3, $4, $5, $6, $7, $8, $9)
		RETURNING seq`,
		[]byte(t.key.Visitor), []byte(t.key.Chat),
		[]byte(m.ID), string(m.Role), []byte(m.Text), []byte(m.Reasoning), files, m.Hidden, nano(m.CreatedAt)).Scan(&seq)
	if err != nil {
		return 0, fmt.Errorf("appending message: %w", err)
	}
	return seq, nil
}

// AddCall implements [store.Tx].
func (t *tx) AddCall(c store.Call) error {
	err := t.insert(`INSERT INTO calls (visitor, chat, id, message_seq, position, name, target, input, confirming,
			state, decision, reason, output, claimed_by, claim_until, decided_at, finished_at, toolset, identity)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
		[]byte(c.ID), c.MessageSeq, c.Position, []byte(c.Name), string(c.Target), notNull(c.Input), c.Confirming,
		string(c.State), string(c.Decision), []byte(c.Reason), []byte(c.Output), c.ClaimedBy,
		nano(c.ClaimUntil), nano(c.DecidedAt), nano(c.FinishedAt), []byte(c.Toolset), []byte(c.Identity))
	if err != nil {
		return fmt.Errorf("adding call: %w", err)
	}
	return nil
}

// PutCall implements [store.Tx].
func (t *tx) PutCall(c store.Call) error {
	done, err := t.exec(`UPDATE calls SET state = $4, decision = $5, reason = $6, output = $7, claimed_by = $8,
			claim_until = $9, decided_at = $10, finished_at = $11
		WHERE visitor = $1 AND chat = $2 AND id = $3`,
		[]byte(c.ID), string(c.State), string(c.Decision), []byte(c.Reason), []byte(c.Output), c.ClaimedBy,
		nano(c.ClaimUntil), nano(c.DecidedAt), nano(c.FinishedAt))
	if err != nil {
		return fmt.Errorf("updating call: %w", err)
	}
	if done.RowsAffected() != 1 {
		return fmt.Errorf("updating call: %w", store.ErrNotFound)
	}
	return nil
}

// Touch implements [store.Tx].
func (t *tx) Touch(title string, tokens int, now time.Time) error {
	done, err := t.exec(`UPDATE chats SET title = $3, tokens_used = tokens_used + $4, version = version + 1, updated_at = $5
		WHERE visitor = $1 AND chat = $2`, []byte(title), tokens, nano(now))
	if err != nil {
		return fmt.Errorf("updating chat: %w", err)
	}
	if done.RowsAffected() != 1 {
		return store.ErrNotFound
	}
	return nil
}

func notNull(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// codeDuplicate is unique_violation in PostgreSQL's list of errors.
const codeDuplicate = "23505"

func orDuplicate(err error) error {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && e.Code == codeDuplicate {
		return store.ErrDuplicate
	}
	return err
}
