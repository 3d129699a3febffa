package lessons

import (
	"fmt"
	"strings"

	"applysim/experiments/table"
)

// breaksHOT runs the same updates on variants of a table.
func breaksHOT(r *Report) error {
	const ddl = `
create table sessions (
    id    int primary key,
    owner int not null,
    state text not null,
    seen  int not null,
    data  text
) with (fillfactor = 50);
create index on sessions (owner);
`
	const rows = 400
	r.Say("When an update changes no column that an index needs, and the new version fits on the page of the old one, no index has to know of it: " +
		"PostgreSQL links the two versions on the page. That is a HOT update. Here is a table with half of each page kept free for new versions:")
	r.SQL(ddl)
	r.Say("Each of its %d rows gets one update, on the same table with one thing changed at a time:", rows)

	// first is a row when it is inserted, next when it is updated.
	first := func(id int) []string {
		return []string{fmt.Sprint(id), fmt.Sprint(id % 50), "open", "1", strings.Repeat("d", 80)}
	}
	seen := func(id int) []string {
		row := first(id)
		row[3] = "2"
		return row
	}
	changed := func(column int, value string) func(int) []string {
		return func(id int) []string {
			row := first(id)
			row[column] = value
			return row
		}
	}
	variants := []struct {
		name, what, ddl string
		next            func(int) []string
	}{
		{"plain", "seen changes, which no index has", ddl, seen},
		{"indexed", "owner changes, which an index has", ddl, changed(1, "999")},
		{"new_index", "the same as the first, but create index on sessions (seen)", ddl + "create index on sessions (seen);", seen},
		{"expression", "state changes, create index on sessions (upper(state))", ddl + "create index on sessions (upper(state));", changed(2, "shut")},
		{"include", "seen changes, create index on sessions (owner) include (seen)", ddl + "create index on sessions (owner) include (seen);", seen},
		{"predicate", "state changes, create index on sessions (id) where state = 'open'", ddl + "create index on sessions (id) where state = 'open';", changed(2, "shut")},
		{"brin", "seen changes, create index on sessions using brin (seen)", ddl + "create index on sessions using brin (seen);", seen},
		{"full_page", "seen changes, but with (fillfactor = 100)", strings.Replace(ddl, "fillfactor = 50", "fillfactor = 100", 1), seen},
		{"longer", "data becomes five times as long", ddl, changed(4, strings.Repeat("d", 400))},
	}
	t := &table.Table{Columns: []table.Column{
		{Name: "what"}, {Name: "HOT", Right: true, Unit: " %"}, {Name: "not: a column of an index", Right: true}, {Name: "not: no room", Right: true}, {Name: "WAL an update", Right: true, Unit: " B"},
	}}
	for _, v := range variants {
		l := newLab(v.ddl)
		l.transaction(func() {
			for id := 1; id <= rows; id++ {
				l.insert("sessions", first(id)...)
			}
		})
		before := l.wal()
		for id := 1; id <= rows; id++ {
			l.transaction(func() { l.update("sessions", v.next(id)...) })
		}
		if l.err != nil {
			return fmt.Errorf("%s: %w", v.name, l.err)
		}
		c := l.state("sessions").Heap.Counters
		share := r.Figure("hot_percent_"+v.name, 100*float64(c.HOTUpdates)/rows)
		bytes := r.Figure("wal_bytes_"+v.name, float64(l.since(before).Bytes)/rows)
		t.Add(v.what, int64(share+0.5), c.ChangedIndexed+c.ChangedNoRoom, c.NoRoom+c.ChangedNoRoom, int64(bytes+0.5))
	}
	r.Table(t)
	f := r.Figures
	r.Answer(f["hot_percent_plain"] == 100 && f["hot_percent_indexed"] == 0 && f["hot_percent_new_index"] == 0,
		"A changed column breaks HOT if any index has it, also an index that nobody uses: one more index on seen took the same updates from %.0f %% HOT to %.0f %%, and from %.0f to %.0f bytes of WAL each.",
		f["hot_percent_plain"], f["hot_percent_new_index"], f["wal_bytes_plain"], f["wal_bytes_new_index"])
	r.Answer(f["hot_percent_expression"] == 0 && f["hot_percent_include"] == 0 && f["hot_percent_predicate"] == 0,
		"An index has a column in more ways than as its key: within an expression, as an INCLUDE column, in the WHERE of a partial index. All three break HOT as well, and INCLUDE is often added for speed.")
	r.Answer(f["hot_percent_brin"] == 100, "A BRIN index does not: it keeps only what range of values a range of pages has, and leads to no row version (since PostgreSQL 16).")
	r.Answer(f["hot_percent_full_page"] < f["hot_percent_plain"] && f["hot_percent_longer"] < f["hot_percent_plain"],
		"And the page must have room: without a reserve (fillfactor 100) %.0f %% of the updates were HOT, and with versions five times as long %.0f %%.",
		f["hot_percent_full_page"], f["hot_percent_longer"])
	r.Word("BRIN", "block range index: an index that keeps a summary of each range of pages")
	r.Word("fillfactor", "how full, in percent, inserts make a page; the rest is left for updates")
	return nil
}

