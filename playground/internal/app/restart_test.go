package app

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svedawasm/svedawasm/playground/hosttool"
	"github.com/svedawasm/svedawasm/playground/internal/model"
	"github.com/svedawasm/svedawasm/playground/internal/store"
)

func TestRestart_WaitingCallIsStillThere(t *testing.T) {
	p := start(t, setup{model: script(calling("c1", "delete_post", `{"post_id":2}`))})
	p.say("c", "go")
	p.stop()
	p = start(t, setup{dir: p.dir, model: script(model.Response{Text: "gone"})})
	wantMessage(t, p.say("c", "next"), 409, "Tool confirmation is required before the conversation can continue.")
	if r := p.decide("c", "c1", "approve"); r.text() != "gone" {
		t.Errorf("events %v", r.types())
	}
	p.wantCalls("delete_post", 1)
	p.wantPost(2, false)
}

func TestRestart_StoppingWaitsForTheTool(t *testing.T) {
	gate := newGate("charge_card", "required")
	p := start(t, setup{model: script(calling("c1", "charge_card", `{}`)), tools: []hosttool.Tool{gate}})
	p.say("c", "go")
	done := make(chan reply, 1)
	go func() { done <- p.decide("c", "c1", "approve") }()
	await(t, "the host call", gate.started)
	stopped := make(chan struct{})
	go func() {
		p.stop()
		close(stopped)
	}()
	time.Sleep(100 * time.Millisecond)
	close(gate.let)
	r := <-done
	if len(r.of("tool.result")) != 1 || string(r.of("tool.result")[0].Output) != `{"data":"ran","success":true}` {
		t.Errorf("events %v", r.types())
	}
	await(t, "the end of the process", stopped)
	p = start(t, setup{dir: p.dir, model: script()})
	if c := p.call("c", "c1"); c.State != store.StateDone {
		t.Errorf("state %q after a clean stop", c.State)
	}
}

// TestRestart_KilledBetweenClaimAndResult kills a real process in the middle
// of a host call.
func TestRestart_KilledBetweenClaimAndResult(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "playground")
	if out, err := exec.Command("go", "build", "-o", bin, "../..").CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	p := start(t, setup{})
	p.say("c", "delete post 2")
	p.stop()
	id := "call_delete_post_1"

	cmd := exec.Command(bin, "-port", "0", "-data", p.dir, "-web", "", "-host-delay", "1m", "-log", "error")
	cmd.Env = append(os.Environ(), "SVEDA_SECRET=")
	out := &lines{ready: make(chan string, 1)}
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	base := strings.TrimPrefix(<-out.ready, "listening on ")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "POST", base+"/sveda/stream",
		strings.NewReader(`{"chatId":"c","toolDecisions":[{"toolCallId":"`+id+`","decision":"approve"}]}`))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("x-sveda-embed-token", p.token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the host call", func() bool {
		res, err := http.Get(base + "/debug/mcp-calls")
		if err != nil {
			return false
		}
		defer res.Body.Close()
		var b bytes.Buffer
		b.ReadFrom(res.Body)
		return strings.Contains(b.String(), `"delete_post"`)
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	res.Body.Close()

	m := script(model.Response{Text: "I do not know."})
	p = start(t, setup{dir: p.dir, model: m})
	if c := p.call("c", id); c.State != store.StateDone || c.Decision != store.Approve || !strings.Contains(string(c.Output), `"outcome":"unknown"`) {
		t.Errorf("state %q decision %q output %s", c.State, c.Decision, c.Output)
	}
	r := p.decide("c", id, "approve")
	wantTypes(t, r, "tool.result", "message.start", "text.delta", "context.usage", "message.end", "chat.title")
	if got := toolText(m.last(t), id); !strings.Contains(got, `"success":false,"outcome":"unknown"`) {
		t.Errorf("the model is told %s", got)
	}
	p.wantCalls("delete_post", 1) // counted over both processes
	p.wantPost(2, true)
}

func TestRestart_SecondProcessOnOneFolderIsRefused(t *testing.T) {
	p := start(t, setup{})
	cmd := exec.Command("go", "run", "../..", "-port", "0", "-data", p.dir, "-web", "")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "in use by another process") {
		t.Errorf("error %v, output %s", err, out)
	}
}

// lines hands over the first line that a process writes.
type lines struct {
	buf   bytes.Buffer
	ready chan string
	sent  bool
}

func (l *lines) Write(p []byte) (int, error) {
	l.buf.Write(p)
	if line, _, ok := strings.Cut(l.buf.String(), "\n"); ok && !l.sent {
		l.sent = true
		l.ready <- line
	}
	return len(p), nil
}

func TestHostTimeoutIsUnknown(t *testing.T) {
	gate := newGate("charge_card", "required")
	m := script(calling("c1", "charge_card", `{}`))
	p := start(t, setup{model: m, tools: []hosttool.Tool{gate}, env: map[string]string{"SVEDA_HOST_TIMEOUT": "200ms"}})
	t.Cleanup(func() { close(gate.let) })
	p.say("c", "go")
	r := p.decide("c", "c1", "approve")
	if got := string(r.events[0].Output); !strings.Contains(got, `"success":false,"outcome":"unknown"`) {
		t.Errorf("output %s", got)
	}
	p.decide("c", "c1", "approve")
	p.wantCalls("charge_card", 1)
}
