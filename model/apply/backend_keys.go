package apply

// Foreign keys, as a backend checks them: triggers at the end of a statement, or of the
// transaction, run a query for each row, after ri_triggers.c.

import (
	"slices"

	"applysim/heap/datum"
	"applysim/model/schema"
	"applysim/model/stream"
	"applysim/wal/storage"
)

// Feeder gives a backend what it does not know by itself while it checks foreign keys.
type Feeder interface {
	// Plan decides how a query finds the rows of a table of which some columns are given.
	Plan(t *schema.Table, columns []int) *Statement
	// Next is the stream's next message if it is a change of a kind in a table, or in a
	// partition of it, and belongs to the current transaction; else nil.
	Next(t *schema.Table, kind stream.Kind) (*stream.Message, error)
	// Take takes that message off the stream.
	Take()
}

// SetFeeder says whom to ask.
func (b *Backend) SetFeeder(f Feeder) { b.feeder = f }

// foreignKey is a foreign key of a table, child, that refers to another, parent.
type foreignKey struct {
	schema.ForeignKey
	child, parent *table
}

// keyCheck is a trigger that is to fire.
type keyCheck struct {
	key *foreignKey
	// A row of the child must have its parent: child and tid are where it is.
	child *table
	tid   storage.TID
	// Else a row of the parent is gone, or has another key: kind is what happened to it.
	kind   stream.Kind
	values []datum.Value // of the key's columns
}

// addKeys finds out which tables refer to which.
func (b *Backend) addKeys(db *schema.Database) {
	b.keys, b.referring = map[*table][]*foreignKey{}, map[*table][]*foreignKey{}
	for _, s := range db.Tables {
		for _, k := range s.References {
			child, parent := b.w.bySchema[s], b.w.bySchema[k.Table]
			if parent == nil || len(k.Keys) != len(k.Columns) || slices.Contains(k.Keys, -1) || slices.Contains(k.Columns, -1) {
				continue
			}
			f := &foreignKey{k, child, parent}
			b.keys[child] = append(b.keys[child], f)
			// The rows of partitions are looked for in the table that they are parts of.
			inherited := s.Parent != nil && slices.ContainsFunc(s.Parent.References, func(p schema.ForeignKey) bool { return p.Name == k.Name })
			if !inherited {
				b.referring[parent] = append(b.referring[parent], f)
			}
		}
	}
}

// queue has a trigger fire at the end of the statement, or of the transaction.
func (b *Backend) queue(c keyCheck) {
	if c.key.Deferred {
		b.deferred = append(b.deferred, c)
		return
	}
	b.checks = append(b.checks, c)
}

// given copies the values of columns; any of them may be NULL.
func given(row []datum.Value, columns []int) (values []datum.Value, null bool) {
	for _, n := range columns {
		v := row[n]
		v.Bytes = slices.Clone(v.Bytes)
		null = null || v.Null
		values = append(values, v)
	}
	return values, null
}

// equalKeys says whether two versions of a row have the same values in some columns.
func equalKeys(t *table, columns []int, a, b []datum.Value) bool {
	return !slices.ContainsFunc(columns, func(n int) bool { return !same(t.schema, n, &a[n], &b[n]) })
}

// referTo notes which of a new row version's foreign keys are to be checked. old is the
// version that it replaces, nil for none; madeHere says that the same transaction has
// made it, and that its check may still be to come (RI_FKey_fk_upd_check_required).
func (b *Backend) referTo(t *table, nu, old []datum.Value, tid storage.TID, madeHere bool) {
	for _, k := range b.keys[t] {
		values, null := given(nu, k.Columns)
		if null || old != nil && !madeHere && equalKeys(t, k.Columns, old, nu) {
			continue
		}
		b.queue(keyCheck{key: k, child: t, tid: tid, values: values})
	}
}

// referredFrom notes which foreign keys may refer to a row that is deleted, or whose key
// changes if nu is given (RI_FKey_pk_upd_check_required).
func (b *Backend) referredFrom(t *table, old, nu []datum.Value) {
	for top := t; top != nil; top = top.parent {
		for _, k := range b.referring[top] {
			columns := k.Keys
			if top != t {
				columns = nil
				for _, n := range k.Keys {
					columns = append(columns, t.schema.Column(top.schema.Columns[n].Name))
				}
			}
			values, null := given(old, columns)
			if null || nu != nil && equalKeys(t, columns, old, nu) {
				continue
			}
			kind := stream.KindDelete
			if nu != nil {
				kind = stream.KindUpdate
			}
			b.queue(keyCheck{key: k, kind: kind, values: values})
		}
	}
}

