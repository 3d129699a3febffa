package pgtype

// After src/backend/utils/adt/date.c (time and timetz).

import (
	"errors"

	"applysim/heap/datum"
)

func parseTime(b []byte, typeName string) (moment, error) {
	m, err := parseMoment(b)
	if err == errRange {
		err = errField
	}
	if err == nil && (!m.timeSeen || m.infinite != 0) {
		err = errFormat
	}
	if err != nil {
		return m, momentError(err, typeName, b)
	}
	return m, nil
}

func inputTime(b []byte, typmod int32) (uint64, error) {
	m, err := parseTime(b, "time")
	if err != nil {
		return 0, err
	}
	return uint64(roundTime(m.usecs, typmod)), nil
}

func roundTime(n int64, typmod int32) int64 {
	if typmod < 0 || typmod >= 6 {
		return n
	}
	return roundUsecs(n, typmod)
}

func receiveTime(n int64, typmod int32) (uint64, error) {
	if n < 0 || n > usecsPerDay {
		return 0, errors.New("time out of range")
	}
	return uint64(roundTime(n, typmod)), nil
}

// A time with time zone is stored as microseconds (8 bytes) and the zone as
// seconds west of Greenwich (4).
func appendTimeTZ(scratch []byte, usecs int64, west int32) (datum.Value, []byte) {
	start := len(scratch)
	scratch = le.AppendUint64(scratch, uint64(usecs))
	scratch = le.AppendUint32(scratch, uint32(west))
	return datum.Value{Bytes: scratch[start:]}, scratch
}

func inputTimeTZ(b []byte, typmod int32, scratch []byte) (datum.Value, []byte, error) {
	m, err := parseTime(b, "time with time zone")
	if err != nil {
		return datum.Value{}, scratch, err
	}
	v, scratch := appendTimeTZ(scratch, roundTime(m.usecs, typmod), int32(-m.zone))
	return v, scratch, nil
}

func receiveTimeTZ(r *reader, typmod int32, scratch []byte) (datum.Value, []byte, error) {
	n, west := int64(r.u64()), int32(r.u32())
	if n < 0 || n > usecsPerDay {
		return datum.Value{}, scratch, errors.New("time out of range")
	}
	if west <= -zoneLimit || west >= zoneLimit {
		return datum.Value{}, scratch, errors.New("time zone displacement out of range")
	}
	v, scratch := appendTimeTZ(scratch, roundTime(n, typmod), west)
	return v, scratch, nil
}
