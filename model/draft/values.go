package draft

import (
	"fmt"
	"math"
	"strings"

	"applysim/model/observed"
	"applysim/model/pgtype"
	"applysim/model/scenario"
	"applysim/model/schema"
)

// values says of each column that is published how its values are distributed.
func (d *Draft) values(t *Table) {
	for i := range t.Schema.Columns {
		c := &t.Schema.Columns[i]
		if c.Dropped || c.Generated != 0 {
			continue
		}
		x := &Column{Schema: c, number: i, Spec: scenario.Column{Name: c.Name, First: 1, Step: 1, Scale: 2}}
		t.Columns = append(t.Columns, x)
		if t.stats != nil && d.measured(t, x, t.stats.Column(c.Name)) {
			continue
		}
		d.guess(t, x)
	}
}

// guess goes by foreign keys, by the column's type and by its name.
func (d *Draft) guess(t *Table, x *Column) {
	k, name := x.base().Kind, strings.ToLower(x.Schema.Name)
	if parent := d.refersTo(t, x); parent != nil && isNumber(k) {
		x.Spec.Kind, x.Spec.Distinct = scenario.Random, max(d.rowsOf(parent), 1)
		x.Note = "refers to " + parent.QualifiedName()
		return
	}
	switch {
	case k == pgtype.KindEnum, k == pgtype.KindBool:
		return // by type
	case k == pgtype.KindJsonpath && !x.Schema.NotNull:
		x.Spec.Nulls, x.Note = 1, "NULL: how it is stored is not modelled"
	case isTime(k) && k != pgtype.KindTime:
		x.Spec.Kind = scenario.Time
		if !x.Schema.NotNull && contains(name, "delet", "archiv", "discard", "cancel", "revoked", "locked", "banned") {
			x.Spec.Nulls = 0.95
		}
	case isNumber(k):
		x.Spec.Kind, x.Spec.Distinct = scenario.Random, scenario.DefaultDistinct
		switch {
		case contains(name, "count", "position", "rank", "level", "priority", "attempts", "retries", "version", "quantity"):
			x.Spec.Distinct = 100
		case strings.HasSuffix(name, "_id"):
			x.Spec.Distinct = max(t.Rows/10, 100)
		}
		if n := numberLimit(x); n > 0 {
			x.Spec.Distinct = min(x.Spec.Distinct, n)
		}
	case k == pgtype.KindJSON, k == pgtype.KindJsonb:
		x.width(100, 100)
	case k == pgtype.KindBytea:
		x.width(64, 64)
		if contains(name, "sha", "digest", "hash", "key") {
			x.width(32, 32)
		}
	case isText(k):
		d.guessText(t, x, name)
	}
}

// guessText goes by a text's name.
func (d *Draft) guessText(t *Table, x *Column, name string) {
	switch {
	case contains(name, "status", "state", "kind", "type", "role", "locale", "lang", "country", "currency", "category", "level", "method"):
		x.Spec.Kind, x.Spec.Distinct = scenario.Random, 8
		x.width(8, 8)
	case contains(name, "body", "content", "description", "message", "comment", "note", "html", "markdown", "text", "bio", "summary"):
		x.width(20, 400)
	case contains(name, "url", "uri", "path", "link", "href"):
		x.width(30, 90)
	case contains(name, "token", "digest", "hash", "sha", "secret", "password", "encrypted", "signature", "fingerprint"):
		x.width(40, 40)
	case contains(name, "email"):
		x.width(16, 32)
	case contains(name, "code", "slug", "key", "sku", "zip", "phone", "number", "ref"):
		x.width(8, 16)
	case contains(name, "title", "name", "label", "subject"):
		x.width(8, 40)
	default:
		x.width(32, 32)
	}
}

// width sets the bytes of a text, as far as its type takes them.
func (x *Column) width(least, most int) {
	if n := textLimit(x); n > 0 {
		least, most = min(least, n), min(most, n)
	}
	x.Spec.MinWidth, x.Spec.MaxWidth = least, most
}

