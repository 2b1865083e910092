package bridge

import (
	"errors"

	"github.com/svedawasm/svedawasm/session"
	"github.com/svedawasm/svedawasm/session/rawjson"
	"github.com/svedawasm/svedawasm/toolregistry"
)

type registry struct{ tools *toolregistry.Registry }

// OpenRegistry makes an empty registry and answers with its handle.
func (b *Bridge) OpenRegistry() int {
	b.out = b.out[:0]
	tools := toolregistry.New()
	tools.Validate = rawjson.Valid
	return b.number(b.registries.add(&registry{tools}))
}

// CloseRegistry forgets a registry. Sessions that use it keep it.
func (b *Bridge) CloseRegistry(handle int) int {
	b.out = b.out[:0]
	b.registries.drop(handle)
	return 0
}

// RegisterTool reads name, description, parameters, confirmation, domain and
// mode; tool is the page's number of the handler. It answers with the id of the
// registration.
func (b *Bridge) RegisterTool(handle, tool, length int) int {
	in := b.input(length)
	r := b.registries.get(handle)
	if r == nil {
		return b.unknownHandle()
	}
	id, err := r.tools.Register(toolregistry.Tool{
		Name: in.Text(), Description: in.Text(), Parameters: in.Bytes(),
		Confirmation: in.Text(), Domain: in.Text(), Mode: in.Text(), Handler: tool,
	})
	if err != nil {
		return b.fail(registryError(err))
	}
	return b.number(id)
}

func registryError(err error) *session.Error {
	e := failure("invalid-tool", err.Error())
	var refused *toolregistry.Error
	if errors.As(err, &refused) {
		e.Code = refused.Code
	}
	return e
}

// UnregisterTool removes the tool whose name it reads; the answer is 1 when
// there was one.
func (b *Bridge) UnregisterTool(handle, length int) int {
	in := b.input(length)
	r := b.registries.get(handle)
	if r == nil {
		return b.unknownHandle()
	}
	return b.number(truth(r.tools.Unregister(in.Text())))
}

// UnregisterID removes one registration and no later one of the same name.
func (b *Bridge) UnregisterID(handle, id int) int {
	b.out = b.out[:0]
	r := b.registries.get(handle)
	if r == nil {
		return b.unknownHandle()
	}
	return b.number(truth(r.tools.UnregisterID(id)))
}

// FindTool answers with the number of the handler of the tool whose name it
// reads, 0 for none.
func (b *Bridge) FindTool(handle, length int) int {
	in := b.input(length)
	r := b.registries.get(handle)
	if r == nil {
		return b.unknownHandle()
	}
	tool, _ := r.tools.Get(in.Text())
	return b.number(tool.Handler)
}

// ListTools answers with the clientTools array.
func (b *Bridge) ListTools(handle int) int {
	b.out = b.out[:0]
	r := b.registries.get(handle)
	if r == nil {
		return b.unknownHandle()
	}
	return b.value(r.tools.AppendClientTools(nil))
}

// SetCapabilities reads the globs of the tools that may be published.
func (b *Bridge) SetCapabilities(handle, restricted, length int) int {
	in := b.input(length)
	r := b.registries.get(handle)
	if r == nil {
		return b.unknownHandle()
	}
	var allow []string
	for in.More() {
		allow = append(allow, in.Text())
	}
	r.tools.SetCapabilities(restricted != 0, allow)
	return 0
}

// ClearTools removes every tool.
func (b *Bridge) ClearTools(handle int) int {
	b.out = b.out[:0]
	r := b.registries.get(handle)
	if r == nil {
		return b.unknownHandle()
	}
	r.tools.Clear()
	return 0
}

func truth(is bool) int {
	if is {
		return 1
	}
	return 0
}
