CREATE TABLE events (
    id bigint PRIMARY KEY,
    account_id integer NOT NULL,
    status smallint NOT NULL,
    payload text NOT NULL,
    updated_at timestamptz NOT NULL
);
CREATE TABLE notes (id integer PRIMARY KEY, body text);
CREATE INDEX events_account_id_idx ON events (account_id);
