package scenario

import (
	"math"
	"math/rand/v2"
	"slices"

	"applysim/model/pgtype"
	"applysim/model/schema"
)

// column makes the values of a column. A value follows from the seed, the names of
// table and column, the number of the row and what is kept of it, and from nothing
// else, so that variants of a scenario have the same rows.
type column struct {
	Column
	typ    *pgtype.Type
	typmod int32
	salt   uint64
	key    bool // part of the replica identity
	nulls  uint64
	slot   int // what is kept of each row, -1 nothing
	write  writer
	unique bool

	zipf     *zipf
	spread   spread
	bounds   []uint64 // Choice: of the values' shares in 64 random bits
	next     uint64   // Monotone and updated: the sequence
	texts    [][]byte // Choice: what is written
	binary   bool
	send     bool // binary values are made of their text by the type's send function
	rng      rand.PCG
	day      int64  // the text of a date,
	dayText  []byte // made last
	permuted bool   // no two rows have the same value
	pattern  *pattern
	storage  byte // of the publisher's column: plain, main, external, extended
}

// Salts that keep what is drawn for one value apart.
const (
	saltNull  = 0x6e756c6c
	saltWidth = 0x7769647468
	saltText  = 0x74657874
)

// newColumn completes what the file says of a column from its type. assumed is what had
// to be chosen, "" if nothing.
func newColumn(s *Scenario, t *schema.Table, c *schema.Column, given *Column, unique, updated bool) (x *column, assumed string, err error) {
	x = &column{typ: c.Type.Base(), typmod: c.Typmod, slot: -1, unique: unique, binary: s.Binary}
	if c.Type.Typmod >= 0 && c.Typmod < 0 {
		x.typmod = c.Type.Typmod // a domain's
	}
	at := "schema"
	if given != nil {
		x.Column, at = *given, given.at
		if at == "" {
			at = "schema"
		}
	} else {
		x.Column = Column{First: 1, Step: 1, Scale: 2}
	}
	x.Name = c.Name
	name := t.QualifiedName() + "." + c.Name
	x.salt = hashName(s.Seed, t.QualifiedName(), c.Name)
	if given != nil && x.Nulls > 0 && c.NotNull {
		return nil, "", s.fail(at+".nulls", "nulls = %v: %s is NOT NULL", x.Nulls, name)
	}
	how := x.complete(unique)
	if given == nil || given.Kind == ByType {
		if how != "" {
			assumed = name + ": " + how
		}
	}
	if x.Kind == "" {
		return nil, "", s.fail(at, "%s has type %s, for which no values can be made up: expected values = [...] in [tables.%s.columns.%s]", name, c.Type, t.QualifiedName(), c.Name)
	}
	if x.write, err = x.writer(s.Binary); err != nil {
		return nil, "", s.fail(at, "%s: %v", name, err)
	}
	if err := x.prepare(s, at, name); err != nil {
		return nil, "", err
	}
	if updated || x.Kind == Time || x.Kind == UUIDv7 {
		x.slot = 0 // numbered later
	}
	if x.send {
		try := x.index(0, 0)
		if _, err := x.sent(nil, x.appendValue(nil, try, int64(s.Start), 0)); err != nil {
			return nil, "", s.fail(at, "%s: %v", name, err)
		}
	}
	x.nulls = share(x.Nulls)
	x.storage = c.Storage
	return x, assumed, nil
}

// share is a share of 64 random bits.
func share(f float64) uint64 {
	if f >= 1 {
		return math.MaxUint64
	}
	return uint64(float64(f*(1<<53))) << 11
}

// complete chooses what the file leaves open; it returns what that is.
func (x *column) complete(unique bool) string {
	k := x.typ.Kind
	if x.MaxWidth == 0 && x.MinWidth == 0 && hasWidth(k) {
		x.MinWidth, x.MaxWidth = DefaultWidth, DefaultWidth
	}
	if x.Kind != ByType {
		if x.Kind == Random && x.Distinct == 0 && !unique && !hasWidth(k) && k != pgtype.KindUUID {
			x.Distinct = DefaultDistinct
		}
		return ""
	}
	if len(x.Values) > 0 {
		x.Kind = Choice
		return ""
	}
	switch {
	case k == pgtype.KindEnum:
		x.Kind, x.Values = Choice, x.typ.Labels
		return "all labels alike"
	case k == pgtype.KindBool:
		x.Kind, x.Values = Choice, []string{"f", "t"}
		return "true and false alike"
	case k == pgtype.KindUUID:
		x.Kind = UUIDv4
		return "uuid4"
	case k == pgtype.KindTimestamp, k == pgtype.KindTimestampTZ, k == pgtype.KindDate:
		x.Kind = Time
		return "when the row is written"
	case unique && isNumber(k):
		x.Kind = Monotone
		return "monotone"
	case writable(k):
		x.Kind = Random
		if unique || hasWidth(k) {
			if hasWidth(k) {
				return "random texts, all different"
			}
			return "random"
		}
		x.Distinct = DefaultDistinct
		return "10,000 different values"
	}
	return ""
}

