package apply_test

import (
	"fmt"
	"log"
	"strconv"
	"strings"

	"applysim/model/apply"
	"applysim/model/guc"
	"applysim/model/schema"
	"applysim/model/stream"
)

// orders are 100,000 orders of 2,000 customers.
type orders struct{ id, customer []byte }

func (o *orders) Len() int { return 100000 }

func (o *orders) Row(n int, columns []int, row stream.Tuple) {
	o.id = strconv.AppendInt(o.id[:0], int64(n+1), 10)
	o.customer = strconv.AppendInt(o.customer[:0], int64(n*7919%2000), 10)
	row[0] = stream.Column{Format: stream.ColumnText, Data: o.id}
	row[1] = stream.Column{Format: stream.ColumnText, Data: o.customer}
}

// A table of 100,000 rows, as a restored dump has it.
func ExampleWorker_Load() {
	const ddl = "CREATE TABLE orders (id bigint PRIMARY KEY, customer int NOT NULL); CREATE INDEX by_customer ON orders (customer);"
	db, err := schema.Read(strings.NewReader(ddl), "orders.sql")
	if err != nil {
		log.Fatal(err)
	}
	w, err := apply.New(db, apply.Options{Settings: guc.Defaults(), NextXID: 700})
	if err != nil {
		log.Fatal(err)
	}
	if err := w.Load("public", "orders", &orders{}, apply.LoadOptions{Vacuumed: true}); err != nil {
		log.Fatal(err)
	}
	t := w.Tables()[0]
	fmt.Println(t.Heap.Pages(), "pages,", w.Log().Total().Bytes, "bytes of WAL")
	for _, x := range t.Indexes {
		s := x.BTree.Stats()
		fmt.Printf("%s: %d pages, %.2f %% full\n", x.Schema.Name, x.BTree.Pages(), s.AvgLeafDensity)
	}
	// Output:
	// 544 pages, 0 bytes of WAL
	// orders_pkey: 276 pages, 89.78 % full
	// by_customer: 89 pages, 91.61 % full
}
