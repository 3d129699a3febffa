package heap

// Pruning, after pruneheap.c and bufpage.c (PageRepairFragmentation).

import (
	"applysim/wal"
	"applysim/wal/storage"
)

// pruning is the plan for one page.
type pruning struct {
	status      [MaxHeapTuplesPerPage + 1]status
	processed   [MaxHeapTuplesPerPage + 1]bool
	redirects   []storage.OffsetNumber // pairs: from, to
	dead        []storage.OffsetNumber // become LP_DEAD
	unused      []storage.OffsetNumber // become LP_UNUSED
	pruneXID    uint32                 // new hint: oldest transaction that left something to prune
	conflictXID uint32                 // newest one that ended a version which goes
	deleted     int                    // versions that go
	chain       []storage.OffsetNumber

	// VACUUM's part: whether versions may be frozen, from which transaction on they
	// must be, whether dead line pointers become unused at once since no index leads
	// to them.
	freeze, unusedNow bool
	freezeLimit       uint32
	byChain           bool    // only versions that chains were followed to set pruneXID
	redo              wal.LSN // the redo pointer as the process knows it

	frozen         []freezing
	freezeRequired bool
	oldest         uint32 // transaction that stays, 0 if all are frozen
	allVisible     bool   // everybody sees all that stays
	allFrozen      bool   // and all that stays is frozen
	hasTuples      bool   // something stays
	normalXmin     bool   // and a version whose inserter is not frozen is among it
}

// pruneOnAccess prunes a page that is visited, if it is worth it: something was
// ended by a transaction that all have forgotten, and the page is full or short
// of space (heap_page_prune_opt). A page that the worker itself keeps in use
// cannot be pruned.
func (t *Table) pruneOnAccess(block storage.BlockNumber) { t.pruneVisited(t.page(block)) }

func (t *Table) pruneVisited(p *page) {
	t.Counters.PruneChecks++
	if p.block != t.visited {
		t.visited = p.block
		t.Counters.OtherPages++
	}
	if p.block != t.pinned && p.block != t.ahead && t.worthPruning(p) {
		t.prune(p.block, wal.Heap2PruneOnAccess)
	}
}

// worthPruning says whether a visit prunes a page that nobody else has pinned.
func (t *Table) worthPruning(p *page) bool {
	return p.pruneXID != 0 && t.xacts.removable(p.pruneXID) &&
		(p.full || p.freeSpace() < max(t.reserve, storage.PageSize/10))
}

// VisitsPrune says whether there is a page of the TOAST table that reading a chunk on it
// would prune.
func (t *Table) VisitsPrune() bool {
	kept := make([]storage.BlockNumber, 0, len(t.mayPrune))
	any := false
	for _, b := range t.mayPrune {
		if int(b) >= t.pages.n {
			continue
		}
		if p := t.page(b); p.pruneXID != 0 {
			kept = append(kept, b)
			any = any || t.worthPruning(p)
		}
	}
	t.mayPrune = kept
	return any
}

