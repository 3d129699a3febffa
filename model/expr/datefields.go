package expr

// date_trunc, extract, date_part and AT TIME ZONE, after timestamp.c and
// date.c (REL_18_1, src/backend/utils/adt).

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"applysim/heap/datum"
	"applysim/model/pgtype"
)

// fieldNames gives the spellings that the server knows of a field.
var fieldNames = map[string]string{
	"microsecond": "microseconds", "microseconds": "microseconds", "us": "microseconds", "usec": "microseconds", "usecs": "microseconds",
	"millisecond": "milliseconds", "milliseconds": "milliseconds", "ms": "milliseconds", "msec": "milliseconds", "msecs": "milliseconds",
	"second": "second", "seconds": "second", "sec": "second", "secs": "second", "s": "second",
	"minute": "minute", "minutes": "minute", "min": "minute", "mins": "minute", "m": "minute",
	"hour": "hour", "hours": "hour", "hr": "hour", "hrs": "hour", "h": "hour",
	"day": "day", "days": "day", "d": "day", "week": "week", "weeks": "week", "w": "week",
	"month": "month", "months": "month", "mon": "month", "mons": "month", "qtr": "quarter", "quarter": "quarter",
	"year": "year", "years": "year", "y": "year", "yr": "year", "yrs": "year",
	"decade": "decade", "decades": "decade", "dec": "decade", "decs": "decade",
	"century": "century", "centuries": "century", "cent": "century", "c": "century",
	"millennium": "millennium", "millennia": "millennium", "mil": "millennium", "mils": "millennium",
	"dow": "dow", "doy": "doy", "isodow": "isodow", "isoyear": "isoyear", "epoch": "epoch", "julian": "julian",
	"timezone": "timezone", "timezone_h": "timezone_hour", "timezone_hour": "timezone_hour", "timezone_m": "timezone_minute",
	"timezone_minute": "timezone_minute",
}

func fieldOf(v datum.Value) string { return fieldNames[foldASCII(string(v.Bytes))] }

func fieldError(v datum.Value, t *pgtype.Type) error {
	text := foldASCII(string(v.Bytes))
	if fieldNames[text] != "" {
		return fmt.Errorf("unit \"%s\" not supported for type %s", text, t.Name)
	}
	return fmt.Errorf("unit \"%s\" not recognized for type %s", text, t.Name)
}

// isoWeek gives the ISO year and week of a day, and the day (0 Monday) within
// the week. 2000-01-01 was a Saturday.
func isoWeek(days int64) (year, week, weekday int64) {
	weekday = (days + 5) - floorDiv(days+5, 7)*7
	thursday := days - weekday + 3
	year, _, _ = civil(thursday)
	return year, (thursday-daysOf(year, 1, 1))/7 + 1, weekday
}

func truncMoment(field string, n int64) (int64, bool) {
	days, usecs := split(n)
	year, month, _ := civil(days)
	unit := int64(0)
	switch field {
	case "microseconds":
		return n, true
	case "milliseconds":
		unit = 1000
	case "second":
		unit = usecsPerSec
	case "minute":
		unit = usecsPerMinute
	case "hour":
		unit = usecsPerHour
	case "day":
		unit = usecsPerDay
	case "week":
		_, _, weekday := isoWeek(days)
		return (days - weekday) * usecsPerDay, true
	case "month":
		return daysOf(year, month, 1) * usecsPerDay, true
	case "quarter":
		return daysOf(year, month-(month-1)%3, 1) * usecsPerDay, true
	case "year", "decade", "century", "millennium":
		switch span := map[string]int64{"century": 100, "millennium": 1000}[field]; {
		case field == "decade":
			// A decade starts with a year divisible by ten; before the year 0
			// they are counted as the server does.
			year = floorDiv(year, 10) * 10
		case span > 0:
			year = floorDiv(year-1, span)*span + 1
		}
		return daysOf(year, 1, 1) * usecsPerDay, true
	default:
		return 0, false
	}
	return days*usecsPerDay + usecs/unit*unit, true
}

