CREATE TABLE sessions (
    id      uuid PRIMARY KEY,
    account integer NOT NULL,
    hits    integer NOT NULL,
    agent   text,
    started timestamptz NOT NULL
);
CREATE INDEX sessions_account ON sessions (account) INCLUDE (hits);
CREATE INDEX sessions_started ON sessions (started);
