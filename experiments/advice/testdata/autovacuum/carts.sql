CREATE TABLE carts (
    id bigint PRIMARY KEY,
    account integer NOT NULL,
    items text NOT NULL,
    changed_at timestamptz NOT NULL
);
CREATE INDEX carts_changed ON carts (changed_at);
CREATE INDEX carts_account ON carts (account);
