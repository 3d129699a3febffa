CREATE TABLE readings (
    id     bigint PRIMARY KEY,
    sensor integer NOT NULL,
    value  double precision NOT NULL,
    at     timestamptz NOT NULL,
    raw    text
);
CREATE INDEX readings_at ON readings (at);
CREATE INDEX readings_sensor ON readings (sensor, at);

CREATE TABLE sensors (
    id       integer PRIMARY KEY,
    last     double precision NOT NULL,
    last_at  timestamptz NOT NULL,
    place    text NOT NULL
);
