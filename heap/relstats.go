package heap

// What VACUUM notes of a table in its row of pg_class, after vacuum.c
// (vac_estimate_reltuples, vac_update_relstats).

import (
	"math"

	"applysim/wal/storage"
)

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

// countLive counts a row that VACUUM takes for a live one, or must keep.
func (s *VacuumScan) countLive(st status) {
	switch st {
	case statusLive, statusDeleteInProgress:
		s.live++
	case statusRecentlyDead:
		s.recent++
	}
}

// Noted writes what VACUUM has found out into pg_class. It says whether that changed
// the table's row, or the visibility map was made: other sessions forget then what
// they remember of the table, the target block included. With neither, nobody learns
// that there was a VACUUM.
func (t *Table) Noted(s *VacuumScan) (forgotten bool) {
	nu := classStats{pages: t.pages.n, tuples: t.class.estimate(s.pages, s.scanned, s.live), minMulti: t.class.minMulti}
	t.countMap(&nu)
	if !s.skipped {
		nu.minMulti = max(nu.minMulti, s.multi)
	}
	forgotten = nu != t.class || s.frozenMoved || len(t.vm.pages) > s.mapBefore
	t.class = nu
	return forgotten
}

// countMap counts the pages that are marked in the visibility map.
func (t *Table) countMap(c *classStats) {
	c.visible, c.frozen = 0, 0
	for _, bits := range t.vm.bits[:min(len(t.vm.bits), t.pages.n)] {
		if bits&vmAllVisible != 0 {
			c.visible++
		}
		if bits&vmAllFrozen != 0 && !t.xacts.before(versionEagerFreezing) { // relallfrozen is a column of 18's
			c.frozen++
		}
	}
}

// NoteRows writes into pg_class that the table has so many rows, as CREATE INDEX does
// after it has read them (index.c, index_update_stats) or a VACUUM that has read them
// all. It says whether that changed the table's row there.
func (t *Table) NoteRows(rows int64) (forgotten bool) {
	nu := t.class
	nu.pages, nu.tuples = t.pages.n, float32(rows)
	t.countMap(&nu)
	forgotten = nu != t.class
	t.class = nu
	return forgotten
}

// sampledPages is how many pages ANALYZE reads of a larger table, at random: 300 for each
// of default_statistics_target's 100 (std_typanalyze).
const sampledPages = 30_000

// Analyze reads the table as ANALYZE does (analyze.c, acquire_sample_rows;
// heapam_handler.c, heapam_scan_analyze_next_tuple) and notes what it finds: dead
// versions, and line pointers of such, are what statistics have for dead rows from then
// on. In passing it sets hint bits; of a table with more pages than are sampled none, and
// there the numbers are those of all pages. It says whether pg_class was changed.
func (t *Table) Analyze() (forgotten bool) {
	t.counting = t.pages.n > sampledPages
	defer func() { t.counting = false }()
	dead := int64(0)
	for b := range t.pages.n {
		p := t.pages.at(storage.BlockNumber(b))
		if p.blank || p.virtual() && (t.counting || t.loaded.infomask&xminCommitted != 0) {
			continue
		}
		p = t.page(storage.BlockNumber(b))
		for i, lp := range p.items {
			switch lp.flags() {
			case lpDead:
				dead++
			case lpNormal:
				if s := t.vacuumStatus(p, p.header(storage.OffsetNumber(i+1))); s == statusDead || s == statusRecentlyDead {
					dead++
				}
			}
		}
	}
	t.dead = dead
	return t.NoteRows(t.live)
}

// AnalyzedBefore notes that an ANALYZE has read the rows that were there before the run.
func (t *Table) AnalyzedBefore() {
	if t.loaded != nil && t.pages.n <= sampledPages {
		t.loaded.infomask |= xminCommitted
	}
	t.NoteRows(t.live)
}

// Class is what pg_class has of the table: reltuples, 0 for unknown ones, relpages and
// relallfrozen.
func (t *Table) Class() (rows float32, pages, frozen int) {
	return max(t.class.tuples, 0), t.class.pages, t.class.frozen
}

// Density is what the planner reads of pg_class: reltuples, -1 as long as nobody has
// counted, and relpages.
func (t *Table) Density() (rows float32, pages int) { return t.class.tuples, t.class.pages }
