package cost

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Observation is a piece of work and the instructions that a real apply worker took
// for it: all of them, and those within some of its functions.
type Observation struct {
	Grid, Step string
	Usage      *Usage
	Total      float64
	Functions  map[string]float64
	// Partial says that some of the work is not in Usage: only functions are fitted to.
	Partial bool
}

// function is a part of the worker whose instructions are counted apart.
type function struct {
	names  []string
	places []Place  // nil for all places
	terms  []string // only these; nil for all terms
	plain  bool     // only where no type's input function calls another's
	alone  bool     // only where strings of one type are read
	within func(term string) bool
	less   []string // functions that it calls whose instructions are subtracted
	// outside stands for all that is outside less, which must have been counted.
	outside bool
}

// compareTerms are the terms of comparing keys, by the family of their operator class.
var compareTerms = []string{compareTerm("int8_ops"), compareTerm("text_ops"), compareTerm("numeric_ops"), compareTerm("uuid_ops"), compareTerm("")}

// functions are the parts that terms are fitted to beside the whole. A function's
// instructions include those of all that it calls.
var functions = []function{
	{outside: true, places: []Place{Loop}, less: []string{"apply_dispatch"}},
	{names: []string{"logicalrep_read_insert", "logicalrep_read_update", "logicalrep_read_delete"}, places: []Place{Read}},
	{names: []string{"OidInputFunctionCall", "OidReceiveFunctionCall"}, places: []Place{Parse}},
	{names: []string{"ExecOpenIndices"}, places: []Place{OpenIndex}},
	{names: []string{"heap_insert"}, places: []Place{HeapInsert}},
	{names: []string{"heap_update"}, places: []Place{HeapUpdate}},
	{names: []string{"heap_delete"}, places: []Place{HeapDelete}},
	{names: []string{"heap_lock_tuple"}, places: []Place{LockRow}},
	{names: []string{"heap_page_prune_opt"}, places: []Place{Prune}},
	{names: []string{"ExecInsertIndexTuples"}, places: []Place{IndexEntry, IndexInsert}},
	{names: []string{"btinsert"}, places: []Place{IndexInsert}},
	{names: []string{"RelationFindReplTupleByIndex"}, places: []Place{Lookup, Prune, LockRow, Equal}},
	{names: []string{"RelationFindReplTupleSeq"}, places: []Place{SeqScan, LockRow, Equal}},
	{names: []string{"heap_getnextslot"}, places: []Place{SeqScan}},
	{
		names: []string{"RelationFindReplTupleByIndex"}, places: []Place{Lookup},
		less: []string{"heap_page_prune_opt", "heap_lock_tuple", "tuples_equal"},
	},
	{
		names: []string{"_bt_first"}, places: []Place{Lookup},
		terms: append([]string{termSearch, termSearchKey, termComparison, termScanItem, termScanKey, termScanTID, termLevel, termLaterColumn}, compareTerms...),
	},
	{names: []string{"_bt_killitems"}, places: []Place{Lookup}, terms: []string{termKill, termKillLook}},
	{
		names: []string{"index_fetch_heap"}, terms: []string{termFetch, termFetchPage, termChainStep, termFetchAgain},
		less: []string{"heap_page_prune_opt"},
	},
	{names: []string{"tuples_equal"}, places: []Place{Equal}},
	{names: []string{"CommitTransactionCommand"}, places: []Place{Commit}},
	{names: []string{"XLogInsert"}, terms: []string{termRecord, termRecordByte}},
	{names: []string{"_bt_compare"}, terms: append([]string{termCompareTID, termComparison, termLaterColumn}, compareTerms...)},
	{names: []string{"heap_form_tuple"}, terms: []string{termFormTuple, termFormColumn, termFormByte}},
	{names: []string{"index_form_tuple"}, terms: []string{termKeyTuple, termKeyColumn, termKeyByte}},
	{names: []string{"_bt_findsplitloc"}, terms: []string{termSplitLocation, termSplitPoint}},
	{names: []string{"_bt_dedup_pass"}, terms: []string{termDedup, termDedupItem, termDedupColumn, termDedupString, termDedupTID, termDedupMerged}},
	{names: []string{"pglz_compress"}, terms: []string{termCompressRun, termCompressList, termCompressToken, termCompressDrop, termCompressByte, termCompressProbe, termCompressSame}},
	{names: []string{"heap_toast_insert_or_update"}, terms: []string{termToastRow}, less: []string{"toast_tuple_try_compression", "toast_tuple_externalize", "toast_delete_datum"}},
	{names: []string{"ExecSetupPartitionTupleRouting"}, places: []Place{RouteSetUp}},
	{names: []string{"ExecFindPartition"}, places: []Place{Route}, less: []string{"ExecOpenIndices"}},
	{names: []string{"ExecPartitionCheck"}, places: []Place{PartitionCheck}},
	{names: []string{"ExecCloseIndices"}, terms: []string{termCloseIndex, termUnlockIndex}},
}