func dateTrunc(t *pgtype.Type) impl {
	return func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		field := fieldOf(a[0])
		n := int64(a[1].Bits)
		r, ok := truncMoment(field, n)
		if !ok {
			return null, fieldError(a[0], t)
		}
		if isInfinite(n) {
			return a[1], nil
		}
		return timestampValue(r)
	}
}

// fieldValue computes a field of a timestamp as a number with a scale: value
// / 10^scale.
func fieldValue(field string, n int64) (value int64, scale int, ok bool) {
	days, usecs := split(n)
	year, month, day := civil(days)
	switch field {
	case "microseconds":
		return usecs % usecsPerMinute, 0, true
	case "milliseconds":
		return usecs % usecsPerMinute, 3, true
	case "second":
		return usecs % usecsPerMinute, 6, true
	case "minute":
		return usecs / usecsPerMinute % 60, 0, true
	case "hour":
		return usecs / usecsPerHour, 0, true
	case "day":
		return day, 0, true
	case "month":
		return month, 0, true
	case "quarter":
		return (month-1)/3 + 1, 0, true
	case "week":
		_, week, _ := isoWeek(days)
		return week, 0, true
	case "year":
		if year <= 0 {
			year-- // there is no year 0
		}
		return year, 0, true
	case "decade":
		return floorDiv(year, 10), 0, true
	case "century", "millennium":
		span := map[string]int64{"century": 100, "millennium": 1000}[field]
		if year > 0 {
			return (year + span - 1) / span, 0, true
		}
		return -((span - 1 - (year - 1)) / span), 0, true
	case "isoyear":
		y, _, _ := isoWeek(days)
		if y <= 0 {
			y--
		}
		return y, 0, true
	case "dow", "isodow":
		_, _, weekday := isoWeek(days)
		if field == "dow" {
			return (weekday + 1) % 7, 0, true
		}
		return weekday + 1, 0, true
	case "doy":
		return days - daysOf(year, 1, 1) + 1, 0, true
	}
	return 0, 0, false
}

const epochSeconds = 946684800 // from 1970-01-01 to 2000-01-01

// extractField makes extract (numeric) and date_part (double precision) of a
// moment type.
func extractField(t *pgtype.Type, asFloat bool) impl {
	return func(s *Scratch, a []datum.Value) (datum.Value, error) {
		field := fieldOf(a[0])
		n := int64(a[1].Bits)
		if t.Kind == pgtype.KindDate {
			if !asFloat && (field == "microseconds" || field == "milliseconds" || field == "second" || field == "minute" || field == "hour") {
				return null, fieldError(a[0], t)
			}
			var err error
			if n, err = dateToTimestamp(n); err != nil {
				return null, &UnsupportedError{What: "field of a date beyond the timestamps"}
			}
		}
		var value int64
		var scale int
		ok := true
		switch {
		case field == "epoch":
			value, scale = n, 6
			if t.Kind == pgtype.KindDate && !asFloat {
				value, scale = n/usecsPerSec, 0
			}
		case field == "julian", field == "":
			ok = false
			if field == "julian" {
				return null, &UnsupportedError{What: "field julian"}
			}
		case strings.HasPrefix(field, "timezone"):
			if ok = t.Kind == pgtype.KindTimestampTZ; !ok {
				return null, fieldError(a[0], t)
			}
		default:
			if isInfinite(n) {
				value, scale, ok = fieldValue(field, 0)
			} else {
				value, scale, ok = fieldValue(field, n)
			}
		}
		if !ok {
			return null, fieldError(a[0], t)
		}
		if isInfinite(n) {
			switch field {
			case "epoch", "year", "decade", "century", "millennium", "isoyear":
				if asFloat {
					return float(math.Inf(int(n>>63 | 1))), nil
				}
				return signed(int(n>>63 | 1)).store(s)
			}
			return null, nil
		}
		if field == "epoch" {
			return epochOf(s, value, scale, asFloat)
		}
		return scaled(s, value, scale, asFloat)
	}
}

