package httpapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/memdhq/memd"
)

// itemList is a field that holds the bodies of several single calls.
type itemList interface {
	value
	itemType() reflect.Type
}

// batch is the list of a call that does what several single calls do. Each item is read
// as the body of the single call is. What is wrong with items is kept until all that can
// be wrong has been looked at, so that the answer names every one of them.
type batch[T any] struct {
	items []T
	// faults are those of each item.
	faults [][]*memd.Error
}

func (*batch[T]) itemType() reflect.Type { return reflect.TypeFor[T]() }

// Schema gives the OpenAPI schema of the list and declares that of an item.
func (b *batch[T]) Schema(r huma.Registry) *huma.Schema {
	name := schemaName(b.itemType().Name())
	if r.Map()[name] == nil {
		r.Map()[name] = objectSchema(planObject(r, b.itemType()))
	}
	least, most := 1, maxItems
	return &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Ref: schemaPrefix + name}, MinItems: &least, MaxItems: &most}
}

func (b *batch[T]) read(f field, raw json.RawMessage, location string) *memd.Error {
	if raw[0] != '[' {
		return f.wrong(location)
	}
	n := 0
	for range memd.JSONElements(raw) {
		n++
	}
	if fault := f.checkCount(n, location); fault != nil {
		return fault
	}
	for e := range memd.JSONElements(raw) {
		at := itemAt(location, len(b.items))
		b.items, b.faults = append(b.items, *new(T)), append(b.faults, nil)
		last := len(b.items) - 1
		b.faults[last] = readObject(f.items, e, reflect.ValueOf(&b.items[last]).Elem(), at)
	}
	return nil
}

// itemAt is where the item of a list lies.
func itemAt(location string, i int) string { return fmt.Sprintf("%s[%d]", location, i) }

// wrong adds a fault to those of an item.
func (b *batch[T]) wrong(i int, fault *memd.Error) { b.faults[i] = append(b.faults[i], fault) }

// err makes one error of the faults of all items; nil if there are none. Where they are
// more than a problem lists it is rather the first one of each item.
func (b *batch[T]) err() error {
	faults := slices.Concat(b.faults...)
	if len(faults) > maxFaults {
		faults = nil
		for _, of := range b.faults {
			faults = append(faults, of[:min(1, len(of))]...)
		}
	}
	return invalid(faults)
}
