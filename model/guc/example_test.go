package guc_test

import (
	"fmt"

	"applysim/model/guc"
)

func ExampleSettings_Set() {
	s := guc.Defaults()
	fmt.Println(s.Set("max_wal_size", "4GB"), s.MaxWALSize)
	fmt.Println(s.Set("max_wal_sise", "4GB"))
	// Output:
	// <nil> 4294967296
	// unrecognized configuration parameter "max_wal_sise" (nearest known: max_wal_size)
}
