package schema_test

import (
	"fmt"
	"strings"

	"applysim/model/schema"
)

func ExampleRead() {
	d, err := schema.Read(strings.NewReader(`
		CREATE TABLE events (
			account_id integer NOT NULL,
			code varchar(8) UNIQUE,
			id bigint PRIMARY KEY
		) WITH (fillfactor = 90);
		CREATE INDEX ON events (account_id, lower(code) DESC) WHERE code IS NOT NULL;
	`), "events.sql")
	if err != nil {
		fmt.Println(err)
		return
	}
	t := d.Table("public", "events")
	fmt.Println(t.Name, t.Fillfactor)
	for i := range t.Columns {
		c := &t.Columns[i]
		fmt.Println(" ", c.Name, c.Type, c.Typmod, c.NotNull, c.Attr().Len)
	}
	for _, x := range t.Indexes {
		fmt.Println(" ", x)
	}
	// Output:
	// events 90
	//   account_id integer -1 true 4
	//   code character varying 12 false -1
	//   id bigint -1 true 8
	//   events_pkey UNIQUE btree (id)
	//   events_code_key UNIQUE btree (code)
	//   events_account_id_lower_idx btree (account_id, lower(code) DESC) WHERE code IS NOT NULL
}

func ExampleDatabase_Exec() {
	d, err := schema.Read(strings.NewReader("CREATE TABLE t (id int PRIMARY KEY, a int);"), "schema.sql")
	if err != nil {
		fmt.Println(err)
		return
	}
	// What would one more index cost? Add it on top.
	if err := d.Exec("CREATE INDEX ON t (a);", "variant.sql"); err != nil {
		fmt.Println(err)
	}
	fmt.Println(d.Exec("CREATE INDEX ON t (b);", "variant.sql"))
	for _, x := range d.Table("public", "t").Indexes {
		fmt.Println(x.Name)
	}
	// Output:
	// variant.sql:1: found column "b", expected one of table t
	// t_pkey
	// t_a_idx
}