// prune removes dead versions from a page (heap_page_prune_and_freeze).
func (t *Table) prune(block storage.BlockNumber, typ wal.RecordType) {
	t.Counters.Prunes++
	p := t.page(block)
	if t.owner == block {
		t.disown()
	}
	p.materialize()
	t.Counters.PrunedLines += int64(len(p.items))
	r := &t.pruning
	r.byChain = t.xacts.before(versionPruneFreezes)
	quick := p.summary != nil && p.summary.known && !r.freeze && !r.unusedNow && p.stale() == nil && !t.log.Compresses()
	if quick && !r.byChain && t.log.Detail() == nil && t.pruneQuick(p, typ) {
		return
	}
	r.redirects, r.dead, r.unused = r.redirects[:0], r.dead[:0], r.unused[:0]
	r.pruneXID, r.conflictXID, r.deleted = 0, 0, 0
	r.frozen, r.freezeRequired, r.oldest = r.frozen[:0], false, 0
	r.allVisible, r.allFrozen, r.hasTuples, r.normalXmin = r.freeze, r.freeze, false, false
	images := t.log.Total().FPIBytes
	before := t.Counters
	if quick {
		t.planChanged(p)
	} else {
		t.planAll(p)
	}
	t.Counters.countPruned(&before)
	pruned := len(r.redirects)+len(r.dead)+len(r.unused) > 0
	hint := p.pruneXID != r.pruneXID || p.full
	if r.byChain {
		t.pruneOnly(p, pruned, hint)
		return
	}
	freeze := r.decideFreeze(t, p, pruned, hint, t.log.Total().FPIBytes > images)
	if hint {
		p.pruneXID, p.full = r.pruneXID, false
		if !pruned && !freeze {
			t.dirtyHint(p)
		}
	}
	if !pruned && !freeze {
		p.summarize(quick, r.freeze)
		return
	}
	if pruned {
		t.removeVersions(p, quick)
	}
	data, main := 0, 0
	horizon := uint32(0) // of what is frozen; for who reads the record
	if freeze {
		if t.log.Detail() != nil {
			horizon = t.xacts.horizon() - 1
			if r.allVisible && r.allFrozen {
				horizon = p.newestXmin()
			}
		}
		plans := sizeOfFreezePlans + t.freezeVersions(p)
		data += plans
		if d := t.log.Detail(); d != nil {
			d.Data("freeze plans", plans)
		}
	}
	if r.conflictXID != 0 || freeze && (r.normalXmin || !r.allVisible || !r.allFrozen) {
		main += sizeOfXID
	}
	if k := len(r.redirects) / 2; k > 0 {
		data += pruneItemsHeader + 2*offsetSize*k
	}
	if k := len(r.dead); k > 0 {
		data += pruneItemsHeader + offsetSize*k
	}
	if k := len(r.unused); k > 0 {
		data += pruneItemsHeader + offsetSize*k
	}
	if d := t.log.Detail(); d != nil {
		r.nameData(d, pruneItemsHeader, main)
		t.describePrune(d, p, max(horizon, r.conflictXID), main > 0, freeze)
	}
	p.summarize(quick, r.freeze)
	t.write(typ, p, data, main)
}

// removeVersions carries the plan out, all but its freezing (heap_page_prune_execute).
// quick says that the page's summary is true.
func (t *Table) removeVersions(p *page, quick bool) {
	r := &t.pruning
	var old remains
	if !quick {
		old = t.keepRemains(p)
	}
	t.Counters.Pruned += int64(r.deleted)
	t.dead -= int64(r.deleted - len(r.dead))
	freed := 0
	for i := 0; i < len(r.redirects); i += 2 {
		freed += p.vacate(r.redirects[i])
		p.items[r.redirects[i]-1].setRedirect(r.redirects[i+1])
	}
	for _, off := range r.dead {
		freed += p.vacate(off)
		p.items[off-1] = makeLinePointer(lpDead, 0)
	}
	for _, off := range r.unused {
		freed += p.vacate(off)
		p.items[off-1] = makeLinePointer(lpUnused, 0)
	}
	if quick {
		t.work = p.closeGaps(freed, r.unused, t.work)
	} else {
		t.work = p.repairFragmentation(t.work)
		old.leave(p)
	}
}

// planAll looks at all line pointers of a page.
func (t *Table) planAll(p *page) {
	r := &t.pruning
	n := storage.OffsetNumber(len(p.items))
	for off := n; off >= 1; off-- {
		r.processed[off] = false
		r.status[off] = statusUnknown
		switch p.items[off-1].flags() {
		case lpUnused:
			r.processed[off] = true
		case lpDead:
			if r.unusedNow {
				r.removeUnused(off)
				r.deleted--
			}
			r.processed[off] = true
		case lpNormal:
			t.Counters.PrunedTuples++
			r.status[off] = t.statusOf(p, &p.headers[off-1])
		}
	}
	for off := storage.OffsetNumber(1); off <= n; off++ {
		if !r.processed[off] {
			t.pruneRoot(p, off)
		}
	}
	for off := storage.OffsetNumber(1); off <= n; off++ {
		if !r.processed[off] {
			t.pruneOrphan(p, off)
		}
	}
}

// statusOf is vacuumStatus with a short way for versions that are live, as most are.
func (t *Table) statusOf(p *page, h *header) status {
	if h.settled() {
		return statusLive
	}
	return t.vacuumStatus(p, h)
}

// pruneRoot decides what becomes of a HOT chain if it begins at line pointer off.
func (t *Table) pruneRoot(p *page, off storage.OffsetNumber) {
	r := &t.pruning
	switch {
	case p.items[off-1].flags() == lpRedirect:
		t.pruneChain(p, off)
	case p.headers[off-1].infomask2&heapOnly != 0:
	case r.status[off] == statusLive:
		r.keep(t, p, off) // the first of its chain stays, and so do all
	default:
		t.pruneChain(p, off)
	}
}

