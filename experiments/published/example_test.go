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
		fmt.Printf("%s: %.1f bytes a row\n", p.Name, float64(p.Bytes)/float64(o.Rows))
	}
	// Output:
	// events: 218.0 bytes a row
	// events_pkey: 66.0 bytes a row
	// commits: 2.6 bytes a row
}
