package apply

// VACUUM, after vacuum.c (ExecVacuum, vacuum_rel) and vacuumlazy.c
// (heap_vacuum_rel).

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"applysim/heap"
	"applysim/model/guc"
	"applysim/wal"
	"applysim/wal/storage"
)

// VacuumChoice is an option of VACUUM that falls back on the table's storage
// parameter and then on a setting (VacOptValue).
type VacuumChoice uint8

// The choices.
const (
	Unspecified VacuumChoice = iota
	Auto
	Off
	On
)

// VacuumOptions are the options of a VACUUM command.
type VacuumOptions struct {
	Freeze       bool         // FREEZE
	Truncate     VacuumChoice // TRUNCATE
	NoSkipping   bool         // DISABLE_PAGE_SKIPPING
	IndexCleanup VacuumChoice // INDEX_CLEANUP
	// NoMain and NoToast leave the table or its TOAST table alone: PROCESS_MAIN and
	// PROCESS_TOAST off.
	NoMain, NoToast bool
	// NoParallel is PARALLEL 0, and what autovacuum does.
	NoParallel bool

	only bool // ONLY: not the partitions
}

// parseVacuum reads a VACUUM command: its options and the tables it names.
func parseVacuum(sql string) (o VacuumOptions, names []string, err error) {
	s := strings.TrimSpace(sql[len("vacuum"):])
	if strings.HasPrefix(s, "(") {
		list, rest, ok := strings.Cut(s[1:], ")")
		if !ok {
			return o, nil, fmt.Errorf("VACUUM: expected ) in %q", sql)
		}
		for _, option := range strings.Split(list, ",") {
			f := strings.Fields(strings.ToLower(option))
			if len(f) == 0 || len(f) > 2 {
				return o, nil, fmt.Errorf("VACUUM: expected an option and perhaps a value, not %q, in %q", option, sql)
			}
			if err := o.set(f[0], strings.Trim(strings.Join(f[1:], ""), "'")); err != nil {
				return o, nil, err
			}
		}
		s = rest
	}
	for _, word := range nameFields(s) {
		switch strings.ToLower(word) {
		case "freeze":
			o.Freeze = true
		case "verbose":
		case "only":
			o.only = true
		case "full", "analyze", "analyse":
			return o, nil, &UnsupportedError{What: "VACUUM " + word}
		default:
			names = append(names, word)
		}
	}
	return o, names, nil
}

// set sets one option of a command. Without a value it is on.
func (o *VacuumOptions) set(name, value string) error {
	if name == "parallel" {
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > 1024 {
			return fmt.Errorf("VACUUM: PARALLEL %s: expected a number from 0 to 1024", value)
		}
		o.NoParallel = n == 0
		return nil
	}
	if name == "index_cleanup" && (value == "auto" || value == "") {
		o.IndexCleanup = Auto
		return nil
	}
	if name == "buffer_usage_limit" {
		return nil
	}
	on := true
	if value != "" {
		var err error
		if on, err = guc.ParseBool(value); err != nil {
			return fmt.Errorf("VACUUM: option %s %s: %w", name, value, err)
		}
	}
	choice := Off
	if on {
		choice = On
	}
	switch name {
	case "freeze":
		o.Freeze = on
	case "truncate":
		o.Truncate = choice
	case "disable_page_skipping":
		o.NoSkipping = on
	case "index_cleanup":
		o.IndexCleanup = choice
	case "process_main":
		o.NoMain = !on
	case "process_toast":
		o.NoToast = !on
	case "verbose", "skip_locked", "skip_database_stats":
	case "full", "analyze":
		if on {
			return &UnsupportedError{What: "VACUUM " + strings.ToUpper(name)}
		}
	default:
		return &UnsupportedError{What: "VACUUM's option " + name}
	}
	return nil
}

