package pgtype

// After src/backend/utils/adt/datetime.c, date.c and timestamp.c, reduced to
// what a server in DateStyle ISO prints.

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

const (
	usecsPerSec    = 1000000
	usecsPerMinute = 60 * usecsPerSec
	usecsPerHour   = 3600 * usecsPerSec
	usecsPerDay    = 86400 * usecsPerSec

	// Days are counted from 2000-01-01; the first date is Julian day 0. The
	// limits are those of REL_18_1, src/include/datatype/timestamp.h.
	epochJulian  = 2451545              // POSTGRES_EPOCH_JDATE
	dateMin      = -epochJulian         // DATETIME_MIN_JULIAN, in days from the epoch
	dateEnd      = 2147483494 - 2451545 // DATE_END_JULIAN
	timestampMin = -211813488000000000  // MIN_TIMESTAMP
	timestampEnd = 9223371331200000000  // END_TIMESTAMP
	zoneLimit    = 16 * 3600            // TZDISP_LIMIT
)

// daysBefore is the number of days before a month of a common year.
var daysBefore = [14]int32{0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365}

func leap(year int) bool { return year&3 == 0 && (year%100 != 0 || year%400 == 0) }

func daysIn(year, month int) int {
	n := int(daysBefore[month+1] - daysBefore[month])
	if month == 2 && leap(year) {
		n++
	}
	return n
}

// daysFromEpoch counts from 2000-01-01. Year 0 is 1 BC.
func daysFromEpoch(year, month, day int) int64 {
	// 4800 years are whole 400-year cycles: they keep the division away from
	// negative numbers.
	y := int64(year) + 4800
	if month <= 2 {
		y-- // a leap day counts from March on
	}
	days := y*365 + y/4 - y/100 + y/400
	days += int64(daysBefore[month]) + int64(day)
	if month <= 2 {
		days += 365
	}
	return days - epochOffset
}

// epochOffset is what daysFromEpoch gives for 2000-01-01 before it is taken
// off: y is then 6799.
const epochOffset = 6799*365 + 6799/4 - 6799/100 + 6799/400 + 1 + 365

// digitPair reads two digits that have been reduced to their values.
func digitPair(w uint64, shift uint) int { return int(w>>shift&0xF)*10 + int(w>>(shift+8)&0xF) }

// Three patterns: a text that differs from them in digits only becomes the
// digits' values and zeros when they are XORed with it.
const (
	patternDate = 0x2D30302D30303030 // "0000-00-", little-endian
	patternTime = 0x30303A3030203030 // "00 00:00"
	sepDate     = 0xFF0000FF00000000
	sepTime     = 0x0000FF0000FF0000
)

// notDigits is not zero unless all bytes of w are below 10.
func notDigits(w uint64) uint64 { return (w | (w + 0x0606060606060606)) & 0xF0F0F0F0F0F0F0F0 }

var fractionScale = [7]int64{1000000, 100000, 10000, 1000, 100, 10, 1}

