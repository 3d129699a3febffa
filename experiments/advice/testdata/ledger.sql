CREATE TABLE ledger (
    entry   bigint NOT NULL,
    account integer NOT NULL,
    cents   bigint NOT NULL,
    text    text NOT NULL
);
ALTER TABLE ledger REPLICA IDENTITY FULL;
