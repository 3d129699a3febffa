package explain

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"applysim/model/apply"
	"applysim/model/cost"
	"applysim/model/guc"
	"applysim/model/schema"
	"applysim/model/stream"
)

// script is a subscriber and what happens to it, for tests: each line is a statement for
// Compile on tables as the DDL has them.
type script struct {
	ddl      string
	messages [][]byte
	set      []string
}

// newScript makes messages of lines such as
//
//	insert t 1 one
//	update t 1 two
//	delete t 1
//
// each in a transaction of its own. Values are texts in the table's order, \N is NULL.
// Updates and deletes go by the first column.
func newScript(t *testing.T, ddl string, set []string, lines ...string) *script {
	t.Helper()
	db, err := schema.Read(strings.NewReader(ddl), "ddl.sql")
	if err != nil {
		t.Fatal(err)
	}
	s := &script{ddl: ddl, set: set}
	for i, table := range db.Tables {
		r := &stream.Relation{ID: uint32(16384 + i), Namespace: table.Schema, Name: table.Name, Identity: table.ReplicaIdentity}
		for j := range table.Columns {
			c := stream.RelationColumn{Name: table.Columns[j].Name, TypeID: table.Columns[j].Type.OID, Typmod: table.Columns[j].Typmod}
			if j == 0 || r.Identity == 'f' {
				c.Flags = 1
			}
			if table.Columns[j].Generated == 0 {
				r.Columns = append(r.Columns, c)
			}
		}
		s.messages = append(s.messages, stream.AppendRelation(nil, 0, r))
	}
	for n, line := range lines {
		f := strings.Fields(line)
		var id uint32
		var table *schema.Table
		for i, x := range db.Tables {
			if x.Name == f[1] {
				id, table = uint32(16384+i), x
			}
		}
		var row stream.Tuple
		for _, v := range f[2:] {
			c := stream.Column{Format: stream.ColumnText, Data: []byte(v)}
			if v == `\N` {
				c = stream.Column{Format: stream.ColumnNull}
			}
			if m, text, ok := strings.Cut(v, "*"); ok { // 300*x is x 300 times
				var k int
				fmt.Sscan(m, &k)
				c.Data = []byte(strings.Repeat(text, k))
			}
			row = append(row, c)
		}
		at := stream.LSN(0x1000 + 0x100*n)
		s.messages = append(s.messages, stream.AppendBegin(nil, at, 0, uint32(700+n)))
		kind, old := stream.OldKey, slices.Clone(row)
		if table.ReplicaIdentity == 'f' {
			kind = stream.OldRow
		}
		switch f[0] {
		case "insert":
			s.messages = append(s.messages, stream.AppendInsert(nil, 0, id, row))
		case "update":
			if kind == stream.OldRow { // old and new row are parted by =>
				for i := range row {
					if string(row[i].Data) == "=>" {
						old, row = row[:i], row[i+1:]
						break
					}
				}
				s.messages = append(s.messages, stream.AppendUpdate(nil, 0, id, kind, old, row))
				break
			}
			s.messages = append(s.messages, stream.AppendUpdate(nil, 0, id, stream.OldNone, nil, row))
		case "delete":
			s.messages = append(s.messages, stream.AppendDelete(nil, 0, id, kind, old))
		}
		s.messages = append(s.messages, stream.AppendCommit(nil, at, at+8, 0))
	}
	return s
}

// open begins a session.
func (s *script) open() (*Session, error) {
	db, err := schema.Read(strings.NewReader(s.ddl), "ddl.sql")
	if err != nil {
		return nil, err
	}
	set := guc.Defaults()
	for _, x := range append([]string{"full_page_writes=off", "synchronous_commit=on"}, s.set...) {
		name, value, _ := strings.Cut(x, "=")
		if err := set.Set(name, value); err != nil {
			return nil, err
		}
	}
	w, err := apply.New(db, apply.Options{Settings: set, Start: 16 << 20, NextXID: 750})
	if err != nil {
		return nil, err
	}
	var d stream.Decoder
	n := 0
	next := func(m *stream.Message) error {
		if n == len(s.messages) {
			return io.EOF
		}
		n++
		return d.Decode(s.messages[n-1], m)
	}
	return &Session{Worker: w, Next: next, Close: func() {}}, nil
}

