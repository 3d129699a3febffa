package main

import (
	"fmt"

	"applysim/experiments/backends"
	"applysim/model/cost"
)

// statements fits what backends take. What is predicted of each workload by a fit to the
// others is printed.
func statements() (*cost.BackendRates, error) {
	list, err := backends.Recorded()
	if err != nil {
		return nil, err
	}
	r, predictions, err := backends.Fit(list)
	if err != nil {
		return nil, err
	}
	for _, p := range predictions {
		how := "one by one"
		if p.Ahead {
			how = "many at once"
		}
		fmt.Printf("%-28s %-12s measured %.3f (%.3f to %.3f), predicted %.3f s, %+.1f %%\n", p.Name, how, p.Median, p.Low, p.High, p.Predicted, 100*p.Error)
	}
	for _, x := range r.Rates {
		fmt.Printf("%-12s %8.4f %s (%.4f to %.4f)\n", x.Name, x.Value, x.Unit, x.Low, x.High)
	}
	fmt.Printf("backends left out: median error %.1f %%, worst %.1f %%, %d of %d within 15 %% or inside the range of their runs\n", 100*r.Error, 100*r.Worst, r.Within, r.Workloads)
	return r, nil
}

// statementsOnly fits the rates of backends anew.
func statementsOnly(out string) error {
	p, err := cost.BuiltinProfile(cost.DefaultProfile)
	if err != nil {
		return err
	}
	if p.Publisher.Statements, err = statements(); err != nil {
		return err
	}
	return write(out, p)
}
