CREATE TYPE order_status AS ENUM ('new', 'paid', 'sent', 'done');
CREATE TABLE customers (id bigint PRIMARY KEY, email text NOT NULL, orders integer NOT NULL, seen_at timestamptz NOT NULL);
CREATE UNIQUE INDEX customers_email_idx ON customers (email);
CREATE TABLE orders (id bigint PRIMARY KEY, customer_id bigint NOT NULL, status order_status NOT NULL, total numeric(10,2) NOT NULL, note varchar(120), created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL);
CREATE INDEX orders_customer_id_idx ON orders (customer_id);
CREATE INDEX orders_status_idx ON orders (status);
