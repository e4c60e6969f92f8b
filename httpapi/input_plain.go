package httpapi

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/memdhq/memd"
)

// readText reads a parameter, whose value is plain text.
func (f field) readText(v reflect.Value, s, location string) *memd.Error {
	raw := json.RawMessage(s)
	switch kindOf(v.Type()) {
	case reflect.Bool:
		if s != "true" && s != "false" {
			return memd.InvalidField(location, "must be true or false")
		}
	case reflect.Int, reflect.Int64:
		if digits := strings.TrimPrefix(s, "-"); digits == "" || strings.Trim(digits, "0123456789") != "" || len(digits) > 1 && digits[0] == '0' {
			return memd.InvalidField(location, "must be %s", f.expected())
		}
	default:
		if !validText(s) {
			return memd.InvalidField(location, "must be valid UTF-8")
		}
		raw, _ = json.Marshal(s)
	}
	return f.read(v, raw, location)
}

func validText(s string) bool { return strings.ToValidUTF8(s, "") == s }

// kindOf gives the kind that a field of type t is read as.
func kindOf(t reflect.Type) reflect.Kind {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == reflect.TypeFor[wait]() {
		return reflect.String
	}
	return t.Kind()
}

// read reads a JSON value that is not null into v and holds it to the field's schema.
func (f field) read(v reflect.Value, raw json.RawMessage, location string) *memd.Error {
	if v.Kind() == reflect.Pointer {
		target := reflect.New(v.Type().Elem())
		if fault := f.read(target.Elem(), raw, location); fault != nil {
			return fault
		}
		v.Set(target)
		return nil
	}
	raw = memd.TrimJSON(raw)
	var fault *memd.Error
	switch target := v.Addr().Interface().(type) {
	case value:
		return target.read(f, raw, location)
	case *json.RawMessage:
		*target = raw
	case *[]chatMessage:
		*target, fault = readList(f, raw, location, func(e json.RawMessage, _ string) (chatMessage, *memd.Error) {
			return chatMessage(e), nil
		})
	case *[]string:
		*target, fault = readList(f, raw, location, f.readItem)
	case *string:
		*target, fault = f.readString(raw, location)
	case *bool:
		if *target = string(raw) == "true"; !*target && string(raw) != "false" {
			return f.wrong(location)
		}
	case *int:
		var n int64
		n, fault = f.readInteger(raw, location)
		*target = int(n)
	case *int64:
		*target, fault = f.readInteger(raw, location)
	case *float64:
		*target, fault = f.readNumber(raw, location)
	default:
		panic(fmt.Sprintf("httpapi: no reader for %s", v.Type()))
	}
	return fault
}

func (f field) readString(raw json.RawMessage, location string) (string, *memd.Error) {
	if raw[0] != '"' {
		return "", f.wrong(location)
	}
	s := memd.JSONString(raw)
	if f.schema.Enum != nil && !slices.Contains(f.schema.Enum, any(s)) {
		return "", f.wrong(location)
	}
	return s, nil
}

// readItem reads one of a list of strings.
func (f field) readItem(raw json.RawMessage, location string) (string, *memd.Error) {
	if raw[0] != '"' {
		return "", memd.InvalidField(location, "must be a string")
	}
	s := memd.JSONString(raw)
	if enum := f.schema.Items.Enum; enum != nil && !slices.Contains(enum, any(s)) {
		return "", memd.InvalidField(location, "must be %s", oneOf(enum))
	}
	return s, nil
}

// readList reads an array, each item by item. It reads no more than may be given.
func readList[T any](f field, raw json.RawMessage, location string, item func(raw json.RawMessage, location string) (T, *memd.Error)) ([]T, *memd.Error) {
	if raw[0] != '[' {
		return nil, f.wrong(location)
	}
	list := []T{}
	for e := range memd.JSONElements(raw) {
		if len(list) == maxItems {
			return nil, memd.InvalidField(location, "must have at most %d items", maxItems)
		}
		one, fault := item(e, itemAt(location, len(list)))
		if fault != nil {
			return nil, fault
		}
		list = append(list, one)
	}
	return list, f.checkCount(len(list), location)
}

func (f field) readInteger(raw json.RawMessage, location string) (int64, *memd.Error) {
	n, ok := integer(raw)
	if !ok {
		return 0, f.wrong(location)
	}
	return n, f.checkRange(float64(n), location)
}

func (f field) readNumber(raw json.RawMessage, location string) (float64, *memd.Error) {
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || raw[0] == '"' || !json.Valid(raw) {
		return 0, f.wrong(location)
	}
	return n, f.checkRange(n, location)
}

// wrong tells that a value is none of the field's kind.
func (f field) wrong(location string) *memd.Error {
	return memd.InvalidField(location, "must be %s", f.expected())
}

// integer reads a whole number; 5.0 and 5e0 are 5.
func integer(raw []byte) (int64, bool) {
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n, true
	}
	if raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || n != math.Trunc(n) || math.Abs(n) > 1<<53 {
		return 0, false
	}
	return int64(n), true
}

func (f field) checkRange(n float64, location string) *memd.Error {
	low, high := f.schema.Minimum, f.schema.Maximum
	switch {
	case low != nil && high != nil && (n < *low || n > *high):
		return memd.InvalidField(location, "must be between %s and %s", decimal(*low), decimal(*high))
	case low != nil && n < *low:
		return memd.InvalidField(location, "must be at least %s", decimal(*low))
	case high != nil && n > *high:
		return memd.InvalidField(location, "must be at most %s", decimal(*high))
	}
	return nil
}

// decimal writes a number with all its digits.
func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func (f field) checkCount(n int, location string) *memd.Error {
	if f.schema.MinItems != nil && n < *f.schema.MinItems {
		return memd.InvalidField(location, "must have at least %d item%s", *f.schema.MinItems, plural(*f.schema.MinItems))
	}
	if f.schema.MaxItems != nil && n > *f.schema.MaxItems {
		return memd.InvalidField(location, "must have at most %d items", *f.schema.MaxItems)
	}
	return nil
}

// expected says what a value of the field has to be.
func (f field) expected() string {
	if f.schema.Enum != nil {
		return oneOf(f.schema.Enum)
	}
	switch f.schema.Type {
	case huma.TypeInteger:
		return "a whole number"
	case huma.TypeNumber:
		return "a number"
	case huma.TypeBoolean:
		return "true or false"
	case huma.TypeArray:
		return "an array"
	case huma.TypeObject:
		return "an object"
	}
	return "a string"
}

func oneOf(enum []any) string {
	words := make([]string, len(enum))
	for i, e := range enum {
		words[i] = fmt.Sprint(e)
	}
	return "one of " + strings.Join(words, ", ")
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}
