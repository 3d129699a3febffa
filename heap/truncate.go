package heap

// Giving back empty pages at a table's end, after vacuumlazy.c
// (lazy_truncate_heap) and storage.c (RelationTruncate).

import (
	"applysim/wal"
	"applysim/wal/storage"
)

// TruncationTried says whether VACUUM tries to give pages at the table's end back
// (should_attempt_truncation). The lock for it costs a transaction id, whether
// pages go or not.
func (t *Table) TruncationTried(s *VacuumScan) bool {
	free := s.pages - s.nonempty
	return !s.opts.NoTruncate && free > 0 && (free >= truncateMinimum || free >= s.pages/truncateFraction)
}

// Remaining returns how many pages stay if VACUUM gives the empty ones at the
// table's end back: a page with a dead line pointer is not empty
// (count_nondeletable_pages).
func (t *Table) Remaining(s *VacuumScan) int {
	n := s.pages
	for n > s.nonempty && t.empty(t.page(storage.BlockNumber(n-1))) {
		n--
	}
	return n
}

// empty says whether a page has no line pointer in use.
func (t *Table) empty(p *page) bool {
	for _, lp := range p.items {
		if lp.flags() != lpUnused {
			return false
		}
	}
	return true
}

// Truncate gives the pages from n on back. Where hints are logged, so are the last
// pages of the maps that stay. The truncation's own record, which is the storage
// manager's and belongs to no change, is not written if quiet.
func (t *Table) Truncate(n int, quiet bool) {
	if t.owner != storage.InvalidBlock && int(t.owner) >= n {
		t.disown()
	}
	t.pages.truncate(n)
	t.ForgetTarget() // an invalidation of the file tells all processes (CacheInvalidateSmgr)
	t.rows = nil
	hints := t.log.HintsLogged()

	last, block, cut := t.fsm.Truncate(storage.BlockNumber(n))
	if last != nil {
		last.Dirty = true
		if hints {
			last.LSN = t.log.NewPageFork(t.rel, forkFSM, block, last)
		}
	}
	if v := t.vm.truncate(n); v != nil {
		v.dirty = true
		if hints {
			v.lsn = t.log.NewPageFork(t.rel, forkVM, storage.BlockNumber(v.n), v)
		}
	}
	if !quiet {
		t.log.InsertPlain(wal.StorageTruncate, 0)
	}
	if cut {
		t.fsm.Vacuum(storage.BlockNumber(n), storage.InvalidBlock)
	}
}

// truncate forgets the bits of the heap pages from n on. It returns the map's last
// page if only a part of it stays (visibilitymap_prepare_truncate).
func (m *visibilityMap) truncate(n int) *vmPage {
	for b := n; b < len(m.bits); b++ {
		m.bits[b] = 0
	}
	m.bits = m.bits[:min(len(m.bits), n)]
	last := n / vmBlocksPerPage
	if n%vmBlocksPerPage == 0 {
		m.pages = m.pages[:min(len(m.pages), last)]
		return nil
	}
	if last >= len(m.pages) {
		return nil
	}
	m.pages = m.pages[:last+1]
	return &m.pages[last]
}
