package workload_test

import (
	"fmt"
	"io"
	"log"

	"applysim/experiments/workload"
	"applysim/model/stream"
)

// Two clients, four rows each transaction: the stream has their transactions in
// the order of the commits.
func Example() {
	o := workload.DefaultOptions()
	o.Rows, o.RowsPerTransaction, o.Clients = 12, 4, 2
	g, err := workload.NewGenerator(o)
	if err != nil {
		log.Fatal(err)
	}
	r, err := stream.NewReader(g, stream.DefaultOptions())
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
		case stream.KindBegin:
			fmt.Print("xid ", m.Xid, ":")
		case stream.KindInsert:
			fmt.Printf(" %s", m.New[0].Data)
		case stream.KindCommit:
			fmt.Println()
		}
	}
	// Output:
	// xid 750: 1 3 4 5
	// xid 751: 2 6 7 8
	// xid 752: 9 10 11 12
}
