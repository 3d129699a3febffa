package expr

// After timestamp.c and date.c (REL_18_1, src/backend/utils/adt), TimeZone UTC.

import (
	"errors"
	"math"

	"applysim/heap/datum"
)

// addSpan is timestamp + interval: months first, then days, then the rest.
func addSpan(ts int64, i span) (int64, error) {
	switch {
	case i.infinite():
		inf := int64(infinity)
		if i == spanNegInfinity {
			inf = negInfinity
		}
		if isInfinite(ts) && ts != inf {
			return 0, errTimestampRange
		}
		return inf, nil
	case isInfinite(ts):
		return ts, nil
	}
	days, usecs := split(ts)
	if i.months != 0 {
		year, month, day := civil(days)
		month += int64(i.months)
		year += floorDiv(month-1, 12)
		month -= floorDiv(month-1, 12) * 12
		days = daysOf(year, month, min(day, daysIn(year, month)))
	}
	days += int64(i.days)
	if days > timestampEnd/usecsPerDay || days < timestampMin/usecsPerDay-1 {
		return 0, errTimestampRange
	}
	base := days*usecsPerDay + usecs
	sum := base + i.usecs
	if (sum < base) != (i.usecs < 0) || !validTimestamp(sum) {
		return 0, errTimestampRange
	}
	return sum, nil
}

func (i span) negate() (span, error) {
	switch i {
	case spanInfinity:
		return spanNegInfinity, nil
	case spanNegInfinity:
		return spanInfinity, nil
	}
	if i.usecs == math.MinInt64 || i.days == math.MinInt32 || i.months == math.MinInt32 {
		return i, errIntervalRange
	}
	r := span{-i.usecs, -i.days, -i.months}
	if r.infinite() {
		return i, errIntervalRange
	}
	return r, nil
}

func (i span) add(j span) (span, error) {
	switch {
	case i.infinite() && j.infinite():
		if i != j {
			return i, errIntervalRange
		}
		return i, nil
	case i.infinite():
		return i, nil
	case j.infinite():
		return j, nil
	}
	usecs, days, months := i.usecs+j.usecs, int64(i.days)+int64(j.days), int64(i.months)+int64(j.months)
	r := span{usecs, int32(days), int32(months)}
	if (usecs < i.usecs) != (j.usecs < 0) || days != int64(r.days) || months != int64(r.months) || r.infinite() {
		return r, errIntervalRange
	}
	return r, nil
}

// tsround takes the noise of floating point off: six digits.
func tsround(f float64) float64 { return math.RoundToEven(f*1000000) / 1000000 }

// scale multiplies by a number; what is left of months goes to days, what is
// left of days to the time.
func (i span) scale(by func(f float64) float64) (span, error) {
	fits := func(f float64) bool { return f == f && f >= math.MinInt32 && f < -math.MinInt32 }
	month, day := by(float64(i.months)), by(float64(i.days))
	if !fits(month) || !fits(day) {
		return i, errIntervalRange
	}
	r := span{months: int32(month), days: int32(day)}
	monthDays := tsround(float64(float64(month-float64(r.months)) * 30))
	secs := tsround(float64(float64(float64(day-float64(r.days))+monthDays-float64(int32(monthDays))) * 86400))
	days := int64(r.days)
	if math.Abs(secs) >= 86400 {
		whole := int64(secs / 86400)
		days += whole
		secs -= float64(whole * 86400)
	}
	days += int64(int32(monthDays))
	usecs := math.RoundToEven(float64(by(float64(i.usecs))) + float64(secs*usecsPerSec))
	if days != int64(int32(days)) || usecs != usecs || usecs < math.MinInt64 || usecs >= -math.MinInt64 {
		return i, errIntervalRange
	}
	r.days, r.usecs = int32(days), int64(usecs)
	if r.infinite() {
		return i, errIntervalRange
	}
	return r, nil
}

func mulSpan(s *Scratch, v datum.Value, f float64) (datum.Value, error) {
	i := spanOf(v)
	if i.infinite() || math.IsInf(f, 0) {
		return null, &UnsupportedError{What: "arithmetic with infinite intervals"}
	}
	r, err := i.scale(func(x float64) float64 { return x * f })
	if err != nil {
		return null, err
	}
	return s.interval(r), nil
}

