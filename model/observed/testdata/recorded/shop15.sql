--
-- PostgreSQL database dump
--

\restrict EcLLlSPv6v0UW2qrz1APvdIoOlpMKKW1tEgU6FZu5pMourhPscxSW3RD3ktAbhY

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: order_state; Type: TYPE; Schema: public; Owner: postgres
--

CREATE TYPE public.order_state AS ENUM (
    'new',
    'paid',
    'sent',
    'done'
);


ALTER TYPE public.order_state OWNER TO postgres;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: customers; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.customers (
    id bigint NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    country character(2) NOT NULL,
    phone text,
    seen_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT customers_name_check CHECK ((char_length(name) <= 100))
);


ALTER TABLE public.customers OWNER TO postgres;

--
-- Name: customers_id_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

ALTER TABLE public.customers ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.customers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: events; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.events (
    id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    kind text NOT NULL,
    payload jsonb
)
PARTITION BY RANGE (at);


ALTER TABLE public.events OWNER TO postgres;

--
-- Name: events_2026_10; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.events_2026_10 (
    id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    kind text NOT NULL,
    payload jsonb
);


ALTER TABLE public.events_2026_10 OWNER TO postgres;

--
-- Name: events_2026_11; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.events_2026_11 (
    id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    kind text NOT NULL,
    payload jsonb
);


ALTER TABLE public.events_2026_11 OWNER TO postgres;

--
-- Name: events_id_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

ALTER TABLE public.events ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: import_log; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.import_log (
    line text,
    at timestamp with time zone DEFAULT now()
);


ALTER TABLE public.import_log OWNER TO postgres;

--
-- Name: order_lines; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.order_lines (
    order_id bigint NOT NULL,
    line_no smallint NOT NULL,
    product_id integer NOT NULL,
    quantity integer NOT NULL,
    price numeric(10,2) NOT NULL
);


ALTER TABLE public.order_lines OWNER TO postgres;

--
-- Name: orders; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.orders (
    id bigint NOT NULL,
    customer_id bigint NOT NULL,
    state public.order_state DEFAULT 'new'::public.order_state NOT NULL,
    total numeric(12,2) NOT NULL,
    note text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);


ALTER TABLE public.orders OWNER TO postgres;

--
-- Name: orders_id_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

ALTER TABLE public.orders ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.orders_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: products; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.products (
    id integer NOT NULL,
    title text NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    price numeric(10,2) NOT NULL,
    stock integer DEFAULT 0 NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT products_price_check CHECK ((price > (0)::numeric)),
    CONSTRAINT products_stock_check CHECK ((stock >= 0))
);


ALTER TABLE public.products OWNER TO postgres;

--
-- Name: sessions; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.sessions (
    token uuid NOT NULL,
    customer_id bigint,
    data jsonb DEFAULT '{}'::jsonb NOT NULL,
    expires_at timestamp with time zone NOT NULL
)
WITH (fillfactor='70');


ALTER TABLE public.sessions OWNER TO postgres;

--
-- Name: events_2026_10; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.events ATTACH PARTITION public.events_2026_10 FOR VALUES FROM ('2026-10-01 00:00:00+00') TO ('2026-11-01 00:00:00+00');


--
-- Name: events_2026_11; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.events ATTACH PARTITION public.events_2026_11 FOR VALUES FROM ('2026-11-01 00:00:00+00') TO ('2026-12-01 00:00:00+00');


--
-- Name: customers customers_email_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.customers
    ADD CONSTRAINT customers_email_key UNIQUE (email);


--
-- Name: customers customers_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.customers
    ADD CONSTRAINT customers_pkey PRIMARY KEY (id);


--
-- Name: events events_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id, at);


--
-- Name: events_2026_10 events_2026_10_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.events_2026_10
    ADD CONSTRAINT events_2026_10_pkey PRIMARY KEY (id, at);


--
-- Name: events_2026_11 events_2026_11_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.events_2026_11
    ADD CONSTRAINT events_2026_11_pkey PRIMARY KEY (id, at);


--
-- Name: order_lines order_lines_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.order_lines
    ADD CONSTRAINT order_lines_pkey PRIMARY KEY (order_id, line_no);


--
-- Name: orders orders_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (id);


--
-- Name: products products_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.products
    ADD CONSTRAINT products_pkey PRIMARY KEY (id);


--
-- Name: sessions sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (token);


--
-- Name: customers_country; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX customers_country ON public.customers USING btree (country);


--
-- Name: events_kind; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX events_kind ON ONLY public.events USING btree (kind, at);


--
-- Name: events_2026_10_kind_at_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX events_2026_10_kind_at_idx ON public.events_2026_10 USING btree (kind, at);


--
-- Name: events_2026_11_kind_at_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX events_2026_11_kind_at_idx ON public.events_2026_11 USING btree (kind, at);


--
-- Name: order_lines_product; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX order_lines_product ON public.order_lines USING btree (product_id);


--
-- Name: orders_customer; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX orders_customer ON public.orders USING btree (customer_id);


--
-- Name: orders_open; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX orders_open ON public.orders USING btree (created_at) WHERE (state = 'new'::public.order_state);


--
-- Name: orders_state; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX orders_state ON public.orders USING btree (state);


--
-- Name: products_stock; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX products_stock ON public.products USING btree (stock);


--
-- Name: products_tags; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX products_tags ON public.products USING gin (tags);


--
-- Name: events_2026_10_kind_at_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.events_kind ATTACH PARTITION public.events_2026_10_kind_at_idx;


--
-- Name: events_2026_10_pkey; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.events_pkey ATTACH PARTITION public.events_2026_10_pkey;


--
-- Name: events_2026_11_kind_at_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.events_kind ATTACH PARTITION public.events_2026_11_kind_at_idx;


--
-- Name: events_2026_11_pkey; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.events_pkey ATTACH PARTITION public.events_2026_11_pkey;


--
-- Name: order_lines order_lines_order_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.order_lines
    ADD CONSTRAINT order_lines_order_id_fkey FOREIGN KEY (order_id) REFERENCES public.orders(id) ON DELETE CASCADE;


--
-- Name: order_lines order_lines_product_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.order_lines
    ADD CONSTRAINT order_lines_product_id_fkey FOREIGN KEY (product_id) REFERENCES public.products(id);


--
-- Name: orders orders_customer_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES public.customers(id);


--
-- PostgreSQL database dump complete
--

\unrestrict EcLLlSPv6v0UW2qrz1APvdIoOlpMKKW1tEgU6FZu5pMourhPscxSW3RD3ktAbhY

