-- One statement of every kind that the reader understands, for a real server
-- and the reader alike. psql -X -v ON_ERROR_STOP=1 -f features.sql
/* nested /* comments */ are passed over */
SET client_min_messages = warning;
CREATE SCHEMA app;
CREATE SCHEMA IF NOT EXISTS "Odd Schema";
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
ALTER TYPE mood ADD VALUE 'so so' BEFORE 'ok';
ALTER TYPE mood ADD VALUE IF NOT EXISTS 'ok';
CREATE TYPE app.pair AS (a int, b numeric(6,2), c text COLLATE "C");
CREATE TYPE floatrange AS RANGE (subtype = float8, subtype_diff = float8mi);
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE DOMAIN app.code varchar(8) COLLATE "C" NOT NULL DEFAULT 'x';
CREATE SEQUENCE app.counter AS smallint START 10 INCREMENT BY -2 MAXVALUE 100 MINVALUE -5 CYCLE CACHE 3;
CREATE FUNCTION app.noop() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  -- ; it's a body (with a quote and an open parenthesis
  RETURN NULL;
END
$body$;
CREATE FUNCTION add_one(i int) RETURNS int LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
  SELECT CASE WHEN i > 0 THEN i + 1 ELSE 1 END;
  SELECT i + 1;
END;
CREATE PROCEDURE nothing() LANGUAGE sql AS 'SELECT 1; SELECT 2';

-- Types.
CREATE TABLE every_type (
  a1 smallint, a2 int2, a3 integer, a4 int, a5 int4, a6 bigint, a7 int8,
  b1 real, b2 float4, b3 double precision, b4 float8, b5 float(10), b6 float(40), b7 float,
  c1 numeric, c2 numeric(10,2), c3 decimal(5), c4 dec(7, -2), c5 numeric(3,5),
  d1 char, d2 char(5), d3 character(7), d4 varchar, d5 varchar(9), d6 character varying(11), d7 text,
  d8 national character varying(12), d9 nchar(3), d10 bpchar, d11 "char", d12 name, d13 pg_catalog."char",
  e1 boolean, e2 bool, e3 bytea, e4 uuid, e5 json, e6 jsonb, e7 xml, e8 jsonpath,
  f1 date, f2 time, f3 time(3), f4 time with time zone, f5 timetz(2), f6 timestamp, f7 timestamp(0) without time zone,
  f8 timestamptz, f9 timestamp(3) with time zone, f10 timestamp with time zone,
  g1 interval, g2 interval(3), g3 interval year to month, g4 interval day to second(2), g5 interval hour, g6 interval second(1),
  g7 interval month, g8 interval day to hour, g9 interval minute to second,
  h1 bit, h2 bit(8), h3 bit varying, h4 bit varying(12), h5 varbit(3),
  i1 inet, i2 cidr, i3 macaddr, i4 macaddr8, i5 oid, i6 regclass, i7 xid8, i8 pg_lsn, i9 money,
  j1 point, j2 line, j3 lseg, j4 box, j5 path, j6 polygon, j7 circle,
  k1 tsvector, k2 tsquery, k3 int4range, k4 tstzrange, k5 nummultirange, k6 int2vector, k7 tid,
  l1 int[], l2 int[3][], l3 integer array, l4 integer array[4], l5 text[], l6 varchar(10)[], l7 numeric(10,2)[], l8 timestamptz[],
  m1 mood, m2 mood[], m3 app.pair, m4 floatrange, m5 positive, m6 app.code, m7 public.mood, m8 floatmultirange,
  n1 pg_catalog.int4, n2 _text
) ;

