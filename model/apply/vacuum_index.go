package apply

import (
	"applysim/heap/datum"
	"applysim/index"
	"applysim/model/accessmethod"
	"applysim/wal/storage"
)

// vacuumedIndex is an index as VACUUM sees it.
type vacuumedIndex interface {
	BulkDelete(dead func(storage.TID) bool, workMem uint64)
	VacuumCleanup()
	Pages() int
}

// vacuumedBRIN is a BRIN index as VACUUM sees it.
type vacuumedBRIN struct {
	*index.BRIN
	x   *localIndex
	w   *Worker
	err error
}

// BulkDelete does nothing: summaries never shrink (brinbulkdelete).
func (b *vacuumedBRIN) BulkDelete(func(storage.TID) bool, uint64) {}

// VacuumCleanup summarises new ranges. Each is a scan of its pages that is counted
// (table_index_build_range_scan).
func (b *vacuumedBRIN) VacuumCleanup() {
	x, t := b.x, b.x.owner
	row := make([]datum.Value, len(t.schema.Columns))
	b.err = b.BRIN.VacuumCleanup(t.heap.Pages(), func(from, to int, yield func([]datum.Value) error) (err error) {
		t.seqScans++
		t.heap.ScanFrom(storage.BlockNumber(from), func(tid storage.TID) bool {
			if n := int(tid.Block); n < from || n >= to { // the scan goes on at the first page
				return false
			}
			t.seqReads++
			t.heap.Values(row, tid)
			if x.predicate != nil {
				var ok bool
				if ok, err = x.holds(row); err != nil || !ok {
					return err == nil
				}
			}
			if err = x.entry(row); err == nil {
				err = yield(x.values)
			}
			return err == nil
		})
		return err
	})
}

// vacuumedForeign is an index of another access method as VACUUM sees it.
type vacuumedForeign struct {
	x  *localIndex
	am accessmethod.Index
}

// BulkDelete forgets the entries of dead rows.
func (f vacuumedForeign) BulkDelete(dead func(storage.TID) bool, workMem uint64) {
	switch {
	case f.x.hash != nil:
		f.x.hash.bulkDelete(dead)
	case f.x.btree != nil:
		f.x.btree.BulkDelete(dead, workMem)
	}
	f.am.BulkDelete(dead, workMem)
}

// VacuumCleanup is what comes after.
func (f vacuumedForeign) VacuumCleanup() {
	if f.x.btree != nil {
		f.x.btree.VacuumCleanup()
	}
	f.am.VacuumCleanup()
}

// Pages is zero: how large such an index is decides nothing.
func (vacuumedForeign) Pages() int { return 0 }
