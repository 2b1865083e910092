// Package token makes and reads embed tokens (contract section 1.2):
//
//	sveda_embed_ base64url(claims) . hex(HMAC-SHA256(key, base64url(claims)))
package token

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/svedawasm/svedawasm/playground/internal/policy"
	"github.com/svedawasm/svedawasm/session/rawjson"
)

// Prefix begins every embed token.
const Prefix = "sveda_embed_"

// MinTTL is the shortest life of a token; a shorter wish is raised to it.
const MinTTL = time.Minute

// maxVisitor is the length limit of a visitor id, in bytes.
const maxVisitor = 64

// ErrInvalid is every way in which a token can be wrong. A client learns no
// more than that.
var ErrInvalid = errors.New("invalid embed token")

// Claims are what a token says.
type Claims struct {
	VisitorID string        `json:"visitor_id"`
	ExpiresAt int64         `json:"expires_at"` // unix seconds
	Policy    *string       `json:"policy,omitempty"`
	Grants    *policy.Rules `json:"grants,omitempty"`
	Admin     bool          `json:"admin,omitempty"`
}

// Signer makes and checks tokens with one key.
type Signer struct{ key []byte }

// NewSigner gives a signer; the key must not be empty.
func NewSigner(key []byte) (*Signer, error) {
	if len(key) == 0 {
		return nil, errors.New("embed tokens need a signing key")
	}
	return &Signer{key}, nil
}

// Sign makes a token that lives for ttl, at least [MinTTL].
func (s *Signer) Sign(c Claims, now time.Time, ttl time.Duration) (string, error) {
	if len(c.VisitorID) < 1 || len(c.VisitorID) > maxVisitor {
		return "", fmt.Errorf("visitor id must have 1 to %d bytes, got %d", maxVisitor, len(c.VisitorID))
	}
	c.ExpiresAt = now.Add(max(ttl, MinTTL)).Unix()
	raw, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("encoding claims: %w", err)
	}
	body := base64.RawURLEncoding.EncodeToString(raw)
	return Prefix + body + "." + hex.EncodeToString(s.mac(body)), nil
}

// Verify gives the claims of a valid token, else [ErrInvalid].
func (s *Signer) Verify(tok string, now time.Time) (Claims, error) {
	var c Claims
	rest, ok := strings.CutPrefix(tok, Prefix)
	if !ok {
		return c, ErrInvalid
	}
	body, signature, ok := strings.Cut(rest, ".")
	if !ok {
		return c, ErrInvalid
	}
	mac, err := hex.DecodeString(signature)
	if err != nil || !hmac.Equal(mac, s.mac(body)) {
		return c, ErrInvalid
	}
	raw, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil {
		return c, ErrInvalid
	}
	return decode(raw, now)
}

var claimNames = rawjson.NewNames("visitor_id", "expires_at", "policy", "grants", "admin")

// decode reads the claims by their exact names: a signed token may still have
// been made by a careless host.
func decode(raw []byte, now time.Time) (Claims, error) {
	var c Claims
	var v [5]rawjson.Value
	if claimNames.Scan(raw, v[:]) != nil {
		return c, ErrInvalid
	}
	for _, m := range v {
		if m.Duplicate {
			return c, ErrInvalid
		}
	}
	if v[0].Kind != rawjson.String {
		return c, ErrInvalid
	}
	c.VisitorID = string(rawjson.Text(v[0].Raw, nil))
	expires, ok := rawjson.Int(v[1].Raw)
	if !ok || len(c.VisitorID) < 1 || len(c.VisitorID) > maxVisitor || now.Unix() >= expires {
		return c, ErrInvalid
	}
	c.ExpiresAt = expires
	switch v[2].Kind {
	case rawjson.Absent, rawjson.Null:
	case rawjson.String:
		name := string(rawjson.Text(v[2].Raw, nil))
		c.Policy = &name
	default:
		return c, ErrInvalid
	}
	switch v[3].Kind {
	case rawjson.Absent, rawjson.Null:
	case rawjson.Object:
		c.Grants = new(policy.Rules)
		if json.Unmarshal(v[3].Raw, c.Grants) != nil {
			return c, ErrInvalid
		}
	default:
		return c, ErrInvalid
	}
	c.Admin = v[4].Kind == rawjson.True
	return c, nil
}

func (s *Signer) mac(body string) []byte {
	h := hmac.New(sha256.New, s.key)
	h.Write([]byte(body))
	return h.Sum(nil)
}
