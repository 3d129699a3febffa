package pgtype

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"applysim/heap/datum"
)

// testdata/recorded comes from PostgreSQL 18.1 (database in UTF8 and the C
// locale): see testdata/README.md for how. A line of values.tsv is one value:
// type, atttypmod, rank within its type by ORDER BY ("-": no order), text and
// send function's output and stored bytes without a length word, in hex, and
// what the receive function stores ("=": the same). Lines with "-" for the binary form are other spellings of the value above them.

type recordedValue struct {
	spec   string
	typmod int32
	rank   int // 0: none
	text   []byte
	binary []byte // nil: none
	stored []byte
	// fromBinary is what the receive function stores: the same but for tsquery,
	// which lays its texts out in another order.
	fromBinary []byte
}

var recorded = sync.OnceValue(func() (r struct {
	values []recordedValue
	errors [][3]string
	types  map[string]*Type
}) {
	r.types = make(map[string]*Type)
	oids := make(map[string][2]uint32)
	for _, f := range readTSV("testdata/recorded/values.tsv.gz") {
		switch f[0] {
		case "#type":
			oids[f[1]] = [2]uint32{uint32(atoi(f[2])), uint32(atoi(f[3]))}
			continue
		case "#label":
			continue
		}
		v := recordedValue{spec: f[0], typmod: int32(atoi(f[1])), text: unhex(f[3]), stored: unhex(f[5])}
		if f[2] != "-" {
			v.rank = atoi(f[2])
		}
		v.fromBinary = v.stored
		if f[6] != "=" {
			v.fromBinary = unhex(f[6])
		}
		if f[4] != "-" {
			v.binary = unhex(f[4])
		}
		r.values = append(r.values, v)
	}
	for _, f := range readTSV("testdata/recorded/errors.tsv.gz") {
		r.errors = append(r.errors, [3]string{f[0], string(unhex(f[1])), f[2]})
	}
	add := func(types ...*Type) {
		for _, t := range types {
			n := oids[t.Name]
			t.OID, t.array.OID = n[0], n[1]
			r.types[t.Name] = t
		}
	}
	numeric, varchar := Lookup("numeric"), Lookup("varchar")
	add(NewEnum("public", "mood", []string{"sad", "ok", "happy", `a "b" c`}))
	m, _ := TypmodIn(numeric, []string{"8", "2"})
	add(NewDomain("public", "dom_n", numeric, m, false))
	add(NewDomain("public", "dom_v", varchar, 9, true))
	add(NewDomain("public", "dom_arr", ArrayOf(Lookup("int")), -1, false))
	m, _ = TypmodIn(numeric, []string{"6", "2"})
	add(NewComposite("public", "comp", []Field{{Name: "a", Type: Lookup("int"), Typmod: -1}, {Name: "b", Type: Lookup("text"), Typmod: -1},
		{Name: "c", Type: numeric, Typmod: m}, {Name: "d", Type: Lookup("char"), Typmod: 7}, {Name: "e", Type: Lookup("bool"), Typmod: -1}}))
	add(NewComposite("public", "comp2", []Field{{Name: "x", Type: r.types["comp"], Typmod: -1}, {Name: "y", Type: Lookup("int[]"), Typmod: -1},
		{Name: "z", Type: Lookup("timestamptz"), Typmod: -1}, {Name: "w", Type: Lookup("float8"), Typmod: -1}}))
	for name, sub := range map[string]string{"textrange": "text", "floatrange": "float8", "uuidrange": "uuid"} {
		rng, multi := NewRange("public", name, Lookup(sub), "")
		add(rng, multi)
	}
	return r
})

// resolve finds the type of a recorded line, whose name may have a modifier.
func resolve(t testing.TB, spec string) (*Type, int32) {
	name, dims := strings.CutSuffix(spec, "[]")
	var args []string
	if i := strings.IndexByte(name, '('); i >= 0 {
		j := strings.IndexByte(name, ')')
		args = strings.Split(name[i+1:j], ",")
		name = name[:i] + name[j+1:]
	}
	if rest, ok := strings.CutPrefix(name, "interval"); ok {
		name = "interval"
		if rest != "" {
			args = append([]string{rest}, args...)
		}
	}
	typ := Lookup(name)
	if typ == nil {
		typ = recorded().types[name]
	}
	if typ == nil {
		t.Fatalf("type %q is not known", name)
	}
	typmod, err := TypmodIn(typ, args)
	if err != nil {
		t.Fatalf("%s: %v", spec, err)
	}
	if dims {
		typ = ArrayOf(typ)
	}
	return typ, typmod
}

func readTSV(path string) (rows [][]string) {
	f, err := os.Open(path)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		panic(err)
	}
	s := bufio.NewScanner(z)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		rows = append(rows, strings.Split(s.Text(), "\t"))
	}
	return rows
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// storedBytes is what a tuple would hold, without a length word.
func storedBytes(t *Type, v datum.Value) []byte {
	if t.ByVal {
		return le.AppendUint64(nil, v.Bits)[:t.Len]
	}
	return v.Bytes
}

// fromStored is the inverse.
func fromStored(t *Type, b []byte) datum.Value {
	if !t.ByVal {
		return datum.Value{Bytes: b}
	}
	var w [8]byte
	copy(w[:], b)
	n := le.Uint64(w[:])
	switch t.Base().Kind {
	case KindInt2:
		n = uint64(int64(int16(n)))
	case KindInt4, KindDate:
		n = signExtend32(uint32(n))
	}
	return datum.Value{Bits: n}
}