// momentFn makes a function of a timestamp and an interval.
func momentFn(ts, iv int, minus, date bool) impl {
	return func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		i := spanOf(a[iv])
		var err error
		if minus {
			if i, err = i.negate(); err != nil {
				return null, err
			}
		}
		n := int64(a[ts].Bits)
		if date {
			if n, err = dateToTimestamp(n); err != nil {
				return null, err
			}
		}
		n, err = addSpan(n, i)
		return datum.Value{Bits: uint64(n)}, err
	}
}

func timestampDiff(s *Scratch, a []datum.Value) (datum.Value, error) {
	x, y := int64(a[0].Bits), int64(a[1].Bits)
	if isInfinite(x) || isInfinite(y) {
		switch {
		case x == y:
			return null, errIntervalRange
		case x == infinity || y == negInfinity:
			return s.interval(spanInfinity), nil
		}
		return s.interval(spanNegInfinity), nil
	}
	d := x - y
	if (d > x) != (y < 0) {
		return null, errIntervalRange
	}
	return s.interval(span{usecs: d % usecsPerDay, days: int32(d / usecsPerDay)}), nil
}

func dateShift(sign int64, d, n int) impl {
	return func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		days := int64(a[d].Bits)
		if days == dateInf || days == dateNegInf {
			return a[d], nil
		}
		days += sign * int64(int32(a[n].Bits))
		if days < dateMin || days >= dateEnd {
			return null, errDateRange
		}
		return datum.Value{Bits: uint64(days)}, nil
	}
}

func timeShift(t, iv int, sign int64) impl {
	return func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		i := spanOf(a[iv])
		if i.infinite() {
			verb := "add"
			if sign < 0 {
				verb = "subtract"
			}
			return null, errors.New("cannot " + verb + " infinite interval " + map[string]string{"add": "to", "subtract": "from"}[verb] + " time")
		}
		_, usecs := split(int64(a[t].Bits) + sign*(i.usecs%usecsPerDay))
		return datum.Value{Bits: uint64(usecs)}, nil
	}
}

// age is the difference in years, months, days and time.
func age(s *Scratch, a []datum.Value) (datum.Value, error) {
	x, y := int64(a[0].Bits), int64(a[1].Bits)
	if isInfinite(x) || isInfinite(y) {
		return timestampDiff(s, a)
	}
	flip := x < y
	if flip {
		x, y = y, x
	}
	xd, xu := split(x)
	yd, yu := split(y)
	y1, m1, d1 := civil(xd)
	y2, m2, d2 := civil(yd)
	years, months, days, usecs := y1-y2, m1-m2, d1-d2, xu-yu
	if usecs < 0 {
		usecs += usecsPerDay
		days--
	}
	for days < 0 {
		days += daysIn(y2, m2)
		months--
	}
	for months < 0 {
		months += 12
		years--
	}
	r := span{usecs, int32(days), int32(years*12 + months)}
	if flip {
		r = span{-r.usecs, -r.days, -r.months}
	}
	return s.interval(r), nil
}

func makeDate(_ *Scratch, a []datum.Value) (datum.Value, error) {
	days, err := dateOf(argInt(a[0]), argInt(a[1]), argInt(a[2]))
	return datum.Value{Bits: uint64(days)}, err
}

func makeTimestamp(_ *Scratch, a []datum.Value) (datum.Value, error) {
	days, err := dateOf(argInt(a[0]), argInt(a[1]), argInt(a[2]))
	h, m, sec := argInt(a[3]), argInt(a[4]), f8(a[5])
	if err != nil || h < 0 || h > 23 || m < 0 || m > 59 || sec < 0 || sec >= 60 || sec != sec {
		return null, &UnsupportedError{What: "make_timestamp of fields out of range"}
	}
	n := days*usecsPerDay + int64(h)*usecsPerHour + int64(m)*usecsPerMinute + int64(math.RoundToEven(sec*usecsPerSec))
	return timestampValue(n)
}

func toTimestamp(_ *Scratch, a []datum.Value) (datum.Value, error) {
	f := f8(a[0])
	const epoch = 946684800 // seconds from 1970 to 2000
	switch {
	case f != f:
		return null, errors.New("timestamp cannot be NaN")
	case math.IsInf(f, 1):
		return datum.Value{Bits: uint64(infinity)}, nil
	case math.IsInf(f, -1):
		return datum.Value{Bits: 1 << 63}, nil
	}
	n := math.RoundToEven(float64((f - epoch) * usecsPerSec))
	if n < timestampMin || n >= timestampEnd {
		return null, &UnsupportedError{What: "to_timestamp of a number out of range"}
	}
	return datum.Value{Bits: uint64(int64(n))}, nil
}

