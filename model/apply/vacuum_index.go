package apply

import (
	"applysim/heap/datum"
	"applysim/index"
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

// vacuumedForeign is an index that is not modelled as VACUUM sees it.
type vacuumedForeign struct{ hash *hashRows }

// BulkDelete forgets the entries of dead rows.
func (f vacuumedForeign) BulkDelete(dead func(storage.TID) bool, _ uint64) {
	if f.hash != nil {
		f.hash.bulkDelete(dead)
	}
}

// VacuumCleanup does nothing.
func (vacuumedForeign) VacuumCleanup() {}

// Pages is unknown.
func (vacuumedForeign) Pages() int { return 0 }
