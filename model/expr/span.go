package expr

import (
	"math"

	"applysim/heap/datum"
)

// span is an interval (see package pgtype, interval.go).
type span struct {
	usecs        int64
	days, months int32
}

func spanOf(v datum.Value) span {
	b := v.Bytes
	return span{int64(le.Uint64(b)), int32(le.Uint32(b[8:])), int32(le.Uint32(b[12:]))}
}

var (
	spanInfinity    = span{math.MaxInt64, math.MaxInt32, math.MaxInt32}
	spanNegInfinity = span{math.MinInt64, math.MinInt32, math.MinInt32}
)

func (i span) infinite() bool { return i == spanInfinity || i == spanNegInfinity }

func (s *Scratch) interval(i span) datum.Value {
	start := len(s.buf)
	b := le.AppendUint64(s.buf, uint64(i.usecs))
	b = le.AppendUint32(b, uint32(i.days))
	b = le.AppendUint32(b, uint32(i.months))
	return s.keep(b, start)
}
