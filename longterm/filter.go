package longterm

import "encoding/json"

// Filter is a condition on memories. The zero value lets all of them pass.
type Filter struct{ root *node }

type node struct{}

// ParseFilter reads a filter. The error is Invalid and names what is wrong.
func ParseFilter(raw json.RawMessage) (Filter, error) {
	return Filter{}, todo
}
