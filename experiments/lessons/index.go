package lessons

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"applysim/experiments/table"
	"applysim/model/stream"
	"applysim/wal/storage"
)

// indexPrice inserts the same rows into a table with more and more indexes.
func indexPrice(r *Report) error {
	const ddl = "create table events (id bigint primary key, account int not null, kind smallint not null, at timestamptz not null, payload text not null);"
	const rows = 5000
	indexes := []string{"at", "account", "account, kind", "payload"}
	r.Say("%d rows are inserted into a table, in transactions of 25:", rows)
	r.SQL(ddl)
	r.Say("And the same rows again with one, two, three and four more indexes:")
	var sql strings.Builder
	for _, x := range indexes {
		fmt.Fprintf(&sql, "create index on events (%s);\n", x)
	}
	r.SQL(sql.String())
	t := &table.Table{Columns: []table.Column{
		{Name: "indexes"}, {Name: "WAL a row", Right: true, Unit: " B"}, {Name: "more", Right: true, Unit: " B"}, {Name: "records a row", Right: true, Decimals: 1},
		{Name: "CPU a row", Right: true, Decimals: 1, Unit: " µs"}, {Name: "kB of the table", Right: true}, {Name: "kB of indexes", Right: true},
	}}
	last := 0.0
	for n := 0; n <= len(indexes); n++ {
		text := ddl
		name := "primary key"
		for _, x := range indexes[:n] {
			text += fmt.Sprintf("create index on events (%s);", x)
			name = "+ (" + x + ")"
		}
		l := newLab(text)
		random := rand.New(rand.NewPCG(1, 1))
		for id := 1; id <= rows; {
			l.transaction(func() {
				for range 25 {
					l.insert("events", fmt.Sprint(id), fmt.Sprint(random.IntN(1000)), fmt.Sprint(random.IntN(5)),
						(l.now + stream.Timestamp(id)).Time().Format("2006-01-02 15:04:05.999999+00"), fmt.Sprintf("%016x%016x%016x", random.Uint64(), random.Uint64(), random.Uint64()))
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
		total := l.wal()
		bytes := r.Figure(fmt.Sprintf("wal_bytes_%d", n), float64(total.Bytes)/rows)
		r.Figure(fmt.Sprintf("cpu_microseconds_%d", n), micros/rows)
		s := l.state("events")
		size := 0
		for _, x := range s.Indexes {
			size += x.BTree.Pages()
		}
		r.Figure(fmt.Sprintf("table_pages_%d", n), float64(s.Heap.Pages()))
		r.Figure(fmt.Sprintf("index_pages_%d", n), float64(size))
		var more any
		if n > 0 {
			more = int64(bytes - last + 0.5)
		}
		last = bytes
		t.Add(name, int64(bytes+0.5), more, float64(total.Records)/rows, micros/rows, 8*s.Heap.Pages(), 8*size)
	}
	r.Table(t)
	f := r.Figures
	r.Answer(f["wal_bytes_4"] > f["wal_bytes_3"] && f["wal_bytes_3"] > f["wal_bytes_2"] && f["wal_bytes_2"] > f["wal_bytes_1"] && f["wal_bytes_1"] > f["wal_bytes_0"],
		"Each index costs a record for each row, and more where keys come in no order: its pages split in the middle again and again. With four more indexes a row wrote %.0f bytes of WAL in place of %.0f (%s as much).",
		f["wal_bytes_4"], f["wal_bytes_0"], times(f["wal_bytes_4"], f["wal_bytes_0"]))
	least, most := f["wal_bytes_1"]-f["wal_bytes_0"], f["wal_bytes_4"]-f["wal_bytes_3"]
	r.Answer(most > least, "They are not all alike. The index on at, whose keys ascend, took %.0f bytes more a row; the one on payload, with long keys in random order, %.0f.", least, most)
	r.Answer(f["cpu_microseconds_4"] > f["cpu_microseconds_0"], "The apply worker is one process: its CPU time a row, %.1f µs with the primary key alone and %.1f µs with all, bounds how fast a subscriber can follow (%.0f and %.0f rows a second). These times are calibrated on one machine, not measured on yours.",
		f["cpu_microseconds_0"], f["cpu_microseconds_4"], 1e6/f["cpu_microseconds_0"], 1e6/f["cpu_microseconds_4"])
	r.Answer(f["index_pages_4"] > f["table_pages_4"]*0.5, "And all of it has to be kept, in memory and on disk: %.0f kB of indexes beside %.0f kB of table.", 8*f["index_pages_4"], 8*f["table_pages_4"])
	r.Word("apply worker", "the subscriber's process that carries the changes out, one after the other")
	r.Word("split", "an index page that is full gives half of its entries to a new one, which goes into the WAL")
	return nil
}

// wrongIndex looks rows up by different indexes.
func wrongIndex(r *Report) error {
	const rows, updates = 5000, 200
	const columns = "create table readings (device int not null, at int not null, status text not null, value int);"
	r.Say("A table without a primary key is published with REPLICA IDENTITY FULL: an update sends the whole old row, and the subscriber must find that row by all of its columns.")
	r.SQL(columns + "\nalter table readings replica identity full;")
	r.Say("%d rows; 10 of them have status 'open', the others 'done', and (device, at) is different in each. %d of the done rows are updated. The subscriber has different indexes:", rows, updates)
	variants := []struct{ name, what, ddl string }{
		{"none", "no index", ""},
		{"status", "(status)", "create index on readings (status);"},
		{"status_first", "(status), then (device, at)", "create index on readings (status); create index on readings (device, at);"},
		{"good_first", "(device, at), then (status)", "create index on readings (device, at); create index on readings (status);"},
		{"good", "(device, at)", "create index on readings (device, at);"},
	}
	t := &table.Table{Columns: []table.Column{
		{Name: "indexes, in the order in which they were made"}, {Name: "used"}, {Name: "rows looked at, an update", Right: true, Decimals: 1}, {Name: "CPU an update", Right: true, Unit: " µs"},
	}}
	for _, v := range variants {
		l := newLab(columns + "alter table readings replica identity full;" + v.ddl)
		row := func(i, value int) []string {
			status := "done"
			if i%(rows/10) == 0 {
				status = "open"
			}
			return []string{fmt.Sprint(i % 100), fmt.Sprint(i / 100), status, fmt.Sprint(value)}
		}
		l.transaction(func() {
			for i := range rows {
				l.insert("readings", row(i, 0)...)
			}
		})
		before, err := l.priced()
		if err != nil {
			return err
		}
		random := rand.New(rand.NewPCG(2, 2))
		value := map[int]int{}
		for range updates {
			i := random.IntN(rows)
			if i%(rows/10) == 0 {
				i++
			}
			l.transaction(func() { l.updateFull("readings", row(i, value[i]), row(i, value[i]+1)) })
			value[i]++
		}
		if l.err != nil {
			return fmt.Errorf("%s: %w", v.name, l.err)
		}
		after, err := l.priced()
		if err != nil {
			return err
		}
		s := l.state("readings")
		used, looked := "none: the whole table is read", float64(s.SeqTupRead)
		if s.SeqTupRead > 0 {
			looked = float64(s.Counters.Passed)
		}
		for _, x := range s.Indexes {
			if x.BTree.Counters.Lookups > 0 {
				used = x.Schema.Name
				looked = float64(x.BTree.Counters.LookupTIDs)
			}
		}
		looked = r.Figure("looked_at_"+v.name, looked/updates)
		micros := r.Figure("cpu_microseconds_"+v.name, (after-before)/updates)
		t.Add(v.what, used, looked, int64(micros+0.5))
	}
	r.Table(t)
	f := r.Figures
	r.Answer(f["looked_at_none"] > 0.4*rows && f["looked_at_none"] < 0.6*rows, "Without an index every update reads the table from its beginning until it meets the row: %.0f rows on average here, about half the table.", f["looked_at_none"])
	r.Answer(f["looked_at_good"] < 2, "With an index on columns that tell rows apart it looks at %.1f.", f["looked_at_good"])
	r.Answer(f["looked_at_status_first"] > 100*f["looked_at_good_first"],
		"But the worker does not choose the better of two indexes. No planner is asked: it takes the first usable one, in the order in which they were made. "+
			"With both indexes there an update looked at %.1f rows or at %.0f, by nothing but the order of two CREATE INDEX; its CPU was %.0f µs or %.0f µs.",
		f["looked_at_good_first"], f["looked_at_status_first"], f["cpu_microseconds_good_first"], f["cpu_microseconds_status_first"])
	r.Answer(f["cpu_microseconds_status"] > f["cpu_microseconds_none"], "Such an index is worse than none: with it %.0f µs an update, without any %.0f µs. A page that is read from its beginning to its end passes its rows faster than an index leads to them one by one. (CPU times are calibrated on one machine, not measured on yours.)",
		f["cpu_microseconds_status"], f["cpu_microseconds_none"])
	r.Answer(f["looked_at_status_first"] == f["looked_at_status"], "Making the good index afterwards changed nothing: %.0f rows, as without it. A primary key, or REPLICA IDENTITY USING INDEX on the subscriber, would be taken first in any case.", f["looked_at_status"])
	r.Word("replica identity", "the columns by which an update or a delete finds its row on the subscriber: by default the primary key")
	return nil
}

// keyOrder inserts rows with random keys and with keys that ascend.
func keyOrder(r *Report) error {
	const more, batch = 2000, 50
	const ddl = "create table parcels (id uuid primary key, weight int not null);"
	sizes := []int{5_000, 20_000}
	r.Say("Rows are inserted into a table whose key is a uuid, in transactions of %d. Once the table has the rows of the second column there is a checkpoint, and %d more rows come:", batch, more)
	r.SQL(ddl)
	r.Say("The keys are random (uuid version 4, gen_random_uuid()), or begin with the time (uuid version 7, uuidv7()), so that each is greater than those before it:")
	t := &table.Table{Columns: []table.Column{
		{Name: "keys"}, {Name: "rows before", Right: true}, {Name: "pages of the index", Right: true}, {Name: "how full", Right: true, Unit: " %"},
		{Name: "of them changed after the checkpoint", Right: true}, {Name: "images of pages", Right: true, Unit: " kB"}, {Name: "WAL a row, after it", Right: true, Unit: " B"},
	}}
	for _, v := range []struct {
		name, what string
		key        func(i int, r *rand.Rand) string
	}{
		{"random", "random", func(_ int, r *rand.Rand) string { return uuid(r.Uint64(), r.Uint64()) }},
		{"time", "by time", func(i int, r *rand.Rand) string {
			return uuid(uint64(0x0198_0000_0000+i)<<16|r.Uint64()&0xFFFF, r.Uint64())
		}},
	} {
		for _, size := range sizes {
			l := newLab(ddl)
			random := rand.New(rand.NewPCG(3, 3))
			insert := func(from, to int) {
				for i := from; i < to; {
					l.transaction(func() {
						for range batch {
							l.insert("parcels", v.key(i, random), fmt.Sprint(i%1000))
							i++
						}
					})
				}
			}
			insert(0, size)
			l.checkpoint()
			before := l.wal()
			insert(size, size+more)
			if l.err != nil {
				return l.err
			}
			x := l.relation("parcels_pkey")
			after := l.since(before)
			changed := 0
			for b := 1; b < x.Pages(); b++ {
				if p, err := x.BTreePage(storage.BlockNumber(b)); err != nil {
					return err
				} else if p.Header.LSN > l.w.Log().Redo() {
					changed++
				}
			}
			figure := func(name string, value float64) float64 {
				return r.Figure(fmt.Sprintf("%s_%s_%d", name, v.name, size), value)
			}
			full := figure("density", x.BTree.Stats().AvgLeafDensity)
			figure("pages", float64(x.Pages()))
			figure("changed", float64(changed))
			figure("image_bytes", float64(after.FPIBytes))
			bytes := figure("wal_bytes", float64(after.Bytes)/more)
			t.Add(v.what, size, x.Pages(), int64(full+0.5), changed, after.FPIBytes/1000, int64(bytes+0.5))
		}
	}
	r.Table(t)
	f := r.Figures
	r.Answer(f["changed_random_20000"] > 3*f["changed_time_20000"] && f["image_bytes_random_20000"] > 3*f["image_bytes_time_20000"],
		"A key that ascends always goes to the last page of the index. A random one goes anywhere: %.0f of %.0f pages were changed by the %d rows after the checkpoint, and the first change of each put an image of it into the WAL. With ascending keys it was %.0f pages.",
		f["changed_random_20000"], f["pages_random_20000"], more, f["changed_time_20000"])
	r.Answer(f["density_random_20000"] < f["density_time_20000"] && f["pages_random_20000"] > f["pages_time_20000"],
		"Where keys ascend, a full page is left nearly full and a new one begun; in the middle of an index a full page is divided in two halves. So the random index is %.0f %% full and has %.0f pages, the other %.0f %% and %.0f.",
		f["density_random_20000"], f["pages_random_20000"], f["density_time_20000"], f["pages_time_20000"])
	small, large := f["wal_bytes_random_5000"]/f["wal_bytes_time_5000"], f["wal_bytes_random_20000"]/f["wal_bytes_time_20000"]
	r.Answer(small > 1 && large > small, "A row after the checkpoint wrote %.0f bytes of WAL with random keys and %.0f with keys by time: %s as much. The larger the index, the wider the gap, for more pages wait for their first change: with %d rows it was %s.",
		f["wal_bytes_random_20000"], f["wal_bytes_time_20000"], times(f["wal_bytes_random_20000"], f["wal_bytes_time_20000"]), sizes[0], times(small, 1))
	r.Word("image", "a copy of a whole page in the WAL, without its free space: recovery begins with it, in case a crash has torn the page")
	return nil
}

// uuid is a uuid of two numbers, the version and variant bits left as they are.
func uuid(hi, lo uint64) string {
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", hi>>32, hi>>16&0xFFFF, hi&0xFFFF, lo>>48, lo&(1<<48-1))
}
