package runtime

import (
	"context"
	"encoding/json"
	"time"

	"github.com/svedawasm/svedawasm/playground/internal/hostclient"
	"github.com/svedawasm/svedawasm/playground/internal/model"
	"github.com/svedawasm/svedawasm/playground/internal/store"
)

// toolset is what the model may call in one turn: the host's tools and the
// page's tools as the policy leaves them, and the runtime's own.
type toolset struct {
	host   map[string]hostclient.Tool // after policy
	order  []string                   // of host, as listed
	gated  map[string]bool            // confirming host tools, before policy
	client map[string]ClientTool
	names  []string // of client, as sent
	listed bool     // the host has given its list
	found  map[string]bool
}

// deferFrom is the number of tools, spawn_tasks included, from which on the
// host's tools are offered only after search_agent_tools has named them
// (rule 28).
const deferFrom = 14

// maxFound is how many tools one search_agent_tools may bring.
const maxFound = 5

func newToolset(req *Request, hostTools []hostclient.Tool, listed bool) *toolset {
	s := &toolset{
		host: map[string]hostclient.Tool{}, gated: map[string]bool{}, client: map[string]ClientTool{},
		listed: listed, found: map[string]bool{},
	}
	for _, t := range hostTools {
		if t.Confirming {
			s.gated[t.Name] = true
		}
		if _, twice := s.host[t.Name]; !twice && req.Policy.AllowsHost(t.Name, t.Domain, t.Mode) {
			s.host[t.Name] = t
			s.order = append(s.order, t.Name)
		}
	}
	for _, t := range req.ClientTools {
		if _, twice := s.client[t.Name]; !twice && req.Policy.AllowsClient(t.Name) {
			s.client[t.Name] = t
			s.names = append(s.names, t.Name)
		}
	}
	return s
}

// listTimeout bounds the wait for a host that does not answer: until it has
// listed its tools the client has no answer at all.
const listTimeout = 10 * time.Second

// listHost connects to the host and lists its tools. A host that cannot be
// reached leaves the turn without backend tools, not without an answer.
func (e *Engine) listHost(ctx context.Context, req *Request) (HostSession, *toolset) {
	ctx, cancel := context.WithTimeout(ctx, min(e.HostTimeout, listTimeout))
	defer cancel()
	session, err := e.Connect(ctx, req.Key, req.Context)
	if err != nil {
		e.Log.Error("host unreachable", "err", err)
		return nil, newToolset(req, nil, false)
	}
	tools, err := session.Tools(ctx)
	if err != nil {
		e.Log.Error("host has no tool list", "err", err)
		return session, newToolset(req, nil, false)
	}
	return session, newToolset(req, tools, true)
}

// target of a call by name: frontend when the page offers it, also when the
// host has a tool of that name; backend otherwise, also for unknown names.
func (s *toolset) target(name string) store.Target {
	if _, ok := s.client[name]; ok {
		return store.Frontend
	}
	return store.Backend
}

// confirming reports whether a call waits for a person: when either side says
// so (rules 1 and 2).
func (s *toolset) confirming(name string) bool {
	if t, ok := s.client[name]; ok {
		return t.Confirming || s.gated[name]
	}
	_, visible := s.host[name]
	return visible && s.gated[name]
}

// known reports whether a backend call can be run at all.
func (s *toolset) known(name string) bool {
	if _, ok := s.host[name]; ok {
		return true
	}
	return name == spawnTasks || name == searchTools && s.deferred()
}

func (s *toolset) deferred() bool { return len(s.host)+1 >= deferFrom }

// offered is the list for the model.
func (s *toolset) offered() []model.Tool {
	list := s.backend()
	for _, name := range s.names {
		t := s.client[name]
		list = append(list, model.Tool{Name: name, Description: t.Description, Parameters: schemaOf(t.Parameters)})
	}
	for _, t := range []model.Tool{spawnTool, searchTool} {
		if _, shadowed := s.client[t.Name]; !shadowed && (t.Name != searchTools || s.deferred()) {
			list = append(list, t)
		}
	}
	return list
}

// backend is the host's part of the offer, without what the page shadows.
func (s *toolset) backend() []model.Tool {
	var list []model.Tool
	for _, name := range s.order {
		if _, shadowed := s.client[name]; shadowed || s.deferred() && !s.found[name] {
			continue
		}
		t := s.host[name]
		list = append(list, model.Tool{Name: name, Description: t.Description, Parameters: schemaOf(t.Parameters)})
	}
	return list
}

func schemaOf(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return raw
}
