package advise

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"applysim/model/scenario"
)

// manyTables are tables of different shapes, with a workload in which two of them share
// transactions, checkpoints come and autovacuum is busy.
func manyTables() (ddl, workload string) {
	var d, w strings.Builder
	w.WriteString("changes = 12_000\n[settings]\ncheckpoint_timeout = \"30s\"\nautovacuum_naptime = \"5s\"\n")
	for i := range 14 {
		fmt.Fprintf(&d, "CREATE TABLE t%[1]d (id bigint PRIMARY KEY, state text NOT NULL, hits int NOT NULL, note text, at timestamptz NOT NULL);\n", i)
		fmt.Fprintf(&d, "CREATE INDEX t%[1]d_state ON t%[1]d (state);\nCREATE INDEX t%[1]d_at ON t%[1]d (at);\n", i)
		if i%3 == 0 {
			fmt.Fprintf(&d, "CREATE INDEX t%[1]d_hits ON t%[1]d (hits);\n", i)
		}
		fmt.Fprintf(&w, "[tables.t%d]\nrows = %d\n[tables.t%d.columns]\nstate = { values = [\"new\", \"done\"], weights = [1, %d] }\n", i, 800+300*i, i, i+1)
	}
	for i := range 14 {
		fmt.Fprintf(&w, "[[operation]]\ntable = \"t%d\"\ndo = \"insert\"\nrate = %d\nrows = 3\n", i, 3+i)
		if i == 4 {
			w.WriteString("then = [{ table = \"t7\", do = \"update\", rows = 2, columns = [\"hits\"] }]\n")
		}
		fmt.Fprintf(&w, "[[operation]]\ntable = \"t%d\"\ndo = \"update\"\nrate = %d\ncolumns = [\"hits\", \"note\"]\n", i, 12)
	}
	return d.String(), w.String()
}

// TestScreening compares advice by parts of the tables with advice by runs of the whole.
func TestScreening(t *testing.T) {
	ddl, workload := manyTables()
	whole := advice(t, ddl, workload, nil)
	if whole.Screening != nil {
		t.Fatal("a small scenario was screened")
	}
	saves := map[string]*Advice{}
	for _, x := range append(append([]*Advice{}, whole.Advice...), whole.Rejected...) {
		saves[x.Title] = x
	}
	var planned int64
	progress := &scenario.Progress{}
	s, err := scenario.Read(strings.NewReader("schema = \"s\"\n"+workload), "test.toml")
	if err != nil {
		t.Fatal(err)
	}
	parts, err := Advise(s, &Options{
		Schema: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(ddl)), nil }, Price: price(t), Least: DefaultLeast, work: 1,
		Progress: progress, Planned: func(n int64) { planned = progress.Done.Load() + n },
	})
	if err != nil {
		t.Fatal(err)
	}
	x := parts.Screening
	if x == nil || x.Parts < 8 || x.Sample < 1 || x.Runs < DefaultConfirm || x.Runs > 15 || x.SampleShare <= 0.05 || x.SampleShare >= 0.4 {
		t.Fatalf("%+v", x)
	}
	if len(parts.Base.Checkpoints) == 0 || len(parts.Base.Vacuums) == 0 {
		t.Errorf("%d checkpoints, %d VACUUMs: expected some", len(parts.Base.Checkpoints), len(parts.Base.Vacuums))
	}
	if done := progress.Done.Load(); 10*done < 8*planned || done > planned+15*parts.Base.Changes {
		t.Errorf("%d changes were planned, %d made", planned, done)
	}
	for i, y := range parts.Advice {
		z := saves[y.Title]
		if z == nil {
			t.Errorf("%s is not among the candidates of the whole", y.Title)
			continue
		}
		// What a table's changes alone say of WAL differs where checkpoints come at other
		// times, or hints are written in another order.
		wal := float64(y.Saves.WALBytes-z.Saves.WALBytes) / float64(parts.Base.WALBytes)
		cpu := (*y.Saves.CPUS - *z.Saves.CPUS) / *parts.Base.CPUS
		most := map[string]float64{ByRun: 0, ByPart: 0.004, BySample: 0.05}[y.By]
		if wal > most || -wal > most || cpu > most || -cpu > most {
			t.Errorf("%d. %s, by %s: saves %+v, by the whole %+v", i+1, y.Title, y.By, y.Saves, z.Saves)
		}
		if i < DefaultConfirm && (y.By != ByRun || y.Title != whole.Advice[i].Title) {
			t.Errorf("%d. %s, by %s: expected %s, by a run", i+1, y.Title, y.By, whole.Advice[i].Title)
		}
		if y.Result.Size() <= 0 || len(y.Result.Tables) != len(parts.Base.Tables) {
			t.Errorf("%s: %d tables of %d", y.Title, len(y.Result.Tables), len(parts.Base.Tables))
		}
	}
}

// TestScreeningGoal combines what was tried on parts; a run of the whole is the judge.
func TestScreeningGoal(t *testing.T) {
	ddl, workload := manyTables()
	r := advice(t, ddl, workload, func(o *Options) {
		o.work = 1
		g, err := ParseGoal("wal 600B")
		if err != nil {
			t.Fatal(err)
		}
		o.Goals = []Goal{g}
	})
	c := r.Combination
	if len(c.Steps) < 3 || c.Met != c.After[0].OK {
		t.Fatalf("%+v", c)
	}
	sum := int64(0)
	var list []*Advice
	for _, s := range c.Steps {
		sum += s.Saves.WALBytes
		for _, x := range r.Advice {
			if x.Title == s.Title {
				list = append(list, x)
			}
		}
	}
	s, v := r.Follow(list...)
	got, err := s.Run(v, r.adviser.options())
	if err != nil {
		t.Fatal(err)
	}
	if got.WALBytes != c.Result.WALBytes || sum != c.Saves.WALBytes || r.Base.WALBytes-sum != got.WALBytes {
		t.Errorf("the run with all steps writes %d bytes, the combination says %d; steps save %d of %d", got.WALBytes, c.Result.WALBytes, sum, r.Base.WALBytes)
	}
}
