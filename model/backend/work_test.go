package backend

import (
	"io"
	"strings"
	"testing"

	"applysim/model/apply"
	"applysim/model/cost"
	"applysim/model/guc"
	"applysim/model/schema"
	"applysim/model/stream"
)

// TestWork counts what statements ask of a backend, from SQL and from a stream alone.
func TestWork(t *testing.T) {
	const ddl = "create table t (id bigint primary key, n numeric, v varchar(10))"
	shared, err := cost.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	relation := &stream.Relation{ID: 1, Namespace: "public", Name: "t", Columns: []stream.RelationColumn{
		{Flags: 1, Name: "id", TypeID: 20, Typmod: -1}, {Name: "n", TypeID: 1700, Typmod: -1}, {Name: "v", TypeID: 1043, Typmod: 14},
	}}
	row := func(id string) stream.Message {
		text := func(s string) stream.Column { return stream.Column{Format: stream.ColumnText, Data: []byte(s)} }
		return stream.Message{Kind: stream.KindInsert, RelationID: 1, New: stream.Tuple{text(id), text("1.5"), text("abc")}}
	}
	changes := func() *source {
		return &source{{Kind: stream.KindBegin, Xid: 1}, {Kind: stream.KindRelation, Relation: relation}, row("1"), row("2"), {Kind: stream.KindCommit}}
	}
	for _, c := range []struct {
		name, sql string
		want      map[string]float64
	}{
		{"two rows", "insert into t values (1, 1.5, 'abc'), (2, 1.5, 'abc');", map[string]float64{
			"run INSERT": 1, TermSeveralRow: 2, TermToken: 19, TermIndex: 1, TermTransaction: 1,
			"constant: integer to bigint in a row of several": 2, "constant: as it is in a row of several": 2, "constant: a string of a length in a row of several": 2,
		}},
		{"statements", "begin; insert into t values (1, 1.5, 'abc'); insert into t values (2, 1.5, 'abc'); commit;", map[string]float64{
			"run INSERT": 2, TermControl: 2, TermSeveralRow: 0, "constant: integer to bigint in a row": 2, TermTransaction: 1,
		}},
		{"no SQL", "", map[string]float64{"run INSERT": 2, TermIndex: 2, "constant: a string of a length in a row": 2, TermTransaction: 1}},
	} {
		db, err := schema.Read(strings.NewReader(ddl), "")
		if err != nil {
			t.Fatal(err)
		}
		b, err := apply.NewBackend(db, apply.Options{Settings: guc.Defaults()})
		if err != nil {
			t.Fatal(err)
		}
		r := NewRunner(b, db, changes())
		script, err := ReadScript([]string{c.sql}, func(int) string { return c.name })
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Run(script); err != nil {
			t.Fatal(err)
		}
		got := map[string]float64{}
		for _, i := range r.Usage(shared).Items() {
			got[i.Term] += i.Quantity
		}
		for term, n := range c.want {
			if got[term] != n {
				t.Errorf("%s: %s: %v, expected %v", c.name, term, got[term], n)
			}
		}
		if got[TermShared] < 10000 {
			t.Errorf("%s: %v instructions for two rows, expected more", c.name, got[TermShared])
		}
	}
}

// source gives messages that a test has made.
type source []stream.Message

func (s *source) Next(m *stream.Message) error {
	if len(*s) == 0 {
		return io.EOF
	}
	*m = (*s)[0]
	*s = (*s)[1:]
	return nil
}
