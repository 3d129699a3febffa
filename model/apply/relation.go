package apply

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"applysim/heap"
	"applysim/heap/datum"
	"applysim/index"
	"applysim/index/opclass"
	"applysim/model/expr"
	"applysim/model/guc"
	"applysim/model/partition"
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

	// The counters when the last transaction that changed the table first did.
	began  int64 // Counters.Begins
	before rowCounts
	// Truncated says that the table was truncated: how many rows the server counts
	// then depends on when the worker reports.
	truncated bool

	identity *localIndex // the table's own replica identity or primary key, nil if none
	vacuums  int64       // VACUUMs so far
	idxScans int64       // idx_scan
	idxReads int64       // idx_tup_fetch
	vacuumed bool        // since it got its rows before the run
	seqScans int64       // seq_scan
	seqReads int64       // seq_tup_read
	toaster  *toaster    // nil if no column can be compressed or moved
	counters TableCounters
	compared []int64 // see TableState.Compared
	locked   int64   // number of the last transaction that locked it,
	kept     int64   // and of the last one that left an index locked
	// movedFrom is the partition that the row being inserted comes from, nil if it comes
	// from none: its values out of line are there.
	movedFrom *table
	finder    finder // finds rows for sequential scans without scanning

	router     *partition.Router // of a partitioned table, nil for any other
	partitions []*table          // in the order of the router's numbers
	parent     *table            // the table that this one is a partition of

	classes   []*opclass.Class // of the columns' values, nil where a type has no order
	notNull   []int            // columns
	generated []generatedColumn
	checks    []check // in the order in which they are made: by name
	unchecked int64   // CHECK constraints that cannot be evaluated
	triggers  []*schema.Trigger
	scratch   *expr.Scratch // the worker's
}

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

// relation is an entry of the worker's relation map: a published table and the
// local one that stands for it.
type relation struct {
	remote  *stream.Relation
	local   *table // nil until the first change
	columns []localColumn

	lookup    *localIndex // index for finding rows, nil for a sequential scan
	checkRows bool        // rows that the index finds must be compared whole
	readOnly  string      // why updates and deletes cannot be applied; "" if they can

	routes map[*table]*route // to the partitions below local
}

// localColumn says where a local column's value comes from.
type localColumn struct {
	remote int // column of the message, -1 if it has none
	typ    *pgtype.Type
	typmod int32
	class  *opclass.Class // by which it is compared; nil: byte by byte
	bySize bool           // values of different lengths are not equal, and not fetched to see that
	// The value of a column that the message does not have: drawn from a sequence,
	// computed for each row, or always the same.
	identity *sequence
	expr     *expr.Expr
	def      datum.Value

	counters ColumnCounters
	shaped   bool // what its values look like matters for what they cost
	// What they look like, in text and in binary format.
	text, binary shapeCounters
	every        bool // all of them are looked at; see CountAll
	pure         bool // the same text gives the same value, which needs no work space
}

// logOf says where the changes of a table's relation are logged, and as what: those of
// an unlogged table in a log that nobody reads.
func (w *Worker) logOf(s *schema.Table, rel wal.RelID) (*wal.Log, wal.RelID) {
	if !s.Unlogged {
		return w.log, rel
	}
	return w.unlogged, w.unlogged.Register(w.log.Name(rel))
}

// newTable makes a local table, empty.
func (w *Worker) newTable(s *schema.Table) *table {
	t := &table{schema: s, scratch: &w.evaluation, compared: make([]int64, len(s.Columns))}
	t.rel = w.log.RegisterIn(s.Schema, s.Name)
	o := heap.Options{
		Name: s.Name, Attrs: s.Attrs(), Fillfactor: s.Fillfactor,
		Logical: w.opts.Settings.WALLevel == "logical" && !s.Unlogged, Identity: identity(s),
		Executor: w.opts.backend,
	}
	computed := map[*schema.Index]*localIndex{}
	for _, x := range s.Indexes {
		columns := &o.Indexed
		if x.Method == "brin" && w.opts.Settings.ServerMajor >= 16 { // older ones know no summarizing indexes
			columns = &o.Summarized
		}
		for _, k := range x.Keys {
			if k.Column >= 0 {
				*columns = append(*columns, k.Column)
			}
		}
		*columns = append(*columns, x.Include...)
		if x.Unique && x.Predicate == "" && !slices.ContainsFunc(x.Keys, func(k schema.IndexKey) bool { return k.Column < 0 }) {
			for _, k := range x.Keys {
				o.Keys = append(o.Keys, k.Column)
			}
		}
		if s.Kind == 'p' {
			continue // there is none, only those of the partitions
		}
		li, err := w.compileIndex(t, x)
		if err != nil {
			t.unsupported = fmt.Sprintf("index %s: %v", x.Name, err)
			continue
		}
		computed[x] = li
		for _, e := range append([]*expr.Expr{li.predicate}, li.exprs...) {
			if e != nil {
				o.Indexed = append(o.Indexed, e.Columns()...)
				li.depends = append(li.depends, e.Columns()...)
			}
		}
		for _, k := range x.Keys {
			if k.Column >= 0 {
				li.depends = append(li.depends, k.Column)
			}
		}
		li.depends = append(li.depends, x.Include...)
	}
	log, rel := w.logOf(s, t.rel)
	t.heap = heap.NewTable(o, log, rel, &w.xacts)
	w.addClasses(t)
	w.addConstraints(t)
	w.addToaster(t)
	own := identityIndex(s)
	for _, x := range s.Indexes {
		li := computed[x]
		if li == nil {
			continue
		}
		if what := w.newIndex(t, li); what != "" {
			if t.unsupported == "" {
				t.unsupported = what
			}
			continue
		}
		li.exclusion = x.WithoutOverlaps
		for i := range s.Exclusions {
			if s.Exclusions[i].Index == x {
				li.exclusion = true
			}
		}
		t.indexes = append(t.indexes, li)
		if x == own {
			t.identity = li
		}
	}
	return t
}

