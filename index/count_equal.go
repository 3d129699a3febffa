package index

// Counting what deduplication and bottom-up deletion compare: each item of a leaf with the
// one before it, column by column until one differs (_bt_keep_natts_fast).

// The first passes are all counted, later ones one in so many; those between are taken to
// compare as often as the last one that was counted.
const (
	passesCounted = 256
	passesApart   = 16
)

// equalities are what passes over leaves compared.
type equalities struct {
	passes    int64
	sum, last []int64 // by key column
}

// Equalities says for each key column how often deduplication and bottom-up deletion
// compared two items by it.
func (t *BTree) Equalities() (deduplication, bottomUp []int64) {
	deduplication, bottomUp = make([]int64, t.opts.Keys), make([]int64, t.opts.Keys)
	copy(deduplication, t.merging.sum)
	copy(bottomUp, t.deleting.sum)
	return deduplication, bottomUp
}

// countEqual counts what a pass over leaf p compares. tail has the items that are not yet in
// their place, in order.
func (t *BTree) countEqual(e *equalities, p *page, tail []sortItem) {
	e.passes++
	if e.sum == nil {
		e.sum, e.last = make([]int64, t.opts.Keys), make([]int64, t.opts.Keys)
	}
	if e.passes <= passesCounted || e.passes%passesApart == 0 {
		clear(e.last)
		if t.opts.Keys == 1 {
			e.last[0] = int64(len(p.items) - 1)
		} else {
			t.compareNeighbours(e.last, p, tail)
		}
	}
	for i, n := range e.last {
		e.sum[i] += n
	}
}

// compareNeighbours compares each item with the one before it, and counts by column.
func (t *BTree) compareNeighbours(compared []int64, p *page, tail []sortItem) {
	placed := len(p.items) - len(tail)
	var before tuple
	for i, j := 0, 0; i+j < len(p.items); {
		var m uint16
		if j < len(tail) && (i == placed || tail[j].hi < p.at(i).hi) {
			m = tail[j].n
			j++
		} else {
			m = p.nth(i)
			i++
		}
		u := t.tuple(p, m)
		if i+j > 1 {
			for c := range min(t.keepAttsFast(&before, &u), t.opts.Keys) {
				compared[c]++
			}
		}
		before = u
	}
}
