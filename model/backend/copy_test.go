package backend

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"applysim/model/schema"
)

// TestReadCopy reads COPY commands with the lines that follow them.
func TestReadCopy(t *testing.T) {
	db, err := schema.Read(strings.NewReader("create table t (id int primary key, b text, g int generated always as (id * 2) stored)"), "schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 40000)
	for _, c := range []struct {
		script, verb string
		rows         int64
		given, sizes []int
	}{
		{"copy t from stdin;\n1\ta\n2\tb\n\\.\n", "insert", 2, []int{0, 1}, []int{}},
		{"copy public.t (b) from stdin with (format csv, header);\nb\n\"a\nb\"\nc\n\\.\n", "insert", 2, []int{1}, []int{}},
		{"copy t (id, b) from stdin;\n1\t" + long + "\n2\t" + long + "\n3\t\n\\.\n", "insert", 3, []int{0, 1}, []int{2}},
		{"copy t from stdin where id > 1;\n1\ta\n2\tb\n\\.\n", "insert", -1, []int{0, 1}, nil},
		{`\copy t from program 'seq 3'`, "insert", -1, []int{0, 1}, nil},
		{"copy t to '/dev/null'", "select", -1, nil, nil},
	} {
		list, err := split(c.script+"\nselect 1;", "script")
		if err != nil || len(list) < 1 {
			t.Fatalf("%.40s: %d statements, %v", c.script, len(list), err)
		}
		d := readDML(list[0], db)
		if d == nil {
			t.Fatalf("%.40s: not read", c.script)
		}
		got := fmt.Sprint(d.verb, d.rows, d.given)
		if want := fmt.Sprint(c.verb, c.rows, c.given); got != want {
			t.Errorf("%.40s: %s, expected %s", c.script, got, want)
		}
		if d.copy != nil && (!slices.Equal(d.copy.Sizes, c.sizes) || (d.copy.Sizes == nil) != (c.sizes == nil)) {
			t.Errorf("%.40s: batches of %v, expected %v", c.script, d.copy.Sizes, c.sizes)
		}
		if d.copy != nil && strings.HasSuffix(c.script, "\\.\n") && len(list) != 2 {
			t.Errorf("%.40s: %d statements, expected the one after the lines, too", c.script, len(list))
		}
	}
}