// inputs are the input and receive functions of types, by the names under which
// their terms go.
var inputs = [][3]string{
	{"smallint", "int2in", "int2recv"}, {"integer", "int4in", "int4recv"}, {"bigint", "int8in", "int8recv"},
	{"numeric", "numeric_in", "numeric_recv"}, {"real", "float4in", "float4recv"}, {"double precision", "float8in", "float8recv"},
	{"oid", "oidin", "oidrecv"}, {"money", "cash_in", "cash_recv"}, {"boolean", "boolin", "boolrecv"},
	{"text", "textin", "textrecv"}, {"character varying", "varcharin", "varcharrecv"}, {"character", "bpcharin", "bpcharrecv"},
	{"name", "namein", "namerecv"}, {"bytea", "byteain", "bytearecv"}, {"uuid", "uuid_in", "uuid_recv"},
	{"date", "date_in", "date_recv"}, {"time without time zone", "time_in", "time_recv"}, {"time with time zone", "timetz_in", "timetz_recv"},
	{"timestamp without time zone", "timestamp_in", "timestamp_recv"}, {"timestamp with time zone", "timestamptz_in", "timestamptz_recv"},
	{"interval", "interval_in", "interval_recv"}, {"jsonb", "jsonb_in", "jsonb_recv"}, {"json", "json_in", "json_recv"},
	{"inet", "inet_in", "inet_recv"}, {"cidr", "cidr_in", "cidr_recv"}, {"macaddr", "macaddr_in", "macaddr_recv"},
	{"bit", "bit_in", "bit_recv"}, {"point", "point_in", "point_recv"}, {"enum", "enum_in", "enum_recv"}, {"range", "range_in", "range_recv"},
}

// verified are types whose binary format is text, which the receive function verifies.
var verified = []string{"text", "character varying", "character", "name", "json"}

// nesting are types whose input functions call those of other types.
var nesting = []string{"[]", "parse range", "parse multirange", "parse record", termDomain, termDomainNode}

func init() {
	for _, t := range inputs {
		for i, format := range []string{"text", "binary"} {
			f := function{names: []string{t[i+1]}, plain: t[0] != "range"}
			for _, unit := range []string{"value", "byte", "element", "key", "container"} {
				f.terms = append(f.terms, ParseTerm(t[0], format, unit))
			}
			switch {
			case t[0] == "jsonb":
				f.terms = append(f.terms, termJSONNumber)
			case format == "binary" && slices.Contains(verified, t[0]):
				f.terms, f.alone = append(f.terms, termTailByte, termWideByte), true
			}
			functions = append(functions, f)
		}
	}
}

// holds says whether an item's work happens within the function.
func (f *function) holds(i *Item) bool {
	if f.within != nil {
		return f.within(i.Term)
	}
	return (f.terms == nil || slices.Contains(f.terms, i.Term)) && (f.places == nil || slices.Contains(f.places, i.Where))
}

// measured is what was counted for the function in an observation, if it was.
func (f *function) measured(o *Observation) (instructions float64, ok bool) {
	for _, n := range f.names {
		if v, found := o.Functions[n]; found {
			instructions += v
			ok = true
		}
	}
	if f.outside {
		instructions = o.Total
		_, ok = o.Functions[f.less[0]]
	}
	for _, n := range f.less {
		instructions -= o.Functions[n]
	}
	return instructions, ok && instructions > 0
}

// suits says whether the observation's work keeps to the function's places. Those of
// lookups depend on how rows are found; the toaster calls heap_insert and btinsert
// within heap_insert and heap_update; what is done once is in no function's places.
func (f *function) suits(o *Observation) bool {
	if f.within != nil {
		return true
	}
	seq, toast := 0.0, 0.0
	for i := range o.Usage.items {
		switch it := &o.Usage.items[i]; it.Term {
		case termSeqLookup:
			seq += it.Quantity
		case termToastRow:
			toast += it.Quantity
		}
	}
	if f.plain && o.Usage.has(func(term string) bool {
		return slices.ContainsFunc(nesting, func(n string) bool { return strings.Contains(term, n) })
	}) {
		return false
	}
	if f.alone && o.Usage.has(func(term string) bool {
		return slices.ContainsFunc(verified, func(t string) bool {
			return term == ParseTerm(t, "binary", "value") && !slices.Contains(f.terms, term)
		})
	}) {
		return false
	}
	if f.outside {
		return true
	}
	switch f.names[0] {
	case "RelationFindReplTupleByIndex":
		if _, equal := o.Functions["tuples_equal"]; f.less != nil && !equal && o.Usage.has(func(term string) bool { return term == termCompareRow }) {
			return false
		}
		return seq == 0
	case "ExecFindPartition":
		return o.Usage.has(func(term string) bool { return term == termRouted })
	case "RelationFindReplTupleSeq", "heap_getnextslot":
		return seq > 0
	case "heap_insert", "heap_update", "heap_delete", "btinsert", "ExecInsertIndexTuples", "heap_form_tuple":
		return toast == 0
	}
	return true
}

