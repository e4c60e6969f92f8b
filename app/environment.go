package app

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Unreadable is a variable whose value is not of its setting's kind.
type Unreadable struct{ Name, Want string }

// otherVariables are read elsewhere than in Config.
var otherVariables = []string{"MEMD_CACHE_DIR", "MEMD_MAVEN_REPO", "MEMD_URL", "MEMD_API_KEY"}

// settings gives the variables of Config and the kind of each.
func settings() map[string]reflect.Type {
	t := reflect.TypeFor[Config]()
	all := map[string]reflect.Type{}
	for i := range t.NumField() {
		all[t.Field(i).Tag.Get("env")] = t.Field(i).Type
	}
	return all
}

// TakeUnreadable looks through the environment for values that are not of their
// setting's kind (a word where a number belongs), takes them out and gives them
// back, so that all of them can be told at once, with what Check finds.
func TakeUnreadable(lookup func(string) (string, bool), unset func(string) error) []Unreadable {
	var bad []Unreadable
	for name, t := range settings() {
		value, ok := lookup(name)
		if !ok {
			continue
		}
		if value == "" && t.Kind() != reflect.String { // set to nothing: not set
			_ = unset(name)
			continue
		}
		want := ""
		switch {
		case t == reflect.TypeFor[time.Duration]():
			if _, err := time.ParseDuration(value); err != nil {
				want = "a duration like 10s"
			}
		case t.Kind() == reflect.Int || t.Kind() == reflect.Int32:
			if _, err := strconv.ParseInt(value, 10, 32); err != nil {
				want = "a whole number"
			}
		case t.Kind() == reflect.Float64:
			if f, err := strconv.ParseFloat(value, 64); err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
				want = "a number"
			}
		case t.Kind() == reflect.Bool:
			if _, err := strconv.ParseBool(value); err != nil {
				want = "true or false"
			}
		}
		if want != "" {
			bad = append(bad, Unreadable{name, want})
			_ = unset(name)
		}
	}
	return bad
}

// UnreadableError names them, or is nil if there are none.
func UnreadableError(bad []Unreadable) error {
	var problems []error
	for _, u := range bad {
		problems = append(problems, fmt.Errorf("%s: must be %s", u.Name, u.Want))
	}
	return errors.Join(problems...)
}

// UnknownVariables lists what looks like a setting of memd and is none: most likely
// a slip of the pen.
func UnknownVariables(environ []string) []string {
	known := settings()
	for _, name := range otherVariables {
		known[name] = nil
	}
	var unknown []string
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if _, ok := known[name]; !ok && strings.HasPrefix(name, "MEMD_") && !strings.HasPrefix(name, "MEMD_TEST_") {
			unknown = append(unknown, name)
		}
	}
	return unknown
}
