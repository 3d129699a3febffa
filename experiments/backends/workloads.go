package backends

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Workload is what a session runs.
type Workload struct {
	Name  string
	DDL   string
	Setup []string // SQL before it, which is not measured
	// Statements are sent one by one, each when the one before is done. A COPY's lines
	// follow it after a newline.
	Statements []string
	// Flush says that each commit waits until it is on disk.
	Flush bool
	Rows  int // that change
}

// The tables.
const (
	events      = "create table events (id bigint primary key, account_id integer not null, status smallint not null, payload text not null, updated_at timestamptz not null);"
	noIndex     = "create table events (id bigint, account_id integer not null, status smallint not null, payload text not null, updated_at timestamptz not null);"
	fourIndexes = "create index e_upd on events(updated_at); create index e_acc on events(account_id); create index e_acc_st on events(account_id, status); create index e_st_upd on events(status, updated_at);"
	narrow      = "create table narrow (a integer, b integer);"
	columns20   = "create table wide (id bigint primary key, c1 integer, c2 integer, c3 integer, c4 integer, c5 text, c6 text, c7 text, c8 text, c9 numeric, c10 numeric, c11 timestamptz, c12 timestamptz, c13 boolean, c14 boolean, c15 date, c16 uuid, c17 bigint, c18 bigint, c19 text);"
	family      = "create table accounts (id integer primary key, name text not null); create table events (id bigint primary key, account_id integer not null references accounts, status smallint not null, payload text not null, updated_at timestamptz not null); create index e_acc on events(account_id);"
)

const (
	accountRows = 10_000
	statusCount = 5
)

// maker makes SQL whose values repeat.
type maker struct{ r *rand.Rand }

func newMaker() *maker { return &maker{rand.New(rand.NewPCG(1, 2))} }

// payload is text of so many hexadecimal digits.
func payload(id, width int) string {
	sum := md5.Sum(fmt.Append(nil, id))
	return strings.Repeat(hex.EncodeToString(sum[:]), (width+31)/32)[:width]
}

func stamp(id int) string {
	us := id * 1700
	return fmt.Sprintf("2026-08-03 %02d:%02d:%02d.%06d+00", us/3600e6%24, us/60e6%60, us/1e6%60, us%1e6)
}

// row is a row of events, as VALUES have it.
func (m *maker) row(id, width int) string {
	return fmt.Sprintf("(%d, %d, %d, '%s', '%s')", id, m.r.IntN(accountRows), m.r.IntN(statusCount), payload(id, width), stamp(id))
}

// line is the same for COPY.
func (m *maker) line(id, width int) string {
	return fmt.Sprintf("%d\t%d\t%d\t%s\t%s\n", id, m.r.IntN(accountRows), m.r.IntN(statusCount), payload(id, width), stamp(id))
}

// transactions puts so many statements into each transaction; 0 stands for none begun.
func transactions(list []string, per int) []string {
	if per == 0 {
		return list
	}
	var out []string
	for i, s := range list {
		if i%per == 0 {
			out = append(out, "begin")
		}
		out = append(out, s)
		if i%per == per-1 || i == len(list)-1 {
			out = append(out, "commit")
		}
	}
	return out
}

// inserts are statements with so many rows each.
func inserts(rows, each, width int) []string {
	m := newMaker()
	var list []string
	for id := 1; id <= rows; id += each {
		var b strings.Builder
		b.WriteString("insert into events values ")
		for k := range each {
			if k > 0 {
				b.WriteString(", ")
			}
			b.WriteString(m.row(id+k, width))
		}
		list = append(list, b.String())
	}
	return list
}

// copies are COPYs of so many lines each.
func copies(rows, each, width int) []string {
	m := newMaker()
	var list []string
	for id := 1; id <= rows; id += each {
		var b strings.Builder
		b.WriteString("copy events from stdin\n")
		for k := range each {
			b.WriteString(m.line(id+k, width))
		}
		list = append(list, b.String())
	}
	return list
}

// load fills events with rows.
func load(rows, width int) []string { return copies(rows, min(rows, 10_000), width) }

// each makes a statement for so many ids, drawn from as many.
func each(n, ids int, sql func(m *maker, id int) string) []string {
	m := newMaker()
	var list []string
	for range n {
		list = append(list, sql(m, 1+m.r.IntN(ids)))
	}
	return list
}

func setStatus(m *maker, id int) string {
	return fmt.Sprintf("update events set status = %d where id = %d", m.r.IntN(30_000), id)
}

