CREATE TABLE sessions (id uuid PRIMARY KEY, account int NOT NULL, data jsonb NOT NULL, hits int NOT NULL, blob text NOT NULL) WITH (fillfactor = 80);
CREATE INDEX sessions_account ON sessions (account, hits);
