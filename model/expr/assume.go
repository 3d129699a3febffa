package expr

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"applysim/heap/datum"
	"applysim/model/pgtype"
	"applysim/model/schema"
)

// DefaultWidth is the width, in bytes, of a value of variable length that stands for
// one which cannot be computed: the planner's guess for a column without statistics.
// Source: REL_18_1, src/backend/utils/cache/lsyscache.c (get_typavgwidth).
const DefaultWidth = 32

// digestSize is how many bytes of an assumed value tell it from others that begin
// alike.
const digestSize = 8

// AssumeCondition returns a condition that stands for one which cannot be evaluated.
// It is true for a share of all rows, those whose bytes in the columns that it names
// and in the key columns have a hash below the selectivity. So a row stays in (or
// out) as long as neither changes. Without a key all columns count.
func AssumeCondition(sql string, t *schema.Table, key []int, selectivity float64) (*Expr, error) {
	cols, err := Names(sql, t)
	if err != nil {
		return nil, err
	}
	if selectivity < 0 || selectivity > 1 || selectivity != selectivity {
		return nil, fmt.Errorf("a selectivity of %v, expected 0 to 1", selectivity)
	}
	reads := slices.Concat(cols, key)
	if len(key) == 0 {
		for i := range t.Columns {
			if c := &t.Columns[i]; !c.Dropped && c.Generated == 0 {
				reads = append(reads, i)
			}
		}
	}
	slices.Sort(reads)
	reads = slices.Compact(reads)
	in := newInputs(t, reads)
	return &Expr{cols: cols, reads: reads, root: &node{typ: typeBool, typmod: -1, col: -1,
		eval: func(s *Scratch) (datum.Value, error) {
			h, _ := in.hash(s.row)
			return boolean(float64(h>>11)/(1<<53) < selectivity), nil
		}}}, nil
}

// AssumeValue returns an expression that stands for one which cannot be evaluated.
// Its value is made of the bytes of the columns that it names, so that equal ones
// give equal values, and different ones nearly always different values; it is NULL
// if one of them is. width is what a value of variable length takes in a tuple, its
// header included (pg_stats.avg_width); 0 stands for DefaultWidth.
//
// typ nil stands for a type of which nothing is known; its values are in the order
// of the columns' values: numbers by size, others by their bytes. Values of other
// types are valid, but in no particular order. The error names a type of which no
// value can be made up.
func AssumeValue(sql string, t *schema.Table, typ *pgtype.Type, typmod int32, width int) (*Expr, error) {
	cols, err := Names(sql, t)
	if err != nil {
		return nil, err
	}
	in := newInputs(t, cols)
	value, typ, err := standIn(typ, typmod, width)
	if err != nil {
		return nil, err
	}
	return &Expr{cols: cols, root: &node{typ: typ, typmod: typmod, col: -1,
		eval: func(s *Scratch) (datum.Value, error) {
			h, isNull := in.hash(s.row)
			if isNull {
				return null, nil
			}
			return value(s, h, in, s.row), nil
		}}}, nil
}

// AssumeDefault is AssumeValue for a default that depends on more than the row: each
// value is another.
func AssumeDefault(typ *pgtype.Type, typmod int32, width int) (*Expr, error) {
	value, typ, err := standIn(typ, typmod, width)
	if err != nil {
		return nil, err
	}
	return &Expr{volatile: []string{"a value that is made up"}, root: &node{typ: typ, typmod: typmod, col: -1, impure: true,
		eval: func(s *Scratch) (datum.Value, error) {
			h, err := s.random()
			if err != nil {
				return null, err
			}
			return value(s, h, nil, nil), nil
		}}}, nil
}

// Or makes stand the result of e for rows for which e cannot be evaluated; note is
// told why.
func (e *Expr) Or(stand *Expr, note func(error)) {
	e.fallback, e.note = stand, note
	if stand.reads != nil {
		e.reads = slices.Concat(e.cols, stand.reads)
		slices.Sort(e.reads)
		e.reads = slices.Compact(e.reads)
	}
}

// inputs are the columns of which an assumed value is made.
type inputs struct {
	cols  []int
	attrs []datum.Attr
	float []bool
}

func newInputs(t *schema.Table, cols []int) *inputs {
	in := &inputs{cols: cols}
	for _, i := range cols {
		c := &t.Columns[i]
		k := c.Type.Base().Kind
		in.attrs = append(in.attrs, c.Attr())
		in.float = append(in.float, k == pgtype.KindFloat4 || k == pgtype.KindFloat8)
	}
	return in
}

