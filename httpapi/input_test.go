package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/memdhq/memd"
)

type trial struct {
	ID   int64 `path:"id" minimum:"1"`
	Q    *int  `query:"q" minimum:"1" maximum:"9"`
	Wait wait  `query:"wait"`
	On   bool  `query:"on" default:"true"`
	Body trialBody
}

type trialBody struct {
	User  identifier       `json:"user" required:"true"`
	Other identifier       `json:"other"`
	Text  string           `json:"text" default:"a" enum:"a,b"`
	Free  *string          `json:"free"`
	Flag  bool             `json:"flag" default:"true"`
	N     int              `json:"n" default:"5" minimum:"0" maximum:"10"`
	Share float64          `json:"share" minimum:"0" maximum:"1"`
	At    *moment          `json:"at"`
	Words []string         `json:"words" default:"A,B" enum:"A,B,C"`
	Meta  metadata         `json:"meta"`
	Any   json.RawMessage  `json:"any"`
	Said  []chatMessage    `json:"said" minItems:"1"`
	Until clearable        `json:"until"`
	Many  batch[trialItem] `json:"many"`
}

type trialItem struct {
	ID   identifier `json:"id" required:"true"`
	N    int        `json:"n" default:"5" maximum:"10"`
	Meta metadata   `json:"meta"`
}

func (i *trialItem) check(location string) []*memd.Error {
	if i.N == 7 {
		return []*memd.Error{memd.InvalidField(location, "must not be seven")}
	}
	return nil
}

var trialPlan = planInput(huma.NewMapRegistry(schemaPrefix, huma.DefaultSchemaNamer), reflect.TypeFor[trial]())

func readTrial(body string) (trial, string) {
	var in trial
	err := trialPlan.check([]byte(body), reflect.ValueOf(&in).Elem())
	if err == nil {
		return in, ""
	}
	p := problemOf(err, "body")
	return in, fmt.Sprintf("%d %v", p.Status, p.Errors)
}

func TestABodyIsReadStrictly(t *testing.T) {
	long := strings.Repeat("ä", memd.MaxIDLength+1)
	for body, want := range map[string]string{
		``:                                   "400 [{body is empty, and must be a JSON object}]",
		` `:                                  "400 [{body is empty, and must be a JSON object}]",
		`{`:                                  "400 [{body is not valid JSON}]",
		`{"user":"u"} x`:                     "400 [{body is not valid JSON}]",
		`{"user":"u"}{}`:                     "400 [{body is not valid JSON}]",
		`{"user":"u","n":NaN}`:               "400 [{body is not valid JSON}]",
		`{"user":"u","n":01}`:                "400 [{body is not valid JSON}]",
		"{\"user\":\"\x00\"}":                "400 [{body is not valid JSON}]",
		`null`:                               "422 [{body must be a JSON object}]",
		`[]`:                                 "422 [{body must be a JSON object}]",
		`"user"`:                             "422 [{body must be a JSON object}]",
		`{}`:                                 "422 [{body.user is required}]",
		`{"user":null}`:                      "422 [{body.user is required}]",
		`{"user":1}`:                         "422 [{body.user must be a string}]",
		`{"user":""}`:                        "422 [{body.user must not be empty}]",
		`{"user":".."}`:                      "422 [{body.user must not be \".\" or \"..\"}]",
		`{"user":"a\u0000"}`:                 "422 [{body.user must not contain control characters}]",
		`{"user":"a\ud800"}`:                 "422 [{body.user must be valid UTF-8}]",
		`{"user":"` + long + `"}`:            "422 [{body.user must have at most 255 characters}]",
		`{"user":"u","User":"x"}`:            "422 [{body.User is not a known field}]",
		`{"user":"u","user":"x"}`:            "422 [{body.user must be given once}]",
		`{"user":"u","secret":"hunter2"}`:    "422 [{body.secret is not a known field}]",
		`{"user":"u","n":"5"}`:               "422 [{body.n must be a whole number}]",
		`{"user":"u","n":1.5}`:               "422 [{body.n must be a whole number}]",
		`{"user":"u","n":1e400}`:             "422 [{body.n must be a whole number}]",
		`{"user":"u","n":true}`:              "422 [{body.n must be a whole number}]",
		`{"user":"u","n":11}`:                "422 [{body.n must be between 0 and 10}]",
		`{"user":"u","share":1.01}`:          "422 [{body.share must be between 0 and 1}]",
		`{"user":"u","share":"0.5"}`:         "422 [{body.share must be a number}]",
		`{"user":"u","flag":1}`:              "422 [{body.flag must be true or false}]",
		`{"user":"u","flag":"true"}`:         "422 [{body.flag must be true or false}]",
		`{"user":"u","text":"hunter2"}`:      "422 [{body.text must be one of a, b}]",
		`{"user":"u","free":["hunter2"]}`:    "422 [{body.free must be a string}]",
		`{"user":"u","at":"hunter2"}`:        "422 [{body.at must be a time in RFC 3339}]",
		`{"user":"u","at":1700000000}`:       "422 [{body.at must be a string}]",
		`{"user":"u","words":"A"}`:           "422 [{body.words must be an array}]",
		`{"user":"u","words":["A",1]}`:       "422 [{body.words[1] must be a string}]",
		`{"user":"u","words":["A","D"]}`:     "422 [{body.words[1] must be one of A, B, C}]",
		`{"user":"u","meta":[]}`:             "422 [{body.meta must be an object}]",
		`{"user":"u","meta":{"a":"\u0000"}}`: "422 [{body.meta must not hold the character U+0000}]",
		`{"user":"u","meta":{"a":[{"b":-1e1001}]}}`:                                             "422 [{body.meta must only have numbers of usual size}]",
		`{"user":"u","meta":{"a":1E+99999999999999999999}}`:                                     "422 [{body.meta must only have numbers of usual size}]",
		`{"user":"u","meta":{"a":[0,` + strings.Repeat("9", 1001) + `]}}`:                       "422 [{body.meta must only have numbers of usual size}]",
		`{"user":"u","meta":{"a":"` + strings.Repeat("x", 256<<10) + `"}}`:                      "422 [{body.meta must have at most 256 KiB}]",
		`{"user":"u","meta":{"a":[` + strings.Repeat("1e1000,", 300) + `0]}}`:                   "422 [{body.meta must have at most 256 KiB}]",
		`{"user":"u","meta":{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}}`: "422 [{body.meta must not be nested deeper than 100 arrays and objects}]",
		`{"user":"u","until":"hunter2"}`:                                                        "422 [{body.until must be a time in RFC 3339}]",
		`{"user":"u","until":5}`:                                                                "422 [{body.until must be a string}]",
		`{"user":"u","many":[]}`:                                                                "422 [{body.many must have at least 1 item}]",
		`{"user":"u","many":{}}`:                                                                "422 [{body.many must be an array}]",
		`{"user":"u","many":[` + strings.Repeat("1,", 1000) + `1]}`:                             "422 [{body.many must have at most 1000 items}]",
		`{"user":"u","said":[]}`:                                                                "422 [{body.said must have at least 1 item}]",
		`{"user":"u","said":{}}`:                                                                "422 [{body.said must be an array}]",
		`{"n":11,"user":7,"x":1}`:                                                               "422 [{body.x is not a known field} {body.user must be a string} {body.n must be between 0 and 10}]",
	} {
		if _, got := readTrial(body); got != want {
			t.Errorf("%.80s\n got %s\nwant %s", body, got, want)
		}
	}
}

