package pgtype

// After the output functions of src/backend/utils/adt: what a server prints
// with DateStyle ISO, IntervalStyle postgres, extra_float_digits above 0 and
// TimeZone UTC.

import (
	"encoding/hex"
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"strings"

	"applysim/heap/datum"
	"applysim/index/opclass"
)

// Text is the type's output function, for display. Types without one here
// (geometry, tsquery, jsonpath) and damaged values show their bytes in hex.
func (t *Type) Text(v datum.Value) string {
	if v.Null {
		return ""
	}
	return string(t.appendText(nil, v))
}

func (t *Type) appendText(b []byte, v datum.Value) []byte {
	if short := t.Len > 0 && !t.ByVal && len(v.Bytes) < int(t.Len); short {
		return appendHex(b, v.Bytes)
	}
	switch t.Kind {
	case KindBool:
		return append(b, "ft"[v.Bits&1])
	case KindInt2, KindInt4, KindInt8:
		return strconv.AppendInt(b, int64(v.Bits), 10)
	case KindOid:
		if strings.HasPrefix(t.Name, "reg") && uint32(v.Bits) == 0 {
			return append(b, '-')
		}
		if named := ByOID(uint32(v.Bits)); t.OID == 2206 && named != nil { // regtype
			return append(b, named.Name...)
		}
		return strconv.AppendUint(b, uint64(uint32(v.Bits)), 10)
	case KindXid8:
		return strconv.AppendUint(b, v.Bits, 10)
	case KindLSN:
		return fmt.Appendf(b, "%X/%X", uint32(v.Bits>>32), uint32(v.Bits))
	case KindFloat4:
		return appendFloat(b, float64(math.Float32frombits(uint32(v.Bits))), 32)
	case KindFloat8:
		return appendFloat(b, math.Float64frombits(v.Bits), 64)
	case KindChar:
		switch c := byte(v.Bits); {
		case c >= 0x80:
			return fmt.Appendf(b, "\\%03o", c)
		case c != 0:
			return append(b, c)
		}
		return b
	case KindName:
		name, _, _ := strings.Cut(string(v.Bytes), "\x00")
		return append(b, name...)
	case KindText, KindBpchar, KindVarchar, KindJSON, KindXML:
		return append(b, v.Bytes...)
	case KindNumeric:
		return appendNumeric(b, v.Bytes)
	case KindMoney:
		return appendMoney(b, int64(v.Bits))
	case KindDate:
		return appendDate(b, int64(int32(v.Bits)))
	case KindTimestamp, KindTimestampTZ:
		return appendTimestamp(b, int64(v.Bits), t.Kind == KindTimestampTZ)
	case KindTime:
		return appendClock(b, int64(v.Bits))
	case KindTimeTZ:
		b = appendClock(b, int64(le.Uint64(v.Bytes)))
		return appendZone(b, -int(int32(le.Uint32(v.Bytes[8:]))))
	case KindInterval:
		return appendInterval(b, v.Bytes)
	case KindUUID:
		h := hex.EncodeToString(v.Bytes)
		return append(b, h[:8]+"-"+h[8:12]+"-"+h[12:16]+"-"+h[16:20]+"-"+h[20:]...)
	case KindInet, KindCidr:
		return appendInet(b, v.Bytes, t.Kind == KindCidr)
	case KindMacaddr, KindMacaddr8:
		for i, c := range v.Bytes {
			if i > 0 {
				b = append(b, ':')
			}
			b = append(b, hexDigits[c>>4], hexDigits[c&15])
		}
		return b
	case KindBit, KindVarbit:
		if len(v.Bytes) < 4 {
			return b
		}
		for i := range min(int(le.Uint32(v.Bytes)), 8*len(v.Bytes)-32) {
			b = append(b, '0'+v.Bytes[4+i/8]>>(7-i%8)&1)
		}
		return b
	case KindTID:
		return fmt.Appendf(b, "(%d,%d)", uint32(le.Uint16(v.Bytes))<<16|uint32(le.Uint16(v.Bytes[2:])), le.Uint16(v.Bytes[4:]))
	case KindJsonb:
		return appendJsonb(b, v.Bytes, 0)
	case KindEnum:
		for i, l := range t.Labels {
			if t.LabelOID(i) == uint32(v.Bits) {
				return append(b, l...)
			}
		}
		return strconv.AppendUint(b, uint64(uint32(v.Bits)), 10)
	case KindDomain:
		return t.Elem.appendText(b, v)
	case KindArray:
		return t.appendArray(b, v.Bytes)
	case KindInt2Vector, KindOidVector:
		return t.appendVector(b, v.Bytes)
	case KindRange:
		lower, upper, empty, ok := opclass.DecodeRange(v.Bytes, t.Elem.Attr())
		if !ok {
			return appendHex(b, v.Bytes)
		}
		return t.appendRange(b, &bounds{lower, upper, empty})
	case KindMultirange:
		return t.appendMultirange(b, v.Bytes)
	case KindComposite:
		return t.appendRecord(b, v.Bytes)
	case KindTSVector:
		return appendTSVector(b, v.Bytes)
	case KindOpaque:
		return append(b, v.Bytes...)
	}
	return appendHex(b, v.Bytes) // bytea, and what is not done
}

