package guc

// Settings with units, after guc.c (parse_int, convert_to_base_unit).

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// splitUnit splits a setting's value into its number and its unit.
func splitUnit(s string) (number float64, unit string, err error) {
	s = strings.TrimSpace(s)
	n := strings.IndexFunc(s, func(r rune) bool { return !strings.ContainsRune("+-.0123456789", r) })
	if n < 0 {
		n = len(s)
	}
	number, err = strconv.ParseFloat(s[:n], 64)
	return number, strings.TrimSpace(s[n:]), err
}

var timeUnits = map[string]time.Duration{
	"us": time.Microsecond, "ms": time.Millisecond, "s": time.Second, "min": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
}

// ParseTime reads a time with PostgreSQL's units; without one it is in base units,
// to which it is rounded.
func ParseTime(s string, base, least, most time.Duration) (time.Duration, error) {
	number, unit, err := splitUnit(s)
	if err != nil {
		return 0, fmt.Errorf("expected a time such as 30s or 5min")
	}
	u := base
	if unit != "" {
		if u = timeUnits[unit]; u == 0 {
			return 0, fmt.Errorf("expected one of the units us, ms, s, min, h and d")
		}
	}
	d := math.RoundToEven(number * float64(u) / float64(base))
	if d < float64(least/base) || d > float64(most/base) {
		return 0, fmt.Errorf("expected a time from %v to %v", least, most)
	}
	return time.Duration(d) * base, nil
}

var sizeUnits = map[string]float64{"B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}

// ParseSize reads a size with PostgreSQL's memory units; without one it is in base
// units, to which it is rounded.
func ParseSize(s string, base, least, most uint64) (uint64, error) {
	number, unit, err := splitUnit(s)
	if err != nil {
		return 0, fmt.Errorf("expected a size such as 512MB or 3GB")
	}
	u := float64(base)
	if unit != "" {
		if u = sizeUnits[unit]; u == 0 {
			return 0, fmt.Errorf("expected one of the units B, kB, MB, GB and TB")
		}
	}
	n := math.RoundToEven(number * u / float64(base))
	if n < float64(least/base) || n > float64(most/base) {
		return 0, fmt.Errorf("expected a size from %d to %d bytes", least, most)
	}
	return uint64(n) * base, nil
}

// ParseDuration reads a time with PostgreSQL's units, or a number of seconds.
func ParseDuration(s string) (time.Duration, error) {
	if _, unit, err := splitUnit(s); err == nil && unit == "" {
		s = strings.TrimSpace(s) + "s"
	}
	return ParseTime(s, time.Microsecond, 0, 100*365*24*time.Hour)
}
