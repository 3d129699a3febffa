package cost

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// nnls finds the x without negative elements that minimizes x'Gx/2 - h'x: the
// least-squares solution of A x = b for G = A'A, h = A'b. The method is that of
// Lawson and Hanson (Solving Least Squares Problems, 1974, chapter 23), on the normal
// equations, and begins with the elements of start free. G must be positive definite.
func nnls(g *mat.SymDense, h []float64, start []bool) ([]float64, error) {
	n := g.SymmetricDim()
	// Columns are scaled to length one: their units differ widely.
	scale := make([]float64, n)
	for i := range n {
		scale[i] = 1 / math.Sqrt(g.At(i, i))
	}
	free := make([]bool, n)
	copy(free, start)
	x := make([]float64, n)
	gradient := func(i int) float64 {
		s := h[i] * scale[i]
		for j := range n {
			if x[j] != 0 {
				s -= float64(g.At(i, j) * scale[i] * scale[j] * x[j])
			}
		}
		return s
	}
	largest := 0.0
	for i := range n {
		largest = max(largest, math.Abs(h[i]*scale[i]))
	}
	tolerance := 1e-10 * largest
	first := start != nil
	for range 10 * n {
		if !first {
			best, at := tolerance, -1
			for i := range n {
				if !free[i] {
					if w := gradient(i); w > best {
						best, at = w, i
					}
				}
			}
			if at < 0 {
				for i := range x {
					x[i] *= scale[i]
				}
				return x, nil
			}
			free[at] = true
		}
		for {
			s, err := solveFree(g, h, scale, free)
			if err != nil {
				return nil, err
			}
			// Go towards the solution until an element would become negative.
			step, ok := 1.0, true
			for i := range n {
				if free[i] && s[i] <= 0 {
					ok = false
					if d := x[i] - s[i]; d > 0 {
						step = min(step, x[i]/d)
					} else {
						step = 0
					}
				}
			}
			if ok {
				copy(x, s)
				break
			}
			for i := range n {
				if !free[i] {
					continue
				}
				x[i] += float64(step * (s[i] - x[i]))
				if s[i] <= 0 && x[i] <= 1e-14*largest || x[i] < 0 {
					x[i], free[i] = 0, false
				}
			}
		}
		first = false
	}
	return nil, errors.New("non-negative least squares: no end")
}

// solveFree solves for the free elements, all others being zero.
func solveFree(g *mat.SymDense, h, scale []float64, free []bool) ([]float64, error) {
	var at []int
	for i, f := range free {
		if f {
			at = append(at, i)
		}
	}
	s := make([]float64, len(free))
	if len(at) == 0 {
		return s, nil
	}
	sub := mat.NewSymDense(len(at), nil)
	b := mat.NewVecDense(len(at), nil)
	for i, n := range at {
		b.SetVec(i, h[n]*scale[n])
		for j := i; j < len(at); j++ {
			sub.SetSym(i, j, g.At(n, at[j])*scale[n]*scale[at[j]])
		}
	}
	var c mat.Cholesky
	if !c.Factorize(sub) {
		return nil, errors.New("non-negative least squares: terms that the data cannot tell apart")
	}
	var v mat.VecDense
	if err := c.SolveVecTo(&v, b); err != nil {
		var cond mat.Condition
		if !errors.As(err, &cond) {
			return nil, err
		}
	}
	for i, n := range at {
		s[n] = v.AtVec(i)
	}
	return s, nil
}
