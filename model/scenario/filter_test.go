package scenario_test

import (
	"io"
	"strings"
	"testing"

	"applysim/model/scenario"
	"applysim/model/stream"
)

// TestFilter: with a row filter the subscriber ends up with the rows that pass it, whatever
// they were before, and nothing stops on the way.
func TestFilter(t *testing.T) {
	const text = `
schema   = "t.sql"
duration = "100s"
seed     = 5
[tables.t]
rows = 300
[tables.t.columns]
state = { values = ["new", "it's done", "late"], weights = [5, 3, 2] }
[[operation]]
table = "t"
do    = "insert"
rate  = 10
[[operation]]
table   = "t"
do      = "update"
columns = ["state"]
rate    = 20
rows    = 4
[[operation]]
table = "t"
do    = "delete"
rate  = 7
`
	const ddl = "create table t (id bigint primary key, state text not null, note text); create table other (id int primary key);"
	open := func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(ddl)), nil }
	s, err := scenario.Read(strings.NewReader(text), "t.toml")
	if err != nil {
		t.Fatal(err)
	}
	f := &scenario.Filter{Table: "t", Column: "state", Value: "it's done"}
	rows := map[string]string{}
	at := map[string]int{}
	if err := s.Preset(nil, open, func(_ *scenario.Table, columns []string, values stream.Tuple) error {
		for i, c := range columns {
			at[c] = i
		}
		rows[string(values[at["id"]].Data)] = string(values[at["state"]].Data)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	keys := map[uint32]map[string]int{}
	o := &scenario.Options{Schema: open, Filter: f}
	o.Made = func(_ int, m *stream.Message) {
		if m.Kind == stream.KindRelation {
			keys[m.Relation.ID] = map[string]int{}
			for i, c := range m.Relation.Columns {
				keys[m.Relation.ID][c.Name] = i
			}
		}
		k := keys[m.RelationID]
		switch m.Kind {
		case stream.KindInsert, stream.KindUpdate:
			rows[string(m.New[k["id"]].Data)] = string(m.New[k["state"]].Data)
			if m.Kind == stream.KindUpdate && m.OldKind != stream.OldRow {
				t.Fatal("an update without its old row: the filter cannot be evaluated for it")
			}
		case stream.KindDelete:
			delete(rows, string(m.Old[k["id"]].Data))
		}
	}
	counts := map[stream.Kind]int{}
	o.Sent = func(_ int, m *stream.Message) { counts[m.Kind]++ }
	r, err := s.Run(nil, o)
	if err != nil || r.Stopped != nil {
		t.Fatalf("%v, %+v", err, r.Stopped)
	}
	want := int64(0)
	for _, state := range rows {
		if state != f.Value {
			want++
		}
	}
	for _, x := range r.Tables {
		if x.Name == "t" && x.Rows != want {
			t.Errorf("the subscriber has %d rows, expected %d of %d", x.Rows, want, len(rows))
		}
	}
	if want == 0 || counts[stream.KindInsert] <= 700 || counts[stream.KindDelete] <= 300 {
		t.Errorf("sent %v of %d rows: expected inserts and deletes of updates that cross the filter", counts, want)
	}
}
