package recorded

import (
	"encoding/json"
	"strconv"

	"applysim/model/apply"
	"applysim/wal"
)

// lookups compares the index by which the worker says that it finds a table's rows with
// those that the real server counts scans of. Others are searched only for rows in the way of
// a constraint.
func (k *viewComparison) lookups(rows []json.RawMessage, w *apply.Worker, stopped bool) {
	scans := map[string]int64{}
	for _, row := range rows {
		names, values, err := fields(row)
		if err != nil {
			k.differ("pg_stat_user_indexes: %v", err)
			return
		}
		at := map[string]string{}
		for i, name := range names {
			at[name] = values[i]
		}
		scans[at["indexrelname"]], _ = strconv.ParseInt(at["idx_scan"], 10, 64)
	}
	for _, t := range w.Tables() {
		for root := t.Schema; root != nil; root = root.Parent {
			d := w.Described(root.Schema, root.Name)
			if d == nil {
				continue
			}
			m, ok := w.Mapping(d.ID, t.Rel)
			if !ok {
				continue // no row of the message's table came here
			}
			k.compared["indexes that rows are found by"] += len(m.Choices)
			for _, c := range m.Choices {
				constrained := len(m.Table.Exclusions) > 0 || stopped && c.Index.Unique
				if n := scans[c.Index.Name]; n > 0 && !c.Chosen && !constrained {
					k.differ("index %s: scanned %d times, but it is not the one to find rows by: %s", c.Index.Name, n, c.Why)
				}
				if c.Chosen != (c.Rel == m.Lookup) || c.Why == "" {
					k.differ("index %s: chosen is %v, the lookup is by %d (%q)", c.Index.Name, c.Chosen, m.Lookup, c.Why)
				}
			}
			for i, n := range m.Columns {
				if n >= 0 && d.Columns[n].Name != m.Table.Columns[i].Name {
					k.differ("table %s: column %s gets the values of %s", m.Table.Name, m.Table.Columns[i].Name, d.Columns[n].Name)
				}
			}
			if m.Lookup == wal.NoRelation && t.IdxScans > 0 && !stopped && m.ReadOnly == "" && len(m.Table.Exclusions) == 0 {
				k.differ("table %s: %d index scans, but rows are found by reading it", m.Table.Name, t.IdxScans)
			}
		}
	}
}
