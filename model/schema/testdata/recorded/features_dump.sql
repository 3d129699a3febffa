--
-- PostgreSQL database dump
--

\restrict bJKrNzdXEut3FaUDDk74b2SVjIMvYMq84yg4UOeqXU7hxUUX82IE1sRm4PxvDFx

-- Dumped from database version 18.1
-- Dumped by pg_dump version 18.6 (Debian 18.6-3)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: Odd Schema; Type: SCHEMA; Schema: -; Owner: postgres
--

CREATE SCHEMA "Odd Schema";


ALTER SCHEMA "Odd Schema" OWNER TO postgres;

--
-- Name: app; Type: SCHEMA; Schema: -; Owner: postgres
--

CREATE SCHEMA app;


ALTER SCHEMA app OWNER TO postgres;

--
-- Name: bundle; Type: SCHEMA; Schema: -; Owner: postgres
--

CREATE SCHEMA bundle;


ALTER SCHEMA bundle OWNER TO postgres;

--
-- Name: german; Type: COLLATION; Schema: public; Owner: postgres
--

CREATE COLLATION public.german (provider = icu, deterministic = false, locale = 'de');


ALTER COLLATION public.german OWNER TO postgres;

--
-- Name: code; Type: DOMAIN; Schema: app; Owner: postgres
--

CREATE DOMAIN app.code AS character varying(8) COLLATE pg_catalog."C" NOT NULL DEFAULT 'x'::character varying;


ALTER DOMAIN app.code OWNER TO postgres;

--
-- Name: pair; Type: TYPE; Schema: app; Owner: postgres
--

CREATE TYPE app.pair AS (
	a integer,
	b numeric(6,2),
	c text COLLATE pg_catalog."C"
);


ALTER TYPE app.pair OWNER TO postgres;

--
-- Name: floatrange; Type: TYPE; Schema: public; Owner: postgres
--

CREATE TYPE public.floatrange AS RANGE (
    subtype = double precision,
    multirange_type_name = public.floatmultirange,
    subtype_diff = float8mi
);


ALTER TYPE public.floatrange OWNER TO postgres;

--
-- Name: mood; Type: TYPE; Schema: public; Owner: postgres
--

CREATE TYPE public.mood AS ENUM (
    'sad',
    'so so',
    'ok',
    'happy'
);


ALTER TYPE public.mood OWNER TO postgres;

--
-- Name: positive; Type: DOMAIN; Schema: public; Owner: postgres
--

CREATE DOMAIN public.positive AS integer
	CONSTRAINT positive_check CHECK ((VALUE > 0));


ALTER DOMAIN public.positive OWNER TO postgres;

--
-- Name: noop(); Type: FUNCTION; Schema: app; Owner: postgres
--

CREATE FUNCTION app.noop() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  -- ; it's a body (with a quote and an open parenthesis
  RETURN NULL;
END
$$;


ALTER FUNCTION app.noop() OWNER TO postgres;

--
-- Name: add_one(integer); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.add_one(i integer) RETURNS integer
    LANGUAGE sql IMMUTABLE
    BEGIN ATOMIC
 SELECT
         CASE
             WHEN (i > 0) THEN (i + 1)
             ELSE 1
         END AS "case";
 SELECT (i + 1);
END;


ALTER FUNCTION public.add_one(i integer) OWNER TO postgres;

--
-- Name: nothing(); Type: PROCEDURE; Schema: public; Owner: postgres
--

CREATE PROCEDURE public.nothing()
    LANGUAGE sql
    AS $$SELECT 1; SELECT 2$$;


ALTER PROCEDURE public.nothing() OWNER TO postgres;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: T; Type: TABLE; Schema: Odd Schema; Owner: postgres
--

CREATE TABLE "Odd Schema"."T" (
    "Id" integer NOT NULL,
    v integer
);


ALTER TABLE "Odd Schema"."T" OWNER TO postgres;

--
-- Name: T_Id_seq; Type: SEQUENCE; Schema: Odd Schema; Owner: postgres
--

ALTER TABLE "Odd Schema"."T" ALTER COLUMN "Id" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "Odd Schema"."T_Id_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: in_app; Type: TABLE; Schema: app; Owner: postgres
--

CREATE TABLE app.in_app (
    id integer NOT NULL,
    m public.mood,
    p app.pair
);


ALTER TABLE app.in_app OWNER TO postgres;

--
-- Name: counter; Type: SEQUENCE; Schema: app; Owner: postgres
--

CREATE SEQUENCE app.counter
    AS smallint
    START WITH 10
    INCREMENT BY -1
    MINVALUE -5
    MAXVALUE 100
    CACHE 3
    CYCLE;


ALTER SEQUENCE app.counter OWNER TO postgres;

--
-- Name: counter; Type: SEQUENCE OWNED BY; Schema: app; Owner: postgres
--

ALTER SEQUENCE app.counter OWNED BY app.in_app.id;


--
-- Name: moved; Type: TABLE; Schema: app; Owner: postgres
--

CREATE TABLE app.moved (
    id integer NOT NULL,
    v integer,
    CONSTRAINT moved_v_check CHECK ((v > 0))
);


ALTER TABLE app.moved OWNER TO postgres;

--
-- Name: moved_id_seq; Type: SEQUENCE; Schema: app; Owner: postgres
--

CREATE SEQUENCE app.moved_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER SEQUENCE app.moved_id_seq OWNER TO postgres;

--
-- Name: moved_id_seq; Type: SEQUENCE OWNED BY; Schema: app; Owner: postgres
--

ALTER SEQUENCE app.moved_id_seq OWNED BY app.moved.id;


--
-- Name: bt; Type: TABLE; Schema: bundle; Owner: postgres
--

CREATE TABLE bundle.bt (
    id integer NOT NULL,
    a integer
);


ALTER TABLE bundle.bt OWNER TO postgres;

--
-- Name: bv; Type: VIEW; Schema: bundle; Owner: postgres
--

CREATE VIEW bundle.bv AS
 SELECT a
   FROM bundle.bt;


ALTER VIEW bundle.bv OWNER TO postgres;

--
-- Name: Größe 1; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public."Größe 1" (
    "Straße" text NOT NULL,
    "a""b" integer,
    "größe" integer,
    "ünïcödé_änd_löng_ñame_thät_is_çut_sömewhere_in_the_m" integer
);


ALTER TABLE public."Größe 1" OWNER TO postgres;

--
-- Name: a_matview; Type: MATERIALIZED VIEW; Schema: public; Owner: postgres
--

CREATE MATERIALIZED VIEW public.a_matview AS
 SELECT 1 AS x
  WITH NO DATA;


ALTER MATERIALIZED VIEW public.a_matview OWNER TO postgres;

--
-- Name: a_very_long_table_name_that_needs_some_truncation_to_fit; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.a_very_long_table_name_that_needs_some_truncation_to_fit (
    a_rather_long_column_name_as_well_that_is_cut integer,
    b integer,
    id integer CONSTRAINT a_very_long_table_name_that_needs_some_truncation_t_id_not_null NOT NULL,
    CONSTRAINT a_very_long_table_name_that_needs_some_truncation_to_fi_b_check CHECK ((b > 0))
);


ALTER TABLE public.a_very_long_table_name_that_needs_some_truncation_to_fit OWNER TO postgres;

--
-- Name: a_very_long_table_name_that_needs_some_truncation_to_fit_id_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

CREATE SEQUENCE public.a_very_long_table_name_that_needs_some_truncation_to_fit_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER SEQUENCE public.a_very_long_table_name_that_needs_some_truncation_to_fit_id_seq OWNER TO postgres;

--
-- Name: a_very_long_table_name_that_needs_some_truncation_to_fit_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: postgres
--

ALTER SEQUENCE public.a_very_long_table_name_that_needs_some_truncation_to_fit_id_seq OWNED BY public.a_very_long_table_name_that_needs_some_truncation_to_fit.id;


--
-- Name: a_view; Type: VIEW; Schema: public; Owner: postgres
--

CREATE VIEW public.a_view AS
 SELECT 1 AS x;


ALTER VIEW public.a_view OWNER TO postgres;

--
-- Name: altered; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.altered (
    id integer CONSTRAINT alt_id_not_null NOT NULL,
    a bigint,
    b character varying(20),
    c text DEFAULT 'x'::text CONSTRAINT alt_c_not_null NOT NULL,
    dd integer,
    f text,
    g integer,
    h integer,
    CONSTRAINT gg CHECK ((g > 0))
)
WITH (fillfactor='50');
ALTER TABLE ONLY public.altered ALTER COLUMN b SET COMPRESSION pglz;
ALTER TABLE ONLY public.altered ALTER COLUMN c SET STATISTICS 100;
ALTER TABLE ONLY public.altered ALTER COLUMN c SET STORAGE EXTERNAL;
ALTER TABLE ONLY public.altered ALTER COLUMN c SET (n_distinct=5);


