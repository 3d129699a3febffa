package cost

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The solution of a least-squares problem without negative elements is where the
// gradient is zero for positive elements and does not point inwards for all others
// (the conditions of Karush, Kuhn and Tucker).
func TestNNLS(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 0))
	for n := 1; n <= 12; n++ {
		for range 40 {
			m := n + random.IntN(8)
			a := mat.NewDense(m, n, nil)
			b := mat.NewVecDense(m, nil)
			for i := range m {
				for j := range n {
					a.Set(i, j, random.NormFloat64()*math.Pow(10, float64(j%4)))
				}
				b.SetVec(i, random.NormFloat64()*10)
			}
			g := mat.NewSymDense(n, nil)
			g.SymOuterK(1, a.T())
			var ab mat.VecDense
			ab.MulVec(a.T(), b)
			h := ab.RawVector().Data
			var start []bool
			if random.IntN(2) == 0 {
				start = make([]bool, n)
				for i := range start {
					start[i] = random.IntN(2) == 0
				}
			}
			x, err := nnls(g, h, start)
			if err != nil {
				t.Fatal(err)
			}
			for i := range n {
				gradient := h[i]
				size := math.Abs(h[i])
				for j := range n {
					gradient -= g.At(i, j) * x[j]
					size += math.Abs(g.At(i, j) * x[j])
				}
				switch {
				case x[i] < 0:
					t.Fatalf("element %d of %v is negative", i, x)
				case x[i] > 0 && math.Abs(gradient) > 1e-7*size, gradient > 1e-7*size:
					t.Fatalf("n %d: element %d is %v, the gradient there %v of %v", n, i, x[i], gradient, size)
				}
			}
		}
	}
}

// Exact data gives back the prices that made it.
func TestFit(t *testing.T) {
	prices := map[string]float64{termMessage: 700, termHeapInsert: 2000, termRecord: 800, termRecordByte: 1.5, termDelete: 0}
	random := rand.New(rand.NewPCG(1, 0))
	var list []Observation
	for i := range 30 {
		u := &Usage{}
		heap := 0.0
		total := 0.0
		for _, it := range []Item{
			{termMessage, "", Loop, float64(random.IntN(1000))}, {termHeapInsert, "t", HeapInsert, float64(random.IntN(1000))},
			{termRecord, "t", HeapInsert, float64(random.IntN(1000))}, {termRecordByte, "t", HeapInsert, float64(random.IntN(99999))},
			{termDelete, "t", Dispatch, float64(random.IntN(1000))},
		} {
			u.Add(it)
			total += prices[it.Term] * it.Quantity
			if it.Where == HeapInsert {
				heap += prices[it.Term] * it.Quantity
			}
		}
		list = append(list, Observation{Grid: string(rune('a' + i/3)), Step: string(rune('a' + i%3)), Usage: u, Total: total, Functions: map[string]float64{"heap_insert": heap}})
	}
	m, validation, err := NewFitter(list).Model("test")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range prices {
		n, ok := m.number[name]
		if want == 0 {
			if ok {
				t.Errorf("%s is in the model", name)
			}
			continue
		}
		if got := m.Terms[n]; math.Abs(got.Instructions-want) > 0.001*want || got.Low > got.Instructions || got.High < got.Instructions {
			t.Errorf("%s: %+v, expected %v", name, got, want)
		}
	}
	if len(validation) != 30 || m.Validation.Worst > 0.001 || m.Undetermined != 0 {
		t.Errorf("validation %+v", m.Validation)
	}
}

// A step whose work no other grid has says so.
func TestUndetermined(t *testing.T) {
	u, v := &Usage{}, &Usage{}
	u.Add(Item{termMessage, "", Loop, 10})
	v.Add(Item{termMessage, "", Loop, 10})
	v.Add(Item{termSplit, "", IndexInsert, 10})
	list := []Observation{{Grid: "a", Step: "1", Usage: u, Total: 1000}, {Grid: "b", Step: "1", Usage: u, Total: 1000}, {Grid: "c", Step: "1", Usage: v, Total: 3000}}
	_, validation, err := NewFitter(list).Model("test")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range validation {
		if p.Undetermined != (p.Grid == "c") {
			t.Errorf("%+v", p)
		}
	}
}