// explain explains a change of the script.
func (s *script) explain(t *testing.T, change int64) *Explanation {
	t.Helper()
	model, err := cost.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	profile, err := cost.BuiltinProfile("x86-64")
	if err != nil {
		t.Fatal(err)
	}
	x, err := Explain(Options{Open: s.open, Change: change, Model: model, Profile: profile})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// step returns a step of an explanation.
func (x *Explanation) step(name string) *Step {
	for _, s := range x.Steps {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// TestHOT has each reason for which an update is not HOT, and beside it the same update
// without the reason.
func TestHOT(t *testing.T) {
	plain := "create table t (id int primary key, a int, b text);"
	// Rows take 92 bytes with their line pointers: 88 fill a page.
	tests := []struct {
		name, ddl string
		rows      int    // of filler before the row
		row       string // the row that is updated
		update    string
		reasons   []string
		prevents  []string
		summary   bool
	}{
		{"no index on it", plain, 0, "1 1 x", "1 2 x", nil, nil, false},
		{"key column", plain + "create index t_a on t (a);", 0, "1 1 x", "1 2 x", []string{reasonChanged}, []string{"t_a"}, false},
		{"key column, the same value", plain + "create index t_a on t (a);", 0, "1 1 x", "1 1 y", nil, nil, false},
		{"INCLUDE column", plain + "create index t_a on t (id) include (a);", 0, "1 1 x", "1 2 x", []string{reasonChanged}, []string{"t_a"}, false},
		{"column of an expression", plain + "create index t_e on t ((a / 10));", 0, "1 1 x", "1 2 x", []string{reasonChanged}, []string{"t_e"}, false},
		{"other column than the expression's", plain + "create index t_e on t ((a / 10));", 0, "1 1 x", "1 1 y", nil, nil, false},
		{"column of a predicate", plain + "create index t_p on t (id) where a > 0;", 0, "1 1 x", "1 2 x", []string{reasonChanged}, []string{"t_p"}, false},
		{"other column than the predicate's", plain + "create index t_p on t (id) where a > 0;", 0, "1 1 x", "1 1 y", nil, nil, false},
		{"two indexes, one on it", plain + "create index t_a on t (a); create index t_b on t (b);", 0, "1 1 x", "1 1 y", []string{reasonChanged}, []string{"t_b"}, false},
		{"BRIN", plain + "create index t_r on t using brin (a);", 0, "1 1 x", "1 2 x", nil, nil, true},
		{"page full", plain, 90, "1 1 50*x", "1 2 50*x", []string{reasonNoRoom}, nil, false},
		{"page full, fillfactor", strings.Replace(plain, ");", ") with (fillfactor = 90);", 1), 90, "1 1 50*x", "1 2 50*x", nil, nil, false},
		{"page full and key column", plain + "create index t_a on t (a);", 90, "1 1 50*x", "1 2 50*x", []string{reasonChanged, reasonNoRoom}, []string{"t_a"}, false},
		{"numeric, other scale", "create table t (id int primary key, n numeric); create index t_n on t (n);", 0, "1 1.0", "1 1.00", []string{reasonChanged}, []string{"t_n"}, false},
		{"numeric, the same scale", "create table t (id int primary key, n numeric); create index t_n on t (n);", 0, "1 1.0", "1 1.0", nil, nil, false},
		{"stored compressed", "create table t (id int primary key, b text, a int); create index t_b on t (substr(b, 1, 3));", 0, "1 3000*x 1", "1 3000*x 2", []string{reasonChanged}, []string{"t_b"}, false},
		{"not compressed", "create table t (id int primary key, b text, a int); create index t_b on t (substr(b, 1, 3));", 0, "1 1000*x 1", "1 1000*x 2", nil, nil, false},
		{"longer than the room", plain, 0, "1 1 1500*x", "1 1 1501*x", nil, nil, false},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			lines := []string{"insert t " + c.row}
			for i := range c.rows {
				f := strings.Fields(c.row)
				f[0] = fmt.Sprint(100 + i)
				lines = append(lines, "insert t "+strings.Join(f, " "))
			}
			lines = append(lines, "update t "+c.update)
			x := newScript(t, c.ddl, nil, lines...).explain(t, int64(len(lines)))
			s := x.step(keyDecide)
			if s == nil || s.HOT == nil {
				t.Fatalf("no HOT decision: %+v", x.Change)
			}
			h := s.HOT
			if h.HOT != (c.reasons == nil) || !slices.Equal(h.Reasons, append([]string{}, c.reasons...)) {
				t.Errorf("HOT %v because of %q, expected %q", h.HOT, h.Reasons, c.reasons)
			}
			var prevents []string
			for _, i := range h.Indexes {
				if i.Prevents {
					prevents = append(prevents, i.Name)
				}
			}
			if !slices.Equal(prevents, c.prevents) {
				t.Errorf("prevented by %q, expected %q", prevents, c.prevents)
			}
			if h.Fits != (h.Need <= h.Free) || h.Need == 0 {
				t.Errorf("needs %d of %d bytes: fits is %v", h.Need, h.Free, h.Fits)
			}
			if h.Summarized != c.summary {
				t.Errorf("summarized is %v", h.Summarized)
			}
			// What the records say.
			typ := ""
			for _, r := range x.step(keyWrite).Records {
				if strings.Contains(r.Type, "UPDATE") {
					typ = strings.TrimSuffix(r.Type, "+INIT")
				}
			}
			if want := map[bool]string{true: "HOT_UPDATE", false: "UPDATE"}[h.HOT]; typ != want {
				t.Errorf("the record is %s, expected %s", typ, want)
			}
			if left := x.step(keyNone) != nil; left != (h.HOT && !h.Summarized) {
				t.Errorf("indexes left alone: %v", left)
			}
		})
	}
}

// TestLookup has each reason for and against an index by which rows are looked for.
func TestLookup(t *testing.T) {
	full := "alter table t replica identity full;"
	tests := []struct {
		name, ddl string
		index     string
		why       map[string]string // part of the reason, by index
	}{
		{"primary key", "create table t (id int, a int); create index t_a on t (a); alter table t add primary key (id);", "t_pkey",
			map[string]string{"t_pkey": "primary key", "t_a": "goes before"}},
		{"own identity", "create table t (id int primary key, a int not null); create unique index t_u on t (id); alter table t replica identity using index t_u;", "t_u",
			map[string]string{"t_u": "own replica identity", "t_pkey": "goes before"}},
		{"first of two", "create table t (id int, a int); create index t_a on t (a); create index t_id on t (id);" + full, "t_a",
			map[string]string{"t_a": "first usable", "t_id": "created before"}},
		{"partial, expression, then usable", "create table t (id int, a int); create index t_p on t (a) where a > 0; create index t_e on t ((a + 1)); create index t_r on t using brin (a); create index t_id on t (id);" + full, "t_id",
			map[string]string{"t_p": "partial", "t_e": "expression", "t_r": "access method", "t_id": "first usable"}},
		{"none", "create table t (id int, a int); create index t_p on t (a) where a > 0;" + full, "",
			map[string]string{"t_p": "partial"}},
		{"no equality", "create table t (id int, a name); create index t_n on t (a);" + full, "",
			map[string]string{"t_n": "equality"}},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			change := "update t 1 8"
			if strings.Contains(c.ddl, full) {
				change = "update t 1 7 => 1 8"
			}
			x := newScript(t, c.ddl, nil, "insert t 1 7", "insert t 2 9", change).explain(t, 3)
			l := x.step(keyLookup).Lookup
			if l.Index != c.index || !l.Found {
				t.Errorf("found %v by %q, expected %q", l.Found, l.Index, c.index)
			}
			for _, i := range l.Choices {
				if i.Chosen != (i.Index == c.index) || !strings.Contains(i.Why, c.why[i.Index]) || c.why[i.Index] == "" {
					t.Errorf("%s: chosen %v: %s", i.Index, i.Chosen, i.Why)
				}
			}
		})
	}
}

