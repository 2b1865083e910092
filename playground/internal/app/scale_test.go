package app

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svedawasm/svedawasm/playground/internal/store/postgres/pgtest"
)

// process is a runtime process of its own.
type process struct {
	t    *testing.T
	base string
	cmd  *exec.Cmd
}

// launch starts the binary with one database for the chats and a folder of its
// own for everything else.
func launch(t *testing.T, bin, database string, args ...string) *process {
	t.Helper()
	cmd := exec.Command(bin, append([]string{"-port", "0", "-data", t.TempDir(), "-web", "", "-log", "error", "-offline-delay", "0"}, args...)...)
	cmd.Env = append(os.Environ(), "SVEDA_SECRET=", "DATABASE_URL="+database, "SVEDA_HOST_KEY=key-of-the-host", "SVEDA_MCP_TOKEN=token-of-the-mcp-host")
	out := &lines{ready: make(chan string, 1)}
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	select {
	case line := <-out.ready:
		return &process{t, strings.TrimPrefix(line, "listening on "), cmd}
	case <-time.After(20 * time.Second):
		t.Fatal("the process does not listen")
		return nil
	}
}

func (p *process) request(method, path, token, body string) (int, string) {
	req, err := http.NewRequest(method, p.base+path, strings.NewReader(body))
	if err != nil {
		p.t.Error(err)
		return 0, ""
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Sveda-Embed-Token", token)
	req.Header.Set("X-Sveda-Host-Key", "key-of-the-host")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err.Error()
	}
	return res.StatusCode, string(text)
}

// decide sends decisions and gives the output of the result, "" for none.
func (p *process) decide(token, chat, call, word string) (output string, done bool) {
	status, body := p.request("POST", "/sveda/stream", token,
		fmt.Sprintf(`{"chatId":%q,"toolDecisions":[{"toolCallId":%q,"decision":%q}]}`, chat, call, word))
	if status != 200 {
		p.t.Errorf("decision: status %d, %s", status, body)
	}
	lines := bufio.NewScanner(strings.NewReader(body))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e struct {
			Type, ToolCallID string
			Output           json.RawMessage
		}
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if string(data) == "[DONE]" {
			done = true
		}
		if ok && json.Unmarshal(data, &e) == nil && e.Type == "tool.result" && e.ToolCallID == call {
			output = string(e.Output)
		}
	}
	return output, done
}

// calls are the tool calls that the MCP host of a process has got.
func (p *process) calls(chat string) (n int) {
	var all struct {
		Calls []struct{ Name, ChatID string }
	}
	_, body := p.request("GET", "/debug/mcp-calls", "", "")
	if err := json.Unmarshal([]byte(body), &all); err != nil {
		p.t.Fatal(err)
	}
	for _, c := range all.Calls {
		if c.ChatID == chat && c.Name == "delete_post" {
			n++
		}
	}
	return n
}

