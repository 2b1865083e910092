package session_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/session/event"
)

// TestConversations plays the conversations of testdata/conversations: what was
// said is prose, then comes the script, then what it led to. -update writes the
// outcome; other suites may play the same files.
//
// A script line is one input:
//
//	register NAME [required]       the page registers a tool
//	send TEXT                      the person writes
//	continue | stop | reread
//	tap CALL approve|deny [REASON]
//	event JSON                     the server says this (the response begins with it)
//	done | eof | lost              the end mark; the end of the body; a cut
//	status CODE [BODY]             a whole response that is no stream
//	history JSON                   the answer to a reading of the chat: its messages
//	output CALL JSON               a handler is ready
//	list JSON                      the page sets its messages
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/conversations/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			head, rest, found := strings.Cut(string(text), "-- script --\n")
			if !found {
				t.Fatal("it has no script")
			}
			script, want, _ := strings.Cut(rest, "-- requests --\n")
			c := newChat(t)
			for _, line := range strings.Split(strings.TrimSpace(script), "\n") {
				c.say(line)
			}
			got := c.outcome()
			if *update {
				if err := os.WriteFile(file, []byte(head+"-- script --\n"+script+got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != "-- requests --\n"+want {
				t.Errorf("got\n%s\nwant\n-- requests --\n%s", got, want)
			}
		})
	}
}

// say plays one line of a script.
func (c *chat) say(line string) {
	c.t.Helper()
	word, rest, _ := strings.Cut(line, " ")
	first, second, _ := strings.Cut(rest, " ")
	switch word {
	case "register":
		c.register(first, second)
	case "send":
		c.send(rest)
	case "continue":
		c.goOn()
	case "stop":
		c.stop()
	case "reread":
		c.reread()
	case "tap":
		decision, reason, _ := strings.Cut(second, " ")
		c.tapWith(first, decision, reason)
	case "event":
		c.begin()
		c.feed(frame(rest))
	case "done":
		c.begin()
		c.feed(DONE)
	case "eof":
		c.eof()
	case "lost":
		c.lost()
	case "status":
		status := map[string]int{"200": 200, "204": 204, "401": 401, "409": 409, "422": 422, "429": 429, "500": 500}[first]
		c.status(status, second)
	case "history":
		c.headOf(c.last().id, 200, "application/json")
		c.feed(HISTORY(rest))
		c.eof()
	case "output":
		c.output(first, second)
	case "list":
		c.setMessages(rest)
	default:
		c.t.Fatalf("what is %q?", line)
	}
}

// begin lets the response to the last request begin, unless it has.
func (c *chat) begin() {
	if !c.begun[c.last().id] {
		c.begun[c.last().id] = true
		c.head()
	}
}

// outcome is what the chat has come to.
func (c *chat) outcome() string {
	var b bytes.Buffer
	b.WriteString("-- requests --\n")
	for _, r := range c.requests {
		b.WriteString(r.wire.Method + " " + r.wire.Endpoint)
		if r.wire.Path != "" {
			b.WriteString(" " + r.wire.Path)
		}
		if r.wire.Body != nil {
			b.WriteString(" " + string(r.wire.Body))
		}
		b.WriteByte('\n')
	}
	b.WriteString("-- messages --\n")
	for i := range c.s.Messages() {
		b.Write(event.AppendMessage(nil, &c.s.Messages()[i]))
		b.WriteByte('\n')
	}
	b.WriteString("-- confirmations --\n")
	for _, m := range c.s.Messages() {
		for i := range m.Parts {
			if conf, ok := c.shown[m.Parts[i].ToolCallID]; ok && m.Parts[i].Kind == event.CallPart {
				b.WriteString(conf.ToolCallID + " " + strings.TrimSpace(conf.State+" "+conf.Decision))
				if conf.Error != nil {
					b.WriteString(" !" + conf.Error.Code)
				}
				b.WriteByte('\n')
			}
		}
	}
	b.WriteString("-- end --\n" + c.s.Status().String())
	for _, f := range c.failures {
		b.WriteString(" error:" + f)
	}
	for _, w := range c.warnings {
		b.WriteString(" warning:" + w)
	}
	b.WriteByte('\n')
	return b.String()
}
