package expr_test

import (
	"fmt"
	"strings"

	"applysim/heap/datum"
	"applysim/model/expr"
	"applysim/model/schema"
)

func Example() {
	db, err := schema.Read(strings.NewReader(`
		CREATE TABLE users (id int PRIMARY KEY, email text, deleted_at timestamptz);
		CREATE UNIQUE INDEX ON users (lower(email)) WHERE deleted_at IS NULL;`), "users.sql")
	if err != nil {
		fmt.Println(err)
		return
	}
	users := db.Table("public", "users")
	index := users.Indexes[1]
	key, err := expr.Compile(index.Keys[0].Expr, users, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	predicate, err := expr.Compile(index.Predicate, users, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	row := []datum.Value{{Bits: 1}, {Bytes: []byte("Ann@Example.org")}, {Null: true}}
	var scratch expr.Scratch
	v, err := key.Eval(row, &scratch)
	in, err2 := predicate.EvalBool(row, &scratch)
	fmt.Println(key.Type(), key.Type().Text(v), err)
	fmt.Println(in, predicate.Columns(), err2)
	// Output:
	// text ann@example.org <nil>
	// true [2] <nil>
}

func ExampleExpr_Volatile() {
	for _, sql := range []string{"'new'::text", "now() + '1 day'::interval", "nextval('s'::regclass)", "xmlparse(1)"} {
		e, err := expr.Compile(sql, nil, nil)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(e.Type(), e.Constant(), e.Volatile(), e.Sequences())
	}
	// Output:
	// text true false []
	// timestamp with time zone false true []
	// bigint false true [s]
	// expression not supported: function xmlparse
}
