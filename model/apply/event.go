package apply

import (
	"fmt"
	"slices"
	"strings"

	"applysim/heap"
	"applysim/index"
	"applysim/wal"
	"applysim/wal/storage"
)

// Run runs a command on the subscriber between two messages: CHECKPOINT or VACUUM.
// The records of a checkpoint itself are not written if quiet.
func (w *Worker) Run(sql string, quiet bool) error {
	words := strings.Fields(strings.ToLower(strings.TrimRight(strings.TrimSpace(sql), ";")))
	switch {
	case len(words) == 1 && words[0] == "checkpoint":
		w.Checkpoint(quiet)
		return nil
	case len(words) > 0 && words[0] == "vacuum":
		o, names, err := parseVacuum(sql)
		if err != nil {
			return err
		}
		return w.vacuumNamed(o, names)
	}
	return &UnsupportedError{What: "the event " + sql}
}

// parseVacuum reads a VACUUM command: its options and the tables it names.
func parseVacuum(sql string) (o heap.VacuumOptions, names []string, err error) {
	s := strings.TrimSpace(strings.TrimRight(strings.TrimSpace(sql), ";"))[len("vacuum"):]
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "(") {
		list, rest, ok := strings.Cut(s[1:], ")")
		if !ok {
			return o, nil, fmt.Errorf("VACUUM: expected ) in %q", sql)
		}
		for _, option := range strings.Split(list, ",") {
			f := strings.Fields(strings.ToLower(option))
			if len(f) == 0 {
				return o, nil, fmt.Errorf("VACUUM: expected an option in %q", sql)
			}
			on := len(f) == 1 || f[1] == "on" || f[1] == "true" || f[1] == "1"
			switch f[0] {
			case "freeze":
				o.Freeze = on
			case "truncate":
				o.NoTruncate = !on
			case "disable_page_skipping":
				o.NoSkipping = on
			case "index_cleanup":
				switch {
				case len(f) > 1 && f[1] == "auto":
				case on:
					o.IndexCleanup = 1
				default:
					o.IndexCleanup = -1
				}
			case "verbose", "skip_locked", "process_main", "process_toast", "parallel", "buffer_usage_limit", "skip_database_stats":
			default:
				return o, nil, &UnsupportedError{What: "VACUUM's option " + f[0]}
			}
		}
		s = rest
	}
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' || r == '\n' }) {
		switch strings.ToLower(word) {
		case "freeze":
			o.Freeze = true
		case "verbose":
		case "full", "analyze", "analyse":
			return o, nil, &UnsupportedError{What: "VACUUM " + word}
		default:
			names = append(names, word)
		}
	}
	return o, names, nil
}

// vacuumNamed vacuums the named tables, all if there is no name.
func (w *Worker) vacuumNamed(o heap.VacuumOptions, names []string) error {
	if len(names) == 0 {
		for _, t := range w.tables {
			if err := w.vacuum(t, o); err != nil {
				return err
			}
		}
		return nil
	}
	for _, name := range names {
		space, table, ok := strings.Cut(name, ".")
		if !ok {
			space, table = "public", name
		}
		t := w.byName[[2]string{strings.Trim(space, `"`), strings.Trim(table, `"`)}]
		if t == nil {
			return fmt.Errorf("VACUUM: relation %q does not exist", name)
		}
		if err := w.vacuum(t, o); err != nil {
			return err
		}
	}
	return nil
}

// Vacuum vacuums a table and its indexes as VACUUM does (heap_vacuum_rel).
func (w *Worker) Vacuum(space, name string, o heap.VacuumOptions) error {
	t := w.byName[[2]string{space, name}]
	if t == nil {
		return fmt.Errorf("relation \"%s.%s\" does not exist", space, name)
	}
	return w.vacuum(t, o)
}

func (w *Worker) vacuum(t *table, o heap.VacuumOptions) error {
	if t.unsupported != "" {
		return &UnsupportedError{What: t.unsupported}
	}
	if w.inTransaction {
		return &UnsupportedError{What: "VACUUM within a transaction"}
	}
	var indexes []*index.BTree
	for _, x := range t.indexes {
		if x.btree == nil {
			return &UnsupportedError{What: fmt.Sprintf("VACUUM of a table with a BRIN index (%s)", x.schema.Name)}
		}
		indexes = append(indexes, x.btree)
	}
	if err := w.vacuumHeap(t.heap, indexes, o); err != nil {
		return err
	}
	t.finder.reset()
	if t.toaster == nil {
		return nil
	}
	return w.vacuumHeap(t.toaster.heap, []*index.BTree{t.toaster.index.btree}, o)
}

// vacuumHeap vacuums a table's heap and its indexes.
func (w *Worker) vacuumHeap(h *heap.Table, indexes []*index.BTree, o heap.VacuumOptions) error {
	s := h.VacuumBegin(o, len(indexes) > 0)
	if s.Indexes {
		if need := deadItemMemory(s.Dead); need > w.opts.Settings.MaintenanceWorkMem {
			return &UnsupportedError{What: fmt.Sprintf("VACUUM in several passes over the indexes: dead items may take %d bytes, maintenance_work_mem is %d",
				need, w.opts.Settings.MaintenanceWorkMem)}
		}
		dead := func(tid storage.TID) bool {
			_, ok := slices.BinarySearchFunc(s.Dead, tid, storage.TID.Compare)
			return ok
		}
		for _, x := range indexes {
			x.BulkDelete(dead)
		}
		h.VacuumDead(s)
	}
	h.VacuumEnd(s)
	if s.Cleanup {
		for _, x := range indexes {
			x.VacuumCleanup()
		}
	}
	if h.TruncationTried(s) {
		w.truncateHeap(h, h.Remaining(s))
	}
	h.ForgetTarget()
	return nil
}

// Bounds from above for the memory of a TidStore: what is there before the first
// item, and what a page with dead items takes (a bitmap of 291 bits, its header, its
// share of the radix tree).
const (
	tidStoreBase    = 256 << 10
	tidStorePerPage = 64
)

// deadItemMemory bounds the bytes that dead items, in order, take in a TidStore.
func deadItemMemory(dead []storage.TID) uint64 {
	if len(dead) == 0 {
		return 0
	}
	pages := uint64(1)
	for i := 1; i < len(dead); i++ {
		if dead[i].Block != dead[i-1].Block {
			pages++
		}
	}
	return tidStoreBase + tidStorePerPage*pages
}

// truncateHeap gives a table's pages from n on back. To tell standbys of the lock
// VACUUM has taken, it needs a transaction id, and so writes a COMMIT.
func (w *Worker) truncateHeap(h *heap.Table, n int) {
	w.needXID()
	xid := w.xacts.Current
	w.xacts.Current = 0
	if n < h.Pages() {
		h.Truncate(n)
		w.xacts.Flush(w.log.LSN()) // before the file is cut
	}
	lsn := w.log.InsertLocal(wal.TransactionCommit, wal.LocalCommitMainData(w.opts.Settings.WALLevel == "logical"))
	w.xacts.CommittedElsewhere(xid, lsn)
}
