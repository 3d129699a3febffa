package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// What only some sessions do beside the rest, each in tables of its own: the scripts of each
// come among the others in their order.

// act is such a thing: tables and scripts.
type act struct {
	*generator
	tables, units []string
}

func (a *act) table(format string, args ...any) {
	a.tables = append(a.tables, fmt.Sprintf(format, args...))
}

func (a *act) unit(format string, args ...any) {
	a.units = append(a.units, fmt.Sprintf(format, args...))
}

// acts are all kinds.
var acts = []func(a *act){
	(*act).copies, (*act).copiesToPartitions, (*act).prepares, (*act).partitionedParents, (*act).cascades, (*act).wholeRows, (*act).longValues,
	(*act).sequences, (*act).definitions, (*act).truncates, (*act).upserts, (*act).triggers, (*act).ranges, (*act).otherIndexes,
}

// more adds acts to a session. Their random numbers are their own.
func (m *sessionMaker) more(seed uint64) {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 61)), features: m.features, spec: m.spec}
	var lists [][]string
	for _, i := range g.Perm(len(acts))[:g.oneOf(0, 1, 1, 2, 2, 3)] {
		a := &act{generator: g}
		acts[i](a)
		for _, t := range a.tables {
			if !slices.Contains(m.s.Tables, t) {
				m.s.Tables = append(m.s.Tables, t)
			}
		}
		lists = append(lists, a.units)
	}
	for _, list := range lists {
		at := 0
		for _, u := range list {
			at += g.IntN(max(1, (len(m.s.Units)-at+1)/2))
			at = min(at, len(m.s.Units))
			m.s.Units = slices.Insert(m.s.Units, at, u)
			at++
		}
	}
}

// copies loads rows by COPY in its formats.
func (a *act) copies() {
	a.table("create table cp (id int not null, a text, b numeric(10,2), d date, e smallint, f boolean, g int generated always as (id + 1) stored, primary key (id)); create index cp_a on cp (a)")
	a.table("create table cpc (id int primary key, parent int references cp, w text)")
	next := 1
	for range a.oneOf(2, 3, 4) {
		n := a.oneOf(1, 3, 40, 400, 1200)
		csv := a.chance(40)
		sep, null := "\t", `\N`
		options := ""
		if csv {
			sep, null = ",", ""
			options = " with (format csv" + pick(a.generator, []string{"", ", header", ", header false"}) + ")"
		} else if a.chance(30) {
			sep = "|"
			options = " with (delimiter '|')"
		}
		columns := []string{"id", "a", "b", "d", "e", "f"}
		if a.chance(40) {
			columns = columns[:a.oneOf(1, 2, 4)]
		}
		wide := a.oneOf(0, 0, 5, 300)
		var lines strings.Builder
		if strings.HasSuffix(options, "header)") {
			lines.WriteString(strings.Join(columns, ",") + "\n")
		}
		for i := next; i < next+n; i++ {
			values := []string{fmt.Sprint(i), fmt.Sprintf("v%d%s", i%50, strings.Repeat("x", wide)), fmt.Sprintf("%d.5", i%999), fmt.Sprintf("2026-01-%02d", 1+i%28), fmt.Sprint(i % 90), "t"}
			if i%7 == 0 {
				values[1] = null
			}
			lines.WriteString(strings.Join(values[:len(columns)], sep) + "\n")
		}
		a.unit("copy cp (%s) from stdin%s;\n%s\\.\n", strings.Join(columns, ", "), options, lines.String())
		next += n
		if a.chance(50) {
			a.unit("update cp set e = e + 1 where id %% 3 = 0")
		}
		if a.chance(50) {
			var children strings.Builder
			for i := range 20 {
				fmt.Fprintf(&children, "%d\t%d\tchild\n", next*100+i, 1+a.IntN(next-1))
			}
			a.unit("copy cpc from stdin;\n%s\\.\n", children.String())
		}
	}
	a.unit("copy cp to stdout")
	if a.chance(50) {
		a.unit("delete from cpc where id %% 2 = 0; vacuum cp")
	}
}

// copiesToPartitions loads rows of several partitions at a time.
func (a *act) copiesToPartitions() {
	a.table("create table cq (id int not null, a text, primary key (id)) partition by range (id); create table cq_1 partition of cq for values from (0) to (100); create table cq_2 partition of cq for values from (100) to (1000); create table cq_3 partition of cq default; create index cq_a on cq (a)")
	for k := range a.oneOf(1, 2, 3) {
		var lines strings.Builder
		for i := range a.oneOf(10, 90, 500) {
			fmt.Fprintf(&lines, "%d\tvalue %d\n", (i*37+k*5003)%5000+k*100000, i%9)
		}
		a.unit("copy cq from stdin;\n%s\\.\n", lines.String())
		a.unit("update cq set a = 'changed' where id %% 4 = %d", a.IntN(4))
	}
	a.unit("update cq set id = id + 50 where id = 60; vacuum cq_1; vacuum cq_2")
}

