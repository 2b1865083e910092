package bridge

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/wasm/frame"
)

// page is what JavaScript does at the boundary, for tests.
type page struct {
	*Bridge
	t *testing.T
}

func newPage(t *testing.T) *page { return &page{New(), t} }

// write puts fields into the inbox and gives their length; nil is absent.
func (p *page) write(fields ...any) int {
	var data []byte
	for _, field := range fields {
		if field == nil {
			data = binary.LittleEndian.AppendUint32(data, 0xFFFFFFFF)
			continue
		}
		text := field.(string)
		data = append(binary.LittleEndian.AppendUint32(data, uint32(len(text))), text...)
	}
	return copy(p.Inbox(len(data)), data)
}

// record is one record of a frame, with the fields that tests look at.
type record struct {
	op         byte
	n          int // message, id or number
	text, data string
}

func (p *page) records(length int) []record {
	p.t.Helper()
	in := p.Outbox()[:length]
	number := func() int {
		n, size := binary.Uvarint(in)
		if size <= 0 {
			p.t.Fatalf("the frame is cut: %q", p.Outbox())
		}
		in = in[size:]
		return int(n)
	}
	text := func() string {
		n := number()
		s := string(in[:n])
		in = in[n:]
		return s
	}
	var all []record
	for len(in) > 0 {
		r := record{op: in[0]}
		in = in[1:]
		switch {
		case r.op < 33:
			r.n = number()
			number()
			r.text, r.data = text(), text()
		case r.op < 64:
			r.n = number()
			number()
			number()
			number()
			r.text = text() + text()
			r.data = text() + text()
		case r.op == frame.OpNumber:
			r.n = number()
		case r.op == frame.OpRequest:
			r.text = strings.Join([]string{text(), text(), text(), text()}, " ")
			for range number() {
				r.text += " " + text() + ": " + text()
			}
			r.data = text()
		default:
			r.data = text()
		}
		all = append(all, r)
	}
	return all
}

// one expects a single answer.
func (p *page) one(length int) record {
	p.t.Helper()
	all := p.records(length)
	if len(all) != 1 {
		p.t.Fatalf("expected 1 record, got %v", all)
	}
	return all[0]
}

func (p *page) number(length int) int {
	p.t.Helper()
	r := p.one(length)
	if r.op != frame.OpNumber {
		p.t.Fatalf("expected a number, got %+v", r)
	}
	return r.n
}

func (p *page) openSession() (registry, session int) {
	p.t.Helper()
	registry = p.number(p.OpenRegistry())
	client := p.number(p.OpenClient(registry, 0, p.write("sveda")))
	return registry, p.number(p.OpenSession(client, p.write("chat", strings.Repeat("s", 16))))
}

func TestConfirmedCallCrossesTheBoundary(t *testing.T) {
	p := newPage(t)
	_, s := p.openSession()
	changes := p.records(p.Send(s, 1, p.write("delete post 2", "", nil, nil, `{"page":1}`, nil, nil, "", "")))
	open := changes[len(changes)-2]
	if open.op != 32+byte(session.OpenStream) {
		t.Fatalf("expected the effect OpenStream, got %+v", changes)
	}
	request := p.one(p.Encode(s, open.n, p.write(`{"page":0,"user":"u"}`)))
	for _, want := range []string{`"prompt":"delete post 2"`, `"chatId":"chat"`, `"user":"u"`, `"page":1`} {
		if !strings.Contains(request.data, want) {
			t.Errorf("expected the body to hold %s, got %s", want, request.data)
		}
	}
	p.Head(s, open.n, 200, -1, p.write("text/event-stream", ""))
	stream := `data: {"type":"tool.call","toolCallId":"c1","toolName":"delete_post","target":"backend",` +
		`"input":{"id":9007199254740993},"confirmation":"required"}` + "\n\n" +
		`data: {"type":"message.end","finishReason":"tool_calls"}` + "\n\ndata: [DONE]\n\n"
	p.Feed(s, open.n, copy(p.Inbox(len(stream)), stream))
	p.End(s, open.n, 0, p.write(""))
	shown := p.one(p.Arguments(s, 0, p.write("c1")))
	if !strings.Contains(shown.data, `9007199254740993`) {
		t.Errorf("S12: expected the exact number, got %s", shown.data)
	}
	refused := p.records(p.Send(s, 2, p.write("more", "", nil, nil, nil, nil, nil, "", "")))
	if len(refused) != 1 || !strings.Contains(refused[0].data, `"awaiting-consent"`) {
		t.Errorf("R17: expected nothing but a rejected promise, got %+v", refused)
	}
	decided := p.records(p.Decide(s, 3, p.write(nil, nil, nil, "", "", "c1", "approve", "", "", "")))
	for _, r := range decided {
		if r.op == 32+byte(session.OpenStream) {
			open = r
		}
	}
	request = p.one(p.Encode(s, open.n, p.write(`{}`)))
	if !strings.Contains(request.data, `"toolDecisions":[{"toolCallId":"c1","decision":"approve"}]`) {
		t.Errorf("S1: expected a decision of id and word, got %s", request.data)
	}
}

func TestUnknownDecisionWordDecidesNothing(t *testing.T) {
	p := newPage(t)
	_, s := p.openSession()
	for _, word := range []string{"", "yes", "APPROVE", "Approve ", "allow", "ALLOW_ONCE ", "true"} {
		r := p.one(p.Decide(s, 1, p.write(nil, nil, nil, "", "", "c1", word, "", "", "")))
		if r.op != frame.OpError || !strings.Contains(r.data, `"invalid-decision"`) {
			t.Errorf("%q: expected the error invalid-decision, got %+v", word, r)
		}
	}
}

