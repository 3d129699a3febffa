package pgtype

import (
	"math/rand/v2"
	"testing"
	"time"

	"applysim/heap/datum"
)

// TestCalendar compares the calendar with package time's, which is also the
// Gregorian one extended to all years.
func TestCalendar(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	epoch := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	for range 50000 {
		days := int64(r.IntN(6_000_000)) + dateMin
		d := time.Unix(epoch+days*86400, 0).UTC()
		year, month, day := civil(days)
		if year != d.Year() || month != int(d.Month()) || day != d.Day() {
			t.Fatalf("day %d is %d-%d-%d, want %v", days, year, month, day, d)
		}
		if got := daysFromEpoch(year, month, day); got != days {
			t.Fatalf("%v is day %d, want %d", d, got, days)
		}
	}
}

// TestTimestampWays compares the short way with the general one.
func TestTimestampWays(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	typ := Lookup("timestamptz")
	zones := []string{"+00", "-08", "+05:30", "-03:30", "+14", "-12"}
	for range 50000 {
		n := r.Int64N(250e15) - 63e15
		if r.IntN(2) == 0 {
			n -= n % 100
		}
		zone := zones[r.IntN(len(zones))]
		text := string(appendTimestamp(nil, n, false)) + zone
		got, err1 := inputTimestamp([]byte(text), -1, true)
		want, err2 := slowTimestamp([]byte(text), -1, true)
		if err1 != nil || err2 != nil || got != want {
			t.Fatalf("%s: %d, %v; the other way %d, %v", text, int64(got), err1, int64(want), err2)
		}
		if v, _, err := typ.Input([]byte(typ.Text(datum.Value{Bits: got})), -1, nil); err != nil || v.Bits != got {
			t.Fatalf("%s: does not come back: %v", text, err)
		}
	}
}
