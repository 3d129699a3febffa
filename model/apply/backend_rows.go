package apply

// Rows that a statement changes of which no message tells: those of work that is rolled
// back.

import (
	"slices"

	"applysim/heap/datum"
	"applysim/model/partition"
	"applysim/model/schema"
	"applysim/model/stream"
	"applysim/wal/storage"
)

// row copies a row version's values.
func (b *Backend) row(t *table, tid storage.TID) []datum.Value {
	row := make([]datum.Value, len(t.schema.Columns))
	t.heap.Values(row, tid)
	for i := range row {
		row[i].Bytes = slices.Clone(row[i].Bytes) // the page changes
	}
	return row
}

// InsertRow inserts a row. Columns that values does not have get their defaults. It returns
// the table that has got the row: of a partitioned one the partition.
func (b *Backend) InsertRow(s *schema.Table, values map[int]datum.Value) (*schema.Table, error) {
	w, t := b.w, b.w.bySchema[s]
	if t.unsupported != "" {
		return nil, w.unsupported("%s", t.unsupported)
	}
	w.fit(t)
	for i := range s.Columns {
		v, given := values[i]
		c := &s.Columns[i]
		if !given {
			v = datum.Value{Null: true}
			if !c.Dropped && c.Generated == 0 {
				lc := localColumn{remote: -1, typ: c.Type, typmod: c.Typmod}
				err := w.defaultOf(t, c, i, &lc)
				if err == nil {
					v, err = w.fill(&lc)
				}
				if err != nil {
					return nil, w.evalError(err)
				}
			}
		}
		w.values[i] = v
	}
	t, err := b.routed(t)
	if err != nil {
		return nil, err
	}
	return t.schema, b.insert(t)
}

// routed finds the partition for the row in w.values and brings its columns into the order
// of the partition's (ExecFindPartition).
func (b *Backend) routed(t *table) (*table, error) {
	w := b.w
	for t.router != nil {
		n, err := t.router.Partition(plainColumns(t, w.values, t.router.Columns()))
		if err != nil {
			return nil, w.evalError(err)
		}
		if n < 0 {
			return nil, w.stop("no partition of relation %q found for row", t.schema.Name)
		}
		p := t.partitions[n]
		if p.unsupported != "" {
			return nil, w.unsupported("%s", p.unsupported)
		}
		row := make([]datum.Value, len(p.schema.Columns))
		for i := range row {
			row[i].Null = true
			if c := &p.schema.Columns[i]; !c.Dropped {
				if k := t.schema.Column(c.Name); k >= 0 {
					row[i] = w.values[k]
				}
			}
		}
		w.fit(p)
		copy(w.values, row)
		t = p
	}
	return t, nil
}

// Fill gives the columns of the next inserted row that its message does not have, those
// that a column list leaves out; nil for none.
func (b *Backend) Fill(values map[int]datum.Value) { b.fill = values }

// Rows calls yield with each row of a table that the session sees, in physical order,
// until it returns false. The values are as their types have them, but for those that are
// stored elsewhere.
func (b *Backend) Rows(s *schema.Table, yield func(tid storage.TID, row []datum.Value) bool) {
	t := b.w.bySchema[s]
	t.heap.Look(func(tid storage.TID) bool {
		return yield(tid, decompressed(b.row(t, tid)))
	})
}

// Fits says whether the table is as a change has it.
func (b *Backend) Fits(m *stream.Message) bool {
	_, err := b.w.open(m)
	return err == nil
}

// Old is the row that a message says is updated or deleted, as Rows has it. made says
// that the current statement has made it, so that it cannot be what changes it.
func (b *Backend) Old(m *stream.Message) (row []datum.Value, made, ok bool) {
	r, err := b.w.open(m)
	if err != nil {
		return nil, false, false
	}
	tid, ok, err := b.locate(r, m)
	if err != nil || !ok {
		return nil, false, false
	}
	return decompressed(b.row(r.local, tid)), r.local.heap.MadeBy(tid, b.w.command), true
}

// decompressed gives a row's values as their types have them, but for those that are
// stored elsewhere: to fetch one would leave a trace.
func decompressed(row []datum.Value) []datum.Value {
	for i := range row {
		if !row[i].Null && row[i].Form == datum.Compressed {
			row[i] = datum.Decompress(&row[i])
		}
	}
	return row
}