ALTER TABLE public.altered OWNER TO postgres;

--
-- Name: as_table; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.as_table (
    a integer,
    b text
);


ALTER TABLE public.as_table OWNER TO postgres;

--
-- Name: coll; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.coll (
    a integer NOT NULL,
    b integer,
    CONSTRAINT coll_a_check CHECK ((a > 0)),
    CONSTRAINT coll_a_check1 CHECK ((a > 1)),
    CONSTRAINT coll_check CHECK ((a > b))
);


ALTER TABLE public.coll OWNER TO postgres;

--
-- Name: coll_a_idx; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.coll_a_idx (
    x integer
);


ALTER TABLE public.coll_a_idx OWNER TO postgres;

--
-- Name: coll_pkey; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.coll_pkey (
    x integer NOT NULL
);


ALTER TABLE public.coll_pkey OWNER TO postgres;

--
-- Name: columns; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.columns (
    id smallint NOT NULL,
    id2 integer NOT NULL,
    id3 bigint NOT NULL,
    gen_stored integer GENERATED ALWAYS AS ((id + 1)) STORED,
    gen_virtual integer GENERATED ALWAYS AS ((id * 2)),
    gen_default integer GENERATED ALWAYS AS ((id * 3)),
    d1 integer DEFAULT (1 + 2) NOT NULL,
    d2 text,
    d3 text DEFAULT NULL::character varying,
    d4 timestamp with time zone DEFAULT now() NOT NULL,
    d5 timestamp without time zone DEFAULT (now() AT TIME ZONE 'utc'::text),
    d6 numeric(10,2) DEFAULT '-1.5'::numeric,
    d7 text DEFAULT ('a'::text || 'b'::text),
    d8 boolean DEFAULT (1 IS NOT NULL),
    d9 integer[] DEFAULT ARRAY[1, 2],
    d10 text DEFAULT 
CASE
    WHEN true THEN 'x'::text
    ELSE NULL::text
END NOT NULL,
    d11 timestamp without time zone DEFAULT '2026-01-01 00:00:00'::timestamp without time zone NOT NULL,
    d12 date DEFAULT CURRENT_DATE,
    d13 boolean DEFAULT (1 IS DISTINCT FROM 2) NOT NULL,
    s1 text,
    s2 text,
    s3 bytea NOT NULL,
    s4 numeric,
    coll1 text COLLATE pg_catalog."C",
    coll2 text DEFAULT 'x'::text COLLATE pg_catalog."POSIX"
)
WITH (fillfactor='75', toast_tuple_target='256', autovacuum_enabled=off, toast.autovacuum_enabled='false');
ALTER TABLE ONLY public.columns ALTER COLUMN s1 SET STORAGE EXTERNAL;
ALTER TABLE ONLY public.columns ALTER COLUMN s2 SET STORAGE MAIN;
ALTER TABLE ONLY public.columns ALTER COLUMN s2 SET COMPRESSION pglz;
ALTER TABLE ONLY public.columns ALTER COLUMN s3 SET STORAGE PLAIN;
ALTER TABLE ONLY public.columns ALTER COLUMN s4 SET STORAGE EXTENDED;


ALTER TABLE public.columns OWNER TO postgres;

--
-- Name: columns_id2_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

CREATE SEQUENCE public.columns_id2_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER SEQUENCE public.columns_id2_seq OWNER TO postgres;

--
-- Name: columns_id2_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: postgres
--

ALTER SEQUENCE public.columns_id2_seq OWNED BY public.columns.id2;


--
-- Name: columns_id3_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

CREATE SEQUENCE public.columns_id3_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER SEQUENCE public.columns_id3_seq OWNER TO postgres;

--
-- Name: columns_id3_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: postgres
--

ALTER SEQUENCE public.columns_id3_seq OWNED BY public.columns.id3;


--
-- Name: columns_id_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

CREATE SEQUENCE public.columns_id_seq
    AS smallint
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER SEQUENCE public.columns_id_seq OWNER TO postgres;

--
-- Name: columns_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: postgres
--

ALTER SEQUENCE public.columns_id_seq OWNED BY public.columns.id;


--
-- Name: cons; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.cons (
    u1 integer,
    u2 integer CONSTRAINT named_nn NOT NULL,
    id bigint NOT NULL,
    u3 integer,
    r1 integer,
    r2 integer,
    c1 integer NOT NULL,
    c2 text DEFAULT 'it''s'::text CONSTRAINT c2_nn NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT cons_c1_check CHECK ((c1 > 0)),
    CONSTRAINT cons_c1_check1 CHECK ((c1 < 100)),
    CONSTRAINT cons_c2_check CHECK ((length(c2) > 1)) NO INHERIT,
    CONSTRAINT cons_check CHECK ((c1 < u1))
);


ALTER TABLE public.cons OWNER TO postgres;

--
-- Name: de; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.de (
    a text COLLATE public.german,
    b text COLLATE public.german
);


ALTER TABLE public.de OWNER TO postgres;

--
-- Name: dropcols; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.dropcols (
    c integer,
    d text
);


ALTER TABLE public.dropcols OWNER TO postgres;

--
-- Name: every_type; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.every_type (
    a1 smallint,
    a2 smallint,
    a3 integer,
    a4 integer,
    a5 integer,
    a6 bigint,
    a7 bigint,
    b1 real,
    b2 real,
    b3 double precision,
    b4 double precision,
    b5 real,
    b6 double precision,
    b7 double precision,
    c1 numeric,
    c2 numeric(10,2),
    c3 numeric(5,0),
    c4 numeric(7,-2),
    c5 numeric(3,5),
    d1 character(1),
    d2 character(5),
    d3 character(7),
    d4 character varying,
    d5 character varying(9),
    d6 character varying(11),
    d7 text,
    d8 character varying(12),
    d9 character(3),
    d10 bpchar,
    d11 "char",
    d12 name,
    d13 "char",
    e1 boolean,
    e2 boolean,
    e3 bytea,
    e4 uuid,
    e5 json,
    e6 jsonb,
    e7 xml,
    e8 jsonpath,
    f1 date,
    f2 time without time zone,
    f3 time(3) without time zone,
    f4 time with time zone,
    f5 time(2) with time zone,
    f6 timestamp without time zone,
    f7 timestamp(0) without time zone,
    f8 timestamp with time zone,
    f9 timestamp(3) with time zone,
    f10 timestamp with time zone,
    g1 interval,
    g2 interval(3),
    g3 interval year to month,
    g4 interval day to second(2),
    g5 interval hour,
    g6 interval second(1),
    g7 interval month,
    g8 interval day to hour,
    g9 interval minute to second,
    h1 bit(1),
    h2 bit(8),
    h3 bit varying,
    h4 bit varying(12),
    h5 bit varying(3),
    i1 inet,
    i2 cidr,
    i3 macaddr,
    i4 macaddr8,
    i5 oid,
    i6 regclass,
    i7 xid8,
    i8 pg_lsn,
    i9 money,
    j1 point,
    j2 line,
    j3 lseg,
    j4 box,
    j5 path,
    j6 polygon,
    j7 circle,
    k1 tsvector,
    k2 tsquery,
    k3 int4range,
    k4 tstzrange,
    k5 nummultirange,
    k6 int2vector,
    k7 tid,
    l1 integer[],
    l2 integer[],
    l3 integer[],
    l4 integer[],
    l5 text[],
    l6 character varying(10)[],
    l7 numeric(10,2)[],
    l8 timestamp with time zone[],
    m1 public.mood,
    m2 public.mood[],
    m3 app.pair,
    m4 public.floatrange,
    m5 public.positive,
    m6 app.code,
    m7 public.mood,
    m8 public.floatmultirange,
    n1 integer,
    n2 text[]
);


ALTER TABLE public.every_type OWNER TO postgres;

--
-- Name: full_identity; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.full_identity (
    a integer,
    b integer
);

ALTER TABLE ONLY public.full_identity REPLICA IDENTITY FULL;


ALTER TABLE public.full_identity OWNER TO postgres;

--
-- Name: ident; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.ident (
    a integer NOT NULL,
    b bigint NOT NULL,
    c integer NOT NULL
);


ALTER TABLE public.ident OWNER TO postgres;

--
-- Name: ident_b_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

ALTER TABLE public.ident ALTER COLUMN b ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.ident_b_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: ident_c_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

ALTER TABLE public.ident ALTER COLUMN c ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.ident_c_seq
    START WITH 5
    INCREMENT BY 7
    MINVALUE 5
    NO MAXVALUE
    CACHE 1
);


--
-- Name: ident_seq_x; Type: SEQUENCE; Schema: public; Owner: postgres
--

