package toolregistry

import (
	"slices"
	"strings"
)

// SetCapabilities says which tools are published (contract sveda.md, section 2, rule 26).
// Unrestricted, all are. Restricted, a tool needs an item of allow that fits its name: an
// exact name, "pre*", "*suf" or "*". Items are trimmed and a blank one fits nothing, so
// an empty list publishes nothing.
func (r *Registry) SetCapabilities(restricted bool, allow []string) {
	r.restricted, r.allow = restricted, slices.Clone(allow)
}

// Allowed says whether capabilities let a tool of this name be published.
func (r *Registry) Allowed(name string) bool {
	return !r.restricted || slices.ContainsFunc(r.allow, func(item string) bool {
		return matchGlob(item, name)
	})
}

// matchGlob knows one star, at the start or at the end; elsewhere it stands for itself.
func matchGlob(item, name string) bool {
	item = strings.TrimSpace(item)
	if item == "" {
		return false
	}
	if item == "*" {
		return true
	}
	if prefix, ok := strings.CutSuffix(item, "*"); ok {
		return strings.HasPrefix(name, prefix)
	}
	if suffix, ok := strings.CutPrefix(item, "*"); ok {
		return strings.HasSuffix(name, suffix)
	}
	return item == name
}
