package session

import (
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// toolKey names a tool. It is a pair, never a joined string: ("a", "b/c") and
// ("a/b", "c") are two tools (asgard W7).
type toolKey struct{ toolset, name string }

func (c *confirmation) key() toolKey { return toolKey{c.toolset, c.name} }

// grant is "allow for this chat": the person's approval of later calls of one
// tool, as it was defined when it was given (S47).
type grant struct {
	tool       toolKey
	chatID     string
	batch      *batch // with GrantsAtServer the client remembers within one batch only
	definition string // digest of the registered definition; "" for a tool of the server
	rest       []byte // of a newer snapshot, opaque
}

// mayGrant says whether an approval may speak for later calls.
func (s *Session) mayGrant() bool { return s.traits.GrantsAtServer || s.cfg.Grants }

func (s *Session) grant(c *confirmation) {
	g := grant{tool: c.key(), chatID: s.chatID, batch: s.grantScope(c), definition: s.definitionOf(c.name)}
	s.grants = append(s.grants, g)
	c.granting = true
	s.tellGrants()
}

// ungrant takes back what an Always of c has allowed, when the person decides
// otherwise after it was not taken. What was answered by it is asked.
func (s *Session) ungrant(c *confirmation) {
	if !c.granting {
		return
	}
	c.granting = false
	kept := s.grants[:0]
	for _, g := range s.grants {
		if g.tool != c.key() || g.batch != s.grantScope(c) {
			kept = append(kept, g)
		}
	}
	s.grants = kept
	s.tellGrants()
	for _, other := range s.confirmations {
		if other != c && other.auto && other.state == Deciding && other.stream == 0 && other.key() == c.key() && other.batch == c.batch {
			other.auto, other.decided, other.decision = false, false, event.Decision{}
			s.move(other, Pending, nil)
		}
	}
}

// granted says whether a call is approved without asking, and whether the
// approval is to be repeated as one for the whole chat. A call that cannot be
// shown truly is asked, grant or not.
func (s *Session) granted(c *confirmation, allowed bool) (always, ok bool) {
	for _, g := range s.grants {
		if g.tool == c.key() && g.chatID == s.chatID && g.batch == s.grantScope(c) && g.definition == s.definitionOf(c.name) {
			always, ok = s.traits.GrantsAtServer, true // asgard Q3
		}
	}
	if !ok && !allowed { // asgard Q2
		return false, false
	}
	return always, !c.conflict && !s.blocked(c)
}

func (s *Session) grantScope(c *confirmation) *batch {
	if s.traits.GrantsAtServer {
		return c.batch
	}
	return nil
}

// blocked says that the arguments cannot be shown truly, so that the call can
// only be denied (S10, S17).
func (s *Session) blocked(c *confirmation) bool {
	return rawjson.Describe(c.input, true).Blocked != ""
}

// Revoke takes back the grant of a tool; later calls ask again.
func (s *Session) Revoke(toolset, name string) {
	kept := s.grants[:0]
	for _, g := range s.grants {
		if g.tool != (toolKey{toolset, name}) {
			kept = append(kept, g)
		}
	}
	s.grants = kept
	s.tellGrants()
}

func (s *Session) definitionOf(name string) string {
	tool, ok := s.tools.Get(name)
	if !ok {
		return ""
	}
	return rawjson.Digest(tool.AppendDefinition(nil))
}

// tellGrants tells what is allowed for this chat, where it is kept here and can
// be taken back.
func (s *Session) tellGrants() {
	if s.traits.GrantsAtServer {
		return
	}
	start := len(s.arena)
	s.arena = append(s.arena, '[')
	for i, g := range s.grants {
		if i > 0 {
			s.arena = append(s.arena, ',')
		}
		s.arena = append(s.arena, `{"toolset":`...)
		s.arena = rawjson.AppendQuoted(s.arena, g.tool.toolset)
		s.arena = append(s.arena, `,"toolName":`...)
		s.arena = rawjson.AppendQuoted(s.arena, g.tool.name)
		s.arena = append(s.arena, '}')
	}
	s.arena = append(s.arena, ']')
	s.change(Change{Kind: GrantsChange, Data: s.arena[start:]})
}
