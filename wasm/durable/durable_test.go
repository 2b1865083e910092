package durable

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/session/snapshot"
	"github.com/svedawasm/svedawasm/wasm/bridge"
	"github.com/svedawasm/svedawasm/wasm/frame"
)

// write puts fields into the inbox and gives their length.
func write(b *bridge.Bridge, fields ...string) int {
	var data []byte
	for _, text := range fields {
		data = append(binary.LittleEndian.AppendUint32(data, uint32(len(text))), text...)
	}
	return copy(b.Inbox(len(data)), data)
}

// number reads an answer that is a number, and value one that is bytes.
func number(t *testing.T, b *bridge.Bridge) int {
	t.Helper()
	out := b.Outbox()
	if len(out) == 0 || out[0] != frame.OpNumber {
		t.Fatalf("expected a number, got %q", out)
	}
	n, _ := binary.Uvarint(out[1:])
	return int(n)
}

func value(t *testing.T, b *bridge.Bridge, op byte) string {
	t.Helper()
	out := b.Outbox()
	if len(out) == 0 || out[0] != op {
		t.Fatalf("expected op %d, got %q", op, out)
	}
	n, size := binary.Uvarint(out[1:])
	return string(out[1+size:][:n])
}

func TestASessionCrossesTheBoundaryAsASnapshot(t *testing.T) {
	b := bridge.New()
	b.Wall(1_700_000_000_000)
	b.OpenRegistry()
	registry := number(t, b)
	b.OpenClient(registry, 0, write(b, "sveda"))
	client := number(t, b)
	b.OpenSession(client, write(b, "chat", strings.Repeat("s", 16)))
	session := number(t, b)
	b.SetMessages(session, write(b, `[{"id":"a","role":"assistant","parts":[{"type":"tool-call","toolCallId":"c1",`+
		`"toolName":"delete_post","target":"backend","input":{"id":9007199254740993},"confirmation":"required"}]}]`))
	Snapshot(b, session)
	saved := value(t, b, frame.OpBytes)

	Restore(b, client, write(b, strings.Repeat("r", 16), saved))
	again := number(t, b)
	if !strings.Contains(string(b.Outbox()), `"state":"pending"`) {
		t.Errorf("B033: no waiting confirmation in %q", b.Outbox())
	}
	b.Arguments(again, 0, write(b, "c1"))
	if got := value(t, b, frame.OpValue); !strings.Contains(got, "9007199254740993") {
		t.Errorf("S12: expected the exact number, got %s", got)
	}
	b.OpenSession(client, write(b, "chat", strings.Repeat("t", 16)))
	other := number(t, b)
	Adopt(b, other, 1, write(b, saved))
	if !strings.Contains(string(b.Outbox()), `"state":"pending"`) {
		t.Errorf("no waiting confirmation in %q", b.Outbox())
	}
}

func TestBytesThatAreNoSessionAreTypedErrors(t *testing.T) {
	b := bridge.New()
	b.OpenRegistry()
	b.OpenClient(number(t, b), 0, write(b, "sveda"))
	client := number(t, b)
	b.OpenSession(client, write(b, "chat", strings.Repeat("s", 16)))
	session := number(t, b)
	Snapshot(b, session)
	saved := value(t, b, frame.OpBytes)
	for code, data := range map[string]string{
		snapshot.CodeForeign: "no snapshot",
		snapshot.CodeCorrupt: saved[:len(saved)-1],
	} {
		Restore(b, client, write(b, strings.Repeat("r", 16), data))
		if got := value(t, b, frame.OpError); !strings.Contains(got, code) {
			t.Errorf("expected the error %s, got %s", code, got)
		}
		Adopt(b, session, 0, write(b, data))
		if got := value(t, b, frame.OpError); !strings.Contains(got, code) {
			t.Errorf("expected the error %s, got %s", code, got)
		}
	}
	Restore(b, 99, write(b, strings.Repeat("r", 16), saved))
	value(t, b, frame.OpError)
	Snapshot(b, 99)
	value(t, b, frame.OpError)
}