// measured goes by the planner's statistics; false if there are none.
func (d *Draft) measured(t *Table, x *Column, c *observed.Column) bool {
	if c == nil || c.NullFrac == nil {
		return false
	}
	k := x.base().Kind
	x.Note = "pg_stats"
	if *c.NullFrac > 0 && !x.Schema.NotNull {
		x.Spec.Nulls = round(*c.NullFrac, 3)
		if *c.NullFrac == 1 {
			d.guess(t, x)
			x.Spec.Nulls = 1
			x.Note = "pg_stats: always NULL"
			return true
		}
	}
	distinct, counted := c.Distinct(t.Rows)
	if len(c.Values) > 0 && d.choice(x, c, distinct) {
		return true
	}
	if c.AvgWidth != nil && hasWidth(k) {
		header := 1
		if *c.AvgWidth > 126 {
			header = 4
		}
		w := max(*c.AvgWidth-header, 1)
		if k == pgtype.KindBpchar {
			w = max(w, 1)
		}
		x.width(w, w)
	}
	if !counted {
		note, nulls, min, max := x.Note, x.Spec.Nulls, x.Spec.MinWidth, x.Spec.MaxWidth
		d.guess(t, x)
		x.Note, x.Spec.Nulls = note, nulls
		if max > 0 {
			x.Spec.MinWidth, x.Spec.MaxWidth = min, max
		}
		return true
	}
	correlation := 0.0
	if c.Correlation != nil {
		correlation = *c.Correlation
	}
	all := distinct >= t.Rows-t.Rows/50
	ordered := isNumber(k) || numberedText(x)
	switch {
	case k == pgtype.KindEnum, k == pgtype.KindBool:
	case k == pgtype.KindUUID:
		if correlation > 0.9 && all {
			x.Spec.Kind = scenario.UUIDv7
		}
	case isTime(k) && k != pgtype.KindTime && (all || correlation > 0.5 || distinct > 1000 || distinct < 3):
		x.Spec.Kind = scenario.Time
	case ordered && all && correlation > 0.8:
		x.Spec.Kind = scenario.Monotone
	case (ordered || isTime(k)) && correlation > 0.9 && distinct > 50 && t.Rows > 2*distinct:
		x.Spec.Kind, x.Spec.RowsPerValue = scenario.Correlated, max(t.Rows/distinct, 1)
	case !all || !hasWidth(k):
		x.Spec.Kind, x.Spec.Distinct = scenario.Random, distinct
		if n := numberLimit(x); n > 0 {
			x.Spec.Distinct = min(x.Spec.Distinct, n)
		}
		if c.TopFreq != nil {
			x.Spec.Zipf = skew(*c.TopFreq, x.Spec.Distinct)
		}
	}
	return true
}

// choice takes the most common values over, if they are all there are or nearly so.
func (d *Draft) choice(x *Column, c *observed.Column, distinct int64) bool {
	sum := 0.0
	for _, f := range c.Freqs {
		sum += f
	}
	share := 1.0
	if c.NullFrac != nil {
		share -= *c.NullFrac
	}
	if share <= 0 || sum < 0.95*share && distinct > int64(len(c.Values)) {
		return false
	}
	if isTime(x.base().Kind) && distinct < 3 && x.base().Kind != pgtype.KindTime {
		return false // all rows were written at once: later ones are not
	}
	var values []string
	var weights []float64
	for i, v := range c.Values {
		if _, _, err := x.Schema.Type.Input([]byte(v), x.typmod(), nil); err != nil {
			return false
		}
		values, weights = append(values, v), append(weights, round(c.Freqs[i]/sum, 4))
	}
	x.Spec.Kind, x.Spec.Values, x.Spec.Weights = scenario.Choice, values, weights
	if len(values) == 1 {
		x.Spec.Weights = nil
	}
	return true
}

// skew is the exponent at which the most frequent of n values has a share.
func skew(top float64, n int64) float64 {
	if n < 2 || top <= 1.5/float64(n) || top >= 1 {
		return 0
	}
	low, high := 0.0, 4.0
	for range 40 {
		s := (low + high) / 2
		if 1/harmonic(n, s) < top {
			low = s
		} else {
			high = s
		}
	}
	return round(low, 2)
}

// harmonic is the sum of k^-s for k up to n, the far ones as an integral.
func harmonic(n int64, s float64) float64 {
	const exact = 1000
	sum := 0.0
	for k := int64(1); k <= min(n, exact); k++ {
		sum += math.Pow(float64(k), -s)
	}
	if n > exact {
		if math.Abs(s-1) < 1e-9 {
			return sum + math.Log(float64(n)/exact)
		}
		sum += (math.Pow(float64(n), 1-s) - math.Pow(exact, 1-s)) / (1 - s)
	}
	return sum
}