-- Constraints, named and not, in line and out of line.
CREATE TABLE parent_a (id int PRIMARY KEY, code text UNIQUE, n int CHECK (n > 0));
CREATE TABLE cons (
  u1 int UNIQUE,
  u2 int CONSTRAINT my_unique UNIQUE WITH (fillfactor = 70),
  id bigint NOT NULL,
  u3 int UNIQUE NULLS NOT DISTINCT DEFERRABLE INITIALLY DEFERRED,
  r1 int REFERENCES parent_a,
  r2 int CONSTRAINT my_fk REFERENCES parent_a (id) MATCH FULL ON DELETE SET NULL ON UPDATE CASCADE DEFERRABLE,
  c1 int CHECK (c1 > 0) CHECK (c1 < 100),
  c2 text DEFAULT 'it''s' COLLATE "C" CONSTRAINT c2_nn NOT NULL CHECK (length(c2) > 1) NO INHERIT,
  CHECK (c1 < u1),
  UNIQUE (u1, u2),
  UNIQUE (id, c1) INCLUDE (c2, u3),
  CONSTRAINT cons_excl EXCLUDE USING gist (int4range(u1, u2) WITH &&) WHERE (u1 < u2),
  EXCLUDE (c1 WITH =) ,
  FOREIGN KEY (r1) REFERENCES parent_a (id) NOT ENFORCED,
  CONSTRAINT named_nn NOT NULL u2,
  NOT NULL c1,
  PRIMARY KEY (id) WITH (fillfactor = 80)
);
CREATE TABLE unique_pk (id int UNIQUE PRIMARY KEY, a int UNIQUE, b int, UNIQUE (a), CONSTRAINT b_first UNIQUE (b), UNIQUE (b));
CREATE TABLE pk_named (id int CONSTRAINT the_key UNIQUE PRIMARY KEY, CONSTRAINT other UNIQUE (id));
CREATE TABLE temporal (id int, during tstzrange, v text, w int4range, CONSTRAINT temporal_pk PRIMARY KEY (w, during WITHOUT OVERLAPS));
CREATE TABLE temporal_ref (id int, ref int4range, during tstzrange, FOREIGN KEY (ref, PERIOD during) REFERENCES temporal (w, PERIOD during));
CREATE TABLE a_very_long_table_name_that_needs_some_truncation_to_fit (
  a_rather_long_column_name_as_well_that_is_cut int UNIQUE,
  b int UNIQUE, id serial PRIMARY KEY, CHECK (b > 0),
  UNIQUE (a_rather_long_column_name_as_well_that_is_cut, b));