func TestAMissingFieldAndNullAreTheSame(t *testing.T) {
	missing, fault := readTrial(`{"user":"u"}`)
	if fault != "" {
		t.Fatal(fault)
	}
	null, fault := readTrial(`{"user":"u","other":null,"text":null,"free":null,"flag":null,"n":null,"share":null,"at":null,"words":null,"meta":null,"any":null,"said":null,"until":null,"many":null}`)
	if fault != "" {
		t.Fatal(fault)
	}
	if missing.Body.Until.given || !null.Body.Until.given || null.Body.Until.at != nil {
		t.Errorf("only a clearable field tells null: %+v, %+v", missing.Body.Until, null.Body.Until)
	}
	null.Body.Until = clearable{}
	if !reflect.DeepEqual(missing, null) {
		t.Errorf("missing %+v, null %+v", missing, null)
	}
	want := trialBody{User: "u", Text: "a", Flag: true, N: 5, Words: []string{"A", "B"}}
	if !reflect.DeepEqual(missing.Body, want) {
		t.Errorf("got %+v, want %+v", missing.Body, want)
	}
}

func TestABodyIsReadAsItWasGiven(t *testing.T) {
	in, fault := readTrial(` { "user":"acme:al\u0069ce/%\"'", "n": 5e0, "share": 1, "at":"2026-03-02", "flag":false, "free":"",
		"words":[], "meta":{"z":123456789012345678901234567890,"a":"\ud800"}, "any":[1, {"b": "\u0000"}],
		"said":[ {"role":"user" , "n":1E5},7 ] } `)
	if fault != "" {
		t.Fatal(fault)
	}
	empty := ""
	want := trialBody{User: `acme:alice/%"'`, Text: "a", N: 5, Share: 1, At: &moment{time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)}, Free: &empty,
		Words: []string{}, Meta: metadata(`{"z":123456789012345678901234567890,"a":"\ufffd"}`), Any: json.RawMessage(`[1, {"b": "\u0000"}]`),
		Said: []chatMessage{chatMessage(`{"role":"user" , "n":1E5}`), chatMessage(`7`)}}
	if !reflect.DeepEqual(in.Body, want) {
		t.Errorf("got %+v\nwant %+v", in.Body, want)
	}
}

