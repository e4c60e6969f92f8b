package format

import (
	"bytes"
	"encoding/json"
	"time"
	_ "time/tzdata" // zones are known whatever the machine has

	"github.com/memdhq/memd"
)

// withMembers gives an object other values under some names, nil for none, and leaves the rest of it as
// it stands.
func withMembers(raw json.RawMessage, changed map[string]json.RawMessage) json.RawMessage {
	if trimmed := memd.TrimJSON(raw); len(trimmed) == 0 || trimmed[0] != '{' {
		return raw
	}
	type member struct {
		name  string
		value json.RawMessage
	}
	var all []member
	there := map[string]bool{}
	for name, v := range memd.JSONMembers(raw) {
		if to, ok := changed[name]; ok {
			v = to
		}
		there[name] = true
		if v != nil {
			all = append(all, member{name, v})
		}
	}
	for name, v := range changed {
		if v != nil && !there[name] {
			all = append(all, member{name, v})
		}
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range all {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(encode(m.name))
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// validZone gives the IANA name of a zone, "" if it is none, or UTC.
func validZone(name string) string {
	if name == "" || name == "UTC" || name == "Local" {
		return ""
	}
	if _, err := time.LoadLocation(name); err != nil {
		return ""
	}
	return name
}

// isOddZone says of a name that it should be that of a zone and is none.
func isOddZone(name string) bool {
	return name != "" && name != "UTC" && name != "Local" && validZone(name) == ""
}

// oddZone is why something is set aside that was said nobody can tell where: relative dates
// in it would be off.
const oddZone = "a zone that is not known"

// mustZone gives a zone whose name is valid.
func mustZone(name string) *time.Location {
	place, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return place
}
