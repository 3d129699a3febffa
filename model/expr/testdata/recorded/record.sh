#!/bin/bash
# Records what a real server makes of expressions.txt (made by gen.py): record.sh HOST PORT.
# The server is PostgreSQL 18.1, initdb -E UTF8 --no-locale, TimeZone UTC, extension pageinspect.
#
# expected.tsv.gz: for each expression a line
#	Q <expression> <type, as format_type prints it>     or  X <expression> <error of the parser>
# and for Q one line a row of the table: <id> V <hex of the tuple's data area> <text as JSON>, <id> N, or <id> E <error>.
# rows.tsv is the table as COPY prints it.
set -e
cd "$(dirname "$0")"
psql="psql -X -q -v ON_ERROR_STOP=1 -h $1 -p $2 -U postgres"
$psql -d postgres -c "DROP DATABASE IF EXISTS expr_truth" -c "CREATE DATABASE expr_truth"
$psql -d expr_truth -c "CREATE EXTENSION pageinspect" -f table.sql -f rows.sql
$psql -d expr_truth -c "COPY (SELECT * FROM t ORDER BY id) TO STDOUT" >rows.tsv
$psql -d expr_truth <<'SQL'
CREATE TABLE e (n serial, q text);
\copy e (q) from program 'sed "s/\\\\/\\\\\\\\/g" expressions.txt'
CREATE TABLE out (n serial, line text);
CREATE PROCEDURE rec(q text) LANGUAGE plpgsql AS $$
DECLARE i int; ty text; val text; data bytea;
BEGIN
  BEGIN
    EXECUTE 'CREATE TABLE res AS SELECT (' || q || ') AS v FROM public.t WHERE false';
  EXCEPTION WHEN OTHERS THEN INSERT INTO out(line) VALUES (concat_ws(E'\t', 'X', replace(q, E'\n', ' '), replace(SQLERRM, E'\n', ' '))); RETURN;
  END;
  SELECT format_type(atttypid, atttypmod) INTO ty FROM pg_attribute WHERE attrelid = 'res'::regclass AND attnum = 1;
  INSERT INTO out(line) VALUES (concat_ws(E'\t', 'Q', q, ty));
  FOR i IN SELECT id FROM public.t ORDER BY id LOOP
    BEGIN
      EXECUTE 'INSERT INTO res SELECT (' || q || ') FROM public.t WHERE id = $1' USING i;
      SELECT t_data INTO data FROM heap_page_items(get_raw_page('res', 0)) ORDER BY lp DESC LIMIT 1;
      EXECUTE 'SELECT v::text FROM res' INTO val;
      IF val IS NULL THEN INSERT INTO out(line) VALUES (concat_ws(E'\t', i, 'N'));
      ELSE INSERT INTO out(line) VALUES (concat_ws(E'\t', i, 'V', encode(data, 'hex'), to_json(val)::text)); END IF;
      EXECUTE 'TRUNCATE res';
    EXCEPTION WHEN OTHERS THEN INSERT INTO out(line) VALUES (concat_ws(E'\t', i, 'E', replace(SQLERRM, E'\n', ' ')));
    END;
  END LOOP;
  DROP TABLE res;
END $$;
DO $$ DECLARE r record; BEGIN FOR r IN SELECT q FROM e ORDER BY n LOOP CALL rec(r.q); COMMIT; END LOOP; END $$;
SQL
$psql -d expr_truth -A -t -c "SELECT line FROM out ORDER BY n" | gzip -9n >expected.tsv.gz
$psql -d postgres -c "DROP DATABASE expr_truth"
