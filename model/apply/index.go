package apply

import (
	"fmt"
	"strconv"
	"strings"

	"applysim/heap/datum"
	"applysim/index"
	"applysim/index/opclass"
	"applysim/model/assume"
	"applysim/model/expr"
	"applysim/model/guc"
	"applysim/model/pgtype"
	"applysim/model/schema"
	"applysim/wal"
)

// localIndex is an index of a local table.
type localIndex struct {
	schema  *schema.Index
	rel     wal.RelID
	btree   *index.BTree // nil if it is a BRIN index, or one that cannot look rows up
	brin    *index.BRIN
	hash    *hashRows
	foreign *foreign // of an access method that is not modelled; nil for others
	owner   *table
	columns []int // table columns, 0-based, key columns first; -1 for an expression
	types   []*pgtype.Type
	cstring []bool
	values  []datum.Value

	exprs     []*expr.Expr // by column, nil for plain ones; nil if there is none
	exprBytes int64        // of the values that they gave
	predicate *expr.Expr   // nil if all rows are indexed
	opaque    []bool       // expressions that cannot be computed; nil if there is no expression
	assumed   bool         // one of them, or the predicate: a duplicate key is no conflict then
	exclusion bool         // it is that of an exclusion constraint
	use       []bool       // the key columns that a lookup can use; nil for all
	depends   []int        // table columns whose change an update of the row may not be HOT for

	sought    bool  // the worker finds rows by it
	prevented int64 // updates that could not be HOT because of it
}

// compileIndex begins an index with its expressions and its predicate.
func (w *Worker) compileIndex(t *table, x *schema.Index) (*localIndex, error) {
	li := &localIndex{schema: x, owner: t}
	for i, k := range x.Keys {
		if k.Column >= 0 {
			continue
		}
		e, err := w.compile(t.schema, k.Expr, nil, "an expression of "+x.Name)
		computed := err == nil
		if modelled := x.Method == "btree" || x.Method == "brin"; err != nil && !modelled && !w.opts.Exact && assume.Assumable(err) {
			// Its value is of no interest, only the columns that it depends on.
			e, err = expr.AssumeValue(k.Expr, t.schema, nil, -1, 0)
		} else {
			e, err = w.assume.Key(x, k.Expr, e, err)
		}
		if err != nil {
			return nil, err
		}
		li.assumed = li.assumed || !computed
		if li.opaque == nil {
			li.opaque = make([]bool, len(x.Keys))
		}
		li.opaque[i] = !computed
		if li.exprs == nil {
			li.exprs = make([]*expr.Expr, len(x.Keys)+len(x.Include))
			li.use = make([]bool, len(x.Keys))
			for j := range li.use {
				li.use[j] = x.Keys[j].Column >= 0
			}
		}
		li.exprs[i] = e
	}
	if x.Predicate != "" {
		e, err := w.compile(t.schema, x.Predicate, nil, "the predicate of "+x.Name)
		li.assumed = li.assumed || err != nil
		var key []int
		if own := identityIndex(t.schema); own != nil {
			for _, k := range own.Keys {
				key = append(key, k.Column)
			}
		}
		if e, err = w.assume.Condition(x, key, e, err); err != nil {
			return nil, err
		}
		li.predicate = e
	}
	return li, nil
}

// newIndex makes a local index, empty, or says what about it is not modelled.
func (w *Worker) newIndex(t *table, li *localIndex) string {
	s, x := t.schema, li.schema
	if x.Method == "brin" {
		what := w.newBRIN(t, li)
		if what != "" && !w.opts.Exact {
			return w.newForeign(t, li) // with operator classes that are not modelled
		}
		return what
	}
	if x.Method != "btree" {
		return w.newForeign(t, li)
	}
	o := index.Options{
		Name: x.Name, Keys: len(x.Keys), Unique: x.Unique, NullsNotDistinct: x.NullsNotDistinct,
		Fillfactor: x.Fillfactor, Deduplicate: x.DeduplicateItems, Before18: w.opts.Settings.ServerMajor < 18,
		Refuses: w.refuses() && li.enforced(),
	}
	for i, k := range x.Keys {
		c := &schema.Column{Name: k.Expr}
		var attr datum.Attr
		if k.Column >= 0 {
			c = &s.Columns[k.Column]
			attr = c.Attr()
		} else {
			c.Type = li.exprs[i].Type()
			attr = c.Type.Attr()
		}
		class, err := w.keyClass(t, li, i, c)
		if err != nil {
			return fmt.Sprintf("index %s: %v", x.Name, err)
		}
		if class == nil {
			return fmt.Sprintf("the operator class of column %s of index %s (type %s)", c.Name, x.Name, c.Type)
		}
		col := index.Column{
			Attr: attr, Class: class, Desc: k.Desc, NullsFirst: k.NullsFirst, Compression: w.compression(c),
		}
		if class.CString {
			col.Attr.Len, col.Attr.Align = -2, 1
		}
		o.Columns = append(o.Columns, col)
		li.columns = append(li.columns, k.Column)
		li.types = append(li.types, c.Type)
		li.cstring = append(li.cstring, class.CString)
	}
	for _, n := range x.Include {
		o.Columns = append(o.Columns, index.Column{Attr: s.Columns[n].Attr(), Compression: w.compression(&s.Columns[n])})
		li.columns = append(li.columns, n)
		li.cstring = append(li.cstring, false)
	}
	li.values = make([]datum.Value, len(li.columns))
	li.rel = w.log.RegisterIn(s.Schema, x.Name)
	log, rel := w.logOf(s, li.rel)
	li.btree = index.NewBTree(o, log, rel, t.heap)
	li.btree.MapColumns(li.columns)
	return ""
}

