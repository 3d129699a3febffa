package heap

// Rows that more than one transaction locks or updates, after multixact.c and
// heapam.c (compute_new_xmax_infomask, GetMultiXactIdHintBits).
//
// A parallel apply worker makes them all by itself: each remote subtransaction is
// one of its own, and the version that one of them has written carries its lock.

import (
	"cmp"
	"slices"

	"applysim/wal"
	"applysim/wal/storage"
)

// Limits of MultiXacts. Source: REL_18_1, src/backend/access/transam/multixact.c.
const (
	multiXactsPerOffsetPage = 2048 // MULTIXACT_OFFSETS_PER_PAGE
	multiMembersPerPage     = 1636 // MULTIXACT_MEMBERS_PER_PAGE
	multiCacheEntries       = 256  // MAX_CACHE_ENTRIES
	firstMultiXact          = 1    // FirstMultiXactId
)

// memberStatus is MultiXactStatus: what a member does with the row.
type memberStatus uint8

const (
	forKeyShare memberStatus = iota
	forShare
	forNoKeyUpdate
	forUpdate
	noKeyUpdate
	fullUpdate
)

// updates says whether the member has a new version, or has deleted the row.
func (s memberStatus) updates() bool { return s > forUpdate }

// lockMode is LockTupleMode.
type lockMode uint8

const (
	keyShare lockMode = iota
	share
	noKeyExclusive
	exclusive
)

// mode is the lock that a member holds (TUPLOCK_from_mxstatus).
func (s memberStatus) mode() lockMode {
	return [...]lockMode{keyShare, share, noKeyExclusive, exclusive, noKeyExclusive, exclusive}[s]
}

// status is what a member with this lock does (get_mxact_status_for_lock).
func (m lockMode) status(update bool) memberStatus {
	if update {
		return noKeyUpdate + memberStatus(m-noKeyExclusive)
	}
	return memberStatus(m)
}

// member is MultiXactMember.
type member struct {
	xid    uint32
	status memberStatus
}

// multiXacts are the MultiXacts of the cluster, by their ids.
type multiXacts struct {
	before  uint32 // how many there have been before the run
	members [][]member
	offset  int // next free place for members
}

// SetMultiXacts says which id the next MultiXact gets, and which place its members: a
// cluster that was used before does not begin with the first ones.
func (x *Transactions) SetMultiXacts(id, offset uint32) {
	x.multis.before, x.multis.offset = max(id, firstMultiXact)-firstMultiXact, int(offset)
}

// nextMulti is the id that the next MultiXact gets.
func (x *Transactions) nextMulti() uint32 {
	return x.multis.before + uint32(len(x.multis.members)) + firstMultiXact
}

// multi returns the members of a MultiXact.
func (x *Transactions) multi(id uint32) []member {
	return x.multis.members[id-firstMultiXact-x.multis.before]
}

// updateXID is the transaction that ended a version, the raw xmax if nobody has
// (HeapTupleHeaderGetUpdateXid).
func (x *Transactions) updateXID(h *header) uint32 {
	if h.infomask&(xmaxIsMulti|xmaxInvalid|xmaxLockOnly) != xmaxIsMulti {
		return h.xmax
	}
	for _, m := range x.multi(h.xmax) {
		if m.status.updates() {
			return m.xid
		}
	}
	return 0
}

// inProgress says whether a transaction has not ended, the worker's own included.
func (x *Transactions) inProgress(xid uint32) bool { return x.current(xid) || x.running(xid) }

// multiRunning says whether a member of the MultiXact in a version's xmax has not
// ended, as far as others see it (MultiXactIdIsRunning).
func (x *Transactions) multiRunning(h *header) bool {
	members := x.multi(h.xmax)
	if h.lockOnly() && x.ServerMinor < releasePreparedLocks && len(x.gids) == len(x.prepared) {
		return slices.ContainsFunc(members, func(m member) bool { return x.current(m.xid) })
	}
	return slices.ContainsFunc(members, func(m member) bool { return x.inProgress(m.xid) })
}

