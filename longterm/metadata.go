package longterm

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// merged gives the metadata of sources in order: of a key that several have, the first
// value stands.
func merged(inOrder []origin) json.RawMessage {
	var all json.RawMessage
	for _, o := range inOrder {
		all = mergeJSON(all, o.metadata)
	}
	return all
}

// mergeJSON adds to an object the members of another whose keys it has not, as far as
// there is room for them; of those that do not all fit the keys that sort first are added.
func mergeJSON(to, from json.RawMessage) json.RawMessage {
	into, more := members(to), members(from)
	switch {
	case len(more) == 0:
		return to
	case len(into) == 0:
		return from
	}
	size := storedSize(to)
	for _, k := range slices.Sorted(maps.Keys(more)) {
		if _, ok := into[k]; ok {
			continue
		}
		added := len(encoded(k)) + storedSize(more[k]) + 2
		if size+added > MaxMetadata {
			continue
		}
		into[k] = more[k]
		size += added
	}
	return encoded(into)
}

// MergePatch applies a merge patch of RFC 7386. Numbers keep their digits.
func MergePatch(target, patch json.RawMessage) json.RawMessage {
	if kindOfJSON(patch) != kindObject {
		return patch
	}
	return encoded(patched(decoded(target), decoded(patch)))
}

func patched(target, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	into, ok := target.(map[string]any)
	if !ok {
		into = map[string]any{}
	}
	for k, v := range changes {
		if v == nil {
			delete(into, k)
		} else {
			into[k] = patched(into[k], v)
		}
	}
	return into
}

// decoded reads JSON, nil if it is none.
func decoded(raw json.RawMessage) any {
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil
	}
	return v
}

// storedSize is how many bytes an object has once its numbers are written out.
func storedSize(raw json.RawMessage) int {
	size := len(raw)
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	for {
		t, err := dec.Token()
		if err != nil {
			return size
		}
		if n, ok := t.(json.Number); ok {
			if _, exponent, ok := strings.Cut(strings.ToLower(n.String()), "e"); ok {
				e, _ := strconv.Atoi(exponent) // numbers of unusual size were refused
				size += max(e, -e)
			}
		}
	}
}

// members are those of a JSON object, nil if it is none.
func members(raw json.RawMessage) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

func encoded(v any) json.RawMessage {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err) // it was read as JSON
	}
	return out
}

// sameJSON compares two JSON objects by what they say; numbers by the digits with which
// they are stored.
func sameJSON(a, b json.RawMessage) bool { return canonical(a) == canonical(b) }

func canonical(raw json.RawMessage) string {
	dec := json.NewDecoder(strings.NewReader(object(raw)))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return string(raw)
	}
	out, err := json.Marshal(byValue(v)) // keys sorted
	if err != nil {
		return string(raw)
	}
	return string(out)
}

// byValue writes equal numbers in one way: without an exponent, and without zeros behind
// the last digit after the point.
func byValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = byValue(v[k])
		}
	case []any:
		for i := range v {
			v[i] = byValue(v[i])
		}
	case json.Number:
		n := plainNumber(v)
		if strings.Contains(n.String(), ".") {
			n = json.Number(strings.TrimSuffix(strings.TrimRight(n.String(), "0"), "."))
		}
		return n
	}
	return v
}

// plainNumber writes a number as Postgres gives it back: without an exponent, with the
// digits after the point that were given.
func plainNumber(n json.Number) json.Number {
	if len(n) > maxExponent {
		return n
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(n.String()), "e")
	_, fraction, _ := strings.Cut(mantissa, ".")
	digits := len(fraction)
	if exponent != "" {
		e, err := strconv.Atoi(exponent)
		if err != nil || e > maxExponent || e < -maxExponent {
			return n
		}
		digits = max(0, digits-e)
	}
	r, ok := new(big.Rat).SetString(n.String())
	if !ok {
		return n
	}
	return json.Number(r.FloatString(digits))
}
