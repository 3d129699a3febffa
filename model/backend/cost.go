package backend

// What a planner without statistics expects scans to cost, after costsize.c
// (cost_seqscan, cost_index, cost_bitmap_heap_scan, index_pages_fetched), selfuncs.c
// (btcostestimate, genericcostestimate), clausesel.c and tableam.c
// (table_block_relation_estimate_size). Sizes are those of the files as they are; a
// table that was never vacuumed counts as full of rows of the width that its types make
// likely. Products are rounded before they are added (float64), so that no machine fuses
// the two.

import (
	"math"

	"applysim/model/pgtype"
	"applysim/model/schema"
)

// The planner's constants. Source: REL_18_1, src/include/optimizer/cost.h,
// src/include/utils/selfuncs.h, src/include/utils/index_selfuncs.h.
const (
	seqPageCost       = 1
	randomPageCost    = 4
	cpuTupleCost      = 0.01
	cpuIndexTupleCost = 0.005
	cpuOperatorCost   = 0.0025
	pageCPUMultiplier = 50

	unequalSelectivity = 0.3333333333333333 // DEFAULT_INEQ_SEL
	rangeSelectivity   = 0.005              // DEFAULT_RANGE_INEQ_SEL
	unknownSelectivity = 0.005              // DEFAULT_UNK_SEL
	defaultDistinct    = 200                // DEFAULT_NUM_DISTINCT
	leastPages         = 10                 // of a table that was never vacuumed
	mostDescents       = 0.3333333          // of an index's pages
	pageBytes          = 8168               // without its header
	tupleOverhead      = 28                 // header and line pointer

	// fuzz is how much better a path's cost must be for it to count
	// (STD_FUZZ_FACTOR).
	fuzz = 1.01
)

// typicalWidth is the width that values of a type are expected to have
// (get_typavgwidth).
func typicalWidth(t *pgtype.Type, typmod int32) int {
	if n := t.Attr().Len; n > 0 {
		return int(n)
	}
	const usual, most = 32, 1000
	n := pgtype.MaximumSize(t, typmod)
	switch {
	case n <= 0:
		return usual
	case t.Base().Name == "bpchar", n <= usual:
		return n
	}
	return usual + (min(n, most)-usual)/2
}

// relation is the planner's view of a table.
type relation struct {
	table         *schema.Table
	pages, tuples float64
	// index gives the pages and the root's level of an index.
	index func(x *schema.Index) (pages, level int)
}

// estimate is the planner's view of a table of so many pages. reltuples and relpages are
// what pg_class has of it, reltuples -1 before the first VACUUM.
func estimate(t *schema.Table, pages int, reltuples float64, relpages int, index func(x *schema.Index) (pages, level int)) *relation {
	if reltuples < 0 {
		pages = max(pages, leastPages)
	}
	if reltuples >= 0 && relpages > 0 {
		return &relation{t, float64(pages), math.RoundToEven(reltuples / float64(relpages) * float64(pages)), index}
	}
	width := tupleOverhead
	for i := range t.Columns {
		if c := &t.Columns[i]; !c.Dropped {
			width += typicalWidth(c.Type, c.Typmod)
		}
	}
	density := max(pageBytes*t.Fillfactor/100/width, 1)
	return &relation{t, float64(pages), float64(density * pages), index}
}

// unique says whether a column is unique by itself.
func (r *relation) unique(column int) bool {
	for _, x := range r.table.Indexes {
		if x.Unique && x.Predicate == "" && len(x.Keys) == 1 && x.Keys[0].Column == column {
			return true
		}
	}
	return false
}

// selectivity is the fraction of rows for which conditions hold that are joined by AND:
// two bounds of one column are a range.
func (r *relation) selectivity(conditions []condition) float64 {
	s := 1.0
	for i := range conditions {
		c := &conditions[i]
		equal := 1 / min(r.tuples, defaultDistinct)
		if c.kind == equality || c.kind == oneOf {
			if r.unique(c.column) {
				equal = 1 / r.tuples
			}
		}
		switch c.kind {
		case equality:
			s *= equal
		case oneOf:
			s *= min(equal*float64(c.values), 1)
		case isNull:
			s *= unknownSelectivity
		case between:
			s *= rangeSelectivity
		default:
			s *= r.bound(conditions, i)
		}
	}
	return s
}

