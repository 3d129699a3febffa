package explain

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"applysim/heap/datum"
	"applysim/model/apply"
	"applysim/model/pgtype"
	"applysim/model/schema"
	"applysim/model/stream"
	"applysim/wal/storage"
)

// SQL makes the session of a statement on a subscriber in some state: its messages are
// those that a publisher with the same tables and rows would send for the statement, in a
// transaction of its own.
func SQL(w *apply.Worker, db *schema.Database, statement string) (*Session, error) {
	c, err := db.ReadChange(statement, "--sql")
	if err != nil {
		return nil, err
	}
	q := &sender{w: w, c: c, t: c.Table}
	if err := q.send(); err != nil {
		return nil, fmt.Errorf("--sql: %w", err)
	}
	var d stream.Decoder
	n := 0
	next := func(m *stream.Message) error {
		if n == len(q.messages) {
			return io.EOF
		}
		n++
		return d.Decode(q.messages[n-1], m)
	}
	return &Session{Worker: w, Next: next, Close: func() {}}, nil
}

// sender stands for the publisher of one statement.
type sender struct {
	w        *apply.Worker
	c        *schema.RowChange
	t        *schema.Table
	key      []int // columns of the replica identity
	messages [][]byte
}

// What begin and commit say of a publisher that is not there.
const (
	sqlLSN stream.LSN = 0x2000000
	sqlXID            = 900
	// sqlRelation is the number of a table that no message has described yet.
	sqlRelation = 90000
)

// send makes the messages.
func (q *sender) send() error {
	q.key = identityColumns(q.t)
	if q.c.Kind != "insert" && q.key == nil && q.t.ReplicaIdentity != 'f' {
		return fmt.Errorf("table %q has no replica identity: its publisher would refuse to %s (expected a primary key, or ALTER TABLE ... REPLICA IDENTITY FULL)", q.t.QualifiedName(), q.c.Kind)
	}
	r, described := q.relation()
	row := make([]stream.Column, len(q.t.Columns))
	old := make([]stream.Column, len(q.t.Columns))
	for i := range row {
		row[i], old[i] = stream.Column{Format: stream.ColumnNull}, stream.Column{Format: stream.ColumnNull}
	}
	if q.c.Kind != "insert" {
		if err := q.find(row); err != nil {
			return err
		}
		copy(old, row)
	}
	changed := false
	for _, v := range q.c.Set {
		if _, err := q.value(v); err != nil {
			return err
		}
		row[v.Column] = stream.Column{Format: stream.ColumnNull}
		if !v.Null {
			row[v.Column] = stream.Column{Format: stream.ColumnText, Data: []byte(v.Text)}
		}
		changed = changed || slices.Contains(q.key, v.Column) && string(row[v.Column].Data) != string(old[v.Column].Data)
	}
	for i := range q.t.Columns {
		if c := &q.t.Columns[i]; !c.Dropped && c.NotNull && row[i].Format == stream.ColumnNull && q.c.Kind != "delete" && c.Generated == 0 {
			return fmt.Errorf("column %q is NOT NULL: the publisher would refuse", c.Name)
		}
	}
	tuple := func(row []stream.Column, keyOnly bool) stream.Tuple {
		var t stream.Tuple
		for _, rc := range r.Columns {
			i := q.t.Column(rc.Name)
			switch {
			case i < 0 || keyOnly && !slices.Contains(q.key, i):
				t = append(t, stream.Column{Format: stream.ColumnNull})
			default:
				t = append(t, row[i])
			}
		}
		return t
	}
	q.messages = append(q.messages, stream.AppendBegin(nil, sqlLSN, 0, sqlXID))
	if !described {
		for _, rc := range r.Columns {
			if typ := q.t.Columns[q.t.Column(rc.Name)].Type; rc.TypeID >= firstGenbki || rc.TypeID == 0 {
				q.messages = append(q.messages, stream.AppendType(nil, 0, &stream.Type{ID: max(rc.TypeID, 1), Namespace: typ.Schema, Name: typ.Name}))
			}
		}
		q.messages = append(q.messages, stream.AppendRelation(nil, 0, r))
	}
	full := q.t.ReplicaIdentity == 'f'
	switch q.c.Kind {
	case "insert":
		q.messages = append(q.messages, stream.AppendInsert(nil, 0, r.ID, tuple(row, false)))
	case "update":
		switch {
		case full:
			q.messages = append(q.messages, stream.AppendUpdate(nil, 0, r.ID, stream.OldRow, tuple(old, false), tuple(row, false)))
		case changed:
			q.messages = append(q.messages, stream.AppendUpdate(nil, 0, r.ID, stream.OldKey, tuple(old, true), tuple(row, false)))
		default:
			q.messages = append(q.messages, stream.AppendUpdate(nil, 0, r.ID, stream.OldNone, nil, tuple(row, false)))
		}
	case "delete":
		if full {
			q.messages = append(q.messages, stream.AppendDelete(nil, 0, r.ID, stream.OldRow, tuple(old, false)))
		} else {
			q.messages = append(q.messages, stream.AppendDelete(nil, 0, r.ID, stream.OldKey, tuple(old, true)))
		}
	}
	q.messages = append(q.messages, stream.AppendCommit(nil, sqlLSN, sqlLSN+48, 0))
	return nil
}

// firstGenbki is FirstGenbkiObjectId: types from here on are described in the stream.
// Source: REL_18_1, src/include/access/transam.h.
const firstGenbki = 10000

