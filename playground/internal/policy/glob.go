package policy

import "strings"

// kind of a pattern: the contract knows "*", "pre*", "*suf" and an exact name.
type kind int

const (
	exact kind = iota
	anything
	prefix
	suffix
)

func parse(pattern string) (kind, string) {
	pattern = strings.TrimSpace(pattern)
	switch {
	case pattern == "*":
		return anything, ""
	case strings.HasSuffix(pattern, "*"):
		return prefix, pattern[:len(pattern)-1]
	case strings.HasPrefix(pattern, "*"):
		return suffix, pattern[1:]
	}
	return exact, pattern
}

// Match reports whether the pattern matches the name. A blank pattern never
// matches.
func Match(pattern, name string) bool {
	if strings.TrimSpace(pattern) == "" {
		return false
	}
	k, text := parse(pattern)
	switch k {
	case anything:
		return true
	case prefix:
		return strings.HasPrefix(name, text)
	case suffix:
		return strings.HasSuffix(name, text)
	}
	return name == text
}

// Intersect gives a pattern for the names that both patterns match, and false
// when there are none. For a prefix and a suffix together, which no single
// pattern can say, it gives the prefix.
func Intersect(a, b string) (string, bool) {
	if strings.TrimSpace(a) == "" || strings.TrimSpace(b) == "" {
		return "", false
	}
	ka, ta := parse(a)
	kb, tb := parse(b)
	switch {
	case ka == anything:
		return strings.TrimSpace(b), true
	case kb == anything:
		return strings.TrimSpace(a), true
	case ka == exact:
		return ta, Match(b, ta)
	case kb == exact:
		return tb, Match(a, tb)
	case ka == prefix && kb == prefix:
		if len(ta) < len(tb) {
			ta, tb = tb, ta
		}
		return ta + "*", strings.HasPrefix(ta, tb)
	case ka == suffix && kb == suffix:
		if len(ta) < len(tb) {
			ta, tb = tb, ta
		}
		return "*" + ta, strings.HasSuffix(ta, tb)
	case ka == prefix:
		return ta + "*", true
	}
	return tb + "*", true
}
