package httpapi

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/longterm"
)

// value is a kind of value that is more than one of JSON's own. Each says how it stands in
// the OpenAPI document, by Schema, which huma asks for, and how it is read.
type value interface {
	// read reads a JSON value that is not null.
	read(f field, raw json.RawMessage, location string) *memd.Error
}

// tellsNull is a field that tells null, which takes away what is there, from one that is
// missing, which leaves it.
type tellsNull interface{ missing(null bool) }

// identifier is an id from a caller; see memd.CheckID.
type identifier string

// Schema gives the OpenAPI schema of an id.
func (identifier) Schema(huma.Registry) *huma.Schema {
	least, most := 1, memd.MaxIDLength
	return &huma.Schema{Type: huma.TypeString, MinLength: &least, MaxLength: &most}
}

func (id *identifier) read(f field, raw json.RawMessage, location string) *memd.Error {
	if raw[0] != '"' {
		return f.wrong(location)
	}
	s, fault := readID(raw, location)
	if fault != nil {
		return fault
	}
	*id = identifier(s)
	return nil
}

// readID reads a JSON string that is an id, or a name of the same form.
func readID(raw json.RawMessage, location string) (string, *memd.Error) {
	s := memd.JSONString(raw)
	if !validText(s) || !bytes.Equal(memd.CleanJSON(raw), raw) {
		return "", memd.InvalidField(location, "must be valid UTF-8")
	}
	if err := memd.CheckID(location, s); err != nil {
		return "", err.(*memd.Error)
	}
	return s, nil
}

// metadata is a caller's JSON object as it was given; see checkMetadata.
type metadata json.RawMessage

// Schema gives the OpenAPI schema of an object of any shape.
func (metadata) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

func (m *metadata) read(f field, raw json.RawMessage, location string) *memd.Error {
	if raw[0] != '{' {
		return f.wrong(location)
	}
	raw = memd.CleanJSON(raw)
	if fault := checkMetadata(raw, location); fault != nil {
		return fault
	}
	*m = metadata(bytes.Clone(raw))
	return nil
}

const (
	// maxMetadata is the most bytes that an object of metadata may have, its numbers
	// written out.
	maxMetadata = longterm.MaxMetadata
	// maxNumber bounds a number in it: its characters, and the size of its exponent.
	maxNumber = 1000
)

// checkMetadata holds an object to what can be stored and filtered by.
func checkMetadata(raw json.RawMessage, location string) *memd.Error {
	if memd.HoldsNUL(raw) {
		return memd.InvalidField(location, "must not hold the character U+0000")
	}
	if memd.NestsTooDeep(raw, memd.MaxNesting) {
		return memd.InvalidField(location, "must not be nested deeper than %d arrays and objects", memd.MaxNesting)
	}
	size := len(raw)
	for number := range memd.JSONNumbers(raw) {
		exponent := 0
		if _, after, ok := bytes.Cut(bytes.ToLower(number), []byte("e")); ok {
			var err error
			if exponent, err = strconv.Atoi(string(after)); err != nil {
				exponent = math.MaxInt
			}
		}
		if len(number) > maxNumber || exponent > maxNumber || exponent < -maxNumber {
			return memd.InvalidField(location, "must only have numbers of usual size")
		}
		size += max(exponent, -exponent)
	}
	if size > maxMetadata {
		return memd.InvalidField(location, "must have at most %d KiB", maxMetadata>>10)
	}
	return nil
}

// chatMessage is a message as it was given, for memd.ParseMessage.
type chatMessage json.RawMessage

// Schema gives the OpenAPI schema of a chat message.
func (chatMessage) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type:        huma.TypeObject,
		Description: "A chat message in OpenAI's shape. Members not named here are kept as given.",
		Properties: map[string]*huma.Schema{
			"role":       {Type: huma.TypeString, Enum: []any{"user", "assistant", "system", "developer", "tool", "function"}},
			"content":    {Description: "A string, an array of parts, or null where the role allows it."},
			"name":       {Type: huma.TypeString, Description: "Who speaks; becomes actor_id of what is learned."},
			"id":         {Type: huma.TypeString, Nullable: true, Description: "The caller's own id, unique per user and session; kept as client_id."},
			"created_at": {Type: huma.TypeString, Nullable: true, Description: "When it was said, RFC 3339; a missing offset is UTC. Default: when it came."},
		},
		Required:             []string{"role"},
		AdditionalProperties: true,
	}
}

// anyMessages is a string, a message or an array of messages.
type anyMessages json.RawMessage

// Schema gives the OpenAPI schema of what POST /v1/memories takes as messages.
func (anyMessages) Schema(r huma.Registry) *huma.Schema {
	message := chatMessage{}.Schema(r)
	most := maxItems
	return &huma.Schema{OneOf: []*huma.Schema{
		{Type: huma.TypeString}, message, {Type: huma.TypeArray, Items: message, MaxItems: &most},
	}}
}

func (m *anyMessages) read(_ field, raw json.RawMessage, location string) *memd.Error {
	if raw[0] != '{' && raw[0] != '[' && raw[0] != '"' {
		return memd.InvalidField(location, "must be a string, a message or an array of messages")
	}
	*m = anyMessages(raw)
	return nil
}

// conditions are filters as they were given, for parseFilter.
type conditions json.RawMessage