// prepare makes what drawing needs.
func (x *column) prepare(s *Scenario, at, name string) error {
	if k := x.typ.Kind; (x.Kind == Monotone || x.Kind == Correlated) && !isNumber(k) && !hasWidth(k) && !numbered(k) {
		return s.fail(at, "%s: kind = %q goes with numbers, texts, times and addresses, not with type %s", name, x.Kind, x.typ)
	}
	if (x.Kind == UUIDv4 || x.Kind == UUIDv7) && x.typ.Kind != pgtype.KindUUID && !hasWidth(x.typ.Kind) {
		return s.fail(at, "%s: kind = %q goes with type uuid, not with %s", name, x.Kind, x.typ)
	}
	if x.Kind == Time && !isTime(x.typ.Kind) {
		return s.fail(at, "%s: kind = \"time\" goes with dates and times, not with type %s", name, x.typ)
	}
	if x.Pattern != "" {
		if !hasWidth(x.typ.Kind) || x.typ.Kind == pgtype.KindBytea || x.typ.Kind == pgtype.KindJSON || x.typ.Kind == pgtype.KindJsonb || x.typ.Kind == pgtype.KindXML {
			return s.fail(at+".pattern", "%s: a pattern goes with texts, not with type %s", name, x.typ)
		}
		var err error
		if x.pattern, err = parsePattern(x.Pattern); err != nil {
			return s.fail(at+".pattern", "%s: pattern = %q: %v", name, x.Pattern, err)
		}
		x.MinWidth, x.MaxWidth = x.pattern.long(), x.pattern.long()
		if n := x.limit(); n > 0 && len(x.pattern.places) > n {
			return s.fail(at+".pattern", "%s: pattern = %q has %d characters: type %s(%d) has room for fewer", name, x.Pattern, len(x.pattern.places), x.typ, n)
		}
		if x.Kind == Random && x.Distinct == 0 && x.unique {
			x.Distinct, x.permuted = int64(x.pattern.count), true
		}
	}
	if x.Kind == Choice {
		for _, v := range x.Values {
			if _, _, err := x.typ.Input([]byte(v), x.typmod, nil); err != nil {
				return s.fail(at, "%s: values: %q: %v", name, v, err)
			}
			x.texts = append(x.texts, x.encodeText(x.canonical(v)))
		}
		weights := x.Weights
		if weights == nil {
			weights = slices.Repeat([]float64{1}, len(x.Values))
			if x.Zipf > 0 {
				z := newZipf(int64(len(weights)), x.Zipf)
				for i := range weights {
					weights[i] = z.power(float64(i + 1))
				}
			}
		}
		total, sum := 0.0, 0.0
		for _, w := range weights {
			total += w
		}
		for _, w := range weights {
			sum += w
			x.bounds = append(x.bounds, share(float64(sum/total)))
		}
		x.bounds[len(x.bounds)-1] = math.MaxUint64
		return nil
	}
	if x.Kind == Random && x.Distinct == 0 && x.unique && isNumber(x.typ.Kind) {
		n := numberLimit(x.typ.Kind)
		if n == 0 || x.typ.Kind == pgtype.KindNumeric {
			n = 1 << 50
		}
		x.Distinct, x.permuted = n, true
	}
	if x.Distinct > 0 {
		if x.Zipf > 0 {
			x.zipf = newZipf(x.Distinct, x.Zipf)
		}
		x.spread = newSpread(uint64(x.Distinct), x.salt)
	}
	return nil
}

// index is which of its values the column has in a row: version counts the values that
// it had there before.
func (x *column) index(row int64, version uint64) uint64 {
	switch x.Kind {
	case Monotone:
		if version > 0 {
			return version - 1
		}
		return uint64(row)
	case Correlated:
		return uint64(row/x.RowsPerValue) + version
	case Random:
		if x.permuted {
			return x.spread.at((uint64(row) + version<<32) % uint64(x.Distinct))
		}
	}
	x.rng.Seed(x.salt^mix(version), uint64(row))
	r := x.rng.Uint64()
	switch {
	case x.Kind == Choice:
		for i, b := range x.bounds {
			if r < b {
				return uint64(i)
			}
		}
		return uint64(len(x.bounds) - 1)
	case x.zipf != nil:
		return x.spread.at(x.zipf.draw(&x.rng))
	case x.Distinct > 0:
		return scale(r, uint64(x.Distinct))
	}
	return r
}

// indexOf is index for a row of a draw.
func (x *column) indexOf(row int64, version, draw uint64) uint64 {
	if x.redrawn() {
		version += draw << drawShift
	}
	return x.index(row, version)
}

// isNull says whether the column has NULL in a row.
func (x *column) isNull(row int64, version uint64) bool {
	return x.nulls > 0 && mix(x.salt^saltNull^mix(uint64(row))^mix(version)<<1) < x.nulls
}

// renew returns the version after one: the next that has another value, if there is any.
func (x *column) renew(row int64, version, draw uint64, now int64) uint64 {
	switch x.Kind {
	case Time, UUIDv7:
		return uint64(now) + 1
	case Monotone:
		x.next++
		return x.next
	}
	isNull := func() bool { return x.isNull(row, version+draw<<drawShift) }
	old, null := x.indexOf(row, version, draw), isNull()
	for range 16 {
		version++
		if n := isNull(); n != null || !n && x.indexOf(row, version, draw) != old {
			break
		}
	}
	return version
}

// numbered says whether values of a type can be numbered, though they are no numbers.
func numbered(k pgtype.Kind) bool {
	switch k {
	case pgtype.KindDate, pgtype.KindTimestamp, pgtype.KindTimestampTZ, pgtype.KindTime, pgtype.KindInterval, pgtype.KindInet, pgtype.KindCidr, pgtype.KindMacaddr, pgtype.KindMacaddr8, pgtype.KindLSN, pgtype.KindTID:
		return true
	}
	return false
}
