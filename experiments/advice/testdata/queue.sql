CREATE TABLE jobs (
    id       bigint PRIMARY KEY,
    queue    smallint NOT NULL,
    state    text NOT NULL,
    attempts integer NOT NULL,
    run_at   timestamptz NOT NULL,
    payload  text
);
CREATE INDEX jobs_state ON jobs (state, run_at);
CREATE INDEX jobs_ready ON jobs (queue) WHERE state = 'ready';