CREATE INDEX ON a_very_long_table_name_that_needs_some_truncation_to_fit (a_rather_long_column_name_as_well_that_is_cut);
CREATE INDEX ON a_very_long_table_name_that_needs_some_truncation_to_fit (a_rather_long_column_name_as_well_that_is_cut, b);
CREATE INDEX ON a_very_long_table_name_that_needs_some_truncation_to_fit (a_rather_long_column_name_as_well_that_is_cut DESC);
CREATE TABLE "Größe 1" ("Straße" text NOT NULL, "a""b" int, Größe int, "ünïcödé_änd_löng_ñame_thät_is_çut_sömewhere_in_the_mïddle" int UNIQUE);
CREATE INDEX ON "Größe 1" ("Straße", "a""b");
CREATE INDEX ON "Größe 1" (größe, "ünïcödé_änd_löng_ñame_thät_is_çut_sömewhere_in_the_mïddle", "Straße");
CREATE TABLE U&"\00fcber\+00006d" (U&"d!0061ta" UESCAPE '!' int, e text DEFAULT U&'\0441', f text DEFAULT E'a\'b\n', g text DEFAULT $$it's$$, h text DEFAULT $tag$ $$ $tag$);
CREATE TABLE "Odd Schema"."T" ("Id" int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, v int);

-- Collision of generated names.
CREATE TABLE coll_a_idx (x int);
CREATE TABLE coll (a int, b int);
CREATE INDEX ON coll (a);
CREATE INDEX ON coll (a);
CREATE INDEX ON coll (b);
CREATE TABLE coll_pkey (x int PRIMARY KEY);
ALTER TABLE coll ADD PRIMARY KEY (a);
ALTER TABLE coll ADD UNIQUE (b);
ALTER TABLE coll ADD UNIQUE (b);
ALTER TABLE coll ADD CHECK (a > 0), ADD CHECK (a > 1), ADD CHECK (a > b);

-- Columns.
CREATE TABLE columns (
  id smallserial, id2 serial NOT NULL, id3 bigserial PRIMARY KEY,
  gen_stored int GENERATED ALWAYS AS (id + 1) STORED,
  gen_virtual int GENERATED ALWAYS AS (id * 2) VIRTUAL,
  gen_default int GENERATED ALWAYS AS (id * 3),
  d1 int DEFAULT 1 + 2 NOT NULL, d2 text DEFAULT NULL, d3 text DEFAULT NULL::character varying,
  d4 timestamptz DEFAULT now() NOT NULL, d5 timestamp DEFAULT (now() AT TIME ZONE 'utc'), d6 numeric(10,2) DEFAULT -1.5,
  d7 text DEFAULT 'a' || 'b' NULL, d8 boolean DEFAULT (1 IS NOT NULL) UNIQUE, d9 int[] DEFAULT ARRAY[1,2], d10 text DEFAULT CASE WHEN true THEN 'x' ELSE NULL END NOT NULL,
  d11 timestamp DEFAULT '2026-01-01 00:00:00'::timestamp without time zone NOT NULL, d12 date DEFAULT CURRENT_DATE, d13 boolean DEFAULT 1 IS DISTINCT FROM 2 NOT NULL,
  s1 text STORAGE EXTERNAL, s2 text STORAGE main COMPRESSION pglz, s3 bytea STORAGE PLAIN NOT NULL, s4 numeric STORAGE EXTENDED,
  coll1 text COLLATE "C", coll2 text COLLATE pg_catalog."POSIX" DEFAULT 'x'
) WITH (fillfactor = 75, toast_tuple_target = 256, autovacuum_enabled = off, toast.autovacuum_enabled = false);
CREATE TABLE ident (
  a int GENERATED BY DEFAULT AS IDENTITY (START WITH 100 INCREMENT BY 5 SEQUENCE NAME ident_seq_x CACHE 10),
  b bigint GENERATED ALWAYS AS IDENTITY, c int);
ALTER TABLE ident ALTER COLUMN c SET NOT NULL;
ALTER TABLE ident ALTER COLUMN c ADD GENERATED BY DEFAULT AS IDENTITY (MINVALUE 5);
ALTER TABLE ident ALTER c SET GENERATED ALWAYS SET INCREMENT 7;
CREATE UNLOGGED TABLE unlogged_t (id int PRIMARY KEY, v text);
CREATE TABLE IF NOT EXISTS unlogged_t (other int);
CREATE TABLE typed OF app.pair (PRIMARY KEY (a), b WITH OPTIONS NOT NULL DEFAULT 5);

-- Indexes.
CREATE TABLE ix (a int, b text, c timestamptz, d jsonb, e int[], f numeric, "G" int, h inet, i tsvector);
CREATE UNIQUE INDEX ix_z ON ix (a);
CREATE INDEX CONCURRENTLY ix_y ON ix USING btree (a DESC, b COLLATE "C" text_pattern_ops DESC NULLS LAST, c NULLS FIRST) INCLUDE (f, d) WITH (fillfactor = 60, deduplicate_items = off) WHERE a > 0 AND b IS NOT NULL;
CREATE INDEX IF NOT EXISTS ix_y ON ix (b);
CREATE INDEX ON ix (lower(b));
CREATE INDEX ON ix (lower(b), upper(b), lower(b));
CREATE INDEX ON ix ((a + 1));
CREATE INDEX ON ix ((a + 1), (a + 2), b);
CREATE INDEX ON ix (((b)));
CREATE INDEX ON ix ((d ->> 'k'));
CREATE INDEX ON ix (((d ->> 'k')::int));
CREATE INDEX ON ix (((d ->> 'k')::bigint));
CREATE INDEX ON ix (CAST(d ->> 'k' AS double precision));
CREATE INDEX ON ix ((b::varchar(3)));
CREATE INDEX ON ix ((e[1]));
CREATE INDEX ON ix ((CASE WHEN a > 0 THEN b ELSE 'x' END));
CREATE INDEX ON ix ((CASE WHEN a > 0 THEN 'x' ELSE b END));
CREATE INDEX ON ix (coalesce(b, ''), nullif(a, 0), greatest(a, 1));
CREATE INDEX ON ix ((c AT TIME ZONE 'utc'));
CREATE INDEX ON ix (date_trunc('day', c AT TIME ZONE 'utc'));
CREATE INDEX ON ix (extract(epoch FROM c AT TIME ZONE 'utc'));
CREATE INDEX ON ix (trim(both FROM b), trim(leading FROM b), trim(trailing 'x' from b), substring(b from 1 for 2), position('x' in b), overlay(b placing 'x' from 1));
CREATE INDEX ON ix ((b COLLATE "C"));
CREATE INDEX ON ix ((NOT (a > 0)));
CREATE INDEX ON ix ((a IS NULL));
CREATE INDEX ON ix ((-a));
CREATE INDEX ON ix ((ARRAY[a, 1]));
CREATE INDEX ON ix ((date '2026-01-01'));
CREATE INDEX ON ix (pg_catalog.lower(b));
CREATE INDEX ON ix (add_one(a));
CREATE INDEX ON ix ("G", a DESC);
CREATE INDEX ON ix USING gin (d jsonb_path_ops);
CREATE INDEX ON ix USING gin (i, e);
CREATE INDEX ON ix USING hash (b);
CREATE INDEX ON ix USING brin (c timestamptz_minmax_multi_ops (values_per_range = 16)) WITH (pages_per_range = 32);
CREATE INDEX ON ix USING gist (h inet_ops, i tsvector_ops (siglen = 100));
CREATE INDEX ON ix USING spgist (h);
CREATE UNIQUE INDEX ON ix (a, b) NULLS NOT DISTINCT;
CREATE INDEX ON ix (a) INCLUDE (a, b);
CREATE UNIQUE INDEX ix_repl ON ix (f) TABLESPACE pg_default;
CREATE INDEX ON ix (b varchar_pattern_ops, b text_ops);
ALTER INDEX ix_repl SET (fillfactor = 55);
ALTER INDEX ix_repl RENAME TO ix_renamed;
ALTER TABLE ix ALTER COLUMN f SET NOT NULL;
ALTER TABLE ONLY ix REPLICA IDENTITY USING INDEX ix_renamed;
ALTER TABLE ix CLUSTER ON ix_z;
CREATE TABLE full_identity (a int, b int);
ALTER TABLE full_identity REPLICA IDENTITY FULL;
CREATE TABLE no_identity (a int);
ALTER TABLE no_identity REPLICA IDENTITY NOTHING;

-- ALTER TABLE.
CREATE TABLE alt (id int, a int, b text, c text, d int, e int CHECK (e > 0));
CREATE INDEX alt_b ON alt (b);
CREATE INDEX alt_a ON alt (a);
CREATE INDEX alt_ad ON alt (a, d);
CREATE INDEX alt_lower ON alt (lower(b)) WHERE d > 0;
CREATE UNIQUE INDEX alt_uniq ON alt (id);
CREATE UNIQUE INDEX alt_uniq2 ON alt (id, a);
ALTER TABLE alt ADD CONSTRAINT alt_pk PRIMARY KEY USING INDEX alt_uniq;
ALTER TABLE alt ADD UNIQUE USING INDEX alt_uniq2;
ALTER TABLE alt DROP COLUMN e, ADD COLUMN f text DEFAULT 'f' NOT NULL, ADD g int UNIQUE, ADD COLUMN IF NOT EXISTS a int, ADD UNIQUE (d, g), ADD CHECK (g > 0);
ALTER TABLE alt ADD UNIQUE (b), ADD h int UNIQUE, ADD CONSTRAINT alt_hh UNIQUE (h, b);
ALTER TABLE alt ALTER COLUMN a TYPE bigint USING a::bigint, ALTER b SET DATA TYPE varchar(20), ALTER c SET STORAGE EXTERNAL;
ALTER TABLE alt ALTER COLUMN c SET DEFAULT 'x', ALTER COLUMN c SET NOT NULL, ALTER COLUMN f DROP DEFAULT, ALTER f DROP NOT NULL, ALTER c SET STATISTICS 100, ALTER c SET (n_distinct = 5), ALTER b SET COMPRESSION pglz;
ALTER TABLE alt RENAME COLUMN d TO dd;
ALTER TABLE alt RENAME CONSTRAINT alt_g_check TO gg;
ALTER TABLE alt SET (fillfactor = 50, autovacuum_enabled = false);
ALTER TABLE alt RESET (autovacuum_enabled);
ALTER TABLE alt DROP CONSTRAINT alt_hh;
ALTER TABLE IF EXISTS missing_table ADD COLUMN x int;
ALTER TABLE alt RENAME TO altered;
CREATE INDEX ON altered (dd);
CREATE TABLE moved (id serial PRIMARY KEY, v int CHECK (v > 0));
ALTER TABLE moved SET SCHEMA app;
CREATE TABLE dropped (a int PRIMARY KEY, b int UNIQUE);
DROP TABLE dropped CASCADE;
DROP TABLE IF EXISTS not_there, dropped;
CREATE TABLE dropcols (a int, b int, c int, d text, UNIQUE (a, b), CHECK (b > c));
CREATE INDEX dropcols_c ON dropcols (c) INCLUDE (a);
CREATE INDEX dropcols_e ON dropcols (lower(d)) WHERE a > 0;
CREATE INDEX dropcols_d ON dropcols (d);
ALTER TABLE dropcols DROP COLUMN b CASCADE, DROP a;
DROP INDEX IF EXISTS dropcols_c, not_there;
CREATE TABLE passes (a int, b int);
ALTER TABLE passes ADD UNIQUE (a), ADD PRIMARY KEY (b), ADD COLUMN c int UNIQUE, DROP COLUMN IF EXISTS zzz;

-- LIKE and inheritance.
CREATE TABLE like_src (id int GENERATED ALWAYS AS IDENTITY, a int NOT NULL DEFAULT 7, b text STORAGE EXTERNAL COMPRESSION pglz, c int GENERATED ALWAYS AS (a + 1) STORED, CONSTRAINT like_check CHECK (a > 0), UNIQUE (a, b));
ALTER TABLE like_src ADD PRIMARY KEY (id);
CREATE INDEX like_expr ON like_src (lower(b), a DESC) WHERE a > 1;
CREATE TABLE like_plain (x int, LIKE like_src, y int);
CREATE TABLE like_all (LIKE like_src INCLUDING ALL, z int UNIQUE);
CREATE TABLE like_some (LIKE like_src INCLUDING INDEXES INCLUDING DEFAULTS EXCLUDING CONSTRAINTS, q int UNIQUE);
CREATE TABLE inh_parent (id int PRIMARY KEY, a text NOT NULL DEFAULT 'p' CHECK (a <> ''), b int);
CREATE TABLE inh_child (c int, b int NOT NULL, a text DEFAULT 'c', UNIQUE (a)) INHERITS (inh_parent);
ALTER TABLE inh_parent ADD COLUMN d int DEFAULT 4;
ALTER TABLE inh_parent ALTER b SET NOT NULL, ALTER d SET DEFAULT 5;
ALTER TABLE ONLY inh_parent ALTER d SET DEFAULT 6;
CREATE TABLE inh_later (id int NOT NULL, a text NOT NULL, b int NOT NULL, d int, CONSTRAINT inh_parent_a_check CHECK (a <> ''));
ALTER TABLE inh_later INHERIT inh_parent;

-- Partitions.
CREATE TABLE part (id int NOT NULL, day date, v int DEFAULT 1, t text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE INDEX part_v ON part (v) INCLUDE (t) WITH (fillfactor = 40);
CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM ('2026-01-01') TO ('2026-02-01') WITH (fillfactor = 66);
CREATE TABLE part_2 PARTITION OF part (v DEFAULT 9, CONSTRAINT v_check CHECK (v > 0), UNIQUE (id)) FOR VALUES FROM (date '2026-02-01') TO ('2026-03-01'::date);
CREATE INDEX ON part (lower(t), v DESC);
CREATE INDEX part_2_own ON part_2 (t);
CREATE TABLE part_def PARTITION OF part DEFAULT;
CREATE INDEX part_only ON ONLY part (t);
CREATE INDEX part_1_t ON part_1 (t);
ALTER INDEX part_only ATTACH PARTITION part_1_t;
CREATE INDEX part_vv ON part (v, id);
CREATE TABLE part_3 (t text, v int, id int NOT NULL, day date NOT NULL, extra_not int);
ALTER TABLE part_3 DROP COLUMN extra_not;
CREATE INDEX part_3_match ON part_3 (v, id);
ALTER TABLE part ATTACH PARTITION part_3 FOR VALUES FROM ('2026-03-01') TO (MAXVALUE);
ALTER TABLE part ADD COLUMN w int CHECK (w > 0), ADD UNIQUE (day, w);
ALTER TABLE part DETACH PARTITION part_1;
ALTER TABLE part ALTER v TYPE bigint;
CREATE TABLE lists (k text, n int) PARTITION BY LIST (lower(k));
CREATE TABLE lists_a PARTITION OF lists FOR VALUES IN ('a', 'b', NULL);
CREATE TABLE lists_d PARTITION OF lists DEFAULT PARTITION BY HASH (n, k);
CREATE TABLE lists_d0 PARTITION OF lists_d FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE lists_d1 PARTITION OF lists_d FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE INDEX ON lists (n);
CREATE INDEX ON lists (k COLLATE "C", (n + 1));
CREATE TABLE multi (a int, b int, c text) PARTITION BY RANGE (a, (b + 1), c COLLATE "C" text_ops);
CREATE TABLE multi_1 PARTITION OF multi FOR VALUES FROM (MINVALUE, MINVALUE, MINVALUE) TO (1, -5, 'x');
CREATE TABLE multi_2 PARTITION OF multi FOR VALUES FROM (1, -5, 'x') TO (10, MAXVALUE, MAXVALUE);
ALTER TABLE multi_2 ADD PRIMARY KEY (a, c);
CREATE TABLE idpart (id bigint GENERATED BY DEFAULT AS IDENTITY, k int NOT NULL, UNIQUE (k, id)) PARTITION BY RANGE (k);
CREATE TABLE idpart_1 PARTITION OF idpart FOR VALUES FROM (0) TO (10);

-- Triggers, views and other things to pass over.
CREATE TRIGGER t1 BEFORE INSERT OR UPDATE OF a, b OR DELETE ON full_identity FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION app.noop();
CREATE TRIGGER t2 AFTER TRUNCATE ON full_identity EXECUTE PROCEDURE app.noop();
CREATE CONSTRAINT TRIGGER t3 AFTER INSERT ON full_identity DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.noop('x', 1);
CREATE TRIGGER t4 AFTER UPDATE ON full_identity REFERENCING OLD TABLE AS o NEW TABLE AS n FOR EACH STATEMENT EXECUTE FUNCTION app.noop();
ALTER TABLE full_identity ENABLE REPLICA TRIGGER t1, ENABLE ALWAYS TRIGGER t2, DISABLE TRIGGER t3;
CREATE TRIGGER p1 AFTER INSERT ON part FOR EACH ROW EXECUTE FUNCTION app.noop();
CREATE VIEW a_view AS SELECT 1 AS x;
CREATE MATERIALIZED VIEW a_matview AS SELECT 1 AS x;
CREATE UNIQUE INDEX a_matview_x ON a_matview (x);
CREATE TABLE as_table AS SELECT 1 AS a, 'x'::text AS b;
CREATE RULE a_rule AS ON INSERT TO no_identity DO ALSO (SELECT 1; SELECT 2);
CREATE POLICY a_policy ON no_identity USING (a > 0);
ALTER TABLE no_identity ENABLE ROW LEVEL SECURITY;
COMMENT ON TABLE ix IS 'a comment; with a semicolon';
GRANT SELECT ON ix TO PUBLIC;
INSERT INTO coll VALUES (5, 2), (6, 3);
COPY no_identity (a) FROM stdin;
1
2
\.
CREATE STATISTICS st ON a, b FROM ix;
DO $$ BEGIN PERFORM 1; END $$;
CREATE COLLATION german (provider = icu, locale = 'de', deterministic = false);
CREATE TABLE de (a text COLLATE german UNIQUE, b text COLLATE public.german);
SET search_path TO app, public;
CREATE TABLE in_app (id int PRIMARY KEY, m mood, p pair);
CREATE INDEX ON ix (a, c);
CREATE TABLE public.in_public (id int PRIMARY KEY, c app.code);
SELECT pg_catalog.set_config('search_path', '', false);
CREATE TABLE public.qualified (id integer NOT NULL, v public.mood DEFAULT 'ok'::public.mood);
ALTER TABLE ONLY public.qualified ADD CONSTRAINT qualified_pkey PRIMARY KEY (id);
CREATE INDEX q_v ON public.qualified USING btree (v);
RESET search_path;
CREATE SCHEMA bundle CREATE TABLE bt (id int PRIMARY KEY, a int) CREATE INDEX bt_a ON bt (a) CREATE VIEW bv AS SELECT a FROM bt GRANT SELECT ON bt TO PUBLIC;
DROP SCHEMA IF EXISTS nope CASCADE;
CREATE TABLE gone (x int); DROP TABLE gone; DROP SEQUENCE IF EXISTS nope;
ALTER SEQUENCE app.counter OWNED BY app.in_app.id INCREMENT BY -1;

-- Publications.
CREATE PUBLICATION p_all FOR ALL TABLES WITH (publish = 'insert, update', publish_via_partition_root = true);
CREATE PUBLICATION p_some FOR TABLE ONLY ix (a, f, b) WHERE (a > 0 AND (b <> 'x')), altered WITH (publish_generated_columns = stored);
CREATE PUBLICATION p_schema FOR TABLES IN SCHEMA bundle, app;
CREATE PUBLICATION p_later;
ALTER PUBLICATION p_later ADD TABLE ONLY public.cons WHERE ((c1 > 5));
ALTER PUBLICATION p_later ADD TABLE part, TABLES IN SCHEMA app;
ALTER PUBLICATION p_later DROP TABLES IN SCHEMA app;
ALTER PUBLICATION p_later SET (publish = 'delete');
ALTER PUBLICATION p_some ADD TABLE columns (id3, id);
