package expr

// to_char of dates and times for the common patterns, after formatting.c
// (REL_18_1, src/backend/utils/adt).

import (
	"fmt"
	"strings"

	"applysim/heap/datum"
	"applysim/model/pgtype"
)

// The patterns that are done, longest first where one begins another.
var datePatterns = []string{"YYYY", "YYY", "YY", "HH24", "HH12", "HH", "MI", "MM", "MS", "US", "SS", "DDD", "DD", "Mon", "MON", "mon",
	"Month", "MONTH", "month", "Day", "DAY", "day", "Dy", "DY", "dy", "IYYY", "IW", "ID", "Q", "AM", "PM", "am", "pm", "D"}

var (
	monthNames = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	dayNames   = []string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
)

// parsePattern cuts a format into patterns and literals (with a NUL in
// front); ok is false where it holds anything that is not done.
func parsePattern(format string) (parts []string, ok bool) {
next:
	for len(format) > 0 {
		if format[0] == '"' {
			end := strings.IndexByte(format[1:], '"')
			if end < 0 || strings.Contains(format[1:1+end], `\`) {
				return nil, false
			}
			parts = append(parts, "\x00"+format[1:1+end])
			format = format[end+2:]
			continue
		}
		if c := format[0]; c < 0x80 && !isAlnum(c) && c != '\\' {
			parts = append(parts, "\x00"+format[:1])
			format = format[1:]
			continue
		}
		if strings.HasPrefix(format, "FM") || strings.HasPrefix(format, "TM") || strings.HasPrefix(format, "FX") {
			return nil, false
		}
		// "T" between date and time is a literal that the server keeps.
		if format[0] == 'T' && !strings.HasPrefix(format, "TZ") && !strings.HasPrefix(format, "TH") {
			parts = append(parts, "\x00T")
			format = format[1:]
			continue
		}
		best := ""
		for _, p := range datePatterns {
			if strings.HasPrefix(format, p) && len(p) > len(best) {
				best = p
			}
		}
		if best != "" {
			rest := format[len(best):]
			if strings.HasPrefix(rest, "TH") || strings.HasPrefix(rest, "th") || strings.HasPrefix(rest, "SP") || best == "SS" && strings.HasPrefix(rest, "SS") {
				return nil, false
			}
			parts = append(parts, best)
			format = rest
			continue next
		}
		return nil, false
	}
	return parts, true
}

func casedName(name, pattern string, width int) string {
	if len(pattern) <= 3 && !strings.EqualFold(pattern, "day") {
		name = name[:3]
	}
	switch {
	case pattern == strings.ToUpper(pattern):
		name = strings.ToUpper(name)
	case pattern == strings.ToLower(pattern):
		name = strings.ToLower(name)
	}
	return fmt.Sprintf("%-*s", width, name)
}

func formatMoment(parts []string, ts int64) string {
	days, usecs := split(ts)
	year, month, day := civil(days)
	isoYear, week, weekday := isoWeek(days)
	if year <= 0 {
		year = 1 - year // the era is a pattern of its own
	}
	hour := usecs / usecsPerHour
	half := hour % 12
	if half == 0 {
		half = 12
	}
	var b strings.Builder
	for _, p := range parts {
		if p[0] == 0 {
			b.WriteString(p[1:])
			continue
		}
		switch p {
		case "YYYY":
			fmt.Fprintf(&b, "%04d", year)
		case "YYY":
			fmt.Fprintf(&b, "%03d", year%1000)
		case "YY":
			fmt.Fprintf(&b, "%02d", year%100)
		case "IYYY":
			fmt.Fprintf(&b, "%04d", isoYear)
		case "MM":
			fmt.Fprintf(&b, "%02d", month)
		case "DD":
			fmt.Fprintf(&b, "%02d", day)
		case "DDD":
			y, _, _ := civil(days)
			fmt.Fprintf(&b, "%03d", days-daysOf(y, 1, 1)+1)
		case "D":
			fmt.Fprintf(&b, "%d", (weekday+1)%7+1)
		case "ID":
			fmt.Fprintf(&b, "%d", weekday+1)
		case "IW":
			fmt.Fprintf(&b, "%02d", week)
		case "Q":
			fmt.Fprintf(&b, "%d", (month-1)/3+1)
		case "HH24":
			fmt.Fprintf(&b, "%02d", hour)
		case "HH12", "HH":
			fmt.Fprintf(&b, "%02d", half)
		case "MI":
			fmt.Fprintf(&b, "%02d", usecs/usecsPerMinute%60)
		case "SS":
			fmt.Fprintf(&b, "%02d", usecs/usecsPerSec%60)
		case "MS":
			fmt.Fprintf(&b, "%03d", usecs%usecsPerSec/1000)
		case "US":
			fmt.Fprintf(&b, "%06d", usecs%usecsPerSec)
		case "AM", "PM", "am", "pm":
			name := "am"
			if hour >= 12 {
				name = "pm"
			}
			if p[0] == 'A' || p[0] == 'P' {
				name = strings.ToUpper(name)
			}
			b.WriteString(name)
		case "Month", "MONTH", "month":
			b.WriteString(casedName(monthNames[month-1], p, 9))
		case "Mon", "MON", "mon":
			b.WriteString(casedName(monthNames[month-1], p, 0))
		case "Day", "DAY", "day":
			b.WriteString(casedName(dayNames[(weekday+1)%7], p, 9))
		default:
			b.WriteString(casedName(dayNames[(weekday+1)%7], p, 0))
		}
	}
	return b.String()
}

func momentToChar(call *callee) evalFunc {
	format := call.args[1]
	if !format.konst || format.value.Null {
		return nil
	}
	parts, ok := parsePattern(string(format.value.Bytes))
	if !ok {
		return nil
	}
	isDate := call.args[0].typ.Base().Kind == pgtype.KindDate
	return call.eval(func(s *Scratch, a []datum.Value) (datum.Value, error) {
		n := int64(a[0].Bits)
		if isDate {
			var err error
			if n, err = dateToTimestamp(n); err != nil {
				return null, err
			}
		}
		if isInfinite(n) || len(parts) == 0 {
			return null, nil
		}
		if year, _, _ := civil(floorDiv(n, usecsPerDay)); year <= 0 || year > 9999 {
			return null, &UnsupportedError{What: "to_char of a year before 1 or after 9999"}
		}
		return s.text(formatMoment(parts, n)), nil
	})
}

var _ = registerSpecial(map[string]func(*callee) evalFunc{
	"timestamp_to_char": momentToChar, "timestamptz_to_char": momentToChar,
})
