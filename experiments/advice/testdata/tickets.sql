CREATE TABLE tickets (
    id       bigint NOT NULL,
    queue    smallint NOT NULL,
    priority smallint NOT NULL,
    title    text NOT NULL,
    changed  timestamptz NOT NULL
);
CREATE INDEX tickets_queue ON tickets (queue);
CREATE INDEX tickets_id ON tickets (id);
ALTER TABLE tickets REPLICA IDENTITY FULL;