// addClasses finds out how the columns' values are compared when a row is looked
// for.
func (w *Worker) addClasses(t *table) {
	t.classes = make([]*opclass.Class, len(t.schema.Columns))
	for i := range t.schema.Columns {
		c := &t.schema.Columns[i]
		if c.Dropped {
			continue
		}
		w.collations.using = fmt.Sprintf("%s (%s)", t.schema.QualifiedName(), c.Name)
		class, err := pgtype.OpClassIn(c.Type, "", c.Collation, w.collations.order)
		if err != nil {
			t.unsupported = fmt.Sprintf("column %s.%s: %v", t.schema.QualifiedName(), c.Name, err)
		}
		t.classes[i] = class
	}
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

// compileIndex begins an index with its expressions and its predicate.
func (w *Worker) compileIndex(t *table, x *schema.Index) (*localIndex, error) {
	li := &localIndex{schema: x, owner: t}
	for i, k := range x.Keys {
		if k.Column >= 0 {
			continue
		}
		e, err := w.compile(t.schema, k.Expr, nil, "an expression of "+x.Name)
		computed := err == nil
		if modelled := x.Method == "btree" || x.Method == "brin"; err != nil && !modelled && !w.opts.Exact && assumable(err) {
			// Its value is of no interest, only the columns that it depends on.
			e, err = expr.AssumeValue(k.Expr, t.schema, nil, -1, 0)
		} else {
			e, err = w.orValue(t, indexNames(x), "the expression", k.Expr, nil, e, err)
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
		if e, err = w.orCondition(t, x, e, err); err != nil {
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
	w.assumed(Assumed{qualified(t.schema.Schema, li.schema.Name), "order", "", fmt.Sprintf("%s has type %s, which is not known: its values are ordered as their texts' bytes", c.Name, c.Type)})
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

// open returns the relation map's entry for a change, with its local table
// (logicalrep_rel_open).
func (w *Worker) open(m *stream.Message) (*relation, error) {
	if w.last != nil && w.lastID == m.RelationID {
		w.countOpened(w.last.local)
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
	w.countOpened(r.local)
	w.last, w.lastID = r, m.RelationID
	return r, nil
}

// countOpened counts a change and the locks that it finds: a table stays locked until
// the transaction ends, and so does an index by which a row was looked for.
func (w *Worker) countOpened(t *table) {
	t.counters.Opened++
	if t.locked != w.Counters.Begins {
		t.locked = w.Counters.Begins
		t.counters.Locked++
	}
	if t.kept == w.Counters.Begins {
		t.counters.Held++
	}
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
		*lc = localColumn{remote: -1, typ: c.Type, typmod: c.Typmod, def: datum.Value{Null: true}, shaped: shaped(c.Type), every: w.countAll, pure: c.Type.HasBits() || c.Type.AsIs()}
		if c.Dropped {
			continue
		}
		lc.class = t.classes[i]
		switch lc.typ.Base().Name {
		case "text", "varchar", "bytea":
			lc.bySize = lc.class == nil || lc.class.EqualImage
		}
		if n, ok := remote[c.Name]; ok {
			if c.Generated != 0 && w.opts.Settings.ServerMajor < 18 {
				continue // it counts as missing
			}
			delete(remote, c.Name)
			if c.Generated != 0 {
				generated = append(generated, c.Name)
			}
			lc.remote = n
			continue
		}
		if c.Generated != 0 {
			continue
		}
		if err := w.defaultOf(t, c, i, lc); err != nil {
			return err
		}
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
		order := func(name string) int {
			return slices.IndexFunc(r.remote.Columns, func(c stream.RelationColumn) bool { return c.Name == name })
		}
		slices.SortFunc(generated, func(a, b string) int { return order(a) - order(b) })
		return w.stop("logical replication target relation \"%s.%s\" has incompatible generated column%s: %s",
			space, r.remote.Name, plural(len(generated)), quoteList(generated))
	}
	r.local = t
	t.counters.Maps++
	w.chooseLookup(r)
	w.fit(t)
	return nil
}

// fit makes room for the rows of a table.
func (w *Worker) fit(t *table) {
	if n := len(t.schema.Columns); n > len(w.values) {
		w.values = append(w.values, make([]datum.Value, n-len(w.values))...)
		w.row = make([]datum.Value, n)
	}
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
