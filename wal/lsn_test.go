package wal

import (
	"math/rand/v2"
	"testing"
)

func TestParseLSN(t *testing.T) {
	for s, want := range map[string]LSN{
		"0/0": 0, "0/1972CB8": 0x1972CB8, "16/B374D848": 0x16B374D848, "FFFFFFFF/FFFFFFFF": 1<<64 - 1, "1/0": 1 << 32,
	} {
		got, err := ParseLSN(s)
		if err != nil || got != want || got.String() != s {
			t.Errorf("%s: %d (%v) %v, expected %d", s, got, got, err, want)
		}
	}
	if got, err := ParseLSN("16/b374d848"); err != nil || got.String() != "16/B374D848" {
		t.Errorf("small letters: %v %v", got, err)
	}
	for _, s := range []string{"", "/", "0", "0/", "/0", "0/0/0", "0/123456789", "x/0", "0/x", "-1/0", "0/+1", " 0/0", "0/0 ", "1_0/0", "0x1/0"} {
		if got, err := ParseLSN(s); err == nil {
			t.Errorf("%q is read as %v, expected an error", s, got)
		}
	}
}

func FuzzParseLSN(f *testing.F) {
	for _, s := range []string{"0/1972CB8", "FFFFFFFF/FFFFFFFF", "0/", "/", "0/00000001", "g/0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l, err := ParseLSN(s)
		if err != nil {
			return
		}
		again, err := ParseLSN(l.String())
		if err != nil || again != l {
			t.Fatalf("%q is %d, which prints as %v and is read as %d, %v", s, l, l, again, err)
		}
	})
}

// The position arithmetic of xlog.c, which counts usable bytes, independent of
// how Start and Advance do it.

func usablePerSegment(segment uint64) uint64 {
	return segment/8192*(8192-24) - (40 - 24)
}

// bytePosToRecPtr is XLogBytePosToRecPtr, or XLogBytePosToEndRecPtr if end.
func bytePosToRecPtr(pos, segment uint64, end bool) uint64 {
	seg, left := pos/usablePerSegment(segment), pos%usablePerSegment(segment)
	var off uint64
	if left < 8192-40 {
		if !end || left > 0 {
			off = left + 40
		}
	} else {
		left -= 8192 - 40
		off = 8192 + left/(8192-24)*8192
		if left %= 8192 - 24; !end || left > 0 {
			off += left + 24
		}
	}
	return seg*segment + off
}

// recPtrToBytePos is XLogRecPtrToBytePos.
func recPtrToBytePos(ptr, segment uint64) uint64 {
	pages, off := ptr%segment/8192, ptr%8192
	pos := ptr / segment * usablePerSegment(segment)
	if pages == 0 {
		if off > 0 {
			pos += off - 40
		}
		return pos
	}
	pos += 8192 - 40 + (pages-1)*(8192-24)
	if off > 0 {
		pos += off - 24
	}
	return pos
}

// checkAdvance compares Start and Advance with the arithmetic of byte positions.
// pos is in units of 8 bytes.
func checkAdvance(t *testing.T, units, length, segment uint64) {
	t.Helper()
	pos := units * 8
	for _, end := range []bool{false, true} {
		l := LSN(bytePosToRecPtr(pos, segment, end))
		if back := recPtrToBytePos(uint64(l), segment); back != pos {
			t.Fatalf("the test's own arithmetic: position %d is %v is position %d", pos, l, back)
		}
		if got, want := l.Start(segment), LSN(bytePosToRecPtr(pos, segment, false)); got != want {
			t.Fatalf("a record after %v starts at %v, expected %v (segments of %d)", l, got, want, segment)
		}
		want := LSN(bytePosToRecPtr(pos+(length+7)/8*8, segment, true))
		if got := l.Advance(int(length), segment); got != want {
			t.Fatalf("a record of %d bytes after %v ends at %v, expected %v (segments of %d)", length, l, got, want, segment)
		}
	}
}

func TestAdvance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 18))
	for _, segment := range []uint64{1 << 20, 16 << 20, 64 << 20, 1 << 30} {
		perSegment := usablePerSegment(segment) / 8
		for n := range 20_000 {
			units := r.Uint64N(3 * perSegment)
			if n%2 == 0 {
				// Near the end of a page or of a segment.
				units = (1+r.Uint64N(3))*perSegment - r.Uint64N(30)
				if n%4 == 0 {
					units = 3*perSegment + (8192-40)/8 + r.Uint64N(100)*(8192-24)/8 - r.Uint64N(30)
				}
			}
			length := 24 + r.Uint64N(300)
			if n%100 == 1 {
				length = 1 + r.Uint64N(3<<20)
			}
			checkAdvance(t, units, length, segment)
		}
	}
}

// A few by hand: rows are position, length, end.
func TestAdvanceByHand(t *testing.T) {
	for _, c := range []struct{ from, start, end string }{
		{"0/2000028", "0/2000028", "0/2000068"}, // 64 bytes
		{"0/2000000", "0/2000028", "0/2000068"}, // a segment begins with a long header
		{"0/2002000", "0/2002018", "0/2002058"}, // another page with a short one
		{"0/2001FC0", "0/2001FC0", "0/2002000"}, // to the brim: the end is the start of a page
		{"0/2001FE0", "0/2001FE0", "0/2002038"}, // over the page header
		{"0/2FFFFE0", "0/2FFFFE0", "0/3000048"}, // over a segment's header
	} {
		from, err := ParseLSN(c.from)
		if err != nil {
			t.Fatal(err)
		}
		if got := from.Start(DefaultSegmentSize).String(); got != c.start {
			t.Errorf("after %s: start %s, expected %s", c.from, got, c.start)
		}
		for length := 57; length <= 64; length++ {
			if got := from.Advance(length, DefaultSegmentSize).String(); got != c.end {
				t.Errorf("%d bytes after %s: end %s, expected %s", length, c.from, got, c.end)
			}
		}
	}
}

func FuzzAdvance(f *testing.F) {
	f.Add(uint64(0), uint32(24), uint8(4))
	f.Add(uint64(1019), uint32(64), uint8(0))
	f.Add(uint64(1<<40), uint32(1<<20), uint8(10))
	f.Fuzz(func(t *testing.T, units uint64, length uint32, segment uint8) {
		checkAdvance(t, units%(1<<58), 1+uint64(length%(4<<20)), 1<<20<<(segment%11))
	})
}