// prepares ends transactions in two phases.
func (a *act) prepares() {
	a.table("create table tp (id int not null, a int, b text, primary key (id)); create index tp_a on tp (a)")
	a.table("create table tpc (id int primary key, parent int references tp)")
	a.unit("insert into tp select g, g %% 9, 'row ' || g from generate_series(1, 200) g")
	for k := range a.oneOf(1, 2, 4) {
		from := 1000 + 100*k
		work := pick(a.generator, []string{
			fmt.Sprintf("insert into tp select g, g %% 9, 'row ' || g from generate_series(%d, %d) g", from, from+30),
			"update tp set a = a + 1 where id % 5 = 0", "update tp set b = 'other' where id = 7", "delete from tp where id between 150 and 160",
			fmt.Sprintf("insert into tpc select g, 1 + g %% 100 from generate_series(%d, %d) g", from, from+9),
			fmt.Sprintf("insert into tp select g, 1, 'x' from generate_series(%d, %d) g; savepoint s; update tp set a = 5 where id = %d; rollback to s; update tp set a = 7 where id = 3", from, from+5, from+1),
			fmt.Sprintf("savepoint s; insert into tp values (%d, 1, 'in a savepoint'); release s", from), "select * from tp", "update tp set id = id + 5000 where id = 140",
		})
		a.unit("begin; %s; prepare transaction 'two %d'", work, k)
		if a.chance(40) {
			a.unit("update tp set b = 'between' where id between 31 and 34")
		}
		a.unit("%s prepared 'two %d'", pick(a.generator, []string{"commit", "commit", "rollback"}), k)
	}
	a.unit("vacuum tp")
}

// partitionedParents has foreign keys that refer to partitioned tables, and from them.
func (a *act) partitionedParents() {
	how := pick(a.generator, []string{"", "on delete cascade", "on delete set null"})
	a.table("create table pp (id int not null, a text, primary key (id)) partition by range (id); create table pp_1 partition of pp for values from (0) to (100); create table pp_2 partition of pp for values from (100) to (1000)")
	a.table("create table pc (id int primary key, parent int references pp %s); create index pc_parent on pc (parent)", how)
	a.table("create table pq (id int not null, parent int references pp, primary key (id)) partition by hash (id); create table pq_0 partition of pq for values with (modulus 2, remainder 0); create table pq_1 partition of pq for values with (modulus 2, remainder 1)")
	a.unit("insert into pp select g * 7, 'parent ' || g from generate_series(1, 100) g")
	a.unit("insert into pc select g, 7 * (1 + g %% 90) from generate_series(1, %d) g", a.oneOf(5, 60, 300))
	a.unit("insert into pq select g, 7 * (1 + g %% 50) from generate_series(1, %d) g", a.oneOf(4, 40))
	a.unit("update pp set a = 'changed' where id %% 3 = 0")
	if how != "" {
		a.unit("delete from pp where id between 500 and %d", a.oneOf(510, 560))
	}
	a.unit("update pc set parent = 7 where id %% 5 = 0; delete from pq where id = 3")
}

// cascades has actions of foreign keys on updates of the key, of several columns and other
// widths.
func (a *act) cascades() {
	on := pick(a.generator, []string{"on update cascade", "on update cascade on delete cascade", "on update set null", "on delete set default on update cascade", "deferrable initially deferred"})
	a.table("create table ca (id bigint not null, k smallint not null, a text, primary key (id), unique (id, k))")
	a.table("create table cb (id int primary key, parent int default 1 references ca %s, w text); create index cb_parent on cb (parent)", on)
	a.table("create table cc (id int primary key, p bigint, q int, foreign key (p, q) references ca (id, k) on update cascade on delete cascade)")
	a.unit("insert into ca select g, g %% 5, 'a ' || g from generate_series(1, 120) g")
	a.unit("insert into cb select g, 1 + g %% 60, 'b' from generate_series(1, %d) g", a.oneOf(10, 100, 500))
	a.unit("insert into cc select g, 61 + g %% 50, (61 + g %% 50) %% 5 from generate_series(1, %d) g", a.oneOf(10, 80))
	if strings.HasPrefix(on, "deferr") {
		a.unit("begin; update cb set parent = 5000 where id = 3; insert into ca values (5000, 1, 'late'); commit")
	} else {
		a.unit("update ca set id = id + 1000 where id between %d and %d", 40, a.oneOf(41, 55))
	}
	a.unit("update ca set k = k + 1 where id between 100 and 103; update ca set a = 'same' where id %% 2 = 0")
	if strings.Contains(on, "on delete") {
		a.unit("delete from ca where id in (20, 21, 1045)")
	}
	a.unit("delete from ca where id between 108 and 110; update cb set w = 'c' where id %% 4 = 0")
}

