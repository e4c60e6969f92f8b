package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/memdhq/memd"
)

// The roles of API keys. A reader reads; a writer also writes; an admin may also ask
// across all scopes of its tenant.
const (
	RoleReader = "reader"
	RoleWriter = "writer"
	RoleAdmin  = "admin"
)

// Key is an API key, the tenant it stands for and what it may do there.
type Key struct {
	Token, Tenant, Role string
}

// caller is who sent a request.
type caller struct {
	tenant, role string
}

func (c caller) mayWrite() bool     { return c.role == RoleWriter || c.role == RoleAdmin }
func (c caller) mayAllScopes() bool { return c.role == RoleAdmin }

// hashedKey is a key of which only the hash is kept.
type hashedKey struct {
	hash [sha256.Size]byte
	caller
}

func hashKeys(keys []Key) ([]hashedKey, error) {
	var out []hashedKey
	for _, k := range keys {
		switch k.Role {
		case RoleReader, RoleWriter, RoleAdmin:
		default:
			return nil, memd.InvalidField("keys", "the role must be admin, writer or reader")
		}
		if k.Token == "" || k.Tenant == "" {
			return nil, memd.InvalidField("keys", "a key needs a token and a tenant")
		}
		out = append(out, hashedKey{sha256.Sum256([]byte(k.Token)), caller{k.Tenant, k.Role}})
	}
	return out, nil
}

// authenticate tells who sent a request. The time it takes says nothing about keys.
func (s *server) authenticate(r *http.Request) (caller, error) {
	if len(s.keys) == 0 {
		return caller{memd.DefaultTenant, RoleAdmin}, nil
	}
	refused := &memd.Error{Kind: memd.Unauthorized}
	token := tokenOf(r)
	if token == "" {
		refused.Msg = "an API key is needed: Authorization: Bearer, Authorization: Token, or X-API-Key"
		return caller{}, refused
	}
	hash := sha256.Sum256([]byte(token))
	var found caller
	for _, k := range s.keys {
		if subtle.ConstantTimeCompare(hash[:], k.hash[:]) == 1 {
			found = k.caller
		}
	}
	if found.role == "" {
		refused.Msg = "the API key is not valid"
		return caller{}, refused
	}
	return found, nil
}

// tokenOf finds the key in a request's headers, "" if there is none.
func tokenOf(r *http.Request) string {
	scheme, token, _ := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
	if strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "Token") {
		return strings.TrimSpace(token)
	}
	return strings.TrimSpace(r.Header.Get("X-API-Key"))
}
