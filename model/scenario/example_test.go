package scenario_test

import (
	"fmt"
	"io"
	"log"
	"strings"

	"applysim/model/scenario"
)

// What does an index on a column that every update changes cost? The same thousand
// changes with it and without.
func Example() {
	const ddl = `CREATE TABLE jobs (id bigint PRIMARY KEY, state text NOT NULL) WITH (fillfactor = 50);
		CREATE INDEX jobs_state ON jobs (state);`
	const file = `
schema = "jobs.sql"
changes = 1_000
settings = { full_page_writes = "off", synchronous_commit = "on" }
tables.jobs = { rows = 500, columns.state.values = ["waiting", "running", "done"] }
[[operation]]
table = "jobs"
do = "update"
columns = ["state"]
rate = 100
[[variant]]
name = "no index on state"
drop_index = "jobs_state"
`
	s, err := scenario.Read(strings.NewReader(file), "jobs.toml")
	if err != nil {
		log.Fatal(err)
	}
	report, err := s.Compare([]*scenario.Variant{nil, s.Variants[0]}, false, &scenario.Options{
		Schema: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(ddl)), nil },
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range report.Variants {
		fmt.Printf("%s: %d bytes of WAL, %.0f %% HOT\n", v.Name, v.WALBytes, 100**v.HOTShare)
	}
	// Output:
	// base: 376324 bytes of WAL, 0 % HOT
	// no index on state: 243598 bytes of WAL, 100 % HOT
}
