package observed_test

import (
	"fmt"
	"os"

	"applysim/model/observed"
)

func ExampleRead() {
	f, err := os.Open("testdata/recorded/after18.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	stats, err := observed.Read(f, "after18.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	orders := stats.Table("orders")
	rows, _ := orders.Rows()
	fmt.Println(rows, "rows; orders_open was read", orders.Index("orders_open").Scans, "times")
	// Output: 60000 rows; orders_open was read 0 times
}