// TestScale_TwoProcessesOverOneDatabase is issue 7, part 9: several runtime
// processes over one PostgreSQL, and a decision on any of them executes once.
func TestScale_TwoProcessesOverOneDatabase(t *testing.T) {
	database := pgtest.Start(t)
	bin := filepath.Join(t.TempDir(), "playground")
	if out, err := exec.Command("go", "build", "-o", bin, "../..").CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	processes := []*process{launch(t, bin, database), launch(t, bin, database)}
	a, b := processes[0], processes[1]
	// One host for both: the tools' own database is that of process a.
	status, body := a.request("POST", "/sveda/embed/token", "", `{"visitor_id":"alice","host_mcp_url":"`+a.base+
		`/mcp/sveda","host_mcp_token":"token-of-the-mcp-host"}`)
	var made struct{ Token string }
	if err := json.Unmarshal([]byte(body), &made); err != nil || status != 200 {
		t.Fatalf("token: status %d, %s", status, body)
	}
	token := made.Token

	t.Run("ADecisionOnAnyOfThemExecutesOnce", func(t *testing.T) {
		const chat, call = "many", "call_delete_post_1"
		if status, body := a.request("POST", "/sveda/stream", token, `{"chatId":"many","prompt":"delete post 2"}`); status != 200 {
			t.Fatalf("status %d, %s", status, body)
		}
		if _, body := b.request("GET", "/sveda/chat-histories/many", token, ""); !strings.Contains(body, `"confirmation":"required"`) {
			t.Fatalf("the other process does not show the waiting call: %s", body)
		}
		if status, _ := b.request("POST", "/sveda/stream", token, `{"chatId":"many","prompt":"next"}`); status != 409 {
			t.Errorf("the other process takes words while a call waits: status %d", status)
		}
		outputs := make([]string, 24)
		var wait sync.WaitGroup
		for i := range outputs {
			wait.Go(func() { outputs[i], _ = processes[i%2].decide(token, chat, call, "approve") })
		}
		wait.Wait()
		for i, output := range outputs {
			if output != outputs[0] || !strings.Contains(output, `"success":true`) {
				t.Errorf("answer %d of process %d: output %q, want %q", i, i%2, output, outputs[0])
			}
		}
		if n := a.calls(chat); n != 1 {
			t.Errorf("the host was called %d times, want once", n)
		}
		if _, posts := a.request("GET", "/debug/posts", "", ""); strings.Contains(posts, `"id":2,`) {
			t.Error("the post is still there")
		}
	})

	t.Run("S40_TheFirstOfTwoDecisionsCounts", func(t *testing.T) {
		executed := 0
		for i := range 12 {
			chat := fmt.Sprintf("race-%d", i)
			status, body := processes[i%2].request("POST", "/sveda/stream", token, fmt.Sprintf(`{"chatId":%q,"prompt":"delete post %d"}`, chat, 3+i%7))
			if status != 200 {
				t.Fatalf("status %d, %s", status, body)
			}
			var approved, denied string
			var wait sync.WaitGroup
			wait.Go(func() { approved, _ = a.decide(token, chat, "call_delete_post_1", "approve") })
			wait.Go(func() { denied, _ = b.decide(token, chat, "call_delete_post_1", "deny") })
			wait.Wait()
			if approved != denied || approved == "" {
				t.Errorf("chat %s: the approve was answered with %q, the deny with %q", chat, approved, denied)
			}
			want := 1
			if strings.Contains(approved, `"denied":true`) {
				want = 0
			}
			if n := a.calls(chat); n != want {
				t.Errorf("chat %s: %q, and the host was called %d times", chat, approved, n)
			}
			executed += want
		}
		t.Logf("of 12 races the approve came first in %d", executed)
	})

	t.Run("F20_AProcessThatDiesLeavesNothingToRunTwice", func(t *testing.T) {
		slow := launch(t, bin, database, "-host-delay", "1m")
		dying := launch(t, bin, database, "-host-timeout", "1s")
		status, body := slow.request("POST", "/sveda/embed/token", "", `{"visitor_id":"bob","host_mcp_url":"`+slow.base+
			`/mcp/sveda","host_mcp_token":"token-of-the-mcp-host"}`)
		var made struct{ Token string }
		if err := json.Unmarshal([]byte(body), &made); err != nil || status != 200 {
			t.Fatalf("token: status %d, %s", status, body)
		}
		const chat, call = "crash", "call_delete_post_1"
		if status, body := dying.request("POST", "/sveda/stream", made.Token, `{"chatId":"crash","prompt":"delete post 2"}`); status != 200 {
			t.Fatalf("status %d, %s", status, body)
		}
		go dying.request("POST", "/sveda/stream", made.Token,
			`{"chatId":"crash","toolDecisions":[{"toolCallId":"call_delete_post_1","decision":"approve"}]}`)
		for end := time.Now().Add(10 * time.Second); slow.calls(chat) == 0; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("the host is not called")
			}
		}
		_ = dying.cmd.Process.Kill()
		output, done := a.decide(made.Token, chat, call, "approve") // waits for the end of the claim
		if !strings.Contains(output, `"outcome":"unknown"`) || !done {
			t.Errorf("output %q, done %v", output, done)
		}
		if n := slow.calls(chat); n != 1 {
			t.Errorf("the host was called %d times, want once", n)
		}
	})
}
