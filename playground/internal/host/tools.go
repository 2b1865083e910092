package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/svedawasm/svedawasm/playground/hosttool"
	"github.com/svedawasm/svedawasm/playground/internal/posts"
)

// base holds what every tool of the posts domain shares.
type base struct{ db *posts.DB }

func (base) Domain() string { return "posts" }

type searchPosts struct{ base }

func (searchPosts) Name() string { return "search_posts" }
func (searchPosts) Description() string {
	return "Search posts by a text in title or body. An empty query lists all."
}
func (searchPosts) Mode() hosttool.Mode { return hosttool.Read }
func (searchPosts) InputSchema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","description":"Text to look for; empty for all posts."}}}`)
}

func (t searchPosts) Handle(ctx context.Context, args json.RawMessage) (any, error) {
	var in struct {
		Query string `json:"query"`
	}
	if err := decode(args, &in); err != nil {
		return nil, err
	}
	list, err := t.db.Search(ctx, in.Query)
	if err != nil {
		return nil, err
	}
	return result{true, map[string]any{"posts": list, "count": len(list)}}, nil
}

type createPost struct{ base }

func (createPost) Name() string        { return "create_post" }
func (createPost) Description() string { return "Create a post." }
func (createPost) Mode() hosttool.Mode { return hosttool.Write }
func (createPost) InputSchema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"title":{"type":"string"},"body":{"type":"string"}},"required":["title"]}`)
}

func (t createPost) Handle(ctx context.Context, args json.RawMessage) (any, error) {
	var in struct {
		Title string `json:"title"`
		Body  string `json:"body"`
	}
	if err := decode(args, &in); err != nil {
		return nil, err
	}
	if strings.TrimSpace(in.Title) == "" {
		return nil, errors.New("title is required")
	}
	post, err := t.db.Create(ctx, in.Title, in.Body)
	if err != nil {
		return nil, err
	}
	return changed(post), nil
}

type updatePost struct{ base }

func (updatePost) Name() string        { return "update_post" }
func (updatePost) Description() string { return "Change the title or the body of a post." }
func (updatePost) Mode() hosttool.Mode { return hosttool.Write }
func (updatePost) InputSchema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"post_id":{"type":"integer"},"title":{"type":"string"},"body":{"type":"string"}},"required":["post_id"]}`)
}

func (t updatePost) Handle(ctx context.Context, args json.RawMessage) (any, error) {
	var in struct {
		PostID json.Number `json:"post_id"`
		Title  *string     `json:"title"`
		Body   *string     `json:"body"`
	}
	if err := decode(args, &in); err != nil {
		return nil, err
	}
	id, err := postID(in.PostID)
	if err != nil {
		return nil, err
	}
	post, err := t.db.Update(ctx, id, in.Title, in.Body)
	if err != nil {
		return nil, named(id, err)
	}
	return changed(post), nil
}

// deletePost is the tool that waits for a person.
type deletePost struct{ base }

func (deletePost) Name() string { return "delete_post" }
func (deletePost) Description() string {
	return "Delete a post. The chat user must confirm before it runs."
}
func (deletePost) Mode() hosttool.Mode  { return hosttool.Delete }
func (deletePost) Confirmation() string { return hosttool.Required }
func (deletePost) InputSchema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"post_id":{"type":"integer"}},"required":["post_id"]}`)
}

func (t deletePost) Handle(ctx context.Context, args json.RawMessage) (any, error) {
	var in struct {
		PostID json.Number `json:"post_id"`
	}
	if err := decode(args, &in); err != nil {
		return nil, err
	}
	id, err := postID(in.PostID)
	if err != nil {
		return nil, err
	}
	post, err := t.db.Delete(ctx, id)
	if err != nil {
		return nil, named(id, err)
	}
	return changed(post), nil
}

// result is what a tool of this host answers with.
type result struct {
	Success bool `json:"success"`
	Data    any  `json:"data"`
}

func changed(p posts.Post) any { return result{true, map[string]any{"post": p}} }

func decode(args json.RawMessage, in any) error {
	if err := json.Unmarshal(args, in); err != nil {
		return fmt.Errorf("wrong arguments: %w", err)
	}
	return nil
}

// postID keeps ids exact: a number that is not an int64 is no post's id, and
// is never rounded to one that is.
func postID(n json.Number) (int64, error) {
	if n == "" {
		return 0, errors.New("post_id is required")
	}
	id, err := n.Int64()
	if err != nil {
		return 0, fmt.Errorf("post_id %s is not an integer id", n)
	}
	return id, nil
}

func named(id int64, err error) error {
	if errors.Is(err, posts.ErrNotFound) {
		return fmt.Errorf("post %d does not exist", id)
	}
	return err
}
