package accessmethod

// GiST, after gist.c, gistsplit.c and the operator classes' own picksplit functions.

import (
	"cmp"
	"math"
	"slices"

	"applysim/heap/datum"
	"applysim/model/pgtype"
	"applysim/wal"
	"applysim/wal/storage"
)

// Sizes of GiST's structs. Source: REL_18_1, src/include/access/gist.h, gistxlog.h.
const (
	gistSpecial = 16
	gistUpdate  = 4
	gistSplit   = 24
	gistOffset  = 2
	gistDelete  = 8
)

// gist is a GiST index as a tree of boxes: each column's values lie on a line or in a
// plane, a signature anywhere on a line. An insertion goes where boxes grow least, a full
// page is divided where the halves overlap least, as the operator classes for boxes and
// ranges do it.
type gist struct {
	logger
	o      Options
	root   *gistNode
	pages  int
	inner  int        // size of a tuple of upper pages
	signed int        // bytes of the first column's signature, 0 if it has none
	keys   *extractor // of its values
	work   Work
}

type gistNode struct {
	page
	leaf    bool
	entries []gistEntry
}

type gistEntry struct {
	boxes []box
	sig   signature // of the first column, nil if it has none
	size  int
	child *gistNode
	tid   storage.TID
}

func newGiST(o Options) *gist {
	g := &gist{logger: logger{log: o.Log, rel: o.Rel, tail: gistSpecial}, o: o}
	g.inner = tupleHeader
	for i := range o.Columns {
		g.inner += g.keySize(i, nil)
	}
	g.inner = maxAlign(g.inner)
	if g.signed = signatureBytes(&o.Columns[0]); g.signed > 0 {
		c := o.Columns[0]
		if c.OpClass == "gist_trgm_ops" {
			c.OpClass = "gin_trgm_ops"
		}
		g.keys = newExtractor(0, c)
	}
	g.Truncate()
	return g
}

func (g *gist) Truncate()   { g.root, g.pages = &gistNode{leaf: true}, 1 }
func (g *gist) Work() *Work { return &g.work }
func (g *gist) Pages() int  { return g.pages }

// keySize is what a column takes in a tuple, before alignment: of a value, or on upper
// pages for nil.
func (g *gist) keySize(i int, v *datum.Value) int {
	c := &g.o.Columns[i]
	t := c.Type.Base()
	switch signatureBytes(c) {
	case vectorSignature:
		return 4 + 4 + vectorSignature
	case trigramSignature:
		return varlenaSize(1 + trigramSignature)
	}
	switch t.Kind {
	case pgtype.KindPoint, pgtype.KindBox, pgtype.KindCircle, pgtype.KindPolygon:
		return 32
	case pgtype.KindRange, pgtype.KindMultirange:
		if v == nil {
			if w := t.Elem.Base().Len; w > 0 {
				return varlenaSize(5 + 2*int(w))
			}
			return varlenaSize(20)
		}
		return varlenaSize(len(v.Bytes))
	case pgtype.KindInet, pgtype.KindCidr: // family, bits and address
		return varlenaSize(7)
	}
	switch {
	case t.Len > 0: // btree_gist keeps a lower and an upper bound
		return 2 * int(t.Len)
	case v == nil:
		return varlenaSize(2 * (4 + 16))
	}
	return varlenaSize(4 + maxAlign(4+len(v.Bytes)) + len(v.Bytes))
}

func (g *gist) Insert(values []datum.Value, tid storage.TID) {
	g.work.Rows++
	e := gistEntry{boxes: make([]box, len(g.o.Columns)), size: tupleHeader, tid: tid}
	for i := range e.boxes {
		if values[i].Null {
			continue
		}
		g.work.Keys++
		g.work.Parsed += int64(len(values[i].Bytes))
		if i == 0 && g.signed > 0 {
			e.sig = sign(g.keys, &values[i], g.signed)
			n := len(g.keys.keys)
			if g.signed == trigramSignature {
				e.size += varlenaSize(1 + 3*n)
			} else {
				e.size += varlenaSize(min(4+4*n, 4+vectorSignature*4))
			}
			continue
		}
		e.boxes[i] = boxOf(g.o.Columns[i].Type.Base(), &values[i])
		e.size += g.keySize(i, &values[i])
	}
	e.size = maxAlign(e.size)
	if g.signed > 0 && e.sig == nil {
		e.sig = make(signature, (g.signed+7)/8)
	}
	if right := g.insert(g.root, &e); right != nil {
		left := &gistNode{leaf: g.root.leaf, entries: g.root.entries, page: g.root.page}
		g.root = &gistNode{}
		g.pages++
		for _, n := range []*gistNode{left, right} {
			g.root.entries = append(g.root.entries, g.downlink(n))
			g.root.used += g.inner + linePointer
		}
		g.root.lsn = g.log.LSN()
	}
}

