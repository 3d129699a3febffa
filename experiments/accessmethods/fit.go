package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"applysim/experiments/table"
	"applysim/model/accessmethod"
	"applysim/model/cost"
)

// pricesFile is what the fit writes.
const pricesFile = "model/accessmethod/prices.json"

// method is a grid's access method.
func (g *grid) method() string {
	m, _, _ := strings.Cut(strings.TrimPrefix(g.index, "using "), " ")
	return m
}

// observation is a grid beside its measurements.
type observation struct {
	*grid
	*simulated
	real         [3]map[string]count
	instructions float64 // of the index in the first rows, what opens it and writes its WAL left out
	whole        float64 // that included
}

// observe simulates all grids that were measured.
func observe(grids []grid) ([]*observation, error) {
	wal, err := measured()
	if err != nil {
		return nil, err
	}
	lines, err := readCSV("instructions.csv")
	if err != nil {
		return nil, err
	}
	counted := map[string]float64{}
	for _, l := range lines {
		with, _ := strconv.ParseFloat(l[2], 64)
		without, _ := strconv.ParseFloat(l[3], 64)
		counted[l[0]] = with - without
	}
	var list []*observation
	for i := range grids {
		g := &grids[i]
		if wal[g.name] == nil {
			continue
		}
		s, err := g.simulate()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.name, err)
		}
		o := &observation{grid: g, simulated: s, real: *wal[g.name]}
		if n, ok := counted[g.name]; ok {
			o.whole = n
			o.instructions = n - s.around
		}
		list = append(list, o)
	}
	return list, nil
}

// solve finds non-negative prices of terms that make the least sum of squared relative
// errors: those of others than zero are found by leaving out, one after the other, the term
// whose price is most negative.
func solve(list []*observation) map[string]float64 {
	var names []string
	for _, o := range list {
		for _, t := range o.terms {
			if t.Quantity > 0 && !slices.Contains(names, t.Name) {
				names = append(names, t.Name)
			}
		}
	}
	slices.Sort(names)
	for len(names) > 0 {
		a := mat.NewDense(len(list), len(names), nil)
		b := mat.NewVecDense(len(list), nil)
		for i, o := range list {
			for _, t := range o.terms {
				if k := slices.Index(names, t.Name); k >= 0 {
					a.Set(i, k, t.Quantity/o.instructions)
				}
			}
			b.SetVec(i, 1)
		}
		// Ridge: terms that no grid tells apart share their price.
		var ata mat.Dense
		var atb mat.VecDense
		ata.Mul(a.T(), a)
		atb.MulVec(a.T(), b)
		for k := range names {
			ata.Set(k, k, float64(ata.At(k, k)*(1+1e-4)))
		}
		var x mat.VecDense
		if err := x.SolveVec(&ata, &atb); err != nil {
			if _, ok := err.(mat.Condition); !ok {
				return nil
			}
		}
		worst, at := 0.0, -1
		for k := range names {
			if share := float64(x.AtVec(k) * math.Sqrt(ata.At(k, k))); share < worst {
				worst, at = share, k
			}
		}
		if at < 0 {
			prices := map[string]float64{}
			for k, n := range names {
				prices[n] = rounded(x.AtVec(k), 4)
			}
			return prices
		}
		names = slices.Delete(names, at, at+1)
	}
	return nil
}

// rounded keeps so many digits.
func rounded(x float64, digits int) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	return r
}

// predict prices a grid's work.
func (o *observation) predict(prices map[string]float64) (instructions float64, known bool) {
	known = true
	for _, t := range o.terms {
		instructions += float64(prices[t.Name] * t.Quantity)
	}
	return instructions, known
}

// kind is what shares a price of WAL: an SP-GiST index's values of a class, or an access
// method that nothing is known of but what it writes a row; "" for the others.
func (o *observation) kind() string {
	switch m := o.method(); m {
	case "gin", "gist", "hash":
		return ""
	case "spgist":
		return m + " " + o.class
	default:
		return m
	}
}

// excess is what an index writes beside its entries: of an SP-GiST index for each byte of
// them, of others for each row.
func (o *observation) excess() float64 {
	c := total(o.real[0])
	if o.method() == "spgist" {
		return float64(c.bytes-o.real[0]["SPGist/ADD_LEAF"].bytes) / float64(o.placed)
	}
	return float64(c.bytes-o.placed) / float64(o.rows)
}

// priceWAL computes the prices of WAL: means of the grids that share one.
func priceWAL(list []*observation, p *accessmethod.Prices) {
	for _, o := range list {
		if o.kind() == "" {
			continue
		}
		if o.method() == "spgist" {
			p.Division[o.class] = rounded(mean(list, o.kind(), nil, (*observation).excess), 3)
			continue
		}
		p.Entry[o.method()] = rounded(mean(list, o.kind(), nil, (*observation).excess), 4)
		p.Records[o.method()] = rounded(mean(list, o.kind(), nil, func(o *observation) float64 {
			return float64(total(o.real[0]).records) / float64(o.rows)
		}), 3)
	}
}

// mean is that of a number over the grids of a kind without one of them; NaN if there is no
// other.
func mean(list []*observation, kind string, without *observation, f func(*observation) float64) float64 {
	sum, n := 0.0, 0
	for _, o := range list {
		if o.kind() == kind && o != without {
			sum += f(o)
			n++
		}
	}
	return sum / float64(n)
}

// leftOut is the estimate of a grid's WAL with prices of the other grids; that of the model
// where nothing was fitted.
func (o *observation) leftOut(list []*observation, model int64) int64 {
	if o.kind() == "" {
		return model
	}
	x := mean(list, o.kind(), o, (*observation).excess)
	switch {
	case math.IsNaN(x):
		return model
	case o.method() == "spgist":
		return o.wal[0]["SPGist/ADD_LEAF"].bytes + int64(float64(x*float64(o.placed)))
	}
	return o.placed + int64(float64(x*float64(o.rows)))
}

