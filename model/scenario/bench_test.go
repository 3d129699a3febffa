package scenario

import (
	"fmt"
	"strings"
	"testing"

	"applysim/model/stream"
)

const benchDDL = `CREATE TABLE events (id bigint PRIMARY KEY, account_id integer NOT NULL, status smallint NOT NULL, payload text NOT NULL, updated_at timestamptz NOT NULL);
CREATE INDEX ON events (updated_at); CREATE INDEX ON events (account_id); CREATE INDEX ON events (account_id, status);`

// benchScenario is a workload on a table with four indexes.
func benchScenario(b *testing.B, kind string, changes int) *Scenario {
	b.Helper()
	text := fmt.Sprintf(`schema = "s"
changes = %d
[settings]
full_page_writes = "off"
[tables.events.columns]
account_id = { distinct = 10_000 }
status = { distinct = 5 }
payload = { width = 128 }
[[operation]]
table = "events"
do = "insert"
rows = 25
rate = 5000
`, changes)
	if kind == "mixed" {
		text += `[[operation]]
table = "events"
do = "update"
columns = ["status", "updated_at"]
which = "zipf"
rows = 10
rate = 3000
[[operation]]
table = "events"
do = "delete"
rows = 10
rate = 1000
`
	}
	s, err := Read(strings.NewReader(text), "s.toml")
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// BenchmarkRun runs workloads on a table with four indexes.
func BenchmarkRun(b *testing.B) {
	for _, kind := range []string{"insert", "mixed"} {
		b.Run("workload="+kind, func(b *testing.B) {
			const changes = 200_000
			s := benchScenario(b, kind, changes)
			for range b.N {
				if _, err := s.Run(nil, &Options{Schema: opener(benchDDL)}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/changes, "ns/change")
		})
	}
}

// BenchmarkGenerate makes the same streams alone.
func BenchmarkGenerate(b *testing.B) {
	for _, kind := range []string{"insert", "mixed"} {
		b.Run("workload="+kind, func(b *testing.B) {
			const changes = 200_000
			s := benchScenario(b, kind, changes)
			db, err := s.Database(nil, opener(benchDDL))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for range b.N {
				g, err := NewGenerator(s, db, db)
				if err != nil {
					b.Fatal(err)
				}
				var m stream.Message
				for g.Next(&m) {
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/changes, "ns/change")
		})
	}
}

// BenchmarkLoad makes a table with a million rows and four indexes before a short run.
func BenchmarkLoad(b *testing.B) {
	s := benchScenario(b, "insert", 1000)
	s.Tables[0].Rows, s.Tables[0].Load, s.Tables[0].Vacuumed = 1_000_000, loadCopy, true
	for range b.N {
		if _, err := s.Run(nil, &Options{Schema: opener(benchDDL)}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1_000_000, "ns/row")
}