// Weights of the equations: that of the whole is the relative error; those of the
// functions count less, and in relation to their share.
const (
	functionWeight = 0.3
	leastShare     = 0.01
	// ridge keeps the equations solvable where the data says nothing about a term. It
	// draws the terms towards zero; an equation's weight is 1.
	ridge = 1e-7
)

// equations are the normal equations of some observations: the lower triangle of A'A by
// rows, and A'b.
type equations struct {
	n    int
	g, h []float64
}

func newEquations(n int) *equations {
	return &equations{n, make([]float64, n*n), make([]float64, n)}
}

// add adds the equation a x = b with a weight. Only the elements at are not zero; at
// is sorted.
func (e *equations) add(a []float64, at []int, b, weight float64) {
	w := weight * weight
	for x, i := range at {
		e.h[i] += float64(w * a[i] * b)
		for _, j := range at[:x+1] {
			e.g[i*e.n+j] += float64(w * a[i] * a[j])
		}
	}
}

// plus adds d a number of times.
func (e *equations) plus(d *equations, times float64) {
	for i, v := range d.g {
		if v != 0 {
			e.g[i] += float64(times * v)
		}
	}
	for i, v := range d.h {
		e.h[i] += float64(times * v)
	}
}

// Fitter fits models to observations.
type Fitter struct {
	observations []Observation
	grids        []string
	terms        []string
	number       map[string]int
	byGrid       map[string]*equations
}

// NewFitter prepares the equations.
func NewFitter(observations []Observation) *Fitter { return newFitter(observations, functions) }

func newFitter(observations []Observation, functions []function) *Fitter {
	f := &Fitter{observations: observations, number: map[string]int{}, byGrid: map[string]*equations{}}
	f.chooseTerms()
	a := make([]float64, len(f.terms))
	for n := range observations {
		o := &observations[n]
		e := f.byGrid[o.Grid]
		if e == nil {
			e = newEquations(len(f.terms))
			f.byGrid[o.Grid] = e
			f.grids = append(f.grids, o.Grid)
		}
		add := func(holds func(*Item) bool, b, weight float64) {
			clear(a)
			var at []int
			for i := range o.Usage.items {
				it := &o.Usage.items[i]
				k, ok := f.number[it.Term]
				if !ok || !holds(it) {
					continue
				}
				if a[k] == 0 {
					at = append(at, k)
				}
				a[k] += it.Quantity
			}
			slices.Sort(at)
			e.add(a, slices.Compact(at), b, weight)
		}
		if !o.Partial {
			add(func(*Item) bool { return true }, o.Total, 1/o.Total)
		}
		for i := range functions {
			fn := &functions[i]
			if !fn.suits(o) {
				continue
			}
			m, ok := fn.measured(o)
			if !ok {
				continue
			}
			add(fn.holds, m, functionWeight/math.Sqrt(max(m, leastShare*o.Total)*o.Total))
		}
	}
	return f
}

// leastSpread is by how much the bytes a value must differ between observations for
// the cost of a byte to be fitted apart from that of a value.
const leastSpread = 1.15

// chooseTerms lists the terms that the observations can determine. Of a type whose
// values are all about as long only the cost of a value is fitted.
func (f *Fitter) chooseTerms() {
	type spread struct{ least, most float64 }
	spreads := map[string]*spread{}
	seen := map[string]bool{}
	for n := range f.observations {
		sums := map[string]float64{}
		for _, it := range f.observations[n].Usage.items {
			sums[it.Term] += it.Quantity
		}
		for term, q := range sums {
			seen[term] = true
			for _, unit := range []string{", by byte", ", by element", ", by key", ", by container"} {
				byte, ok := strings.CutSuffix(term, ", by value")
				if !ok {
					break
				}
				mean := sums[byte+unit] / q
				s := spreads[byte+unit]
				if s == nil {
					s = &spread{mean, mean}
					spreads[byte+unit] = s
				}
				s.least, s.most = min(s.least, mean), max(s.most, mean)
			}
		}
	}
	for term := range seen {
		if s := spreads[term]; s != nil && s.most < leastSpread*s.least {
			continue
		}
		f.terms = append(f.terms, term)
	}
	slices.Sort(f.terms)
	for i, t := range f.terms {
		f.number[t] = i
	}
}