// insert puts an entry below a page (gistdoinsert); it returns the page's right half if
// it was divided.
func (g *gist) insert(n *gistNode, e *gistEntry) (right *gistNode) {
	if n.leaf {
		n.entries = append(n.entries, *e)
		n.used += e.size + linePointer
		g.work.Placed += int64(e.size)
		if n.used <= room(gistSpecial) {
			g.write(wal.GistPageUpdate, recordHead+mainHead+gistUpdate+firstBlock+e.size, e.size, &n.page)
			return nil
		}
		return g.split(n)
	}
	at := g.choose(n, e)
	down := &n.entries[at]
	grew := false
	for i := range down.boxes {
		grew = down.boxes[i].join(&e.boxes[i]) || grew
	}
	if e.sig != nil {
		grew = down.sig.join(e.sig) || grew
	}
	if grew {
		g.work.Entries++
		g.write(wal.GistPageUpdate, recordHead+mainHead+gistUpdate+firstBlock+gistOffset+g.inner, gistOffset+g.inner, &n.page)
	}
	half := g.insert(down.child, e)
	if half == nil {
		return nil
	}
	*down = g.downlink(down.child)
	n.entries = append(n.entries, g.downlink(half))
	n.used += g.inner + linePointer
	if n.used <= room(gistSpecial) {
		data := gistOffset + 2*g.inner
		g.write(wal.GistPageUpdate, recordHead+mainHead+gistUpdate+firstBlock+anotherBlock+data, data, &n.page)
		return nil
	}
	return g.split(n)
}

// choose is the entry whose box grows least, column by column (gistchoose).
func (g *gist) choose(n *gistNode, e *gistEntry) int {
	best, least := 0, math.Inf(1)
	g.work.Penalty += int64(len(n.entries))
	if e.sig != nil {
		for i := range n.entries {
			if d := float64(n.entries[i].sig.distance(e.sig)); d < least {
				best, least = i, d
			}
		}
		return best
	}
	for i := range n.entries {
		x := &n.entries[i]
		grows := x.boxes[0].enlargement(&e.boxes[0], g.flat(0))
		if grows > least {
			continue
		}
		if grows == least {
			if len(e.boxes) < 2 || x.boxes[1].enlargement(&e.boxes[1], g.flat(1)) >= n.entries[best].boxes[1].enlargement(&e.boxes[1], g.flat(1)) {
				continue
			}
		}
		best, least = i, grows
	}
	return best
}

// flat says whether a column's values lie on a line.
func (g *gist) flat(i int) bool {
	switch g.o.Columns[i].Type.Base().Kind {
	case pgtype.KindPoint, pgtype.KindBox, pgtype.KindCircle, pgtype.KindPolygon:
		return false
	}
	return true
}

// downlink is the entry of a page on the page above: the union of all that is on it.
func (g *gist) downlink(n *gistNode) gistEntry {
	e := gistEntry{boxes: slices.Clone(n.entries[0].boxes), sig: slices.Clone(n.entries[0].sig), size: g.inner, child: n}
	for i := range n.entries[1:] {
		for k := range e.boxes {
			e.boxes[k].join(&n.entries[1+i].boxes[k])
		}
		if e.sig != nil {
			e.sig.join(n.entries[1+i].sig)
		}
	}
	return e
}

// leastHalf is the smallest share of the entries that a half may have (LIMIT_RATIO).
const leastHalf = 0.3