// TestMissing checks that a row that is not there ends the explanation with the lookup.
func TestMissing(t *testing.T) {
	x := newScript(t, "create table t (id int primary key, a int);", nil, "insert t 1 1", `delete t 2 \N`).explain(t, 2)
	if x.step(keyLock) != nil || x.step(keyWrite) != nil || x.Total.Records != 0 || x.Change.Found {
		t.Errorf("%+v", x.Change)
	}
	if text := strings.Join(x.step(keyLookup).Text, " "); !strings.Contains(text, "delete_missing") {
		t.Error(text)
	}
}

// TestStops checks a change at which replication stops, and one after it.
func TestStops(t *testing.T) {
	s := newScript(t, "create table t (id int primary key, a int);", nil, "insert t 1 1", "insert t 1 2", "insert t 3 3")
	x := s.explain(t, 2)
	if !strings.Contains(x.Stopped, "insert_exists") || x.step(keyStop) == nil || len(x.step(keyStop).Records) == 0 {
		t.Errorf("stopped: %q", x.Stopped)
	}
	var before *StoppedError
	if _, err := Explain(Options{Open: s.open, Change: 3}); err == nil || !errorsAs(err, &before) {
		t.Errorf("change 3: %v", err)
	}
	s = newScript(t, "create table t (id int primary key, a int);", nil, "insert t 1 1")
	if _, err := Explain(Options{Open: s.open, Change: 2}); err == nil || !strings.Contains(err.Error(), "from 1 to 1") {
		t.Errorf("change 2 of 1: %v", err)
	}
	if _, err := Explain(Options{Open: s.open, Message: 1}); err == nil || !strings.Contains(err.Error(), "relation") {
		t.Errorf("message 1: %v", err)
	}
	if x, err := Explain(Options{Open: s.open, Message: 3}); err != nil || x.Change.Number != 1 {
		t.Errorf("message 3: %v", err)
	}
}

func errorsAs(err error, target **StoppedError) bool {
	e, ok := err.(*StoppedError)
	*target = e
	return ok
}
