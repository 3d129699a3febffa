package schema

import "fmt"

// indexOrder watches the order in which statements add indexes: pg_dump
// prints constraints, then indexes, each sorted by name, whatever the order of
// their creation was.
type indexOrder struct {
	last   string // of all CREATE INDEX
	broken bool
	count  int
	tables map[*Table]*tableOrder
}

// tableOrder is the same for one table. Its primary key is left out: in the
// server's order, too, it tends to be first.
type tableOrder struct {
	last   [2]string // of indexes and of constraints
	broken bool
	count  int
}

// note records an index that a statement of its own makes.
func (o *indexOrder) note(x *Index) {
	if x.Primary {
		return
	}
	if !x.Constraint {
		key := x.Table.Schema + "\x00" + x.Name
		o.broken = o.broken || key < o.last
		o.last = key
		o.count++
	}
	if o.tables == nil {
		o.tables = map[*Table]*tableOrder{}
	}
	t := o.tables[x.Table]
	if t == nil {
		t = &tableOrder{}
		o.tables[x.Table] = t
	}
	kind := 0
	if x.Constraint {
		kind = 1
	}
	t.broken = t.broken || x.Name < t.last[kind]
	t.last[kind] = x.Name
	t.count++
}

// sortedEnough is the number of CREATE INDEX statements in the order of their
// names from which on a script is taken for a dump that lost its header.
const sortedEnough = 6

// noteDumpOrder warns where the order of indexes is the one that pg_dump
// prints rather than that of their creation.
func (d *Database) noteDumpOrder(file string) {
	o := &d.order
	if d.warned["order"] || !d.dump && (o.broken || o.count < sortedEnough) {
		return
	}
	n := 0
	var first *Table
	for _, t := range d.Tables {
		if s := o.tables[t]; s != nil && s.count > 1 && !s.broken {
			if n++; n == 1 {
				first = t
			}
		}
	}
	if n == 0 {
		return
	}
	d.warned["order"] = true
	more := ""
	switch {
	case n == 2:
		more = " and one other table"
	case n > 2:
		more = fmt.Sprintf(" and %d other tables", n-1)
	}
	d.warn(file, 1, "the indexes of table %s%s come sorted by name, as pg_dump prints them: on the real server the order of their OIDs may differ, and with it the order of index records and the index that REPLICA IDENTITY FULL uses", first.QualifiedName(), more)
}
