package memd

import (
	"strconv"
	"strings"
	"time"
)

// timeLayouts are the forms of a time that callers may send; all but the first
// have no offset and are UTC.
var timeLayouts = []string{
	time.RFC3339Nano,
	"2006-01-02T15:04:05.999999999",
	"2006-01-02T15:04",
	"2006-01-02",
}

// ParseTime reads a time as the contract has it: RFC 3339; a missing offset is
// UTC, a bare date is midnight UTC. A blank may stand for the T. The result is in
// UTC and cut to microseconds, which is what Postgres keeps. Years run from 1 to 9999;
// the first instant of year 1, which stands for no time in many languages, is refused.
// The error is Invalid and names field.
func ParseTime(field, s string) (time.Time, error) {
	t := s
	if len(t) > 10 && t[10] == ' ' {
		t = t[:10] + "T" + t[11:]
	}
	t = strings.ToUpper(t)
	for _, layout := range timeLayouts {
		if parsed, err := time.Parse(layout, t); err == nil {
			parsed = parsed.UTC().Truncate(time.Microsecond)
			if parsed.Year() < 1 || parsed.Year() > 9999 || parsed.IsZero() {
				break
			}
			return parsed, nil
		}
	}
	return time.Time{}, InvalidField(field, "must be a time in RFC 3339")
}

// FormatTime writes a time as every answer does: RFC 3339 in UTC with Z.
func FormatTime(t time.Time) string {
	return t.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)
}

const day = 24 * time.Hour

// ParseSpan reads a duration that is not negative: Go's form, and days before it ("30m",
// "7d", "1d12h"). What is more than nothing and less than a millisecond is refused: what is
// kept of it could be nothing, which means never. The error is Invalid and names field.
func ParseSpan(field, s string) (time.Duration, error) {
	invalid := InvalidField(field, "must be a duration like 30m or 7d")
	var days time.Duration
	if n, rest, ok := strings.Cut(s, "d"); ok {
		count, err := strconv.ParseUint(n, 10, 16) // up to 179 years
		if err != nil {
			return 0, invalid
		}
		days = time.Duration(count) * day
		if rest == "" {
			return days, nil
		}
		s = rest
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 || days+d < days || days+d > 0 && days+d < time.Millisecond {
		return 0, invalid
	}
	return days + d, nil
}

// FormatSpan writes a duration as ParseSpan reads it, in days where it has any.
func FormatSpan(d time.Duration) string {
	days := ""
	if d >= day {
		days = strconv.FormatInt(int64(d/day), 10) + "d"
		if d %= day; d == 0 {
			return days
		}
	}
	rest := d.String()
	if strings.HasSuffix(rest, "m0s") {
		rest = strings.TrimSuffix(rest, "0s")
	}
	if strings.HasSuffix(rest, "h0m") {
		rest = strings.TrimSuffix(rest, "0m")
	}
	return days + rest
}
