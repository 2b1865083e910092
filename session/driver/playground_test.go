//go:build !js

package driver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/driver"
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/sveda"
	"github.com/svedawasm/svedawasm/toolregistry"
)

// playground starts the real runtime: streams, MCP host, SQLite.
func playground(t *testing.T) (base string) {
	if testing.Short() {
		t.Skip("builds and runs the playground")
	}
	binary := filepath.Join(t.TempDir(), "playground")
	build := exec.Command("go", "build", "-o", binary, "github.com/svedawasm/svedawasm/playground")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the playground: %v\n%s", err, out)
	}
	run := exec.Command(binary, "-web", "")
	run.Env = append(os.Environ(), "PORT=0", "SVEDA_DATA_DIR="+t.TempDir(), "SVEDA_OFFLINE_DELAY=0", "OPENAI_API_KEY=", "DATABASE_URL=")
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var logs bytes.Buffer
	run.Stderr = &logs
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = run.Process.Signal(os.Interrupt)
		_ = run.Wait()
		if t.Failed() {
			t.Log(logs.String())
		}
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if url := regexp.MustCompile(`http://[^\s/]+`).FindString(lines.Text()); url != "" {
			return url
		}
	}
	t.Fatal("the playground did not say where it listens")
	return ""
}

// get reads JSON from the playground.
func get(t *testing.T, url string, into any) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if err := json.NewDecoder(r.Body).Decode(into); err != nil {
		t.Fatal(err)
	}
}

// hasPost looks into the database of the host.
func hasPost(t *testing.T, base string, id int) bool {
	var v struct{ Posts []struct{ ID int } }
	get(t, base+"/debug/posts", &v)
	for _, p := range v.Posts {
		if p.ID == id {
			return true
		}
	}
	return false
}

// deletions counts the MCP calls that delete.
func deletions(t *testing.T, base string) int {
	var v struct{ Calls []struct{ Name string } }
	get(t, base+"/debug/mcp-calls", &v)
	n := 0
	for _, c := range v.Calls {
		if c.Name == "delete_post" {
			n++
		}
	}
	return n
}

// visit begins a chat with the playground.
func visit(t *testing.T, base, chatID string) *driver.Chat {
	var v struct{ Token string }
	get(t, base+"/demo/token?visitor="+strings.ReplaceAll(t.Name(), "/", "-"), &v)
	c := driver.New(driver.Config{
		Session: session.Config{ChatID: chatID, Dialect: sveda.New(sveda.Config{Histories: true}), Seed: [16]byte{byte(len(chatID))}},
		Transport: &driver.HTTP{
			Endpoints: map[string]string{"stream": base + "/sveda/stream", "history": base + "/sveda/chat-histories"},
			Header: func(context.Context) (http.Header, error) {
				return http.Header{"X-Sveda-Embed-Token": {v.Token}}, nil
			},
		},
	})
	t.Cleanup(c.Close)
	return c
}

// waiting gives the calls that wait in the chat, in order.
func waiting(c *driver.Chat) (ids []string) {
	c.With(func(s *session.Session) {
		done := map[string]bool{}
		for _, m := range s.Messages() {
			for i := range m.Parts {
				if p := &m.Parts[i]; p.Kind == event.ResultPart {
					done[p.ToolCallID] = true
				}
			}
		}
		for _, m := range s.Messages() {
			for i := range m.Parts {
				if p := &m.Parts[i]; p.Kind == event.CallPart && p.Required && !done[p.ToolCallID] {
					ids = append(ids, p.ToolCallID)
				}
			}
		}
	})
	return ids
}

func word(id string, approve bool) session.Choice {
	return session.Choice{Decision: event.Decision{ToolCallID: id, Approve: approve}}
}

