package backend_test

import (
	"bytes"
	"fmt"
	"log"
	"strings"

	"applysim/model/apply"
	"applysim/model/backend"
	"applysim/model/guc"
	"applysim/model/schema"
	"applysim/model/stream"
	"applysim/wal"
)

// Two statements of a session, the second one without a lasting effect: the stream tells
// of the first only.
func Example() {
	db, err := schema.Read(strings.NewReader("create table t (id int primary key, n int);"), "schema.sql")
	if err != nil {
		log.Fatal(err)
	}
	settings := guc.Defaults()
	settings.WALLevel, settings.FullPageWrites, settings.DataChecksums = "logical", false, false
	b, err := apply.NewBackend(db, apply.Options{Settings: settings, NextXID: 760, Sink: func(r *wal.Record) { fmt.Println(r.Type, r.Length) }})
	if err != nil {
		log.Fatal(err)
	}
	var out bytes.Buffer
	w := stream.NewWriter(&out, stream.Raw)
	for _, m := range []stream.Message{
		{Kind: stream.KindBegin, Xid: 700, TxLSN: 0x1000},
		{Kind: stream.KindRelation, Relation: &stream.Relation{ID: 1, Namespace: "public", Name: "t", Identity: 'd',
			Columns: []stream.RelationColumn{{Flags: 1, Name: "id", TypeID: 23, Typmod: -1}, {Name: "n", TypeID: 23, Typmod: -1}}}},
		{Kind: stream.KindInsert, RelationID: 1, New: stream.Tuple{{Format: 't', Data: []byte("1")}, {Format: 't', Data: []byte("5")}}},
		{Kind: stream.KindCommit, TxLSN: 0x1000, EndLSN: 0x1030},
	} {
		if err := w.Write(&m); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		log.Fatal(err)
	}
	in, err := stream.NewReader(&out, stream.DefaultOptions())
	if err != nil {
		log.Fatal(err)
	}
	script, err := backend.ReadScript([]string{
		"insert into t values (1, 5); begin; update t set n = 6 where id = 1; rollback",
	}, func(int) string { return "session.sql" })
	if err != nil {
		log.Fatal(err)
	}
	if err := backend.NewRunner(b, db, in).Run(script); err != nil {
		log.Fatal(err)
	}
	// Output:
	// Heap/INSERT+INIT 63
	// Btree/NEWROOT 90
	// Btree/INSERT_LEAF 64
	// Transaction/COMMIT 46
	// Heap/HOT_UPDATE 74
	// Transaction/ABORT 34
}
