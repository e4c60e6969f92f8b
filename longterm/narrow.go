package longterm

import "github.com/memdhq/memd"

// Narrow brings a scope and a filter beside it together, as every question does: an id
// of the scope stands before a plain condition on the same id at the filter's top level,
// and such a condition on an id that the scope has not becomes the scope's. What remains
// of the filter must not be narrowed again.
func (f Filter) Narrow(s memd.Scope) (memd.Scope, Filter) { return f.narrow(s) }

// Bare says whether the filter has no condition on any field, however it is written.
func (f Filter) Bare() bool { return f.root == nil || f.root.bare() }

func (n *node) bare() bool {
	switch n.op {
	case opAnd, opOr, opNot:
		for _, inner := range n.nodes {
			if !inner.bare() {
				return false
			}
		}
		return true
	}
	return false
}
