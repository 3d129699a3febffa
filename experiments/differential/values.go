package main

import (
	"fmt"
	"strings"
)

// valueKind is a type and how its values are made of a number. In expr, %v is the
// number whose hash decides (few different ones where a column's Spread is small), %n
// the row's own number, and %w the width.
type valueKind struct {
	typ     string
	expr    string
	unique  string   // an expression that gives another value for each %n; "" if there is none
	index   bool     // has a B-tree operator class that the model knows
	include bool     // can stand in INCLUDE
	brin    bool     // has minmax for BRIN
	wide    bool     // takes a width
	wider   []string // types on the subscriber that take the same text
	exprs   []string // index expressions over %s
	where   []string // predicates over %s
	weight  int
}

// hashed is a hash of %v from 0 to 2^31 - 1.
const hashed = "(hashint8(%v) & 2147483647)"

var text = []string{"lower(%s)", "length(%s)", "upper(%s)", "md5(%s)", "%s || 'x'", "substr(%s, 1, 3)", "coalesce(%s, '')"}

// kinds are the types of columns beside the key.
var kinds = []*valueKind{
	{typ: "int", expr: hashed, unique: "%n::int", index: true, brin: true, weight: 12, wider: []string{"bigint", "numeric"},
		exprs: []string{"%s % 10", "abs(%s)", "%s + 1", "coalesce(%s, 0)", "-%s", "%s > 1000", "%s::text"}, where: []string{"%s > 1000000000", "%s % 2 = 0", "%s is not null", "%s is null"}},
	{typ: "bigint", expr: hashed + "::bigint * 77", unique: "%n::bigint", index: true, brin: true, weight: 8, wider: []string{"numeric"},
		exprs: []string{"%s % 10", "%s / 1000"}, where: []string{"%s > 100000000000", "%s is not null"}},
	{typ: "smallint", expr: "(" + hashed + " % 30000)::smallint", index: true, brin: true, weight: 5, wider: []string{"int", "bigint"},
		exprs: []string{"%s::int * 2"}, where: []string{"%s < 10000"}},
	{typ: "boolean", expr: "(" + hashed + " & 1) = 1", index: true, weight: 4, exprs: []string{"not %s"}, where: []string{"%s", "not %s"}},
	{typ: "text", expr: "'v' || " + hashed, unique: "'u' || %n", index: true, brin: true, weight: 10, exprs: text, where: []string{"%s like 'v1%'", "%s < 'v5'", "%s is not null", "length(%s) > 10"}},
	{typ: "text", expr: "left(repeat(md5((%v)::text), %w / 32 + 1), " + hashed + " % (%w + 1))", index: true, brin: true, wide: true, weight: 10, exprs: text[:4], where: []string{"%s > '8'"}},
	{typ: "text", expr: "repeat(chr(97 + " + hashed + " % 26), " + hashed + " % (%w * 8 + 1))", index: true, brin: true, wide: true, weight: 4, exprs: []string{"length(%s)", "md5(%s)"}},
	{typ: "text", expr: "(select string_agg(md5((%v * 1000 + part_no)::text), '') from generate_series(0, " + hashed + " % (%w / 16 + 2)) part_no)", wide: true, weight: 5, exprs: []string{"length(%s)", "md5(%s)"}},
	{typ: "varchar(40)", expr: "left(md5((%v)::text) || 'padding', " + hashed + " % 39)", index: true, weight: 4, wider: []string{"text", "varchar(80)"}, exprs: text[:2]},
	{typ: "char(12)", expr: "left(md5((%v)::text), " + hashed + " % 13)", unique: "(%n)::text", index: true, weight: 3},
	{typ: "bytea", expr: "decode(left(md5((%v)::text), (" + hashed + " % 17) * 2), 'hex')", index: true, weight: 3},
	{typ: "numeric", expr: "round((" + hashed + "::numeric / 7), " + hashed + " % 5)", index: true, brin: true, weight: 4, unique: "(%n)::numeric / 8", exprs: []string{"round(%s)", "%s + 1"}, where: []string{"%s > 100"}},
	{typ: "numeric(12,2)", expr: "(" + hashed + "::numeric / 100)", index: true, weight: 3},
	{typ: "real", expr: "(" + hashed + " % 100000)::real / 4", index: true, brin: true, weight: 2, wider: []string{"double precision"}},
	{typ: "double precision", expr: "(" + hashed + ")::float8 / 8", index: true, brin: true, weight: 3},
	{typ: "date", expr: "date '2020-01-01' + " + hashed + " % 4000", unique: "date '1000-01-01' + (%n)::int", index: true, brin: true, weight: 3, exprs: []string{"extract(year from %s)"}, where: []string{"%s > '2025-01-01'"}},
	{typ: "timestamptz", expr: "timestamptz '2026-01-01 00:00:00Z' + " + hashed + " % 100000 * interval '1.7 s'", unique: "timestamptz '2026-01-01 00:00:00Z' + (%n) * interval '1 ms'", index: true, brin: true, weight: 5,
		exprs: []string{"date_trunc('hour', %s at time zone 'UTC')"}, where: []string{"%s > '2026-01-01 12:00:00+00'"}},
	{typ: "timestamp", expr: "timestamp '2026-01-01 00:00:00' + " + hashed + " % 100000 * interval '1 min'", index: true, brin: true, weight: 3, exprs: []string{"date_trunc('day', %s)"}},
	{typ: "time", expr: "time '00:00' + " + hashed + " % 86400 * interval '1 s'", index: true, weight: 2},
	{typ: "timetz", expr: "timetz '00:00+02' + " + hashed + " % 86400 * interval '1 s'", index: true, weight: 1},
	{typ: "interval", expr: hashed + " % 100000 * interval '1 min'", index: true, weight: 2},
	{typ: "uuid", expr: "md5((%v)::text)::uuid", unique: "md5((%n)::text)::uuid", index: true, brin: true, weight: 4},
	{typ: "inet", expr: "inet '10.0.0.0' + " + hashed + " % 100000", index: true, weight: 2},
	{typ: "cidr", expr: "network(set_masklen(inet '10.0.0.0' + " + hashed + " % 100000, 24))::cidr", index: true, weight: 1},
	{typ: "macaddr", expr: "('08:00:2b:' || substr(md5((%v)::text), 1, 2) || ':' || substr(md5((%v)::text), 3, 2) || ':' || substr(md5((%v)::text), 5, 2))::macaddr", index: true, weight: 1},
	{typ: "jsonb", expr: "jsonb_build_object('a', " + hashed + " % 100, 'b', left(md5((%v)::text), " + hashed + " % 20), 'c', jsonb_build_array(%v, null, true))", index: true, weight: 4,
		exprs: []string{"%s ->> 'b'", "(%s -> 'a')::int", "%s -> 'c' -> 0"}, where: []string{"%s ? 'a'", "%s ->> 'a' > '5'"}},
	{typ: "json", expr: "json_build_object('a', %v)", weight: 1, exprs: []string{"%s ->> 'a'"}},
	{typ: "int[]", expr: "(array[%v, 2, " + hashed + ", null, 5]::int[])[1:1 + " + hashed + " % 5]", index: true, weight: 2, exprs: []string{"%s[1]", "array_length(%s, 1)"}},
	{typ: "text[]", expr: "array['a', left(md5((%v)::text), " + hashed + " % 30)]", index: true, weight: 2},
	{typ: "int4range", expr: "int4range((" + hashed + " % 1000)::int, (" + hashed + " % 1000 + 10)::int)", index: true, weight: 1},
	{typ: "tstzrange", expr: "tstzrange(timestamptz '2026-01-01Z' + " + hashed + " % 1000 * interval '1 h', null)", index: true, weight: 1},
	{typ: "bit(9)", expr: "((" + hashed + ") % 512)::int::bit(9)", index: true, weight: 1},
	{typ: "varbit", expr: "left((" + hashed + ")::int::bit(32)::text, " + hashed + " % 33)::varbit", index: true, weight: 1},
	{typ: "mood", expr: "(enum_range(null::mood))[1 + " + hashed + " % 4]", index: true, weight: 3, where: []string{"%s = 'ok'"}},
	{typ: "pair", expr: "row(" + hashed + " % 50, left(md5((%v)::text), " + hashed + " % 9))::pair", index: true, weight: 1},
	{typ: "small", expr: "(" + hashed + " % 99999)::int", index: true, weight: 1, exprs: []string{"%s + 1"}},
	{typ: "point", expr: "point(" + hashed + " % 100, 5)", weight: 1},
	{typ: "box", expr: "box(point(0, 0), point(" + hashed + " % 100, 5))", weight: 1},
	{typ: "tsvector", expr: "to_tsvector('simple', md5((%v)::text) || ' word')", index: true, weight: 1},
	{typ: "money", expr: "(" + hashed + ")::numeric::money", index: true, weight: 1},
	{typ: "name", expr: "left(md5((%v)::text), " + hashed + " % 20)::name", index: true, weight: 1},
	{typ: `"char"`, expr: "chr(65 + " + hashed + ` % 26)::"char"`, index: true, weight: 1},
	{typ: "oid", expr: "(" + hashed + ")::bigint::oid", index: true, brin: true, weight: 1},
	{typ: "int4multirange", expr: "(case when " + hashed + " % 3 = 0 then '{}' else '{[' || " + hashed + " % 50 || ',' || 60 + " + hashed + " % 20 || '), [100, 110)}' end)::int4multirange", index: true, weight: 1},
	{typ: "tsquery", expr: "(case when " + hashed + " % 2 = 0 then 'a & b' || " + hashed + " % 40 else '!c' || " + hashed + " % 9 end)::tsquery", index: true, weight: 1},
	{typ: "numeric", expr: "case " + hashed + " % 9 when 0 then 'NaN' when 1 then 'Infinity' when 2 then '-Infinity' when 3 then 0 when 4 then -0.00001 * " + hashed + " else (" + hashed + " % 1000 - 500) * 10::numeric ^ (" + hashed + " % 20) end", index: true, weight: 2},
	{typ: "double precision", expr: "case " + hashed + " % 7 when 0 then 'NaN' when 1 then '-Infinity' when 2 then '-0' when 3 then 0 else (" + hashed + " % 1000 - 500) / 3.0 end::float8", index: true, weight: 1},
	{typ: "real", expr: "case " + hashed + " % 7 when 0 then 'NaN' when 1 then 'Infinity' when 2 then '-0' else (" + hashed + " % 1000 - 500) / 3.0 end::real", index: true, weight: 1},
	{typ: "interval", expr: "(" + hashed + " % 30 - 15) * interval '1 month' + (" + hashed + " % 60) * interval '1 day' + interval '1 s'", index: true, weight: 1},
	{typ: "inet", expr: "(case " + hashed + " % 3 when 0 then '2001:db8::' || to_hex(" + hashed + " % 65536) || '/64' else '192.168.' || " + hashed + " % 256 || '.1/' || 16 + " + hashed + " % 17 end)::inet", index: true, weight: 1},
	{typ: "jsonb", expr: "(array['null', 'true', '1', '1.5', '\"s\"', '[]', '{}', '[1, 2]', '{\"a\": {\"b\": [1]}}', '[\"x\", {\"y\": null}]'])[1 + " + hashed + " % 10]::jsonb", index: true, weight: 2},
	{typ: "macaddr8", expr: "('08:00:2b:01:02:03:' || substr(md5((%v)::text), 1, 2) || ':' || substr(md5((%v)::text), 3, 2))::macaddr8", index: true, weight: 1},
	{typ: "xid8", expr: "(" + hashed + ")::text::xid8", index: true, weight: 1},
	{typ: "tid", expr: "('(' || " + hashed + " % 1000 || ',' || 1 + " + hashed + " % 200 || ')')::tid", index: true, weight: 1},
	{typ: "text", expr: "repeat('wide key ', " + hashed + " % 25) || " + hashed, unique: "repeat('unique wide key ', 10) || %n", index: true, weight: 4},
	{typ: "pg_lsn", expr: "(to_hex(" + hashed + " % 1000) || '/' || to_hex(" + hashed + "))::pg_lsn", index: true, weight: 1},
}

