CREATE TYPE order_status AS ENUM ('new', 'paid', 'sent', 'done');

CREATE TABLE customers (
    id      bigint PRIMARY KEY,
    email   text NOT NULL,
    orders  integer NOT NULL,
    seen_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX customers_email ON customers (email);
CREATE INDEX customers_seen ON customers (seen_at);

CREATE TABLE orders (
    id          bigint PRIMARY KEY,
    customer_id bigint NOT NULL,
    status      order_status NOT NULL,
    cents       integer NOT NULL,
    note        text,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL
);
CREATE INDEX orders_customer ON orders (customer_id);
CREATE INDEX orders_status ON orders (status, created_at);
CREATE INDEX orders_created ON orders (created_at);