func epochOf(s *Scratch, value int64, scale int, asFloat bool) (datum.Value, error) {
	if asFloat {
		// The server divides the sum, so that it rounds once.
		return float((float64(value) - -epochSeconds*usecsPerSec) / usecsPerSec), nil
	}
	d := decimalOf(value)
	d.scale = scale
	return addDecimal(d, decimalOf(epochSeconds)).store(s)
}

func scaled(s *Scratch, value int64, scale int, asFloat bool) (datum.Value, error) {
	if asFloat {
		return float(float64(value) / math.Pow10(scale)), nil
	}
	d := decimalOf(value)
	d.scale = scale
	return d.store(s)
}

// extractSpan and extractClock are the same for interval and time.
func extractSpan(asFloat bool) impl {
	t := pgtype.Lookup("interval")
	return func(s *Scratch, a []datum.Value) (datum.Value, error) {
		i := spanOf(a[1])
		field := fieldOf(a[0])
		if i.infinite() {
			return null, &UnsupportedError{What: "field of an infinite interval"}
		}
		usecs, months := i.usecs, int64(i.months)
		switch field {
		case "microseconds":
			return scaled(s, usecs%usecsPerMinute, 0, asFloat)
		case "milliseconds":
			return scaled(s, usecs%usecsPerMinute, 3, asFloat)
		case "second":
			return scaled(s, usecs%usecsPerMinute, 6, asFloat)
		case "minute":
			return scaled(s, usecs/usecsPerMinute%60, 0, asFloat)
		case "hour":
			return scaled(s, usecs/usecsPerHour, 0, asFloat)
		case "day":
			return scaled(s, int64(i.days), 0, asFloat)
		case "month":
			return scaled(s, months%12, 0, asFloat)
		case "year":
			return scaled(s, months/12, 0, asFloat)
		case "epoch":
			days := months/12*1461 + months%12*120 + int64(i.days)*4 // quarters of days
			secs := days * (86400 / 4)
			if asFloat {
				return float(float64(usecs)/usecsPerSec + float64(float64(months/12)*31557600) + float64(float64(months%12)*2592000) + float64(float64(i.days)*86400)), nil
			}
			d := decimalOf(secs)
			u := decimalOf(usecs)
			u.scale = 6
			return addDecimal(d, u).store(s)
		case "":
			return null, fieldError(a[0], t)
		}
		return null, &UnsupportedError{What: "field " + field + " of an interval"}
	}
}

func extractClock(asFloat bool) impl {
	t := pgtype.Lookup("time")
	return func(s *Scratch, a []datum.Value) (datum.Value, error) {
		n := int64(a[1].Bits)
		switch field := fieldOf(a[0]); field {
		case "microseconds", "milliseconds", "second", "minute":
			value, scale, _ := fieldValue(field, n)
			return scaled(s, value, scale, asFloat)
		case "hour":
			return scaled(s, n/usecsPerHour, 0, asFloat)
		case "epoch":
			return scaled(s, n, 6, asFloat)
		}
		return null, fieldError(a[0], t)
	}
}

// zoneOf finds a time zone by name; fixed offsets are seconds east.
func zoneOf(name string) (loc *time.Location, err error) {
	switch strings.ToUpper(name) {
	case "UTC", "GMT", "Z", "ZULU", "UCT", "ETC/UTC", "ETC/GMT":
		return time.UTC, nil
	}
	// Without a slash it may be an abbreviation, whose meaning is a setting.
	if strings.Contains(name, "/") && !strings.Contains(name, "..") {
		if loc, err := time.LoadLocation(name); err == nil {
			return loc, nil
		}
	}
	// A bare offset is in the way of POSIX: positive is west.
	if len(name) > 1 && (name[0] == '+' || name[0] == '-') {
		h, m, _ := strings.Cut(name[1:], ":")
		hours, err1 := strconv.Atoi(h)
		minutes := 0
		var err2 error
		if m != "" {
			minutes, err2 = strconv.Atoi(m)
		}
		if err1 == nil && err2 == nil && len(h) <= 2 && hours < 16 && minutes < 60 {
			secs := hours*3600 + minutes*60
			if name[0] == '+' {
				secs = -secs
			}
			return time.FixedZone(name, secs), nil
		}
	}
	return nil, &UnsupportedError{What: "time zone " + name}
}