// hash digests the columns' stored bytes (FNV-1a, then mixed).
func (in *inputs) hash(row []datum.Value) (h uint64, isNull bool) {
	h = 14695981039346656037
	add := func(b []byte) {
		for _, c := range b {
			h = (h ^ uint64(c)) * 1099511628211
		}
	}
	var word [9]byte
	for i, n := range in.cols {
		v, a := &row[n], &in.attrs[i]
		switch {
		case v.Null:
			isNull = true
			add([]byte{0})
		case a.ByVal:
			word[0] = 1
			binary.LittleEndian.PutUint64(word[1:], a.Word(v))
			add(word[:])
		default:
			add(binary.LittleEndian.AppendUint32([]byte{2}, uint32(len(v.Bytes))))
			add(v.Bytes)
		}
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33, isNull
}

// appendOrdered appends bytes to dst that are in the order of the columns' values, up
// to a length of n.
func (in *inputs) appendOrdered(dst []byte, row []datum.Value, n int) []byte {
	if in == nil {
		return dst
	}
	for i, col := range in.cols {
		v, a := &row[col], &in.attrs[i]
		if !a.ByVal {
			dst = append(dst, v.Bytes[:min(len(v.Bytes), n-len(dst))]...)
		} else {
			word := v.Bits
			if in.float[i] && a.Len == 4 {
				word = math.Float64bits(float64(math.Float32frombits(uint32(word))))
			}
			if in.float[i] && int64(word) < 0 {
				word = ^word
			} else {
				word ^= 1 << 63
			}
			dst = binary.BigEndian.AppendUint64(dst, word)
			dst = dst[:min(len(dst), n)]
		}
		if len(dst) >= n {
			break
		}
	}
	return dst
}

// maker makes a value of a hash, and of the columns if its order is to follow them.
type maker func(s *Scratch, h uint64, in *inputs, row []datum.Value) datum.Value

// standIn returns what makes values of a type.
func standIn(typ *pgtype.Type, typmod int32, width int) (maker, *pgtype.Type, error) {
	if typ == nil {
		typ = pgtype.Lookup("bytea")
		return opaqueMaker(payload(width)), typ, nil
	}
	base := typ.Base()
	if typ.Kind == pgtype.KindDomain {
		typmod = typ.Typmod
	}
	switch {
	case base.Kind == pgtype.KindEnum:
		if len(base.Labels) == 0 {
			return nil, typ, fmt.Errorf("values of enum %s, which has no labels, cannot be made up", typ)
		}
		return func(_ *Scratch, h uint64, _ *inputs, _ []datum.Value) datum.Value {
			return datum.Value{Bits: uint64(base.LabelOID(int(h % uint64(len(base.Labels)))))}
		}, typ, nil
	case base.ByVal:
		return func(_ *Scratch, h uint64, _ *inputs, _ []datum.Value) datum.Value {
			return datum.Value{Bits: byValue(base, h)}
		}, typ, nil
	case base.Len > 0:
		return func(s *Scratch, h uint64, _ *inputs, _ []datum.Value) datum.Value {
			start := len(s.buf)
			s.buf = appendDigest(s.buf, h, int(base.Len))
			if base.Kind == pgtype.KindName {
				for i := start; i < len(s.buf); i++ {
					if s.buf[i] = "0123456789abcdef"[s.buf[i]&15]; i >= start+DefaultWidth {
						s.buf[i] = 0
					}
				}
			}
			return s.keep(s.buf, start)
		}, typ, nil
	case base.Kind == pgtype.KindBytea, base.Kind == pgtype.KindOpaque:
		return opaqueMaker(payload(width)), typ, nil
	}
	return textMaker(typ, base, typmod, width)
}

// payload is the length of a value without its header.
func payload(width int) int {
	switch {
	case width <= 0:
		width = DefaultWidth
	case width > datum.MaxShortPayload+1:
		return width - 4
	}
	return width - 1
}

// opaqueMaker makes values that begin as the columns do, and end in a digest.
func opaqueMaker(n int) maker {
	digest := min(digestSize, (n+1)/2)
	return func(s *Scratch, h uint64, in *inputs, row []datum.Value) datum.Value {
		start := len(s.buf)
		if in == nil {
			return s.keep(appendDigest(s.buf, h, n), start)
		}
		b := in.appendOrdered(make([]byte, 0, n), row, n-digest)
		for len(b) < n-digest {
			b = append(b, 0)
		}
		return s.keep(appendDigest(append(s.buf, b...), h, digest), start)
	}
}

// appendDigest appends n bytes that follow from a hash.
func appendDigest(dst []byte, h uint64, n int) []byte {
	for ; n > 0; n -= 8 {
		var word [8]byte
		binary.BigEndian.PutUint64(word[:], h)
		dst = append(dst, word[:min(n, 8)]...)
		h = (h + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
		h ^= h >> 31
	}
	return dst
}

// byValue makes a value of a type that is passed by value.
func byValue(t *pgtype.Type, h uint64) uint64 {
	switch t.Kind {
	case pgtype.KindBool:
		return h & 1
	case pgtype.KindFloat8:
		return math.Float64bits(float64(h >> 11))
	case pgtype.KindFloat4:
		return uint64(math.Float32bits(float32(h >> 40)))
	case pgtype.KindDate, pgtype.KindTimestamp, pgtype.KindTimestampTZ, pgtype.KindTime:
		day := h >> 32 % (100 * 365)
		switch t.Kind {
		case pgtype.KindDate:
			return day
		case pgtype.KindTime:
			return h % usecsPerDay
		}
		return day*usecsPerDay + h%usecsPerDay
	}
	switch t.Len {
	case 1:
		return uint64(int64(int8(h)))
	case 2:
		return uint64(int64(int16(h)))
	case 4:
		return uint64(int64(int32(h)))
	}
	return h
}

// textMaker makes values of types of variable length by their input functions, from
// as many digits as the width asks for.
func textMaker(typ, base *pgtype.Type, typmod int32, width int) (maker, *pgtype.Type, error) {
	wrap := func(d []byte) []byte { return d }
	switch base.Kind {
	case pgtype.KindText, pgtype.KindVarchar, pgtype.KindBpchar, pgtype.KindXML, pgtype.KindNumeric:
	case pgtype.KindBit, pgtype.KindVarbit:
		wrap = func(d []byte) []byte { return append([]byte("x"), d...) }
	case pgtype.KindJSON, pgtype.KindJsonb:
		wrap = func(d []byte) []byte { return append(append([]byte{'"'}, d...), '"') }
	case pgtype.KindTSVector:
		const lexeme = 1000
		wrap = func(d []byte) []byte {
			var b []byte
			for chunk := range slices.Chunk(d, lexeme) {
				b = append(append(b, chunk...), ' ')
			}
			return b
		}
	case pgtype.KindArray:
		switch e := base.Elem.Base(); e.Kind {
		case pgtype.KindText, pgtype.KindVarchar, pgtype.KindName, pgtype.KindNumeric:
			wrap = func(d []byte) []byte { return append(append([]byte{'{'}, d...), '}') }
		case pgtype.KindInt2, pgtype.KindInt4, pgtype.KindInt8:
			wrap = func(d []byte) []byte { // an element for each digit
				return append(append([]byte{'{'}, bytes.Join(bytes.Split(d, nil), []byte{','})...), '}')
			}
		default:
			return sampleMaker(typ, base)
		}
	default:
		return sampleMaker(typ, base)
	}
	attr := typ.Attr()
	input := func(h uint64, n int) (datum.Value, error) {
		v, _, err := base.Input(wrap(digits(h, n)), -1, nil)
		return v, err
	}
	if base.Kind == pgtype.KindVarchar || base.Kind == pgtype.KindBpchar {
		if limit := int(typmod) - 4 + 1; typmod >= 0 && (width <= 0 || base.Kind == pgtype.KindBpchar) {
			if width = limit; base.Kind == pgtype.KindVarchar {
				width = min(limit, DefaultWidth)
			}
		}
	}
	if width <= 0 {
		width = DefaultWidth
	}
	const probe = 0x5eed
	// Longest of the texts that are not too wide.
	n := 1
	for step := 1 << 20; step > 0; step /= 2 {
		if n+step > 2*width {
			continue
		}
		if v, err := input(probe, n+step); err == nil && v.StoredSize(&attr) <= width {
			n += step
		}
	}
	if _, err := input(probe, n); err != nil {
		return nil, typ, fmt.Errorf("values of type %s cannot be made up: %v", typ, err)
	}
	return func(s *Scratch, h uint64, _ *inputs, _ []datum.Value) datum.Value {
		v, err := input(h, n)
		if err != nil {
			panic("expr: a value that was made up is not valid: " + err.Error())
		}
		return s.bytes(v.Bytes)
	}, typ, nil
}

// digits gives n decimal digits that follow from a hash, the first of which is not 0.
func digits(h uint64, n int) []byte {
	var b []byte
	for len(b) < n {
		b = strconv.AppendUint(b, h%9e18+1e18, 10)
		h = (h + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
		h ^= h >> 31
	}
	return b[:n]
}
