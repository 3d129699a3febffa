package apply_test

import (
	"fmt"
	"log"
	"strings"

	"applysim/model/apply"
	"applysim/model/guc"
	"applysim/model/schema"
	"applysim/model/stream"
	"applysim/wal"
)

// What does one more index cost? The same change on a subscriber with and
// without it.
func Example() {
	const table = "CREATE TABLE orders (id bigint PRIMARY KEY, customer int, state text);"
	value := func(s string) stream.Column { return stream.Column{Format: stream.ColumnText, Data: []byte(s)} }
	messages := []stream.Message{
		{Kind: stream.KindRelation, Relation: &stream.Relation{
			ID: 16384, Namespace: "public", Name: "orders", Identity: 'd',
			Columns: []stream.RelationColumn{{Name: "id", Flags: 1}, {Name: "customer"}, {Name: "state"}},
		}},
		{Kind: stream.KindBegin},
		{Kind: stream.KindInsert, RelationID: 16384, New: stream.Tuple{value("1"), value("42"), value("new")}},
		{Kind: stream.KindUpdate, RelationID: 16384, New: stream.Tuple{value("1"), value("42"), value("paid")}},
		{Kind: stream.KindCommit},
	}
	for _, ddl := range []string{table, table + "CREATE INDEX ON orders (state);"} {
		db, err := schema.Read(strings.NewReader(ddl), "orders.sql")
		if err != nil {
			log.Fatal(err)
		}
		var records []string
		w, err := apply.New(db, apply.Options{
			Settings: guc.Defaults(), NextXID: 700,
			Sink: func(r *wal.Record) { records = append(records, r.Type.Name()) },
		})
		if err != nil {
			log.Fatal(err)
		}
		for i := range messages {
			if err := w.Apply(&messages[i]); err != nil {
				log.Fatal(err)
			}
		}
		fmt.Println(strings.Join(records, " "))
		fmt.Println(w.Log().Total().Bytes, "bytes of WAL")
	}
	// Output:
	// INSERT+INIT NEWROOT INSERT_LEAF LOCK HOT_UPDATE COMMIT
	// 415 bytes of WAL
	// INSERT+INIT NEWROOT INSERT_LEAF NEWROOT INSERT_LEAF LOCK UPDATE INSERT_LEAF INSERT_LEAF COMMIT
	// 697 bytes of WAL
}
