package scenario

import (
	"testing"

	"applysim/model/apply"
)

// TestLongRows runs rows that are stored out of line, loaded before the run and touched at
// random, under variants that change how they are laid out: pages of loaded rows are made
// when one of them is touched, in the middle of the change of another.
func TestLongRows(t *testing.T) {
	const ddl = `CREATE TABLE t (id int PRIMARY KEY, kind text NOT NULL, body text, doc jsonb, at timestamptz);
CREATE INDEX t_kind ON t (kind, at);
CREATE INDEX t_body ON t (left(body, 20));`
	const text = `schema = "t.sql"
changes = 700
[settings]
full_page_writes = "on"
max_wal_size = "32MB"
[tables.t]
rows = 300
[tables.t.columns]
kind = { distinct = 8, width = [4, 900] }
body = { width = [10, 9_000] }
doc  = { width = [40, 4_000], nulls = 0.3 }
[[operation]]
table = "t"
do = "insert"
rate = 30
[[operation]]
table = "t"
do = "update"
columns = ["kind", "at"]
which = "zipf"
rate = 60
rows = 4
[[operation]]
table = "t"
do = "update"
columns = ["body"]
rate = 20
[[operation]]
table = "t"
do = "delete"
which = "oldest"
rate = 8
rows = 5
[[variant]]
name = "half full"
fillfactor = { t = 50 }
[[variant]]
name = "external"
ddl = ["ALTER TABLE t ALTER COLUMN body SET STORAGE EXTERNAL", "ALTER TABLE t ALTER COLUMN kind SET STORAGE MAIN"]
[[variant]]
name = "plain index"
ddl = ["DROP INDEX t_body", "CREATE INDEX t_long ON t (kind) INCLUDE (at)"]
[[variant]]
name = "full"
ddl = ["ALTER TABLE t REPLICA IDENTITY FULL"]
[[variant]]
name = "bytea"
column_type = { "t.id" = "bigint" }
`
	s := guarded(t, text)
	for _, load := range loads {
		s.Tables[0].Load = load
		for _, v := range append([]*Variant{nil}, s.Variants...) {
			name := "base"
			if v != nil {
				name = v.Name
			}
			var worker *apply.Worker
			r, err := s.Run(v, &Options{Schema: openDDL(ddl), Ready: func(w *apply.Worker) { worker = w }})
			if err != nil || r.Stopped != nil || r.Changes != 700 {
				t.Fatalf("%s, %s: %v %+v", load, name, err, r)
			}
			if err := worker.Check(); err != nil {
				t.Errorf("%s, %s: %v", load, name, err)
			}
		}
	}
}
