package heap

// What records contain, as pg_waldump shows it, after heapdesc.c.

import (
	"fmt"
	"strings"

	"applysim/wal"
	"applysim/wal/storage"
)

// Flags of records. Source: REL_18_1, src/include/access/heapam_xlog.h.
const (
	insertVisibleCleared = 0x01 // XLH_INSERT_ALL_VISIBLE_CLEARED
	insertLastInMulti    = 0x02 // XLH_INSERT_LAST_IN_MULTI
	insertNewTuple       = 0x08 // XLH_INSERT_CONTAINS_NEW_TUPLE
	insertOnToast        = 0x10 // XLH_INSERT_ON_TOAST_RELATION

	updateOldCleared = 0x01 // XLH_UPDATE_OLD_ALL_VISIBLE_CLEARED
	updateNewCleared = 0x02 // XLH_UPDATE_NEW_ALL_VISIBLE_CLEARED
	updateOldTuple   = 0x04 // XLH_UPDATE_CONTAINS_OLD_TUPLE
	updateOldKey     = 0x08 // XLH_UPDATE_CONTAINS_OLD_KEY
	updateNewTuple   = 0x10 // XLH_UPDATE_CONTAINS_NEW_TUPLE
	updatePrefix     = 0x20 // XLH_UPDATE_PREFIX_FROM_OLD
	updateSuffix     = 0x40 // XLH_UPDATE_SUFFIX_FROM_OLD

	deleteVisibleCleared = 0x01 // XLH_DELETE_ALL_VISIBLE_CLEARED
	deleteOldTuple       = 0x02 // XLH_DELETE_CONTAINS_OLD_TUPLE
	deleteOldKey         = 0x04 // XLH_DELETE_CONTAINS_OLD_KEY

	lockFrozenCleared = 0x01 // XLH_LOCK_ALL_FROZEN_CLEARED
)

// flag is a flag if it is set.
func flag(set bool, bit int) int {
	if set {
		return bit
	}
	return 0
}

// infobits names what a header says of its xmax (compute_infobits, infobits_desc).
func infobits(h *header) string {
	var names []string
	for _, b := range []struct {
		set  bool
		name string
	}{
		{h.infomask&xmaxIsMulti != 0, "IS_MULTI"},
		{h.infomask&xmaxLockOnly != 0, "LOCK_ONLY"},
		{h.infomask&xmaxExclusive != 0, "EXCL_LOCK"},
		{h.infomask&xmaxKeyShare != 0, "KEYSHR_LOCK"},
		{h.infomask2&keysUpdated != 0, "KEYS_UPDATED"},
	} {
		if b.set {
			names = append(names, b.name)
		}
	}
	return "[" + strings.Join(names, ", ") + "]"
}

func (t *Table) describeInsert(d *wal.Detail, off storage.OffsetNumber, cleared bool) {
	d.Describe("off: %d, flags: 0x%02X", off,
		flag(cleared, insertVisibleCleared)|flag(t.opts.Logical, insertNewTuple)|flag(t.opts.Logical && t.opts.Toast, insertOnToast))
}

func describeLock(d *wal.Detail, h *header, off storage.OffsetNumber, cleared bool) {
	d.Describe("xmax: %d, off: %d, infobits: %s, flags: 0x%02X", h.xmax, off, infobits(h), flag(cleared, lockFrozenCleared))
}

// updateFlags say what the record of an update has.
type updateFlags struct{ clearedOld, clearedNew, prefix, suffix, oldKey bool }

func (t *Table) describeUpdate(d *wal.Detail, old *header, oldOff storage.OffsetNumber, nu *header, off storage.OffsetNumber, u updateFlags) {
	full := t.opts.Identity.Full
	flags := flag(u.clearedOld, updateOldCleared) | flag(u.clearedNew, updateNewCleared) | flag(u.prefix, updatePrefix) | flag(u.suffix, updateSuffix) |
		flag(t.opts.Logical, updateNewTuple) | flag(u.oldKey && full, updateOldTuple) | flag(u.oldKey && !full, updateOldKey)
	d.Describe("old_xmax: %d, old_off: %d, old_infobits: %s, flags: 0x%02X, new_xmax: %d, new_off: %d", old.xmax, oldOff, infobits(old), flags, nu.xmax, off)
}

func (t *Table) describeDelete(d *wal.Detail, h *header, off storage.OffsetNumber, cleared, oldKey bool) {
	full := t.opts.Identity.Full
	d.Describe("xmax: %d, off: %d, infobits: %s, flags: 0x%02X", h.xmax, off, infobits(h),
		flag(cleared, deleteVisibleCleared)|flag(oldKey && full, deleteOldTuple)|flag(oldKey && !full, deleteOldKey))
}

