package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/svedawasm/svedawasm/playground/internal/store"
	sqlite3 "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

type tx struct {
	ctx context.Context
	tx  *sql.Tx
	key store.Key
}

// Chat implements [store.Tx].
func (t *tx) Chat() (*store.Chat, error) { return loadChat(t.ctx, t.tx, t.key) }

// Create implements [store.Tx].
func (t *tx) Create(title string, now time.Time) error {
	_, err := t.tx.ExecContext(t.ctx, `
		INSERT INTO chats (visitor, chat, title, tokens_used, version, created_at, updated_at)
		VALUES (?, ?, ?, 0, 0, ?, ?)`, t.key.Visitor, t.key.Chat, title, nano(now), nano(now))
	if err != nil {
		return fmt.Errorf("creating chat: %w", orDuplicate(err))
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
	err := t.tx.QueryRowContext(t.ctx, `
		INSERT INTO messages (visitor, chat, seq, id, role, body, reasoning, files, hidden, created_at)
		VALUES (?, ?, (SELECT COALESCE(MAX(seq), 0) + 1 FROM messages WHERE visitor = ? AND chat = ?), ?, ?, ?, ?, ?, ?, ?)
		RETURNING seq`,
		t.key.Visitor, t.key.Chat, t.key.Visitor, t.key.Chat,
		m.ID, m.Role, m.Text, m.Reasoning, files, m.Hidden, nano(m.CreatedAt)).Scan(&seq)
	if err != nil {
		return 0, fmt.Errorf("appending message: %w", err)
	}
	return seq, nil
}

// AddCall implements [store.Tx].
func (t *tx) AddCall(c store.Call) error {
	_, err := t.tx.ExecContext(t.ctx, `
		INSERT INTO calls (visitor, chat, id, message_seq, position, name, target, input, confirming,
			state, decision, reason, output, claimed_by, claim_until, decided_at, finished_at, toolset, identity)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		t.key.Visitor, t.key.Chat, c.ID, c.MessageSeq, c.Position, c.Name, c.Target, []byte(c.Input), c.Confirming,
		c.State, c.Decision, c.Reason, []byte(c.Output), c.ClaimedBy, nano(c.ClaimUntil), nano(c.DecidedAt), nano(c.FinishedAt),
		c.Toolset, c.Identity)
	if err != nil {
		return fmt.Errorf("adding call: %w", orDuplicate(err))
	}
	return nil
}

// PutCall implements [store.Tx].
func (t *tx) PutCall(c store.Call) error {
	res, err := t.tx.ExecContext(t.ctx, `
		UPDATE calls SET state = ?, decision = ?, reason = ?, output = ?, claimed_by = ?,
			claim_until = ?, decided_at = ?, finished_at = ?
		WHERE visitor = ? AND chat = ? AND id = ?`,
		c.State, c.Decision, c.Reason, []byte(c.Output), c.ClaimedBy,
		nano(c.ClaimUntil), nano(c.DecidedAt), nano(c.FinishedAt),
		t.key.Visitor, t.key.Chat, c.ID)
	if err != nil {
		return fmt.Errorf("updating call: %w", err)
	}
	if n, _ := res.RowsAffected(); n != 1 {
		return fmt.Errorf("updating call: %w", store.ErrNotFound)
	}
	return nil
}

// Touch implements [store.Tx].
func (t *tx) Touch(title string, tokens int, now time.Time) error {
	res, err := t.tx.ExecContext(t.ctx, `
		UPDATE chats SET title = ?, tokens_used = tokens_used + ?, version = version + 1, updated_at = ?
		WHERE visitor = ? AND chat = ?`, title, tokens, nano(now), t.key.Visitor, t.key.Chat)
	if err != nil {
		return fmt.Errorf("updating chat: %w", err)
	}
	if n, _ := res.RowsAffected(); n != 1 {
		return store.ErrNotFound
	}
	return nil
}

func loadChat(ctx context.Context, t *sql.Tx, key store.Key) (*store.Chat, error) {
	c := &store.Chat{Key: key}
	var created, updated int64
	err := t.QueryRowContext(ctx, `SELECT title, tokens_used, version, created_at, updated_at
		FROM chats WHERE visitor = ? AND chat = ?`, key.Visitor, key.Chat).
		Scan(&c.Title, &c.TokensUsed, &c.Version, &created, &updated)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, store.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("reading chat: %w", err)
	}
	c.CreatedAt, c.UpdatedAt = fromNano(created), fromNano(updated)
	if c.Messages, err = loadMessages(ctx, t, key); err != nil {
		return nil, fmt.Errorf("reading messages: %w", err)
	}
	if c.Calls, err = loadCalls(ctx, t, key); err != nil {
		return nil, fmt.Errorf("reading calls: %w", err)
	}
	return c, nil
}

func loadMessages(ctx context.Context, t *sql.Tx, key store.Key) ([]store.Message, error) {
	rows, err := t.QueryContext(ctx, `SELECT seq, id, role, body, reasoning, files, hidden, created_at
		FROM messages WHERE visitor = ? AND chat = ? ORDER BY seq`, key.Visitor, key.Chat)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []store.Message
	for rows.Next() {
		var m store.Message
		var files []byte
		var created int64
		if err := rows.Scan(&m.Seq, &m.ID, &m.Role, &m.Text, &m.Reasoning, &files, &m.Hidden, &created); err != nil {
			return nil, err
		}
		if len(files) > 0 {
			if err := json.Unmarshal(files, &m.Files); err != nil {
				return nil, err
			}
		}
		m.CreatedAt = fromNano(created)
		list = append(list, m)
	}
	return list, rows.Err()
}

func loadCalls(ctx context.Context, t *sql.Tx, key store.Key) ([]store.Call, error) {
	rows, err := t.QueryContext(ctx, `SELECT id, message_seq, position, name, target, input, confirming,
			state, decision, reason, output, claimed_by, claim_until, decided_at, finished_at, toolset, identity
		FROM calls WHERE visitor = ? AND chat = ? ORDER BY message_seq, position`, key.Visitor, key.Chat)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []store.Call
	for rows.Next() {
		var c store.Call
		var input, output []byte
		var until, decided, finished int64
		err := rows.Scan(&c.ID, &c.MessageSeq, &c.Position, &c.Name, &c.Target, &input, &c.Confirming,
			&c.State, &c.Decision, &c.Reason, &output, &c.ClaimedBy, &until, &decided, &finished,
			&c.Toolset, &c.Identity)
		if err != nil {
			return nil, err
		}
		c.Input = input
		if len(output) > 0 {
			c.Output = output
		}
		c.ClaimUntil, c.DecidedAt, c.FinishedAt = fromNano(until), fromNano(decided), fromNano(finished)
		list = append(list, c)
	}
	return list, rows.Err()
}

func orDuplicate(err error) error {
	var e *sqlite3.Error
	if errors.As(err, &e) {
		switch e.Code() {
		case codes.SQLITE_CONSTRAINT_PRIMARYKEY, codes.SQLITE_CONSTRAINT_UNIQUE:
			return store.ErrDuplicate
		}
	}
	return err
}
