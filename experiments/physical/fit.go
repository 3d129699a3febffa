package physical

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"applysim/model/cost"
)

// Rates are what processes of physical replication take, seconds of a core of the
// profile's machine.
type Rates struct {
	// Slower is how much longer the apply worker takes in the runs than by the profile,
	// the median of those with a backlog: they come from another build, and a busy
	// machine. All other rates are divided by it.
	Slower float64
	// Of the walsender: for a message that it sends or a reply that it gets, and for a byte.
	SendWake, SendByte float64
	// Of the walreceiver, likewise.
	ReceiveWake, ReceiveByte float64
	// Of the startup process: for a message that it is woken up for, and for a record.
	ReplayWake, ReplayRecord float64
}

// Fit finds the rates from runs. Each rate is the one that makes the sum of squares of
// relative errors least, with none below zero; what processes of a backlog's runs take to
// start is fitted, too.
func Fit(cases []*Case, p *cost.Profile) (*Rates, error) {
	var slower []float64
	for _, c := range cases {
		if !c.Shipped.Backlog {
			continue
		}
		costs, err := c.Costs(p)
		if err != nil {
			return nil, err
		}
		op := &costs.Operations[0]
		slower = append(slower, c.Shipped.CPU["apply worker"]/(op.Subscriptions[0].Apply*op.Transactions))
	}
	if len(slower) == 0 {
		return nil, fmt.Errorf("no runs with a backlog")
	}
	slices.Sort(slower)
	r := &Rates{Slower: (slower[(len(slower)-1)/2] + slower[len(slower)/2]) / 2}
	for _, x := range []struct {
		process string
		columns func(s *Shipped) []float64
		into    [2]*float64
	}{
		{"physical walsender", wireColumns, [2]*float64{&r.SendWake, &r.SendByte}},
		{"walreceiver", wireColumns, [2]*float64{&r.ReceiveWake, &r.ReceiveByte}},
		{"startup", func(s *Shipped) []float64 {
			return []float64{float64(s.Physical[">dw"].Messages), float64(s.records())}
		}, [2]*float64{&r.ReplayWake, &r.ReplayRecord}},
	} {
		var rows [][]float64
		for _, c := range cases {
			row := x.columns(&c.Shipped)
			for i := range row {
				row[i] /= c.Shipped.CPU[x.process]
			}
			rows = append(rows, row)
		}
		v, err := leastSquares(rows)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.process, err)
		}
		*x.into[0], *x.into[1] = v[0]/r.Slower, v[1]/r.Slower
	}
	return r, nil
}

// wireColumns are what both ends of the wire take something for: messages with replies,
// bytes, and a start.
func wireColumns(s *Shipped) []float64 {
	start := 0.0
	if s.Backlog {
		start = 1
	}
	w, back := s.Physical[">dw"], s.Physical["<dr"]
	return []float64{float64(w.Messages + back.Messages), float64(w.Bytes), start}
}

func (s *Shipped) records() int64 {
	n := int64(0)
	for _, r := range s.Records {
		n += r.Count
	}
	return n
}

// leastSquares finds values, none below zero, with which rows come to 1. There are few
// columns: all choices of those that are not zero are tried.
func leastSquares(rows [][]float64) ([]float64, error) {
	n := len(rows[0])
	var best []float64
	least := 0.0
	for chosen := 1; chosen < 1<<n; chosen++ {
		var columns []int
		for k := range n {
			if chosen>>k&1 == 1 {
				columns = append(columns, k)
			}
		}
		a := mat.NewDense(len(rows), len(columns), nil)
		b := mat.NewVecDense(len(rows), nil)
		for i, row := range rows {
			b.SetVec(i, 1)
			for j, k := range columns {
				a.Set(i, j, row[k])
			}
		}
		var x mat.VecDense
		if err := x.SolveVec(a, b); err != nil {
			continue
		}
		values, ok := make([]float64, n), true
		for j, k := range columns {
			values[k] = x.AtVec(j)
			ok = ok && values[k] >= 0
		}
		if !ok {
			continue
		}
		sum := 0.0
		for _, row := range rows {
			e := -1.0
			for k := range row {
				e += float64(row[k] * values[k])
			}
			sum += float64(e * e)
		}
		if best == nil || sum < least {
			best, least = values, sum
		}
	}
	if best == nil {
		return nil, fmt.Errorf("no solution")
	}
	return best, nil
}