ALTER TABLE public.ident ALTER COLUMN a ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.ident_seq_x
    START WITH 100
    INCREMENT BY 5
    NO MINVALUE
    NO MAXVALUE
    CACHE 10
);


--
-- Name: idpart; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.idpart (
    id bigint NOT NULL,
    k integer NOT NULL
)
PARTITION BY RANGE (k);


ALTER TABLE public.idpart OWNER TO postgres;

--
-- Name: idpart_1; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.idpart_1 (
    id bigint CONSTRAINT idpart_id_not_null NOT NULL,
    k integer CONSTRAINT idpart_k_not_null NOT NULL
);


ALTER TABLE public.idpart_1 OWNER TO postgres;

--
-- Name: idpart_id_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

ALTER TABLE public.idpart ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.idpart_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: in_public; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.in_public (
    id integer NOT NULL,
    c app.code
);


ALTER TABLE public.in_public OWNER TO postgres;

--
-- Name: inh_parent; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.inh_parent (
    id integer NOT NULL,
    a text DEFAULT 'p'::text NOT NULL,
    b integer NOT NULL,
    d integer DEFAULT 6,
    CONSTRAINT inh_parent_a_check CHECK ((a <> ''::text))
);


ALTER TABLE public.inh_parent OWNER TO postgres;

--
-- Name: inh_child; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.inh_child (
    a text DEFAULT 'c'::text,
    b integer NOT NULL,
    c integer
)
INHERITS (public.inh_parent);


ALTER TABLE public.inh_child OWNER TO postgres;

--
-- Name: inh_later; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.inh_later (
    id integer NOT NULL,
    a text DEFAULT NULL NOT NULL,
    b integer NOT NULL,
    d integer DEFAULT NULL,
    CONSTRAINT inh_parent_a_check CHECK ((a <> ''::text))
)
INHERITS (public.inh_parent);


ALTER TABLE public.inh_later OWNER TO postgres;

--
-- Name: ix; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.ix (
    a integer,
    b text,
    c timestamp with time zone,
    d jsonb,
    e integer[],
    f numeric NOT NULL,
    "G" integer,
    h inet,
    i tsvector
);


ALTER TABLE public.ix OWNER TO postgres;

--
-- Name: TABLE ix; Type: COMMENT; Schema: public; Owner: postgres
--

COMMENT ON TABLE public.ix IS 'a comment; with a semicolon';


--
-- Name: like_all; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.like_all (
    id integer CONSTRAINT like_src_id_not_null NOT NULL,
    a integer DEFAULT 7 CONSTRAINT like_src_a_not_null NOT NULL,
    b text,
    c integer GENERATED ALWAYS AS ((a + 1)) STORED,
    z integer,
    CONSTRAINT like_check CHECK ((a > 0))
);
ALTER TABLE ONLY public.like_all ALTER COLUMN b SET STORAGE EXTERNAL;
ALTER TABLE ONLY public.like_all ALTER COLUMN b SET COMPRESSION pglz;


ALTER TABLE public.like_all OWNER TO postgres;

--
-- Name: like_all_id_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

ALTER TABLE public.like_all ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.like_all_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 2147483647
    CACHE 1
);


--
-- Name: like_plain; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.like_plain (
    x integer,
    id integer CONSTRAINT like_src_id_not_null NOT NULL,
    a integer CONSTRAINT like_src_a_not_null NOT NULL,
    b text,
    c integer,
    y integer
);


ALTER TABLE public.like_plain OWNER TO postgres;

--
-- Name: like_some; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.like_some (
    id integer CONSTRAINT like_src_id_not_null NOT NULL,
    a integer DEFAULT 7 CONSTRAINT like_src_a_not_null NOT NULL,
    b text,
    c integer,
    q integer
);


ALTER TABLE public.like_some OWNER TO postgres;

--
-- Name: like_src; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.like_src (
    id integer NOT NULL,
    a integer DEFAULT 7 NOT NULL,
    b text,
    c integer GENERATED ALWAYS AS ((a + 1)) STORED,
    CONSTRAINT like_check CHECK ((a > 0))
);
ALTER TABLE ONLY public.like_src ALTER COLUMN b SET STORAGE EXTERNAL;
ALTER TABLE ONLY public.like_src ALTER COLUMN b SET COMPRESSION pglz;


ALTER TABLE public.like_src OWNER TO postgres;

--
-- Name: like_src_id_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

ALTER TABLE public.like_src ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.like_src_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: lists; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.lists (
    k text,
    n integer
)
PARTITION BY LIST (lower(k));


ALTER TABLE public.lists OWNER TO postgres;

--
-- Name: lists_a; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.lists_a (
    k text,
    n integer
);


ALTER TABLE public.lists_a OWNER TO postgres;

--
-- Name: lists_d; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.lists_d (
    k text,
    n integer
)
PARTITION BY HASH (n, k);


ALTER TABLE public.lists_d OWNER TO postgres;

--
-- Name: lists_d0; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.lists_d0 (
    k text,
    n integer
);


ALTER TABLE public.lists_d0 OWNER TO postgres;

--
-- Name: lists_d1; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.lists_d1 (
    k text,
    n integer
);


ALTER TABLE public.lists_d1 OWNER TO postgres;

--
-- Name: multi; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.multi (
    a integer,
    b integer,
    c text
)
PARTITION BY RANGE (a, ((b + 1)), c COLLATE "C");


ALTER TABLE public.multi OWNER TO postgres;

--
-- Name: multi_1; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.multi_1 (
    a integer,
    b integer,
    c text
);


ALTER TABLE public.multi_1 OWNER TO postgres;

--
-- Name: multi_2; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.multi_2 (
    a integer NOT NULL,
    b integer,
    c text NOT NULL
);


ALTER TABLE public.multi_2 OWNER TO postgres;

--
-- Name: no_identity; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.no_identity (
    a integer
);

ALTER TABLE ONLY public.no_identity REPLICA IDENTITY NOTHING;


ALTER TABLE public.no_identity OWNER TO postgres;

--
-- Name: parent_a; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.parent_a (
    id integer NOT NULL,
    code text,
    n integer,
    CONSTRAINT parent_a_n_check CHECK ((n > 0))
);


ALTER TABLE public.parent_a OWNER TO postgres;

--
-- Name: part; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.part (
    id integer NOT NULL,
    day date NOT NULL,
    v bigint DEFAULT 1,
    t text,
    w integer,
    CONSTRAINT part_w_check CHECK ((w > 0))
)
PARTITION BY RANGE (day);


ALTER TABLE public.part OWNER TO postgres;

--
-- Name: part_1; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.part_1 (
    id integer CONSTRAINT part_id_not_null NOT NULL,
    day date CONSTRAINT part_day_not_null NOT NULL,
    v integer DEFAULT 1,
    t text,
    w integer,
    CONSTRAINT part_w_check CHECK ((w > 0))
)
WITH (fillfactor='66');


ALTER TABLE public.part_1 OWNER TO postgres;

--
-- Name: part_2; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.part_2 (
    id integer CONSTRAINT part_id_not_null NOT NULL,
    day date CONSTRAINT part_day_not_null NOT NULL,
    v bigint DEFAULT 9,
    t text,
    w integer,
    CONSTRAINT part_w_check CHECK ((w > 0)),
    CONSTRAINT v_check CHECK ((v > 0))
);


ALTER TABLE public.part_2 OWNER TO postgres;

--
-- Name: part_3; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.part_3 (
    t text,
    v bigint DEFAULT NULL,
    id integer NOT NULL,
    day date NOT NULL,
    w integer,
    CONSTRAINT part_w_check CHECK ((w > 0))
);


ALTER TABLE public.part_3 OWNER TO postgres;

--
-- Name: part_def; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.part_def (
    id integer CONSTRAINT part_id_not_null NOT NULL,
    day date CONSTRAINT part_day_not_null NOT NULL,
    v bigint DEFAULT 1,
    t text,
    w integer,
    CONSTRAINT part_w_check CHECK ((w > 0))
);


ALTER TABLE public.part_def OWNER TO postgres;

--
-- Name: passes; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.passes (
    a integer,
    b integer NOT NULL,
    c integer
);


ALTER TABLE public.passes OWNER TO postgres;

--
-- Name: pk_named; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.pk_named (
    id integer NOT NULL
);


ALTER TABLE public.pk_named OWNER TO postgres;

--
-- Name: qualified; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.qualified (
    id integer NOT NULL,
    v public.mood DEFAULT 'ok'::public.mood
);


ALTER TABLE public.qualified OWNER TO postgres;

--
-- Name: temporal; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.temporal (
    id integer,
    during tstzrange NOT NULL,
    v text,
    w int4range NOT NULL
);


ALTER TABLE public.temporal OWNER TO postgres;