// createMulti returns the MultiXact of the given members. Each worker remembers
// those of its current transaction; a new one is logged
// (MultiXactIdCreateFromMembers).
func (t *Table) createMulti(members []member) uint32 {
	x := t.xacts
	slices.SortFunc(members, func(a, b member) int {
		return cmp.Or(cmp.Compare(a.xid, b.xid), cmp.Compare(a.status, b.status))
	})
	for i, id := range x.multiCache {
		if slices.Equal(x.multi(id), members) {
			copy(x.multiCache[1:i+1], x.multiCache[:i])
			x.multiCache[0] = id
			return id
		}
	}
	log := t.log
	if x.Log != nil {
		log = x.Log
	}
	s := &x.multis
	id := x.nextMulti()
	ahead := x.ServerMinor >= releaseOffsetsAhead
	if ahead && (id+1)%multiXactsPerOffsetPage == 0 || !ahead && (id == firstMultiXact || id%multiXactsPerOffsetPage == 0) {
		if d := log.Detail(); d != nil {
			page := id
			if ahead {
				page++
			}
			d.Describe("%d", page/multiXactsPerOffsetPage)
		}
		log.InsertPlain(wal.MultiXactZeroOffPage, 0)
	}
	from, to := s.offset, s.offset+len(members)
	if from == 0 {
		to++ // offset 0 is not used
	}
	for page := (from + multiMembersPerPage - 1) / multiMembersPerPage; page*multiMembersPerPage < to; page++ {
		if d := log.Detail(); d != nil {
			d.Describe("%d", page)
		}
		log.InsertPlain(wal.MultiXactZeroMemPage, 0)
	}
	s.members, s.offset = append(s.members, members), to
	if d := log.Detail(); d != nil {
		d.Main("members", wal.SizeOfMultiXactMember*len(members))
		describeMulti(d, id, max(from, 1), members)
	}
	log.InsertPlain(wal.MultiXactCreateID, wal.SizeOfMultiXactMember*len(members))
	x.multiCache = slices.Insert(x.multiCache, 0, id)
	if len(x.multiCache) > multiCacheEntries {
		x.multiCache = x.multiCache[:multiCacheEntries]
	}
	return id
}

// expandMulti returns a MultiXact with one member more. Members that are gone are
// left out (MultiXactIdExpand).
func (t *Table) expandMulti(id uint32, nu member) uint32 {
	x := t.xacts
	old := x.multi(id)
	if slices.Contains(old, nu) {
		return id
	}
	var members []member
	for _, m := range old {
		if x.inProgress(m.xid) || m.status.updates() && x.didCommit(m.xid) {
			members = append(members, m)
		}
	}
	return t.createMulti(append(members, nu))
}

// xmax is what a version's header says of who locks or ends it.
type xmax struct {
	xid                 uint32 // a transaction or a MultiXact
	infomask, infomask2 uint16
}

// set writes it into a header.
func (h *header) set(m xmax) { h.setXmax(m.xid, m.infomask, m.infomask2) }

// multiBits is the xmax of a MultiXact (GetMultiXactIdHintBits).
func (x *Transactions) multiBits(id uint32) xmax {
	r := xmax{xid: id, infomask: xmaxIsMulti}
	strongest, ended := keyShare, false
	for _, m := range x.multi(id) {
		strongest = max(strongest, m.status.mode())
		ended = ended || m.status.updates()
		if m.status == forUpdate || m.status == fullUpdate {
			r.infomask2 |= keysUpdated
		}
	}
	switch {
	case strongest >= noKeyExclusive:
		r.infomask |= xmaxExclusive
	case strongest == share:
		r.infomask |= xmaxKeyShare | xmaxExclusive
	default:
		r.infomask |= xmaxKeyShare
	}
	if !ended {
		r.infomask |= xmaxLockOnly
	}
	return r
}