// UpdateRow sets columns of a row.
func (b *Backend) UpdateRow(s *schema.Table, tid storage.TID, values map[int]datum.Value) error {
	t := b.w.bySchema[s]
	b.w.fit(t)
	b.reach(t, tid)
	old := b.row(t, tid)
	copy(b.w.values, old)
	for i, v := range values {
		b.w.values[i] = v
	}
	if stays, err := b.w.inPartition(t, b.w.values); err != nil {
		return err
	} else if !stays {
		return b.move(t, tid)
	}
	return b.replace(t, tid, old)
}

// move puts the new version of a row, w.values, into the partition that it belongs to
// (ExecCrossPartitionUpdate).
func (b *Backend) move(t *table, tid storage.TID) error {
	row := slices.Clone(b.w.values)
	if err := b.deleteFound(t, tid); err != nil {
		return err
	}
	top := t
	for top.parent != nil {
		top = top.parent
	}
	b.w.fit(top)
	for i := range top.schema.Columns {
		b.w.values[i] = datum.Value{Null: true}
		if c := &top.schema.Columns[i]; !c.Dropped {
			b.w.values[i] = row[t.schema.Column(c.Name)]
		}
	}
	to, err := b.routed(top)
	if err != nil {
		return err
	}
	return b.insert(to)
}

// DeleteRow deletes a row.
func (b *Backend) DeleteRow(s *schema.Table, tid storage.TID) error {
	return b.delete(b.w.bySchema[s], tid)
}

// Truncating says which tables the TRUNCATE names whose message is to follow: a
// partitioned one is listed in the record, but in no message.
func (b *Backend) Truncating(tables []*schema.Table) { b.truncating = tables }

// truncate carries out a TRUNCATE of which a message tells.
func (b *Backend) truncate(m *stream.Message) error {
	b.lockExclusively()
	tables, err := b.w.truncated(m)
	if err != nil {
		return err
	}
	var add func(s *schema.Table)
	add = func(s *schema.Table) {
		if t := b.w.bySchema[s]; t != nil && s.Kind == 'p' && !slices.Contains(tables, t) {
			tables = append(tables, t)
		}
		for _, c := range s.Children {
			add(c)
		}
	}
	for _, s := range b.truncating {
		add(s)
	}
	b.truncating = nil
	err = b.w.truncateTables(m, tables)
	b.w.command++
	return err
}

// Truncate empties tables.
func (b *Backend) Truncate(tables []*schema.Table) error {
	w := b.w
	m := stream.Message{Kind: stream.KindTruncate}
	var list []*table
	for _, s := range tables {
		list = append(list, w.bySchema[s])
	}
	b.lockExclusively()
	err := w.truncateTables(&m, list)
	w.command++
	return err
}

// Target is the table that a message is about, nil if it is not one.
func (b *Backend) Target(m *stream.Message) *schema.Table {
	r := b.w.relations[m.RelationID]
	if r == nil || m.Kind == stream.KindTruncate {
		return nil
	}
	if t := b.w.byName[[2]string{r.remote.Namespace, r.remote.Name}]; t != nil {
		return t.schema
	}
	return nil
}

// Leaves are the tables that a statement on a table scans, in order: the partitions that
// may have rows for which its conditions hold. may are the conditions for a partitioned
// table.
func (b *Backend) Leaves(s *schema.Table, may func(*schema.Table) []partition.Condition) []*schema.Table {
	t := b.w.bySchema[s]
	if t == nil || t.router == nil {
		return []*schema.Table{s}
	}
	var list []*schema.Table
	conditions := may(s)
	for _, n := range t.router.Order() {
		if t.router.May(n, conditions) {
			list = append(list, b.Leaves(t.partitions[n].schema, may)...)
		}
	}
	return list
}

// Pages is how many pages a table has.
func (b *Backend) Pages(s *schema.Table) int { return b.w.bySchema[s].heap.Pages() }

// Density is what pg_class has of a table: reltuples, -1 before the first VACUUM, and
// relpages.
func (b *Backend) Density(s *schema.Table) (rows float64, pages int) {
	n, pages := b.w.bySchema[s].heap.Density()
	return float64(n), pages
}

// IndexPages is how many pages a B-tree index has, and the level of its root; 0 for
// another index.
func (b *Backend) IndexPages(s *schema.Table, x *schema.Index) (pages, level int) {
	for _, li := range b.w.bySchema[s].indexes {
		if li.schema == x && li.btree != nil {
			return li.btree.Pages(), li.btree.Level()
		}
	}
	return 0, 0
}