--
-- Name: temporal_ref; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.temporal_ref (
    id integer,
    ref int4range,
    during tstzrange
);


ALTER TABLE public.temporal_ref OWNER TO postgres;

--
-- Name: typed; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.typed OF app.pair (
    a NOT NULL,
    b DEFAULT 5 NOT NULL
);


ALTER TABLE public.typed OWNER TO postgres;

--
-- Name: unique_pk; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.unique_pk (
    id integer NOT NULL,
    a integer,
    b integer
);


ALTER TABLE public.unique_pk OWNER TO postgres;

--
-- Name: unlogged_t; Type: TABLE; Schema: public; Owner: postgres
--

CREATE UNLOGGED TABLE public.unlogged_t (
    id integer NOT NULL,
    v text
);


ALTER TABLE public.unlogged_t OWNER TO postgres;

--
-- Name: überm; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public."überm" (
    data integer,
    e text DEFAULT 'с'::text,
    f text DEFAULT 'a''b
'::text,
    g text DEFAULT 'it''s'::text,
    h text DEFAULT ' $$ '::text
);


ALTER TABLE public."überm" OWNER TO postgres;

--
-- Name: idpart_1; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.idpart ATTACH PARTITION public.idpart_1 FOR VALUES FROM (0) TO (10);


--
-- Name: lists_a; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.lists ATTACH PARTITION public.lists_a FOR VALUES IN ('a', 'b', NULL);


--
-- Name: lists_d; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.lists ATTACH PARTITION public.lists_d DEFAULT;


--
-- Name: lists_d0; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.lists_d ATTACH PARTITION public.lists_d0 FOR VALUES WITH (modulus 2, remainder 0);


--
-- Name: lists_d1; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.lists_d ATTACH PARTITION public.lists_d1 FOR VALUES WITH (modulus 2, remainder 1);


--
-- Name: multi_1; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.multi ATTACH PARTITION public.multi_1 FOR VALUES FROM (MINVALUE, MINVALUE, MINVALUE) TO (1, '-5', 'x');


--
-- Name: multi_2; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.multi ATTACH PARTITION public.multi_2 FOR VALUES FROM (1, '-5', 'x') TO (10, MAXVALUE, MAXVALUE);


--
-- Name: part_2; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.part ATTACH PARTITION public.part_2 FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');


--
-- Name: part_3; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.part ATTACH PARTITION public.part_3 FOR VALUES FROM ('2026-03-01') TO (MAXVALUE);


--
-- Name: part_def; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.part ATTACH PARTITION public.part_def DEFAULT;


--
-- Name: moved id; Type: DEFAULT; Schema: app; Owner: postgres
--

ALTER TABLE ONLY app.moved ALTER COLUMN id SET DEFAULT nextval('app.moved_id_seq'::regclass);


--
-- Name: a_very_long_table_name_that_needs_some_truncation_to_fit id; Type: DEFAULT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.a_very_long_table_name_that_needs_some_truncation_to_fit ALTER COLUMN id SET DEFAULT nextval('public.a_very_long_table_name_that_needs_some_truncation_to_fit_id_seq'::regclass);


--
-- Name: columns id; Type: DEFAULT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.columns ALTER COLUMN id SET DEFAULT nextval('public.columns_id_seq'::regclass);


--
-- Name: columns id2; Type: DEFAULT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.columns ALTER COLUMN id2 SET DEFAULT nextval('public.columns_id2_seq'::regclass);


--
-- Name: columns id3; Type: DEFAULT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.columns ALTER COLUMN id3 SET DEFAULT nextval('public.columns_id3_seq'::regclass);


--
-- Name: inh_child d; Type: DEFAULT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.inh_child ALTER COLUMN d SET DEFAULT 5;


--
-- Data for Name: T; Type: TABLE DATA; Schema: Odd Schema; Owner: postgres
--

COPY "Odd Schema"."T" ("Id", v) FROM stdin;
\.


--
-- Data for Name: in_app; Type: TABLE DATA; Schema: app; Owner: postgres
--

COPY app.in_app (id, m, p) FROM stdin;
\.


--
-- Data for Name: moved; Type: TABLE DATA; Schema: app; Owner: postgres
--

COPY app.moved (id, v) FROM stdin;
\.


--
-- Data for Name: bt; Type: TABLE DATA; Schema: bundle; Owner: postgres
--

COPY bundle.bt (id, a) FROM stdin;
\.


--
-- Data for Name: Größe 1; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public."Größe 1" ("Straße", "a""b", "größe", "ünïcödé_änd_löng_ñame_thät_is_çut_sömewhere_in_the_m") FROM stdin;
\.


--
-- Data for Name: a_very_long_table_name_that_needs_some_truncation_to_fit; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.a_very_long_table_name_that_needs_some_truncation_to_fit (a_rather_long_column_name_as_well_that_is_cut, b, id) FROM stdin;
\.


--
-- Data for Name: altered; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.altered (id, a, b, c, dd, f, g, h) FROM stdin;
\.


--
-- Data for Name: as_table; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.as_table (a, b) FROM stdin;
1	x
\.


--
-- Data for Name: coll; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.coll (a, b) FROM stdin;
5	2
6	3
\.


--
-- Data for Name: coll_a_idx; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.coll_a_idx (x) FROM stdin;
\.


--
-- Data for Name: coll_pkey; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.coll_pkey (x) FROM stdin;
\.


--
-- Data for Name: columns; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.columns (id, id2, id3, d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, d12, d13, s1, s2, s3, s4, coll1, coll2) FROM stdin;
\.


--
-- Data for Name: cons; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.cons (u1, u2, id, u3, r1, r2, c1, c2) FROM stdin;
\.


--
-- Data for Name: de; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.de (a, b) FROM stdin;
\.


--
-- Data for Name: dropcols; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.dropcols (c, d) FROM stdin;
\.


--
-- Data for Name: every_type; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.every_type (a1, a2, a3, a4, a5, a6, a7, b1, b2, b3, b4, b5, b6, b7, c1, c2, c3, c4, c5, d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, d12, d13, e1, e2, e3, e4, e5, e6, e7, e8, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, g1, g2, g3, g4, g5, g6, g7, g8, g9, h1, h2, h3, h4, h5, i1, i2, i3, i4, i5, i6, i7, i8, i9, j1, j2, j3, j4, j5, j6, j7, k1, k2, k3, k4, k5, k6, k7, l1, l2, l3, l4, l5, l6, l7, l8, m1, m2, m3, m4, m5, m6, m7, m8, n1, n2) FROM stdin;
\.


--
-- Data for Name: full_identity; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.full_identity (a, b) FROM stdin;
\.


--
-- Data for Name: ident; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.ident (a, b, c) FROM stdin;
\.


--
-- Data for Name: idpart_1; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.idpart_1 (id, k) FROM stdin;
\.


--
-- Data for Name: in_public; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.in_public (id, c) FROM stdin;
\.


--
-- Data for Name: inh_child; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.inh_child (id, a, b, c, d) FROM stdin;
\.


--
-- Data for Name: inh_later; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.inh_later (id, a, b, d) FROM stdin;
\.


--
-- Data for Name: inh_parent; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.inh_parent (id, a, b, d) FROM stdin;
\.


--
-- Data for Name: ix; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.ix (a, b, c, d, e, f, "G", h, i) FROM stdin;
\.


--
-- Data for Name: like_all; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.like_all (id, a, b, z) FROM stdin;
\.


--
-- Data for Name: like_plain; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.like_plain (x, id, a, b, c, y) FROM stdin;
\.


--
-- Data for Name: like_some; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.like_some (id, a, b, c, q) FROM stdin;
\.


--
-- Data for Name: like_src; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.like_src (id, a, b) FROM stdin;
\.


--
-- Data for Name: lists_a; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.lists_a (k, n) FROM stdin;
\.


--
-- Data for Name: lists_d0; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.lists_d0 (k, n) FROM stdin;
\.


--
-- Data for Name: lists_d1; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.lists_d1 (k, n) FROM stdin;
\.


--
-- Data for Name: multi_1; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.multi_1 (a, b, c) FROM stdin;
\.


--
-- Data for Name: multi_2; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.multi_2 (a, b, c) FROM stdin;
\.


--
-- Data for Name: no_identity; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.no_identity (a) FROM stdin;
1
2
\.


--
-- Data for Name: parent_a; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.parent_a (id, code, n) FROM stdin;
\.


--
-- Data for Name: part_1; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.part_1 (id, day, v, t, w) FROM stdin;
\.


--
-- Data for Name: part_2; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.part_2 (id, day, v, t, w) FROM stdin;
\.


--
-- Data for Name: part_3; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.part_3 (t, v, id, day, w) FROM stdin;
\.


--
-- Data for Name: part_def; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.part_def (id, day, v, t, w) FROM stdin;
\.