// analyze analyzes the named tables, all if there is no name. What it writes to the
// catalogs is left out.
func (w *Worker) analyze(names []string) error {
	var tables []*table
	for _, name := range names {
		t, err := w.tableNamed("ANALYZE", name)
		if err != nil {
			return err
		}
		tables = append(append(tables, t), w.partitionsByLevel(t)...)
	}
	if len(names) == 0 {
		tables = w.tables
	}
	for _, t := range tables {
		switch {
		case t.unsupported != "":
			return &UnsupportedError{What: t.unsupported}
		case w.inTransaction:
			return &UnsupportedError{What: "ANALYZE within a transaction"}
		case t.schema.Kind != 'p' && t.heap.Analyze():
			t.heap.ForgetTarget()
		}
	}
	return nil
}

// tableNamed is a table by the name that a command has.
func (w *Worker) tableNamed(command, name string) (*table, error) {
	space, table := splitName(name)
	t := w.byName[[2]string{space, table}]
	if t == nil {
		return nil, fmt.Errorf("%s: relation %q does not exist", command, name)
	}
	return t, nil
}

// vacuumNamed vacuums the named tables, all if there is no name.
func (w *Worker) vacuumNamed(o VacuumOptions, names []string, quiet bool) error {
	tables := w.tables
	if len(names) > 0 {
		tables = nil
	}
	for _, name := range names {
		t, err := w.tableNamed("VACUUM", name)
		if err != nil {
			return err
		}
		tables = append(tables, t)
		if !o.only {
			tables = append(tables, w.partitionsByLevel(t)...)
		}
	}
	for _, t := range tables {
		if err := w.vacuum(t, o, quiet); err != nil {
			return err
		}
	}
	return nil
}

// partitionsByLevel lists all partitions below a table, those of one level after
// those above it, and those of one parent in the order of their OIDs
// (find_all_inheritors).
func (w *Worker) partitionsByLevel(t *table) []*table {
	if t.schema.Kind != 'p' {
		return nil
	}
	list := []*table{t}
	for i := 0; i < len(list); i++ {
		for _, p := range w.tables {
			if p.schema.Parent == list[i].schema {
				list = append(list, p)
			}
		}
	}
	return list[1:]
}

// Vacuum vacuums a table and its indexes as VACUUM does (vacuum_rel).
func (w *Worker) Vacuum(space, name string, o VacuumOptions) error {
	t := w.byName[[2]string{space, name}]
	if t == nil {
		return fmt.Errorf("relation \"%s.%s\" does not exist", space, name)
	}
	w.session.begin(w.log)
	return w.vacuum(t, o, false)
}

func (w *Worker) vacuum(t *table, o VacuumOptions, quiet bool) error {
	if t.unsupported != "" {
		return &UnsupportedError{What: t.unsupported}
	}
	if w.inTransaction {
		return &UnsupportedError{What: "VACUUM within a transaction"}
	}
	if t.schema.Kind == 'p' {
		return nil // it has no rows of its own
	}
	var indexes []vacuumedIndex
	for _, x := range t.indexes {
		switch {
		case x.brin != nil:
			indexes = append(indexes, &vacuumedBRIN{BRIN: x.brin, x: x, w: w})
		case x.foreign != nil:
			indexes = append(indexes, vacuumedForeign{x, x.foreign.am})
		case x.btree != nil:
			indexes = append(indexes, x.btree)
		}
	}
	if !o.NoMain {
		h, err := w.heapOptions(t.schema.Options, "", o)
		if err != nil {
			return fmt.Errorf("table %q: %w", t.schema.QualifiedName(), err)
		}
		if err := w.vacuumHeap(t.heap, indexes, h, !o.NoParallel, quiet); err != nil {
			return err
		}
		t.finder.reset()
		t.vacuums++
	}
	if t.toaster == nil || o.NoToast {
		return nil
	}
	h, err := w.heapOptions(t.schema.Options, "toast.", o)
	if err != nil {
		return fmt.Errorf("table %q: %w", t.schema.QualifiedName(), err)
	}
	return w.vacuumHeap(t.toaster.heap, []vacuumedIndex{t.toaster.index.btree}, h, !o.NoParallel, quiet)
}

