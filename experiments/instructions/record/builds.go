package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"strconv"

	"applysim/experiments/server"
)

// builds are what CREATE INDEX is counted for: a column of rows that came in its order, or in
// no order. The first four give the prices of model/initialcopy, which the others check.
var builds = []struct{ name, typ, value string }{
	{"integer in order", "int", "g"},
	{"integer in no order", "int", "hashint4(g)"},
	{"bigint in order", "bigint", "g * 1000"},
	{"timestamp in no order", "timestamptz", "timestamptz '2026-01-01Z' + (hashint4(g) & 16777215) * interval '1 s'"},
}

// buildRows are the numbers of rows.
var buildRows = []int{1000, 6000, 20000}

// recordBuilds counts CREATE INDEX: kind of column, rows, instructions.
func recordBuilds(pool *server.Pool, name string) (err error) {
	lines := [][]string{{"column", "rows", "instructions"}}
	for _, b := range builds {
		for _, rows := range buildRows {
			n, err := pool.CountStatement(fmt.Sprintf(`drop table if exists built; create table built (c %s, filler int);
				insert into built select %s, g from generate_series(1, %d) g; vacuum built; checkpoint; create index warm on built (filler); drop index warm`, b.typ, b.value, rows),
				"create index on built (c)")
			if err != nil {
				return fmt.Errorf("%s, %d rows: %w", b.name, rows, err)
			}
			fmt.Printf("%s, %d rows: %d instructions\n", b.name, rows, n)
			lines = append(lines, []string{b.name, strconv.Itoa(rows), strconv.FormatInt(n, 10)})
		}
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return csv.NewWriter(f).WriteAll(lines)
}
