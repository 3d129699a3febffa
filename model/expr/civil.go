package expr

import (
	"errors"
	"math"

	"applysim/heap/datum"
)

// Times are microseconds, dates days, both from 2000-01-01. The limits are
// those of REL_18_1, src/include/datatype/timestamp.h.
const (
	usecsPerSec    = 1000000
	usecsPerMinute = 60 * usecsPerSec
	usecsPerHour   = 60 * usecsPerMinute
	usecsPerDay    = 24 * usecsPerHour

	epochJulian  = 2451545
	dateMin      = -epochJulian
	dateEnd      = 2147483494 - epochJulian
	timestampMin = -211813488000000000
	timestampEnd = 9223371331200000000

	infinity    = math.MaxInt64
	negInfinity = math.MinInt64
	dateInf     = math.MaxInt32
	dateNegInf  = math.MinInt32
)

var (
	errTimestampRange = errors.New("timestamp out of range")
	errDateRange      = errors.New("date out of range")
	errIntervalRange  = errors.New("interval out of range")
)

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// daysOf counts days from 2000-01-01 to a date of the Gregorian calendar; year
// 0 is 1 BC. The month may be out of range.
func daysOf(year, month, day int64) int64 {
	month--
	year += floorDiv(month, 12)
	month -= floorDiv(month, 12) * 12
	// Years begin in March here, so that the leap day is their last.
	m := month - 2
	if m < 0 {
		m += 12
		year--
	}
	return year*365 + floorDiv(year, 4) - floorDiv(year, 100) + floorDiv(year, 400) + (153*m+2)/5 + day - 1 - 730425
}

// civil is the inverse of daysOf.
func civil(days int64) (year, month, day int64) {
	n := days + 730425
	era := floorDiv(n, 146097)
	n -= era * 146097
	yoe := (n - n/1460 + n/36524 - n/146096) / 365
	doy := n - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = doy - (153*mp+2)/5 + 1
	year = yoe + era*400
	if month = mp + 3; month > 12 {
		month -= 12
		year++
	}
	return year, month, day
}

func isLeap(year int64) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

func daysIn(year, month int64) int64 {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if isLeap(year) {
			return 29
		}
		return 28
	}
	return 31
}

// split divides a timestamp into day and time of day.
func split(ts int64) (days, usecs int64) {
	days = floorDiv(ts, usecsPerDay)
	return days, ts - days*usecsPerDay
}

func validTimestamp(n int64) bool { return n >= timestampMin && n < timestampEnd }

func timestampValue(n int64) (datum.Value, error) {
	if !validTimestamp(n) {
		return null, errTimestampRange
	}
	return datum.Value{Bits: uint64(n)}, nil
}

func isInfinite(ts int64) bool { return ts == infinity || ts == negInfinity }

func dateToTimestamp(d int64) (int64, error) {
	switch {
	case d == dateInf:
		return infinity, nil
	case d == dateNegInf:
		return negInfinity, nil
	case d >= timestampEnd/usecsPerDay:
		return 0, errors.New("date out of range for timestamp")
	}
	return d * usecsPerDay, nil
}

func timestampToDate(ts int64) int64 {
	switch ts {
	case infinity:
		return dateInf
	case negInfinity:
		return dateNegInf
	}
	return floorDiv(ts, usecsPerDay)
}

// clockFunctions depend on the clock, though not all are volatile by name.
var clockFunctions = map[string]bool{"now": true, "statement_timestamp": true, "clock_timestamp": true}

// sessionFunctions depend on the session, or on the clock in a way that is not
// evaluated here: not volatile by name, but not a function of the row either.
var sessionFunctions = wordSet(`sql_age current_schema current_database show_config_by_name show_config_by_name_missing_ok
	session_user current_user inet_client_addr inet_client_port inet_server_addr inet_server_port pgsql_version
	txid_current txid_current_if_assigned txid_current_snapshot`)

func now(s *Scratch, _ []datum.Value) (datum.Value, error) {
	if !s.HasNow {
		return null, &UnsupportedError{What: "the current time, which the caller does not give"}
	}
	return datum.Value{Bits: uint64(s.Now)}, nil
}

func today(s *Scratch, _ []datum.Value) (datum.Value, error) {
	v, err := now(s, nil)
	return datum.Value{Bits: uint64(timestampToDate(int64(v.Bits))), Null: v.Null}, err
}

func timeOfDay(s *Scratch, _ []datum.Value) (datum.Value, error) {
	v, err := now(s, nil)
	_, usecs := split(int64(v.Bits))
	return datum.Value{Bits: uint64(usecs), Null: v.Null}, err
}

var _ = register(map[string]impl{
	"now": now, "statement_timestamp": now, "clock_timestamp": now,
	"nextval_oid": func(s *Scratch, args []datum.Value) (datum.Value, error) {
		if s.Nextval == nil || args[0].Bytes == nil {
			return null, &UnsupportedError{What: "function nextval(regclass)"}
		}
		n, err := s.Nextval(string(args[0].Bytes))
		return datum.Value{Bits: uint64(n)}, err
	},
})