// unknown is what is said of access methods that were never measured: the geometric means
// of those of extensions, which may be wrong by as much as these differ.
func unknown(list []*observation, p *accessmethod.Prices) {
	var wal, cpu []float64
	for _, o := range list {
		switch o.method() {
		case "gin", "gist", "spgist", "hash":
		default:
			wal = append(wal, math.Log(float64(total(o.real[0]).bytes)/float64(o.rows)))
			if o.instructions > 0 {
				cpu = append(cpu, math.Log(o.instructions/float64(o.counted)))
			}
		}
	}
	centre := func(list []float64) (m, most float64) {
		for _, x := range list {
			m += x / float64(len(list))
		}
		for _, x := range list {
			most = max(most, math.Abs(x-m))
		}
		return m, math.Exp(most) - 1
	}
	_, e := centre(wal)
	m, c := centre(cpu)
	if len(cpu) > 0 {
		p.Instructions["unknown access method: insert a row"] = rounded(math.Exp(m), 4)
	}
	p.Errors[accessmethod.Unknown] = accessmethod.Error{WAL: rounded(e, 2), CPU: rounded(c, 2), Runs: len(wal)}
}

// fit computes prices and their errors, and writes both.
func fit(grids []grid, stdout io.Writer) error {
	list, err := observe(grids)
	if err != nil {
		return err
	}
	runs, err := indexes()
	if err != nil {
		return err
	}
	p := &accessmethod.Prices{
		Division: map[string]float64{}, Entry: map[string]float64{}, Records: map[string]float64{},
		Instructions: map[string]float64{}, Errors: map[string]accessmethod.Error{},
	}
	priceWAL(list, p)
	methods := map[string][]*observation{}
	for _, o := range list {
		methods[o.method()] = append(methods[o.method()], o)
	}
	t := &table.Table{Title: "Indexes of other access methods: estimates beside real servers", Columns: []table.Column{
		{Name: "index"}, {Name: "phase"}, {Name: "WAL, bytes", Right: true}, {Name: "estimated", Right: true}, {Name: "error", Right: true, Decimals: 1, Unit: " %", Signed: true},
		{Name: "instructions a row", Right: true}, {Name: "predicted", Right: true}, {Name: "error", Right: true, Decimals: 1, Unit: " %", Signed: true},
	}}
	for _, m := range slices.Sorted(maps.Keys(methods)) {
		var counted []*observation
		for _, o := range methods[m] {
			if o.instructions > 0 {
				counted = append(counted, o)
			}
		}
		maps.Copy(p.Instructions, solve(counted))
		e := accessmethod.Error{Runs: len(methods[m])}
		var wals, cpus []float64
		for _, o := range methods[m] {
			// Predicted by the others, where others have all that it has.
			var rest []*observation
			for _, x := range counted {
				if x.family != o.family || x.method() != o.method() {
					rest = append(rest, x)
				}
			}
			prices := solve(rest)
			for n, v := range p.Instructions { // what nobody else has
				if !has(rest, n) {
					if prices == nil {
						prices = map[string]float64{}
					}
					prices[n] = v
				}
			}
			for phase, name := range phases {
				a, b := total(o.real[phase]).bytes, total(o.wal[phase]).bytes
				if a == 0 {
					continue
				}
				if phase == 0 {
					b = o.leftOut(list, b)
				}
				wrong := float64(b)/float64(a) - 1
				row := []any{o.name, name, a, b, 100 * wrong, nil, nil, nil}
				wals = append(wals, math.Abs(wrong))
				if phase == 0 {
					if o.instructions > 0 {
						n, _ := o.predict(prices)
						n += o.around
						wrong := n/o.whole - 1
						cpus = append(cpus, math.Abs(wrong))
						row[5], row[6], row[7] = int64(o.whole)/int64(o.counted), int64(n)/int64(o.counted), 100*wrong
					}
				}
				t.Add(row...)
			}
		}
		for _, x := range runs {
			if x.method == m {
				wrong := float64(x.estimated)/float64(x.real) - 1
				wals = append(wals, math.Abs(wrong))
				e.Runs++
				t.Add(x.scenario+": "+x.index, "", x.real, x.estimated, 100*wrong, nil, nil, nil)
			}
		}
		e.WAL, e.WALMedian = worst(wals)
		if len(counted) > 1 { // a single run predicts nothing
			e.CPU, e.CPUMedian = worst(cpus)
		}
		p.Errors[m] = e
	}
	unknown(list, p)
	out, err := json.MarshalIndent(p, "", "\t")
	if err != nil {
		return err
	}
	if err := os.WriteFile(pricesFile, append(out, '\n'), 0o666); err != nil {
		return err
	}
	return t.Markdown(stdout)
}

// worst is the largest of some errors, and their median.
func worst(list []float64) (most, median float64) {
	if len(list) == 0 {
		return 0, 0
	}
	slices.Sort(list)
	// The largest is rounded up: it is what is said at most to be wrong.
	if most = list[len(list)-1]; most > 0 {
		p := math.Pow10(1 - int(math.Floor(math.Log10(most))))
		most = rounded(math.Ceil(float64(most*p))/p, 2)
	}
	return most, rounded(list[len(list)/2], 2)
}

func has(list []*observation, term string) bool {
	for _, o := range list {
		for _, t := range o.terms {
			if t.Name == term && t.Quantity > 0 {
				return true
			}
		}
	}
	return false
}

// price is the cost model's without the access methods' own terms.
func price(u *cost.Usage, m *cost.Model) float64 { return m.Instructions(u.WithoutAccessMethods()) }