// single is the xmax of a transaction that is alone with the row.
func single(xid uint32, mode lockMode, update bool) xmax {
	r := xmax{xid: xid}
	if mode == exclusive {
		r.infomask2 = keysUpdated
	}
	if update {
		return r
	}
	switch mode {
	case keyShare:
		r.infomask = xmaxKeyShare
	case share:
		r.infomask = xmaxKeyShare | xmaxExclusive
	default:
		r.infomask = xmaxExclusive
	}
	r.infomask |= xmaxLockOnly
	return r
}

// holds is what the single transaction in a header's xmax does with the row.
func (h *header) holds() memberStatus {
	switch {
	case !h.lockOnly() && h.infomask2&keysUpdated != 0:
		return fullUpdate
	case !h.lockOnly():
		return noKeyUpdate
	case h.infomask&(xmaxKeyShare|xmaxExclusive) == xmaxKeyShare:
		return forKeyShare
	case h.infomask&xmaxKeyShare != 0:
		return forShare
	case h.infomask2&keysUpdated != 0:
		return forUpdate
	}
	return forNoKeyUpdate
}

// shared says whether who locks a version cannot be told without looking at
// subtransactions and MultiXacts.
func (t *Table) shared(h *header) bool {
	return len(t.xacts.levels) > 0 || h.infomask&xmaxIsMulti != 0
}

// newXmax returns a version's xmax after the current transaction has locked it, or
// updated or deleted it (compute_new_xmax_infomask). It may log a new MultiXact.
func (t *Table) newXmax(h *header, mode lockMode, update bool) xmax {
	x := t.xacts
	nu := member{x.Current, mode.status(update)}
	switch {
	case h.infomask&xmaxInvalid != 0:
	case h.infomask&xmaxIsMulti != 0:
		if x.multiRunning(h) || !h.lockOnly() && x.didCommit(x.updateXID(h)) {
			return x.multiBits(t.expandMulti(h.xmax, nu))
		}
	case h.xmax == x.Current:
		// Only the stronger of its two locks counts.
		mode = max(mode, h.holds().mode())
	case h.infomask&xmaxCommitted != 0, x.inProgress(h.xmax), !h.lockOnly() && x.didCommit(h.xmax):
		return x.multiBits(t.createMulti([]member{{h.xmax, h.holds()}, nu}))
	}
	return single(x.Current, mode, update)
}

// keptLock is the xmax of the new version of a row: whoever locks the old version
// locks the new one too (heap_update).
func (t *Table) keptLock(h *header) xmax {
	switch {
	case h.infomask&xmaxInvalid != 0:
		return xmax{infomask: xmaxInvalid}
	case h.infomask&xmaxIsMulti != 0:
		return t.xacts.multiBits(h.xmax)
	}
	return xmax{xid: h.xmax, infomask: xmaxKeyShare | xmaxLockOnly}
}

// held says whether the worker's transaction already has the strongest lock on a
// version, in whichever subtransaction.
func (t *Table) held(h *header) bool {
	x := t.xacts
	if h.infomask&xmaxInvalid != 0 {
		return false
	}
	if h.infomask&xmaxIsMulti != 0 {
		return slices.ContainsFunc(x.multi(h.xmax), func(m member) bool {
			return m.status.mode() == exclusive && x.current(m.xid)
		})
	}
	return x.current(h.xmax) && h.infomask&(xmaxKeyShare|xmaxExclusive) == xmaxExclusive && h.infomask2&keysUpdated != 0
}

// lockRow locks a version in the name of a subtransaction, or where a MultiXact
// locks it.
func (t *Table) lockRow(tid storage.TID) (logged bool) {
	p := t.page(tid.Block)
	h := p.header(tid.Offset)
	if t.held(h) {
		return false
	}
	m := t.newXmax(h, exclusive, false)
	h.set(m)
	if m.infomask&xmaxLockOnly != 0 {
		h.infomask2 &^= hotUpdated
		h.setCTID(tid)
	}
	return true
}
