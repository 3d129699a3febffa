package decode

// What a publication makes of a table's changes, after get_rel_sync_entry and
// pgoutput_row_filter in src/backend/replication/pgoutput/pgoutput.c.

import (
	"fmt"
	"slices"

	"applysim/heap/datum"
	"applysim/model/expr"
	"applysim/model/schema"
	"applysim/model/stream"
)

// The actions that a publication publishes, and that a row filter is for.
const (
	actionInsert = iota
	actionUpdate
	actionDelete
	rowActions
)

// publishing says how a relation's changes are published.
type publishing struct {
	actions  [rowActions]bool
	truncate bool
	table    *schema.Table // the relation itself, or the partitioned table that it is published as
	identity byte          // the table's
	columns  []int         // of the relation, in the order in which they are sent
	listed   []int         // the column list, as columns of table; nil if there is none
	// filters are the row filters of an action, of which one must let a row through;
	// none where unfiltered.
	filters    [rowActions][]*expr.Expr
	unfiltered [rowActions]bool
	position   []int // of the table's columns, in the relation; -1 for a dropped one
	described  *stream.Relation
	ancestor   *stream.Relation // of the table, if that is not the relation
}

// ancestors are a partition's parents, the nearest first.
func ancestors(t *schema.Table) []*schema.Table {
	var list []*schema.Table
	for a := t.Parent; a != nil; a = a.Parent {
		list = append(list, a)
	}
	return list
}

// listed says whether a publication has a table itself, or its schema.
func listed(pub *schema.Publication, t *schema.Table) bool {
	return slices.Contains(pub.Schemas, t.Schema) || find(pub, t) != nil
}

// find is the publication's entry for a table: tables are known by their names here,
// because a relation's may have columns that the DDL has not.
func find(pub *schema.Publication, t *schema.Table) *schema.PublicationTable {
	for i := range pub.Tables {
		if o := pub.Tables[i].Table; o.Schema == t.Schema && o.Name == t.Name {
			return &pub.Tables[i]
		}
	}
	return nil
}

// publish finds out how a relation is published by the publications of the slot.
func (d *Decoder) publish(r *relation) (*publishing, error) {
	p := &publishing{table: r.table}
	if r.table.Temp || r.table.Unlogged {
		return p, nil
	}
	level := 0
	var pubs []*schema.Publication
	above := ancestors(r.table)
	for _, pub := range d.publications {
		as, asLevel, publish := r.table, 0, pub.AllTables
		if publish && pub.ViaRoot && len(above) > 0 {
			as, asLevel = above[len(above)-1], len(above)
		}
		if !publish {
			for i, a := range above {
				if !listed(pub, a) {
					continue
				}
				publish = true
				if pub.ViaRoot {
					as, asLevel = a, i+1
				}
			}
			publish = publish || listed(pub, r.table)
		}
		if !publish || r.table.Kind == 'p' && !pub.ViaRoot {
			continue
		}
		p.actions[actionInsert] = p.actions[actionInsert] || pub.Insert
		p.actions[actionUpdate] = p.actions[actionUpdate] || pub.Update
		p.actions[actionDelete] = p.actions[actionDelete] || pub.Delete
		p.truncate = p.truncate || pub.Truncate
		if level > asLevel {
			continue
		}
		if level < asLevel {
			p.table, level, pubs = as, asLevel, nil
		}
		pubs = append(pubs, pub)
	}
	if len(pubs) == 0 {
		return p, nil
	}
	for i := range p.table.Columns {
		at := -1
		if c := &p.table.Columns[i]; !c.Dropped {
			at = r.table.Column(c.Name)
		}
		p.position = append(p.position, at)
	}
	if err := d.filters(p, pubs); err != nil {
		return nil, err
	}
	if err := d.columnList(r, p, pubs); err != nil {
		return nil, err
	}
	p.identity = r.identity
	p.described = d.describe(r, r.table, p, r.id)
	if p.table != r.table {
		p.identity = p.table.ReplicaIdentity
		p.ancestor = d.describe(r, p.table, p, d.ancestorID(p.table))
	}
	return p, nil
}

// filters gathers the row filters by action (pgoutput_row_filter_init).
func (d *Decoder) filters(p *publishing, pubs []*schema.Publication) error {
	for _, pub := range pubs {
		where := ""
		if !pub.AllTables && !slices.Contains(pub.Schemas, p.table.Schema) {
			if entry := find(pub, p.table); entry != nil {
				where = entry.Where
			}
		}
		var e *expr.Expr
		if where != "" {
			var err error
			if e, err = expr.CompileOptions(where, p.table, &expr.Options{Resolve: d.resolve}); err != nil {
				return fmt.Errorf("publication %s: row filter of table %s: %w", pub.Name, p.table.QualifiedName(), err)
			}
		}
		for action, publishes := range [rowActions]bool{pub.Insert, pub.Update, pub.Delete} {
			switch {
			case !publishes:
			case e == nil:
				p.unfiltered[action] = true
			default:
				p.filters[action] = append(p.filters[action], e)
			}
		}
	}
	return nil
}