// wholeRows has a table without a key.
func (a *act) wholeRows() {
	a.table("create table wr (a int, b text, c numeric(8,2)); alter table wr replica identity full")
	a.unit("insert into wr select g %% 10, nullif('v' || g %% 4, 'v3'), g / 4.0 from generate_series(1, %d) g", a.oneOf(20, 300, 900))
	for range a.oneOf(1, 2, 4) {
		a.unit("%s", pick(a.generator, []string{
			"update wr set b = 'other' where a = 3", "update wr set c = c + 1 where a = 4", "delete from wr where a = 5", "update wr set a = a where b is null", "delete from wr where b = 'v1'", "vacuum wr",
			"begin; update wr set b = 'lost'; rollback", "insert into wr select a, b, c from wr where a = 7",
		}))
	}
}

// longValues has values out of line, some of them in the replica identity.
func (a *act) longValues() {
	a.table("create table lv (id int not null, a text, b text, n int, primary key (id)); alter table lv alter a set storage %s; %s", pick(a.generator, []string{"external", "extended", "main"}),
		pick(a.generator, []string{"alter table lv replica identity full", "alter table lv replica identity default"}))
	long := "(select string_agg(md5((g * 1000 + x)::text), '') from generate_series(1, %d) x)"
	a.unit("insert into lv select g, "+long+", "+long+", g from generate_series(1, %d) g", a.oneOf(20, 80, 300), a.oneOf(1, 100), a.oneOf(5, 20))
	for range a.oneOf(1, 2, 4) {
		a.unit("%s", pick(a.generator, []string{
			"update lv set n = n + 1", "update lv set n = n + 1 where id = 3", "update lv set a = repeat('short', 3) where id = 2", "update lv set a = a || 'more' where id = 4", "delete from lv where id = 5",
			"update lv set b = a where id = 1", "vacuum lv", "update lv set id = id + 1000 where id = 6",
		}))
	}
}

// sequences are set and drawn from.
func (a *act) sequences() {
	a.table("create sequence sq%s", pick(a.generator, []string{"", " cache 10", " increment 5", " increment -1", " minvalue 1 maxvalue 20 cycle"}))
	a.table("create table st (id bigserial primary key, s int default nextval('sq'), w text)")
	for range a.oneOf(2, 3, 5) {
		a.unit("%s", pick(a.generator, []string{
			"select nextval('sq')", "select nextval('sq') from generate_series(1, 70)", "select setval('st_id_seq', 500000)",
			"select setval('sq', 7, false)", "insert into st (w) select 'x' from generate_series(1, 40)", "insert into st (w) values ('one')", "begin; insert into st (w) values ('lost'); rollback",
			"begin; select nextval('sq'); commit", "begin; savepoint s; insert into st (w) values ('kept'); release s; commit", "insert into st (s, w) values (5, 'given')",
		}))
	}
}

// definitions change tables among the changes.
func (a *act) definitions() {
	a.table("create table df (id int primary key, a text)")
	a.table("create table dp (id int not null, a text, primary key (id)) partition by range (id); create table dp_1 partition of dp for values from (0) to (100)")
	a.unit("insert into df select g, 'a' from generate_series(1, 50) g; insert into dp select g, 'a' from generate_series(1, 50) g")
	a.unit("create table dp_2 partition of dp for values from (100) to (200)")
	a.unit("insert into dp select g, 'b' from generate_series(100, 150) g")
	a.unit("create table dn (id int primary key, a text, b int%s)", pick(a.generator, []string{"", " unique", " default 4"}))
	a.unit("insert into dn select g, repeat('x', 5), g from generate_series(1, %d) g", a.oneOf(5, 400))
	a.unit("%s", pick(a.generator, []string{"alter table df add column n int default 7", "alter table df add column n text"}))
	a.unit("update df set a = 'c' where id %% 3 = 0; insert into df (id, a) values (1000, 'new')")
	a.unit("update dn set a = 'y' where id = 3; delete from dn where id = 4")
}

// truncates gives tables new files, some of them in vain.
func (a *act) truncates() {
	a.table("create table tr (id int primary key, a text); create index tr_a on tr (a)")
	a.unit("insert into tr select g, repeat('x', g %% 20) from generate_series(1, 100) g")
	for range a.oneOf(1, 2, 3) {
		a.unit("%s", pick(a.generator, []string{
			"truncate tr", "begin; truncate tr; rollback", "begin; savepoint s; truncate tr; rollback to s; update tr set a = 'after' where id = 3; commit", "begin; truncate tr; insert into tr values (1, 'x'); commit",
			"begin; insert into tr values (5000, 'x'); truncate tr; commit", "begin; savepoint s; truncate tr; release s; commit",
		}))
		a.unit("insert into tr select g, 'y' from generate_series(%d, %d) g on conflict do nothing", 101, 140)
	}
}

