package pgtype

// After src/backend/utils/adt/datetime.c (DecodeInterval) and timestamp.c,
// reduced to what a server in IntervalStyle postgres prints.

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"applysim/heap/datum"
)

// span is an interval: it is stored as microseconds (8 bytes), days (4) and
// months (4), none of which is carried over into another.
type span struct {
	usecs        int64
	days, months int32
}

func (s span) append(scratch []byte) (datum.Value, []byte) {
	start := len(scratch)
	scratch = le.AppendUint64(scratch, uint64(s.usecs))
	scratch = le.AppendUint32(scratch, uint32(s.days))
	scratch = le.AppendUint32(scratch, uint32(s.months))
	return datum.Value{Bytes: scratch[start:]}, scratch
}

var (
	spanInfinity    = span{math.MaxInt64, math.MaxInt32, math.MaxInt32}
	spanNegInfinity = span{math.MinInt64, math.MinInt32, math.MinInt32}
	errIntervalOut  = errors.New("interval out of range")
)

// unit says what one of an interval's units counts.
type unit struct {
	months, days int64
	usecs        int64
}

var units = map[string]unit{
	"year": {months: 12}, "years": {months: 12}, "yr": {months: 12}, "yrs": {months: 12}, "y": {months: 12},
	"mon": {months: 1}, "mons": {months: 1}, "month": {months: 1}, "months": {months: 1},
	"week": {days: 7}, "weeks": {days: 7}, "w": {days: 7},
	"day": {days: 1}, "days": {days: 1}, "d": {days: 1},
	"hour": {usecs: usecsPerHour}, "hours": {usecs: usecsPerHour}, "hr": {usecs: usecsPerHour}, "hrs": {usecs: usecsPerHour}, "h": {usecs: usecsPerHour},
	"minute": {usecs: usecsPerMinute}, "minutes": {usecs: usecsPerMinute}, "min": {usecs: usecsPerMinute}, "mins": {usecs: usecsPerMinute}, "m": {usecs: usecsPerMinute},
	"second": {usecs: usecsPerSec}, "seconds": {usecs: usecsPerSec}, "sec": {usecs: usecsPerSec}, "secs": {usecs: usecsPerSec}, "s": {usecs: usecsPerSec},
	"decade": {months: 120}, "decades": {months: 120}, "century": {months: 1200}, "centuries": {months: 1200},
	"millisecond": {usecs: 1000}, "milliseconds": {usecs: 1000}, "ms": {usecs: 1000},
	"microsecond": {usecs: 1}, "microseconds": {usecs: 1}, "us": {usecs: 1},
}

// addScaled adds n*by with a check.
func addScaled(sum, n, by int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(max(n, -n)), uint64(by))
	if hi != 0 || lo > 1<<63 || n > 0 && lo == 1<<63 {
		return 0, false
	}
	p := int64(lo)
	if n < 0 {
		p = -p
	}
	total := sum + p
	return total, (total > sum) == (p > 0)
}

// parseInterval reads [n unit]... [[+-]HH:MM[:SS[.f]]] [ago].
func parseInterval(text []byte) (span, error) {
	s := scanner{trimSpace(text)}
	switch {
	case fold(s.b, "infinity"), fold(s.b, "+infinity"):
		return spanInfinity, nil
	case fold(s.b, "-infinity"):
		return spanNegInfinity, nil
	}
	var months, days, usecs int64
	ok := true
	parts := 0
	if s.accept('@') {
		s.skip()
	}
	for len(s.b) > 0 {
		if parts > 0 {
			if w := s; fold(w.word(), "ago") && len(trimSpace(w.b)) == 0 {
				months, days, usecs = -months, -days, -usecs
				break
			}
		}
		neg := s.peek() == '-'
		if c := s.peek(); c == '-' || c == '+' {
			s.b = s.b[1:]
		}
		n, count := s.number()
		if count == 0 && s.peek() != '.' {
			return span{}, errFormat
		}
		if count > 0 && s.peek() == ':' {
			t, err := s.clock(n, neg)
			if err != nil {
				return span{}, err
			}
			sum, fits := addScaled(usecs, t, 1)
			usecs, ok = sum, ok && fits || t == 0
			if !fits && t != 0 {
				return span{}, errField
			}
			parts++
			s.skip()
			continue
		}
		var frac int64
		if s.accept('.') {
			frac = s.fraction()
		}
		s.skip()
		word := s.word()
		u, known := units[string(lower(word))]
		if len(word) == 0 && len(s.b) == 0 {
			u, known = units["s"], true // a last bare number counts seconds
		}
		if !known || frac != 0 && u.usecs == 0 {
			return span{}, errFormat
		}
		if n == math.MaxInt64 {
			return span{}, errField
		}
		if neg {
			n, frac = -n, -frac
		}
		var o1, o2, o3 = true, true, true
		if n != 0 {
			if u.months != 0 {
				months, o1 = addScaled(months, n, u.months)
			}
			if u.days != 0 {
				days, o2 = addScaled(days, n, u.days)
			}
			if u.usecs != 0 {
				usecs, o3 = addScaled(usecs, n, u.usecs)
			}
		}
		if !o1 || !o2 || !o3 {
			return span{}, errField
		}
		if u.usecs != 0 {
			usecs += int64(math.RoundToEven(float64(frac) * float64(u.usecs) / usecsPerSec))
		}
		parts++
		s.skip()
	}
	if parts == 0 {
		return span{}, errFormat
	}
	if months != int64(int32(months)) || days != int64(int32(days)) {
		return span{}, errField
	}
	return span{usecs, int32(days), int32(months)}, nil
}