// columnList finds the columns that are sent (pgoutput_column_list_init,
// logicalrep_should_publish_column).
func (d *Decoder) columnList(r *relation, p *publishing, pubs []*schema.Publication) error {
	for i, pub := range pubs {
		var names []string
		if !pub.AllTables && !slices.Contains(pub.Schemas, p.table.Schema) {
			if entry := find(pub, p.table); entry != nil {
				names = entry.Columns
			}
		}
		var columns, listed []int
		for at := range p.table.Columns {
			c := &p.table.Columns[at]
			if c.Dropped || p.position[at] < 0 {
				continue
			}
			if names != nil && !slices.Contains(names, c.Name) || names == nil && c.Generated != 0 && !(c.Generated == 's' && pub.GeneratedStored) {
				continue
			}
			columns = append(columns, p.position[at])
			if names != nil {
				listed = append(listed, at)
			}
		}
		if i > 0 && !slices.Equal(columns, p.columns) {
			return fmt.Errorf("cannot use different column lists for table \"%s.%s\" in different publications", p.table.Schema, p.table.Name)
		}
		p.columns, p.listed = columns, listed
	}
	return nil
}

// describe makes the relation message of a table.
func (d *Decoder) describe(r *relation, t *schema.Table, p *publishing, id uint32) *stream.Relation {
	m := &stream.Relation{ID: id, Namespace: t.Schema, Name: t.Name, Identity: t.ReplicaIdentity}
	if t.Schema == "pg_catalog" {
		m.Namespace = ""
	}
	if t == r.table {
		m.Identity = r.identity
	}
	columns := slices.Clone(p.columns)
	if t == r.table && p.table != t {
		// A partition is described in its own order. A column list goes by the numbers
		// that the columns have in the partitioned table, whichever columns of the
		// partition have these: nothing is ever sent by that description.
		slices.Sort(columns)
		if p.listed != nil {
			columns = slices.DeleteFunc(slices.Clone(p.listed), func(at int) bool { return at >= len(r.columns) || r.columns[at].gone })
		}
	}
	for _, at := range columns {
		c := &r.columns[at]
		flags := uint8(0)
		if m.Identity == 'f' || c.key {
			flags = 1
		}
		m.Columns = append(m.Columns, stream.RelationColumn{Flags: flags, Name: c.name, TypeID: c.oid, Typmod: c.typmod})
		if c.oid >= firstUserOID {
			r.types[c.oid] = d.typeMessage(c)
		}
	}
	return m
}

// typeMessage names a type that is not built in; for a domain, the type below it
// (logicalrep_write_typ).
func (d *Decoder) typeMessage(c *column) *stream.Type {
	if m := d.types[c.oid]; m != nil {
		return m
	}
	base := c.typ.Base()
	m := &stream.Type{ID: c.oid, Namespace: base.Schema, Name: base.CatalogName()}
	if m.Namespace == "pg_catalog" {
		m.Namespace = ""
	}
	return m
}

// lets says whether some filter of an action lets a row through. One that is NULL does
// not.
func (d *Decoder) lets(p *publishing, action int, cells []cell) (bool, error) {
	values := d.values(cells)
	row := d.mapped[:0]
	for _, at := range p.position {
		v := datum.Value{Null: true}
		if at >= 0 {
			v = values[at]
		}
		row = append(row, v)
	}
	d.mapped = row
	for _, e := range p.filters[action] {
		ok, err := e.EvalBool(row, &d.eval)
		if err != nil {
			return false, fmt.Errorf("row filter of table %s: %w", p.table.QualifiedName(), err)
		}
		if ok {
			return true, nil
		}
	}
	return false, nil
}

// filter says what a change is published as: itself, an insert or delete where an
// update crosses the row filter, or 0 if it is not sent (pgoutput_change).
func (d *Decoder) filter(r *row) (stream.Kind, error) {
	p := r.rel.as
	action := actionInsert
	switch r.kind {
	case stream.KindUpdate:
		action = actionUpdate
	case stream.KindDelete:
		action = actionDelete
	}
	switch {
	case !p.actions[action]:
		return 0, nil
	case action == actionDelete && r.old == nil:
		return 0, nil // nothing could say which row
	case p.unfiltered[action] || len(p.filters[action]) == 0:
		return r.kind, nil
	}
	if r.old == nil || r.row == nil {
		cells := r.row
		if cells == nil {
			cells = r.old
		}
		ok, err := d.lets(p, action, cells)
		if !ok {
			return 0, err
		}
		return r.kind, nil
	}
	// What is out of line and did not change, the old row alone has.
	row := r.row
	for i := range row {
		if row[i].unchanged && !r.old[i].null && !r.old[i].unchanged {
			if &row[0] == &r.row[0] {
				row = slices.Clone(row)
			}
			row[i] = r.old[i]
		}
	}
	before, err := d.lets(p, action, r.old)
	if err != nil {
		return 0, err
	}
	after, err := d.lets(p, action, row)
	switch {
	case err != nil || !before && !after:
		return 0, err
	case !before:
		r.row = row
		return stream.KindInsert, nil
	case !after:
		return stream.KindDelete, nil
	}
	return stream.KindUpdate, nil
}
