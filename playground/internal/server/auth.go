package server

import (
	"crypto/subtle"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/svedawasm/svedawasm/playground/internal/policy"
	"github.com/svedawasm/svedawasm/playground/internal/token"
)

// embedToken header names of the contract, section 1.2.
const (
	tokenHeader   = "X-Sveda-Embed-Token"
	hostKeyHeader = "X-Sveda-Host-Key"
)

// bearerToken is the embed token of a request: the header of its own when it
// is not empty, else a bearer value that looks like one.
func bearerToken(r *http.Request) string {
	if t := strings.TrimSpace(r.Header.Get(tokenHeader)); t != "" {
		return t
	}
	kind, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if value = strings.TrimSpace(value); strings.EqualFold(kind, "Bearer") && strings.HasPrefix(value, token.Prefix) {
		return value
	}
	return ""
}

// visitor gives the claims of the request, or answers 401 with an empty body.
func (s *Server) visitor(w http.ResponseWriter, r *http.Request) (token.Claims, bool) {
	c, err := s.Tokens.Verify(bearerToken(r), s.Now())
	if err != nil {
		w.WriteHeader(http.StatusUnauthorized)
		return c, false
	}
	return c, true
}

// throttle answers 429 when the visitor or the address asks too often.
func (s *Server) throttle(w http.ResponseWriter, r *http.Request, visitor string) bool {
	ok, wait := s.visitors.Allow(visitor)
	if ok {
		ok, wait = s.ips.Allow(address(r))
	}
	if !ok {
		seconds := int64((wait + time.Second - 1) / time.Second)
		w.Header().Set("Retry-After", strconv.FormatInt(max(seconds, 1), 10))
		refuse(w, http.StatusTooManyRequests, "Too Many Attempts.")
	}
	return ok
}

// policyOf gives the policy of a token, or answers 403 when it names one that
// does not exist.
func (s *Server) policyOf(w http.ResponseWriter, c token.Claims) (policy.Policy, bool) {
	var base *policy.Rules
	if c.Policy != nil {
		rules, ok := s.Policies[*c.Policy]
		if !ok {
			refuse(w, http.StatusForbidden, "unknown policy: "+*c.Policy)
			return policy.Policy{}, false
		}
		base = &rules
	}
	return policy.Of(base, c.Grants), true
}

// fromHost reports whether the request carries the host's key. Without a
// configured key nobody does.
func (s *Server) fromHost(r *http.Request) bool {
	got := r.Header.Get(hostKeyHeader)
	return s.HostKey != "" && subtle.ConstantTimeCompare([]byte(got), []byte(s.HostKey)) == 1
}
