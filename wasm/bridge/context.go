package bridge

import (
	"strconv"

	"github.com/svedawasm/svedawasm/session/rawjson"
)

// pageContext holds what a page tells the model about itself: descriptions in
// the order of their registration. The values stay in JavaScript, where
// functions among them are called for each request.
type pageContext struct {
	entries []contextEntry
	lastID  int
}

type contextEntry struct {
	id          int
	description string
}

// OpenContext makes an empty context registry and answers with its handle.
func (b *Bridge) OpenContext() int {
	b.out = b.out[:0]
	return b.number(b.contexts.add(&pageContext{}))
}

// CloseContext forgets a context registry.
func (b *Bridge) CloseContext(handle int) int {
	b.out = b.out[:0]
	b.contexts.drop(handle)
	return 0
}

// AddContext reads a description and answers with the id of the entry.
func (b *Bridge) AddContext(handle, length int) int {
	in := b.input(length)
	c := b.contexts.get(handle)
	if c == nil {
		return b.unknownHandle()
	}
	c.lastID++
	c.entries = append(c.entries, contextEntry{c.lastID, in.Text()})
	return b.number(c.lastID)
}

// RemoveContext removes one entry; the answer is 1 when there was one.
func (b *Bridge) RemoveContext(handle, id int) int {
	b.out = b.out[:0]
	c := b.contexts.get(handle)
	if c == nil {
		return b.unknownHandle()
	}
	for i := range c.entries {
		if c.entries[i].id == id {
			c.entries = append(c.entries[:i], c.entries[i+1:]...)
			return b.number(1)
		}
	}
	return b.number(0)
}

// ClearContext removes every entry.
func (b *Bridge) ClearContext(handle int) int {
	b.out = b.out[:0]
	c := b.contexts.get(handle)
	if c == nil {
		return b.unknownHandle()
	}
	c.entries = nil
	return 0
}

// ContextOrder answers with the ids whose values make the context, in order: of
// entries with one description the later one counts (contract sveda 3.25).
func (b *Bridge) ContextOrder(handle int) int {
	b.out = b.out[:0]
	c := b.contexts.get(handle)
	if c == nil {
		return b.unknownHandle()
	}
	for i := range c.entries {
		if !c.overridden(i) {
			b.number(c.entries[i].id)
		}
	}
	return len(b.out)
}

func (c *pageContext) overridden(i int) bool {
	for _, later := range c.entries[i+1:] {
		if later.description == c.entries[i].description {
			return true
		}
	}
	return false
}

// ComposeContext reads pairs of an id and its value as JSON, and answers with the
// context object. A pair without a value, or of an entry that is gone, is left
// out.
func (b *Bridge) ComposeContext(handle, length int) int {
	in := b.input(length)
	c := b.contexts.get(handle)
	if c == nil {
		return b.unknownHandle()
	}
	object := []byte{'{'}
	for in.More() {
		entry, value := c.find(in.Text()), in.Bytes()
		if entry == nil || value == nil {
			continue
		}
		if len(object) > 1 {
			object = append(object, ',')
		}
		object = rawjson.AppendQuoted(object, entry.description)
		object = append(append(object, ':'), value...)
	}
	return b.value(append(object, '}'))
}

func (c *pageContext) find(id string) *contextEntry {
	for i := range c.entries {
		if strconv.Itoa(c.entries[i].id) == id {
			return &c.entries[i]
		}
	}
	return nil
}
