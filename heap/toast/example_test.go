package toast_test

import (
	"bytes"
	"fmt"

	"applysim/heap/datum"
	"applysim/heap/toast"
)

// A row of two texts: the long one moves out of line, since it cannot be compressed enough.
func ExampleTable_Place() {
	text := datum.Attr{Len: -1, Align: 4, Storage: 'e'}
	t := toast.Table{Attrs: []datum.Attr{text, text}, Methods: []datum.Method{datum.PGLZ, datum.PGLZ}, Target: toast.Target}
	row := []datum.Value{{Bytes: []byte("short")}, {Bytes: bytes.Repeat([]byte("long"), 1000)}}
	state := make([]toast.Attribute, len(row))
	for i := range row {
		state[i].Size = row[i].StoredSize(&t.Attrs[i])
	}
	err := t.Place(row, state, toast.Header(len(row), false), func(row []datum.Value, state []toast.Attribute, i int) error {
		fmt.Println("column", i, "moves")
		row[i] = datum.Value{Bytes: make([]byte, datum.PointerSize), Form: datum.External}
		return nil
	})
	fmt.Println(t.DataSize(row), "bytes,", err)
	// Output:
	// column 1 moves
	// 24 bytes, <nil>
}