func TestRecordedText(t *testing.T) {
	for _, r := range recorded().values {
		if r.spec == "jsonpath" {
			continue // a known gap
		}
		typ, typmod := resolve(t, r.spec)
		if typmod != r.typmod && typ.Kind != KindDomain {
			t.Errorf("%s: typmod %d, the server has %d", r.spec, typmod, r.typmod)
		}
		prefix := []byte("before")
		v, scratch, err := typ.Input(r.text, typmod, prefix)
		check(t, "Input", r, typ, v, scratch, err)
	}
}

func TestRecordedBinary(t *testing.T) {
	for _, r := range recorded().values {
		if r.binary == nil || r.spec == "jsonpath" {
			continue
		}
		typ, typmod := resolve(t, r.spec)
		r.stored = r.fromBinary
		v, scratch, err := typ.Receive(r.binary, typmod, []byte("before"))
		check(t, "Receive", r, typ, v, scratch, err)
	}
}

func check(t *testing.T, what string, r recordedValue, typ *Type, v datum.Value, scratch []byte, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s %s %q: %v", what, r.spec, r.text, err)
		return
	}
	if got := storedBytes(typ, v); !bytes.Equal(got, r.stored) {
		t.Errorf("%s %s %q:\n got %x\nwant %x", what, r.spec, r.text, got, r.stored)
	}
	if want := fromStored(typ, r.stored); v.Bits != want.Bits {
		t.Errorf("%s %s %q: bits %x, want %x", what, r.spec, r.text, v.Bits, want.Bits)
	}
	if !bytes.HasPrefix(scratch, []byte("before")) {
		t.Errorf("%s %s %q: scratch begins %q", what, r.spec, r.text, scratch[:min(6, len(scratch))])
	} else if n := len(scratch) - len("before"); n != 0 && n != len(v.Bytes) {
		t.Errorf("%s %s %q: scratch grew by %d bytes, payload has %d", what, r.spec, r.text, n, len(v.Bytes))
	}
}

func TestRecordedErrors(t *testing.T) {
	for _, r := range recorded().errors {
		if r[0] == "jsonpath" {
			continue
		}
		typ, typmod := resolve(t, r[0])
		_, scratch, err := typ.Input([]byte(r[1]), typmod, []byte("before"))
		if err == nil {
			t.Errorf("%s %q: accepted, want %q", r[0], r[1], r[2])
		} else if got := err.Error(); got != r[2] {
			t.Errorf("%s %q:\n got %s\nwant %s", r[0], r[1], got, r[2])
		}
		if string(scratch) != "before" {
			t.Errorf("%s %q: scratch is %q after an error", r[0], r[1], scratch)
		}
	}
}

func TestRecordedOrder(t *testing.T) {
	groups := make(map[string][]recordedValue)
	for _, r := range recorded().values {
		if r.rank > 0 && r.binary != nil {
			groups[r.spec] = append(groups[r.spec], r)
		}
	}
	for spec, rs := range groups {
		typ, _ := resolve(t, spec)
		class := typ.OpClass()
		if class == nil {
			t.Errorf("%s: the server orders it, but there is no class", spec)
			continue
		}
		for _, x := range rs {
			for _, y := range rs {
				a, b := fromStored(typ, x.stored), fromStored(typ, y.stored)
				got, want := sign(class.Compare(&a, &b)), sign(x.rank-y.rank)
				if got != want {
					t.Errorf("%s: %q against %q: %d, want %d", spec, x.text, y.text, got, want)
				}
				p, q := class.Abbrev(&a), class.Abbrev(&b)
				if want < 0 && p > q || want == 0 && p != q && class.Width > 0 {
					t.Errorf("%s: abbreviations of %q and %q are %x and %x", spec, x.text, y.text, p, q)
				}
				if class.Width > 0 && p == q && want != 0 {
					t.Errorf("%s: %q and %q differ, but not in their abbreviation", spec, x.text, y.text)
				}
				if class.EqualImage && want == 0 && !bytes.Equal(x.stored, y.stored) && typ.Kind != KindBpchar {
					t.Errorf("%s: %q and %q are equal, but not their bytes", spec, x.text, y.text)
				}
			}
		}
	}
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

// TestNumericWays compares the short way with the general one.
func TestNumericWays(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 50000 {
		text := strconv.FormatUint(r.Uint64()>>(r.IntN(54)+10), 10)
		if i := r.IntN(len(text)); i > 0 {
			text = text[:i] + "." + text[i:]
		}
		if r.IntN(2) == 0 {
			text = "-" + text
		}
		typmod := int32(-1)
		if r.IntN(2) == 0 {
			p := r.Int32N(20) + 1
			typmod, _ = numericTypmodIn([]int32{p, r.Int32N(p + 1)})
		}
		got, _, ok := shortNumeric([]byte(text), typmod, nil)
		d := newDecimal()
		d.neg = text[0] == '-'
		err := d.parse([]byte(text), []byte(strings.TrimPrefix(text, "-")))
		if err != nil {
			t.Fatal(text, err)
		}
		want, _, err := d.store(typmod, nil)
		if ok && (err != nil || !bytes.Equal(got.Bytes, want.Bytes)) {
			t.Fatalf("%s, typmod %d: %x, the other way %x, %v", text, typmod, got.Bytes, want.Bytes, err)
		}
	}
}
