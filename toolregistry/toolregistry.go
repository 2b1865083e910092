// Package toolregistry holds the tools that a page offers to the model: their
// declarations, whether a person must confirm them, and which of them the page may
// publish. Handlers stay where they can run; the registry knows each by a number.
//
// It follows the contract's registry (sveda.md, section 3, rule 26, and section 7): the
// list is filtered by capabilities, Has and Get are not. A name is looked up among what
// was registered and nowhere else, so "constructor" is an ordinary name (B099).
package toolregistry

import "slices"

// Words of Tool.Confirmation.
const (
	ConfirmationAuto     = "auto"     // runs when the model asks for it; the same as ""
	ConfirmationRequired = "required" // waits for a person
)

// Tool is one declaration.
type Tool struct {
	Name         string // 1 to 128 of A-Z a-z 0-9 _ . : / -
	Description  string
	Parameters   []byte // JSON text of the schema, an object; empty means no parameters
	Confirmation string // "", ConfirmationAuto or ConfirmationRequired
	Domain       string // optional
	Mode         string // optional: read, write, delete
	Handler      int    // names the page's handler, greater than 0
}

// RequiresConfirmation says whether a person must confirm each call of the tool.
func (t *Tool) RequiresConfirmation() bool { return t.Confirmation == ConfirmationRequired }

// Registry holds tools in the order of their registration. The zero value is empty and
// ready. It is not safe for concurrent use.
type Registry struct {
	// Validate, when set, checks the text of a tool's parameters at registration;
	// rawjson.Valid fits. It is handed in because this package imports nothing of
	// ours (design, "The rooms"). Without it only the outer braces are looked at, and
	// the caller answers for the rest, as the page does with JSON.stringify.
	Validate func(parameters []byte) error

	entries    []*entry // in registration order
	byName     map[string]*entry
	lastID     int
	restricted bool
	allow      []string
}

type entry struct {
	id   int
	tool Tool
	json []byte // its element of clientTools
}

// New returns an empty registry.
func New() *Registry { return &Registry{} }

// Register adds a tool, or puts it in the place of the one with the same name. The id is
// this registration's own, for UnregisterID. The tool's bytes are copied. A refused tool,
// with an *Error, leaves the registry as it was.
func (r *Registry) Register(t Tool) (id int, err error) {
	if err := r.check(&t); err != nil {
		return 0, err
	}
	t.Parameters = slices.Clone(t.Parameters)
	r.lastID++
	e := &entry{id: r.lastID, tool: t, json: appendDeclaration(nil, &t)}
	if old := r.byName[t.Name]; old != nil {
		r.entries[slices.Index(r.entries, old)] = e
	} else {
		r.entries = append(r.entries, e)
	}
	if r.byName == nil {
		r.byName = make(map[string]*entry)
	}
	r.byName[t.Name] = e
	return e.id, nil
}

// Unregister removes the tool with this name and says whether there was one.
func (r *Registry) Unregister(name string) bool { return r.remove(r.byName[name]) }

// UnregisterID removes what Register returned id for, and nothing else: a tool that was
// registered later under the same name stays.
func (r *Registry) UnregisterID(id int) bool {
	for _, e := range r.entries {
		if e.id == id {
			return r.remove(e)
		}
	}
	return false
}

func (r *Registry) remove(e *entry) bool {
	if e == nil {
		return false
	}
	delete(r.byName, e.tool.Name)
	r.entries = slices.DeleteFunc(r.entries, func(other *entry) bool { return other == e })
	return true
}

// Clear removes every tool. Capabilities stay.
func (r *Registry) Clear() { r.entries, r.byName = nil, nil }

// Has says whether a tool is registered, published or not.
func (r *Registry) Has(name string) bool { return r.byName[name] != nil }

// Get returns the tool with this name, published or not. Its Parameters must not be
// changed.
func (r *Registry) Get(name string) (Tool, bool) {
	e := r.byName[name]
	if e == nil {
		return Tool{}, false
	}
	return e.tool, true
}

// Len is the number of tools, published or not.
func (r *Registry) Len() int { return len(r.entries) }

// List returns the tools that capabilities let through, in registration order.
func (r *Registry) List() []Tool {
	tools := make([]Tool, 0, len(r.entries))
	for _, e := range r.entries {
		if r.Allowed(e.tool.Name) {
			tools = append(tools, e.tool)
		}
	}
	return tools
}

// AppendClientTools appends the request's clientTools array: of each tool in List its
// name, description and parameters, and confirmation only when it is required.
func (r *Registry) AppendClientTools(dst []byte) []byte {
	dst = append(dst, '[')
	first := true
	for _, e := range r.entries {
		if !r.Allowed(e.tool.Name) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, e.json...)
	}
	return append(dst, ']')
}
