package opclass

import (
	"bytes"
	"math"
	"testing"

	"applysim/heap/datum"
)

// The order of real values, type by type, is compared with a server's in
// model/pgtype (TestRecordedOrder): only there can they be read. Here: what
// holds for any bytes.

func TestByName(t *testing.T) {
	for n := range byName {
		c := ByName(n)
		if c.Name != n || c.Compare == nil || c.Abbrev == nil || c.Unabbrev != nil && c.Width == 0 {
			t.Errorf("%s: %+v", n, c)
		}
	}
	if ByName("no_ops") != nil {
		t.Error("no_ops exists")
	}
	if !ByName("name_ops").CString {
		t.Error("name_ops keys are C strings")
	}
}

func TestFloatOrder(t *testing.T) {
	order := []float64{math.Inf(-1), -math.MaxFloat64, -1, -math.SmallestNonzeroFloat64, 0,
		math.SmallestNonzeroFloat64, 1, math.MaxFloat64, math.Inf(1), math.NaN()}
	c8, c4 := ByName("float8_ops"), ByName("float4_ops")
	for i, x := range order {
		for j, y := range order {
			a, b := datum.Value{Bits: math.Float64bits(x)}, datum.Value{Bits: math.Float64bits(y)}
			if got := c8.Compare(&a, &b); got != sign(i-j) {
				t.Errorf("%v against %v: %d", x, y, got)
			}
		}
	}
	zero, minus := datum.Value{}, datum.Value{Bits: uint64(math.Float32bits(float32(math.Copysign(0, -1))))}
	if c4.Compare(&zero, &minus) != 0 || c4.Abbrev(&zero) != c4.Abbrev(&minus) {
		t.Error("-0 is not 0")
	}
}

func TestIntervalSpan(t *testing.T) {
	interval := func(usecs int64, days, months int32) datum.Value {
		b := le.AppendUint64(nil, uint64(usecs))
		b = le.AppendUint32(b, uint32(days))
		return datum.Value{Bytes: le.AppendUint32(b, uint32(months))}
	}
	c := ByName("interval_ops")
	order := []datum.Value{
		interval(math.MinInt64, math.MinInt32, math.MinInt32), interval(0, 0, -1), interval(0, -29, 0), interval(-1, 0, 0),
		interval(0, 0, 0), interval(1, 0, 0), interval(0, 1, 0), interval(1, 1, 0), interval(0, 0, 1), interval(0, 31, 0),
		interval(math.MaxInt64, math.MaxInt32, math.MaxInt32),
	}
	for i := range order {
		for j := range order {
			if got := c.Compare(&order[i], &order[j]); got != sign(i-j) {
				t.Errorf("%d against %d: %d", i, j, got)
			}
			if i < j && c.Abbrev(&order[i]) > c.Abbrev(&order[j]) {
				t.Errorf("abbreviations of %d and %d", i, j)
			}
		}
	}
	day, hours := interval(0, 1, 0), interval(usecsPerDay, 0, 0)
	if c.Compare(&day, &hours) != 0 {
		t.Error("a day is not 24 hours")
	}
}

// FuzzCompare feeds damaged values: nothing may panic, and a value must equal
// itself.
func FuzzCompare(f *testing.F) {
	f.Add([]byte{}, []byte{0x00, 0x81, 1, 0})
	f.Add(bytes.Repeat([]byte{0xFF}, 40), bytes.Repeat([]byte{1}, 30))
	int4 := datum.Attr{Len: 4, ByVal: true, Align: 4, Storage: 'p'}
	text := datum.Attr{Len: -1, Align: 4, Storage: 'x'}
	var classes []*Class
	for n := range byName {
		classes = append(classes, ByName(n))
	}
	classes = append(classes,
		Array(ByName("int4_ops"), int4), Array(ByName("text_ops"), text),
		Range(ByName("int4_ops"), int4), Range(ByName("text_ops"), text),
		Multirange(ByName("int4_ops"), int4), Multirange(ByName("text_ops"), text),
		Record(RecordField{ByName("int4_ops"), int4}, RecordField{ByName("text_ops"), text}))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		x, y := datum.Value{Bytes: a}, datum.Value{Bytes: b}
		x.Bits, y.Bits = u64(a, 0), u64(b, 0)
		for _, c := range classes {
			if c.Compare(&x, &x) != 0 {
				t.Fatalf("%s: %x does not equal itself", c.Name, a)
			}
			c.Compare(&x, &y)
			c.Abbrev(&x)
		}
	})
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}