func lower(b []byte) []byte {
	out := make([]byte, len(b))
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		out[i] = c
	}
	return out
}

// clock reads the rest of HH:MM[:SS[.f]]; there is no limit to the hours, and
// the sign counts for all of it.
func (s *scanner) clock(hour int64, neg bool) (int64, error) {
	s.b = s.b[1:]
	minute, mc := s.number()
	if mc == 0 {
		return 0, errFormat
	}
	var second, usec int64
	if s.accept(':') {
		var sc int
		if second, sc = s.number(); sc == 0 {
			return 0, errFormat
		}
		if s.accept('.') {
			usec = s.fraction()
		}
	}
	if minute > 59 || second > 60 {
		return 0, errField
	}
	hi, lo := bits.Mul64(uint64(hour), usecsPerHour)
	lo, carry := bits.Add64(lo, uint64(minute*usecsPerMinute+second*usecsPerSec+usec), 0)
	if hi+carry != 0 || lo >= 1<<63 { // the smallest number is printed, but not read
		return 0, errField
	}
	if neg {
		return -int64(lo), nil
	}
	return int64(lo), nil
}

func inputInterval(b []byte, typmod int32, scratch []byte) (datum.Value, []byte, error) {
	s, err := parseInterval(b)
	switch err {
	case nil:
	case errField:
		return datum.Value{}, scratch, fmt.Errorf("interval field value out of range: \"%s\"", b)
	default:
		return datum.Value{}, scratch, badSyntax("interval", b)
	}
	if s, err = s.adjust(typmod); err != nil {
		return datum.Value{}, scratch, err
	}
	v, scratch := s.append(scratch)
	return v, scratch, nil
}

func receiveInterval(r *reader, typmod int32, scratch []byte) (datum.Value, []byte, error) {
	s := span{usecs: int64(r.u64())}
	s.days = int32(r.u32())
	s.months = int32(r.u32())
	s, err := s.adjust(typmod)
	if err != nil {
		return datum.Value{}, scratch, err
	}
	v, scratch := s.append(scratch)
	return v, scratch, nil
}

// An interval's modifier has a bit mask of fields in its upper half and the
// seconds' precision in its lower (INTERVAL_TYPMOD, REL_18_1,
// src/include/utils/timestamp.h; the bits are those of datetime.h).
const (
	fieldMonth  = 1 << 1
	fieldYear   = 1 << 2
	fieldDay    = 1 << 3
	fieldHour   = 1 << 10
	fieldMinute = 1 << 11
	fieldSecond = 1 << 12

	fieldsAll     = 0x7FFF // INTERVAL_FULL_RANGE
	precisionFull = 0xFFFF // INTERVAL_FULL_PRECISION
)

// adjust cuts what is finer than the last field that the modifier names.
// Coarser fields than the first one named stay.
func (s span) adjust(typmod int32) (span, error) {
	if typmod < 0 || s == spanInfinity || s == spanNegInfinity {
		return s, nil
	}
	fields, precision := typmod>>16&fieldsAll, typmod&precisionFull
	if fields != fieldsAll {
		switch {
		case fields&fieldSecond != 0:
		case fields&fieldMinute != 0:
			s.usecs = s.usecs / usecsPerMinute * usecsPerMinute
		case fields&fieldHour != 0:
			s.usecs = s.usecs / usecsPerHour * usecsPerHour
		case fields&fieldDay != 0:
			s.usecs = 0
		case fields&fieldMonth != 0:
			s.usecs, s.days = 0, 0
		case fields&fieldYear != 0:
			s.usecs, s.days, s.months = 0, 0, s.months/12*12
		}
	}
	if precision == precisionFull {
		return s, nil
	}
	if precision > 6 {
		return s, fmt.Errorf("interval(%d) precision must be between 0 and 6", precision)
	}
	scale := fractionScale[precision]
	half := scale / 2
	if s.usecs >= 0 {
		if s.usecs > math.MaxInt64-half {
			return s, errIntervalOut
		}
		s.usecs += half
	} else {
		if s.usecs < math.MinInt64+half {
			return s, errIntervalOut
		}
		s.usecs -= half
	}
	s.usecs -= s.usecs % scale
	return s, nil
}