// keyClass is the operator class of an index's key column, in the collation that
// the key, the expression or the column has.
func (w *Worker) keyClass(t *table, li *localIndex, i int, c *schema.Column) (*opclass.Class, error) {
	return w.keyClassNamed(t, li, i, c, li.schema.Keys[i].OpClass)
}

// keyClassNamed is keyClass with another operator class than the index has; "" stands
// for the type's default one.
func (w *Worker) keyClassNamed(t *table, li *localIndex, i int, c *schema.Column, name string) (*opclass.Class, error) {
	k := &li.schema.Keys[i]
	coll := k.Collation
	switch {
	case coll != "":
	case k.Column >= 0:
		coll = c.Collation
	default:
		coll = li.exprs[i].Collation()
	}
	if li.schema.Method == "brin" || li.opaque != nil && li.opaque[i] {
		name = "" // a minmax class, or one of a type that is not known, is ordered as the type is
	}
	w.collations.using = fmt.Sprintf("%s (%s)", li.schema.Name, c.Name)
	class, err := pgtype.OpClassIn(c.Type, name, coll, w.collations.order)
	if class == nil && err == nil && c.Type.Base().Opaque && !w.opts.Exact {
		return w.orderOfBytes(t, li, c), nil
	}
	return class, err
}

// orderOfBytes stands for the operator class of a type that is not known, such as an
// extension's.
func (w *Worker) orderOfBytes(t *table, li *localIndex, c *schema.Column) *opclass.Class {
	w.assumed(qualified(t.schema.Schema, li.schema.Name), "order", "", fmt.Sprintf("%s has type %s, which is not known: its values are ordered as their texts' bytes", c.Name, c.Type))
	return pgtype.Lookup("bytea").OpClass()
}

// newBRIN is newIndex for a BRIN index with minmax operator classes.
func (w *Worker) newBRIN(t *table, li *localIndex) string {
	x := li.schema
	var columns []index.Column
	for i, k := range x.Keys {
		c := &schema.Column{Name: k.Expr}
		if k.Column >= 0 {
			c = &t.schema.Columns[k.Column]
		} else {
			c.Type = li.exprs[i].Type()
		}
		// What the column's own storage is does not matter (brtuple_disk_tupdesc).
		typ, attr := c.Type, c.Type.Attr()
		class, err := w.keyClass(t, li, i, c)
		if err != nil {
			return fmt.Sprintf("BRIN index %s: %v", x.Name, err)
		}
		if class == nil || !minmax(typ, k.OpClass) {
			return fmt.Sprintf("the operator class of column %d of BRIN index %s (type %s)", i+1, x.Name, typ)
		}
		columns = append(columns, index.Column{Attr: attr, Class: class, Compression: w.compression(c)})
		li.columns = append(li.columns, k.Column)
		li.types = append(li.types, typ)
		li.cstring = append(li.cstring, false)
	}
	li.values = make([]datum.Value, len(li.columns))
	pages, _ := strconv.Atoi(x.Options["pages_per_range"])
	if on, err := guc.ParseBool(x.Options["autosummarize"]); on && err == nil {
		w.Warnings = append(w.Warnings, fmt.Sprintf("autosummarize of BRIN index %s asks autovacuum to summarise a range, which is not modelled: VACUUM does", x.Name))
	}
	li.rel = w.log.RegisterIn(t.schema.Schema, x.Name)
	log, rel := w.logOf(t.schema, li.rel)
	li.brin = index.NewBRIN(columns, pages, log, rel)
	return ""
}

// minmax says whether a BRIN index on a type has a minmax operator class: by its
// name, or by default.
func minmax(typ *pgtype.Type, name string) bool {
	if name != "" {
		return strings.HasSuffix(name, "_minmax_ops")
	}
	switch typ.Base().Name {
	case "inet", "cidr", "box":
		return false
	}
	switch typ.Base().Kind {
	case pgtype.KindRange, pgtype.KindArray, pgtype.KindComposite, pgtype.KindMultirange:
		return false
	}
	return true
}

// qualified is a relation's name with its schema, if that is not public.
func qualified(space, name string) string {
	if space == "public" {
		return name
	}
	return space + "." + name
}
