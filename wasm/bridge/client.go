package bridge

import (
	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/sveda"
	"github.com/svedawasm/svedawasm/session/vercel"
)

// client is what the sessions of one SvedaClient have in common.
type client struct {
	config  session.Config
	dialect string
	flags   int
}

// Flags of OpenClient. web/src/client.js has the same list.
const (
	FlagKeepOutputs = 1 << iota // tool outputs wait for SubmitOutputs
	FlagGrants                  // an approval may speak for the whole chat
	FlagPersist                 // Persist effects are wanted
	FlagHistories               // there is an endpoint for stored chats
)

// ClientOptions are the numbers of OpenClient; durations are milliseconds, 0 is
// the default and a negative one is none.
type ClientOptions struct {
	Registry       int
	Flags          int
	MaxToolRounds  int
	ToolTimeout    int
	TailTimeout    int
	SilenceTimeout int
}

// OpenClient reads the name of the protocol and answers with a handle for
// OpenSession.
func (b *Bridge) OpenClient(o ClientOptions, length int) int {
	in := b.input(length)
	r := b.registries.get(o.Registry)
	if r == nil {
		return b.unknownHandle()
	}
	c := &client{dialect: in.Text(), flags: o.Flags, config: session.Config{
		Tools:          r.tools,
		NoAutoSubmit:   o.Flags&FlagKeepOutputs != 0,
		Grants:         o.Flags&FlagGrants != 0,
		Persist:        o.Flags&FlagPersist != 0,
		MaxToolRounds:  o.MaxToolRounds,
		ToolTimeout:    o.ToolTimeout,
		TailTimeout:    o.TailTimeout,
		SilenceTimeout: o.SilenceTimeout,
	}}
	if c.newDialect() == nil {
		return b.fail(failure("invalid-option", "this build has no protocol "+quote(c.dialect)))
	}
	return b.number(b.clients.add(c))
}

// newDialect gives nil for a protocol that is not known.
func (c *client) newDialect() event.Dialect {
	switch c.dialect {
	case "sveda":
		return sveda.New(sveda.Config{Histories: c.flags&FlagHistories != 0})
	case "vercel":
		return vercel.New(vercel.Config{Histories: c.flags&FlagHistories != 0})
	}
	return nil
}

// CloseClient forgets a client. Its sessions live on.
func (b *Bridge) CloseClient(handle int) int {
	b.out = b.out[:0]
	b.clients.drop(handle)
	return 0
}
