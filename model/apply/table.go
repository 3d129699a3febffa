package apply

import (
	"fmt"
	"slices"

	"applysim/heap"
	"applysim/index/opclass"
	"applysim/model/expr"
	"applysim/model/partition"
	"applysim/model/pgtype"
	"applysim/model/schema"
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