// fillfactor updates every row of a table several times.
func fillfactor(r *Report) error {
	const rows, passes = 1000, 5
	ddl := func(factor int) string {
		return fmt.Sprintf("create table stock (id int primary key, amount int not null, item text not null) with (fillfactor = %d);\ncreate index on stock (item);", factor)
	}
	r.Say("A table of %d rows, and a statement that updates them all, in a column that no index has. It runs %d times:", rows, passes)
	r.SQL(ddl(100) + "\n\nupdate stock set amount = amount + 1;")
	r.Say("The same with other fillfactors: so many percent of a page are filled by inserts, the rest is kept for new versions. " +
		"The share of HOT updates in each pass, and what is there at the end:")
	t := &table.Table{Columns: []table.Column{{Name: "fillfactor", Right: true}}}
	for p := 1; p <= passes; p++ {
		t.Columns = append(t.Columns, table.Column{Name: fmt.Sprintf("pass %d", p), Right: true, Unit: " %"})
	}
	t.Columns = append(t.Columns, table.Column{Name: "pages at first", Right: true}, table.Column{Name: "in the end", Right: true}, table.Column{Name: "WAL of all passes", Right: true, Unit: " kB"})
	factors := []int{100, 90, 80, 70, 50}
	for _, factor := range factors {
		l := newLab(ddl(factor))
		row := func(id, amount int) []string {
			return []string{fmt.Sprint(id), fmt.Sprint(amount), fmt.Sprintf("item %04d ", id) + strings.Repeat("i", 90)}
		}
		l.transaction(func() {
			for id := 1; id <= rows; id++ {
				l.insert("stock", row(id, 0)...)
			}
		})
		if l.err != nil {
			return l.err
		}
		h := l.state("stock").Heap
		pages, before := h.Pages(), l.wal()
		line := []any{factor}
		for p := 1; p <= passes; p++ {
			hot := h.Counters.HOTUpdates
			l.transaction(func() {
				for id := 1; id <= rows; id++ {
					l.update("stock", row(id, p)...)
				}
			})
			share := r.Figure(fmt.Sprintf("hot_percent_%d_pass_%d", factor, p), 100*float64(h.Counters.HOTUpdates-hot)/rows)
			line = append(line, int64(share+0.5))
		}
		if l.err != nil {
			return l.err
		}
		bytes := r.Figure(fmt.Sprintf("wal_bytes_%d", factor), float64(l.since(before).Bytes))
		r.Figure(fmt.Sprintf("pages_%d_first", factor), float64(pages))
		r.Figure(fmt.Sprintf("pages_%d_last", factor), float64(h.Pages()))
		t.Add(append(line, pages, h.Pages(), int64(bytes/1000+0.5))...)
	}
	r.Table(t)
	f := r.Figures
	r.Answer(f["hot_percent_100_pass_1"] < f["hot_percent_90_pass_1"] && f["hot_percent_90_pass_1"] < f["hot_percent_50_pass_1"],
		"In the first pass the reserve decides alone: %.0f %% of the updates were HOT with fillfactor 100, %.0f %% with 90, %.0f %% with 50.",
		f["hot_percent_100_pass_1"], f["hot_percent_90_pass_1"], f["hot_percent_50_pass_1"])
	last := fmt.Sprintf("pass_%d", passes)
	r.Answer(f["hot_percent_100_"+last] > f["hot_percent_100_pass_1"],
		"Later passes are not like the first. An update that finds no room moves its row to another page, and the place of the old version becomes free once the page is pruned: "+
			"the table makes itself a reserve. With fillfactor 100 pass %d had %.0f %% HOT updates, on %.0f pages where there had been %.0f.",
		passes, f["hot_percent_100_"+last], f["pages_100_last"], f["pages_100_first"])
	best := factors[0]
	for _, factor := range factors {
		if f[fmt.Sprintf("wal_bytes_%d", factor)] < f[fmt.Sprintf("wal_bytes_%d", best)] {
			best = factor
		}
	}
	r.Figure("best_fillfactor", float64(best))
	r.Answer(best < 100, "Over all %d passes fillfactor %d wrote the least WAL: %.0f kB, where 100 wrote %.0f kB (%s as much). It began with %.0f pages in place of %.0f: that is the price, also for every scan.",
		passes, best, f[fmt.Sprintf("wal_bytes_%d", best)]/1000, f["wal_bytes_100"]/1000, times(f["wal_bytes_100"], f[fmt.Sprintf("wal_bytes_%d", best)]),
		f[fmt.Sprintf("pages_%d_first", best)], f["pages_100_first"])
	r.Word("pruning", "taking versions that nobody can see any more away from a page; it happens in passing, when a full page is visited")
	return nil
}

