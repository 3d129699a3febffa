package index

// An independent reading of what an insert deletes on its leaf to make room, after
// nbtinsert.c (_bt_delete_or_dedup_one_page, _bt_simpledel_pass), nbtdedup.c
// (_bt_bottomupdel_pass) and heapam.c (heap_index_delete_tuples). The tests of the
// whole index ask it before each insert which heap TIDs will go.

import (
	"cmp"
	"math/bits"
	"slices"

	"applysim/heap/datum"
	"applysim/wal/storage"
)

// refEntry is an item of the leaf with all its heap TIDs.
type refEntry struct {
	refItem
	tids []storage.TID
	dead bool // marked, or will be by the unique check
}

// size of the item with its line pointer, given the TIDs that it has now.
func (e *refEntry) bytes() int {
	if len(e.tids) == 1 {
		return e.base + 4
	}
	return (e.base+6*len(e.tids)+7)/8*8 + 4
}

// PredictDeletes returns the heap TIDs whose entries an insert will delete.
func (t *BTree) PredictDeletes(values []datum.Value, tid storage.TID, unchanged bool) []storage.TID {
	if len(t.pages) == 1 {
		return nil
	}
	var k key
	if err := t.form(&k, values, tid); err != nil {
		return nil
	}
	bytes := t.Counters.KeyBytes
	defer func() { t.Counters.KeyBytes = bytes - int64(k.size) }()
	p := t.descend(&k)
	t.settle(p)
	if at := t.lowerBound(&k, p); p.room() >= k.size && (at == len(p.items) || !p.posting(p.at(at))) {
		return nil // there is room, and no posting list in the way
	}
	checking, duplicate := false, unchanged
	killed := map[*item]bool{}
	if t.opts.Unique {
		checking = t.opts.NullsNotDistinct
		if !checking {
			checking = !slices.ContainsFunc(values[:t.opts.Keys], func(v datum.Value) bool { return v.Null })
		}
	}
	if checking {
		duplicate = t.predictKills(k, p, killed) || duplicate
	}

	entries := make([]refEntry, len(p.items))
	anyDead := false
	for i := range p.items {
		it := p.at(i)
		e := &entries[i]
		e.refItem = t.refItem(p, it, t.tuple(p, p.nth(i)))
		e.tids = tidsOf(p, it)
		e.dead = it.dead() || killed[it]
		anyDead = anyDead || e.dead
	}
	room := p.free
	space := func() int { return max(room-4, 0) }
	var gone []storage.TID
	remove := func(deletable func(e *refEntry, tid storage.TID) bool) {
		kept := entries[:0]
		for _, e := range entries {
			before := e.bytes()
			var tids []storage.TID
			for _, tid := range e.tids {
				if deletable(&e, tid) {
					gone = append(gone, tid)
				} else {
					tids = append(tids, tid)
				}
			}
			e.tids = tids
			if len(tids) == 0 {
				room += before
				continue
			}
			room += before - e.bytes()
			kept = append(kept, e)
		}
		entries = kept
	}
	simple := func() {
		blocks := map[storage.BlockNumber]bool{tid.Block: true}
		for i := range entries {
			if entries[i].dead {
				for _, tid := range entries[i].tids {
					blocks[tid.Block] = true
				}
			}
		}
		remove(func(e *refEntry, tid storage.TID) bool {
			return blocks[tid.Block] && (e.dead || t.heap.Vacuumable(tid))
		})
	}
	if space() >= k.size {
		// Only a dead posting list that the new TID falls into goes now.
		for i := range entries {
			e := &entries[i]
			if n := len(e.tids); n > 1 && e.dead && e.tids[0].Less(tid) && tid.Less(e.tids[n-1]) && t.equalKey(&k, p, p.nth(i)) {
				simple()
				break
			}
		}
		return gone
	}
	if anyDead {
		simple()
		if space() >= k.size {
			return gone
		}
		duplicate = true
	}
	if checking && !duplicate || !unchanged && !duplicate {
		return gone
	}
	deletable := t.predictBottomUp(entries, k.size+4)
	remove(func(_ *refEntry, tid storage.TID) bool { return deletable[tid] })
	return gone
}

func tidsOf(p *page, it *item) []storage.TID {
	list := p.postingTIDs(it)
	if list == nil {
		return []storage.TID{it.tid()}
	}
	var tids []storage.TID
	for ; len(list) > 0; list = list[6:] {
		tids = append(tids, getTID(list))
	}
	return tids
}

