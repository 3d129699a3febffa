package explain

import (
	"errors"
	"io"
	"strings"
	"testing"

	"applysim/model/schema"
	"applysim/model/stream"
)

// sqlSession is a session of a statement after a script.
func (s *script) sqlSession(statement string) (*Session, error) {
	x, err := s.open()
	if err != nil {
		return nil, err
	}
	if err := Advance(x.Worker, x.Next, 0); err != nil {
		return nil, err
	}
	db, err := schema.Read(strings.NewReader(s.ddl), "ddl.sql")
	if err != nil {
		return nil, err
	}
	return SQL(x.Worker, db, statement)
}

// TestSQL checks what a publisher would send for a statement, and what comes of it.
func TestSQL(t *testing.T) {
	table := "create table t (id int primary key, a int, b text); create index t_a on t (a);"
	full := "create table t (id int, a int, b text); alter table t replica identity full;"
	tests := []struct {
		name, ddl, sql string
		message        string // old and new row; u is unchanged, - NULL
		step           string // one that the explanation has
		err            string
	}{
		{"insert", table, "insert into t values (9, 1, 'x')", "9 1 x", "index t_a", ""},
		{"update", table, "update t set b = 'new' where id = 2", "2 20 new", keyNone, ""},
		{"update of an indexed column", table, "update t set a = 7 where id = 2", "2 7 two", "index t_a", ""},
		{"by other columns", table, "update t set b = 'new' where a = 20 and b = 'two'", "2 20 new", keyNone, ""},
		{"of the key", table, "update t set id = 8 where id = 2", "2 - - => 8 20 two", "index t_pkey", ""},
		{"delete", table, "delete from t where id = 2", "2 - -", keyNone, ""},
		{"to NULL", table, "update t set b = null where id = 1", "1 10 -", keyNone, ""},
		{"where NULL", table, "delete from t where b is null", "3 - -", keyNone, ""},
		{"FULL", full, "update t set a = 5 where id = 2", "2 20 two => 2 5 two", keyLookup, ""},
		{"FULL, delete", full, "delete from t where id = 2", "2 20 two", keyLookup, ""},
		{"out of line", table, "update t set a = 5 where id = 4", "4 5 u", keyToast, ""},
		{"no such row", table, "delete from t where id = 99", "", "", "the publisher would send nothing"},
		{"two rows", "create table t (id int primary key, a int, b text);", "delete from t where a = 20", "", "", "more than one row"},
		{"no identity", "create table t (id int, a int, b text);", "delete from t where id = 1", "", "", "would refuse to delete"},
		{"not a number", table, "update t set a = 'x' where id = 1", "", "", `column "a": invalid input syntax`},
		{"NOT NULL", table, "update t set id = null where id = 1", "", "", "NOT NULL"},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			lines := []string{"insert t 1 10 one", "insert t 2 20 two", `insert t 3 20 \N`}
			ddl := c.ddl
			if c.name == "out of line" {
				ddl = strings.Replace(ddl, "b text)", "b text storage external)", 1)
				lines = append(lines, "insert t 4 40 3000*x")
			}
			s := newScript(t, ddl, nil, lines...)
			x, err := s.sqlSession(c.sql)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("%v, expected %s", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var m stream.Message
			got := ""
			for {
				if err := x.Next(&m); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				if isChange(m.Kind) {
					got = tupleText(m.Old)
					if m.Old != nil && m.New != nil && len(m.Old) > 0 && len(m.New) > 0 {
						got += " => "
					}
					got += tupleText(m.New)
				}
			}
			if got != c.message {
				t.Errorf("sent %q, expected %q", got, c.message)
			}
			e, err := Explain(Options{Open: func() (*Session, error) { return s.sqlSession(c.sql) }, Change: 1, Statement: c.sql})
			if err != nil {
				t.Fatal(err)
			}
			if e.step(c.step) == nil || e.Change.Statement != c.sql || e.Stopped != "" {
				t.Errorf("no step %q: %+v", c.step, e.Change)
			}
			if e.step(keyCommit) == nil || len(e.step(keyCommit).Records) != 1 {
				t.Error("no commit")
			}
		})
	}
}

func tupleText(t stream.Tuple) string {
	var v []string
	for _, c := range t {
		switch c.Format {
		case stream.ColumnNull:
			v = append(v, "-")
		case stream.ColumnUnchanged:
			v = append(v, "u")
		default:
			v = append(v, string(c.Data))
		}
	}
	return strings.Join(v, " ")
}
