package capture

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"applysim/model/pgtype"
	"applysim/model/stream"
)

// value is one column of a row in the text.
type value struct {
	name      string
	typ       string
	text      []byte
	null      bool
	unchanged bool
}

// table is what is known of a table from what was read so far.
type table struct {
	relation *stream.Relation
	columns  map[string]int
	keys     []string // of the last old row or key
	full     bool     // old rows are whole
	sent     bool     // its description, as it is now
	hint     *Hint    // nil if there is none
}

// hinted takes the replica identity from the hint.
func (x *table) hinted() {
	if x.hint == nil {
		return
	}
	x.relation.Identity = x.hint.Identity
	x.full = x.hint.Identity == 'f'
	if len(x.hint.Keys) > 0 {
		x.keys = slices.Sorted(slices.Values(x.hint.Keys))
	}
}

// tables are those that were met.
type tables struct {
	byName   map[string]*table
	byID     []*table
	warn     func(format string, args ...any)
	typeName map[string]typeOf
	opaque   uint32
	hints    func(schema, table string) *Hint
}

// typeOf is a type's number and modifier.
type typeOf struct {
	oid    uint32
	typmod int32
	base   string // without the modifier
}

// firstID is the number of the first table that is met: publishers number theirs from
// there on, too.
const firstID = 16384

// firstType is that of the first type that is not built in.
const firstType = 1 << 30

// find returns a table, new if it was not met.
func (t *tables) find(schema, name string) *table {
	key := schema + "\x00" + name
	if x := t.byName[key]; x != nil {
		return x
	}
	x := &table{
		relation: &stream.Relation{ID: firstID + uint32(len(t.byID)), Namespace: schema, Name: name, Identity: 'd'},
		columns:  map[string]int{},
	}
	if schema == "pg_catalog" {
		x.relation.Namespace = ""
	}
	if t.hints != nil {
		x.hint = t.hints(schema, name)
		x.hinted()
	}
	t.byName[key] = x
	t.byID = append(t.byID, x)
	return x
}

// typeByName finds a type's number by its name with or without a modifier.
func (t *tables) typeByName(name string) typeOf {
	if x, ok := t.typeName[name]; ok {
		return x
	}
	x := typeOf{typmod: -1, base: name}
	bare, dims := strings.CutSuffix(name, "[]")
	var args []string
	if i := strings.IndexByte(bare, '('); i >= 0 {
		if j := strings.IndexByte(bare[i:], ')'); j > 0 {
			args = strings.Split(bare[i+1:i+j], ",")
			bare = bare[:i] + bare[i+j+1:]
		}
	}
	if strings.HasPrefix(bare, "interval ") {
		bare, args = "interval", nil // its fields are of no interest
	}
	x.base = bare
	if dims {
		x.base += "[]"
	}
	typ := pgtype.Lookup(bare)
	switch {
	case bare == "char" && args == nil && !dims:
		typ = pgtype.Lookup(`"char"`) // wal2json leaves out its quotes
	case bare == "character" && args == nil, bare == "bit" && args == nil:
		args = nil // without a modifier in test_decoding
	}
	if typ != nil && args != nil {
		if m, err := pgtype.TypmodIn(typ, args); err == nil {
			x.typmod = m
		}
	}
	if typ != nil && dims {
		typ = pgtype.ArrayOf(typ)
	}
	if typ != nil && typ.OID != 0 {
		x.oid = typ.OID
	} else {
		x.oid = firstType + t.opaque
		t.opaque++
		t.warn("type %s is not built in: its name is all that the text tells of it", name)
	}
	t.typeName[name] = x
	return x
}

// learn adds columns that a table is not known to have. It returns false if a name
// stands there twice.
func (t *tables) learn(x *table, values []value) bool {
	same := x.lists(values)
	for i := range values {
		v := &values[i]
		if !same && slices.ContainsFunc(values[:i], func(o value) bool { return o.name == v.name }) {
			return false
		}
		typ := t.typeByName(v.typ)
		at, ok := x.columns[v.name]
		if !ok {
			if len(x.relation.Columns) > 0 && x.sent {
				t.warn("table %s: column %s was not there before: an unchanged out-of-line value may have been left out, or the column was added", x.name(), v.name)
			}
			x.columns[v.name] = len(x.relation.Columns)
			x.change()
			flags := uint8(0)
			if x.full || slices.Contains(x.keys, v.name) {
				flags = 1
			}
			x.relation.Columns = append(x.relation.Columns, stream.RelationColumn{Flags: flags, Name: v.name, TypeID: typ.oid, Typmod: typ.typmod})
			continue
		}
		if c := &x.relation.Columns[at]; c.TypeID != typ.oid || c.Typmod != typ.typmod {
			x.change()
			c = &x.relation.Columns[at]
			c.TypeID, c.Typmod = typ.oid, typ.typmod
		}
	}
	return true
}

// change makes a new description: the old one may have been kept by whoever got it.
func (x *table) change() {
	if x.sent {
		r := *x.relation
		r.Columns = slices.Clone(r.Columns)
		x.relation, x.sent = &r, false
	}
}

// name is the table's name for people.
func (x *table) name() string {
	if x.relation.Namespace == "public" {
		return x.relation.Name
	}
	return x.relation.Namespace + "." + x.relation.Name
}

// identify learns which columns old rows have. nulls says that those that are NULL are
// among them.
func (t *tables) identify(x *table, old []value, nulls bool) {
	names := make([]string, len(old))
	for i := range old {
		names[i] = old[i].name
	}
	slices.Sort(names)
	before := x.keys
	if x.full || slices.Equal(before, names) {
		return
	}
	x.keys = names
	x.change()
	switch {
	case len(names) == len(x.relation.Columns) && len(names) > 1:
		x.full = true
		if !nulls {
			t.warn("table %s: its old rows have all columns: taken for REPLICA IDENTITY FULL", x.name())
		}
	case before != nil && !nulls:
		x.full = true
		t.warn("table %s: its old rows do not have the same columns each time: taken for REPLICA IDENTITY FULL, whose NULLs are left out", x.name())
	}
	x.relation.Identity = 'd'
	if x.full {
		x.relation.Identity = 'f'
	}
	for i := range x.relation.Columns {
		c := &x.relation.Columns[i]
		c.Flags = 0
		if x.full || slices.Contains(names, c.Name) {
			c.Flags = 1
		}
	}
}

// tuple puts values into the order of the table's columns. What a new row lacks is an
// out-of-line value that did not change, what an old one lacks is NULL.
func (t *tables) tuple(space *stream.Tuple, x *table, values []value, missing byte) stream.Tuple {
	row := (*space)[:0]
	for range x.relation.Columns {
		row = append(row, stream.Column{Format: missing})
	}
	for i := range values {
		v := &values[i]
		c := &row[x.columns[v.name]]
		switch {
		case v.null:
			c.Format = stream.ColumnNull
		case v.unchanged:
			c.Format = stream.ColumnUnchanged
		default:
			c.Format, c.Data = stream.ColumnText, v.text
		}
	}
	*space = row
	return row
}

// describe is a number for messages: "3 columns".
func describe(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// quoted shows a name in a message.
func quoted(schema, name string) string { return fmt.Sprintf("%q.%q", schema, name) }
