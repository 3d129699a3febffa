package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"applysim/experiments/server"
)

// Stop is an error with which the worker stops in the end. It has a table of its own.
type Stop struct {
	stopKind
	Rows   int  // that the table has before
	Before bool // the transaction changes another row first
	Wide   bool // rows are so long that descriptions are cut
}

// stopKind is an error: the tables of both sides and the statement that brings it about.
// The tables begin with the columns id and n, and rows have ids from 1.
type stopKind struct {
	name     string
	pub, sub string // columns and constraints after id and n; "" of the subscriber for none of this table at all
	after    string // DDL of the subscriber that follows
	values   string // of the columns after these, of a row with number i
	sql      string // of what goes wrong
	key      string // of the publisher, instead of id
	identity string // DDL of the publisher that follows
}

const bare = "text, primary key (id)" // a column that nothing is wrong with

var stopKinds = []stopKind{
	{name: "insert exists", pub: "t " + bare, sub: "t " + bare, after: "create unique index on stop (n)", values: "'row ' || i", sql: "insert into stop values (1001, 1, 'again')"},
	{name: "update exists", pub: "t " + bare, sub: "t " + bare, after: "create unique index on stop (n)", values: "'row ' || i", sql: "update stop set n = 1 where id = 2"},
	{name: "partial and expression", pub: "t " + bare, sub: "t " + bare, after: "create unique index on stop (n) where t like 'row%'; create unique index on stop (lower(t), (n % 1000))", values: "'row ' || i", sql: "insert into stop values (1001, 1, 'ROW 1')"},
	{name: "several conflicts", pub: "t " + bare, sub: "t " + bare, after: "create unique index on stop (n); create unique index on stop (t desc, n)", values: "'row ' || i", sql: "insert into stop values (1001, 1, 'row 1')"},
	{name: "nulls not distinct", pub: "t " + bare, sub: "t " + bare, after: "create unique index on stop (t) nulls not distinct", values: "nullif('row ' || i, 'row 1')", sql: "insert into stop values (1001, 1, null)"},
	{name: "types in a description", pub: "a numeric(8,3), b timestamptz, c bytea, d int[], e jsonb, f boolean, g \"char\", h interval, primary key (id)",
		sub: "a numeric(8,3), b timestamptz, c bytea, d int[], e jsonb, f boolean, g \"char\", h interval, primary key (id)", after: "create unique index on stop (n, a, b)",
		values: "i + 0.5, '2026-01-02 03:04:05.678Z', '\\x00ff', array[i, null], jsonb_build_object('k', i, 'l', 'x'), true, 'z', '1 day 02:03:04'",
		sql:    "insert into stop select 1001, n, a, b, c, d, e, f, g, h from stop where id = 1"},
	{name: "exclusion", pub: "t " + bare, sub: "t text, primary key (id), exclude using btree (n with =)", values: "'row ' || i", sql: "insert into stop values (1001, 1, 'again')"},
	{name: "exclusion, update", pub: "t " + bare, sub: "t text, primary key (id), exclude using btree (t with =, n with =)", values: "'row'", sql: "update stop set n = 1 where id = 2"},
	{name: "missing table", sql: "create table stop (id int primary key); insert into stop values (1)"},
	{name: "missing column", pub: "t " + bare, sub: "primary key (id)", values: "'row ' || i", sql: "insert into stop values (1, 1, 'row')"},
	{name: "missing columns", pub: "t text, \"U v\" int, primary key (id)", sub: "primary key (id)", values: "'row ' || i, 5", sql: "insert into stop values (1, 1, 'row')"},
	{name: "generated column", pub: "t int, primary key (id)", sub: "t int generated always as (id + 1) stored, primary key (id)", values: "i", sql: "insert into stop values (1, 1, 2)"},
	{name: "identity column missing", pub: "t " + bare, sub: "t text not null, primary key (id, t)", values: "'row ' || i", sql: "update stop set n = 5 where id = 1"},
	{name: "no identity", pub: "t " + bare, sub: "t text", values: "'row ' || i", sql: "delete from stop where id = 1"},
	{name: "not null", pub: "t " + bare, sub: "t text not null, primary key (id)", values: "'row ' || i", sql: "insert into stop values (1001, 1, null)"},
	{name: "not null, update", pub: "t " + bare, sub: "t text not null, primary key (id)", values: "'row ' || i", sql: "update stop set t = null where id = 1"},
	{name: "not null, own column", pub: "t " + bare, sub: "t text, own int not null, primary key (id)", sql: "insert into stop values (1001, 1, 'x')"},
	{name: "check", pub: "t " + bare, sub: "t text, check (n < 100000), constraint short check (length(t) < 50), primary key (id)", values: "'row ' || i", sql: "insert into stop values (1001, 1, repeat('long', 20))"},
	{name: "check, update", pub: "t " + bare, sub: "t text, check (n < 100000), primary key (id)", values: "'row ' || i", sql: "update stop set n = 200000 where id = 1"},
	{name: "domain", pub: "t int, primary key (id)", sub: "t small, primary key (id)", values: "i", sql: "insert into stop values (1001, 1, 100000)"},
	{name: "varchar", pub: "t " + bare, sub: "t varchar(9), primary key (id)", values: "'row ' || i", sql: "insert into stop values (1001, 1, 'longer than nine')"},
	{name: "char", pub: "t " + bare, sub: "t char(9), primary key (id)", values: "'row ' || i", sql: "insert into stop values (1001, 1, 'longer than nine')"},
	{name: "smallint", pub: "t int, primary key (id)", sub: "t smallint, primary key (id)", values: "i", sql: "update stop set t = 40000 where id = 1"},
	{name: "numeric", pub: "t numeric, primary key (id)", sub: "t numeric(4,1), primary key (id)", values: "i", sql: "insert into stop values (1001, 1, 12345.6)"},
	{name: "integer syntax", pub: "t " + bare, sub: "t int, primary key (id)", values: "i::text", sql: "insert into stop values (1001, 1, 'twelve')"},
	{name: "enum", pub: "t " + bare, sub: "t mood, primary key (id)", values: "'ok'", sql: "insert into stop values (1001, 1, 'calm')"},
	{name: "date", pub: "t " + bare, sub: "t date, primary key (id)", values: "'2026-01-01'", sql: "insert into stop values (1001, 1, '2026-02-30')"},
	{name: "uuid", pub: "t " + bare, sub: "t uuid, primary key (id)", values: "md5(i::text)", sql: "insert into stop values (1001, 1, 'no-uuid')"},
	{name: "boolean", pub: "t " + bare, sub: "t boolean, primary key (id)", values: "'yes'", sql: "insert into stop values (1001, 1, 'maybe')"},
	{name: "json", pub: "t " + bare, sub: "t jsonb, primary key (id)", values: "'{}'", sql: "insert into stop values (1001, 1, '{\"a\": }')"},
	{name: "division in an index", pub: "t int, primary key (id)", sub: "t int, primary key (id)", after: "create index on stop ((n / t))", values: "i", sql: "insert into stop values (1001, 1, 0)"},
	{name: "division in a column", pub: "t int, primary key (id)", sub: "t int, q int generated always as (n / t) stored, primary key (id)", values: "i", sql: "update stop set t = 0 where id = 1"},
	{name: "long index row", pub: "t " + bare, sub: "t " + bare, after: "alter table stop alter t set storage external; create index wide on stop (t)", values: "'row ' || i",
		sql: "insert into stop values (1001, 1, (select string_agg(md5(x::text), '') from generate_series(1, 200) x))"},
	{name: "row too big", pub: "t " + bare, sub: "t " + bare, after: "alter table stop alter t set storage plain", values: "'row ' || i", sql: "insert into stop values (1001, 1, repeat('big', 3000))"},
	{name: "column too big for an index", pub: "t " + bare, sub: "t " + bare, after: "alter table stop alter t set storage plain; create index plain on stop (t)", values: "'row ' || i", sql: "update stop set t = repeat('big', 1100) where id = 1"},
	{name: "partition constraint", pub: "t int not null, primary key (id, t)) partition by range (t); create table stop_0 partition of stop for values from (0) to (1000",
		sub: "t int not null, primary key (id, t)) partition by range (t); create table stop_0 partition of stop for values from (0) to (900", values: "i", sql: "insert into stop values (1001, 1, 950)"},
	{name: "no partition", pub: "t int not null, primary key (id, t)", sub: "t int not null, primary key (id, t)) partition by range (t); create table stop_0 partition of stop for values from (0) to (1000", values: "i", sql: "insert into stop values (1001, 1, 5000)"},
	{name: "no partition, update", pub: "t int not null, primary key (id)", sub: "t int not null, primary key (id, t)) partition by list (t); create table stop_0 partition of stop for values in (1", values: "1", sql: "update stop set t = 7 where id = 1",
		identity: "alter table stop replica identity full"},
}

