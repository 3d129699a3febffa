package view

// Statistics views, after system_views.sql, pgstatindex.c and pgstattuple.c.

import (
	"math"
	"slices"
	"strconv"

	"applysim/heap"
	"applysim/index"
	"applysim/model/apply"
	"applysim/wal"
	"applysim/wal/storage"
)

// Statistics are a subscriber's statistics since a moment, as a server's are since they
// were reset; numbers of live and dead rows, and sizes, are those of now.
type Statistics struct {
	// Auto says that VACUUMs are autovacuum's.
	Auto bool
	// Stopped says that replication has stopped with an error.
	Stopped bool

	w       *apply.Worker
	tables  map[string]tableBefore
	indexes map[wal.RelID]index.Counters
	before  wal.Count
	images  int64
}

// tableBefore are a table's counters when the statistics began.
type tableBefore struct {
	apply.TableState
	heap heap.Counters
}

// NewStatistics begins statistics of a subscriber, whose log must give its records to See.
func NewStatistics(w *apply.Worker) *Statistics {
	s := &Statistics{w: w, tables: map[string]tableBefore{}, indexes: map[wal.RelID]index.Counters{}, before: w.Log().Total()}
	for _, t := range w.Tables() {
		s.tables[t.Schema.QualifiedName()] = tableBefore{t, t.Heap.Counters}
		for _, x := range t.Indexes {
			if x.BTree != nil {
				s.indexes[x.Rel] = x.BTree.Counters
			}
		}
	}
	w.Log().Details(true)
	return s
}

// See counts the images of a record.
func (s *Statistics) See(r *wal.Record) {
	if r.Detail == nil {
		return
	}
	for i := range r.Detail.Blocks {
		if r.Detail.Blocks[i].Image.Length > 0 {
			s.images++
		}
	}
}

// UserTables gives the columns of pg_stat_user_tables. NULL are object ids and times,
// which a simulated subscriber does not have, how many rows have changed since the
// last ANALYZE and come since the last VACUUM, which depends on when the worker reports,
// and how often the table was analyzed.
func (s *Statistics) UserTables() *Rows {
	r := newRows("relid int", "schemaname", "relname", "seq_scan int", "last_seq_scan", "seq_tup_read int", "idx_scan int", "last_idx_scan",
		"idx_tup_fetch int", "n_tup_ins int", "n_tup_upd int", "n_tup_del int", "n_tup_hot_upd int", "n_tup_newpage_upd int",
		"n_live_tup int", "n_dead_tup int", "n_mod_since_analyze int", "n_ins_since_vacuum int", "last_vacuum", "last_autovacuum",
		"last_analyze", "last_autoanalyze", "vacuum_count int", "autovacuum_count int", "analyze_count int", "autoanalyze_count int",
		"total_vacuum_time float", "total_autovacuum_time float", "total_analyze_time float", "total_autoanalyze_time float")
	none := int64(0)
	for _, t := range s.w.Partitioned() {
		var idxScan, idxFetch any
		if len(t.Indexes) > 0 {
			idxScan, idxFetch = none, none
		}
		r.add(nil, t.Schema, t.Name, none, nil, none, idxScan, nil,
			idxFetch, none, none, none, none, none,
			none, none, nil, nil, nil, nil,
			nil, nil, none, none, nil, nil,
			nil, nil, nil, nil)
	}
	for _, t := range s.w.Tables() {
		b := s.tables[t.Schema.QualifiedName()]
		c, d := &t.Heap.Counters, &b.heap
		var idxScan, idxFetch any // NULL for a table without indexes
		if len(t.Indexes) > 0 {
			idxScan, idxFetch = t.IdxScans-b.IdxScans, t.IdxTupFetch-b.IdxTupFetch
		}
		vacuums := []any{t.Vacuums - b.Vacuums, int64(0)}
		if s.Auto {
			slices.Reverse(vacuums)
		}
		r.add(nil, t.Schema.Schema, t.Schema.Name, t.SeqScans-b.SeqScans, nil, t.SeqTupRead-b.SeqTupRead, idxScan, nil,
			idxFetch, c.Inserts-d.Inserts, c.Updates-d.Updates, c.Deletes-d.Deletes, c.HOTUpdates-d.HOTUpdates, c.NewPageUpdates-d.NewPageUpdates,
			t.Heap.Live(), t.Heap.Dead(), nil, nil, nil, nil,
			nil, nil, vacuums[0], vacuums[1], nil, nil,
			nil, nil, nil, nil)
	}
	return r
}

