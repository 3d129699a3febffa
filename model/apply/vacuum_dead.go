package apply

import "applysim/wal/storage"

// deadItems are the heap TIDs whose index entries VACUUM removes: a set of line pointers
// for each page that has some, for each entry of each index is looked up.
type deadItems struct {
	first storage.BlockNumber
	place []int32 // by page from first on: where its set is, from 1; 0 if it has none
	sets  []lineSet
}

// lineSet is a set of line pointers of a page, of which there are 291 at most.
type lineSet [5]uint64

// set makes the set of TIDs, which are in order.
func (d *deadItems) set(tids []storage.TID) {
	d.place, d.sets = d.place[:0], d.sets[:0]
	if len(tids) == 0 {
		return
	}
	d.first = tids[0].Block
	n := int(tids[len(tids)-1].Block-d.first) + 1
	if cap(d.place) < n {
		d.place = make([]int32, n)
	}
	d.place = d.place[:n]
	clear(d.place)
	for _, tid := range tids {
		at := &d.place[tid.Block-d.first]
		if *at == 0 {
			d.sets = append(d.sets, lineSet{})
			*at = int32(len(d.sets))
		}
		d.sets[*at-1][tid.Offset/64] |= 1 << (tid.Offset % 64)
	}
}

// has says whether a TID is in the set.
func (d *deadItems) has(tid storage.TID) bool {
	n := tid.Block - d.first
	if tid.Block < d.first || int(n) >= len(d.place) || d.place[n] == 0 {
		return false
	}
	return d.sets[d.place[n]-1][tid.Offset/64]>>(tid.Offset%64)&1 != 0
}
