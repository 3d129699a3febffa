CREATE TABLE log (at timestamptz NOT NULL, source inet NOT NULL, level "char" NOT NULL, ok boolean NOT NULL, took real NOT NULL, labels text[] NOT NULL);
CREATE INDEX log_at ON log (at);
CREATE INDEX log_source ON log (source);
ALTER TABLE log REPLICA IDENTITY FULL;