--
-- Data for Name: passes; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.passes (a, b, c) FROM stdin;
\.


--
-- Data for Name: pk_named; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.pk_named (id) FROM stdin;
\.


--
-- Data for Name: qualified; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.qualified (id, v) FROM stdin;
\.


--
-- Data for Name: temporal; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.temporal (id, during, v, w) FROM stdin;
\.


--
-- Data for Name: temporal_ref; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.temporal_ref (id, ref, during) FROM stdin;
\.


--
-- Data for Name: typed; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.typed (a, b, c) FROM stdin;
\.


--
-- Data for Name: unique_pk; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.unique_pk (id, a, b) FROM stdin;
\.


--
-- Data for Name: unlogged_t; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.unlogged_t (id, v) FROM stdin;
\.


--
-- Data for Name: überm; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public."überm" (data, e, f, g, h) FROM stdin;
\.


--
-- Name: T_Id_seq; Type: SEQUENCE SET; Schema: Odd Schema; Owner: postgres
--

SELECT pg_catalog.setval('"Odd Schema"."T_Id_seq"', 1, false);


--
-- Name: counter; Type: SEQUENCE SET; Schema: app; Owner: postgres
--

SELECT pg_catalog.setval('app.counter', 10, false);


--
-- Name: moved_id_seq; Type: SEQUENCE SET; Schema: app; Owner: postgres
--

SELECT pg_catalog.setval('app.moved_id_seq', 1, false);


--
-- Name: a_very_long_table_name_that_needs_some_truncation_to_fit_id_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.a_very_long_table_name_that_needs_some_truncation_to_fit_id_seq', 1, false);


--
-- Name: columns_id2_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.columns_id2_seq', 1, false);


--
-- Name: columns_id3_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.columns_id3_seq', 1, false);


--
-- Name: columns_id_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.columns_id_seq', 1, false);


--
-- Name: ident_b_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.ident_b_seq', 1, false);


--
-- Name: ident_c_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.ident_c_seq', 5, false);


--
-- Name: ident_seq_x; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.ident_seq_x', 100, false);


--
-- Name: idpart_id_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.idpart_id_seq', 1, false);


--
-- Name: like_all_id_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.like_all_id_seq', 1, false);


--
-- Name: like_src_id_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.like_src_id_seq', 1, false);


--
-- Name: T T_pkey; Type: CONSTRAINT; Schema: Odd Schema; Owner: postgres
--

ALTER TABLE ONLY "Odd Schema"."T"
    ADD CONSTRAINT "T_pkey" PRIMARY KEY ("Id");


--
-- Name: in_app in_app_pkey; Type: CONSTRAINT; Schema: app; Owner: postgres
--

ALTER TABLE ONLY app.in_app
    ADD CONSTRAINT in_app_pkey PRIMARY KEY (id);


--
-- Name: moved moved_pkey; Type: CONSTRAINT; Schema: app; Owner: postgres
--

ALTER TABLE ONLY app.moved
    ADD CONSTRAINT moved_pkey PRIMARY KEY (id);


--
-- Name: bt bt_pkey; Type: CONSTRAINT; Schema: bundle; Owner: postgres
--

ALTER TABLE ONLY bundle.bt
    ADD CONSTRAINT bt_pkey PRIMARY KEY (id);


--
-- Name: Größe 1 Größe 1_ünïcödé_änd_löng_ñame_thät_is_çut_sömew_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public."Größe 1"
    ADD CONSTRAINT "Größe 1_ünïcödé_änd_löng_ñame_thät_is_çut_sömew_key" UNIQUE ("ünïcödé_änd_löng_ñame_thät_is_çut_sömewhere_in_the_m");


--
-- Name: a_very_long_table_name_that_needs_some_truncation_to_fit a_very_long_table_name_that_n_a_rather_long_column_name_as__key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.a_very_long_table_name_that_needs_some_truncation_to_fit
    ADD CONSTRAINT a_very_long_table_name_that_n_a_rather_long_column_name_as__key UNIQUE (a_rather_long_column_name_as_well_that_is_cut);


--
-- Name: a_very_long_table_name_that_needs_some_truncation_to_fit a_very_long_table_name_that_n_a_rather_long_column_name_as_key1; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.a_very_long_table_name_that_needs_some_truncation_to_fit
    ADD CONSTRAINT a_very_long_table_name_that_n_a_rather_long_column_name_as_key1 UNIQUE (a_rather_long_column_name_as_well_that_is_cut, b);


--
-- Name: a_very_long_table_name_that_needs_some_truncation_to_fit a_very_long_table_name_that_needs_some_truncation_to_fit_b_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.a_very_long_table_name_that_needs_some_truncation_to_fit
    ADD CONSTRAINT a_very_long_table_name_that_needs_some_truncation_to_fit_b_key UNIQUE (b);


--
-- Name: a_very_long_table_name_that_needs_some_truncation_to_fit a_very_long_table_name_that_needs_some_truncation_to_fit_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.a_very_long_table_name_that_needs_some_truncation_to_fit
    ADD CONSTRAINT a_very_long_table_name_that_needs_some_truncation_to_fit_pkey PRIMARY KEY (id);


--
-- Name: altered alt_b_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.altered
    ADD CONSTRAINT alt_b_key UNIQUE (b);


--
-- Name: altered alt_d_g_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.altered
    ADD CONSTRAINT alt_d_g_key UNIQUE (dd, g);


--
-- Name: altered alt_g_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.altered
    ADD CONSTRAINT alt_g_key UNIQUE (g);


--
-- Name: altered alt_h_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.altered
    ADD CONSTRAINT alt_h_key UNIQUE (h);


--
-- Name: altered alt_pk; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.altered
    ADD CONSTRAINT alt_pk PRIMARY KEY (id);


--
-- Name: altered alt_uniq2; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.altered
    ADD CONSTRAINT alt_uniq2 UNIQUE (id, a);


--
-- Name: unique_pk b_first; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.unique_pk
    ADD CONSTRAINT b_first UNIQUE (b);


--
-- Name: coll coll_b_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.coll
    ADD CONSTRAINT coll_b_key UNIQUE (b);


--
-- Name: coll coll_b_key1; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.coll
    ADD CONSTRAINT coll_b_key1 UNIQUE (b);


--
-- Name: coll coll_pkey1; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.coll
    ADD CONSTRAINT coll_pkey1 PRIMARY KEY (a);


--
-- Name: coll_pkey coll_pkey_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.coll_pkey
    ADD CONSTRAINT coll_pkey_pkey PRIMARY KEY (x);


--
-- Name: columns columns_d8_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.columns
    ADD CONSTRAINT columns_d8_key UNIQUE (d8);


--
-- Name: columns columns_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.columns
    ADD CONSTRAINT columns_pkey PRIMARY KEY (id3);


--
-- Name: cons cons_c1_excl; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.cons
    ADD CONSTRAINT cons_c1_excl EXCLUDE USING btree (c1 WITH =);


--
-- Name: cons cons_excl; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.cons
    ADD CONSTRAINT cons_excl EXCLUDE USING gist (int4range(u1, u2) WITH &&) WHERE ((u1 < u2));


--
-- Name: cons cons_id_c1_c2_u3_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.cons
    ADD CONSTRAINT cons_id_c1_c2_u3_key UNIQUE (id, c1) INCLUDE (c2, u3);


--
-- Name: cons cons_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.cons
    ADD CONSTRAINT cons_pkey PRIMARY KEY (id) WITH (fillfactor='80');


--
-- Name: cons cons_u1_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.cons
    ADD CONSTRAINT cons_u1_key UNIQUE (u1);


--
-- Name: cons cons_u1_u2_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.cons
    ADD CONSTRAINT cons_u1_u2_key UNIQUE (u1, u2);


--
-- Name: cons cons_u3_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.cons
    ADD CONSTRAINT cons_u3_key UNIQUE NULLS NOT DISTINCT (u3) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: de de_a_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.de
    ADD CONSTRAINT de_a_key UNIQUE (a);


--
-- Name: idpart idpart_k_id_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.idpart
    ADD CONSTRAINT idpart_k_id_key UNIQUE (k, id);


--
-- Name: idpart_1 idpart_1_k_id_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.idpart_1
    ADD CONSTRAINT idpart_1_k_id_key UNIQUE (k, id);


--
-- Name: in_public in_public_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.in_public
    ADD CONSTRAINT in_public_pkey PRIMARY KEY (id);


--
-- Name: inh_child inh_child_a_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.inh_child
    ADD CONSTRAINT inh_child_a_key UNIQUE (a);


--
-- Name: inh_parent inh_parent_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.inh_parent
    ADD CONSTRAINT inh_parent_pkey PRIMARY KEY (id);