// heapOptions puts together what a command, a table's storage parameters, whose names
// begin with prefix, and the settings say.
func (w *Worker) heapOptions(parameters map[string]string, prefix string, o VacuumOptions) (heap.VacuumOptions, error) {
	s := &w.opts.Settings.Vacuum
	h := heap.VacuumOptions{
		Freeze: o.Freeze, NoSkipping: o.NoSkipping, Memory: s.MaintenanceWorkMem,
		FreezeMinAge: freezeMinAge(s), FreezeTableAge: freezeTableAge(s), EagerFailureRate: s.MaxEagerFreezeFailureRate,
		Redo: w.session.redo, Records: w.session.records,
	}
	truncate, cleanup := o.Truncate, o.IndexCleanup
	if truncate == Unspecified && !s.Truncate {
		truncate = Off
	}
	if value, ok := parameters[prefix+"vacuum_truncate"]; ok && o.Truncate == Unspecified {
		on, err := guc.ParseBool(value)
		if err != nil {
			return h, fmt.Errorf("storage parameter vacuum_truncate %q: %w", value, err)
		}
		truncate = On
		if !on {
			truncate = Off
		}
	}
	if value, ok := parameters[prefix+"vacuum_index_cleanup"]; ok && cleanup == Unspecified && !strings.EqualFold(value, "auto") {
		on, err := guc.ParseBool(value)
		if err != nil {
			return h, fmt.Errorf("storage parameter vacuum_index_cleanup %q: expected auto, on or off", value)
		}
		cleanup = On
		if !on {
			cleanup = Off
		}
	}
	if value, ok := parameters[prefix+"vacuum_max_eager_freeze_failure_rate"]; ok {
		rate, err := strconv.ParseFloat(value, 64)
		if err != nil || !(rate <= 1) {
			return h, fmt.Errorf("storage parameter vacuum_max_eager_freeze_failure_rate %q: expected a number from 0 to 1", value)
		}
		if rate >= 0 {
			h.EagerFailureRate = rate
		}
	}
	h.NoTruncate = truncate == Off
	switch cleanup {
	case Off:
		h.IndexCleanup = -1
	case On:
		h.IndexCleanup = 1
	}
	return h, nil
}

// The ages in force. Source: REL_18_1, src/backend/commands/vacuum.c,
// vacuum_get_cutoffs.
func freezeMinAge(s *guc.VacuumSettings) uint32 {
	return min(s.FreezeMinAge, s.AutovacuumFreezeMaxAge/2)
}

func freezeTableAge(s *guc.VacuumSettings) uint32 {
	return min(s.FreezeTableAge, uint32(float64(s.AutovacuumFreezeMaxAge)*0.95))
}