// inputTimestamp takes the form YYYY-MM-DD HH:MM:SS[.f][+HH[:MM]] on a short
// way and leaves the rest to slowTimestamp.
func inputTimestamp(b []byte, typmod int32, zoned bool) (uint64, error) {
	if len(b) < 19 || b[16] != ':' {
		return slowTimestamp(b, typmod, zoned)
	}
	d, t := le.Uint64(b)^patternDate, le.Uint64(b[8:])^patternTime
	s1, s2 := b[17]-'0', b[18]-'0'
	if notDigits(d)|notDigits(t)|d&sepDate|t&sepTime != 0 || s1 > 5 || s2 > 9 {
		return slowTimestamp(b, typmod, zoned)
	}
	year := digitPair(d, 0)*100 + digitPair(d, 16)
	month, day := digitPair(d, 40), digitPair(t, 0)
	hour, minute := digitPair(t, 24), digitPair(t, 48)
	if month-1 > 11 || month < 1 || day < 1 || day > 28 && day > daysIn(year, month) || hour > 23 || minute > 59 || year == 0 {
		return slowTimestamp(b, typmod, zoned)
	}
	n := daysFromEpoch(year, month, day)*usecsPerDay +
		int64(hour*3600+minute*60+int(s1)*10+int(s2))*usecsPerSec
	rest := b[19:]
	if len(rest) > 1 && rest[0] == '.' {
		var f int64
		i := 1
		for ; i < len(rest); i++ {
			c := rest[i] - '0'
			if c > 9 {
				break
			}
			f = f*10 + int64(c)
		}
		if i > 7 {
			return slowTimestamp(b, typmod, zoned)
		}
		n += f * fractionScale[i-1]
		rest = rest[i:]
	}
	if len(rest) > 0 {
		if len(rest) < 3 {
			return slowTimestamp(b, typmod, zoned)
		}
		z1, z2 := rest[1]-'0', rest[2]-'0'
		if z1 > 1 || z2 > 9 || z1 == 1 && z2 > 4 || rest[0] != '+' && rest[0] != '-' {
			return slowTimestamp(b, typmod, zoned)
		}
		zone := (int64(z1)*10 + int64(z2)) * usecsPerHour
		if len(rest) != 3 {
			if len(rest) != 6 || rest[3] != ':' || rest[4]-'0' > 5 || rest[5]-'0' > 9 {
				return slowTimestamp(b, typmod, zoned)
			}
			zone += int64((rest[4]-'0')*10+rest[5]-'0') * usecsPerMinute
		}
		if zoned {
			if rest[0] == '+' {
				n -= zone
			} else {
				n += zone
			}
		}
	}
	if typmod >= 0 {
		return roundTimestamp(n, typmod)
	}
	return uint64(n), nil
}

// moment is a date and time of day taken apart.
type moment struct {
	days     int64 // from 2000-01-01
	date     bool  // a date was given
	usecs    int64 // of the day
	timeSeen bool
	zone     int // seconds east of Greenwich
	zoneSeen bool
	infinite int // 1 or -1
}

var (
	errFormat    = errors.New("format")
	errField     = errors.New("field")
	errZoneRange = errors.New("zone")
	errRange     = errors.New("range")
)

// momentError words an error of parseMoment as DateTimeParseError does.
func momentError(err error, typeName string, text []byte) error {
	switch err {
	case errField:
		return fmt.Errorf("date/time field value out of range: \"%s\"", text)
	case errZoneRange:
		return fmt.Errorf("time zone displacement out of range: \"%s\"", text)
	}
	return badSyntax(typeName, text)
}

// scanner takes a short text apart from the left.
type scanner struct{ b []byte }

func (s *scanner) skip() {
	for len(s.b) > 0 && isSpace(s.b[0]) {
		s.b = s.b[1:]
	}
}

func (s *scanner) peek() byte {
	if len(s.b) == 0 {
		return 0
	}
	return s.b[0]
}

func (s *scanner) accept(c byte) bool {
	if len(s.b) > 0 && s.b[0] == c {
		s.b = s.b[1:]
		return true
	}
	return false
}

// number reads digits; count is how many there were. More than 18 do not fit.
func (s *scanner) number() (n int64, count int) {
	for count < len(s.b) && isDigit(s.b[count]) {
		if count < 18 {
			n = n*10 + int64(s.b[count]-'0')
		}
		count++
	}
	if count > 18 {
		n = math.MaxInt64
	}
	s.b = s.b[count:]
	return n, count
}

func (s *scanner) word() []byte {
	n := 0
	for n < len(s.b) && (s.b[n]|0x20 >= 'a' && s.b[n]|0x20 <= 'z') {
		n++
	}
	w := s.b[:n]
	s.b = s.b[n:]
	return w
}

