package pgtype_test

import (
	"fmt"

	"applysim/heap/datum"
	"applysim/model/pgtype"
)

func Example() {
	numeric := pgtype.Lookup("numeric")
	typmod, _ := pgtype.TypmodIn(numeric, []string{"8", "2"})
	v, scratch, err := numeric.Input([]byte("1.499"), typmod, nil)
	fmt.Printf("% x %v %s\n", v.Bytes, err, numeric.Text(v))

	tags := pgtype.ArrayOf(pgtype.Lookup("text"))
	v, _, _ = tags.Input([]byte(`{a,NULL,"b c"}`), -1, scratch[:0])
	fmt.Println(len(v.Bytes), tags.Text(v), tags.OpClass().Name)

	mood := pgtype.NewEnum("public", "mood", []string{"sad", "ok", "happy"})
	var sad, happy datum.Value
	sad, _, _ = mood.Input([]byte("sad"), -1, nil)
	happy, _, _ = mood.Input([]byte("happy"), -1, nil)
	fmt.Println(mood.OpClass().Compare(&sad, &happy) < 0)

	_, _, err = pgtype.Lookup("integer").Input([]byte("abc"), -1, nil)
	fmt.Println(err)
	// Output:
	// 00 81 01 00 88 13 <nil> 1.50
	// 44 {a,NULL,"b c"} array_ops
	// true
	// invalid input syntax for type integer: "abc"
}
