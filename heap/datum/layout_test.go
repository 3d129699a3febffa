package datum

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func fixed(n int16) Attr { return Attr{Len: n, Align: uint8(n), ByVal: true, Storage: 'p'} }

var (
	boolean  = fixed(1)
	int2Attr = fixed(2)
	int4Attr = fixed(4)
	int8Attr = fixed(8)
	text     = Attr{Len: -1, Align: 4, Storage: 'x'}
	plain    = Attr{Len: -1, Align: 4, Storage: 'p'}
	double8  = Attr{Len: -1, Align: 8, Storage: 'x'} // an array of bigint, a range, a polygon
	uuid     = Attr{Len: 16, Align: 1, Storage: 'p'}
	span     = Attr{Len: 16, Align: 8, Storage: 'p'} // interval
	cstring  = Attr{Len: -2, Align: 1, Storage: 'p'}
)

func number(n int64) Value   { return Value{Bits: uint64(n)} }
func payload(s string) Value { return Value{Bytes: []byte(s)} }

// Layouts by hand, after heap_fill_tuple.
func TestAppend(t *testing.T) {
	null := Value{Null: true}
	for _, c := range []struct {
		name   string
		attrs  []Attr
		values []Value
		want   string // hexadecimal, spaces between columns
	}{
		{"nothing", nil, nil, ""},
		{"numbers are little-endian", []Attr{int8Attr, int4Attr, int2Attr, boolean},
			[]Value{number(1), number(-2), number(0x0102), number(1)}, "0100000000000000 feffffff 0201 01"},
		{"padding before wider ones", []Attr{boolean, int2Attr, boolean, int4Attr, boolean, int8Attr},
			[]Value{number(1), number(2), number(1), number(3), number(1), number(4)},
			"01 00 0200 01 000000 03000000 01 000000 0400000000000000"},
		{"NULL takes no room and no padding", []Attr{boolean, int8Attr, int2Attr}, []Value{number(1), null, number(2)}, "01 00 0200"},
		{"short header is not aligned", []Attr{boolean, text, text}, []Value{number(1), payload("ab"), payload("")}, "01 076162 03"},
		{"short header, then a number", []Attr{text, int4Attr}, []Value{payload("ab"), number(5)}, "076162 00 05000000"},
		{"PLAIN has no short header", []Attr{boolean, plain, plain}, []Value{number(1), payload("ab"), payload("")},
			"01 000000 180000006162 0000 10000000"},
		{"fixed by reference", []Attr{boolean, uuid, span}, []Value{number(1), payload("0123456789abcdef"), payload("ABCDEFGHIJKLMNOP")},
			"01" + hex.EncodeToString([]byte("0123456789abcdef")) + "00000000000000" + hex.EncodeToString([]byte("ABCDEFGHIJKLMNOP"))},
		{"C string", []Attr{cstring, int2Attr}, []Value{payload("ab"), number(7)}, "616200 00 0700"},
	} {
		got := hex.EncodeToString(Append(nil, c.attrs, c.values))
		if want := strings.ReplaceAll(c.want, " ", ""); got != want {
			t.Errorf("%s: %s, expected %s", c.name, got, want)
		}
	}
}

// The short header ends at 126 bytes of payload; a longer value is aligned and
// has 4 bytes.
func TestHeaderLimit(t *testing.T) {
	if MaxShortPayload != 126 {
		t.Fatalf("MaxShortPayload is %d", MaxShortPayload)
	}
	for _, c := range []struct {
		attr   Attr
		length int
		before int // bytes of the column in front
		want   int // bytes of the data area
		header string
	}{
		{text, 0, 1, 1 + 1, "03"},
		{text, 125, 1, 1 + 126, "fd"},
		{text, 126, 1, 1 + 127, "ff"},
		{text, 127, 1, 4 + 4 + 127, "0c020000"},
		{text, 127, 5, 8 + 4 + 127, "0c020000"},
		{double8, 126, 1, 1 + 127, "ff"},
		{double8, 127, 1, 8 + 4 + 127, "0c020000"},
		{plain, 126, 1, 4 + 4 + 126, "08020000"},
		{plain, 5, 4, 4 + 4 + 5, "24000000"},
		{text, 1 << 20, 0, 4 + 1<<20, "10004000"},
	} {
		attrs := append(slices.Repeat([]Attr{boolean}, c.before), c.attr)
		values := append(slices.Repeat([]Value{number(1)}, c.before), payload(strings.Repeat("v", c.length)))
		b := Append(nil, attrs, values)
		if len(b) != c.want {
			t.Errorf("%d bytes after %d: data area of %d bytes, expected %d", c.length, c.before, len(b), c.want)
		}
		header, _ := hex.DecodeString(c.header)
		if at := len(b) - c.length - len(header); at < 0 || !bytes.Equal(b[at:at+len(header)], header) {
			t.Errorf("%d bytes, storage %c: %x, expected header %s", c.length, c.attr.Storage, b[:min(len(b), 12)], c.header)
		}
	}
}

// Alignment counts from where the data area begins, not from the slice's start.
func TestAppendAfter(t *testing.T) {
	attrs, values := []Attr{boolean, int8Attr}, []Value{number(1), number(2)}
	want := Append(nil, attrs, values)
	for n := range 9 {
		prefix := bytes.Repeat([]byte{0xEE}, n)
		got := Append(slices.Clone(prefix), attrs, values)
		if !bytes.Equal(got[:n], prefix) || !bytes.Equal(got[n:], want) {
			t.Errorf("after %d bytes: %x, expected %x", n, got, want)
		}
	}
}

