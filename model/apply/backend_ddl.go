package apply

// DDL among the changes.

import (
	"slices"

	"applysim/heap/datum"
	"applysim/model/schema"
)

// Alter carries out a statement on the schema, within a transaction: a new table, or a
// column that needs no rewriting of its table. What it writes to the catalogs is left
// out.
func (b *Backend) Alter(sql, place string) error {
	w := b.w
	if err := b.EndStatement(); err != nil {
		return err
	}
	before := len(w.collations.db.Tables)
	columns := map[*schema.Table]int{}
	shape := map[*schema.Table][2]int{}
	for _, s := range w.collations.db.Tables {
		columns[s] = len(s.Columns)
		shape[s] = [2]int{len(s.Indexes), dropped(s)}
	}
	if err := w.collations.db.Exec(sql, place); err != nil {
		return err
	}
	w.needXID()
	w.exclusive, w.catalogs = true, true
	if len(w.collations.db.Tables) < before {
		return &UnsupportedError{What: "DDL among the changes that drops a table: " + sql}
	}
	for _, s := range w.collations.db.Tables {
		n, old := columns[s]
		switch {
		case !old:
			t := w.newTable(s)
			w.tables, w.byName[[2]string{s.Schema, s.Name}], w.bySchema[s] = append(w.tables, t), t, t
			w.addRouter(t)
			// A partition gets its parent's indexes as it is made, before its TOAST table
			// (DefineRelation); those of other tables' constraints come after it.
			if t.toaster != nil && s.Parent == nil {
				t.toaster.index.btree.Empty()
			}
			for _, x := range t.indexes {
				if x.btree == nil {
					return &UnsupportedError{What: "DDL among the changes that makes an index of another kind than btree: " + sql}
				}
				x.btree.Empty()
			}
			if t.toaster != nil && s.Parent != nil {
				t.toaster.index.btree.Empty()
			}
			t.newFiles = w.xacts.Current
		case shape[s] != [2]int{len(s.Indexes), dropped(s)}:
			return &UnsupportedError{What: "DDL among the changes that makes or drops an index, or drops a column: " + sql}
		case len(s.Columns) > n:
			if err := b.addColumns(s, n); err != nil {
				return err
			}
		}
	}
	w.command++
	return nil
}

// dropped is how many columns of a table are dropped.
func dropped(s *schema.Table) int {
	n := 0
	for i := range s.Columns {
		if s.Columns[i].Dropped {
			n++
		}
	}
	return n
}

// addColumns adds the columns from the n-th on to a table. Rows that are there get the
// default, without being rewritten, if it is the same for all of them.
func (b *Backend) addColumns(s *schema.Table, n int) error {
	w, t := b.w, b.w.bySchema[s]
	if t.began == w.Counters.Begins {
		return &UnsupportedError{What: "DDL on a table that the same transaction has changed: " + s.QualifiedName()}
	}
	missing := make([]datum.Value, len(s.Columns)-n)
	for i := range missing {
		c := &s.Columns[n+i]
		lc := localColumn{remote: -1, typ: c.Type, typmod: c.Typmod}
		if err := w.defaultOf(t, c, n+i, &lc); err != nil {
			return err
		}
		if lc.expr != nil || lc.identity != nil || c.Generated == 's' {
			return &UnsupportedError{What: "DDL among the changes that rewrites table " + s.QualifiedName()}
		}
		missing[i] = lc.def
		missing[i].Bytes = slices.Clone(lc.def.Bytes)
	}
	t.notNull, t.generated, t.checks, t.unchecked, t.triggers = nil, nil, nil, 0, nil
	w.addClasses(t)
	w.addConstraints(t)
	t.compared = append(t.compared, make([]int64, len(missing))...)
	t.finder.reset()
	t.heap.AddColumns(s.Attrs(), missing)
	if o := t.toaster; o != nil {
		o.Attrs, o.Methods = s.Attrs(), nil
		for i := range s.Columns {
			o.Methods = append(o.Methods, w.compression(&s.Columns[i]))
		}
	} else {
		w.addToaster(t)
		if t.toaster != nil {
			t.toaster.index.btree.Empty()
		}
	}
	for _, r := range w.relations {
		if r.local == t {
			r.local = nil
		}
	}
	w.last = nil
	return nil
}
