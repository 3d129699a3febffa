package published_test

import (
	"fmt"
	"log"

	"applysim/experiments/published"
)

// A hundredth of the workload, too small to compare with what was published.
func Example() {
	o := published.DefaultOptions()
	o.Rows = 5000
	r, err := published.Run(o)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range r.Lines[0].Parts {
		fmt.Println(p.Name, p.Records, p.Bytes)
	}
	// Output:
	// events 5000 1090000
	// events_pkey 5014 330020
	// commits 200 13000
}
