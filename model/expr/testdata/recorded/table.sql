CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN posint AS integer CHECK (VALUE > 0);
CREATE TABLE t (id int, a int, b bigint, s smallint, n numeric, d numeric(10,2), f float8, r real, t text, v varchar(20),
  c char(8), x bytea, bo boolean, dt date, ts timestamp, tz timestamptz, tm time, iv interval, u uuid, j jsonb, js json,
  ia int[], ta text[], va varchar(10)[], e mood, ip inet, nm name, ch "char", o oid, p posint, "Q c" text);
