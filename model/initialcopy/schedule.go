package initialcopy

// When tables are copied, after tablesync.c (process_syncing_tables_for_apply): the apply
// worker starts a worker for the next table that waits while there are fewer than
// max_sync_workers_per_subscription, in the order of the tables.

import "math"

// Job is a table's copy.
type Job struct {
	Name string
	Copy float64 // seconds, the start of its worker included
	Rows int64
}

// Span is when a table was copied, seconds from the beginning.
type Span struct {
	Name       string
	Start, End float64 // of the copy
	Ready      float64 // when the apply worker has taken over
}

// Load is what changes meanwhile.
type Load struct {
	Rate  float64 // changes a second, of all tables
	Apply float64 // seconds of the apply worker's time that one takes
	// Share is the part of them that goes to a table; it may be nil: they are shared out by
	// rows then.
	Share func(table string) float64
}

// Plan is a whole synchronisation.
type Plan struct {
	Spans []Span
	// Copied is when the last table was, CaughtUp when the apply worker has come to where
	// the publisher is, from the beginning; infinite if it never does.
	Copied, CaughtUp float64
	// Most is the greatest number of changes that wait.
	Most float64
}

// Schedule plans the copies of tables by so many workers. While a table's worker catches up
// with what has changed since its copy began, the apply worker waits for it.
func Schedule(jobs []Job, workers int, load Load) *Plan {
	p := &Plan{}
	if workers < 1 {
		workers = 1
	}
	rows := int64(0)
	for _, j := range jobs {
		rows += j.Rows
	}
	type running struct{ job, span int }
	var open []running
	now, blocked, waited := 0.0, 0.0, 0.0 // the apply worker waits until blocked, and has waited so long
	for next := 0; next < len(jobs) || len(open) > 0; {
		if next < len(jobs) && len(open) < workers {
			j := jobs[next]
			open = append(open, running{next, len(p.Spans)})
			p.Spans = append(p.Spans, Span{Name: j.Name, Start: now, End: now + j.Copy})
			next++
			continue
		}
		first := 0
		for i := range open {
			if p.Spans[open[i].span].End < p.Spans[open[first].span].End {
				first = i
			}
		}
		j, s := jobs[open[first].job], &p.Spans[open[first].span]
		open = append(open[:first], open[first+1:]...)
		share := 0.0
		switch {
		case load.Share != nil:
			share = load.Share(j.Name)
		case rows > 0:
			share = float64(j.Rows) / float64(rows)
		}
		// The apply worker may be waiting for another table.
		from := math.Max(s.End, blocked)
		behind := float64(load.Rate * share * (from - s.Start) * load.Apply)
		s.Ready = from + behind
		now, blocked = s.Ready, s.Ready
		waited += behind
		p.Copied = math.Max(p.Copied, s.Ready)
	}
	busy := float64(load.Rate * load.Apply)
	p.Most = float64(load.Rate * waited)
	switch {
	case busy < 1:
		p.CaughtUp = p.Copied + float64(waited*busy)/(1-busy)
	default:
		p.CaughtUp = math.Inf(1)
	}
	return p
}