// Every bad item of a batch is told, with all that is wrong with it.
func TestABatchTellsAllItsFaults(t *testing.T) {
	in, fault := readTrial(`{"user":"u","many":[{"id":"a"},{"id":"b","n":11,"x":1},{"id":"c","n":7},7,{"n":5.0},{"id":"d","n":null,"meta":{"a":1e1000,"b":"1e9999"}}]}`)
	if fault != "" {
		t.Fatal(fault)
	}
	got := fmt.Sprint(problemOf(in.Body.Many.err(), "body").Errors)
	want := "[{body.many[1].x is not a known field} {body.many[1].n must be at most 10} {body.many[2] must not be seven} " +
		"{body.many[3] must be a JSON object} {body.many[4].id is required}]"
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if items := in.Body.Many.items; len(items) != 6 || items[0].N != 5 || items[4].N != 5 || items[5].ID != "d" || items[5].N != 5 {
		t.Errorf("%+v", items)
	}
	if schema := trialPlan.body[len(trialPlan.body)-1].schema; schema.Items.Ref != schemaPrefix+"TrialItem" {
		t.Errorf("%+v", schema)
	}
}

func TestParametersAreReadStrictly(t *testing.T) {
	for query, want := range map[string]string{
		"":                       "",
		"q=5&wait=30s":           "",
		"wait=30":                "",
		"wait=1.5":               "",
		"wait=1m":                "",
		"q=":                     "[{query.q must be a whole number}]",
		"q=x":                    "[{query.q must be a whole number}]",
		"q=1e0":                  "[{query.q must be a whole number}]",
		"q=1.0":                  "[{query.q must be a whole number}]",
		"q=%2B1":                 "[{query.q must be a whole number}]",
		"q=+1":                   "[{query.q must be a whole number}]",
		"q=01":                   "[{query.q must be a whole number}]",
		"q=-":                    "[{query.q must be a whole number}]",
		"q=0x1":                  "[{query.q must be a whole number}]",
		"q=1_0":                  "[{query.q must be a whole number}]",
		"q=-1":                   "[{query.q must be between 1 and 9}]",
		"q=99999999999999999999": "[{query.q must be a whole number}]",
		"q=0":                    "[{query.q must be between 1 and 9}]",
		"q=1&q=2":                "[{query.q must be given once}]",
		"Q=1":                    "[{query.Q is not a known parameter}]",
		"q=%201":                 "[{query.q must be a whole number}]",
		"q=%zz":                  "[{query is not a valid query string}]",
		"on=1":                   "[{query.on must be true or false}]",
		"wait=hunter2":           "[{query.wait must be a duration like 30s, or seconds}]",
		"wait=NaN":               "[{query.wait must be a duration like 30s, or seconds}]",
		"wait=-1s":               "[{query.wait must be between 0s and 1m0s}]",
		"wait=2m":                "[{query.wait must be between 0s and 1m0s}]",
		"wait=9e99":              "[{query.wait must be a duration like 30s, or seconds}]",
		"%0Ahunter=1":            "[{query.\uFFFDhunter is not a known parameter}]",
		"b=hunter2&a=1":          "[{query.a is not a known parameter} {query.b is not a known parameter}]",
		strings.Repeat("x", 999): "[{query." + strings.Repeat("x", 64) + "… is not a known parameter}]",
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL.RawQuery = query
		r.SetPathValue("id", "7")
		var in trial
		got := ""
		if err := invalid(trialPlan.readParams(r, reflect.ValueOf(&in).Elem())); err != nil {
			got = fmt.Sprint(problemOf(err, "query").Errors)
		}
		if got != want {
			t.Errorf("%.40s\n got %s\nwant %s", query, got, want)
		}
		if want == "" && (in.ID != 7 || !in.On) {
			t.Errorf("%s: %+v", query, in)
		}
	}
}

// No body whatever can end the reading, and what is not told to be wrong keeps to its bounds.
func FuzzReadingABody(f *testing.F) {
	for _, seed := range []string{`{"user":"u"}`, `{"user":"u","n":5,"words":["A"],"said":[{}]}`, `{`, `[]`, `{"user":"u","at":"2026-01-01"}`, `{"user":"u","meta":{"a":null}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		in, fault := readTrial(body)
		if fault != "" {
			return
		}
		b := in.Body
		if memd.CheckID("", string(b.User)) != nil || b.N < 0 || b.N > 10 || b.Share < 0 || b.Share > 1 || (b.Text != "a" && b.Text != "b") {
			t.Errorf("%q was read as %+v", body, b)
		}
		if b.Meta != nil && !json.Valid(b.Meta) {
			t.Errorf("%q: meta is %q", body, b.Meta)
		}
	})
}