func TestPlayground(t *testing.T) {
	base := playground(t)
	send := func(t *testing.T, c *driver.Chat, text string, calls int) []string {
		t.Helper()
		if err := c.Send(within(t), session.Outgoing{Text: text}); err != nil {
			t.Fatal(err)
		}
		ids := waiting(c)
		if len(ids) != calls {
			t.Fatalf("%d calls wait: %s", len(ids), state(c))
		}
		return ids
	}
	decide := func(t *testing.T, c *driver.Chat, choices ...session.Choice) {
		t.Helper()
		if out, err := c.Decide(within(t), choices...); err != nil || strings.Count(string(out), `"outcome":"sent"`) != len(choices) {
			t.Fatalf("%s, %v", out, err)
		}
	}
	t.Run("confirm", func(t *testing.T) {
		c, before := visit(t, base, "confirm"), deletions(t, base)
		ids := send(t, c, "delete post 2", 1)
		if !hasPost(t, base, 2) || deletions(t, base) != before {
			t.Fatal("the tool ran before the decision")
		}
		decide(t, c, word(ids[0], true))
		if hasPost(t, base, 2) || deletions(t, base) != before+1 {
			t.Errorf("post there: %v, calls: %d", hasPost(t, base, 2), deletions(t, base)-before)
		}
		if out, _ := c.Decide(within(t), word(ids[0], true)); !strings.Contains(string(out), "already-decided") || deletions(t, base) != before+1 {
			t.Errorf("a second approval: %s", out)
		}
	})
	t.Run("deny", func(t *testing.T) {
		c, before := visit(t, base, "deny"), deletions(t, base)
		ids := send(t, c, "delete post 3", 1)
		decide(t, c, word(ids[0], false))
		if !hasPost(t, base, 3) || deletions(t, base) != before {
			t.Error("a denied tool ran")
		}
		if text := state(c); !strings.Contains(text, `"denied":true`) {
			t.Error(text)
		}
	})
	t.Run("two calls", func(t *testing.T) {
		c := visit(t, base, "two")
		ids := send(t, c, "delete posts 4 and 5", 2)
		decide(t, c, word(ids[1], false), word(ids[0], true))
		if hasPost(t, base, 4) || !hasPost(t, base, 5) {
			t.Error("the wrong post is gone")
		}
	})
	t.Run("reload", func(t *testing.T) {
		ids := send(t, visit(t, base, "reload"), "delete post 6", 1)
		c := visit(t, base, "reload")
		if err := c.Reread(within(t)); err != nil {
			t.Fatal(err)
		}
		if got := waiting(c); len(got) != 1 || got[0] != ids[0] {
			t.Fatalf("waiting after a reload: %v", got)
		}
		decide(t, c, word(ids[0], true))
		if hasPost(t, base, 6) {
			t.Error("the post is there")
		}
	})
	t.Run("frontend", func(t *testing.T) {
		c, ran := visit(t, base, "frontend"), 0
		err := c.Register(toolregistry.Tool{Name: "archive_selection", Description: "Archive the selection", Confirmation: "required"},
			func(context.Context, driver.Call) ([]byte, error) { ran++; return []byte(`{"archived":2}`), nil })
		if err != nil {
			t.Fatal(err)
		}
		ids := send(t, c, "archive the selection", 1)
		if ran != 0 {
			t.Fatal("the handler ran before the decision")
		}
		decide(t, c, word(ids[0], true))
		if ran != 1 || !strings.Contains(state(c), `{"archived":2}`) {
			t.Errorf("ran %d times: %s", ran, state(c))
		}
	})
	t.Run("another page asks", func(t *testing.T) {
		a, b := visit(t, base, "pages"), visit(t, base, "pages")
		ids := send(t, a, "delete post 7", 1)
		err := b.Send(within(t), session.Outgoing{Text: "hello?"})
		if e, _ := err.(*session.Error); e == nil || e.Code != session.CodeConfirmationNeeded {
			t.Fatal(err)
		}
		if err := b.Reread(within(t)); err != nil { // also waits for the reading that the refusal began
			t.Fatal(err)
		}
		if got := waiting(b); len(got) != 1 || got[0] != ids[0] || strings.Contains(state(b), "hello?") {
			t.Fatalf("the card is not shown: %v, %s", got, state(b))
		}
		decide(t, b, word(ids[0], false))
		if out, err := a.Decide(within(t), word(ids[0], true)); err != nil {
			t.Errorf("%s, %v", out, err)
		}
		if !hasPost(t, base, 7) {
			t.Error("the later word counted")
		}
	})
}