--
-- Name: like_all like_all_a_b_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.like_all
    ADD CONSTRAINT like_all_a_b_key UNIQUE (a, b);


--
-- Name: like_all like_all_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.like_all
    ADD CONSTRAINT like_all_pkey PRIMARY KEY (id);


--
-- Name: like_all like_all_z_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.like_all
    ADD CONSTRAINT like_all_z_key UNIQUE (z);


--
-- Name: like_some like_some_a_b_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.like_some
    ADD CONSTRAINT like_some_a_b_key UNIQUE (a, b);


--
-- Name: like_some like_some_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.like_some
    ADD CONSTRAINT like_some_pkey PRIMARY KEY (id);


--
-- Name: like_some like_some_q_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.like_some
    ADD CONSTRAINT like_some_q_key UNIQUE (q);


--
-- Name: like_src like_src_a_b_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.like_src
    ADD CONSTRAINT like_src_a_b_key UNIQUE (a, b);


--
-- Name: like_src like_src_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.like_src
    ADD CONSTRAINT like_src_pkey PRIMARY KEY (id);


--
-- Name: multi_2 multi_2_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.multi_2
    ADD CONSTRAINT multi_2_pkey PRIMARY KEY (a, c);


--
-- Name: cons my_unique; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.cons
    ADD CONSTRAINT my_unique UNIQUE (u2) WITH (fillfactor='70');


--
-- Name: parent_a parent_a_code_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.parent_a
    ADD CONSTRAINT parent_a_code_key UNIQUE (code);


--
-- Name: parent_a parent_a_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.parent_a
    ADD CONSTRAINT parent_a_pkey PRIMARY KEY (id);


--
-- Name: part_1 part_1_day_w_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.part_1
    ADD CONSTRAINT part_1_day_w_key UNIQUE (day, w);


--
-- Name: part_1 part_1_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.part_1
    ADD CONSTRAINT part_1_pkey PRIMARY KEY (id, day);


--
-- Name: part part_day_w_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.part
    ADD CONSTRAINT part_day_w_key UNIQUE (day, w);


--
-- Name: part_2 part_2_day_w_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.part_2
    ADD CONSTRAINT part_2_day_w_key UNIQUE (day, w);


--
-- Name: part_2 part_2_id_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.part_2
    ADD CONSTRAINT part_2_id_key UNIQUE (id);


--
-- Name: part part_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.part
    ADD CONSTRAINT part_pkey PRIMARY KEY (id, day);


--
-- Name: part_2 part_2_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.part_2
    ADD CONSTRAINT part_2_pkey PRIMARY KEY (id, day);


--
-- Name: part_3 part_3_day_w_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.part_3
    ADD CONSTRAINT part_3_day_w_key UNIQUE (day, w);


--
-- Name: part_3 part_3_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.part_3
    ADD CONSTRAINT part_3_pkey PRIMARY KEY (id, day);


--
-- Name: part_def part_def_day_w_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.part_def
    ADD CONSTRAINT part_def_day_w_key UNIQUE (day, w);


--
-- Name: part_def part_def_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.part_def
    ADD CONSTRAINT part_def_pkey PRIMARY KEY (id, day);


--
-- Name: passes passes_a_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.passes
    ADD CONSTRAINT passes_a_key UNIQUE (a);


--
-- Name: passes passes_c_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.passes
    ADD CONSTRAINT passes_c_key UNIQUE (c);


--
-- Name: passes passes_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.passes
    ADD CONSTRAINT passes_pkey PRIMARY KEY (b);


--
-- Name: qualified qualified_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.qualified
    ADD CONSTRAINT qualified_pkey PRIMARY KEY (id);


--
-- Name: temporal temporal_pk; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.temporal
    ADD CONSTRAINT temporal_pk PRIMARY KEY (w, during WITHOUT OVERLAPS);


--
-- Name: pk_named the_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.pk_named
    ADD CONSTRAINT the_key PRIMARY KEY (id);


--
-- Name: typed typed_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.typed
    ADD CONSTRAINT typed_pkey PRIMARY KEY (a);


--
-- Name: unique_pk unique_pk_a_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.unique_pk
    ADD CONSTRAINT unique_pk_a_key UNIQUE (a);


--
-- Name: unique_pk unique_pk_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.unique_pk
    ADD CONSTRAINT unique_pk_pkey PRIMARY KEY (id);


--
-- Name: unlogged_t unlogged_t_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.unlogged_t
    ADD CONSTRAINT unlogged_t_pkey PRIMARY KEY (id);


--
-- Name: bt_a; Type: INDEX; Schema: bundle; Owner: postgres
--

CREATE INDEX bt_a ON bundle.bt USING btree (a);


--
-- Name: Größe 1_Straße_a"b_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX "Größe 1_Straße_a""b_idx" ON public."Größe 1" USING btree ("Straße", "a""b");


--
-- Name: Größe 1_größe_ünïcödé_änd_löng_ñame_thät_is_çu_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX "Größe 1_größe_ünïcödé_änd_löng_ñame_thät_is_çu_idx" ON public."Größe 1" USING btree ("größe", "ünïcödé_änd_löng_ñame_thät_is_çut_sömewhere_in_the_m", "Straße");


--
-- Name: a_matview_x; Type: INDEX; Schema: public; Owner: postgres
--

CREATE UNIQUE INDEX a_matview_x ON public.a_matview USING btree (x);


--
-- Name: a_very_long_table_name_that_n_a_rather_long_column_name_as__idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX a_very_long_table_name_that_n_a_rather_long_column_name_as__idx ON public.a_very_long_table_name_that_needs_some_truncation_to_fit USING btree (a_rather_long_column_name_as_well_that_is_cut);


--
-- Name: a_very_long_table_name_that_n_a_rather_long_column_name_as_idx1; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX a_very_long_table_name_that_n_a_rather_long_column_name_as_idx1 ON public.a_very_long_table_name_that_needs_some_truncation_to_fit USING btree (a_rather_long_column_name_as_well_that_is_cut, b);


--
-- Name: a_very_long_table_name_that_n_a_rather_long_column_name_as_idx2; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX a_very_long_table_name_that_n_a_rather_long_column_name_as_idx2 ON public.a_very_long_table_name_that_needs_some_truncation_to_fit USING btree (a_rather_long_column_name_as_well_that_is_cut DESC);


--
-- Name: alt_a; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX alt_a ON public.altered USING btree (a);


--
-- Name: alt_ad; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX alt_ad ON public.altered USING btree (a, dd);


--
-- Name: alt_b; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX alt_b ON public.altered USING btree (b);


--
-- Name: alt_lower; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX alt_lower ON public.altered USING btree (lower((b)::text)) WHERE (dd > 0);


--
-- Name: altered_dd_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX altered_dd_idx ON public.altered USING btree (dd);


--
-- Name: coll_a_idx1; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX coll_a_idx1 ON public.coll USING btree (a);


--
-- Name: coll_a_idx2; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX coll_a_idx2 ON public.coll USING btree (a);


--
-- Name: coll_b_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX coll_b_idx ON public.coll USING btree (b);


--
-- Name: dropcols_d; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX dropcols_d ON public.dropcols USING btree (d);


--
-- Name: ix_G_a_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX "ix_G_a_idx" ON public.ix USING btree ("G", a DESC);


--
-- Name: ix_a_a1_b_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_a_a1_b_idx ON public.ix USING btree (a) INCLUDE (a, b);


--
-- Name: ix_a_b_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE UNIQUE INDEX ix_a_b_idx ON public.ix USING btree (a, b) NULLS NOT DISTINCT;


--
-- Name: ix_a_c_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_a_c_idx ON public.ix USING btree (a, c);


--
-- Name: ix_add_one_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_add_one_idx ON public.ix USING btree (public.add_one(a));


--
-- Name: ix_array_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_array_idx ON public.ix USING btree ((ARRAY[a, 1]));


--
-- Name: ix_b_b1_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_b_b1_idx ON public.ix USING btree (b varchar_pattern_ops, b);


--
-- Name: ix_b_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_b_idx ON public.ix USING btree (b);


--
-- Name: ix_b_idx1; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_b_idx1 ON public.ix USING btree (((b)::character varying(3)));


--
-- Name: ix_b_idx2; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_b_idx2 ON public.ix USING btree ((
CASE
    WHEN (a > 0) THEN 'x'::text
    ELSE b
END));


--
-- Name: ix_b_idx3; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_b_idx3 ON public.ix USING btree (b COLLATE "C");


--
-- Name: ix_b_idx4; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_b_idx4 ON public.ix USING hash (b);


--
-- Name: ix_btrim_ltrim_rtrim_substring_position_overlay_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_btrim_ltrim_rtrim_substring_position_overlay_idx ON public.ix USING btree (TRIM(BOTH FROM b), TRIM(LEADING FROM b), TRIM(TRAILING 'x'::text FROM b), SUBSTRING(b FROM 1 FOR 2), POSITION(('x'::text) IN (b)), OVERLAY(b PLACING 'x'::text FROM 1));


