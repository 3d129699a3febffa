package pgtype

import (
	"bytes"
	"sort"
	"sync"
	"testing"

	"applysim/heap/datum"
)

// fuzzTypes lists every type that has an input function, in a fixed order.
var fuzzTypes = sync.OnceValue(func() []*Type {
	var types []*Type
	for _, t := range catalog.byOID {
		types = append(types, t)
	}
	for _, t := range recorded().types {
		types = append(types, t, t.array)
	}
	sort.Slice(types, func(i, j int) bool { return types[i].OID < types[j].OID })
	return types
})

func typeIndex(t *Type) uint16 {
	for i, x := range fuzzTypes() {
		if x.OID == t.OID {
			return uint16(i)
		}
	}
	return 0
}

// checkValue asserts what holds for any value that was accepted.
func checkValue(t *testing.T, typ *Type, v datum.Value, scratch, before []byte) {
	t.Helper()
	if !bytes.HasPrefix(scratch, before) {
		t.Fatalf("%s: scratch was overwritten", typ)
	}
	if n := len(scratch) - len(before); n != 0 && n != len(v.Bytes) {
		t.Fatalf("%s: scratch grew by %d, payload has %d bytes", typ, n, len(v.Bytes))
	}
	if typ.Len > 0 && !typ.ByVal && len(v.Bytes) != int(typ.Len) {
		t.Fatalf("%s: %d bytes, want %d", typ, len(v.Bytes), typ.Len)
	}
	typ.Text(v)
	if class := typ.OpClass(); class != nil {
		if c := class.Compare(&v, &v); c != 0 {
			t.Fatalf("%s: a value compares %d with itself", typ, c)
		}
		class.Abbrev(&v)
	}
}

func FuzzInput(f *testing.F) {
	for _, r := range recorded().values {
		if len(r.text) < 100 {
			typ, typmod := resolve(f, r.spec)
			f.Add(typeIndex(typ), typmod, r.text)
		}
	}
	for _, r := range recorded().errors {
		typ, typmod := resolve(f, r[0])
		f.Add(typeIndex(typ), typmod, []byte(r[1]))
	}
	f.Fuzz(func(t *testing.T, i uint16, typmod int32, text []byte) {
		typ := fuzzTypes()[int(i)%len(fuzzTypes())]
		if len(text) > 1<<12 || typmod > 1<<12 && (typ.Base().Kind == KindBpchar || typ.Kind == KindArray) {
			return // padding to millions of blanks teaches nothing
		}
		before := []byte("xyz")
		v, scratch, err := typ.Input(text, typmod, before)
		if err != nil {
			return
		}
		checkValue(t, typ, v, scratch, before)
	})
}

func FuzzReceive(f *testing.F) {
	for _, r := range recorded().values {
		if r.binary != nil && len(r.binary) < 100 {
			typ, typmod := resolve(f, r.spec)
			f.Add(typeIndex(typ), typmod, r.binary)
		}
	}
	f.Fuzz(func(t *testing.T, i uint16, typmod int32, bin []byte) {
		typ := fuzzTypes()[int(i)%len(fuzzTypes())]
		if len(bin) > 1<<12 || typmod > 1<<12 && (typ.Base().Kind == KindBpchar || typ.Kind == KindArray) {
			return
		}
		before := []byte("xyz")
		v, scratch, err := typ.Receive(bin, typmod, before)
		if err != nil {
			return
		}
		checkValue(t, typ, v, scratch, before)
	})
}

// TestTruncatedBinary cuts and damages every recorded message.
func TestTruncatedBinary(t *testing.T) {
	for _, r := range recorded().values {
		if r.binary == nil || len(r.binary) > 300 || len(r.text) > 300 {
			continue
		}
		typ, typmod := resolve(t, r.spec)
		for i := range r.binary {
			typ.Receive(r.binary[:i], typmod, nil)
			b := bytes.Clone(r.binary)
			b[i] ^= 0xFF
			typ.Receive(b, typmod, nil)
			b[i] ^= 0x7F
			typ.Receive(b, typmod, nil)
		}
		for i := range r.text {
			typ.Input(r.text[:i], typmod, nil)
		}
	}
}

// FuzzOrder checks that Compare is a total order and Abbrev agrees with it.
func FuzzOrder(f *testing.F) {
	values := recorded().values
	for i := 0; i+2 < len(values); i += 3 {
		if values[i].spec == values[i+2].spec && len(values[i].text) < 100 {
			typ, _ := resolve(f, values[i].spec)
			f.Add(typeIndex(typ), values[i].text, values[i+1].text, values[i+2].text)
		}
	}
	f.Fuzz(func(t *testing.T, i uint16, a, b, c []byte) {
		typ := fuzzTypes()[int(i)%len(fuzzTypes())]
		class := typ.OpClass()
		if class == nil || len(a)+len(b)+len(c) > 1<<10 {
			return
		}
		var v [3]datum.Value
		for k, text := range [][]byte{a, b, c} {
			var err error
			if v[k], _, err = typ.Input(text, -1, nil); err != nil {
				return
			}
		}
		checkOrder(t, typ, v)
	})
}

func checkOrder(t *testing.T, typ *Type, v [3]datum.Value) {
	t.Helper()
	class := typ.OpClass()
	var c [3][3]int
	for i := range v {
		for j := range v {
			c[i][j] = sign(class.Compare(&v[i], &v[j]))
			p, q := class.Abbrev(&v[i]), class.Abbrev(&v[j])
			switch {
			case c[i][j] < 0 && p > q:
				t.Fatalf("%s: %q < %q, but %x > %x", typ, typ.Text(v[i]), typ.Text(v[j]), p, q)
			case class.Width > 0 && (p == q) != (c[i][j] == 0):
				t.Fatalf("%s: %q and %q: %d, abbreviations %x and %x", typ, typ.Text(v[i]), typ.Text(v[j]), c[i][j], p, q)
			}
		}
	}
	for i := range v {
		for j := range v {
			if c[i][j] != -c[j][i] {
				t.Fatalf("%s: not antisymmetric: %q, %q", typ, typ.Text(v[i]), typ.Text(v[j]))
			}
			for k := range v {
				if c[i][j] <= 0 && c[j][k] <= 0 && c[i][k] > 0 {
					t.Fatalf("%s: not transitive: %q, %q, %q", typ, typ.Text(v[i]), typ.Text(v[j]), typ.Text(v[k]))
				}
			}
		}
	}
	if class.Unabbrev != nil {
		for i := range v {
			got := class.Unabbrev(class.Abbrev(&v[i]))
			if got != v[i].Bits {
				t.Fatalf("%s: %x comes back as %x", typ, v[i].Bits, got)
			}
		}
	}
}