// Next reads back what Append wrote, whatever the columns; the test's own
// measure of the data area agrees with its length (heap_compute_data_size).
func TestRoundTrip(t *testing.T) {
	kinds := []Attr{boolean, int2Attr, int4Attr, int8Attr, text, plain, double8, uuid, span, cstring}
	r := rand.New(rand.NewPCG(7, 7))
	for round := range 5000 {
		n := r.IntN(12)
		attrs, values := make([]Attr, n), make([]Value, n)
		size := 0
		align := func(a uint8) { size = (size + int(a) - 1) / int(a) * int(a) }
		for i := range attrs {
			a := kinds[r.IntN(len(kinds))]
			attrs[i] = a
			if r.IntN(5) == 0 {
				values[i].Null = true
				continue
			}
			switch {
			case a.ByVal:
				// Values as input functions give them: with their sign.
				values[i].Bits = uint64(int64(r.Uint64()) >> (64 - 8*a.Len))
				align(a.Align)
				size += int(a.Len)
			case a.Len > 0:
				values[i].Bytes = random(r, int(a.Len))
				align(a.Align)
				size += int(a.Len)
			case a.Len == -2:
				values[i].Bytes = bytes.ReplaceAll(random(r, r.IntN(20)), []byte{0}, []byte{1})
				size += len(values[i].Bytes) + 1
			default:
				l := r.IntN(20)
				if r.IntN(3) == 0 {
					l = 120 + r.IntN(15)
				}
				if a.Storage != 'p' && r.IntN(6) == 0 {
					values[i].Form = Form(1 + r.IntN(2))
				}
				stored := 0
				switch {
				case values[i].Form == External: // a pointer, never aligned
					l = PointerSize
					stored = 2 + l
				case values[i].Form == Plain && l <= 126 && a.Storage != 'p':
					stored = 1 + l
				default:
					align(a.Align)
					stored = 4 + l
				}
				size += stored
				values[i].Bytes = random(r, l)
				if got := values[i].StoredSize(&a); got != stored {
					t.Fatalf("StoredSize is %d, expected %d", got, stored)
				}
			}
		}
		b := Append(nil, attrs, values)
		if len(b) != size {
			t.Fatalf("round %d: %d bytes, expected %d: %+v", round, len(b), size, attrs)
		}
		at := 0
		for i := range attrs {
			if values[i].Null {
				continue
			}
			var v Value
			v, at = Next(b, at, &attrs[i])
			if v.Null || v.Form != values[i].Form || v.Bits != values[i].Bits || !bytes.Equal(v.Bytes, values[i].Bytes) {
				t.Fatalf("round %d, column %d of %+v: %+v, expected %+v", round, i, attrs, v, values[i])
			}
		}
		if at != len(b) {
			t.Fatalf("round %d: read to %d of %d bytes", round, at, len(b))
		}
	}
}

func random(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte{0, 1, 4, 3, 'a', 'b', 'c', 5, 127})
	kinds := []Attr{boolean, int2Attr, int4Attr, int8Attr, text, plain, double8, uuid}
	f.Fuzz(func(t *testing.T, b []byte) {
		var attrs []Attr
		var values []Value
		for len(b) > 0 {
			a := kinds[int(b[0])%len(kinds)]
			null := b[0] >= 200
			b = b[1:]
			n := int(a.Len)
			if a.Len < 0 {
				n = 0
				if len(b) > 0 {
					n, b = int(b[0]), b[1:]
				}
			}
			if n > len(b) {
				break
			}
			v := Value{Null: null}
			switch {
			case null:
			case a.ByVal:
				var word [8]byte
				copy(word[:], b[:n])
				shift := 64 - 8*n
				v.Bits = uint64(int64(binary.LittleEndian.Uint64(word[:])<<shift) >> shift)
			default:
				v.Bytes = b[:n]
			}
			attrs, values, b = append(attrs, a), append(values, v), b[n:]
		}
		data := Append(nil, attrs, values)
		at := 0
		for i := range attrs {
			if values[i].Null {
				continue
			}
			var v Value
			v, at = Next(data, at, &attrs[i])
			if v.Bits != values[i].Bits || !bytes.Equal(v.Bytes, values[i].Bytes) {
				t.Fatalf("column %d: %+v, expected %+v", i, v, values[i])
			}
		}
		if at != len(data) {
			t.Fatalf("read to %d of %d bytes", at, len(data))
		}
	})
}

// How wide is a row? Columns ordered by alignment save padding.
func Example() {
	wide := []Attr{fixed(2), fixed(8), fixed(2), fixed(8), text}
	tight := []Attr{fixed(8), fixed(8), fixed(2), fixed(2), text}
	values := []Value{{Bits: 1}, {Bits: 2}, {Bits: 3}, {Bits: 4}, {Bytes: []byte("paid")}}
	fmt.Println(len(Append(nil, wide, values)), "and", len(Append(nil, tight, values)), "bytes")

	data := Append(nil, tight, values)
	at := 0
	var v Value
	for i := range tight {
		v, at = Next(data, at, &tight[i])
	}
	fmt.Printf("the last column is %s\n", v.Bytes)
	// Output:
	// 37 and 25 bytes
	// the last column is paid
}
