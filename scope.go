package memd

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// DefaultTenant is the tenant of a memd that serves without API keys.
const DefaultTenant = "default"

// Scope says whose memories are meant. The tenant comes from the credential,
// never from a request body. An empty id is one that was not asked for; a memory
// matches only if it carries every id that was.
type Scope struct {
	Tenant  string
	UserID  string
	AgentID string
	RunID   string
	AppID   string
}

// MaxIDLength is the most characters (not bytes) an id from a caller may have.
const MaxIDLength = 255

// CheckID holds an id from a caller to the contract: 1 to MaxIDLength characters
// of any script, no control characters, not "." or "..". Anything else may stand
// in it. The error is Invalid and names field.
func CheckID(field, id string) error {
	switch {
	case id == "":
		return InvalidField(field, "must not be empty")
	case id == "." || id == "..":
		return InvalidField(field, `must not be "." or ".."`)
	case !utf8.ValidString(id):
		return InvalidField(field, "must be valid UTF-8")
	case utf8.RuneCountInString(id) > MaxIDLength:
		return InvalidField(field, "must have at most %d characters", MaxIDLength)
	case strings.ContainsFunc(id, unicode.IsControl):
		return InvalidField(field, "must not contain control characters")
	}
	return nil
}

// Describe names the ids a scope asks for, for logs; it holds no tenant.
func (s Scope) Describe() string {
	return fmt.Sprintf("user=%q agent=%q run=%q app=%q", s.UserID, s.AgentID, s.RunID, s.AppID)
}