func spanFn(f func(i, j span) (span, error)) impl {
	return func(s *Scratch, a []datum.Value) (datum.Value, error) {
		var j span
		if len(a) > 1 {
			j = spanOf(a[1])
		}
		r, err := f(spanOf(a[0]), j)
		if err != nil {
			return null, err
		}
		return s.interval(r), nil
	}
}

var _ = register(map[string]impl{
	"timestamp_pl_interval": momentFn(0, 1, false, false), "timestamptz_pl_interval": momentFn(0, 1, false, false),
	"timestamp_mi_interval": momentFn(0, 1, true, false), "timestamptz_mi_interval": momentFn(0, 1, true, false),
	"date_pl_interval": momentFn(0, 1, false, true), "date_mi_interval": momentFn(0, 1, true, true),
	"sql_interval_pl_date":      momentFn(1, 0, false, true),
	"sql_interval_pl_timestamp": momentFn(1, 0, false, false), "sql_interval_pl_timestamptz": momentFn(1, 0, false, false),
	"timestamp_mi": timestampDiff, "timestamp_age": age, "timestamptz_age": age,
	"date_pli": dateShift(1, 0, 1), "date_mii": dateShift(-1, 0, 1), "sql_integer_pl_date": dateShift(1, 1, 0),
	"date_mi": func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		x, y := int64(a[0].Bits), int64(a[1].Bits)
		if x == dateInf || x == dateNegInf || y == dateInf || y == dateNegInf {
			return null, errors.New("cannot subtract infinite dates")
		}
		return datum.Value{Bits: uint64(x - y)}, nil
	},
	"time_pl_interval": timeShift(0, 1, 1), "time_mi_interval": timeShift(0, 1, -1), "sql_interval_pl_time": timeShift(1, 0, 1),
	"time_mi_time": func(s *Scratch, a []datum.Value) (datum.Value, error) {
		return s.interval(span{usecs: int64(a[0].Bits) - int64(a[1].Bits)}), nil
	},
	"interval_pl": spanFn(span.add),
	"interval_mi": spanFn(func(i, j span) (span, error) {
		j, err := j.negate()
		if err != nil {
			return i, err
		}
		return i.add(j)
	}),
	"interval_um":  spanFn(func(i, _ span) (span, error) { return i.negate() }),
	"interval_mul": func(s *Scratch, a []datum.Value) (datum.Value, error) { return mulSpan(s, a[0], f8(a[1])) },
	"interval_div": func(s *Scratch, a []datum.Value) (datum.Value, error) {
		f := f8(a[1])
		if f == 0 {
			return null, errDivZero
		}
		i := spanOf(a[0])
		if i.infinite() || math.IsInf(f, 0) || f != f {
			return null, &UnsupportedError{What: "arithmetic with infinite intervals"}
		}
		r, err := i.scale(func(x float64) float64 { return x / f })
		if err != nil {
			return null, err
		}
		return s.interval(r), nil
	},
	"mul_d_interval": func(s *Scratch, a []datum.Value) (datum.Value, error) {
		return mulSpan(s, a[1], f8(a[0]))
	},
	"make_date": makeDate, "make_timestamp": makeTimestamp, "make_timestamptz": makeTimestamp, "float8_timestamptz": toTimestamp,
	"datetime_timestamp": func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		n, err := dateToTimestamp(int64(a[0].Bits))
		if err != nil || isInfinite(n) {
			return datum.Value{Bits: uint64(n)}, err
		}
		return timestampValue(n + int64(a[1].Bits))
	},
	"timestamp_finite": func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		return boolean(!isInfinite(int64(a[0].Bits))), nil
	},
	"date_finite": func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		n := int64(a[0].Bits)
		return boolean(n != dateInf && n != dateNegInf), nil
	},
	"timestamp_at_local": sameArg, "timestamptz_at_local": sameArg,
})

func sameArg(_ *Scratch, a []datum.Value) (datum.Value, error) { return a[0], nil }

// dateOf checks and counts a date; a negative year is BC.
func dateOf(year, month, day int) (int64, error) {
	y := int64(year)
	if year < 0 {
		y++
	}
	if year == 0 || month < 1 || month > 12 || day < 1 || int64(day) > daysIn(y, int64(month)) {
		return 0, &UnsupportedError{What: "date field value out of range"}
	}
	n := daysOf(y, int64(month), int64(day))
	if n < dateMin || n >= dateEnd {
		return 0, &UnsupportedError{What: "date out of range"}
	}
	return n, nil
}