func TestUnknownHandles(t *testing.T) {
	p := newPage(t)
	for name, length := range map[string]int{
		"session":  p.Send(7, 1, p.write("x")),
		"registry": p.ListTools(7),
		"client":   p.OpenSession(7, p.write("x")),
		"context":  p.ContextOrder(7),
		"decoder":  p.Decode(7, 0, 0),
	} {
		if length == 0 {
			t.Errorf("%s: expected an error, got nothing", name)
		}
	}
	if r := p.one(p.Stop(7, 1, 0)); r.op != frame.OpError || !strings.Contains(r.data, `"closed"`) {
		t.Errorf("expected the error closed, got %+v", r)
	}
	if n := p.Feed(7, 1, 0); n != 0 {
		t.Error("bytes of a closed session must lead to nothing")
	}
}

func TestRegistryErrorsKeepTheirCodes(t *testing.T) {
	p := newPage(t)
	registry, _ := p.openSession()
	for want, fields := range map[string][]any{
		"invalid-tool-name":    {"two words", "", nil, "", "", ""},
		"invalid-parameters":   {"t", "", `{"a":}`, "", "", ""},
		"invalid-confirmation": {"t", "", nil, "REQUIRED", "", ""},
	} {
		if r := p.one(p.RegisterTool(registry, 1, p.write(fields...))); !strings.Contains(r.data, want) {
			t.Errorf("expected %s, got %+v", want, r)
		}
	}
	if r := p.one(p.RegisterTool(registry, 0, p.write("t", "", nil, "", "", ""))); !strings.Contains(r.data, "missing-handler") {
		t.Errorf("expected missing-handler, got %+v", r)
	}
	id := p.number(p.RegisterTool(registry, 5, p.write("t", "", nil, "required", "", "")))
	if got := p.number(p.FindTool(registry, p.write("t"))); got != 5 {
		t.Errorf("expected the handler 5, got %d", got)
	}
	if got := p.number(p.UnregisterID(registry, id)); got != 1 {
		t.Error("expected the registration to be removed")
	}
}

func TestContextOrderAndOverride(t *testing.T) {
	p := newPage(t)
	c := p.number(p.OpenContext())
	first := p.number(p.AddContext(c, p.write("page")))
	p.number(p.AddContext(c, p.write("user")))
	last := p.number(p.AddContext(c, p.write("page")))
	var order []int
	for _, r := range p.records(p.ContextOrder(c)) {
		order = append(order, r.n)
	}
	if len(order) != 2 || order[0] != 2 || order[1] != last {
		t.Errorf("3.25: expected the later entry of one description, got %v", order)
	}
	got := p.one(p.ComposeContext(c, p.write("2", `"u"`, "3", nil, "9", "1")))
	if got.data != `{"user":"u"}` {
		t.Errorf("expected absent values and unknown entries to be left out, got %s", got.data)
	}
	p.RemoveContext(c, last)
	if got := p.one(p.ComposeContext(c, p.write("1", `{"a":1}`))); got.data != `{"page":{"a":1}}` {
		t.Errorf("entry %d: got %s", first, got.data)
	}
}

func TestDecoderReadsCutFrames(t *testing.T) {
	p := newPage(t)
	d := p.number(p.OpenDecoder())
	whole := "data: {\"type\":\"text.delta\",\"delta\":\"北\"}\r\n\r\ndata: nonsense\n\ndata: [DONE]\n\n"
	var events []string
	for i := range len(whole) {
		for _, r := range p.records(p.Decode(d, 0, copy(p.Inbox(1), whole[i:i+1]))) {
			if r.op == frame.OpEvent {
				events = append(events, r.data)
			}
		}
	}
	if len(events) != 1 || events[0] != `{"type":"text.delta","delta":"北"}` {
		t.Errorf("expected 1 event as it came, got %q", events)
	}
}

func TestInboxIsReusedAndShrinks(t *testing.T) {
	b := New()
	small := b.Inbox(10)
	if again := b.Inbox(100); &small[0] != &again[0] {
		t.Error("a small input must not allocate again")
	}
	b.Inbox(8 << 20)
	if b.Inbox(10); cap(b.in) > keptInbox {
		t.Errorf("expected at most %d bytes to stay, got %d", keptInbox, cap(b.in))
	}
}

// FuzzEntries shows that no bytes in the inbox make an entry panic.
func FuzzEntries(f *testing.F) {
	f.Add([]byte("data: {}\n\n"), uint8(0))
	f.Fuzz(func(t *testing.T, data []byte, which uint8) {
		p := newPage(t)
		registry, s := p.openSession()
		n := copy(p.Inbox(len(data)), data)
		p.records([]func() int{
			func() int { return p.Send(s, 1, n) },
			func() int { return p.Decide(s, 1, n) },
			func() int { return p.SetMessages(s, n) },
			func() int { return p.RegisterTool(registry, 1, n) },
			func() int { return p.Arguments(s, 1, n) },
			func() int { return p.Continue(s, 1, n) },
			func() int { return p.SetCapabilities(registry, 1, n) },
			func() int { return p.Decode(p.number(p.OpenDecoder()), 1, n) },
		}[which%8]())
	})
}
