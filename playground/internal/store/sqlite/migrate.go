package sqlite

import (
	"context"
	"database/sql"
	"fmt"
)

// migrations are applied in order, each in a transaction of its own; the
// number of applied ones is in schema_version. A migration that was released
// is never changed, a new one is added at the end.
var migrations = []string{
	`CREATE TABLE chats (
		visitor     TEXT NOT NULL,
		chat        TEXT NOT NULL,
		title       TEXT NOT NULL,
		tokens_used INTEGER NOT NULL,
		version     INTEGER NOT NULL,
		created_at  INTEGER NOT NULL,
		updated_at  INTEGER NOT NULL,
		PRIMARY KEY (visitor, chat)
	) WITHOUT ROWID;
	CREATE INDEX chats_by_age ON chats (visitor, updated_at DESC);

	CREATE TABLE messages (
		visitor    TEXT NOT NULL,
		chat       TEXT NOT NULL,
		seq        INTEGER NOT NULL,
		id         TEXT NOT NULL,
		role       TEXT NOT NULL,
		body       TEXT NOT NULL,
		reasoning  TEXT NOT NULL,
		files      BLOB,
		hidden     INTEGER NOT NULL,
		created_at INTEGER NOT NULL,
		PRIMARY KEY (visitor, chat, seq),
		FOREIGN KEY (visitor, chat) REFERENCES chats ON DELETE CASCADE
	) WITHOUT ROWID;

	CREATE TABLE calls (
		visitor     TEXT NOT NULL,
		chat        TEXT NOT NULL,
		id          TEXT NOT NULL,
		message_seq INTEGER NOT NULL,
		position    INTEGER NOT NULL,
		name        TEXT NOT NULL,
		target      TEXT NOT NULL,
		input       BLOB NOT NULL,
		confirming  INTEGER NOT NULL,
		state       TEXT NOT NULL,
		decision    TEXT NOT NULL,
		reason      TEXT NOT NULL,
		output      BLOB,
		claimed_by  TEXT NOT NULL,
		claim_until INTEGER NOT NULL,
		decided_at  INTEGER NOT NULL,
		finished_at INTEGER NOT NULL,
		PRIMARY KEY (visitor, chat, id),
		FOREIGN KEY (visitor, chat) REFERENCES chats ON DELETE CASCADE
	) WITHOUT ROWID;
	CREATE INDEX calls_running ON calls (claim_until) WHERE state = 'running';

	CREATE TABLE turns (
		visitor    TEXT NOT NULL,
		chat       TEXT NOT NULL,
		owner      TEXT NOT NULL,
		held_until INTEGER NOT NULL,
		PRIMARY KEY (visitor, chat)
	) WITHOUT ROWID;

	CREATE TABLE hosts (
		visitor    TEXT NOT NULL PRIMARY KEY,
		url        TEXT NOT NULL,
		token      TEXT NOT NULL,
		expires_at INTEGER NOT NULL
	) WITHOUT ROWID;`,

	`ALTER TABLE calls ADD COLUMN toolset TEXT NOT NULL DEFAULT '';
	ALTER TABLE calls ADD COLUMN identity TEXT NOT NULL DEFAULT '';`,
}

// migrate brings the schema to the newest version. A database that is newer
// than this program is refused rather than guessed at.
func migrate(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)`); err != nil {
		return fmt.Errorf("creating schema_version: %w", err)
	}
	for {
		done, err := migrateOne(ctx, db)
		if err != nil {
			return err
		}
		if done {
			return nil
		}
	}
}

func migrateOne(ctx context.Context, db *sql.DB) (done bool, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return false, fmt.Errorf("beginning migration: %w", err)
	}
	defer tx.Rollback()
	var version int
	err = tx.QueryRowContext(ctx, `SELECT COALESCE(MAX(version), 0) FROM schema_version`).Scan(&version)
	if err != nil {
		return false, fmt.Errorf("reading schema_version: %w", err)
	}
	if version > len(migrations) {
		return false, fmt.Errorf("database has schema version %d, this program knows up to %d", version, len(migrations))
	}
	if version == len(migrations) {
		return true, nil
	}
	if _, err := tx.ExecContext(ctx, migrations[version]); err != nil {
		return false, fmt.Errorf("migrating to schema version %d: %w", version+1, err)
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO schema_version (version) VALUES (?)`, version+1); err != nil {
		return false, fmt.Errorf("recording schema version %d: %w", version+1, err)
	}
	return false, tx.Commit()
}
