package opclass

import (
	"cmp"
	"math/bits"

	"applysim/heap/datum"
)

const (
	usecsPerSec  = 1000000
	usecsPerDay  = 86400 * usecsPerSec
	daysPerMonth = 30
)

// A time with time zone is 12 bytes: microseconds since midnight (8), then
// the zone in seconds west of Greenwich (4). Two values are ordered by the
// instant in UTC first, by the zone among equal instants.
func timeTZInstant(v *datum.Value) int64 {
	return int64(u64(v.Bytes, 0)) + int64(int32(u32(v.Bytes, 8)))*usecsPerSec
}

func compareTimeTZ(a, b *datum.Value) int {
	if c := cmp.Compare(timeTZInstant(a), timeTZInstant(b)); c != 0 {
		return c
	}
	return cmp.Compare(int32(u32(a.Bytes, 8)), int32(u32(b.Bytes, 8)))
}

func abbrevTimeTZ(v *datum.Value) uint64 { return uint64(timeTZInstant(v)) ^ 1<<63 }

// An interval is 16 bytes: microseconds (8), days (4), months (4). It is
// compared as one span with days of 24 hours and months of 30 days, which
// needs more than 64 bits: hi and lo are its two's complement halves.
func intervalSpan(v *datum.Value) (hi int64, lo uint64) {
	usecs := int64(u64(v.Bytes, 0))
	days := int64(int32(u32(v.Bytes, 8))) + int64(int32(u32(v.Bytes, 12)))*daysPerMonth
	magnitude := uint64(days)
	if days < 0 {
		magnitude = -magnitude
	}
	h, l := bits.Mul64(magnitude, usecsPerDay)
	if days < 0 {
		var borrow uint64
		l, borrow = bits.Sub64(0, l, 0)
		h, _ = bits.Sub64(0, h, borrow)
	}
	l, carry := bits.Add64(l, uint64(usecs), 0)
	h, _ = bits.Add64(h, uint64(usecs>>63), carry)
	return int64(h), l
}

func compareInterval(a, b *datum.Value) int {
	ah, al := intervalSpan(a)
	bh, bl := intervalSpan(b)
	if ah != bh {
		return cmp.Compare(ah, bh)
	}
	return cmp.Compare(al, bl)
}

// abbrevInterval drops the ten lowest bits: the longest span needs 74.
func abbrevInterval(v *datum.Value) uint64 {
	hi, lo := intervalSpan(v)
	return (uint64(hi)<<54 | lo>>10) ^ 1<<63
}