// split divides a page and logs all its tuples (gistplacetopage). It returns the right
// half.
func (g *gist) split(n *gistNode) *gistNode {
	g.work.Splits++
	g.work.SplitItems += int64(len(n.entries))
	bytes := n.used - len(n.entries)*linePointer
	k := g.divide(n.entries)
	right := &gistNode{leaf: n.leaf, entries: slices.Clone(n.entries[k:])}
	n.entries = n.entries[:k:k]
	n.used = 0
	for i := range n.entries {
		n.used += n.entries[i].size + linePointer
	}
	for i := range right.entries {
		right.used += right.entries[i].size + linePointer
	}
	g.pages++
	if !g.quiet {
		length := recordHead + mainHead + gistSplit + firstBlock + anotherBlock + 2*4 + bytes
		if n == g.root {
			length += anotherBlock + 4 + 2*g.inner
		}
		n.lsn = g.log.Estimate(wal.GistPageSplit, g.rel, length, 0)
		right.lsn = n.lsn
	}
	return right
}

// divide puts the entries in an order and says where to cut it: where the halves overlap
// least. Along one axis of a plane that may be the widest gap; between the axes, of those
// along which nothing overlaps, the longer one is better (gist_box_picksplit). Of equal
// places on a line the halves' being alike decides (range_gist_picksplit).
func (g *gist) divide(list []gistEntry) int {
	if g.signed > 0 {
		return divideSignatures(list)
	}
	axes := 2
	if g.flat(0) {
		axes = 1
	}
	type cut struct {
		axis, at              int
		overlap, ratio, width float64
	}
	var best cut
	least := int(math.Ceil(float64(len(list)) * leastHalf))
	for axis := range axes {
		sortBy(list, axis)
		rights := make([]float64, len(list)+1)
		rights[len(list)] = math.Inf(1)
		upper := math.Inf(-1)
		for i := len(list) - 1; i >= 0; i-- {
			rights[i] = min(rights[i+1], list[i].boxes[0][2*axis])
			upper = max(upper, list[i].boxes[0][2*axis+1])
		}
		width := upper - list[0].boxes[0][2*axis]
		upper = math.Inf(-1)
		for i := 1; i <= len(list)-least; i++ {
			upper = max(upper, list[i-1].boxes[0][2*axis+1])
			if i < least {
				continue
			}
			c := cut{axis: axis, at: i, width: width, ratio: float64(min(i, len(list)-i)) / float64(len(list))}
			if width > 0 {
				c.overlap = (upper - rights[i]) / width
			}
			if axes == 1 {
				c.overlap = max(c.overlap, 0)
			}
			switch {
			case best.at == 0:
			case best.axis == axis:
				if c.overlap > best.overlap || c.overlap == best.overlap && c.ratio <= best.ratio {
					continue
				}
			default:
				x, y := max(c.overlap, 0), max(best.overlap, 0)
				if x > y || x == y && c.width <= best.width {
					continue
				}
			}
			best = c
		}
	}
	if best.at == 0 {
		return len(list) / 2
	}
	sortBy(list, best.axis)
	return best.at
}

func sortBy(list []gistEntry, axis int) {
	slices.SortStableFunc(list, func(a, b gistEntry) int {
		return cmp.Or(cmp.Compare(a.boxes[0][2*axis], b.boxes[0][2*axis]), cmp.Compare(a.boxes[0][2*axis+1], b.boxes[0][2*axis+1]))
	})
}

// BulkDelete takes dead rows' entries from the leaves (gistbulkdelete).
func (g *gist) BulkDelete(dead func(storage.TID) bool, _ uint64) { g.bulkDelete(g.root, dead) }

func (g *gist) bulkDelete(n *gistNode, dead func(storage.TID) bool) {
	if !n.leaf {
		for i := range n.entries {
			g.bulkDelete(n.entries[i].child, dead)
		}
		return
	}
	before := len(n.entries)
	bytes := 0
	n.entries = slices.DeleteFunc(n.entries, func(e gistEntry) bool {
		gone := dead(e.tid)
		if gone {
			bytes += e.size + linePointer
		}
		return gone
	})
	if gone := before - len(n.entries); gone > 0 {
		n.used -= bytes
		g.work.Removed += int64(gone)
		g.write(wal.GistPageUpdate, recordHead+mainHead+gistUpdate+firstBlock+gistOffset*gone, gistOffset*gone, &n.page)
	}
}

func (g *gist) VacuumCleanup() {}

func (g *gist) Build(n int, rows func(add func(values []datum.Value, tid storage.TID))) {
	g.quiet = true
	rows(g.Insert)
	g.quiet = false
	g.work = Work{}
}
