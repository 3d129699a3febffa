package schema

import (
	"strings"
	"testing"
)

// An ALTER TABLE may drop a column and add one of its name: columns are dropped first,
// whatever the order of the actions.
func TestColumnReplaced(t *testing.T) {
	for ddl, want := range map[string]string{
		"CREATE TABLE t (id int PRIMARY KEY, a int); ALTER TABLE t DROP COLUMN a, ADD COLUMN a text NOT NULL DEFAULT 'x' CHECK (a <> ''), ADD UNIQUE (a)": "",
		"CREATE TABLE t (id int PRIMARY KEY, a int); ALTER TABLE t ADD COLUMN a text, DROP COLUMN a":                                                      "",
		"CREATE TABLE t (id int PRIMARY KEY, a text); ALTER TABLE t ADD COLUMN IF NOT EXISTS a int NOT NULL UNIQUE CHECK (a > 0)":                         "",
		"CREATE TABLE t (id int PRIMARY KEY, a text); ALTER TABLE t ADD COLUMN b int, ADD COLUMN a int":                                                   `f.sql:1: found a second column "a"`,
		"CREATE TABLE t (id int PRIMARY KEY, a text); ALTER TABLE t ADD COLUMN b int, ADD COLUMN b int":                                                   `f.sql:1: found a second column "b"`,
	} {
		db, err := Read(strings.NewReader(ddl), "f.sql")
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, expected %q", ddl, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", ddl, err)
			continue
		}
		table := db.Tables[0]
		if n := table.Column("a"); n < 0 || table.Columns[n].Type.String() != "text" {
			t.Errorf("%s: column a is %d", ddl, n)
		}
		if strings.Contains(ddl, "IF NOT EXISTS") && len(table.Indexes)+len(table.Checks) != 1 {
			t.Errorf("%s: %d indexes, %d checks", ddl, len(table.Indexes), len(table.Checks))
		}
	}
}
