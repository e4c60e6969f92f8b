package format

import (
	"bufio"
	"encoding/json"
)

// Items is what was read before: a line for each item. It is none of Names: nobody else writes it.
const Items = "items"

func readItems(file string, r *bufio.Reader, _ bool, _ Options, yield func(Item, error) bool) {
	for v, err := range newScanner(r).lines() {
		var i Item
		if err == nil && v.fault == "" {
			err = json.Unmarshal(v.raw, &i)
		}
		if err == nil && v.fault != "" {
			i = bad(Place{file, v.line}, nil, v.fault)
		}
		if !yield(i, err) || err != nil {
			return
		}
	}
}
