CREATE TABLE events (
    id bigint PRIMARY KEY,
    account_id integer NOT NULL,
    payload text NOT NULL,
    updated_at timestamptz NOT NULL
);
CREATE TABLE notes (id integer PRIMARY KEY, body text);
