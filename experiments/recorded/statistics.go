package recorded

import (
	"fmt"
	"maps"
	"strconv"

	"applysim/model/apply"
)

// compareCounters compares the counters of all tables. The real ones include what
// they were at the start, except that the marker's first row may have been reported
// late. A parallel apply worker reports at the end of a transaction, but at most once
// a second and not when it idles: what its last transactions did may be missing, for
// all tables alike.
func (k *comparison) compareCounters(c *Case, e *Expected, reports map[string]*TableReport, workers [][]map[string]apply.Statistics) {
	whole := map[string]apply.Statistics{}
	for name, r := range reports {
		s := r.statistics()
		if name != "marker" { // rows before the case are in what was counted at the start
			s.Inserts -= r.preset
			s.Live -= r.preset
		}
		whole[name] = s
	}
	differences := func(got map[string]apply.Statistics) []string {
		var all []string
		for _, name := range sortedKeys(got) {
			s := got[name]
			if s.Inserts < whole[name].Inserts || len(workers) > 0 {
				base := int64(0)
				if name != "marker" {
					base = c.Start.Statistics[name]["n_live_tup"]
				}
				if len(workers) > 0 {
					s.Dead = keptDead(s, e.Tables[name]["n_dead_tup"])
				}
				s.Live = kept(s, base, e.Tables[name]["n_live_tup"])
			}
			all = append(all, counterDifferences(name, e.Tables[name], s, c.Start.Statistics[name], c.vacuums() || reports[name].truncated)...)
		}
		return all
	}
	all := differences(whole)
	if len(all) == 0 || withoutLast(whole, workers, func(got map[string]apply.Statistics) bool { return len(differences(got)) == 0 }) {
		return
	}
	k.result.StateDifferences = append(k.result.StateDifferences, all...)
}

// kept is n_live_tup where inserts have not been reported, or by a parallel worker after
// the deletes by another: the server keeps it from falling below zero when deletes are,
// so that it may stay above the sum. base is what it was at the start.
func kept(s apply.Statistics, base int64, real anyJSON) int64 {
	n := max(base+s.Live, 0)
	if x, ok := real.(float64); ok && s.Deletes > 0 {
		n = max(n, int64(x))
	}
	return n - base
}

// keptDead is n_dead_tup where one parallel worker may have reported what it has pruned
// before others reported what they had updated and deleted: it does not fall below zero.
func keptDead(s apply.Statistics, real anyJSON) int64 {
	if x, ok := real.(float64); ok && int64(x) > s.Dead && int64(x) <= s.Updates+s.Deletes {
		return int64(x)
	}
	return s.Dead
}

// withoutLast says whether ok for some choice of last transactions of each worker
// that are left out of the statistics.
func withoutLast(got map[string]apply.Statistics, workers [][]map[string]apply.Statistics, ok func(map[string]apply.Statistics) bool) bool {
	if len(workers) == 0 {
		return ok(got)
	}
	got = maps.Clone(got)
	transactions := workers[0]
	for n := len(transactions); ; n-- {
		if withoutLast(got, workers[1:], ok) {
			return true
		}
		if n == 0 {
			return false
		}
		for name, s := range transactions[n-1] {
			if _, known := got[name]; known {
				got[name] = got[name].Sub(s)
			}
		}
	}
}

// statistics are a report's counters.
func (r *TableReport) statistics() apply.Statistics {
	return apply.Statistics{
		Inserts: r.Inserts, Updates: r.Updates, HOTUpdates: r.HOTUpdates, NewPageUpdates: r.NewPageUpdates, Deletes: r.Deletes,
		Live: r.Live, Dead: r.Dead,
		SeqScans: r.SeqScans, SeqTupRead: r.SeqTupRead, IdxScans: r.IdxScans, IdxTupFetch: r.IdxTupFetch,
	}
}

// counterDifferences compares a table's counters. emptied says that VACUUM or TRUNCATE
// set the numbers of rows, which the server mixes with what the worker reports later
// or has not reported yet.
func counterDifferences(name string, want map[string]anyJSON, got apply.Statistics, start map[string]int64, emptied bool) []string {
	counters := []struct {
		name  string
		value int64
	}{
		{"n_tup_ins", got.Inserts}, {"n_tup_upd", got.Updates}, {"n_tup_hot_upd", got.HOTUpdates},
		{"n_tup_newpage_upd", got.NewPageUpdates}, {"n_tup_del", got.Deletes},
		{"n_live_tup", got.Live}, {"n_dead_tup", got.Dead},
		{"seq_scan", got.SeqScans}, {"seq_tup_read", got.SeqTupRead},
		{"idx_scan", got.IdxScans}, {"idx_tup_fetch", got.IdxTupFetch},
	}
	var differences []string
	for _, x := range counters {
		if emptied && (x.name == "n_live_tup" || x.name == "n_dead_tup") {
			continue
		}
		n := x.value
		if name != "marker" || x.name != "n_tup_ins" && x.name != "n_live_tup" {
			n += start[x.name]
		}
		if real := fmt.Sprint(want[x.name]); want[x.name] != nil && real != strconv.FormatInt(n, 10) && fmt.Sprint(float64(n)) != real {
			differences = append(differences, fmt.Sprintf("%s.%s: expected %s, got %d", name, x.name, real, n))
		}
	}
	return differences
}
