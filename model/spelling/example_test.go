package spelling_test

import (
	"fmt"

	"applysim/model/spelling"
)

func ExampleNearest() {
	fmt.Println(spelling.Nearest("shared_bufers", []string{"wal_level", "shared_buffers", "work_mem"}))
	// Output: shared_buffers
}
