create type mood as enum ('sad','ok','happy');
create domain posint as int check (value > 0);
create type pair as (a int, b text);
create table kinds (
 id bigint primary key, b bool, i2 smallint, i4 int, f4 real, f8 double precision, n numeric, n2 numeric(10,2),
 t text, vc varchar(20), c char(5), by bytea, d date, tm time, tz timetz, ts timestamp, tstz timestamptz, ts3 timestamp(3), iv interval,
 u uuid, ip inet, cd cidr, mac macaddr, j json, jb jsonb, bt bit(4), vb bit varying(10), arr int[], tarr text[], vcarr varchar(5)[], r int4range,
 m mood, p posint, pr pair, o oid, x xml, mo money, pt point, bx box, ci circle, nm name, ch "char", ln pg_lsn, tv tsvector, tq tsquery, mr int4multirange, narr numeric[], iva interval[]);
create table "Odd Name" ("Id" int primary key, "select" text, plain text, "a""b" int, g int generated always as ("Id" * 2) stored);
create table bigt (id int primary key, n int, body text); alter table bigt alter body set storage external;
create table nokey (a int, b text);
create table fullid (a int, b text, c varchar(10)); alter table fullid replica identity full;
create table noid (a int, b text); alter table noid replica identity nothing;
create table uniq (k int not null, k2 text not null, v int); create unique index uniq_k on uniq (k2, k); alter table uniq replica identity using index uniq_k;
create schema app; create table app.items (id serial primary key, name text, price numeric(8,3));
create table meas (city int, day date not null, temp int, primary key (city, day)) partition by range (day);
create table meas_a partition of meas for values from ('2026-01-01') to ('2026-02-01');
create table meas_b partition of meas for values from ('2026-02-01') to ('2026-03-01');
create type "Odd Type" as enum ('x','y'); create type app."select" as enum ('p','q');
create table oddtypes (id int primary key, a "Odd Type", b app."select", c "Odd Type"[], d app."select"[], e interval day to second(3), f interval(2), g time(2), h bpchar, i "char"[], j numeric(5,-2), k varbit, l timestamptz(0)[], m char(3)[], n bit, o name[], q timetz(1), r mood[], s posint[]);
create unlogged table unl (a int primary key);