// newestXmin is the newest transaction that has made a version of a page which everybody
// sees, 0 if all are frozen.
func (p *page) newestXmin() uint32 {
	newest := uint32(0)
	p.materialize()
	for i, lp := range p.items {
		if h := &p.headers[i]; lp.flags() == lpNormal && !h.frozenXmin() {
			newest = max(newest, h.xmin)
		}
	}
	return newest
}

// describePrune describes what pruning and freezing have done to a page. horizon says
// whether the record has one.
func (t *Table) describePrune(d *wal.Detail, p *page, conflict uint32, horizon, freeze bool) {
	r := &t.pruning
	var b strings.Builder
	if horizon {
		fmt.Fprintf(&b, "snapshotConflictHorizon: %d", conflict)
	}
	b.WriteString(", isCatalogRel: F")
	if t.log.NeedsImage(p.lsn) {
		d.Describe("%s", b.String()) // the image has the rest
		return
	}
	var plans []string
	if freeze {
		plans = r.freezePlans(len(t.opts.Attrs))
	}
	fmt.Fprintf(&b, ", nplans: %d, nredirected: %d, ndead: %d, nunused: %d", len(plans), len(r.redirects)/2, len(r.dead), len(r.unused))
	if len(plans) > 0 {
		fmt.Fprintf(&b, ", plans: [%s]", strings.Join(plans, ", "))
	}
	if len(r.redirects) > 0 {
		var list []string
		for i := 0; i < len(r.redirects); i += 2 {
			list = append(list, fmt.Sprintf("%d->%d", r.redirects[i], r.redirects[i+1]))
		}
		fmt.Fprintf(&b, ", redirected: [%s]", strings.Join(list, ", "))
	}
	if len(r.dead) > 0 {
		fmt.Fprintf(&b, ", dead: %s", offsets(r.dead))
	}
	if len(r.unused) > 0 {
		fmt.Fprintf(&b, ", unused: %s", offsets(r.unused))
	}
	d.Describe("%s", b.String())
}

// describeCleanup describes the second pass of VACUUM over a page.
func (t *Table) describeCleanup(d *wal.Detail, p *page, dead []storage.TID) {
	const begin = ", isCatalogRel: F"
	if t.log.NeedsImage(p.lsn) {
		d.Describe(begin)
		return
	}
	var list []storage.OffsetNumber
	for _, tid := range dead {
		list = append(list, tid.Offset)
	}
	d.Describe(begin+", nplans: 0, nredirected: 0, ndead: 0, nunused: %d, unused: %s", len(list), offsets(list))
}

// offsets lists offset numbers (array_desc).
func offsets(list []storage.OffsetNumber) string {
	return strings.ReplaceAll(fmt.Sprint(list), " ", ", ")
}

// freezePlans describes the plans to freeze versions, equal ones once. They have been
// sorted.
func (r *pruning) freezePlans(columns int) []string {
	var plans []string
	for i := 0; i < len(r.frozen); {
		first := r.frozen[i]
		var list []storage.OffsetNumber
		for ; i < len(r.frozen); i++ {
			f := r.frozen[i]
			list = append(list, f.off)
			if f.off = first.off; f != first {
				list = list[:len(list)-1]
				break
			}
		}
		plans = append(plans, fmt.Sprintf("{ xmax: %d, infomask: %d, infomask2: %d, ntuples: %d, offsets: %s }",
			first.xmax, first.infomask|first.fixed, first.infomask2|uint16(columns), len(list), offsets(list)))
	}
	return plans
}

// describeMulti describes a new MultiXact whose members begin at offset (multixact_desc,
// mxactdesc.c).
func describeMulti(d *wal.Detail, id uint32, offset int, members []member) {
	var b strings.Builder
	fmt.Fprintf(&b, "%d offset %d nmembers %d: ", id, offset, len(members))
	for _, m := range members {
		fmt.Fprintf(&b, "%d (%s) ", m.xid, [...]string{"keysh", "sh", "fornokeyupd", "forupd", "nokeyupd", "upd"}[m.status])
	}
	d.Describe("%s", b.String())
}

// ConflictHorizon is the newest transaction whose snapshot still sees a version that an
// index entry leads to, 0 if there is none (heap_index_delete_tuples).
func (t *Table) ConflictHorizon(tid storage.TID) uint32 {
	if int(tid.Block) >= t.pages.n {
		return 0
	}
	p := t.page(tid.Block)
	p.materialize()
	var r pruning
	prior := uint32(0)
	for off := tid.Offset; int(off) <= len(p.items); {
		lp := p.items[off-1]
		if lp.flags() == lpRedirect {
			off = lp.redirect()
			continue
		}
		h := &p.headers[off-1]
		if lp.flags() != lpNormal || prior != 0 && h.xmin != prior {
			break
		}
		r.conflict(h, t.xacts)
		if !h.hotUpdated() {
			break
		}
		off, prior = h.ctid().Offset, t.xacts.updateXID(h)
	}
	return r.conflictXID
}
