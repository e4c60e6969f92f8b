package longterm

import (
	"bytes"
	"encoding/json"

	"github.com/memdhq/memd"
)

type jsonKind int

const (
	kindNull jsonKind = iota
	kindBool
	kindNumber
	kindString
	kindList
	kindObject
)

func kindOfJSON(raw json.RawMessage) jsonKind {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return kindNull
	}
	switch raw[0] {
	case 'n':
		return kindNull
	case 't', 'f':
		return kindBool
	case '"':
		return kindString
	case '[':
		return kindList
	case '{':
		return kindObject
	}
	return kindNumber
}

// textOf reads a JSON string; anything else is an error.
func textOf(raw json.RawMessage) (string, error) {
	if kindOfJSON(raw) != kindString {
		return "", memd.InvalidField("", "must be a text")
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err
}

// items are those of a JSON list.
func items(raw json.RawMessage) []json.RawMessage {
	var all []json.RawMessage
	if kindOfJSON(raw) != kindList || json.Unmarshal(raw, &all) != nil {
		return nil
	}
	return all
}
