package timeline_test

import (
	"fmt"
	"math"

	"applysim/model/slots"
	"applysim/model/timeline"
)

func Example() {
	s := &timeline.Setup{
		Duration: 60, Drain: 600, Start: 16 << 20, Settings: slots.DefaultSettings(),
		Hosts: []timeline.Host{{Name: "publisher"}, {Name: "subscriber"}},
		Sources: []timeline.Source{{
			Name: "orders", Rate: func(float64) (float64, float64) { return 1500, math.Inf(1) },
			Changes: 1, WAL: 300, Costs: []timeline.Cost{{Send: 20e-6, Bytes: 200, Apply: 1e-3}},
		}},
		Consumers: []timeline.Consumer{{Name: "reports", Host: 1, Rate: math.Inf(1)}},
	}
	r, err := timeline.New(s)
	if err != nil {
		fmt.Println(err)
		return
	}
	r.Happened = func(e timeline.Event) {
		if e.Kind == timeline.Limited || e.Kind == timeline.CaughtUp {
			fmt.Printf("%.1f s: %s %s\n", e.T, e.Kind, e.Text)
		}
	}
	if err := r.Run(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0.0 s: limit apply worker
	// 90.0 s: limit keeps up
	// 90.0 s: caught up
}
