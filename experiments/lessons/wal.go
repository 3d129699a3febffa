package lessons

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"applysim/experiments/table"
	"applysim/wal"
)

// afterCheckpoint updates random rows at an even rate.
func afterCheckpoint(r *Report) error {
	const ddl = "create table accounts (id int primary key, balance bigint not null, name text not null) with (fillfactor = 80);"
	const rows, rate, slice, before, after = 20_000, 50, 10, 3, 9 // rate a second, slices in seconds, numbers of slices
	r.Say("%d updates a second of rows chosen at random, each in a transaction of its own, on a table of %d rows:", rate, rows)
	r.SQL(ddl)
	r.Say("After %d seconds comes a checkpoint. The WAL of each %d seconds:", before*slice, slice)
	l := newLab(ddl)
	l.step = second / rate
	name := strings.Repeat("a", 40)
	fill := func(l *lab) {
		l.transaction(func() {
			for id := 1; id <= rows; id++ {
				l.insert("accounts", fmt.Sprint(id), "0", name)
			}
		})
	}
	change := func(l *lab, random *rand.Rand) {
		id := 1 + random.IntN(rows)
		l.transaction(func() { l.update("accounts", fmt.Sprint(id), fmt.Sprint(random.IntN(1e6)), name) })
	}
	fill(l)
	random := rand.New(rand.NewPCG(4, 4))
	t := &table.Table{Columns: []table.Column{
		{Name: "seconds"}, {Name: "WAL", Right: true, Unit: " kB"}, {Name: "images of them", Right: true, Unit: " kB"}, {Name: "an update", Right: true, Unit: " B"},
		{Name: "pages changed for the first time", Right: true},
	}}
	var first, last, quiet wal.Count
	for n := range before + after {
		if n == before {
			l.checkpoint()
			t.Rule()
		}
		from := l.wal()
		imaged := l.w.Log().TotalImaged()
		for range rate * slice {
			change(l, random)
		}
		c := l.since(from)
		label := fmt.Sprintf("%d to %d", n*slice, (n+1)*slice)
		if n >= before {
			label += fmt.Sprintf(", %d after the checkpoint", (n-before+1)*slice)
		}
		t.Add(label, c.Bytes/1000, c.FPIBytes/1000, c.Bytes/(rate*slice), l.w.Log().TotalImaged()-imaged)
		switch n {
		case before - 1:
			quiet = c
		case before:
			first = c
		}
		last = c
	}
	if l.err != nil {
		return l.err
	}
	r.Table(t)
	const each = rate * slice
	calm := r.Figure("wal_bytes_before", float64(quiet.Bytes)/each)
	dear := r.Figure("wal_bytes_first_slice", float64(first.Bytes)/each)
	late := r.Figure("wal_bytes_last_slice", float64(last.Bytes)/each)
	share := r.Figure("image_percent_first_slice", 100*float64(first.FPIBytes)/float64(first.Bytes))
	pages := l.state("accounts").Heap.Pages()
	r.Figure("pages", float64(pages))

	const long = 240 // seconds
	every := &table.Table{Columns: []table.Column{{Name: "a checkpoint every", Right: true, Unit: " s"}, {Name: "WAL", Right: true, Unit: " kB"}, {Name: "images of them", Right: true, Unit: " kB"}}}
	for _, interval := range []int{30, 60, 120} {
		l := newLab(ddl)
		l.step = second / rate
		fill(l)
		random := rand.New(rand.NewPCG(4, 4))
		from := l.wal()
		for n := range long * rate {
			if n%(interval*rate) == 0 {
				l.checkpoint()
			}
			change(l, random)
		}
		if l.err != nil {
			return l.err
		}
		c := l.since(from)
		r.Figure(fmt.Sprintf("image_bytes_every_%d", interval), float64(c.FPIBytes))
		every.Add(interval, c.Bytes/1000, c.FPIBytes/1000)
	}
	r.Say("The same for %d seconds, with checkpoints that come more often or less often:", long)
	r.Table(every)
	f := r.Figures
	r.Answer(dear > 5*calm && share > 80, "The same updates wrote %.0f bytes each just before the checkpoint and %.0f each in the %d seconds after it, %s as much: %.0f %% of that are images. "+
		"A crash may tear a page in two while it is being written, so the first change of a page after a checkpoint puts the whole page into the WAL.", calm, dear, slice, times(dear, calm), share)
	r.Answer(late < dear/2, "It calms down as fewer of the table's %d pages are left to be changed for the first time: %.0f bytes an update in the last %d seconds.", pages, late, slice)
	r.Answer(f["image_bytes_every_60"] < 0.6*f["image_bytes_every_30"] && f["image_bytes_every_120"] < 0.6*f["image_bytes_every_60"],
		"So images cost the less the further apart checkpoints are (checkpoint_timeout, max_wal_size): %.0f kB with one every 30 seconds, %.0f kB every 60, %.0f kB every 120. And whoever sizes a network or an archive by an average minute will be short in the one after a checkpoint.",
		f["image_bytes_every_30"]/1000, f["image_bytes_every_60"]/1000, f["image_bytes_every_120"]/1000)
	r.Word("full_page_writes", "the setting that asks for these images; it is on by default and should stay so")
	return nil
}