// Schema gives the OpenAPI schema of filters; the language is longterm's.
func (conditions) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Examples: []any{
		map[string]any{"topic": "food", "score": map[string]any{"gte": 3}},
		map[string]any{"AND": []any{map[string]any{"role": "user"}, map[string]any{"OR": []any{
			map[string]any{"category": []any{"work", "home"}}, map[string]any{"city": map[string]any{"ilike": "p%"}}}}}},
		map[string]any{"NOT": []any{map[string]any{"metadata.archived": true}}, "created_at": map[string]any{"lt": "2026-01-01"}},
	}}
}

func (c *conditions) read(_ field, raw json.RawMessage, _ string) *memd.Error {
	*c = conditions(raw)
	return nil
}

// moment is a time from a caller; see memd.ParseTime.
type moment struct{ time.Time }

// Schema gives the OpenAPI schema of a time.
func (moment) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time"}
}

func (m *moment) read(f field, raw json.RawMessage, location string) *memd.Error {
	if raw[0] != '"' {
		return f.wrong(location)
	}
	t, err := memd.ParseTime(location, memd.JSONString(raw))
	if err != nil {
		return err.(*memd.Error)
	}
	m.Time = t
	return nil
}

// pointer gives the time, nil if none came.
func (m *moment) pointer() *time.Time {
	if m == nil {
		return nil
	}
	return &m.Time
}

// clearable is a time from a caller, or null to take away the one that is there.
type clearable struct {
	// given says that there was a time or null; at is then the time, nil for null.
	given bool
	at    *time.Time
}

// Schema gives the OpenAPI schema of a time or null.
func (clearable) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time", Nullable: true}
}

func (c *clearable) missing(null bool) { c.given = null }

func (c *clearable) read(f field, raw json.RawMessage, location string) *memd.Error {
	at := new(moment)
	if fault := at.read(f, raw, location); fault != nil {
		return fault
	}
	c.given, c.at = true, &at.Time
	return nil
}

// span is a duration from a caller; see memd.ParseSpan.
type span time.Duration

// Schema gives the OpenAPI schema of a duration.
func (span) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Examples: []any{"30m", "7d"}}
}

func (s *span) read(_ field, raw json.RawMessage, location string) *memd.Error {
	if raw[0] != '"' {
		return memd.InvalidField(location, "must be a duration like 30m or 7d")
	}
	d, err := memd.ParseSpan(location, memd.JSONString(raw))
	if err != nil {
		return err.(*memd.Error)
	}
	*s = span(d)
	return nil
}

// clearableSpan is a span from a caller, or null to take away the one that is there.
type clearableSpan struct {
	given bool
	value *time.Duration
}

// Schema gives the OpenAPI schema of a duration or null.
func (clearableSpan) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Nullable: true, Examples: []any{"30m", "7d"}}
}

func (c *clearableSpan) missing(null bool) { c.given = null }

func (c *clearableSpan) read(f field, raw json.RawMessage, location string) *memd.Error {
	d := new(span)
	if fault := d.read(f, raw, location); fault != nil {
		return fault
	}
	c.given, c.value = true, (*time.Duration)(d)
	return nil
}

// clearableCount is a number of things from a caller, or null to take away the one that is
// there.
type clearableCount struct {
	given bool
	value *int64
}

// Schema gives the OpenAPI schema of a number or null.
func (clearableCount) Schema(huma.Registry) *huma.Schema {
	least := 0.0
	return &huma.Schema{Type: huma.TypeInteger, Minimum: &least, Nullable: true}
}

func (c *clearableCount) missing(null bool) { c.given = null }

func (c *clearableCount) read(f field, raw json.RawMessage, location string) *memd.Error {
	n, fault := f.readInteger(raw, location)
	if fault != nil {
		return fault
	}
	c.given, c.value = true, &n
	return nil
}

// content is a message's content from a caller. null stands for itself: it is the content
// of a message that something else speaks for.
type content json.RawMessage

// Schema gives the OpenAPI schema of any content.
func (content) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

func (c *content) missing(null bool) {
	if null {
		*c = content("null")
	}
}

func (c *content) read(_ field, raw json.RawMessage, _ string) *memd.Error {
	*c = content(raw)
	return nil
}

// wait is a duration from a caller: Go's form ("30s"), or seconds.
type wait time.Duration

// Schema gives the OpenAPI schema of a duration.
func (wait) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Examples: []any{"30s"}}
}

// maxWait bounds how long a caller may ask a request to wait.
const maxWait = time.Minute

func (w *wait) read(f field, raw json.RawMessage, location string) *memd.Error {
	if raw[0] != '"' {
		return f.wrong(location)
	}
	d, err := time.ParseDuration(memd.JSONString(raw))
	if err != nil {
		seconds, numeric := strconv.ParseFloat(memd.JSONString(raw), 64)
		if numeric != nil || math.IsNaN(seconds) || math.Abs(seconds) > 1e6 {
			return memd.InvalidField(location, "must be a duration like 30s, or seconds")
		}
		d = time.Duration(seconds * float64(time.Second))
	}
	if d < 0 || d > maxWait {
		return memd.InvalidField(location, "must be between 0s and %s", maxWait)
	}
	*w = wait(d)
	return nil
}
