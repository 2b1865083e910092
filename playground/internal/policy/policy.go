// Package policy says which tools a visitor's model may see: by name, by
// domain and by how much a tool may do (contract section 2, rule 26).
//
// A restriction is a conjunction. A token's grants are put beside the policy
// that it names and a tool must pass both, so grants can only ever narrow, also
// where the policy allows "*" (the known server loses such grants, fault S-7).
package policy

import (
	"slices"
	"strings"
)

// Rules are the limits of one policy or of one token's grants, as sveda.yaml
// and the token's claims write them. Absent is not the same as empty.
type Rules struct {
	Web    *bool   `yaml:"web" json:"web,omitempty"`
	Code   *bool   `yaml:"code" json:"code,omitempty"`
	MCP    *MCP    `yaml:"mcp" json:"mcp,omitempty"`
	Client *Client `yaml:"client" json:"client,omitempty"`
}

// MCP limits the host's tools.
type MCP struct {
	Allow   []string `yaml:"allow" json:"allow,omitempty"`
	Domains []string `yaml:"domains" json:"domains,omitempty"`
	MaxMode string   `yaml:"max_mode" json:"max_mode,omitempty"`
}

// Client limits the tools that the page registers.
type Client struct {
	Allow []string `yaml:"allow" json:"allow,omitempty"`
}

// Policy is what holds for one visitor. The zero value restricts nothing.
type Policy struct {
	restricted bool
	web, code  bool
	mcpAllow   []List // a name must match one pattern of each list
	domains    [][]string
	maxRank    int // 0: no cap
	client     []List
}

// List is one allow list of globs.
type List []string

// Unrestricted allows everything.
func Unrestricted() Policy { return Policy{} }

// Of makes the policy for a token: base is the named policy (nil when the
// token names none), grants are the token's own (nil when it has none). With
// neither, nothing is restricted.
func Of(base, grants *Rules) Policy {
	if base == nil && grants == nil {
		return Policy{}
	}
	p := Policy{restricted: true, web: true, code: true}
	if base != nil {
		p.apply(base, false)
	}
	if grants != nil {
		p.apply(grants, base != nil)
	}
	return p
}

// apply narrows the policy by one set of rules. In grants beside a policy a
// part that is absent or empty does not narrow; in rules that stand alone an
// empty allow list allows nothing.
func (p *Policy) apply(r *Rules, beside bool) {
	p.web = p.web && flag(r.Web, beside)
	p.code = p.code && flag(r.Code, beside)
	mcp, client := r.MCP, r.Client
	if mcp == nil {
		mcp = &MCP{}
	}
	if client == nil {
		client = &Client{}
	}
	if len(mcp.Allow) > 0 || !beside {
		p.mcpAllow = append(p.mcpAllow, mcp.Allow)
	}
	if len(client.Allow) > 0 || !beside {
		p.client = append(p.client, client.Allow)
	}
	if len(mcp.Domains) > 0 { // empty domains: any
		p.domains = append(p.domains, mcp.Domains)
	}
	if word := strings.TrimSpace(mcp.MaxMode); word != "" { // no max_mode: no cap
		if rank := Rank(word); p.maxRank == 0 || rank < p.maxRank {
			p.maxRank = rank
		}
	}
}

func flag(f *bool, absent bool) bool {
	if f == nil {
		return absent
	}
	return *f
}

// Rank orders modes: delete 3, write 2, anything else 1.
func Rank(mode string) int {
	switch strings.TrimSpace(mode) {
	case "delete":
		return 3
	case "write":
		return 2
	}
	return 1
}

// AllowsHost reports whether a host tool may be shown to the model.
func (p Policy) AllowsHost(name, domain, mode string) bool {
	if !p.restricted {
		return true
	}
	if p.maxRank != 0 && Rank(mode) > p.maxRank {
		return false
	}
	for _, domains := range p.domains {
		if !slices.ContainsFunc(domains, func(d string) bool { return strings.TrimSpace(d) == domain && domain != "" }) {
			return false
		}
	}
	return all(p.mcpAllow, name)
}

// AllowsClient reports whether a tool of the page may be shown to the model.
func (p Policy) AllowsClient(name string) bool {
	return !p.restricted || all(p.client, name)
}

// Restricted reports whether anything is limited.
func (p Policy) Restricted() bool { return p.restricted }

// Web and Code say whether the native tools of that kind may be used.
func (p Policy) Web() bool  { return !p.restricted || p.web }
func (p Policy) Code() bool { return !p.restricted || p.code }

// ClientPatterns is a single list for the page's own filter. Where two lists
// meet in something that one glob cannot say, it names the wider one: the
// runtime filters by AllowsClient in any case.
func (p Policy) ClientPatterns() []string {
	if !p.restricted {
		return []string{"*"}
	}
	if len(p.client) == 0 {
		return []string{}
	}
	list := slices.Clone([]string(p.client[0]))
	for _, other := range p.client[1:] {
		var met []string
		for _, a := range list {
			for _, b := range other {
				if g, ok := Intersect(a, b); ok && !slices.Contains(met, g) {
					met = append(met, g)
				}
			}
		}
		list = met
	}
	if list == nil {
		list = []string{}
	}
	return list
}

func all(lists []List, name string) bool {
	if len(lists) == 0 {
		return false
	}
	for _, l := range lists {
		if !l.Match(name) {
			return false
		}
	}
	return true
}

// Match reports whether one of the patterns matches the name.
func (l List) Match(name string) bool {
	return slices.ContainsFunc(l, func(p string) bool { return Match(p, name) })
}