// fraction reads what follows a decimal point, as microseconds: six digits are
// exact, more are rounded as binary fractions.
func (s *scanner) fraction() int64 {
	digits := s.b
	n, count := s.number()
	if count <= 6 {
		return n * fractionScale[count]
	}
	f, _ := strconv.ParseFloat("0."+string(digits[:count]), 64)
	return int64(math.RoundToEven(f * usecsPerSec))
}

// parseMoment reads [date] [time[zone]] [BC], or one of the infinities.
func parseMoment(b []byte) (m moment, err error) {
	s := scanner{trimSpace(b)}
	switch {
	case fold(s.b, "infinity"), fold(s.b, "+infinity"):
		m.infinite = 1
		return m, nil
	case fold(s.b, "-infinity"):
		m.infinite = -1
		return m, nil
	}
	first := s.b
	year, count := s.number()
	if count == 0 {
		return m, errFormat
	}
	var month, day int64
	if s.peek() == ':' {
		s.b = first
	} else {
		var mc, dc int
		if !s.accept('-') {
			return m, errFormat
		}
		month, mc = s.number()
		if !s.accept('-') || mc == 0 {
			return m, errFormat
		}
		if day, dc = s.number(); dc == 0 {
			return m, errFormat
		}
		if count < 3 {
			return m, errFormat // a two-digit year depends on DateStyle
		}
		m.date = true
		if s.peek() == 'T' || s.peek() == 't' {
			s.b = s.b[1:]
		}
		s.skip()
	}
	if isDigit(s.peek()) {
		if err := s.timeOfDay(&m); err != nil {
			return m, err
		}
		s.skip()
	}
	if c := s.peek(); c == '+' || c == '-' {
		if err := s.zone(&m); err != nil {
			return m, err
		}
		s.skip()
	} else if c == 'Z' || c == 'z' {
		s.b = s.b[1:]
		m.zoneSeen = true
		s.skip()
	}
	bc := false
	if w := s.word(); len(w) > 0 {
		switch {
		case fold(w, "bc"):
			bc = true
		case fold(w, "ad"):
		default:
			return m, errFormat
		}
		if !m.date {
			return m, errFormat
		}
		s.skip()
	}
	if len(s.b) > 0 {
		return m, errFormat
	}
	if !m.date {
		return m, nil
	}
	if year > 5874897+1 {
		return m, errRange
	}
	if year == 0 || month < 1 || month > 12 || day < 1 {
		return m, errField
	}
	if bc {
		year = 1 - year
	}
	if day > 31 || int(day) > daysIn(int(year), int(month)) {
		return m, errField
	}
	if year < -4713 {
		return m, errRange
	}
	m.days = daysFromEpoch(int(year), int(month), int(day))
	return m, nil
}

// timeOfDay reads HH:MM[:SS[.f]]. 24:00:00 and 60 seconds are allowed.
func (s *scanner) timeOfDay(m *moment) error {
	hour, hc := s.number()
	if hc == 0 || !s.accept(':') {
		return errFormat
	}
	minute, mc := s.number()
	if mc == 0 {
		return errFormat
	}
	var second, usec int64
	if s.accept(':') {
		var sc int
		if second, sc = s.number(); sc == 0 {
			return errFormat
		}
		if s.accept('.') {
			usec = s.fraction()
		}
	}
	if hour > 24 || minute > 59 || second > 60 || hour == 24 && (minute > 0 || second > 0 || usec > 0) {
		return errField
	}
	m.timeSeen = true
	m.usecs = (hour*3600+minute*60+second)*usecsPerSec + usec
	return nil
}

// zone reads a numeric offset: +HH, +HH:MM, +HH:MM:SS, +HHMM.
func (s *scanner) zone(m *moment) error {
	west := s.peek() == '-'
	s.b = s.b[1:]
	hour, count := s.number()
	if count == 0 {
		return errFormat
	}
	var minute, second int64
	if s.accept(':') {
		if minute, count = s.number(); count == 0 {
			return errFormat
		}
		if s.accept(':') {
			if second, count = s.number(); count == 0 {
				return errFormat
			}
		}
	} else if count > 2 {
		hour, minute = hour/100, hour%100
	}
	if hour > 15 || minute > 59 || second > 59 {
		return errZoneRange
	}
	m.zone = int(hour*3600 + minute*60 + second)
	if west {
		m.zone = -m.zone
	}
	m.zoneSeen = true
	return nil
}

