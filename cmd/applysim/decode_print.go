package main

import (
	"fmt"
	"io"
	"slices"

	"applysim/experiments/table"
	"applysim/model/decode"
)

// printDecoded prints what the slots gave. CSV has a line for each figure.
func printDecoded(w io.Writer, format string, r *decodeReport) error {
	switch format {
	case "json":
		return printJSON(w, r)
	case "csv":
		return decodedCSV(r).CSV(w)
	}
	lines := []string{
		fmt.Sprintf("%s in %s that committed; logical_decoding_work_mem %s kB, PostgreSQL %d",
			count(r.Changes, "change"), count(r.Transactions, "transaction"), table.Integer(r.WorkMem/1024), r.ServerVersion),
	}
	for _, s := range r.Slots {
		total := int64(0)
		for _, n := range s.Unknown {
			total += n
		}
		if total > 0 {
			lines = append(lines, fmt.Sprintf("%s: the bytes of %s are not counted: their rows were rolled back, and no stream has their values", s.Way, count(total, "message")))
		}
	}
	return printParts(w, format, []*table.Table{slotsTable(r), messagesTable(r), countersTable(r)}, lines)
}

// slotsTable has a line a slot.
func slotsTable(r *decodeReport) *table.Table {
	t := &table.Table{Columns: []table.Column{
		{Name: "slot"}, {Name: "messages", Right: true}, {Name: "bytes", Right: true},
		{Name: "bytes a change", Right: true, Decimals: 1}, {Name: "of " + r.Slots[0].Way, Right: true, Decimals: 2},
	}}
	for _, s := range r.Slots {
		var each, share any
		if r.Changes > 0 {
			each = float64(s.Bytes) / float64(r.Changes)
		}
		if first := r.Slots[0].Bytes; first > 0 {
			share = float64(s.Bytes) / float64(first)
		}
		t.Add(s.Way, s.Messages, s.Bytes, each, share)
	}
	return t
}

// messageOrder is the order in which messages are listed.
var messageOrder = []string{
	"begin", "commit", "relation", "type", "insert", "update", "delete", "truncate", "message",
	"stream start", "stream stop", "stream commit", "stream abort",
}

// messagesTable shows bytes by what messages say, a column a slot.
func messagesTable(r *decodeReport) *table.Table {
	t := &table.Table{Columns: []table.Column{{Name: "bytes of"}}}
	for _, s := range r.Slots {
		t.Columns = append(t.Columns, table.Column{Name: s.Way, Right: true})
	}
	for _, name := range messageOrder {
		row, any := []any{name}, false
		for _, s := range r.Slots {
			c, ok := s.ByMessage[name]
			if !ok {
				row = append(row, nil)
				continue
			}
			any = true
			row = append(row, c.Bytes)
		}
		if any {
			t.Add(row...)
		}
	}
	return t
}

// slotCounters are the counters of pg_stat_replication_slots by name.
func slotCounters(s *decode.Result) []struct {
	name  string
	value int64
} {
	return []struct {
		name  string
		value int64
	}{
		{"spill_txns", s.SpillTxns}, {"spill_count", s.SpillCount}, {"spill_bytes", s.SpillBytes},
		{"stream_txns", s.StreamTxns}, {"stream_count", s.StreamCount}, {"stream_bytes", s.StreamBytes},
		{"total_txns", s.TotalTxns}, {"total_bytes", s.TotalBytes},
	}
}

// countersTable shows the slots' counters, a column a slot.
func countersTable(r *decodeReport) *table.Table {
	t := &table.Table{Columns: []table.Column{{Name: "counter"}}}
	for _, s := range r.Slots {
		t.Columns = append(t.Columns, table.Column{Name: s.Way, Right: true})
	}
	for i, c := range slotCounters(&r.Slots[0]) {
		row := []any{c.name}
		for j := range r.Slots {
			row = append(row, slotCounters(&r.Slots[j])[i].value)
		}
		t.Add(row...)
	}
	row := []any{"most in memory"}
	for j := range r.Slots {
		row = append(row, r.Slots[j].PeakBytes)
	}
	t.Rule()
	t.Add(row...)
	return t
}

// decodedCSV has every figure on a line of its own.
func decodedCSV(r *decodeReport) *table.Table {
	t := &table.Table{Columns: []table.Column{{Name: "slot"}, {Name: "figure"}, {Name: "count", Right: true}, {Name: "bytes", Right: true}}}
	for i := range r.Slots {
		s := &r.Slots[i]
		for _, name := range messageOrder {
			if c, ok := s.ByMessage[name]; ok {
				t.Add(s.Way, name, c.Messages, c.Bytes)
			}
		}
		t.Add(s.Way, "messages", s.Messages, s.Bytes)
		for _, c := range slotCounters(s) {
			if slices.Contains([]string{"spill_bytes", "stream_bytes", "total_bytes"}, c.name) {
				t.Add(s.Way, c.name, nil, c.value)
				continue
			}
			t.Add(s.Way, c.name, c.value, nil)
		}
		t.Add(s.Way, "peak_bytes", nil, s.PeakBytes)
	}
	return t
}