// pruneOrphan decides what becomes of a heap-only version that no chain leads to: what
// an abort left.
func (t *Table) pruneOrphan(p *page, off storage.OffsetNumber) {
	r := &t.pruning
	if r.status[off] == statusDead {
		r.conflict(&p.headers[off-1], t.xacts)
		r.removeUnused(off)
	} else {
		r.keep(t, p, off)
	}
}

// Sizes in a prune record. Source: REL_18_1, src/include/access/heapam_xlog.h
// (xlhp_prune_items).
const (
	sizeOfXID        = 4
	offsetSize       = 2
	pruneItemsHeader = 2
)

// pruneChain decides what becomes of the HOT chain that begins at root
// (heap_prune_chain).
func (t *Table) pruneChain(p *page, root storage.OffsetNumber) {
	r := &t.pruning
	chain := r.chain[:0]
	redirected := p.items[root-1].flags() == lpRedirect
	dead := 0 // members up to the last dead one
	off := root
	var prior uint32
walk:
	for off >= 1 && int(off) <= len(p.items) && !r.processed[off] {
		if p.items[off-1].flags() == lpRedirect {
			if len(chain) > 0 {
				break
			}
			chain = append(chain, off)
			off = p.items[off-1].redirect()
			continue
		}
		h := &p.headers[off-1]
		if prior != 0 && h.xmin != prior {
			break
		}
		chain = append(chain, off)
		switch r.status[off] {
		case statusDead:
			dead = len(chain)
			r.conflict(h, t.xacts)
		case statusRecentlyDead:
			if r.byChain {
				r.prunable(t.xacts.updateXID(h))
			}
		case statusDeleteInProgress:
			if r.byChain {
				r.prunable(t.xacts.updateXID(h))
			}
			break walk
		default:
			break walk
		}
		if !h.hotUpdated() {
			break
		}
		off, prior = h.offset, t.xacts.updateXID(h)
	}
	r.chain = chain
	switch {
	case redirected && len(chain) < 2:
		r.markDead(root, false)
	case dead == 0:
		for i, off := range chain {
			if i == 0 && redirected {
				r.processed[off] = true
				continue
			}
			r.keep(t, p, off)
		}
	case dead == len(chain):
		r.markDead(root, !redirected)
		for _, off := range chain[1:] {
			r.removeUnused(off)
		}
	default:
		r.processed[root] = true
		r.redirects = append(r.redirects, root, chain[dead])
		if !redirected {
			r.deleted++
		}
		for _, off := range chain[1:dead] {
			r.removeUnused(off)
		}
		for _, off := range chain[dead:] {
			r.keep(t, p, off)
		}
	}
}

// conflict moves the conflict horizon over a version that goes: standbys whose
// snapshots see it must not replay the record
// (HeapTupleHeaderAdvanceConflictHorizon).
func (r *pruning) conflict(h *header, x *Transactions) {
	if h.infomask&xminCommitted != 0 || h.infomask&xminInvalid == 0 && x.didCommit(h.xmin) {
		if end := x.updateXID(h); end != h.xmin && end > r.conflictXID {
			r.conflictXID = end
		}
	}
}

// decideFreeze decides whether to carry the freeze plans out: if VACUUM must, or if
// the page can be marked all-frozen then and its image is written anyway.
func (r *pruning) decideFreeze(t *Table, p *page, pruned, hint, imaged bool) bool {
	if len(r.frozen) == 0 {
		return false
	}
	freeze := r.freezeRequired
	if !freeze && r.allVisible && r.allFrozen {
		need := t.log.NeedsImage(p.lsn) && p.lsn <= r.redo // XLogCheckBufferNeedsBackup
		freeze = imaged || pruned && need || !pruned && hint && t.log.HintsLogged() && need
	}
	if freeze {
		r.oldest = 0 // what stays is not older than the horizon
	} else {
		r.allFrozen = false
	}
	return freeze
}

func (r *pruning) markDead(off storage.OffsetNumber, wasNormal bool) {
	if r.unusedNow {
		r.removeUnused(off)
		if !wasNormal {
			r.deleted--
		}
		return
	}
	r.processed[off] = true
	r.dead = append(r.dead, off)
	if wasNormal {
		r.deleted++
	}
}