// vacuumHeap vacuums a table's heap and its indexes (heap_vacuum_rel).
func (w *Worker) vacuumHeap(h *heap.Table, indexes []vacuumedIndex, o heap.VacuumOptions, parallel, quiet bool) error {
	together := indexes // in the order in which parallel workers come to them
	if parallel && o.IndexCleanup >= 0 && w.parallelVacuum(indexes) {
		o.Parallel = true
		together = w.smallFirst(indexes)
		w.warn("VACUUM cleans several large indexes at a time: the order of their records among each other is that of one after the other here, " +
			"and depends on how fast the processes are on a real server (PARALLEL 0 avoids it)")
	}
	s := h.VacuumBegin(o, len(indexes) > 0)
	if s.Eager(h) {
		return &UnsupportedError{What: "VACUUM that reads all-visible pages to freeze them early: where it begins is drawn at random " +
			"(vacuum_max_eager_freeze_failure_rate = 0 avoids it)"}
	}
	var items deadItems
	dead := items.has
	for h.VacuumNext(s) {
		if s.Undecided() {
			return &UnsupportedError{What: fmt.Sprintf("VACUUM by parallel workers with that many dead items: "+
				"whether they fit into shared memory of maintenance_work_mem (%d bytes) is not modelled (PARALLEL 0 avoids it)", o.Memory)}
		}
		w.together = o.Parallel
		items.set(s.Dead)
		for _, x := range together {
			w.Counters.VacuumVisits += int64(x.Pages())
			x.BulkDelete(dead, w.opts.Settings.Vacuum.WorkMem)
		}
		w.together = false
		h.VacuumDead(s)
	}
	h.VacuumEnd(s)
	w.Counters.VacuumVisits += int64(s.Visits())
	if s.Cleanup {
		if s.Passes > 0 {
			together = indexes // what is left to do is done by one process
		}
		w.together = o.Parallel && s.Passes == 0
		for _, x := range together {
			x.VacuumCleanup()
		}
		w.together = false
		for _, x := range indexes {
			if b, ok := x.(*vacuumedBRIN); ok && b.err != nil {
				return b.err
			}
		}
	}
	if h.TruncationTried(s) {
		w.truncateHeap(h, h.Remaining(s), quiet)
	}
	if h.Noted(s) {
		h.ForgetTarget()
	}
	w.session.redo = w.log.Redo() // the table's row in pg_class is written anew
	return nil
}

// parallelVacuum says whether parallel workers take part: if two indexes at least are
// large (parallel_vacuum_compute_workers).
func (w *Worker) parallelVacuum(indexes []vacuumedIndex) bool {
	large := 0
	for _, x := range indexes {
		if w.large(x) {
			large++
		}
	}
	return large > 1 && w.opts.Settings.Vacuum.MaxParallelMaintenanceWorkers > 0
}

// large says whether a parallel worker may clean the index.
func (w *Worker) large(x vacuumedIndex) bool {
	return uint64(x.Pages())*storage.PageSize >= w.opts.Settings.Vacuum.MinParallelIndexScanSize
}

// smallFirst puts the indexes first that are too small for a parallel worker: the
// leader cleans them while the workers start (parallel_vacuum_process_all_indexes).
func (w *Worker) smallFirst(indexes []vacuumedIndex) []vacuumedIndex {
	order := slices.Clone(indexes)
	slices.SortStableFunc(order, func(a, b vacuumedIndex) int {
		switch x, y := w.large(a), w.large(b); {
		case x == y:
			return 0
		case y:
			return -1
		}
		return 1
	})
	return order
}

// Together says whether parallel workers clean indexes of a table at this moment, so
// that the order of the records of different ones depends on their speed.
func (w *Worker) Together() bool { return w.together }

// truncateHeap gives a table's pages from n on back. To tell standbys of the lock
// VACUUM has taken, it needs a transaction id, and so writes a COMMIT.
func (w *Worker) truncateHeap(h *heap.Table, n int, quiet bool) {
	w.needXID()
	xid := w.xacts.Current
	w.xacts.Current = 0
	w.ownXID = xid
	defer func() { w.ownXID = 0 }()
	if !quiet {
		w.log.InsertPlain(wal.StandbyLock, 0)
	}
	if n < h.Pages() {
		h.Truncate(n, quiet)
		w.xacts.Flush(w.log.LSN()) // before the file is cut
	}
	lsn := w.log.InsertLocal(wal.TransactionCommit, wal.LocalCommitMainData(w.opts.Settings.WALLevel == "logical"))
	w.xacts.CommittedElsewhere(xid, lsn)
	if w.opts.Settings.Vacuum.SynchronousCommit {
		w.xacts.Flush(lsn)
	}
}

// warn adds a warning, once.
func (w *Worker) warn(text string) {
	if !slices.Contains(w.Warnings, text) {
		w.Warnings = append(w.Warnings, text)
	}
}