func unixOf(ts int64) time.Time {
	return time.Unix(floorDiv(ts, usecsPerSec)+epochSeconds, 0).UTC()
}

// toZone gives the local time of an instant.
func toZone(ts int64, loc *time.Location) (int64, error) {
	if isInfinite(ts) {
		return ts, nil
	}
	_, east := unixOf(ts).In(loc).Zone()
	r := ts + int64(east)*usecsPerSec
	if !validTimestamp(r) {
		return 0, errTimestampRange
	}
	return r, nil
}

// fromZone gives the instant of a local time. In a gap or an overlap of clock
// changes standard time counts.
func fromZone(ts int64, loc *time.Location) (int64, error) {
	if isInfinite(ts) {
		return ts, nil
	}
	// The offsets in force well before and after decide.
	_, before := unixOf(ts - usecsPerDay).In(loc).Zone()
	_, after := unixOf(ts + usecsPerDay).In(loc).Zone()
	r := ts - int64(before)*usecsPerSec
	if before != after {
		_, x := unixOf(ts - int64(before)*usecsPerSec).In(loc).Zone()
		_, y := unixOf(ts - int64(after)*usecsPerSec).In(loc).Zone()
		switch okBefore, okAfter := x == before, y == after; {
		case okBefore && okAfter, !okBefore && !okAfter:
			// Ambiguous or skipped: the offset of standard time, the lesser one.
			r = ts - int64(min(before, after))*usecsPerSec
		case okAfter:
			r = ts - int64(after)*usecsPerSec
		}
	}
	if !validTimestamp(r) {
		return 0, errTimestampRange
	}
	return r, nil
}

// atTimeZone is timezone(zone, timestamp): local says that the argument is a
// local time.
func atTimeZone(local bool) func(*callee) evalFunc {
	convert := toZone
	if local {
		convert = fromZone
	}
	return func(call *callee) evalFunc {
		var fixed *time.Location
		if z := call.args[0]; z.konst && !z.value.Null {
			var err error
			if fixed, err = zoneOf(string(z.value.Bytes)); err != nil {
				panic(bail{err})
			}
		}
		return call.eval(func(_ *Scratch, a []datum.Value) (datum.Value, error) {
			loc := fixed
			if loc == nil {
				var err error
				if loc, err = zoneOf(string(a[0].Bytes)); err != nil {
					return null, err
				}
			}
			n, err := convert(int64(a[1].Bits), loc)
			return datum.Value{Bits: uint64(n)}, err
		})
	}
}

// atInterval is the same with the zone given as an interval.
func atInterval(sign int64) impl {
	return func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		i := spanOf(a[0])
		if i.months != 0 || i.days != 0 {
			return null, fmt.Errorf("interval time zone \"%s\" must not include months or days", pgtype.Lookup("interval").Text(a[0]))
		}
		n := int64(a[1].Bits)
		if isInfinite(n) {
			return a[1], nil
		}
		return timestampValue(n + sign*(i.usecs/usecsPerSec*usecsPerSec))
	}
}

var _ = register(map[string]impl{
	"timestamp_trunc": dateTrunc(typeTimestamp), "timestamptz_trunc": dateTrunc(typeTimestampTZ),
	"extract_timestamp": extractField(typeTimestamp, false), "extract_timestamptz": extractField(typeTimestampTZ, false),
	"timestamp_part": extractField(typeTimestamp, true), "timestamptz_part": extractField(typeTimestampTZ, true),
	"extract_date": extractField(pgtype.Lookup("date"), false), "sql_date_part": extractField(pgtype.Lookup("date"), true),
	"extract_interval": extractSpan(false), "interval_part": extractSpan(true),
	"extract_time": extractClock(false), "time_part": extractClock(true),
	"timestamp_izone": atInterval(-1), "timestamptz_izone": atInterval(1),
})

var _ = registerSpecial(map[string]func(*callee) evalFunc{
	"timestamp_zone": atTimeZone(true), "timestamptz_zone": atTimeZone(false),
})