--
-- Name: ix_c_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_c_idx ON public.ix USING brin (c timestamptz_minmax_multi_ops (values_per_range='16')) WITH (pages_per_range='32');


--
-- Name: ix_case_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_case_idx ON public.ix USING btree ((
CASE
    WHEN (a > 0) THEN b
    ELSE 'x'::text
END));


--
-- Name: ix_coalesce_nullif_greatest_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_coalesce_nullif_greatest_idx ON public.ix USING btree (COALESCE(b, ''::text), NULLIF(a, 0), GREATEST(a, 1));


--
-- Name: ix_d_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_d_idx ON public.ix USING gin (d jsonb_path_ops);


--
-- Name: ix_date_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_date_idx ON public.ix USING btree (('2026-01-01'::date));


--
-- Name: ix_date_trunc_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_date_trunc_idx ON public.ix USING btree (date_trunc('day'::text, (c AT TIME ZONE 'utc'::text)));


--
-- Name: ix_e_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_e_idx ON public.ix USING btree ((e[1]));


--
-- Name: ix_expr_expr1_b_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_expr_expr1_b_idx ON public.ix USING btree (((a + 1)), ((a + 2)), b);


--
-- Name: ix_expr_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_expr_idx ON public.ix USING btree (((a + 1)));


--
-- Name: ix_expr_idx1; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_expr_idx1 ON public.ix USING btree (((d ->> 'k'::text)));


--
-- Name: ix_expr_idx2; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_expr_idx2 ON public.ix USING btree (((NOT (a > 0))));


--
-- Name: ix_expr_idx3; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_expr_idx3 ON public.ix USING btree (((a IS NULL)));


--
-- Name: ix_expr_idx4; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_expr_idx4 ON public.ix USING btree (((- a)));


--
-- Name: ix_extract_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_extract_idx ON public.ix USING btree (EXTRACT(epoch FROM (c AT TIME ZONE 'utc'::text)));


--
-- Name: ix_float8_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_float8_idx ON public.ix USING btree ((((d ->> 'k'::text))::double precision));


--
-- Name: ix_h_i_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_h_i_idx ON public.ix USING gist (h inet_ops, i tsvector_ops (siglen='100'));


--
-- Name: ix_h_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_h_idx ON public.ix USING spgist (h);


--
-- Name: ix_i_e_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_i_e_idx ON public.ix USING gin (i, e);


--
-- Name: ix_int4_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_int4_idx ON public.ix USING btree ((((d ->> 'k'::text))::integer));


--
-- Name: ix_int8_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_int8_idx ON public.ix USING btree ((((d ->> 'k'::text))::bigint));


--
-- Name: ix_lower_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_lower_idx ON public.ix USING btree (lower(b));


--
-- Name: ix_lower_idx1; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_lower_idx1 ON public.ix USING btree (lower(b));


--
-- Name: ix_lower_upper_lower1_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_lower_upper_lower1_idx ON public.ix USING btree (lower(b), upper(b), lower(b));


--
-- Name: ix_renamed; Type: INDEX; Schema: public; Owner: postgres
--

CREATE UNIQUE INDEX ix_renamed ON public.ix USING btree (f) WITH (fillfactor='55');

ALTER TABLE ONLY public.ix REPLICA IDENTITY USING INDEX ix_renamed;


--
-- Name: ix_timezone_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_timezone_idx ON public.ix USING btree ((c AT TIME ZONE 'utc'::text));


--
-- Name: ix_y; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_y ON public.ix USING btree (a DESC, b COLLATE "C" text_pattern_ops DESC NULLS LAST, c NULLS FIRST) INCLUDE (f, d) WITH (fillfactor='60', deduplicate_items=off) WHERE ((a > 0) AND (b IS NOT NULL));


--
-- Name: ix_z; Type: INDEX; Schema: public; Owner: postgres
--

CREATE UNIQUE INDEX ix_z ON public.ix USING btree (a);

ALTER TABLE public.ix CLUSTER ON ix_z;


--
-- Name: like_all_lower_a_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX like_all_lower_a_idx ON public.like_all USING btree (lower(b), a DESC) WHERE (a > 1);


--
-- Name: like_expr; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX like_expr ON public.like_src USING btree (lower(b), a DESC) WHERE (a > 1);


--
-- Name: like_some_lower_a_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX like_some_lower_a_idx ON public.like_some USING btree (lower(b), a DESC) WHERE (a > 1);


--
-- Name: lists_k_expr_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX lists_k_expr_idx ON ONLY public.lists USING btree (k COLLATE "C", ((n + 1)));


--
-- Name: lists_a_k_expr_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX lists_a_k_expr_idx ON public.lists_a USING btree (k COLLATE "C", ((n + 1)));


--
-- Name: lists_n_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX lists_n_idx ON ONLY public.lists USING btree (n);


--
-- Name: lists_a_n_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX lists_a_n_idx ON public.lists_a USING btree (n);


--
-- Name: lists_d_k_expr_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX lists_d_k_expr_idx ON ONLY public.lists_d USING btree (k COLLATE "C", ((n + 1)));


--
-- Name: lists_d0_k_expr_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX lists_d0_k_expr_idx ON public.lists_d0 USING btree (k COLLATE "C", ((n + 1)));


--
-- Name: lists_d_n_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX lists_d_n_idx ON ONLY public.lists_d USING btree (n);


--
-- Name: lists_d0_n_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX lists_d0_n_idx ON public.lists_d0 USING btree (n);


--
-- Name: lists_d1_k_expr_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX lists_d1_k_expr_idx ON public.lists_d1 USING btree (k COLLATE "C", ((n + 1)));


--
-- Name: lists_d1_n_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX lists_d1_n_idx ON public.lists_d1 USING btree (n);


--
-- Name: part_1_lower_v_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX part_1_lower_v_idx ON public.part_1 USING btree (lower(t), v DESC);


--
-- Name: part_1_t; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX part_1_t ON public.part_1 USING btree (t);


--
-- Name: part_1_v_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX part_1_v_id_idx ON public.part_1 USING btree (v, id);


--
-- Name: part_1_v_t_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX part_1_v_t_idx ON public.part_1 USING btree (v) INCLUDE (t) WITH (fillfactor='40');


--
-- Name: part_lower_v_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX part_lower_v_idx ON ONLY public.part USING btree (lower(t), v DESC);


--
-- Name: part_2_lower_v_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX part_2_lower_v_idx ON public.part_2 USING btree (lower(t), v DESC);


--
-- Name: part_2_own; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX part_2_own ON public.part_2 USING btree (t);


--
-- Name: part_vv; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX part_vv ON ONLY public.part USING btree (v, id);


--
-- Name: part_2_v_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX part_2_v_id_idx ON public.part_2 USING btree (v, id);


--
-- Name: part_v; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX part_v ON ONLY public.part USING btree (v) INCLUDE (t) WITH (fillfactor='40');


--
-- Name: part_2_v_t_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX part_2_v_t_idx ON public.part_2 USING btree (v) INCLUDE (t) WITH (fillfactor='40');


--
-- Name: part_3_lower_v_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX part_3_lower_v_idx ON public.part_3 USING btree (lower(t), v DESC);


--
-- Name: part_only; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX part_only ON ONLY public.part USING btree (t);


--
-- Name: part_3_t_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX part_3_t_idx ON public.part_3 USING btree (t);


--
-- Name: part_3_v_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX part_3_v_id_idx ON public.part_3 USING btree (v, id);


--
-- Name: part_3_v_t_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX part_3_v_t_idx ON public.part_3 USING btree (v) INCLUDE (t) WITH (fillfactor='40');


--
-- Name: part_def_lower_v_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX part_def_lower_v_idx ON public.part_def USING btree (lower(t), v DESC);


--
-- Name: part_def_v_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX part_def_v_id_idx ON public.part_def USING btree (v, id);


--
-- Name: part_def_v_t_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX part_def_v_t_idx ON public.part_def USING btree (v) INCLUDE (t) WITH (fillfactor='40');


--
-- Name: q_v; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX q_v ON public.qualified USING btree (v);


--
-- Name: idpart_1_k_id_key; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.idpart_k_id_key ATTACH PARTITION public.idpart_1_k_id_key;


--
-- Name: lists_a_k_expr_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.lists_k_expr_idx ATTACH PARTITION public.lists_a_k_expr_idx;


--
-- Name: lists_a_n_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.lists_n_idx ATTACH PARTITION public.lists_a_n_idx;


--
-- Name: lists_d0_k_expr_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.lists_d_k_expr_idx ATTACH PARTITION public.lists_d0_k_expr_idx;