// solve fits a model to the grids, each counted as often as times says. start says
// which terms to begin with, nil for none.
func (f *Fitter) solve(times func(grid string) float64, start []bool) ([]float64, error) {
	g, h := f.sum(times)
	x, err := nnls(g, h, start)
	if err != nil {
		return nil, fmt.Errorf("fit: %w", err)
	}
	return x, nil
}

// sum sums up the equations of grids.
func (f *Fitter) sum(times func(grid string) float64) (*mat.SymDense, []float64) {
	n := len(f.terms)
	e := newEquations(n)
	for _, g := range f.grids {
		if t := times(g); t != 0 {
			e.plus(f.byGrid[g], t)
		}
	}
	g := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i {
			if v := e.g[i*n+j]; v != 0 {
				g.SetSym(i, j, v)
			}
		}
		// Terms that these grids say nothing of stay zero.
		g.SetSym(i, i, float64(e.g[i*n+i]*(1+ridge))+1e-30)
	}
	return g, e.h
}

// Resamples of the grids for the intervals of terms, and their seed.
const (
	resamples    = 100
	resampleSeed = 1
)

// Prices fits the terms to all grids: those of Model, without intervals.
func (f *Fitter) Prices() (map[string]float64, error) {
	x, err := f.solve(func(string) float64 { return 1 }, nil)
	if err != nil {
		return nil, err
	}
	prices := map[string]float64{}
	for i, name := range f.terms {
		if p := round(x[i]); p != 0 {
			prices[name] = p
		}
	}
	return prices, nil
}

// Model fits the model to all grids. Its intervals come from fits to as many grids
// drawn with replacement.
func (f *Fitter) Model(server string) (*Model, []Prediction, error) {
	x, err := f.solve(func(string) float64 { return 1 }, nil)
	if err != nil {
		return nil, nil, err
	}
	start := positive(x)
	samples := make([][]float64, len(x))
	random := rand.New(rand.NewPCG(resampleSeed, 0))
	for range resamples {
		times := map[string]float64{}
		for range f.grids {
			times[f.grids[random.IntN(len(f.grids))]]++
		}
		y, err := f.solve(func(g string) float64 { return times[g] }, start)
		if err != nil {
			return nil, nil, err
		}
		for i, v := range y {
			// A grid that was not drawn says nothing of its own terms.
			if v > 0 {
				samples[i] = append(samples[i], v)
			}
		}
	}
	m := &Model{Server: server, Steps: len(f.observations), Grids: len(f.grids)}
	steps := map[string]int{}
	var fitted []Prediction
	for i := range f.observations {
		o := &f.observations[i]
		seen := map[string]bool{}
		for _, it := range o.Usage.items {
			if !seen[it.Term] {
				seen[it.Term] = true
				steps[it.Term]++
			}
		}
		if !o.Partial {
			fitted = append(fitted, f.predict(x, o))
		}
	}
	m.Fit = Summarize(fitted)
	for i, name := range f.terms {
		if round(x[i]) == 0 {
			continue
		}
		low, high := x[i], x[i]
		if s := samples[i]; len(s) > 1 {
			slices.Sort(s)
			low, high = min(low, stat.Quantile(0.05, stat.Empirical, s, nil)), max(high, stat.Quantile(0.95, stat.Empirical, s, nil))
		}
		m.Terms = append(m.Terms, Term{Name: name, Instructions: round(x[i]), Low: round(low), High: round(high), Steps: steps[name]})
	}
	validation, err := f.Validate()
	if err != nil {
		return nil, nil, err
	}
	var determined []Prediction
	for _, p := range validation {
		if p.Undetermined {
			m.Undetermined++
		} else {
			determined = append(determined, p)
		}
	}
	m.Validation = Summarize(determined)
	for _, e := range []*Errors{&m.Fit, &m.Validation} {
		e.Median, e.P90, e.Worst = roundTo(e.Median, 1e5), roundTo(e.P90, 1e5), roundTo(e.Worst, 1e5)
	}
	m.index()
	return m, validation, nil
}

func round(x float64) float64 { return roundTo(x, 100) }

func roundTo(x, parts float64) float64 { return math.Round(x*parts) / parts }

// Fitted says whether terms are fitted to a function's instructions.
func Fitted(name string) bool {
	return slices.ContainsFunc(functions, func(f function) bool { return slices.Contains(f.names, name) || slices.Contains(f.less, name) })
}