func slowTimestamp(b []byte, typmod int32, zoned bool) (uint64, error) {
	typeName := "timestamp"
	if zoned {
		typeName = "timestamp with time zone"
	}
	m, err := parseMoment(b)
	switch {
	case err == errRange:
		return 0, fmt.Errorf("timestamp out of range: \"%s\"", b)
	case err != nil:
		return 0, momentError(err, typeName, b)
	case m.infinite > 0:
		return math.MaxInt64, nil
	case m.infinite < 0:
		return 1 << 63, nil
	case !m.date:
		return 0, badSyntax(typeName, b)
	}
	n := m.days * usecsPerDay
	over := m.days > math.MaxInt64/usecsPerDay || m.days < math.MinInt64/usecsPerDay || n > math.MaxInt64-2*usecsPerDay
	n += m.usecs
	if zoned {
		n -= int64(m.zone) * usecsPerSec
	}
	if over || n < timestampMin || n >= timestampEnd {
		return 0, fmt.Errorf("timestamp out of range: \"%s\"", b)
	}
	return roundTimestamp(n, typmod)
}

// roundTimestamp applies a precision of 0 to 6 digits, half away from zero.
func roundTimestamp(n int64, typmod int32) (uint64, error) {
	if typmod == -1 || typmod == 6 {
		return uint64(n), nil
	}
	if typmod < 0 || typmod > 6 {
		return 0, fmt.Errorf("timestamp(%d) precision must be between 0 and 6", typmod)
	}
	return uint64(roundUsecs(n, typmod)), nil
}

func roundUsecs(n int64, precision int32) int64 {
	scale := fractionScale[precision]
	if n >= 0 {
		return (n + scale/2) / scale * scale
	}
	return -((-n + scale/2) / scale * scale)
}

func receiveTimestamp(n int64, typmod int32) (uint64, error) {
	if n == math.MaxInt64 || n == math.MinInt64 {
		return uint64(n), nil
	}
	if n < timestampMin || n >= timestampEnd {
		return 0, errors.New("timestamp out of range")
	}
	return roundTimestamp(n, typmod)
}

func inputDate(b []byte) (uint64, error) {
	if len(b) == 10 {
		d := le.Uint64(b) ^ patternDate
		d1, d2 := b[8]-'0', b[9]-'0'
		if notDigits(d)|d&sepDate == 0 && d1 < 10 && d2 < 10 {
			year := digitPair(d, 0)*100 + digitPair(d, 16)
			month, day := digitPair(d, 40), int(d1)*10+int(d2)
			if year > 0 && month >= 1 && month <= 12 && day >= 1 && (day <= 28 || day <= daysIn(year, month)) {
				return uint64(daysFromEpoch(year, month, day)), nil
			}
		}
	}
	m, err := parseMoment(b)
	switch {
	case err == errRange:
		return 0, fmt.Errorf("date out of range: \"%s\"", b)
	case err != nil:
		return 0, momentError(err, "date", b)
	case m.infinite > 0:
		return math.MaxInt32, nil
	case m.infinite < 0:
		return signExtend32(1 << 31), nil
	case !m.date:
		return 0, badSyntax("date", b)
	case m.days < dateMin || m.days >= dateEnd:
		return 0, fmt.Errorf("date out of range: \"%s\"", b)
	}
	return uint64(m.days), nil
}

func receiveDate(n uint32) (uint64, error) {
	d := int64(int32(n))
	if d != math.MaxInt32 && d != math.MinInt32 && (d < dateMin || d >= dateEnd) {
		return 0, errors.New("date out of range")
	}
	return uint64(d), nil
}