func (r *pruning) removeUnused(off storage.OffsetNumber) {
	r.processed[off] = true
	r.unused = append(r.unused, off)
	r.deleted++
}

// keep notes a version that stays, and which transaction may leave it to prune
// later.
func (r *pruning) keep(t *Table, p *page, off storage.OffsetNumber) {
	r.processed[off] = true
	r.hasTuples = true
	h := &p.headers[off-1]
	switch r.status[off] {
	case statusLive:
		r.allVisible = r.allVisible && t.seenByAll(h)
		r.normalXmin = r.normalXmin || r.allVisible && !h.frozenXmin()
	case statusRecentlyDead, statusDeleteInProgress:
		r.allVisible = false
		if !r.byChain {
			r.prunable(t.xacts.updateXID(h))
		}
	default:
		r.allVisible = false
	}
	if r.freeze {
		r.planFreeze(h, off, t.xacts)
	}
}

// prunable notes a transaction that may leave something to prune
// (heap_prune_record_prunable).
func (r *pruning) prunable(xid uint32) {
	if r.pruneXID == 0 || xid < r.pruneXID {
		r.pruneXID = xid
	}
}

// truncateLines cuts unused line pointers at the end of the array off, but leaves
// at least so many, and notes whether there are others.
func (p *page) truncateLines(least int) {
	p.materialize()
	last, unused := least, 0
	for i, lp := range p.items {
		if lp.flags() == lpUnused {
			unused++
		} else {
			last = i + 1
		}
	}
	p.freeLines = unused-(len(p.items)-last) > 0
	p.items = p.items[:last]
	p.headers = p.headers[:last]
	lower := p.lower
	p.lower = uint16(storage.PageHeaderSize + storage.LinePointerSize*last)
	if stale := p.stale(); stale != nil {
		clear(stale[p.lower:lower])
	}
}

// vacate notes that the memory of a version that goes is free, and returns how many
// bytes that are on the page.
func (p *page) vacate(off storage.OffsetNumber) (freed int) {
	lp := p.items[off-1]
	if lp.flags() != lpNormal {
		return 0
	}
	if s := p.summary; s != nil {
		s.normal--
	}
	size := lp.size()
	g := p.lost()
	if size != g.holeSize {
		g.holes, g.holeSize = g.holes[:0], size
	}
	g.holes = append(g.holes, lp.body)
	return storage.MaxAlign(lp.length())
}

// bodyRoom is the room in bytes for new versions that a page must have left in its
// memory when it is pruned; else the versions that stay are moved together there.
const bodyRoom = 1024

// repairFragmentation closes the gaps between versions: they are laid out anew
// from the page's end in the order of their line pointers, and unused line
// pointers at the end of the array are cut off. work is work space, which it returns
// grown.
func (p *page) repairFragmentation(work []byte) []byte {
	p.truncateLines(0)
	p.upper = storage.PageSize
	for i, lp := range p.items {
		if lp.flags() == lpNormal {
			p.upper -= uint16(storage.MaxAlign(lp.length()))
			p.headers[i].place = p.upper
		}
	}
	if s := p.summary; s != nil {
		s.moved, s.added = false, 0
	}
	return p.compact(work)
}

// compact moves the bytes of the versions that stay together in the page's memory, if
// there is no room left for new ones.
func (p *page) compact(work []byte) []byte {
	if (p.gone != nil && len(p.gone.holes) > 0 || cap(p.bodies)-len(p.bodies) >= bodyRoom) && len(p.bodies) <= 2*storage.PageSize {
		return work
	}
	bodies := work[:0]
	for i := range p.items {
		lp := &p.items[i]
		if lp.flags() == lpNormal {
			at := len(bodies)
			bodies = append(bodies, p.bodies[lp.body:int(lp.body)+lp.size()]...)
			lp.body = uint16(at)
		}
	}
	// In place: nobody refers to the versions of a page that may be pruned.
	p.bodies = append(p.bodies[:0], bodies...)
	if p.gone != nil {
		p.gone.holes = p.gone.holes[:0]
	}
	return bodies
}

// countPruned notes what pruning has looked up since before.
func (c *Counters) countPruned(before *Counters) {
	c.PrunedStatus += c.StatusChecks - before.StatusChecks
	c.PrunedUnhinted += c.Unhinted - before.Unhinted
	c.PrunedFetches += c.StatusFetches - before.StatusFetches
}
