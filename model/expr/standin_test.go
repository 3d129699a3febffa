package expr

import (
	"strings"
	"testing"

	"applysim/heap/datum"
	"applysim/model/schema"
)

// Values of all kinds of types stand for what cannot be computed: their input functions
// take them, and different rows have different ones.
func TestStandIns(t *testing.T) {
	const ddl = `CREATE TYPE mood AS ENUM ('ok', 'sad'); CREATE TYPE pair AS (a int, b text, c date);
CREATE TABLE t (id int, c1 inet, c2 cidr, c3 tstzrange, c4 daterange, c5 int8range, c6 numrange, c7 int4multirange, c8 uuid[], c9 timestamptz[],
	c10 pair, c11 pair[], c12 polygon, c13 path, c14 mood[], c15 bool[], c16 interval[], c17 jsonb[], c18 inet[], c19 datemultirange, c20 time[])`
	db, err := schema.Read(strings.NewReader(ddl), "t.sql")
	if err != nil {
		t.Fatal(err)
	}
	table := db.Tables[0]
	for i := range table.Columns {
		c := &table.Columns[i]
		e, err := AssumeValue("f(id)", table, c.Type, c.Typmod, 0)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		seen := map[string]bool{}
		for n := range uint64(50) {
			row := make([]datum.Value, len(table.Columns))
			for j := range row {
				row[j].Null = j > 0
			}
			row[0].Bits = n
			var s Scratch
			v, err := e.Eval(row, &s)
			if err != nil || v.Null {
				t.Fatalf("%s: %v %v", c.Name, v, err)
			}
			text := c.Type.Text(v)
			seen[text] = true
			if _, _, err := c.Type.Input([]byte(text), c.Typmod, nil); err != nil && text[0] != 0x5c { // bytes: no output function
				t.Errorf("%s: %q: %v", c.Name, text, err)
			}
		}
		if len(seen) < 2 {
			t.Errorf("%s: %d different values", c.Name, len(seen))
		}
	}
}
