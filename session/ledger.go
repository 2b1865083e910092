package session

import "github.com/svedawasm/svedawasm/session/event"

// ledger keeps one part a call, in the order in which the calls came.
type ledger struct {
	place map[string]int
	parts []event.Part
}

// of gives the part of a call, nil for none; it is valid until the next put.
func (l *ledger) of(call string) *event.Part {
	if at, ok := l.place[call]; ok {
		return &l.parts[at]
	}
	return nil
}

// put takes the place of an earlier part of the call.
func (l *ledger) put(p event.Part) {
	if at, ok := l.place[p.ToolCallID]; ok {
		l.parts[at] = p
		return
	}
	if l.place == nil {
		l.place = map[string]int{}
	}
	l.place[p.ToolCallID] = len(l.parts)
	l.parts = append(l.parts, p)
}

// beside gives the parts that no message holds.
func (l *ledger) beside(held map[string]callRef) (parts []event.Part) {
	for i := range l.parts {
		if _, ok := held[l.parts[i].ToolCallID]; !ok {
			parts = append(parts, l.parts[i])
		}
	}
	return parts
}
