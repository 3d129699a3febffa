package apply

import (
	"fmt"
	"strings"

	"applysim/heap"
	"applysim/heap/datum"
	"applysim/index"
	"applysim/model/pgtype"
	"applysim/model/schema"
	"applysim/model/stream"
	"applysim/wal"
)

// table is a local table with what its changes need.
type table struct {
	schema  *schema.Table
	rel     wal.RelID
	heap    *heap.Table
	indexes []*localIndex
	// unsupported says what about the table is not modelled; a change for it
	// gives this as an error.
	unsupported string

	preset   int64  // rows that were there before
	newFiles uint32 // the last transaction that truncated the table

	identity *localIndex // the table's own replica identity or primary key, nil if none
	idxScans int64       // idx_scan
	idxReads int64       // idx_tup_fetch
	seqScans int64       // seq_scan
	seqReads int64       // seq_tup_read
	toaster  *toaster    // nil if no column can be compressed or moved
	finder   finder      // finds rows for sequential scans without scanning
}

// localIndex is an index of a local table.
type localIndex struct {
	schema  *schema.Index
	rel     wal.RelID
	btree   *index.BTree
	owner   *table
	columns []int // table columns, 0-based, key columns first
	cstring []bool
	values  []datum.Value
}

// relation is an entry of the worker's relation map: a published table and the
// local one that stands for it.
type relation struct {
	remote  *stream.Relation
	local   *table // nil until the first change
	columns []localColumn

	lookup    *localIndex // index for finding rows, nil for a sequential scan
	checkRows bool        // rows that the index finds must be compared whole
	readOnly  string      // why updates and deletes cannot be applied; "" if they can
}

// localColumn says where a local column's value comes from.
type localColumn struct {
	remote  int // column of the message, -1 if it has none
	typ     *pgtype.Type
	typmod  int32
	notNull bool
	def     datum.Value // value of a column that the message does not have

	counters ColumnCounters
}

// newTable makes a local table, empty.
func (w *Worker) newTable(s *schema.Table) *table {
	t := &table{schema: s}
	name := s.QualifiedName()
	t.rel = w.log.Register(name)
	o := heap.Options{
		Name: s.Name, Attrs: s.Attrs(), Fillfactor: s.Fillfactor,
		Logical: w.opts.Settings.WALLevel == "logical", Identity: identity(s),
	}
	for _, x := range s.Indexes {
		columns := &o.Indexed
		if x.Method == "brin" {
			columns = &o.Summarized
		}
		for _, k := range x.Keys {
			if k.Column >= 0 {
				*columns = append(*columns, k.Column)
			}
		}
		*columns = append(*columns, x.Include...)
	}
	t.heap = heap.NewTable(o, w.log, t.rel, &w.xacts)
	switch {
	case s.Kind == 'p':
		t.unsupported = "partitioned tables"
	case len(s.Exclusions) > 0:
		t.unsupported = "exclusion constraints"
	}
	for i := range s.Columns {
		if s.Columns[i].Generated == 's' {
			t.unsupported = fmt.Sprintf("stored generated columns (%s.%s)", name, s.Columns[i].Name)
		}
	}
	for _, a := range o.Attrs {
		if a.Len == -1 && a.Storage != 'p' {
			table, index, oid := w.opts.ToastNames(s.Schema, s.Name)
			t.toaster = w.newToaster(t, table, index)
			t.toaster.oid = oid
			t.heap.SetToaster(t.toaster)
			break
		}
	}
	own := identityIndex(s)
	for _, x := range s.Indexes {
		li, what := w.newIndex(t, x)
		if what != "" {
			if t.unsupported == "" {
				t.unsupported = what
			}
			continue
		}
		t.indexes = append(t.indexes, li)
		if x == own {
			t.identity = li
		}
	}
	return t
}

// replicaIndex is the index of a table's replica identity: its primary key
// unless the table says otherwise (RelationGetReplicaIndex). A deferrable one
// does not count.
func replicaIndex(s *schema.Table) *schema.Index {
	switch s.ReplicaIdentity {
	case 'd':
		return primaryKey(s)
	case 'i':
		for _, x := range s.Indexes {
			if x.ReplicaIdentity {
				return x
			}
		}
	}
	return nil
}

func primaryKey(s *schema.Table) *schema.Index {
	if x := s.PrimaryKey(); x != nil && !x.Deferrable {
		return x
	}
	return nil
}

// identityIndex is the index by which the worker finds rows if there is one:
// the replica identity's, else the primary key (GetRelationIdentityOrPK).
func identityIndex(s *schema.Table) *schema.Index {
	if x := replicaIndex(s); x != nil {
		return x
	}
	return primaryKey(s)
}

// identity is what the table's own logical WAL records say of old rows.
func identity(s *schema.Table) heap.Identity {
	id := heap.Identity{Full: s.ReplicaIdentity == 'f'}
	if x := replicaIndex(s); x != nil {
		for _, k := range x.Keys {
			id.Columns = append(id.Columns, k.Column)
		}
	}
	return id
}

