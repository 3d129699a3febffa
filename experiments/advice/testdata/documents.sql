CREATE TABLE documents (
    id bigint PRIMARY KEY,
    owner integer NOT NULL,
    tags text[] NOT NULL,
    body jsonb NOT NULL,
    seen_at timestamptz NOT NULL
);
CREATE INDEX documents_body ON documents USING gin (body jsonb_path_ops);
CREATE INDEX documents_tags ON documents USING gin (tags) WITH (fastupdate = off);
CREATE INDEX documents_owner ON documents USING hash (owner);
CREATE INDEX documents_seen ON documents (seen_at);
