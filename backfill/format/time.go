package format

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memdhq/memd"
)

// localLayouts are forms of a time that say nothing of where.
var localLayouts = []string{
	"2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02",
	"2006/01/02 15:04:05", "2006/01/02 15:04", "2006/01/02",
	"Jan 2, 2006 15:04:05", "Jan 2, 2006 3:04:05 PM", "Jan 2, 2006, 3:04:05 PM", "Jan 2, 2006 3:04 PM", "Jan 2, 2006", "2 Jan 2006 15:04:05", "2 Jan 2006",
	time.ANSIC,
}

// placedLayouts are forms that say where.
var placedLayouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999 Z0700",
	"2006-01-02T15:04:05.999999999 UTC", time.RFC1123Z, time.RFC1123, time.UnixDate}

// readTime reads a time as programs write it: RFC 3339 and its likes, other common forms, and
// seconds, milliseconds, microseconds or nanoseconds since 1970. Where it does not say where, it is of
// place. zone is the IANA name of the zone, "" for UTC or what is not known.
func readTime(text string, place *time.Location) (t time.Time, zone string, ok bool) {
	text = strings.TrimSpace(text)
	if text == "" {
		return t, "", false
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return epoch(n)
	}
	if len(text) > 10 && text[10] == ' ' && text[4] == '-' {
		text = text[:10] + "T" + text[11:]
	}
	upper := strings.ToUpper(text)
	for _, layout := range placedLayouts {
		for _, s := range []string{text, upper} {
			if t, err := time.Parse(layout, s); err == nil {
				return within(t, zoneAt(t))
			}
		}
	}
	for _, layout := range localLayouts {
		if t, err := time.ParseInLocation(layout, text, place); err == nil {
			return within(t, zoneName(place))
		}
	}
	return time.Time{}, "", false
}

// leastEpoch is how many seconds since 1970 a number has to count at least, 1973: smaller ones
// are years, days written together (20240301) and days of a table's own count.
const leastEpoch = 1e8

// epoch reads a number as a time; what it counts is told by its size.
func epoch(n float64) (time.Time, string, bool) {
	if math.IsNaN(n) || n < leastEpoch || n >= 1e20 { // nanoseconds until the year 5138
		return time.Time{}, "", false
	}
	for n >= 1e11 { // seconds until then
		n /= 1e3
	}
	seconds, rest := math.Modf(n)
	return within(time.Unix(int64(seconds), int64(math.Round(rest*1e6))*1000), "")
}

// within refuses what memd takes for no time. A store keeps microseconds.
func within(t time.Time, zone string) (time.Time, string, bool) {
	if t = t.UTC().Truncate(time.Microsecond); t.Year() < 1 || t.Year() > 9999 || t.IsZero() {
		return time.Time{}, "", false
	}
	return t, zone, true
}

// noTimes are what programs write where they know of no time.
var noTimes = []string{"", "0", "0.0", "none", "null", "nil", "nan", "nat", "n/a", "-"}

// isNoTime says of a text that it stands for no time: nothing, zero, or the zero of a language or a database.
func isNoTime(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	return slices.Contains(noTimes, text) || strings.HasPrefix(text, "0000-00-00") || strings.HasPrefix(text, "0001-01-01t00:00:00") || strings.HasPrefix(text, "0001-01-01 00:00:00")
}

// unreadTime is why something is set aside that was said nobody can tell when: it must not come to
// stand at another's time, or at now.
const unreadTime = "a time that cannot be read"

// firstTime gives the first of some members that is a time. Where none is and one should be, fault says so.
func firstTime(place *time.Location, all ...instant) (t time.Time, zone, fault string) {
	for _, i := range all {
		at, of, ok := i.read(place)
		switch {
		case ok:
			return at, of, ""
		case i.isOdd():
			fault = unreadTime
		}
	}
	return time.Time{}, "", fault
}

// zoneName is a zone as memd takes it.
func zoneName(place *time.Location) string {
	switch name := place.String(); name {
	case "UTC", "Local", "":
		return ""
	default:
		return name
	}
}

// unevenZones have had one and the same offset for long, which is none of whole hours.
var unevenZones = map[int]string{
	-9*60 - 30: "Pacific/Marquesas", 3*60 + 30: "Asia/Tehran", 4*60 + 30: "Asia/Kabul", 5*60 + 30: "Asia/Kolkata",
	5*60 + 45: "Asia/Kathmandu", 6*60 + 30: "Asia/Yangon", 8*60 + 45: "Australia/Eucla", 9*60 + 30: "Australia/Darwin",
}

// zoneAt is a zone that has the offset of a time, "" for UTC and where there is none.
func zoneAt(t time.Time) string {
	_, offset := t.Zone()
	minutes := offset / 60
	switch {
	case offset == 0 || offset%60 != 0:
		return ""
	case minutes%60 == 0 && minutes >= -12*60 && minutes <= 14*60:
		return fmt.Sprintf("Etc/GMT%+d", -minutes/60) // the signs there are the other way round
	}
	return unevenZones[minutes]
}

// plainText gives a string or a number as text, "" for anything else.
func plainText(raw json.RawMessage) string {
	raw = trimSpace(raw)
	if len(raw) == 0 {
		return ""
	}
	switch c := raw[0]; {
	case c == '"':
		var s string
		_ = json.Unmarshal(raw, &s)
		return s
	case c == '-' || c >= '0' && c <= '9':
		return string(raw)
	}
	return ""
}

// text is a member that may be a string, a number or null.
type text string

// UnmarshalJSON takes what is none of them for nothing.
func (t *text) UnmarshalJSON(raw []byte) error {
	*t = text(plainText(raw))
	return nil
}

// instant is a member that is a time in whatever form.
type instant json.RawMessage

// UnmarshalJSON keeps it for later.
func (i *instant) UnmarshalJSON(raw []byte) error {
	*i = append((*i)[:0], raw...)
	return nil
}

func (i instant) read(place *time.Location) (time.Time, string, bool) {
	text := i.text()
	if isNoTime(text) {
		return time.Time{}, "", false
	}
	return readTime(text, place)
}

// isOdd says of one that is not read that it is not nothing either.
func (i instant) isOdd() bool {
	raw := trimSpace(json.RawMessage(i))
	return len(raw) > 0 && string(raw) != "null" && string(raw) != "{}" && (raw[0] != '"' && plainText(raw) == "" && i.text() == "" || !isNoTime(i.text()))
}

// text is the time as it stands: as a string or a number, or within what databases wrap it in.
func (i instant) text() string {
	raw := trimSpace(json.RawMessage(i))
	if len(raw) == 0 || raw[0] != '{' {
		return plainText(raw)
	}
	var wrapped struct {
		Date    json.RawMessage `json:"$date"` // MongoDB
		Long    text            `json:"$numberLong"`
		Seconds text            `json:"_seconds"` // Firestore
	}
	if json.Unmarshal(raw, &wrapped) != nil {
		return ""
	}
	if len(wrapped.Date) > 0 {
		return instant(wrapped.Date).text()
	}
	return string(cmp.Or(wrapped.Long, wrapped.Seconds))
}

// idOf gives an id as memd takes it, "" if it is none.
func idOf(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || memd.CheckID("id", s) != nil {
		return ""
	}
	return s
}