func (t *BTree) equalKey(k *key, p *page, n uint16) bool {
	u := t.tuple(p, n)
	return u.natts >= t.opts.Keys && t.compareColumns(k, &u) == 0
}

// predictKills finds the items that a unique check will mark as dead, and says
// whether the insert counts as one of a duplicate. target is the leaf that the
// entry belongs on.
func (t *BTree) predictKills(k key, target *page, killed map[*item]bool) bool {
	k.tid = storage.TID{}
	p := t.descend(&k)
	first := p
	duplicate := p != target
	for {
		t.settle(p)
		for i := t.lowerBound(&k, p); i < len(p.items); i++ {
			it := p.at(i)
			if !t.equalKey(&k, p, p.nth(i)) {
				return duplicate
			}
			duplicate = duplicate || p == first
			if it.dead() {
				continue
			}
			all := true
			for _, tid := range tidsOf(p, it) {
				_, live, dead := t.heap.Fetch(storage.InvalidBlock, tid)
				if live {
					return duplicate
				}
				all = all && dead
			}
			if all {
				killed[it] = true
			}
		}
		if p.next == storage.InvalidBlock {
			return duplicate
		}
		p = t.pages[p.next]
		t.settle(p)
		if len(p.items) == 0 || !t.equalKey(&k, p, p.nth(0)) {
			return duplicate
		}
	}
}

// predictBottomUp returns which heap TIDs a bottom-up pass deletes.
func (t *BTree) predictBottomUp(entries []refEntry, newSize int) map[storage.TID]bool {
	type candidate struct {
		tid       storage.TID
		promising bool
		free      int
	}
	var all []candidate
	keep := t.reference(&page{level: 0}).keep
	for i := 0; i < len(entries); {
		n, tids := 1, len(entries[i].tids)
		for i+n < len(entries) && keep(&entries[i].refItem, &entries[i+n].refItem) > t.opts.Keys &&
			(entries[i].base+6*(tids+len(entries[i+n].tids))+7)/8*8 <= 8192 {
			tids += len(entries[i+n].tids)
			n++
		}
		for _, e := range entries[i : i+n] {
			last := len(e.tids) - 1
			if last == 0 {
				all = append(all, candidate{e.tids[0], n > 1, e.bytes()})
				continue
			}
			middle := e.tids[len(e.tids)/2].Block
			promising := -1
			if n > 1 && e.tids[0].Block == middle {
				promising = 0
			} else if n > 1 && e.tids[last].Block == middle {
				promising = last
			}
			for j, tid := range e.tids {
				all = append(all, candidate{tid, j == promising, 6})
			}
		}
		i += n
	}
	slices.SortFunc(all, func(a, b candidate) int { return a.tid.Compare(b.tid) })
	type group struct {
		block     storage.BlockNumber
		members   []candidate
		promising int
	}
	var groups []group
	for _, c := range all {
		if len(groups) == 0 || groups[len(groups)-1].block != c.tid.Block {
			groups = append(groups, group{block: c.tid.Block})
		}
		g := &groups[len(groups)-1]
		g.members = append(g.members, c)
		if c.promising {
			g.promising++
		}
	}
	power := func(n int) int { return 1 << bits.Len(uint(n-1)) }
	rank := func(g group) (int, int) { return power(max(g.promising, 4)), power(len(g.members)) }
	slices.SortStableFunc(groups, func(a, b group) int {
		ap, an := rank(a)
		bp, bn := rank(b)
		return cmp.Or(cmp.Compare(bp, ap), cmp.Compare(bn, an))
	})
	groups = groups[:min(len(groups), 6)]
	favorable := 0
	for i, g := range groups {
		if i > 0 && max(g.block, groups[i-1].block)-min(g.block, groups[i-1].block) > 3 {
			break
		}
		favorable++
	}
	target, freed := max(8192/16, newSize), 0
	gone := map[storage.TID]bool{}
	for i, g := range groups {
		if i >= favorable {
			target /= 2
		}
		before, reached := freed, false
		for _, c := range g.members {
			if t.heap.Vacuumable(c.tid) {
				gone[c.tid] = true
				freed += c.free
				reached = reached || freed >= target
			}
		}
		if reached || freed == before {
			break
		}
	}
	return gone
}
