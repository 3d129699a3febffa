package scenario

import (
	"fmt"
	"testing"
)

// TestAutovacuum runs VACUUMs by thresholds, insert thresholds, storage parameters, naptime
// and cost limits: which tables, when, and why.
func TestAutovacuum(t *testing.T) {
	const two = "CREATE TABLE a (id bigint PRIMARY KEY, n int NOT NULL)%s;\nCREATE TABLE b (id bigint PRIMARY KEY, n int NOT NULL);"
	inserts := "[[operation]]\ntable = \"a\"\ndo = \"insert\"\nrate = 40\nrows = 10\n[[operation]]\ntable = \"b\"\ndo = \"insert\"\nrate = 40\nrows = 10\n"
	deletes := "[tables.a]\nrows = 1_000\n[[operation]]\ntable = \"a\"\ndo = \"delete\"\nrate = 10\n"
	for _, c := range []struct{ name, options, settings, operations, want string }{
		// Naptimes are 20 s. 1,000 inserts are there after 25 s; then come 1,000 and 20 % of
		// 1,600, which takes 33 s.
		{"inserts", "", "", inserts, "40 a inserted rows, 40 b inserted rows, 80 a inserted rows, 80 b inserted rows"},
		{"off", "", "autovacuum = false\n", inserts, ""},
		{"off for a table", " WITH (autovacuum_enabled = false)", "", inserts, "40 b inserted rows, 80 b inserted rows"},
		{"no inserts", " WITH (autovacuum_vacuum_insert_threshold = -1)", "", inserts, "40 b inserted rows, 80 b inserted rows"},
		// At 60 s there are 1,200 for 1,240.
		{"naptime", "", "autovacuum_naptime = \"30s\"\n", inserts, "30 a inserted rows, 30 b inserted rows, 90 a inserted rows, 90 b inserted rows"},
		// ANALYZE has seen 800 rows at 20 s.
		{"storage parameters", " WITH (autovacuum_vacuum_threshold = 100, autovacuum_vacuum_scale_factor = 0.1)", "", deletes, "40 a dead rows, 60 a dead rows, 80 a dead rows"},
		{"threshold", "", "autovacuum_vacuum_threshold = 300\nautovacuum_vacuum_scale_factor = 0\n", deletes, "40 a dead rows, 80 a dead rows"},
		{"bounded", "", "autovacuum_vacuum_max_threshold = 150\n", deletes, "20 a dead rows, 40 a dead rows, 60 a dead rows, 80 a dead rows"},
		{"not bounded before 18", "", "server_version = 17\nautovacuum_vacuum_max_threshold = 150\n", deletes, "40 a dead rows, 60 a dead rows, 80 a dead rows"},
		// 9 pages are visited, each with its place in the free space map, and 4 pages of maps
		// were clean before, which costs 98; 1 may be spent in 100 ms. The only worker gets to
		// b after that.
		{"cost limit", "", "autovacuum_max_workers = 1\nautovacuum_vacuum_cost_limit = 1\nautovacuum_vacuum_cost_delay = \"100ms\"\n", inserts, "40 a inserted rows, 50 b inserted rows, 80 a inserted rows"},
	} {
		t.Run(c.name, func(t *testing.T) {
			settings := "[settings]\nsynchronous_commit = \"on\"\n" + c.settings
			if c.name != "naptime" {
				settings += "autovacuum_naptime = \"20s\"\n"
			}
			s := read(t, "schema = \"s\"\nduration = \"90s\"\n"+settings+c.operations)
			r, err := s.Run(nil, &Options{Schema: opener(fmt.Sprintf(two, c.options))})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for i, v := range r.Vacuums {
				if i > 0 {
					got += ", "
				}
				got += fmt.Sprintf("%.0f %s %s", v.Seconds, v.Table, v.Cause)
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