// stops ends some cases with an error. Its random numbers are its own.
func (g *generator) stops(seed uint64) {
	g.Rand = rand.New(rand.NewPCG(seed, 9))
	if !g.chance(12) || g.option("streaming = parallel") || g.option("two_phase = on") || g.spec.Late != "" { // its table would not be published
		return
	}
	g.spec.Stop = &Stop{stopKind: pick(g, stopKinds), Rows: g.oneOf(2, 5, 40, 300), Before: g.chance(50), Wide: g.chance(30)}
	// Details of conflicts would name the origin and the time of the row in the way, which is
	// not modelled.
	delete(g.spec.SubConf, "track_commit_timestamp")
	// Values of other types are refused before they are read.
	g.spec.SubOptions = slices.DeleteFunc(g.spec.SubOptions, func(o string) bool { return o == "binary = true" })
}

// add adds the table and the last steps to a case.
func (p *Stop) add(c *server.Case) {
	own := func(columns string) string {
		if p.Wide {
			columns = "w text, " + columns
		}
		return "create table stop (id int, n int, " + columns + "); "
	}
	if p.pub != "" {
		c.Pub += own(p.pub)
	}
	if p.identity != "" {
		c.Identity += p.identity + "; "
	}
	if p.sub != "" {
		c.Sub += own(p.sub)
		if p.after != "" {
			c.Sub += p.after + "; "
		}
	}
	wide := ""
	if p.Wide {
		wide = "repeat('wide ', 50), "
	}
	insert := func(from, to int) string {
		return fmt.Sprintf("insert into stop select i, i, %s%s from generate_series(%d, %d) i", wide, p.values, from, to)
	}
	if p.values != "" && p.sub != "" && !strings.HasPrefix(p.name, "missing") && p.name != "generated column" {
		c.SQL = append(c.SQL, server.Step{Pub: insert(1, p.Rows)})
	}
	sql := p.sql
	if p.Wide {
		sql = strings.Replace(strings.Replace(sql, "values (1001, 1, ", "values (1001, 1, 'wide', ", 1), "values (1, 1, ", "values (1, 1, 'wide', ", 1)
		sql = strings.Replace(sql, "select 1001, n, ", "select 1001, n, w, ", 1)
	}
	if p.Before {
		sql = "begin; insert into marker select max(id) + 1 from marker; " + sql + "; commit"
	}
	c.SQL, c.Stops = append(c.SQL, server.Step{Pub: sql}), true
}
