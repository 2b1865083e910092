package bridge

import (
	"strconv"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/asgard"
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/sveda"
	"github.com/svedawasm/svedawasm/session/vercel"
)

// client is what the sessions of one SvedaClient have in common.
type client struct {
	config       session.Config
	dialect      string
	histories    bool
	apiKey       string
	identityHint string
}

// Flags of OpenClient. web/src/client.js has the same list.
const (
	FlagKeepOutputs = 1 << iota // tool outputs wait for SubmitOutputs
	FlagGrants                  // an approval may speak for the whole chat
	FlagPersist                 // Persist effects are wanted
	FlagHistories               // there is an endpoint for stored chats
	FlagClaims                  // several pages may show a chat
	FlagRefreshAuth             // headers are made for each request
)

// OpenClient reads the name of the protocol, the API key and the identity hint
// of Asgard's, and the numbers of session.Config in its order, as decimal text;
// an absent one is the default. It answers with a handle for OpenSession.
func (b *Bridge) OpenClient(registryHandle, flags, length int) int {
	in := b.input(length)
	r := b.registries.get(registryHandle)
	if r == nil {
		return b.unknownHandle()
	}
	c := &client{
		dialect: in.Text(), apiKey: in.Text(), identityHint: in.Text(),
		histories: flags&FlagHistories != 0,
		config: session.Config{
			Tools:        r.tools,
			NoAutoSubmit: flags&FlagKeepOutputs != 0,
			Grants:       flags&FlagGrants != 0,
			Persist:      flags&FlagPersist != 0,
			Claims:       flags&FlagClaims != 0,
			RefreshAuth:  flags&FlagRefreshAuth != 0,
		},
	}
	for _, number := range []*int{
		&c.config.MaxToolRounds, &c.config.ToolTimeout, &c.config.TailTimeout, &c.config.SilenceTimeout,
		&c.config.DecisionAttempts, &c.config.DecisionTimeout, &c.config.LateApproval,
	} {
		*number, _ = strconv.Atoi(in.Text()) // 0 for an absent one
	}
	if c.newDialect() == nil {
		return b.fail(failure("invalid-option", "this build has no protocol "+quote(c.dialect)))
	}
	return b.number(b.clients.add(c))
}

// newDialect gives nil for a protocol that is not known.
func (c *client) newDialect() event.Dialect {
	switch c.dialect {
	case "sveda":
		return sveda.New(sveda.Config{Histories: c.histories})
	case "vercel":
		return vercel.New(vercel.Config{Histories: c.histories})
	case "asgard":
		return asgard.New(asgard.Config{APIKey: c.apiKey, IdentityHint: c.identityHint})
	}
	return nil
}

// CloseClient forgets a client. Its sessions live on.
func (b *Bridge) CloseClient(handle int) int {
	b.out = b.out[:0]
	b.clients.drop(handle)
	return 0
}