// bound is the selectivity of a bound, 1 if a range has counted it already.
func (r *relation) bound(conditions []condition, i int) float64 {
	c := &conditions[i]
	other := lower
	if c.kind == lower {
		other = upper
	}
	for j := range conditions {
		if d := &conditions[j]; d.column == c.column && d.kind == other {
			if j < i {
				return 1
			}
			return rangeSelectivity
		}
	}
	return unequalSelectivity
}

// unindexed is the selectivity of conditions that no index could check.
func (r *relation) unindexed(kinds []conditionKind) float64 {
	s := 1.0
	for _, k := range kinds {
		switch k {
		case equality:
			s /= min(r.tuples, defaultDistinct)
		case lower:
			s *= unequalSelectivity
		default:
			s *= rangeSelectivity
		}
	}
	return s
}

// clamp makes an estimate of rows a whole number of at least one.
func clamp(rows float64) float64 { return max(math.RoundToEven(rows), 1) }

// fetched is how many of so many pages are fetched for so many rows in no order
// (Mackert and Lohman, with a cache that holds them all).
func fetched(rows, pages float64) float64 {
	pages = max(pages, 1)
	n := 2 * pages * rows / (float64(2*pages) + rows)
	if n >= pages {
		return pages
	}
	return math.Ceil(n)
}

// sequential is the cost of a sequential scan; operators are those of its condition.
func (r *relation) sequential(operators float64) float64 {
	return float64(seqPageCost*r.pages) + float64((cpuTupleCost+float64(operators*cpuOperatorCost))*r.tuples)
}

// byIndex are the costs of an index scan and of a bitmap scan by an index. used are the
// conditions that the index checks, in the order of its columns; operators are those of
// the whole condition, and result is how many rows it holds for.
func (r *relation) byIndex(x *schema.Index, used []condition, operators, result float64) (index, bitmap float64) {
	pageCount, level := r.index(x)
	pages := float64(pageCount)
	// Only conditions up to the first column without a given value narrow the search.
	bounds, column, equal, arrays, nulls := 0, 0, false, false, false
	descents := 1.0
	for _, c := range used {
		if c.key > column {
			if !equal || c.key > column+1 {
				break
			}
			column, equal = c.key, false
		}
		switch c.kind {
		case equality:
			equal = true
		case oneOf:
			equal, arrays = true, true
			if c.values > 1 {
				descents *= float64(c.values)
			}
		case isNull:
			equal, nulls = true, true
		}
		bounds++
	}
	entries := 1.0
	if !(x.Unique && column == len(x.Keys)-1 && equal && !arrays && !nulls) {
		descents = max(min(descents, math.Ceil(pages*mostDescents)), 1)
		entries = math.RoundToEven(r.selectivity(used[:bounds]) * r.tuples / descents)
	}
	entries = max(min(entries, r.tuples), 1)
	leaves := 1.0
	if pages > 1 && r.tuples > 1 {
		leaves = math.Ceil(entries * pages / r.tuples)
	}
	cost := leaves * randomPageCost
	if descents > 1 {
		cost = fetched(float64(leaves*descents), pages) * randomPageCost
	}
	quals := 0.0
	for _, c := range used {
		quals += c.quals()
	}
	cost += float64(entries * descents * (cpuIndexTupleCost + float64(quals*cpuOperatorCost)))
	if r.tuples > 1 {
		cost += float64(descents * math.Ceil(math.Log2(r.tuples)) * cpuOperatorCost)
	}
	cost += float64(descents * float64(level+1) * pageCPUMultiplier * cpuOperatorCost)

	rows := clamp(r.selectivity(used) * r.tuples)
	checked := 0.0
	for _, c := range used {
		checked += c.operators()
	}
	index = cost + float64(fetched(rows, r.pages)*randomPageCost) + float64((cpuTupleCost+float64(max(operators-checked, 0)*cpuOperatorCost))*rows)

	n := fetched(rows, r.pages)
	each := float64(randomPageCost)
	if n >= 2 {
		each -= float64((randomPageCost - seqPageCost) * math.Sqrt(n/max(r.pages, 1)))
	}
	bitmap = cost + float64(0.1*cpuOperatorCost*result) + float64(n*each) + float64((cpuTupleCost+float64(operators*cpuOperatorCost))*rows)
	return index, bitmap
}