// newIndex makes a local index, empty, or says what about it is not modelled.
func (w *Worker) newIndex(t *table, x *schema.Index) (*localIndex, string) {
	s := t.schema
	switch {
	case x.Method != "btree":
		return nil, fmt.Sprintf("%s indexes (%s)", x.Method, x.Name)
	case x.Predicate != "":
		return nil, fmt.Sprintf("partial indexes (%s)", x.Name)
	}
	o := index.Options{
		Name: x.Name, Keys: len(x.Keys), Unique: x.Unique, NullsNotDistinct: x.NullsNotDistinct,
		Fillfactor: x.Fillfactor, Deduplicate: x.DeduplicateItems,
	}
	li := &localIndex{schema: x, owner: t}
	for _, k := range x.Keys {
		if k.Column < 0 {
			return nil, fmt.Sprintf("indexes on expressions (%s)", x.Name)
		}
		c := &s.Columns[k.Column]
		class := c.Type.OpClass()
		if k.OpClass != "" {
			class = pgtype.OpClassByName(c.Type, k.OpClass)
		}
		if class == nil {
			return nil, fmt.Sprintf("the operator class of column %s of index %s (type %s)", c.Name, x.Name, c.Type)
		}
		col := index.Column{
			Attr: c.Attr(), Class: class, Desc: k.Desc, NullsFirst: k.NullsFirst, Compression: w.compression(c),
		}
		if class.CString {
			col.Attr.Len, col.Attr.Align = -2, 1
		}
		o.Columns = append(o.Columns, col)
		li.columns = append(li.columns, k.Column)
		li.cstring = append(li.cstring, class.CString)
	}
	for _, n := range x.Include {
		o.Columns = append(o.Columns, index.Column{Attr: s.Columns[n].Attr(), Compression: w.compression(&s.Columns[n])})
		li.columns = append(li.columns, n)
		li.cstring = append(li.cstring, false)
	}
	li.values = make([]datum.Value, len(li.columns))
	name := x.Name
	if s.Schema != "public" {
		name = s.Schema + "." + name
	}
	li.rel = w.log.Register(name)
	li.btree = index.NewBTree(o, w.log, li.rel, t.heap)
	return li, ""
}

// open returns the relation map's entry for a change, with its local table
// (logicalrep_rel_open).
func (w *Worker) open(m *stream.Message) (*relation, error) {
	if w.last != nil && w.lastID == m.RelationID {
		return w.last, nil
	}
	r := w.relations[m.RelationID]
	if r == nil {
		return nil, w.protocol(m, "no relation message for relation %d before its first change", m.RelationID)
	}
	if r.local == nil {
		if err := w.mapRelation(r); err != nil {
			return nil, err
		}
	}
	w.last, w.lastID = r, m.RelationID
	return r, nil
}

// mapRelation finds the local table of a published one and matches columns by
// name.
func (w *Worker) mapRelation(r *relation) error {
	space := r.remote.Namespace
	if space == "" {
		space = "pg_catalog"
	}
	t := w.byName[[2]string{space, r.remote.Name}]
	if t == nil {
		return w.stop("logical replication target relation \"%s.%s\" does not exist", space, r.remote.Name)
	}
	if t.unsupported != "" {
		return w.unsupported("%s", t.unsupported)
	}
	remote := map[string]int{}
	for i, c := range r.remote.Columns {
		remote[c.Name] = i
	}
	r.columns = make([]localColumn, len(t.schema.Columns))
	var generated []string
	for i := range t.schema.Columns {
		c := &t.schema.Columns[i]
		lc := &r.columns[i]
		*lc = localColumn{remote: -1, typ: c.Type, typmod: c.Typmod, notNull: c.NotNull, def: datum.Value{Null: true}}
		if c.Dropped {
			continue
		}
		if n, ok := remote[c.Name]; ok {
			delete(remote, c.Name)
			if c.Generated != 0 {
				generated = append(generated, c.Name)
			}
			lc.remote = n
			continue
		}
		if c.Generated == 'v' {
			continue
		}
		if c.Identity != 0 {
			return w.unsupported("an identity column that the publisher does not send (%s.%s)", t.schema.Name, c.Name)
		}
		v, ok := constantDefault(c)
		if !ok {
			return w.unsupported("the default of a column that the publisher does not send: %s.%s DEFAULT %s", t.schema.Name, c.Name, c.Default)
		}
		lc.def = v
	}
	if len(remote) > 0 {
		var missing []string
		for _, c := range r.remote.Columns {
			if _, ok := remote[c.Name]; ok {
				missing = append(missing, c.Name)
			}
		}
		return w.stop("logical replication target relation \"%s.%s\" is missing replicated column%s: %s",
			space, r.remote.Name, plural(len(missing)), quoteList(missing))
	}
	if len(generated) > 0 {
		return w.stop("logical replication target relation \"%s.%s\" has incompatible generated column%s: %s",
			space, r.remote.Name, plural(len(generated)), quoteList(generated))
	}
	r.local = t
	w.chooseLookup(r)
	if n := len(t.schema.Columns); n > len(w.values) {
		w.values, w.row = make([]datum.Value, n), make([]datum.Value, n)
	}
	return nil
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

func quoteList(names []string) string {
	return `"` + strings.Join(names, `", "`) + `"`
}