const hexDigits = "0123456789abcdef"

func appendHex(b, v []byte) []byte { return hex.AppendEncode(append(b, '\\', 'x'), v) }

// appendFloat prints the shortest digits that read back the same, in the way
// of C's %g: an exponent below -4 or from 15 (6 for real) on. Where a decimal
// lies exactly between two numbers, 1e23 say, the server takes one digit more.
func appendFloat(b []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, "NaN"...)
	case math.IsInf(f, 1):
		return append(b, "Infinity"...)
	case math.IsInf(f, -1):
		return append(b, "-Infinity"...)
	}
	var buf [32]byte
	e := strconv.AppendFloat(buf[:0], f, 'e', -1, bits)
	exponent, _ := strconv.Atoi(string(e[strings.IndexByte(string(e), 'e')+1:]))
	limit := 15
	if bits == 32 {
		limit = 6
	}
	if f == 0 || exponent >= -4 && exponent < limit {
		return strconv.AppendFloat(b, f, 'f', -1, bits)
	}
	return append(b, e...)
}

func appendNumeric(b, v []byte) []byte {
	if len(v) < 2 {
		return appendHex(b, v)
	}
	h := le.Uint16(v)
	var (
		neg           bool
		scale, weight int
	)
	switch {
	case h&numericNaN == numericNaN:
		switch h {
		case numericPInf:
			return append(b, "Infinity"...)
		case numericNInf:
			return append(b, "-Infinity"...)
		}
		return append(b, "NaN"...)
	case h&numericShort != 0:
		neg, scale, weight = h&0x2000 != 0, int(h>>7&0x3F), int(int8(h<<1))>>1
		v = v[2:]
	case len(v) < 4:
		return appendHex(b, v)
	default:
		neg, scale, weight = h&numericNeg != 0, int(h&scaleMask), int(int16(le.Uint16(v[2:])))
		v = v[4:]
	}
	if neg {
		b = append(b, '-')
	}
	digit := func(i int) int { // the base-10000 digit that counts 10000^(weight-i)
		if i < 0 || 2*i+2 > len(v) {
			return 0
		}
		return int(le.Uint16(v[2*i:]))
	}
	if weight < 0 {
		b = append(b, '0')
	}
	for i := 0; i <= weight; i++ {
		if i == 0 {
			b = strconv.AppendInt(b, int64(digit(0)), 10)
		} else {
			b = fmt.Appendf(b, "%04d", digit(i))
		}
	}
	if scale > 0 {
		b = append(b, '.')
		from := len(b)
		for i := weight + 1; len(b)-from < scale; i++ {
			b = fmt.Appendf(b, "%04d", digit(i))
		}
		b = b[:from+scale]
	}
	return b
}

func appendMoney(b []byte, n int64) []byte {
	u := uint64(n)
	if n < 0 {
		b = append(b, '-')
		u = -u
	}
	b = append(b, '$')
	whole := strconv.FormatUint(u/100, 10)
	for i := range len(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b = append(b, ',')
		}
		b = append(b, whole[i])
	}
	return fmt.Appendf(b, ".%02d", u%100)
}

// civil is the inverse of daysFromEpoch.
func civil(days int64) (year, month, day int) {
	const cycle = 146097 // days in 400 years
	// Years begin in March here. 0000-03-01 is 730425 days before the epoch;
	// 14 cycles more keep n positive, since the first date is in -4713.
	n := days + 730425 + 14*cycle
	era := n / cycle
	n %= cycle
	yoe := (n - n/1460 + n/36524 - n/146096) / 365
	doy := n - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = int(doy-(153*mp+2)/5) + 1
	month = int(mp) + 3
	year = int(yoe+era*400) - 14*400
	if month > 12 {
		month -= 12
		year++
	}
	return year, month, day
}

