package cost

// Part is a part of another process than the apply worker whose instructions are measured
// apart: some of its functions, with all that they call.
type Part struct {
	Functions []string
	Terms     func(term string) bool // what happens within
	Less      []string               // functions that it calls whose instructions are subtracted
}

// NewFitterOf is NewFitter for another process than the apply worker, with its parts.
func NewFitterOf(observations []Observation, parts []Part) *Fitter {
	var list []function
	for _, p := range parts {
		list = append(list, function{names: p.Functions, within: p.Terms, less: p.Less})
	}
	return newFitter(observations, list)
}