// keys are the types of keys.
var keys = []keyKind{
	{"int", "(%s)::int"}, {"int", "(%s)::int"}, {"bigint", "(%s)::bigint"}, {"bigint", "(%s)::bigint"},
	{"uuid", "md5((%s)::text)::uuid"}, {"text", "('key' || (%s))"}, {"numeric", "(%s)::numeric"},
	{"bigint", "(hashint8extended((%s)::bigint, 7) % 1000000000000)"},
	{"timestamptz", "(timestamptz '2026-01-01 00:00:00Z' + (%s) * interval '1 s')"},
	{"varchar(50)", "md5((%s)::text)"}, {"text", "repeat('long key ', 5) || (%s)"},
}

// value is the expression of a value for a row's number.
func (c *Column) value(number string) string {
	v := "(" + number + ")"
	if c.Unique && c.Kind.unique != "" {
		return strings.ReplaceAll(c.Kind.unique, "%n", v)
	}
	if c.Spread > 0 {
		v = fmt.Sprintf("((hashint8(%s::bigint + %d) & 2147483647) %% %d)", v, len(c.Name), c.Spread)
	}
	v = "(" + v + "::bigint)"
	s := strings.ReplaceAll(c.Kind.expr, "%w", fmt.Sprint(c.Width))
	s = strings.ReplaceAll(s, "%v", v)
	if c.Nulls > 0 && !c.NotNull {
		s = fmt.Sprintf("case when (hashint8extended(%s::bigint, %d) & 127) >= %d then %s end", number, 3+len(c.Name), c.Nulls*128/100, s)
	}
	return s
}
