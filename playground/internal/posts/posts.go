// Package posts is the data of the demo's host: ten posts in a SQLite file of
// its own, as a real host's data would be apart from the runtime's chats. It
// also keeps the list of the calls that the host received, so that a test can
// count them over restarts.
package posts

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/svedawasm/svedawasm/playground/internal/store/sqlite"
)

// ErrNotFound says that there is no post with that id.
var ErrNotFound = errors.New("post not found")

// Post is one row.
type Post struct {
	ID     int64  `json:"id"`
	Title  string `json:"title"`
	Body   string `json:"body"`
	Status string `json:"status"`
}

// Call is one tools/call that the host received.
type Call struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // as received
	ChatID    string          `json:"chatId,omitempty"`
	Time      time.Time       `json:"time"`
}

// DB is the host's database.
type DB struct{ db *sql.DB }

const schema = `
CREATE TABLE IF NOT EXISTS posts (
	id     INTEGER PRIMARY KEY AUTOINCREMENT,
	title  TEXT NOT NULL,
	body   TEXT NOT NULL,
	status TEXT NOT NULL DEFAULT 'published'
);
CREATE TABLE IF NOT EXISTS calls (
	seq       INTEGER PRIMARY KEY AUTOINCREMENT,
	name      TEXT NOT NULL,
	arguments BLOB NOT NULL,
	chat      TEXT NOT NULL,
	at        INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS seeded (one INTEGER PRIMARY KEY CHECK (one = 1));`

// Open opens or creates the file; a new one gets its ten posts.
func Open(ctx context.Context, path string) (*DB, error) {
	db, err := sqlite.OpenDB(path, 1)
	if err != nil {
		return nil, err
	}
	if _, err := db.ExecContext(ctx, schema); err != nil {
		db.Close()
		return nil, fmt.Errorf("opening %q: %w", path, err)
	}
	d := &DB{db: db}
	if err := d.seed(ctx); err != nil {
		db.Close()
		return nil, err
	}
	return d, nil
}

// Close closes the file.
func (d *DB) Close() error { return d.db.Close() }

// seed writes the ten posts unless that was done before: posts that a person
// has deleted stay deleted.
func (d *DB) seed(ctx context.Context) error {
	t, err := d.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("seeding posts: %w", err)
	}
	defer t.Rollback()
	res, err := t.ExecContext(ctx, `INSERT OR IGNORE INTO seeded (one) VALUES (1)`)
	if err != nil {
		return fmt.Errorf("seeding posts: %w", err)
	}
	if n, _ := res.RowsAffected(); n == 0 {
		return nil
	}
	for i, p := range seedPosts {
		if _, err := t.ExecContext(ctx, `INSERT INTO posts (id, title, body) VALUES (?, ?, ?)`, i+1, p.title, p.body); err != nil {
			return fmt.Errorf("seeding posts: %w", err)
		}
	}
	return t.Commit()
}

// Reset puts the ten posts back and forgets the calls.
func (d *DB) Reset(ctx context.Context) error {
	_, err := d.db.ExecContext(ctx, `DELETE FROM posts; DELETE FROM calls; DELETE FROM seeded;
		DELETE FROM sqlite_sequence WHERE name IN ('posts', 'calls');`)
	if err != nil {
		return fmt.Errorf("resetting posts: %w", err)
	}
	return d.seed(ctx)
}

// All gives every post by id.
func (d *DB) All(ctx context.Context) ([]Post, error) {
	return d.query(ctx, `SELECT id, title, body, status FROM posts ORDER BY id`)
}

// Search gives the posts whose title or body holds the text; an empty text
// matches all.
func (d *DB) Search(ctx context.Context, text string) ([]Post, error) {
	like := "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text) + "%"
	return d.query(ctx, `SELECT id, title, body, status FROM posts
		WHERE title LIKE ? ESCAPE '\' OR body LIKE ? ESCAPE '\' ORDER BY id`, like, like)
}

func (d *DB) query(ctx context.Context, q string, args ...any) ([]Post, error) {
	rows, err := d.db.QueryContext(ctx, q, args...)
	if err != nil {
		return nil, fmt.Errorf("reading posts: %w", err)
	}
	defer rows.Close()
	list := []Post{}
	for rows.Next() {
		var p Post
		if err := rows.Scan(&p.ID, &p.Title, &p.Body, &p.Status); err != nil {
			return nil, fmt.Errorf("reading posts: %w", err)
		}
		list = append(list, p)
	}
	return list, rows.Err()
}

// Create adds a post.
func (d *DB) Create(ctx context.Context, title, body string) (Post, error) {
	p := Post{Title: title, Body: body}
	err := d.db.QueryRowContext(ctx, `INSERT INTO posts (title, body) VALUES (?, ?) RETURNING id, status`, title, body).
		Scan(&p.ID, &p.Status)
	if err != nil {
		return p, fmt.Errorf("creating post: %w", err)
	}
	return p, nil
}

// Update changes the fields that are given and gives the post as it is then.
func (d *DB) Update(ctx context.Context, id int64, title, body *string) (Post, error) {
	var p Post
	err := d.db.QueryRowContext(ctx, `UPDATE posts SET title = COALESCE(?, title), body = COALESCE(?, body)
		WHERE id = ? RETURNING id, title, body, status`, title, body, id).Scan(&p.ID, &p.Title, &p.Body, &p.Status)
	if errors.Is(err, sql.ErrNoRows) {
		return p, ErrNotFound
	}
	if err != nil {
		return p, fmt.Errorf("updating post: %w", err)
	}
	return p, nil
}

// Delete removes a post and gives what it was.
func (d *DB) Delete(ctx context.Context, id int64) (Post, error) {
	var p Post
	err := d.db.QueryRowContext(ctx, `DELETE FROM posts WHERE id = ? RETURNING id, title, body, status`, id).
		Scan(&p.ID, &p.Title, &p.Body, &p.Status)
	if errors.Is(err, sql.ErrNoRows) {
		return p, ErrNotFound
	}
	if err != nil {
		return p, fmt.Errorf("deleting post: %w", err)
	}
	return p, nil
}

// LogCall records a call that the host received.
func (d *DB) LogCall(ctx context.Context, c Call) error {
	_, err := d.db.ExecContext(ctx, `INSERT INTO calls (name, arguments, chat, at) VALUES (?, ?, ?, ?)`,
		c.Name, []byte(c.Arguments), c.ChatID, c.Time.UnixNano())
	if err != nil {
		return fmt.Errorf("recording call: %w", err)
	}
	return nil
}

// Calls gives the calls in the order in which they came.
func (d *DB) Calls(ctx context.Context) ([]Call, error) {
	rows, err := d.db.QueryContext(ctx, `SELECT name, arguments, chat, at FROM calls ORDER BY seq`)
	if err != nil {
		return nil, fmt.Errorf("reading calls: %w", err)
	}
	defer rows.Close()
	list := []Call{}
	for rows.Next() {
		var c Call
		var args []byte
		var at int64
		if err := rows.Scan(&c.Name, &args, &c.ChatID, &at); err != nil {
			return nil, fmt.Errorf("reading calls: %w", err)
		}
		c.Arguments, c.Time = args, time.Unix(0, at).UTC()
		list = append(list, c)
	}
	return list, rows.Err()
}