// relation describes the table; described says that the worker knows it already.
func (q *sender) relation() (r *stream.Relation, described bool) {
	if r := q.w.Described(q.t.Schema, q.t.Name); r != nil {
		return r, true
	}
	r = &stream.Relation{ID: sqlRelation, Namespace: q.t.Schema, Name: q.t.Name, Identity: q.t.ReplicaIdentity}
	for i := range q.t.Columns {
		c := &q.t.Columns[i]
		if c.Dropped || c.Generated != 0 {
			continue // generated columns are not published
		}
		x := stream.RelationColumn{Name: c.Name, TypeID: c.Type.OID, Typmod: c.Typmod}
		if r.Identity == 'f' || slices.Contains(q.key, i) {
			x.Flags = 1
		}
		r.Columns = append(r.Columns, x)
	}
	return r, false
}

// identityColumns are the columns of a table's replica identity, nil if it has none, or
// all.
func identityColumns(t *schema.Table) []int {
	var key *schema.Index
	switch t.ReplicaIdentity {
	case 'd':
		key = t.PrimaryKey()
	case 'i':
		for _, x := range t.Indexes {
			if x.ReplicaIdentity {
				key = x
			}
		}
	}
	if key == nil {
		return nil
	}
	var columns []int
	for _, k := range key.Keys {
		columns = append(columns, k.Column)
	}
	return columns
}

// value reads a literal by its column's type.
func (q *sender) value(v schema.ColumnValue) (datum.Value, error) {
	if v.Null {
		return datum.Value{Null: true}, nil
	}
	c := &q.t.Columns[v.Column]
	d, _, err := c.Type.Input([]byte(v.Text), c.Typmod, nil)
	if err != nil {
		return d, fmt.Errorf("column %q: %w", c.Name, err)
	}
	return d, nil
}

// find finds the one row that the statement names and writes it down as the publisher
// would send it.
func (q *sender) find(row []stream.Column) error {
	var want []datum.Value
	for _, v := range q.c.Where {
		d, err := q.value(v)
		if err != nil {
			return err
		}
		want = append(want, d)
	}
	found := 0
	var scanErr error
	for _, t := range q.w.UnsettledTables() {
		from, ok := q.columns(t.Schema)
		if !ok {
			continue
		}
		values := make([]datum.Value, len(t.Schema.Columns))
		t.Heap.Look(func(tid storage.TID) bool {
			t.Heap.Values(values, tid)
			for i, v := range q.c.Where {
				at := from[v.Column]
				same, err := equal(t.Schema.Columns[at].Type, &values[at], &want[i])
				if err != nil {
					scanErr = fmt.Errorf("column %q: %w", t.Schema.Columns[at].Name, err)
					return false
				}
				if !same {
					return true
				}
			}
			if found++; found > 1 {
				return false
			}
			for i, at := range from {
				if at < 0 {
					continue
				}
				c := &t.Schema.Columns[at]
				row[i] = sent(c.Type, values[at])
				if row[i].Format == stream.ColumnText {
					if _, _, err := c.Type.Input(row[i].Data, c.Typmod, nil); err != nil {
						scanErr = fmt.Errorf("column %q: values of type %s cannot be written as text here", c.Name, c.Type)
					}
				}
				if row[i].Format == stream.ColumnUnchanged && q.t.ReplicaIdentity == 'f' {
					scanErr = fmt.Errorf("column %q: its value is stored out of line, and with REPLICA IDENTITY FULL it would have to be sent: not supported", c.Name)
				}
			}
			return scanErr == nil
		})
	}
	switch {
	case scanErr != nil:
		return scanErr
	case found == 0:
		return fmt.Errorf("no row of %s is like that: the publisher would send nothing", q.t.QualifiedName())
	case found > 1:
		return fmt.Errorf("more than one row of %s is like that: expected a WHERE that names one", q.t.QualifiedName())
	}
	return nil
}

// columns says which columns of a table of the subscriber those of the statement's table
// are: it is the same, or a partition of it.
func (q *sender) columns(t *schema.Table) ([]int, bool) {
	up := t
	for up != nil && (up.Schema != q.t.Schema || up.Name != q.t.Name) {
		up = up.Parent
	}
	if up == nil {
		return nil, false
	}
	from := make([]int, len(q.t.Columns))
	for i := range from {
		from[i] = -1
		if !q.t.Columns[i].Dropped {
			from[i] = t.Column(q.t.Columns[i].Name)
		}
	}
	return from, true
}

// equal compares a stored value with a literal.
func equal(typ *pgtype.Type, stored, want *datum.Value) (bool, error) {
	if stored.Null || want.Null {
		return stored.Null && want.Null, nil
	}
	v := *stored
	switch v.Form {
	case datum.External:
		return false, errors.New("a value is stored out of line: expected another column in WHERE")
	case datum.Compressed:
		v = datum.Decompress(&v)
	}
	if c := typ.OpClass(); c != nil {
		return c.Compare(&v, want) == 0, nil
	}
	a := typ.Attr()
	return a.Word(&v) == a.Word(want) && string(v.Bytes) == string(want.Bytes), nil
}

// sent is a stored value as the publisher sends it: one out of line is not sent if it has
// not changed.
func sent(typ *pgtype.Type, v datum.Value) stream.Column {
	switch {
	case v.Null:
		return stream.Column{Format: stream.ColumnNull}
	case v.Form == datum.External:
		return stream.Column{Format: stream.ColumnUnchanged}
	case v.Form == datum.Compressed:
		v = datum.Decompress(&v)
	}
	return stream.Column{Format: stream.ColumnText, Data: []byte(typ.Text(v))}
}