// longTransaction holds a snapshot while rows are updated.
func longTransaction(r *Report) error {
	const ddl = `
create table counters (id int primary key, n bigint not null, label text) with (fillfactor = 70);
`
	const rows, rounds = 200, 10
	r.Say("A small table of which every row is updated all the time:")
	r.SQL(ddl)
	r.Say("%d rows, each updated %d times in each of three phases. In the second phase somebody on the subscriber has a transaction open that has run a query:", rows, rounds)
	r.SQL("begin isolation level repeatable read;\nselect count(*) from anything;   -- and then nothing, for hours")
	l := newLab(ddl)
	row := func(id, n int) []string { return []string{fmt.Sprint(id), fmt.Sprint(n), strings.Repeat("l", 60)} }
	l.transaction(func() {
		for id := 1; id <= rows; id++ {
			l.insert("counters", row(id, 0)...)
		}
	})
	if l.err != nil {
		return l.err
	}
	state := l.state("counters")
	h, index := state.Heap, l.relation("counters_pkey")
	t := &table.Table{Columns: []table.Column{
		{Name: "phase"}, {Name: "HOT", Right: true, Unit: " %"}, {Name: "pages of the table", Right: true}, {Name: "of its index", Right: true},
		{Name: "dead versions", Right: true}, {Name: "WAL an update", Right: true, Unit: " B"}, {Name: "versions fetched a lookup", Right: true, Decimals: 1},
	}}
	r.Figure("pages_before", float64(h.Pages()))
	n := 0
	phase := func(name, what string) {
		hot, before, tids := h.Counters.HOTUpdates, l.wal(), index.BTree.Counters.LookupTIDs
		for range rounds {
			n++
			for id := 1; id <= rows; id++ {
				l.transaction(func() { l.update("counters", row(id, n)...) })
			}
		}
		if l.err != nil {
			return
		}
		const updates = rows * rounds
		share := r.Figure(name+"_hot_percent", 100*float64(h.Counters.HOTUpdates-hot)/updates)
		bytes := r.Figure(name+"_wal_bytes", float64(l.since(before).Bytes)/updates)
		dead := r.Figure(name+"_dead", float64(h.TupleStats().Dead))
		r.Figure(name+"_pages", float64(h.Pages()))
		r.Figure(name+"_index_pages", float64(index.Pages()))
		fetched := r.Figure(name+"_fetched", float64(index.BTree.Counters.LookupTIDs-tids)/updates)
		t.Add(what, int64(share+0.5), h.Pages(), index.Pages(), int64(dead), int64(bytes+0.5), fetched)
	}
	phase("before", "before")
	l.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
	phase("during", "with the transaction open")
	l.run("COMMIT")
	phase("after", "after its end")
	if l.err != nil {
		return l.err
	}
	r.Table(t)
	f := r.Figures
	r.Answer(f["during_pages"] > f["before_pages"] && f["during_hot_percent"] < f["before_hot_percent"],
		"Before, old versions were pruned as soon as a page filled up, and the table stayed at %.0f pages. While the transaction was open none that it might still see could go: "+
			"the table grew to %.0f pages, HOT updates fell from %.0f %% to %.0f %% for want of room, so that the index grew too, to %.0f pages, and an update wrote %.0f bytes in place of %.0f.",
		f["before_pages"], f["during_pages"], f["before_hot_percent"], f["during_hot_percent"], f["during_index_pages"], f["during_wal_bytes"], f["before_wal_bytes"])
	r.Answer(f["during_fetched"] > f["before_fetched"],
		"Finding a row became dearer as well: the index led to %.1f versions for each lookup, of which one is the row. It does not matter that the transaction never looks at this table.", f["during_fetched"])
	r.Answer(f["after_pages"] >= f["during_pages"] && f["after_dead"] < f["during_dead"],
		"After its end the dead versions went away (%.0f were left), but not the pages: a table does not shrink by itself, %.0f pages stay.", f["after_dead"], f["after_pages"])
	r.Word("snapshot", "what a transaction may see; a row version that an open snapshot can see must stay")
	return nil
}
