CREATE TABLE tokens (
    id      uuid PRIMARY KEY,
    secret  uuid NOT NULL UNIQUE,
    account integer NOT NULL,
    used    boolean NOT NULL,
    scopes  text,
    issued  timestamptz NOT NULL
);
CREATE INDEX tokens_issued ON tokens USING brin (issued);
CREATE INDEX tokens_unused ON tokens (account) WHERE NOT used;