// All are the workloads.
func All() []*Workload {
	var list []*Workload
	add := func(name, ddl string, rows int, statements, setup []string) *Workload {
		w := &Workload{Name: name, DDL: ddl, Rows: rows, Statements: statements, Setup: setup}
		list = append(list, w)
		return w
	}
	add("insert_1", events, 40_000, inserts(40_000, 1, 128), nil)
	add("insert_1_tx25", events, 50_000, transactions(inserts(50_000, 1, 128), 25), nil)
	add("insert_1_tx1000", events, 50_000, transactions(inserts(50_000, 1, 128), 1000), nil)
	add("insert_10", events, 100_000, inserts(100_000, 10, 128), nil)
	add("insert_1000", events, 120_000, inserts(120_000, 1000, 128), nil)
	add("insert_1_no_index_tx25", noIndex, 50_000, transactions(inserts(50_000, 1, 128), 25), nil)
	add("insert_1_four_tx25", events+fourIndexes, 40_000, transactions(inserts(40_000, 1, 128), 25), nil)
	add("insert_100_four", events+fourIndexes, 80_000, inserts(80_000, 100, 128), nil)
	add("insert_1_width16_tx25", events, 50_000, transactions(inserts(50_000, 1, 16), 25), nil)
	add("insert_1_width1024_tx25", events, 40_000, transactions(inserts(40_000, 1, 1024), 25), nil)
	add("copy_1000", events, 300_000, copies(300_000, 1000, 128), nil)
	add("copy_25", events, 100_000, copies(100_000, 25, 128), nil)
	add("copy_1000_four", events+fourIndexes, 100_000, copies(100_000, 1000, 128), nil)
	add("copy_1000_width1024", events, 100_000, copies(100_000, 1000, 1024), nil)
	m := newMaker()
	var small []string
	for range 60_000 {
		small = append(small, fmt.Sprintf("insert into narrow values (%d, %d)", m.r.IntN(1e6), m.r.IntN(1e6)))
	}
	add("insert_1_narrow", narrow, 60_000, small, nil)
	var many []string
	for id := range 25_000 {
		many = append(many, fmt.Sprintf("insert into wide values (%d, %d, %d, %d, %d, '%s', '%s', '%s', '%s', %d.%02d, %d.%02d, '%s', '%s', true, false, '2026-08-%02d', '%s', %d, %d, '%s')",
			id, m.r.IntN(1e6), m.r.IntN(1e6), m.r.IntN(1e6), m.r.IntN(1e6), payload(id, 10), payload(id, 20), payload(id, 30), payload(id, 8), m.r.IntN(1e6), m.r.IntN(100), m.r.IntN(1000), m.r.IntN(100),
			stamp(id), stamp(id+1), 1+id%28, payload(id, 32), m.r.IntN(1e9), m.r.IntN(1e9), payload(id, 16)))
	}
	add("insert_1_columns20_tx10", columns20, 25_000, transactions(many, 10), nil)
	add("update_hot", events, 40_000, each(40_000, 20_000, setStatus), load(20_000, 128))
	add("update_hot_tx25", events, 50_000, transactions(each(50_000, 20_000, setStatus), 25), load(20_000, 128))
	add("update_indexed", events+fourIndexes, 30_000, each(30_000, 20_000, setStatus), load(20_000, 128))
	add("update_hot_four_tx25", events+"create index e_upd on events(updated_at); create index e_acc on events(account_id); create index e_acc_upd on events(account_id, updated_at); create index e_upd_acc on events(updated_at, account_id);",
		40_000, transactions(each(40_000, 20_000, setStatus), 25), load(20_000, 128))
	add("update_large_table", events, 40_000, each(40_000, 400_000, setStatus), load(400_000, 128))
	add("delete", events, 40_000, func() []string {
		var list []string
		for id := 1; id <= 40_000; id++ {
			list = append(list, fmt.Sprintf("delete from events where id = %d", id))
		}
		return list
	}(), load(40_000, 128))
	add("delete_tx25", events, 50_000, func() []string {
		var list []string
		for id := 1; id <= 50_000; id++ {
			list = append(list, fmt.Sprintf("delete from events where id = %d", id))
		}
		return transactions(list, 25)
	}(), load(50_000, 128))
	parents := func() []string {
		var b strings.Builder
		b.WriteString("copy accounts from stdin\n")
		for id := range accountRows {
			fmt.Fprintf(&b, "%d\tname %d\n", id, id)
		}
		return []string{b.String()}
	}()
	add("insert_1_foreign_key", family, 30_000, inserts(30_000, 1, 128), parents)
	add("insert_1_foreign_key_tx25", family, 40_000, transactions(inserts(40_000, 1, 128), 25), parents)
	add("insert_1_flushed", events, 10_000, inserts(10_000, 1, 128), nil).Flush = true
	add("insert_1_tx25_flushed", events, 50_000, transactions(inserts(50_000, 1, 128), 25), nil).Flush = true
	add("update_hot_flushed", events, 10_000, each(10_000, 20_000, setStatus), load(20_000, 128)).Flush = true
	add("insert_100", events, 100_000, inserts(100_000, 100, 128), nil)
	add("insert_500", events, 100_000, inserts(100_000, 500, 128), nil)
	add("insert_1_four", events+fourIndexes, 30_000, inserts(30_000, 1, 128), nil)
	add("insert_10_width1024", events, 50_000, inserts(50_000, 10, 1024), nil)
	add("update_indexed_one_tx25", events+"create index e_st on events(status);", 40_000, transactions(each(40_000, 20_000, setStatus), 25), load(20_000, 128))
	add("update_large_four", events+fourIndexes, 30_000, each(30_000, 200_000, setStatus), load(200_000, 128))
	add("update_hot_tx25_flushed", events, 40_000, transactions(each(40_000, 20_000, setStatus), 25), load(20_000, 128)).Flush = true
	add("copy_25_flushed", events, 50_000, copies(50_000, 25, 128), nil).Flush = true
	return list
}