func appendYMD(b []byte, days int64) (_ []byte, bc bool) {
	year, month, day := civil(days)
	if bc = year <= 0; bc {
		year = 1 - year
	}
	return fmt.Appendf(b, "%04d-%02d-%02d", year, month, day), bc
}

func appendDate(b []byte, days int64) []byte {
	switch days {
	case math.MaxInt32:
		return append(b, "infinity"...)
	case math.MinInt32:
		return append(b, "-infinity"...)
	}
	b, bc := appendYMD(b, days)
	if bc {
		b = append(b, " BC"...)
	}
	return b
}

func appendClock(b []byte, usecs int64) []byte {
	u := uint64(usecs)
	if usecs < 0 {
		u = -u
	}
	b = fmt.Appendf(b, "%02d:%02d:%02d", u/usecsPerHour, u/usecsPerMinute%60, u/usecsPerSec%60)
	if f := u % usecsPerSec; f != 0 {
		b = append(b, strings.TrimRight(fmt.Sprintf(".%06d", f), "0")...)
	}
	return b
}

func appendTimestamp(b []byte, n int64, zoned bool) []byte {
	switch n {
	case math.MaxInt64:
		return append(b, "infinity"...)
	case math.MinInt64:
		return append(b, "-infinity"...)
	}
	days, usecs := n/usecsPerDay, n%usecsPerDay
	if usecs < 0 {
		days, usecs = days-1, usecs+usecsPerDay
	}
	b, bc := appendYMD(b, days)
	b = appendClock(append(b, ' '), usecs)
	if zoned {
		b = append(b, "+00"...)
	}
	if bc {
		b = append(b, " BC"...)
	}
	return b
}

func appendZone(b []byte, east int) []byte {
	if east < 0 {
		b, east = append(b, '-'), -east
	} else {
		b = append(b, '+')
	}
	b = fmt.Appendf(b, "%02d", east/3600)
	if east%3600 != 0 {
		b = fmt.Appendf(b, ":%02d", east/60%60)
	}
	if east%60 != 0 {
		b = fmt.Appendf(b, ":%02d", east%60)
	}
	return b
}

func appendInterval(b, v []byte) []byte {
	s := span{int64(le.Uint64(v)), int32(le.Uint32(v[8:])), int32(le.Uint32(v[12:]))}
	switch s {
	case spanInfinity:
		return append(b, "infinity"...)
	case spanNegInfinity:
		return append(b, "-infinity"...)
	}
	from := len(b)
	before := false // a negative part asks the next one for its sign
	part := func(n int64, name string) {
		if n == 0 {
			return
		}
		if len(b) > from {
			b = append(b, ' ')
		}
		if before && n > 0 {
			b = append(b, '+')
		}
		b = strconv.AppendInt(b, n, 10)
		b = append(append(b, ' '), name...)
		if n != 1 {
			b = append(b, 's')
		}
		before = n < 0
	}
	part(int64(s.months/12), "year")
	part(int64(s.months%12), "mon")
	part(int64(s.days), "day")
	if s.usecs != 0 || len(b) == from {
		if len(b) > from {
			b = append(b, ' ')
		}
		if s.usecs < 0 {
			b = append(b, '-')
		} else if before {
			b = append(b, '+')
		}
		b = appendClock(b, s.usecs)
	}
	return b
}

func appendInet(b, v []byte, cidr bool) []byte {
	if len(v) < 2 {
		return appendHex(b, v)
	}
	addr, ok := netip.AddrFromSlice(v[2:])
	if !ok {
		return appendHex(b, v)
	}
	var text string
	switch {
	case addr.Is6() && isV4Compatible(v[2:]):
		// The C library prints ::a.b.c.d so; Go prints hexadecimal.
		text = "::" + netip.AddrFrom4([4]byte(v[14:18])).String()
	default:
		text = addr.String()
	}
	b = append(b, text...)
	if cidr || int(v[1]) != addr.BitLen() {
		b = append(b, '/')
		b = strconv.AppendUint(b, uint64(v[1]), 10)
	}
	return b
}

func isV4Compatible(a []byte) bool {
	for _, c := range a[:12] {
		if c != 0 {
			return false
		}
	}
	return a[12] != 0 || a[13] != 0
}
