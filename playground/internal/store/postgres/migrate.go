package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// migrations are applied in order, all in one transaction; the number of
// applied ones is in schema_version. A migration that was released is never
// changed, a new one is added at the end.
//
// What comes from outside is BYTEA: TEXT refuses the character U+0000 and bytes
// that are no UTF-8, and a chat must not fail on either. Times are Unix
// nanoseconds, 0 for none.
var migrations = []string{
	`CREATE TABLE chats (
		visitor     BYTEA NOT NULL,
		chat        BYTEA NOT NULL,
		title       BYTEA NOT NULL,
		tokens_used BIGINT NOT NULL,
		version     BIGINT NOT NULL,
		created_at  BIGINT NOT NULL,
		updated_at  BIGINT NOT NULL,
		PRIMARY KEY (visitor, chat)
	);
	CREATE INDEX chats_by_age ON chats (visitor, updated_at DESC);

	CREATE TABLE messages (
		visitor    BYTEA NOT NULL,
		chat       BYTEA NOT NULL,
		seq        BIGINT NOT NULL,
		id         BYTEA NOT NULL,
		role       TEXT NOT NULL,
		body       BYTEA NOT NULL,
		reasoning  BYTEA NOT NULL,
		files      BYTEA,
		hidden     BOOLEAN NOT NULL,
		created_at BIGINT NOT NULL,
		PRIMARY KEY (visitor, chat, seq),
		FOREIGN KEY (visitor, chat) REFERENCES chats ON DELETE CASCADE
	);

	CREATE TABLE calls (
		visitor     BYTEA NOT NULL,
		chat        BYTEA NOT NULL,
		id          BYTEA NOT NULL,
		message_seq BIGINT NOT NULL,
		position    BIGINT NOT NULL,
		name        BYTEA NOT NULL,
		target      TEXT NOT NULL,
		input       BYTEA NOT NULL,
		confirming  BOOLEAN NOT NULL,
		state       TEXT NOT NULL,
		decision    TEXT NOT NULL,
		reason      BYTEA NOT NULL,
		output      BYTEA,
		claimed_by  TEXT NOT NULL,
		claim_until BIGINT NOT NULL,
		decided_at  BIGINT NOT NULL,
		finished_at BIGINT NOT NULL,
		PRIMARY KEY (visitor, chat, id),
		FOREIGN KEY (visitor, chat) REFERENCES chats ON DELETE CASCADE
	);
	CREATE INDEX calls_running ON calls (claim_until) WHERE state = 'running';

	CREATE TABLE turns (
		visitor    BYTEA NOT NULL,
		chat       BYTEA NOT NULL,
		owner      TEXT NOT NULL,
		held_until BIGINT NOT NULL,
		PRIMARY KEY (visitor, chat)
	);

	CREATE TABLE hosts (
		visitor    BYTEA NOT NULL PRIMARY KEY,
		url        TEXT NOT NULL,
		token      TEXT NOT NULL,
		expires_at BIGINT NOT NULL
	);

	CREATE TABLE chat_locks (
		visitor BYTEA NOT NULL,
		chat    BYTEA NOT NULL,
		PRIMARY KEY (visitor, chat)
	);`,

	`ALTER TABLE calls ADD COLUMN toolset BYTEA NOT NULL DEFAULT '';
	ALTER TABLE calls ADD COLUMN identity BYTEA NOT NULL DEFAULT '';`,
}

// migrationLock keeps processes that start together from migrating together.
const migrationLock = 0x73766564_61000001

// migrate brings the schema to the newest version. A database that is newer
// than this program is refused rather than guessed at.
func (s *Store) migrate(ctx context.Context) error {
	return s.inTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(migrationLock)); err != nil {
			return fmt.Errorf("waiting for another migration: %w", err)
		}
		if _, err := tx.Exec(ctx, `CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)`); err != nil {
			return fmt.Errorf("creating schema_version: %w", err)
		}
		var version int
		if err := tx.QueryRow(ctx, `SELECT COALESCE(MAX(version), 0) FROM schema_version`).Scan(&version); err != nil {
			return fmt.Errorf("reading schema_version: %w", err)
		}
		if version > len(migrations) {
			return fmt.Errorf("database has schema version %d, this program knows up to %d", version, len(migrations))
		}
		for ; version < len(migrations); version++ {
			if _, err := tx.Exec(ctx, migrations[version]); err != nil {
				return fmt.Errorf("migrating to schema version %d: %w", version+1, err)
			}
			if _, err := tx.Exec(ctx, `INSERT INTO schema_version (version) VALUES ($1)`, version+1); err != nil {
				return fmt.Errorf("recording schema version %d: %w", version+1, err)
			}
		}
		return nil
	})
}
