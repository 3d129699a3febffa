package heap

// What VACUUM notes of a table in its row of pg_class, after vacuum.c
// (vac_estimate_reltuples, vac_update_relstats).

import "math"

// classStats are the columns of a table's row in pg_class that VACUUM keeps.
type classStats struct {
	pages           int
	tuples          float32 // -1 if unknown
	visible, frozen int     // pages in the visibility map
	minMulti        uint32  // no older MultiXact is in the table
}

// fewPages is the part of a table that says too little of the rest of it
// (vac_estimate_reltuples).
const fewPages = 0.02

// newClassStats are those of a new file.
func (t *Table) newClassStats() classStats {
	return classStats{tuples: -1, minMulti: t.xacts.nextMulti()}
}

// estimate is the number of rows in a table of so many pages, of which only some were
// read.
func (c *classStats) estimate(pages, scanned, tuples int) float32 {
	switch {
	case scanned >= pages:
		return float32(tuples)
	case c.pages == pages && float64(scanned) < float64(float64(pages)*fewPages), scanned <= 1:
		return c.tuples
	case c.tuples < 0 || c.pages == 0:
		return float32(math.Floor(float64(float64(tuples)/float64(scanned)*float64(pages)) + 0.5))
	}
	density := float64(c.tuples) / float64(c.pages)
	return float32(math.Floor(float64(density*float64(pages-scanned)) + float64(tuples) + 0.5))
}

// countLive counts a row that VACUUM takes for a live one.
func (s *VacuumScan) countLive(st status) {
	if st == statusLive || st == statusDeleteInProgress {
		s.live++
	}
}

// Noted writes what VACUUM has found out into pg_class. It says whether that changed
// the table's row, or the visibility map was made: other sessions forget then what
// they remember of the table, the target block included. With neither, nobody learns
// that there was a VACUUM.
func (t *Table) Noted(s *VacuumScan) (forgotten bool) {
	nu := classStats{pages: t.pages.n, tuples: t.class.estimate(s.pages, s.scanned, s.live), minMulti: t.class.minMulti}
	for _, bits := range t.vm.bits[:min(len(t.vm.bits), t.pages.n)] {
		if bits&vmAllVisible != 0 {
			nu.visible++
		}
		if bits&vmAllFrozen != 0 && !t.xacts.Before18 { // relallfrozen is a column of 18's
			nu.frozen++
		}
	}
	if !s.skipped {
		nu.minMulti = max(nu.minMulti, s.multi)
	}
	forgotten = nu != t.class || s.frozenMoved || len(t.vm.pages) > s.mapBefore
	t.class = nu
	return forgotten
}
