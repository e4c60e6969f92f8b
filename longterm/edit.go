package longterm

import (
	"context"
	"encoding/json"
	"time"

	"github.com/memdhq/memd"
)

// Edit is what a person changes of a memory; what is nil stays.
type Edit struct {
	ID string
	// Check holds the user and agent that the memory must have, where set.
	Check memd.Scope
	Text  *string
	// Metadata is a merge patch of RFC 7386, an object.
	Metadata   json.RawMessage
	Categories *[]string
	// ExpiresAt sets when the memory is to be found no more; Unexpire takes that away.
	ExpiresAt *time.Time
	Unexpire  bool
	Pinned    *bool
	// Vector is that of EmbedText with the memory's actor and Text, made with Model;
	// nil has it made later.
	Vector []float32
	Model  string
}

// Edit changes memories, all or none, in order, and gives them as they are then.
func (s *Store) Edit(ctx context.Context, tenant string, edits []Edit, by string) ([]memd.Memory, error) {
	return nil, notFound
}