--
-- Name: lists_d0_n_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.lists_d_n_idx ATTACH PARTITION public.lists_d0_n_idx;


--
-- Name: lists_d1_k_expr_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.lists_d_k_expr_idx ATTACH PARTITION public.lists_d1_k_expr_idx;


--
-- Name: lists_d1_n_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.lists_d_n_idx ATTACH PARTITION public.lists_d1_n_idx;


--
-- Name: lists_d_k_expr_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.lists_k_expr_idx ATTACH PARTITION public.lists_d_k_expr_idx;


--
-- Name: lists_d_n_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.lists_n_idx ATTACH PARTITION public.lists_d_n_idx;


--
-- Name: part_2_day_w_key; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.part_day_w_key ATTACH PARTITION public.part_2_day_w_key;


--
-- Name: part_2_lower_v_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.part_lower_v_idx ATTACH PARTITION public.part_2_lower_v_idx;


--
-- Name: part_2_pkey; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.part_pkey ATTACH PARTITION public.part_2_pkey;


--
-- Name: part_2_v_id_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.part_vv ATTACH PARTITION public.part_2_v_id_idx;


--
-- Name: part_2_v_t_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.part_v ATTACH PARTITION public.part_2_v_t_idx;


--
-- Name: part_3_day_w_key; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.part_day_w_key ATTACH PARTITION public.part_3_day_w_key;


--
-- Name: part_3_lower_v_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.part_lower_v_idx ATTACH PARTITION public.part_3_lower_v_idx;


--
-- Name: part_3_pkey; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.part_pkey ATTACH PARTITION public.part_3_pkey;


--
-- Name: part_3_t_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.part_only ATTACH PARTITION public.part_3_t_idx;


--
-- Name: part_3_v_id_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.part_vv ATTACH PARTITION public.part_3_v_id_idx;


--
-- Name: part_3_v_t_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.part_v ATTACH PARTITION public.part_3_v_t_idx;


--
-- Name: part_def_day_w_key; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.part_day_w_key ATTACH PARTITION public.part_def_day_w_key;


--
-- Name: part_def_lower_v_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.part_lower_v_idx ATTACH PARTITION public.part_def_lower_v_idx;


--
-- Name: part_def_pkey; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.part_pkey ATTACH PARTITION public.part_def_pkey;


--
-- Name: part_def_v_id_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.part_vv ATTACH PARTITION public.part_def_v_id_idx;


--
-- Name: part_def_v_t_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.part_v ATTACH PARTITION public.part_def_v_t_idx;


--
-- Name: st; Type: STATISTICS; Schema: public; Owner: postgres
--

CREATE STATISTICS public.st ON a, b FROM public.ix;


ALTER STATISTICS public.st OWNER TO postgres;

--
-- Name: no_identity a_rule; Type: RULE; Schema: public; Owner: postgres
--

CREATE RULE a_rule AS
    ON INSERT TO public.no_identity DO ( SELECT 1 AS "?column?";
 SELECT 2 AS "?column?";
);


--
-- Name: part p1; Type: TRIGGER; Schema: public; Owner: postgres
--

CREATE TRIGGER p1 AFTER INSERT ON public.part FOR EACH ROW EXECUTE FUNCTION app.noop();


--
-- Name: full_identity t1; Type: TRIGGER; Schema: public; Owner: postgres
--

CREATE TRIGGER t1 BEFORE INSERT OR DELETE OR UPDATE OF a, b ON public.full_identity FOR EACH ROW WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION app.noop();

ALTER TABLE public.full_identity ENABLE REPLICA TRIGGER t1;


--
-- Name: full_identity t2; Type: TRIGGER; Schema: public; Owner: postgres
--

CREATE TRIGGER t2 AFTER TRUNCATE ON public.full_identity FOR EACH STATEMENT EXECUTE FUNCTION app.noop();

ALTER TABLE public.full_identity ENABLE ALWAYS TRIGGER t2;


--
-- Name: full_identity t3; Type: TRIGGER; Schema: public; Owner: postgres
--

CREATE CONSTRAINT TRIGGER t3 AFTER INSERT ON public.full_identity DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.noop('x', '1');

ALTER TABLE public.full_identity DISABLE TRIGGER t3;


--
-- Name: full_identity t4; Type: TRIGGER; Schema: public; Owner: postgres
--

CREATE TRIGGER t4 AFTER UPDATE ON public.full_identity REFERENCING OLD TABLE AS o NEW TABLE AS n FOR EACH STATEMENT EXECUTE FUNCTION app.noop();


--
-- Name: cons cons_r1_fkey; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.cons
    ADD CONSTRAINT cons_r1_fkey FOREIGN KEY (r1) REFERENCES public.parent_a(id);


--
-- Name: cons cons_r1_fkey1; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.cons
    ADD CONSTRAINT cons_r1_fkey1 FOREIGN KEY (r1) REFERENCES public.parent_a(id) NOT ENFORCED;


--
-- Name: cons my_fk; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.cons
    ADD CONSTRAINT my_fk FOREIGN KEY (r2) REFERENCES public.parent_a(id) MATCH FULL ON UPDATE CASCADE ON DELETE SET NULL DEFERRABLE;


--
-- Name: temporal_ref temporal_ref_ref_during_fkey; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.temporal_ref
    ADD CONSTRAINT temporal_ref_ref_during_fkey FOREIGN KEY (ref, PERIOD during) REFERENCES public.temporal(w, PERIOD during);


--
-- Name: no_identity a_policy; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY a_policy ON public.no_identity USING ((a > 0));


--
-- Name: no_identity; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.no_identity ENABLE ROW LEVEL SECURITY;

--
-- Name: p_all; Type: PUBLICATION; Schema: -; Owner: postgres
--

CREATE PUBLICATION p_all FOR ALL TABLES WITH (publish = 'insert, update', publish_via_partition_root = true);


ALTER PUBLICATION p_all OWNER TO postgres;

--
-- Name: p_later; Type: PUBLICATION; Schema: -; Owner: postgres
--

CREATE PUBLICATION p_later WITH (publish = 'delete');


ALTER PUBLICATION p_later OWNER TO postgres;

--
-- Name: p_schema; Type: PUBLICATION; Schema: -; Owner: postgres
--

CREATE PUBLICATION p_schema WITH (publish = 'insert, update, delete, truncate');


ALTER PUBLICATION p_schema OWNER TO postgres;

--
-- Name: p_some; Type: PUBLICATION; Schema: -; Owner: postgres
--

CREATE PUBLICATION p_some WITH (publish = 'insert, update, delete, truncate', publish_generated_columns = stored);


ALTER PUBLICATION p_some OWNER TO postgres;

--
-- Name: p_some altered; Type: PUBLICATION TABLE; Schema: public; Owner: postgres
--

ALTER PUBLICATION p_some ADD TABLE ONLY public.altered;


--
-- Name: p_some columns; Type: PUBLICATION TABLE; Schema: public; Owner: postgres
--

ALTER PUBLICATION p_some ADD TABLE ONLY public.columns (id, id3);


--
-- Name: p_later cons; Type: PUBLICATION TABLE; Schema: public; Owner: postgres
--

ALTER PUBLICATION p_later ADD TABLE ONLY public.cons WHERE ((c1 > 5));


--
-- Name: p_some ix; Type: PUBLICATION TABLE; Schema: public; Owner: postgres
--

ALTER PUBLICATION p_some ADD TABLE ONLY public.ix (a, b, f) WHERE (((a > 0) AND (b <> 'x'::text)));


--
-- Name: p_later part; Type: PUBLICATION TABLE; Schema: public; Owner: postgres
--

ALTER PUBLICATION p_later ADD TABLE ONLY public.part;


--
-- Name: p_schema app; Type: PUBLICATION TABLES IN SCHEMA; Schema: app; Owner: postgres
--

ALTER PUBLICATION p_schema ADD TABLES IN SCHEMA app;


--
-- Name: p_schema bundle; Type: PUBLICATION TABLES IN SCHEMA; Schema: bundle; Owner: postgres
--

ALTER PUBLICATION p_schema ADD TABLES IN SCHEMA bundle;


--
-- Name: TABLE bt; Type: ACL; Schema: bundle; Owner: postgres
--

GRANT SELECT ON TABLE bundle.bt TO PUBLIC;


--
-- Name: TABLE ix; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.ix TO PUBLIC;


--
-- Name: a_matview; Type: MATERIALIZED VIEW DATA; Schema: public; Owner: postgres
--

REFRESH MATERIALIZED VIEW public.a_matview;


--
-- PostgreSQL database dump complete
--

\unrestrict bJKrNzdXEut3FaUDDk74b2SVjIMvYMq84yg4UOeqXU7hxUUX82IE1sRm4PxvDFx