// upserts have conflicts of several kinds.
func (a *act) upserts() {
	a.table("create table up (id int primary key, a text, b int, unique (a, b)); create unique index up_part on up (b) where b > 1000000")
	a.table("create table uq (id int not null, a text, n int default 0, primary key (id)) partition by range (id); create table uq_1 partition of uq for values from (0) to (50); create table uq_2 partition of uq for values from (50) to (1000)")
	a.unit("insert into up select g, 'a' || g, g %% 10 from generate_series(1, 100) g; insert into uq select g, 'a' from generate_series(1, 90) g")
	for range a.oneOf(2, 3, 4) {
		from := a.oneOf(1, 50, 95)
		a.unit(pick(a.generator, []string{
			"insert into up select g, 'b' || g, g %% 10 from generate_series(%d, %d) g on conflict (id) do nothing", "insert into up select g, 'b' || g, g %% 10 from generate_series(%d, %d) g on conflict do nothing",
			"insert into up select g, 'c' || g, g from generate_series(%d, %d) g on conflict (id) do update set a = excluded.a", "insert into up select g + 1000, 'a' || g, g %% 10 from generate_series(%d, %d) g on conflict (a, b) do update set b = up.b + 100",
			"insert into uq select g, 'b' from generate_series(%d, %d) g on conflict (id) do update set a = excluded.a, n = uq.n + 1",
			"insert into up select g + 3000, null, g from generate_series(%d, %d) g on conflict (a, b) do nothing",
		}), from, from+a.oneOf(3, 40))
	}
}

// triggers fire before changes of rows.
func (a *act) triggers() {
	a.table("create function kept() returns trigger language plpgsql as 'begin if tg_op = ''DELETE'' then return old; end if; return new; end'; create table tg (id int primary key, a text, n int)%s; create trigger before_row before %s on tg for each row execute function kept()",
		pick(a.generator, []string{"", " with (fillfactor = 50)"}), pick(a.generator, []string{"insert", "update", "delete", "insert or update or delete", "update or delete"}))
	a.unit("insert into tg select g, 'a' || g, g from generate_series(1, %d) g", a.oneOf(20, 300))
	a.unit("update tg set n = n + 1 where id %% 3 = 0; update tg set id = id + 1000 where id = 7; delete from tg where id %% 5 = 0")
	a.unit("update tg set a = a where id = 2")
	var lines strings.Builder
	for i := range 30 {
		fmt.Fprintf(&lines, "%d\tx\t%d\n", 5000+i, i)
	}
	a.unit("copy tg from stdin;\n%s\\.\n", lines.String())
}

// ranges are kept apart by exclusion constraints.
func (a *act) ranges() {
	a.table("create table ex (id int primary key, a int, b text, exclude using btree (a with =))")
	a.unit("insert into ex select g, g * 3, 'x' from generate_series(1, %d) g", a.oneOf(10, 200))
	a.unit("update ex set a = a + 10000 where id %% 4 = 0; update ex set b = 'y' where id = 3; insert into ex values (9000, null, null)")
	a.unit("insert into ex select g, g * 3 + 1, 'z' from generate_series(300, 320) g on conflict do nothing")
}

// otherIndexes has indexes of expressions and partial ones.
func (a *act) otherIndexes() {
	a.table("create table oi (id int primary key, a int, b text, t timestamptz not null) with (fillfactor = %d); create index oi_lower on oi (lower(b)); create index oi_part on oi (a) where b = 'no such'; create index oi_desc on oi (a desc nulls last, b) include (t)",
		a.oneOf(30, 70, 100))
	a.unit("insert into oi select g, g %% 30, 'B' || g %% 7, timestamptz '2026-01-01Z' + g * interval '1 min' from generate_series(1, %d) g", a.oneOf(20, 400, 2000))
	for range a.oneOf(1, 2, 4) {
		a.unit("%s", pick(a.generator, []string{
			"update oi set a = a + 1 where id % 6 = 0", "update oi set b = upper(b) where id % 6 = 1", "update oi set t = t + interval '1 day' where id = 5", "delete from oi where id % 7 = 0", "vacuum oi",
			"update oi set b = null where id % 9 = 0", "insert into oi select g, null, null, timestamptz '2027-01-01Z' from generate_series(5000, 5050) g",
		}))
	}
}