// checkKeys fires the triggers that are due. What they do in turn may add others, which
// fire after them.
func (b *Backend) checkKeys() error {
	for i := 0; i < len(b.checks); i++ {
		c := b.checks[i]
		var err error
		if c.kind == 0 {
			if c.child.heap.Lasts(c.tid) {
				err = b.lockParent(&c)
			}
		} else {
			err = b.leaveParent(&c)
		}
		if err != nil {
			return err
		}
	}
	b.checks = b.checks[:0]
	return nil
}

// lockParent looks for the row that a row refers to, and locks it against going.
func (b *Backend) lockParent(c *keyCheck) error {
	b.Checked++
	b.w.needXID()
	values := convert(c.values, c.child, c.key.Columns, c.key.parent, c.key.Keys)
	for _, t := range leaves(c.key.parent) {
		if t != c.key.parent && !b.has(t, c.key, values) {
			continue // its partition is left out of the plan
		}
		if b.query(t, translated(c.key.parent, t, c.key.Keys), values) {
			return nil
		}
	}
	return nil
}

// has says without a trace whether a partition has a row with the key.
func (b *Backend) has(t *table, k *foreignKey, values []datum.Value) bool {
	columns := translated(k.parent, t, k.Keys)
	x := uniqueOn(t, columns)
	if x == nil {
		return true
	}
	entries := x.btree.Read(ordered(x, columns, values), nil)
	for {
		tid, ok := entries.Next()
		if !ok {
			return false
		}
		if _, ok := t.heap.Peek(tid); ok {
			return true
		}
	}
}

// uniqueOn is a unique index on just these columns.
func uniqueOn(t *table, columns []int) *localIndex {
	for _, x := range t.indexes {
		if x.btree == nil || x.foreign != nil || !x.schema.Unique || x.predicate != nil || len(x.schema.Keys) != len(columns) {
			continue
		}
		if !slices.ContainsFunc(x.schema.Keys, func(k schema.IndexKey) bool { return !slices.Contains(columns, k.Column) }) {
			return x
		}
	}
	return nil
}

// ordered puts values of columns into the order of an index's leading columns, as far as
// they are given.
func ordered(x *localIndex, columns []int, values []datum.Value) []datum.Value {
	var list []datum.Value
	for _, k := range x.schema.Keys {
		i := slices.Index(columns, k.Column)
		if i < 0 {
			break
		}
		list = append(list, values[i])
	}
	return list
}

// leaves are the tables that have a table's rows.
func leaves(t *table) []*table {
	if t.router == nil {
		return []*table{t}
	}
	var list []*table
	for _, p := range t.partitions {
		list = append(list, leaves(p)...)
	}
	return list
}

// translated gives columns of a table the numbers that they have in a partition of it.
func translated(from, to *table, columns []int) []int {
	if from == to {
		return columns
	}
	var list []int
	for _, n := range columns {
		list = append(list, to.schema.Column(from.schema.Columns[n].Name))
	}
	return list
}

// convert makes integers as wide as the columns that they are compared with.
func convert(values []datum.Value, from *table, columns []int, to *table, keys []int) []datum.Value {
	list := slices.Clone(values)
	for i := range list {
		a, z := from.schema.Columns[columns[i]].Attr(), to.schema.Columns[keys[i]].Attr()
		if !a.ByVal || !z.ByVal || a.Len == z.Len {
			continue
		}
		n := list[i].Bits
		switch a.Len {
		case 2:
			n = uint64(int16(n))
		case 4:
			n = uint64(int32(n))
		}
		switch z.Len {
		case 2:
			n = uint64(uint16(n))
		case 4:
			n = uint64(uint32(n))
		}
		list[i].Bits = n
	}
	return list
}

// plan is how a query finds rows by some columns.
func (b *Backend) plan(t *table, columns []int) *Statement {
	if b.feeder != nil {
		return b.feeder.Plan(t.schema, columns)
	}
	if x := uniqueOn(t, columns); x != nil {
		return &Statement{Table: t.schema, Method: IndexScan, Index: x.schema, Equal: len(columns)}
	}
	return &Statement{Table: t.schema, Method: SeqScan}
}