// UserIndexes gives the columns of pg_stat_user_indexes. Of an index whose access method
// is not modelled no entries are known, and if a table has several such indexes no scans.
func (s *Statistics) UserIndexes() *Rows {
	r := newRows("relid int", "indexrelid int", "schemaname", "relname", "indexrelname", "idx_scan int", "last_idx_scan", "idx_tup_read int", "idx_tup_fetch int")
	for _, t := range s.w.Tables() {
		b := s.tables[t.Schema.QualifiedName()]
		// What the B-trees have not counted: scans of the one other index, or a lookup
		// that 17 repeats.
		scans, fetches := t.IdxScans-b.IdxScans, t.IdxTupFetch-b.IdxTupFetch
		foreign := 0
		for _, x := range t.Indexes {
			if x.BTree != nil {
				scans -= x.BTree.Counters.Lookups - s.indexes[x.Rel].Lookups
				fetches -= x.BTree.Counters.LookupRows - s.indexes[x.Rel].LookupRows
			} else if x.Foreign {
				foreign++
			}
		}
		for _, x := range t.Indexes {
			row := []any{nil, nil, t.Schema.Schema, t.Schema.Name, x.Schema.Name, int64(0), nil, int64(0), int64(0)}
			switch {
			case x.Foreign && foreign == 1 && scans > 0:
				row[5], row[7], row[8] = scans, nil, fetches
			case x.Foreign && scans > 0:
				row[5], row[7], row[8] = nil, nil, nil
			case x.BTree != nil:
				c, d := &x.BTree.Counters, s.indexes[x.Rel]
				row[5], row[7], row[8] = c.Lookups-d.Lookups, c.LookupTIDs-d.LookupTIDs, c.LookupRows-d.LookupRows
				if x.Lookup && foreign == 0 && scans > 0 {
					row[5], row[7], row[8] = c.Lookups-d.Lookups+scans, nil, c.LookupRows-d.LookupRows+fetches
				}
			}
			r.add(row...)
		}
	}
	return r
}

// WAL gives the columns of pg_stat_wal. How often the WAL buffers were full depends on
// how fast they are written: NULL.
func (s *Statistics) WAL() *Rows {
	r := newRows("wal_records int", "wal_fpi int", "wal_bytes int", "wal_buffers_full int", "stats_reset")
	total := s.w.Log().Total()
	r.add(total.Records-s.before.Records, s.images, total.Bytes-s.before.Bytes, nil, nil)
	return r
}

// Subscription gives the columns of pg_stat_subscription_stats. An error that stops the
// worker counts once, although a real worker tries again and again.
func (s *Statistics) Subscription() *Rows {
	conflicts := []string{"insert_exists", "update_origin_differs", "update_exists", "update_missing", "delete_origin_differs", "delete_missing", "multiple_unique_conflicts"}
	columns := []string{"subid int", "subname", "apply_error_count int", "sync_error_count int"}
	errors := s.w.Counters.Skipped
	if s.Stopped {
		errors++
	}
	row := []any{nil, nil, errors, int64(0)}
	for _, c := range conflicts {
		columns = append(columns, "confl_"+c+" int")
		row = append(row, s.w.Counters.Conflicts[c])
	}
	r := newRows(append(columns, "stats_reset")...)
	r.add(append(row, nil)...)
	return r
}

// StatIndex gives the columns of pgstatindex; nil if the relation is no B-tree.
func (r *Relation) StatIndex() *Rows {
	if r.BTree == nil {
		return nil
	}
	m, err := r.BTreeMeta()
	if err != nil {
		return nil
	}
	x := r.BTree.Stats()
	rows := newRows("version int", "tree_level int", "index_size int", "root_block_no int", "internal_pages int", "leaf_pages int",
		"empty_pages int", "deleted_pages int", "avg_leaf_density float", "leaf_fragmentation float")
	rows.add(m.Version, x.TreeLevel, r.Pages()*storage.PageSize, int(m.Root), x.InternalPages, x.LeafPages,
		x.EmptyPages, x.DeletedPages, twoDigits(x.AvgLeafDensity), twoDigits(x.LeafFragmentation))
	return rows
}

// StatTuple gives the columns of pgstattuple; nil if the relation is no table.
func (r *Relation) StatTuple() *Rows {
	if r.Heap == nil {
		return nil
	}
	x := r.Heap.TupleStats()
	size := int64(r.Pages()) * storage.PageSize
	percent := func(n int64) float64 {
		if size == 0 {
			return 0
		}
		return twoDigits(100.0 * float64(n) / float64(size))
	}
	rows := newRows("table_len int", "tuple_count int", "tuple_len int", "tuple_percent float", "dead_tuple_count int", "dead_tuple_len int",
		"dead_tuple_percent float", "free_space int", "free_percent float")
	rows.add(size, x.Tuples, x.TupleBytes, percent(x.TupleBytes), x.Dead, x.DeadBytes, percent(x.DeadBytes), x.FreeSpace, percent(x.FreeSpace))
	return rows
}

// StatIndexes gives the columns of pgstatindex of each B-tree, after its name.
func StatIndexes(w *apply.Worker) *Rows {
	return named(w, func(r *Relation) *Rows { return r.StatIndex() })
}

// StatTuples gives the columns of pgstattuple of each table, after its name.
func StatTuples(w *apply.Worker) *Rows {
	return named(w, func(r *Relation) *Rows { return r.StatTuple() })
}

// named puts what a function shows of each relation into one list, after the relation's
// name.
func named(w *apply.Worker, show func(*Relation) *Rows) *Rows {
	all := newRows("relname")
	for _, r := range Relations(w) {
		rows := show(&r)
		if rows == nil {
			continue
		}
		all.Columns = append(all.Columns[:1], rows.Columns...)
		for _, values := range rows.Values {
			all.add(append([]any{r.Name}, values...)...)
		}
	}
	return all
}

// twoDigits rounds as pgstatindex and pgstattuple print.
func twoDigits(x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'f', 2, 64), 64)
	return y
}