// unchangedTOAST updates a short column beside a long value.
func unchangedTOAST(r *Report) error {
	const ddl = `
create table documents (id int primary key, opened int not null, body text);
alter table documents alter body set storage external;
`
	const rows, size = 40, 12_000
	r.Say("Rows with a long text beside a counter. PostgreSQL stores a long value apart, in pieces of some 2,000 bytes in a TOAST table, and the row has a pointer to it. (EXTERNAL: not compressed, to keep the figures plain.)")
	r.SQL(ddl)
	r.Say("%d rows with texts of %d bytes. Then the counter of each is updated, and the text stays as it is:", rows, size)
	r.SQL("update documents set opened = opened + 1 where id = ...;")
	r.Say("How the publisher sends the unchanged text depends on how it has it stored itself. Per update:")
	body := func(id int, letter string) string { return strings.Repeat(letter, size-3) + fmt.Sprintf("%03d", id) }
	t := &table.Table{Columns: []table.Column{
		{Name: "what the message has"}, {Name: "bytes sent", Right: true}, {Name: "WAL", Right: true, Unit: " B"}, {Name: "records", Right: true},
		{Name: "pieces stored", Right: true}, {Name: "pieces deleted", Right: true}, {Name: "pages of the TOAST table", Right: true},
	}}
	for _, v := range []struct {
		name, what string
		body       func(id int) string
	}{
		{"marker", "a mark: unchanged (stored apart on the publisher, too)", func(int) string { return unchanged }},
		{"equal", "the same text again (compressed within the row on the publisher)", func(id int) string { return body(id, "b") }},
		{"other", "another text (for comparison)", func(id int) string { return body(id, "c") }},
	} {
		l := newLab(ddl)
		for id := 1; id <= rows; id++ {
			l.transaction(func() { l.insert("documents", fmt.Sprint(id), "0", body(id, "b")) })
		}
		sent, before, c := l.sent, l.wal(), l.w.Counters
		for id := 1; id <= rows; id++ {
			l.transaction(func() { l.update("documents", fmt.Sprint(id), "1", v.body(id)) })
		}
		if l.err != nil {
			return l.err
		}
		d := l.since(before)
		after := l.w.Counters
		messages := r.Figure("message_bytes_"+v.name, float64(l.sent-sent)/rows)
		bytes := r.Figure("wal_bytes_"+v.name, float64(d.Bytes)/rows)
		pieces := r.Figure("pieces_"+v.name, float64(after.Chunks-c.Chunks)/rows)
		toast := l.state("documents").Toast
		gone := r.Figure("deleted_"+v.name, float64(toast.Counters.Deletes)/rows)
		pages := r.Figure("toast_pages_"+v.name, float64(toast.Pages()))
		t.Add(v.what, int64(messages+0.5), int64(bytes+0.5), int64(float64(d.Records)/rows+0.5), int64(pieces+0.5), int64(gone+0.5), int64(pages))
	}
	r.Table(t)
	f := r.Figures
	r.Answer(f["wal_bytes_marker"] < 1000 && f["pieces_marker"] == 0, "Where both sides store the text apart, the publisher sends a mark in its place, and the new row version takes over the old pointer: %.0f bytes sent, %.0f bytes of WAL, whatever the text's length.",
		f["message_bytes_marker"], f["wal_bytes_marker"])
	r.Answer(f["pieces_equal"] > 0 && f["deleted_equal"] > 0 && f["wal_bytes_equal"] > 20*f["wal_bytes_marker"], "Where the message has the text, the subscriber does not compare it with what it has: it stores all %.0f pieces anew and deletes the old ones, with their index entries. %.0f bytes of WAL, %s as much, for a counter.",
		f["pieces_equal"], f["wal_bytes_equal"], times(f["wal_bytes_equal"], f["wal_bytes_marker"]))
	r.Answer(f["wal_bytes_equal"] == f["wal_bytes_other"], "To the subscriber that is no different from a text that has changed: %.0f bytes in both cases.", f["wal_bytes_other"])
	r.Word("TOAST", "the oversized-attribute storage technique: long values are compressed, or cut up and stored in a table of their own")
	return nil
}

