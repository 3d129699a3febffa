package view_test

import (
	"fmt"
	"os"
	"strings"

	"applysim/model/apply"
	"applysim/model/guc"
	"applysim/model/schema"
	"applysim/model/view"
)

// Two rows that were there before the run, and the pages that hold them.
func Example() {
	db, err := schema.Read(strings.NewReader("create table t(id int primary key, note text)"), "schema.sql")
	if err != nil {
		fmt.Println(err)
		return
	}
	w, err := apply.New(db, apply.Options{Settings: guc.Defaults()})
	if err != nil {
		fmt.Println(err)
		return
	}
	w.Preset(750, "public", "t", "1", "one")
	w.Preset(751, "public", "t", "2", "two")

	table, _ := view.Find(w, "t")
	page, err := table.HeapPage(0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, item := range page.Items {
		fmt.Printf("line pointer %d at %d, xmin %d, %x\n", item.LP, item.LPOffset, item.Tuple.Xmin, item.Tuple.Data)
	}
	index, _ := view.Find(w, "t_pkey")
	leaf, err := index.BTreePage(1)
	if err != nil {
		fmt.Println(err)
		return
	}
	leaf.Rows().Text(os.Stdout)

	// Output:
	// line pointer 1 at 8160, xmin 750, 01000000096f6e65
	// line pointer 2 at 8128, xmin 751, 020000000974776f
	//  itemoffset | ctid  | itemlen | nulls | vars |          data           | dead | htid  | tids
	// ------------+-------+---------+-------+------+-------------------------+------+-------+------
	//           1 | (0,1) |      16 | f     | f    | 01 00 00 00 00 00 00 00 | f    | (0,1) |
	//           2 | (0,2) |      16 | f     | f    | 02 00 00 00 00 00 00 00 | f    | (0,2) |
	// (2 rows)
}
