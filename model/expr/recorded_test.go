package expr

import (
	"bufio"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"applysim/heap/datum"
	"applysim/model/pgtype"
	"applysim/model/schema"
)

const recordedDir = "testdata/recorded/"

// recordedTable reads the table that the recording used, with its rows.
func recordedTable(t testing.TB) (*schema.Table, func(string) *pgtype.Type, [][]datum.Value) {
	t.Helper()
	ddl, err := os.Open(recordedDir + "table.sql")
	if err != nil {
		t.Fatal(err)
	}
	defer ddl.Close()
	db, err := schema.Read(ddl, "table.sql")
	if err != nil {
		t.Fatal(err)
	}
	table := db.Table("public", "t")
	text, err := os.ReadFile(recordedDir + "rows.tsv")
	if err != nil {
		t.Fatal(err)
	}
	unescape := strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r")
	var rows [][]datum.Value
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		row := make([]datum.Value, len(fields))
		for i, f := range fields {
			if f == `\N` {
				row[i].Null = true
				continue
			}
			c := &table.Columns[i]
			if row[i], _, err = c.Type.Input([]byte(unescape.Replace(f)), c.Typmod, nil); err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
		}
		rows = append(rows, row)
	}
	return table, resolver(db), rows
}

func resolver(db *schema.Database) func(string) *pgtype.Type {
	return func(name string) *pgtype.Type {
		s, n, ok := strings.Cut(name, ".")
		if !ok {
			s, n = "", name
		}
		return db.Type(s, n)
	}
}

// wide says that the expression's result is an expanded array, which the
// server lays out with a long header whatever its length.
func wide(sql string) bool {
	return strings.HasPrefix(sql, "array_append") || strings.HasPrefix(sql, "array_prepend") || sql == "ia || 4" || sql == "4 || ia" || strings.HasSuffix(sql, "::int[] || a")
}

// custom says that the bytes hold the number of a type or label of the
// schema's own, which the model numbers in its own way.
func custom(t *pgtype.Type) bool {
	return hasEnum(t) || t.Kind == pgtype.KindArray && t.Elem.OID == 0
}

func hasEnum(t *pgtype.Type) bool {
	for ; t != nil; t = t.Elem {
		if t.Kind == pgtype.KindEnum {
			return true
		}
	}
	return false
}

// TestRecorded compares types, stored bytes, texts and errors with those of a
// real server.
func TestRecorded(t *testing.T) {
	table, resolve, rows := recordedTable(t)
	f, err := os.Open(recordedDir + "expected.tsv.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var (
		sql     string
		e       *Expr
		scratch Scratch
		counts  = map[string]int{}
	)
	refused := func(err error) bool {
		var u *UnsupportedError
		return errors.As(err, &u)
	}
	in := bufio.NewScanner(z)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		fields := strings.Split(in.Text(), "\t")
		switch fields[0] {
		case "X":
			sql = fields[1]
			e, err = Compile(sql, table, resolve)
			if err == nil && e.Constant() {
				_, err = e.Eval(nil, &scratch)
			}
			switch {
			case err == nil:
				t.Errorf("%s: compiled, expected error %q", sql, fields[2])
			case refused(err):
				counts["refused"]++
				t.Logf("refused %s: %v", sql, err)
			case err.Error() != fields[2] && !strings.Contains(fields[2], "syntax"):
				t.Errorf("%s: error %q, expected %q", sql, err, fields[2])
			default:
				counts["errors"]++
			}
			continue
		case "Q":
			sql = fields[1]
			e, err = Compile(sql, table, resolve)
			if err != nil {
				e = nil
				if refused(err) {
					counts["refused"]++
					t.Logf("refused %s: %v", sql, err)
				} else {
					t.Errorf("%s: %v", sql, err)
				}
				continue
			}
			counts["expressions"]++
			if name := pgtypeName(e); name != fields[2] {
				t.Errorf("%s: type %s, expected %s", sql, name, fields[2])
			}
			continue
		}
		if e == nil {
			continue
		}
		id := fields[0]
		row := rows[atoi(id)-1]
		scratch.Reset()
		v, err := e.Eval(row, &scratch)
		switch {
		case refused(err):
			counts["values refused"]++
			t.Logf("refused %s, row %s: %v", sql, id, err)
		case err != nil:
			// The recording was made with public in the search_path; a worker has none.
			if text := strings.Replace(err.Error(), "public.", "", 1); fields[1] != "E" || fields[2] != text {
				t.Errorf("%s, row %s: error %q, expected %q", sql, id, err, fields[1:])
			}
			counts["errors"]++
		case fields[1] == "E":
			t.Errorf("%s, row %s: %s, expected error %q", sql, id, e.Type().Text(v), fields[2])
		case v.Null || fields[1] == "N":
			if !v.Null || fields[1] != "N" {
				t.Errorf("%s, row %s: null %v, expected %q", sql, id, v.Null, fields[1:])
			}
			counts["values"]++
		default:
			counts["values"]++
			attr := e.Type().Attr()
			if wide(sql) {
				attr.Storage = 'p'
			}
			got := hex.EncodeToString(datum.Append(nil, []datum.Attr{attr}, []datum.Value{v}))
			if got != fields[2] && !custom(e.Type()) {
				t.Errorf("%s, row %s: stored %s, expected %s (%s)", sql, id, got, fields[2], fields[3])
			}
			var text string
			if err := json.Unmarshal([]byte(fields[3]), &text); err != nil {
				t.Fatal(err)
			}
			if custom(e.Type()) && e.Type().Text(v) != text {
				t.Errorf("%s, row %s: %s, expected %s", sql, id, e.Type().Text(v), text)
			}
		}
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	t.Log(counts)
}

func pgtypeName(e *Expr) string { return formatType(e.Type(), e.Typmod()) }

func atoi(s string) int {
	n := 0
	for _, c := range s {
		n = n*10 + int(c-'0')
	}
	return n
}