func round(f float64, digits int) float64 {
	p := math.Pow(10, float64(digits))
	return math.Round(f*p) / p
}

// refersTo is the table that a foreign key of the column alone refers to, or the last
// column of one of several.
func (d *Draft) refersTo(t *Table, x *Column) *schema.Table {
	for _, r := range t.Schema.References {
		for _, n := range r.Columns {
			if n == x.number && r.Table != nil {
				return r.Table
			}
		}
	}
	return nil
}

// rowsOf is how many rows a table has, with its partitions.
func (d *Draft) rowsOf(t *schema.Table) int64 {
	n := int64(0)
	if x := d.bySchema[t]; x != nil {
		n = x.Rows
	}
	if t.Kind == 'p' {
		for _, c := range t.Children {
			n += d.rowsOf(c)
		}
	}
	return n
}

func contains(name string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

func isNumber(k pgtype.Kind) bool {
	switch k {
	case pgtype.KindInt2, pgtype.KindInt4, pgtype.KindInt8, pgtype.KindOid, pgtype.KindXid8, pgtype.KindNumeric, pgtype.KindMoney, pgtype.KindFloat4, pgtype.KindFloat8:
		return true
	}
	return false
}

func isText(k pgtype.Kind) bool {
	switch k {
	case pgtype.KindText, pgtype.KindVarchar, pgtype.KindBpchar, pgtype.KindName, pgtype.KindOpaque, pgtype.KindXML:
		return true
	}
	return false
}

func hasWidth(k pgtype.Kind) bool {
	return isText(k) || k == pgtype.KindBytea || k == pgtype.KindJSON || k == pgtype.KindJsonb || k == pgtype.KindTSVector
}

func isTime(k pgtype.Kind) bool {
	switch k {
	case pgtype.KindDate, pgtype.KindTime, pgtype.KindTimestamp, pgtype.KindTimestampTZ:
		return true
	}
	return false
}

// numberedText says whether a text column's rows may be numbered: nothing is known of
// how they look.
func numberedText(x *Column) bool { return x.base().Kind == pgtype.KindDate }

// textLimit is how many characters a type takes, 0 for any number.
func textLimit(x *Column) int {
	switch x.base().Kind {
	case pgtype.KindVarchar, pgtype.KindBpchar:
		if m := x.typmod(); m >= 4 {
			return int(m) - 4
		}
		if x.base().Kind == pgtype.KindBpchar && x.Schema.Type.Name != "bpchar" {
			return 1
		}
	case pgtype.KindName:
		return 63
	case pgtype.KindChar:
		return 1
	}
	return 0
}

// numberLimit is how many whole numbers from 1 on a type takes, 0 for more than matter.
func numberLimit(x *Column) int64 {
	switch x.base().Kind {
	case pgtype.KindInt2:
		return math.MaxInt16
	case pgtype.KindInt4:
		return math.MaxInt32
	case pgtype.KindNumeric:
		m := x.typmod()
		if m < 4 {
			return 0
		}
		// All of its digits count, those after the point included, as far as the
		// generator writes them.
		precision, scale := int(m-4)>>16&0xffff, int(m-4)&0x7ff
		if scale > 1000 { // a negative one
			return 9
		}
		digits := precision - scale + min(scale, 2)
		if precision < scale {
			return 1
		}
		if digits > 15 {
			return 0
		}
		return int64(math.Pow(10, float64(digits))) - 1
	case pgtype.KindFloat4:
		return 1 << 24
	}
	return 0
}

func describeType(c *schema.Column) string {
	name := c.Type.String()
	if c.Typmod < 0 {
		return name
	}
	switch k := c.Type.Base().Kind; k {
	case pgtype.KindVarchar, pgtype.KindBpchar:
		return fmt.Sprintf("%s(%d)", name, c.Typmod-4)
	case pgtype.KindNumeric:
		return fmt.Sprintf("%s(%d,%d)", name, (c.Typmod-4)>>16&0xffff, (c.Typmod-4)&0x7ff)
	}
	return name
}