// query looks for one row FOR KEY SHARE by the values of some columns, locks it if it is
// there, and stops. A sequential scan goes on to the end of its page.
func (b *Backend) query(t *table, columns []int, values []datum.Value) bool {
	defer t.heap.Pin(storage.InvalidBlock)
	s := b.plan(t, columns)
	s.Values = values
	s.Columns = columns
	b.lockFor(t, lockShare, true)
	c := b.open(s, t)
	target, exists := b.first(t, columns, values)
	if exists && c.to(target) {
		b.w.needXID()
		b.noteRowLock()
		t.heap.LockKeyShare(target)
	} else {
		c.finish()
	}
	c.end()
	return exists
}

// first finds a row by the values of some columns without a trace.
func (b *Backend) first(t *table, columns []int, values []datum.Value) (storage.TID, bool) {
	if x := uniqueOn(t, columns); x != nil {
		entries := x.btree.Read(ordered(x, columns, values), nil)
		for {
			tid, ok := entries.Next()
			if !ok {
				return storage.TID{}, false
			}
			if found, ok := t.heap.Peek(tid); ok {
				return found, true
			}
		}
	}
	var found storage.TID
	ok := false
	row := make([]datum.Value, len(t.schema.Columns))
	t.heap.Look(func(tid storage.TID) bool {
		t.heap.Values(row, tid)
		for i, n := range columns {
			if !same(t.schema, n, &row[n], &values[i]) {
				return true
			}
		}
		found, ok = tid, true
		return false
	})
	return found, ok
}

// leaveParent does what a foreign key does when a row that may be referred to is gone.
func (b *Backend) leaveParent(c *keyCheck) error {
	b.Left++
	action := c.key.OnDelete
	if c.kind == stream.KindUpdate {
		action = c.key.OnUpdate
	}
	values := convert(c.values, c.key.parent, c.key.Keys, c.key.child, c.key.Columns)
	switch action {
	case schema.Restrict, schema.NoAction:
		if action == schema.NoAction {
			// Another row may have the key now (ri_Check_Pk_Match).
			for _, t := range leaves(c.key.parent) {
				if t != c.key.parent && !b.has(t, c.key, c.values) {
					continue
				}
				if b.query(t, translated(c.key.parent, t, c.key.Keys), c.values) {
					return nil
				}
			}
		}
		for _, t := range leaves(c.key.child) {
			if b.query(t, translated(c.key.child, t, c.key.Columns), values) {
				return b.w.stop("update or delete on table %q violates foreign key constraint %q on table %q",
					c.key.parent.schema.Name, c.key.Name, c.key.child.schema.Name)
			}
		}
		return nil
	}
	kind := stream.KindUpdate
	if action == schema.Cascade && c.kind == stream.KindDelete {
		kind = stream.KindDelete
	}
	for _, t := range leaves(c.key.child) {
		if err := b.follow(t, translated(c.key.child, t, c.key.Columns), values, kind); err != nil {
			return err
		}
	}
	return nil
}

// follow carries out what a foreign key does to the rows that refer to one which goes:
// the stream tells which they are.
func (b *Backend) follow(t *table, columns []int, values []datum.Value, kind stream.Kind) error {
	s := b.plan(t, columns)
	s.Values, s.Columns = values, columns
	if kind == stream.KindUpdate {
		s.Set = columns
	}
	b.lockFor(t, lockWrite, true)
	b.statement, b.scan = s, b.open(s, t)
	for b.feeder != nil {
		m, err := b.feeder.Next(t.schema, kind)
		if err != nil {
			return err
		}
		if m == nil {
			break
		}
		row, _, ok := b.Old(m)
		if !ok || slices.ContainsFunc(columns, func(n int) bool {
			return !same(t.schema, n, &row[n], &values[slices.Index(columns, n)])
		}) {
			break
		}
		if err := b.Change(m); err != nil {
			return err
		}
		b.feeder.Take()
	}
	b.scan.finish()
	b.scan.end()
	t.heap.Pin(storage.InvalidBlock)
	b.statement, b.scan = nil, nil
	b.w.command++
	return nil
}
