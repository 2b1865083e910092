package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/svedawasm/svedawasm/playground/internal/store"
)

func loadChat(ctx context.Context, t pgx.Tx, key store.Key) (*store.Chat, error) {
	c := &store.Chat{Key: key}
	var title []byte
	var created, updated int64
	err := t.QueryRow(ctx, `SELECT title, tokens_used, version, created_at, updated_at
		FROM chats WHERE visitor = $1 AND chat = $2`, []byte(key.Visitor), []byte(key.Chat)).
		Scan(&title, &c.TokensUsed, &c.Version, &created, &updated)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, store.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("reading chat: %w", err)
	}
	c.Title, c.CreatedAt, c.UpdatedAt = string(title), fromNano(created), fromNano(updated)
	if c.Messages, err = loadMessages(ctx, t, key); err != nil {
		return nil, fmt.Errorf("reading messages: %w", err)
	}
	if c.Calls, err = loadCalls(ctx, t, key); err != nil {
		return nil, fmt.Errorf("reading calls: %w", err)
	}
	return c, nil
}

func loadMessages(ctx context.Context, t pgx.Tx, key store.Key) ([]store.Message, error) {
	rows, err := t.Query(ctx, `SELECT seq, id, role, body, reasoning, files, hidden, created_at
		FROM messages WHERE visitor = $1 AND chat = $2 ORDER BY seq`, []byte(key.Visitor), []byte(key.Chat))
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (m store.Message, err error) {
		var id, body, reasoning, files []byte
		var role string
		var created int64
		if err := row.Scan(&m.Seq, &id, &role, &body, &reasoning, &files, &m.Hidden, &created); err != nil {
			return m, err
		}
		m.ID, m.Role, m.Text, m.Reasoning, m.CreatedAt = string(id), store.Role(role), string(body), string(reasoning), fromNano(created)
		if len(files) > 0 {
			err = json.Unmarshal(files, &m.Files)
		}
		return m, err
	})
	if len(list) == 0 {
		list = nil
	}
	return list, err
}

func loadCalls(ctx context.Context, t pgx.Tx, key store.Key) ([]store.Call, error) {
	rows, err := t.Query(ctx, `SELECT id, message_seq, position, name, target, input, confirming,
			state, decision, reason, output, claimed_by, claim_until, decided_at, finished_at, toolset, identity
		FROM calls WHERE visitor = $1 AND chat = $2 ORDER BY message_seq, position`, []byte(key.Visitor), []byte(key.Chat))
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c store.Call, err error) {
		var id, name, input, reason, output, toolset, identity []byte
		var target, state, decision string
		var until, decided, finished int64
		err = row.Scan(&id, &c.MessageSeq, &c.Position, &name, &target, &input, &c.Confirming,
			&state, &decision, &reason, &output, &c.ClaimedBy, &until, &decided, &finished,
			&toolset, &identity)
		c.Toolset, c.Identity = string(toolset), string(identity)
		c.ID, c.Name, c.Target, c.Input = string(id), string(name), store.Target(target), input
		c.State, c.Decision, c.Reason = store.State(state), store.Decision(decision), string(reason)
		if len(output) > 0 {
			c.Output = output
		}
		c.ClaimUntil, c.DecidedAt, c.FinishedAt = fromNano(until), fromNano(decided), fromNano(finished)
		return c, err
	})
	if len(list) == 0 {
		list = nil
	}
	return list, err
}
