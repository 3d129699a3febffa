package main

import (
	"fmt"
	"io"
	"math"

	"applysim/experiments/table"
	"applysim/model/pipeline"
)

// clock shows a time of the run as hours, minutes and seconds.
func clock(t float64) string {
	ms := int64(math.Round(t * 1000))
	text := fmt.Sprintf("%02d:%02d:%02d", ms/3_600_000, ms/60_000%60, ms/1000%60)
	if ms%1000 != 0 {
		text += fmt.Sprintf(".%03d", ms%1000)
	}
	return text
}

// amount shows bytes in PostgreSQL's units.
func amount(n float64) string {
	for _, u := range []struct {
		name  string
		bytes float64
	}{{"TB", 1 << 40}, {"GB", 1 << 30}, {"MB", 1 << 20}, {"kB", 1 << 10}} {
		if math.Abs(n) >= u.bytes {
			return fmt.Sprintf("%.1f %s", n/u.bytes, u.name)
		}
	}
	return fmt.Sprintf("%.0f B", n)
}

// lasting shows a length of time.
func lasting(s float64) string {
	switch {
	case s < 1:
		return fmt.Sprintf("%.0f ms", s*1000)
	case s < 120:
		return fmt.Sprintf("%.1f s", s)
	case s < 7200:
		return fmt.Sprintf("%.1f min", s/60)
	}
	return fmt.Sprintf("%.1f h", s/3600)
}

func eventLine(e pipeline.Event) string {
	text := e.What
	if e.Name != "" {
		text = e.Name + ": " + text
	}
	if e.Text != "" {
		text += " " + e.Text
	}
	return clock(e.T) + "  " + text
}

// printPipeline prints a pipeline's report.
func printPipeline(w io.Writer, format string, r *pipeline.Report) error {
	if format == "json" {
		return printJSON(w, r)
	}
	moments := momentsTable(r, format == "csv")
	if format == "csv" {
		return moments.CSV(w)
	}
	costs := &table.Table{Title: "a transaction, on average", Columns: []table.Column{
		{Name: "transaction"}, {Name: "changes", Right: true}, {Name: "WAL", Right: true}, {Name: "subscription"},
		{Name: "walsender", Right: true}, {Name: "stream", Right: true}, {Name: "worker", Right: true}, {Name: "its WAL", Right: true},
	}}
	for _, op := range r.Operations {
		for i, c := range op.Costs {
			row := []any{op.Name, fmt.Sprintf("%.6g", op.Changes), amount(op.WALBytes), c.Subscription, lasting2(c.WalsenderS), amount(c.Bytes), lasting2(c.ApplyS + c.WaitS), amount(c.WALBytes)}
			if i > 0 {
				row[0], row[1], row[2] = nil, nil, nil
			}
			costs.Add(row...)
		}
	}
	subs := &table.Table{Columns: []table.Column{
		{Name: "subscription"}, {Name: "load", Right: true, Decimals: 1, Unit: " %"}, {Name: "limit"}, {Name: "greatest rate", Right: true},
		{Name: "most lag", Right: true}, {Name: "in time", Right: true}, {Name: "at"}, {Name: "caught up"},
	}}
	for _, u := range r.Subscriptions {
		caught := "never behind"
		switch {
		case u.CaughtUpS != nil:
			caught = clock(*u.CaughtUpS)
		case u.MostLagBytes > 0:
			caught = "not by the end"
		}
		subs.Add(u.Name, 100*u.Load, u.Limit, fmt.Sprintf("%s changes/s", table.Integer(int64(u.GreatestRate))), amount(u.MostLagBytes), lasting(u.MostLagS), clock(u.MostLagAtS), caught)
	}
	lines := []string{}
	for _, e := range r.Events {
		lines = append(lines, eventLine(e))
	}
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	for _, x := range r.Warnings {
		lines = append(lines, "warning: "+x)
	}
	for _, a := range r.Assumptions {
		lines = append(lines, "assumed: "+a)
	}
	lines = append(lines, fmt.Sprintf("bytes are exact for the simulated part; times are calibrated (profile %s)", r.Profile))
	return printParts(w, format, []*table.Table{costs, subs, moments}, lines)
}

// lasting2 shows short times, too.
func lasting2(s float64) string {
	if s < 1e-3 {
		return fmt.Sprintf("%.1f µs", s*1e6)
	}
	return lasting(s)
}

// momentsTable shows the moments.
func momentsTable(r *pipeline.Report, plain bool) *table.Table {
	t := &table.Table{Columns: []table.Column{{Name: "time", CSV: "t_s"}, {Name: "WAL a second", CSV: "wal_bytes_per_s", Right: true}}}
	n := len(r.Subscriptions)
	for _, u := range r.Subscriptions {
		t.Columns = append(t.Columns, table.Column{Name: u.Name + ": to send", CSV: u.Name + "_sent_lag_bytes", Right: true},
			table.Column{Name: "to replay", CSV: u.Name + "_replay_lag_bytes", Right: true}, table.Column{Name: "lag", CSV: u.Name + "_replay_lag_s", Right: true},
			table.Column{Name: "limit", CSV: u.Name + "_limit"})
	}
	for _, m := range r.Moments {
		row := []any{clock(m.T), amount(m.WALPerS)}
		if plain {
			row = []any{m.T, m.WALPerS}
		}
		for _, v := range m.Consumers[:n] {
			if plain {
				row = append(row, v.SentLag, v.ReplayLag, v.ReplayLagS, v.Limit)
			} else {
				row = append(row, amount(v.SentLag), amount(v.ReplayLag), lasting(v.ReplayLagS), v.Limit)
			}
		}
		t.Add(row...)
	}
	return t
}
