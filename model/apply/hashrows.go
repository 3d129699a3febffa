package apply

import (
	"maps"
	"slices"

	"applysim/heap/datum"
	"applysim/index/opclass"
	"applysim/wal/storage"
)

// hashRows finds the rows of a hash index by their hash, as far as what that does to
// the heap is concerned: its pages are not modelled. Among entries of one hash the
// newest comes first, as on a page of a bucket that was not split (_hash_binsearch).
// NULLs have no entries.
type hashRows struct {
	class *opclass.Class
	heap  rowFetcher
	rows  map[uint32][]storage.TID // the oldest first
	scan  hashScan
}

// rowFetcher is the table of the rows; see index.Heap.
type rowFetcher interface {
	Fetch(stay storage.BlockNumber, tid storage.TID) (found storage.TID, ok, allDead bool)
}

func (h *hashRows) insert(v *datum.Value, tid storage.TID) {
	if !v.Null {
		k := uint32(h.class.Hash(v, 0))
		h.rows[k] = append(h.rows[k], tid)
	}
}

// bulkDelete forgets the entries of dead rows (hashbulkdelete).
func (h *hashRows) bulkDelete(dead func(storage.TID) bool) {
	for k, list := range h.rows {
		h.rows[k] = slices.DeleteFunc(list, dead)
	}
}

// empty forgets all entries.
func (h *hashRows) empty() (restore func()) {
	old := h.rows
	h.rows = map[uint32][]storage.TID{}
	return func() { h.rows = maps.Clone(old) }
}

// hashScan goes over the entries of a hash.
type hashScan struct {
	h    *hashRows
	key  uint32
	next int // place of the next entry, counted down
	stay storage.BlockNumber
	dead []int // places of entries that lead to nothing but dead versions
}

// lookup begins a scan for a value. For NULL it finds nothing, not even NULLs
// (_hash_first).
func (h *hashRows) lookup(v *datum.Value) *hashScan {
	s := &h.scan
	*s = hashScan{h: h, dead: s.dead[:0], stay: storage.InvalidBlock}
	if !v.Null {
		s.key = uint32(h.class.Hash(v, 0))
		s.next = len(h.rows[s.key])
	}
	return s
}

// Next returns the next row that is there.
func (s *hashScan) Next() (storage.TID, bool) {
	for s.next > 0 {
		s.next--
		tid := s.h.rows[s.key][s.next]
		found, ok, allDead := s.h.heap.Fetch(s.stay, tid)
		s.stay = tid.Block
		if ok {
			return found, true
		}
		if allDead {
			s.dead = append(s.dead, s.next)
		}
	}
	return storage.TID{}, false
}

// End forgets the entries that were found dead (_hash_kill_items).
func (s *hashScan) End() {
	for _, i := range s.dead { // in descending order
		s.h.rows[s.key] = slices.Delete(s.h.rows[s.key], i, i+1)
	}
	s.dead = s.dead[:0]
}

// rowScan is a scan for rows with equal keys, whatever the index.
type rowScan interface {
	Next() (storage.TID, bool)
	End()
}

// equals begins a scan for the rows with the key in x.values; use is as for
// index.BTree.Lookup.
func (x *localIndex) equals(use []bool) rowScan {
	if x.hash != nil {
		return x.hash.lookup(&x.values[0])
	}
	return x.btree.Lookup(x.values, use)
}

// findByHash is findByIndex for a hash index.
func (w *Worker) findByHash(r *relation, scan rowScan) (storage.TID, bool) {
	t := r.local
	defer scan.End()
	for {
		tid, ok := scan.Next()
		if !ok {
			return tid, false
		}
		t.idxReads++
		t.heap.Pin(tid.Block)
		t.heap.Values(w.row, tid)
		t.counters.Compared++
		if !w.equal(r, t.compared, 1) {
			continue
		}
		w.needLookupXID()
		w.touched.rows = true
		t.heap.Lock(tid)
		return tid, true
	}
}
