package stream_test

import (
	"bytes"
	"fmt"
	"io"
	"log"

	"applysim/model/stream"
)

// Write a small stream as pg_recvlogical would, and read it back.
func Example() {
	var file bytes.Buffer
	w := stream.NewWriter(&file, stream.Raw)
	row := stream.Tuple{
		{Format: stream.ColumnText, Data: []byte("1")},
		{Format: stream.ColumnNull},
	}
	for _, msg := range [][]byte{
		stream.AppendBegin(nil, 0x196FE70, 0, 761),
		stream.AppendRelation(nil, 0, &stream.Relation{
			ID: 16384, Namespace: "public", Name: "notes", Identity: 'd',
			Columns: []stream.RelationColumn{{Flags: 1, Name: "id", TypeID: 23, Typmod: -1}, {Name: "body", TypeID: 25, Typmod: -1}},
		}),
		stream.AppendInsert(nil, 0, 16384, row),
		stream.AppendCommit(nil, 0x196FE70, 0x196FEA0, 0),
	} {
		if err := w.WriteEncoded(0, 0, msg); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		log.Fatal(err)
	}

	r, err := stream.NewReader(&file, stream.DefaultOptions())
	if err != nil {
		log.Fatal(err)
	}
	var m stream.Message
	for {
		err := r.Next(&m)
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		switch m.Kind {
		case stream.KindRelation:
			fmt.Println(m.Number, m.Kind, m.Relation.Name)
		case stream.KindInsert:
			fmt.Printf("%d %s id %s, body %c\n", m.Number, m.Kind, m.New[0].Data, m.New[1].Format)
		default:
			fmt.Println(m.Number, m.Kind, m.TxLSN)
		}
	}
	// Output:
	// 1 begin 0/196FE70
	// 2 relation notes
	// 3 insert id 1, body n
	// 4 commit 0/196FE70
}
