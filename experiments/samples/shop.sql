CREATE TYPE order_state AS ENUM ('new', 'paid', 'sent', 'done');
CREATE TABLE customers (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email text NOT NULL UNIQUE,
    name text NOT NULL CHECK (char_length(name) <= 100),
    country character(2) NOT NULL,
    phone text,
    seen_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE INDEX customers_country ON customers (country);
CREATE TABLE products (
    id integer PRIMARY KEY,
    title text NOT NULL,
    tags text[] DEFAULT '{}' NOT NULL,
    price numeric(10,2) NOT NULL CHECK (price > 0),
    stock integer DEFAULT 0 NOT NULL CHECK (stock >= 0),
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE INDEX products_tags ON products USING gin (tags);
CREATE INDEX products_stock ON products (stock);
CREATE TABLE orders (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer_id bigint NOT NULL REFERENCES customers,
    state order_state DEFAULT 'new' NOT NULL,
    total numeric(12,2) NOT NULL,
    note text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE INDEX orders_customer ON orders (customer_id);
CREATE INDEX orders_state ON orders (state);
CREATE INDEX orders_open ON orders (created_at) WHERE state = 'new';
CREATE TABLE order_lines (
    order_id bigint NOT NULL REFERENCES orders ON DELETE CASCADE,
    line_no smallint NOT NULL,
    product_id integer NOT NULL REFERENCES products,
    quantity integer NOT NULL,
    price numeric(10,2) NOT NULL,
    PRIMARY KEY (order_id, line_no)
);
CREATE INDEX order_lines_product ON order_lines (product_id);
CREATE TABLE sessions (
    token uuid PRIMARY KEY,
    customer_id bigint,
    data jsonb DEFAULT '{}' NOT NULL,
    expires_at timestamp with time zone NOT NULL
) WITH (fillfactor = 70);
CREATE TABLE events (
    id bigint GENERATED ALWAYS AS IDENTITY,
    at timestamp with time zone NOT NULL,
    kind text NOT NULL,
    payload jsonb,
    PRIMARY KEY (id, at)
) PARTITION BY RANGE (at);
CREATE TABLE events_2026_10 PARTITION OF events FOR VALUES FROM ('2026-10-01 00:00+00') TO ('2026-11-01 00:00+00');
CREATE TABLE events_2026_11 PARTITION OF events FOR VALUES FROM ('2026-11-01 00:00+00') TO ('2026-12-01 00:00+00');
CREATE INDEX events_kind ON events (kind, at);
CREATE TABLE import_log (line text, at timestamp with time zone DEFAULT now());
