package apply

// Statistics are a table's counters in pg_stat_user_tables.
type Statistics struct {
	Inserts, Updates, HOTUpdates, NewPageUpdates, Deletes int64
	Live, Dead                                            int64
	SeqScans, SeqTupRead, IdxScans, IdxTupFetch           int64
}

// Add adds d to s.
func (s *Statistics) Add(d Statistics) {
	s.Inserts += d.Inserts
	s.Updates += d.Updates
	s.HOTUpdates += d.HOTUpdates
	s.NewPageUpdates += d.NewPageUpdates
	s.Deletes += d.Deletes
	s.Live += d.Live
	s.Dead += d.Dead
	s.SeqScans += d.SeqScans
	s.SeqTupRead += d.SeqTupRead
	s.IdxScans += d.IdxScans
	s.IdxTupFetch += d.IdxTupFetch
}

// Sub returns s less d.
func (s Statistics) Sub(d Statistics) Statistics {
	return Statistics{
		s.Inserts - d.Inserts, s.Updates - d.Updates, s.HOTUpdates - d.HOTUpdates, s.NewPageUpdates - d.NewPageUpdates,
		s.Deletes - d.Deletes, s.Live - d.Live, s.Dead - d.Dead,
		s.SeqScans - d.SeqScans, s.SeqTupRead - d.SeqTupRead, s.IdxScans - d.IdxScans, s.IdxTupFetch - d.IdxTupFetch,
	}
}

// statistics are those of all tables as they stand.
func (w *Worker) statistics() []Statistics {
	all := make([]Statistics, len(w.tables))
	for i, t := range w.tables {
		s := Statistics{SeqScans: t.seqScans, SeqTupRead: t.seqReads, IdxScans: t.idxScans, IdxTupFetch: t.idxReads}
		if t.heap != nil {
			c := &t.heap.Counters
			s.Inserts, s.Updates, s.HOTUpdates, s.NewPageUpdates, s.Deletes = c.Inserts, c.Updates, c.HOTUpdates, c.NewPageUpdates, c.Deletes
			s.Live, s.Dead = t.heap.Live(), t.heap.Dead()
		}
		all[i] = s
	}
	return all
}

// settle counts what a parallel worker has done since its turn began, or since this
// was called last.
func (w *Worker) settle(p *parallelWorker) {
	now := w.statistics()
	for i := range now {
		p.done[i].Add(now[i].Sub(p.since[i]))
	}
	p.since = now
}

// recordStatistics keeps what a parallel worker's transaction has added to the
// tables' statistics.
func (w *Worker) recordStatistics(p *parallelWorker) {
	s := map[string]Statistics{}
	for i, t := range w.tables {
		if p.done[i] != (Statistics{}) {
			s[t.schema.QualifiedName()] = p.done[i]
		}
	}
	p.finished = append(p.finished, s)
}

// ParallelStatistics is what the transactions of each parallel worker, in order, have
// added to the statistics of the tables, by name. A real one reports them at the end
// of a transaction, but at most once a second, so that those of the last ones may
// not have arrived.
func (w *Worker) ParallelStatistics() [][]map[string]Statistics {
	var all [][]map[string]Statistics
	for _, p := range w.parallel.all {
		all = append(all, p.finished)
	}
	return all
}