// bigOrSmall applies the same rows in transactions of different sizes.
func bigOrSmall(r *Report) error {
	const ddl = "create table ticks (id bigint primary key, price int not null, at timestamptz not null);"
	const rows = 5000
	r.Say("%d rows are inserted into a table, the same rows in the same order:", rows)
	r.SQL(ddl)
	r.Say("Only how many of them make a transaction differs:")
	t := &table.Table{Columns: []table.Column{
		{Name: "rows a transaction", Right: true}, {Name: "transactions", Right: true}, {Name: "messages, bytes a row", Right: true, Decimals: 1}, {Name: "WAL a row", Right: true, Decimals: 1, Unit: " B"},
		{Name: "of it COMMIT", Right: true, Decimals: 1, Unit: " %"}, {Name: "CPU a row", Right: true, Decimals: 1, Unit: " µs"},
	}}
	sizes := []int{1, 10, 100, 1000, rows}
	for _, size := range sizes {
		l := newLab(ddl)
		for id := 1; id <= rows; {
			l.transaction(func() {
				for range size {
					l.insert("ticks", fmt.Sprint(id), fmt.Sprint(id*7919%1000), "2026-08-03 10:00:00+00")
					id++
				}
			})
		}
		if l.err != nil {
			return l.err
		}
		micros, err := l.priced()
		if err != nil {
			return err
		}
		commits := l.w.Log().Count(wal.NoRelation, wal.TransactionCommit)
		bytes := r.Figure(fmt.Sprintf("wal_bytes_%d", size), float64(l.wal().Bytes)/rows)
		sent := r.Figure(fmt.Sprintf("message_bytes_%d", size), float64(l.sent)/rows)
		cpu := r.Figure(fmt.Sprintf("cpu_microseconds_%d", size), micros/rows)
		share := r.Figure(fmt.Sprintf("commit_percent_%d", size), 100*float64(commits.Bytes)/float64(l.wal().Bytes))
		t.Add(size, commits.Records, sent, bytes, share, cpu)
	}
	r.Table(t)
	f := r.Figures
	all := fmt.Sprint(rows)
	r.Answer(f["wal_bytes_1"] > f["wal_bytes_10"] && f["wal_bytes_10"] > f["wal_bytes_100"] && f["cpu_microseconds_1"] > f["cpu_microseconds_10"],
		"A transaction has a price of its own: a BEGIN and a COMMIT message, a COMMIT record, and work at its beginning and end. A row that is a transaction by itself took %.1f bytes of WAL and %.1f µs; ten together %.1f bytes and %.1f µs a row; a hundred %.1f bytes and %.1f µs.",
		f["wal_bytes_1"], f["cpu_microseconds_1"], f["wal_bytes_10"], f["cpu_microseconds_10"], f["wal_bytes_100"], f["cpu_microseconds_100"])
	saved := f["wal_bytes_1"] - f["wal_bytes_100"]
	rest := f["wal_bytes_100"] - f["wal_bytes_"+all]
	r.Answer(rest < saved/20, "Beyond that there is little to gain: from a hundred rows to all %d in one transaction %.1f bytes a row, where the step from one to a hundred saved %.1f.", rows, rest, saved)
	r.Say("(Large transactions have a price that this table does not show: nothing of a transaction is visible before its end, it must be sent whole before it is applied or be streamed, and what goes wrong in it is done again from its beginning.)")
	return nil
}
