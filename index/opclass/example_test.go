package opclass_test

import (
	"fmt"

	"applysim/heap/datum"
	"applysim/index/opclass"
)

func Example() {
	int4 := opclass.ByName("int4_ops")
	a, b := datum.Value{Bits: ^uint64(0)}, datum.Value{Bits: 7} // -1 and 7
	fmt.Println(int4.Compare(&a, &b), int4.Width, int64(int4.Unabbrev(int4.Abbrev(&a))))
	fmt.Printf("%016x %016x\n", int4.Abbrev(&a), int4.Abbrev(&b))

	text := opclass.ByName("text_ops")
	x, y := datum.Value{Bytes: []byte("abcdefgh1")}, datum.Value{Bytes: []byte("abcdefgh2")}
	fmt.Println(text.Abbrev(&x) == text.Abbrev(&y), text.Compare(&x, &y), text.EqualImage)
	// Output:
	// -1 4 -1
	// 7fffffff00000000 8000000700000000
	// true -1 true
}
