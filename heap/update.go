package heap

// Locks, updates and deletes, after heapam.c.

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"

	"applysim/heap/datum"
	"applysim/wal"
	"applysim/wal/storage"
)

// minCommon is the shortest common prefix or suffix of two versions that an
// update leaves out of its record: its length takes 2 bytes there.
const (
	minCommon    = 3
	sizeOfCommon = 2
)

// Lock locks a row version for the worker's update or delete, in the strongest
// mode, and writes the record (heap_lock_tuple).
func (t *Table) Lock(tid storage.TID) {
	p := t.page(tid.Block)
	h := p.header(tid.Offset)
	p.unsettle(tid.Offset)
	if t.shared(h) {
		if !t.lockRow(tid) {
			return
		}
	} else {
		h.setXmax(t.xacts.Current, xmaxExclusive|xmaxLockOnly, keysUpdated)
		h.infomask2 &^= hotUpdated
		h.setCTID(tid)
	}
	t.logLock(p, tid.Offset)
}

// logLock writes the record of a lock on row version off of page p.
func (t *Table) logLock(p *page, off storage.OffsetNumber) {
	cleared := p.allVisible && t.clearBits(p.block, vmAllFrozen)
	if d := t.log.Detail(); d != nil {
		describeLock(d, p.header(off), off, cleared)
	}
	t.write(wal.HeapLock, p, 0, 0)
	t.Counters.Locks++
}

// lock locks a row version a second time, for an update that takes longer. m is its
// xmax meanwhile.
func (t *Table) lock(tid storage.TID, cid uint32, m xmax) {
	p := t.page(tid.Block)
	h := p.header(tid.Offset)
	p.unsettle(tid.Offset)
	h.set(m)
	h.infomask2 &^= hotUpdated
	h.setCTID(tid)
	t.setCmax(h, cid)
	t.logLock(p, tid.Offset)
}

// setCmax notes which command ended a version. A version that the same
// transaction has made needs both commands: a combo command id stands for them.
func (t *Table) setCmax(h *header, cid uint32) {
	if t.xacts.current(h.xmin) {
		made := h.cid
		if h.infomask&comboCID != 0 { // a subtransaction that was rolled back ended it before
			made = t.xacts.madeBy(h.cid)
		}
		h.cid = t.xacts.combo(made, cid)
		h.infomask |= comboCID
		return
	}
	h.cid = cid
	h.infomask &^= comboCID
}

func anyExternal(values []datum.Value) bool {
	for i := range values {
		if values[i].Form == datum.External && !values[i].Null {
			return true
		}
	}
	return false
}

// LockShared locks a row version as the report of a conflict does, and writes
// the record.
func (t *Table) LockShared(tid storage.TID) {
	p := t.page(tid.Block)
	h := p.header(tid.Offset)
	p.unsettle(tid.Offset)
	if t.shared(h) {
		h.set(t.newXmax(h, share, false))
	} else {
		h.setXmax(t.xacts.Current, xmaxKeyShare|xmaxExclusive|xmaxLockOnly, 0)
	}
	if d := t.log.Detail(); d != nil {
		describeLock(d, h, tid.Offset, false)
	}
	t.write(wal.HeapLock, p, 0, 0)
	t.Counters.Locks++
}

// Inserter is the transaction that made a row version.
func (t *Table) Inserter(tid storage.TID) uint32 {
	return t.page(tid.Block).header(tid.Offset).xmin
}

// Values reads a row version's columns into dst, which has room for all. The
// values alias the page and must be used before it changes.
func (t *Table) Values(dst []datum.Value, tid storage.TID) {
	p := t.page(tid.Block)
	t.read(dst, p, tid.Offset)
}

// hoff is t_hoff: where a version's data begins.
func hoff(columns int, nulls bool) int {
	n := TupleHeaderSize
	if nulls {
		n += (columns + 7) / 8
	}
	return storage.MaxAlign(n)
}

// dataStart is where the data begins in a version's body.
func (t *Table) dataStart(nulls bool) int { return dataStart(len(t.opts.Attrs), nulls) }

func dataStart(columns int, nulls bool) int {
	if !nulls {
		return 0
	}
	return hoff(columns, nulls) - TupleHeaderSize
}

// decode reads the columns of a version from its body.
func (t *Table) decode(dst []datum.Value, body []byte, nulls bool) {
	decode(dst, body, nulls, t.opts.Attrs)
}

func decode(dst []datum.Value, body []byte, nulls bool, attrs []datum.Attr) {
	data := body[dataStart(len(attrs), nulls):]
	attrs = attrs[:min(len(attrs), len(dst))]
	at := 0
	for i := range attrs {
		if nulls && body[i/8]>>(i%8)&1 == 0 {
			dst[i] = datum.Value{Null: true}
			continue
		}
		dst[i], at = datum.Next(data, at, &attrs[i])
	}
}

// decodeOld reads the columns that an update must compare, into t.old.
func (t *Table) decodeOld(p *page, off storage.OffsetNumber) {
	if t.grown != nil {
		t.read(t.old, p, off)
		return
	}
	body, nulls := p.body(off), p.items[off-1].nulls()
	if t.external {
		t.decode(t.old, body, nulls)
	} else {
		t.decode(t.old[:t.comparable], body, nulls)
	}
}

// Updated is what an update has done.
type Updated struct {
	TID storage.TID // the new version
	HOT bool        // it needs no new index entries,
	// except in summarizing indexes if this is true.
	Summarized bool
}

// Update replaces a row version that the worker has locked, or a backend's executor
// has found, by a new one (heap_update). cid is the command of the current transaction.
func (t *Table) Update(tid storage.TID, values []datum.Value, cid uint32) (Updated, error) {
	values = values[:len(t.opts.Attrs)] // what is behind them may be another table's
	v, err := t.prepare(values, false)
	if err != nil {
		return Updated{}, err
	}
	old := t.page(tid.Block)
	t.decodeOld(old, tid.Offset)
	changed := t.differ(t.opts.Indexed, values)
	summarized := t.differ(t.opts.Summarized, values)
	logOld := t.opts.Logical && (t.opts.Identity.Full || t.differ(t.opts.Identity.Columns, values) || t.keyExternal())
	oldKey := 0
	prefix, suffix := 0, 0 // bytes that the record leaves out

	block := tid.Block
	// A long row takes the way of one that is toasted even if no column of it can be.
	long := v.length > toastThreshold || t.external && (anyExternal(t.old) || anyExternal(values))
	toast := long && t.toastable
	fits := storage.MaxAlign(v.length) <= old.freeSpace()
	// The worker's lock on the old version is kept on the new one, as if it were
	// somebody else's.
	xid := t.xacts.Current
	ended, kept := xmax{xid, 0, keysUpdated}, xmax{xid, xmaxKeyShare | xmaxLockOnly, 0}
	mode := exclusive
	if h := old.header(tid.Offset); t.opts.Executor || t.shared(h) {
		if !slices.ContainsFunc(t.opts.Keys, t.Modified) {
			mode = noKeyExclusive
		}
		if t.opts.Executor {
			t.beforeUpdate(old, h)
		}
		ended, kept = t.newXmax(h, mode, true), t.keptLock(h)
	}
	if long || !fits {
		// While values are stored or another page is looked for, the old version
		// stays locked.
		meanwhile := xmax{t.xacts.Current, xmaxExclusive | xmaxLockOnly, keysUpdated}
		if h := old.header(tid.Offset); t.opts.Executor || t.shared(h) {
			meanwhile = t.newXmax(h, mode, false)
		}
		t.lock(tid, cid, meanwhile)
	}
	if toast {
		t.decode(t.old, old.body(tid.Offset), old.items[tid.Offset-1].nulls())
		before := slices.Clone(t.old)
		if values, err = t.toast(v, values, before); err == nil {
			if v, err = t.prepare(values, true); err == nil {
				err = t.tooBig(v)
			}
		}
		old = t.page(tid.Block)
		fits = storage.MaxAlign(v.length) <= old.freeSpace()
	} else {
		err = t.tooBig(v)
	}
	if err != nil {
		return Updated{}, err
	}
	if !fits {
		pages, searches := t.Counters.NewPages, t.Counters.FSMSearches
		block = t.findPage(v.length)
		t.Counters.UpdatePages += t.Counters.NewPages - pages
		t.Counters.UpdateSearches += t.Counters.FSMSearches - searches
		old = t.page(tid.Block)
	}
	if logOld {
		oldKey = t.identitySize(tid) // may fetch from the TOAST table, after what toast wrote
	}
	if fits && !t.opts.Logical && !t.log.NeedsImage(old.lsn) {
		prefix, suffix = t.common(old, tid.Offset, v)
	}
	hot := fits && !changed
	t.countUpdate(fits, changed)

	p := old
	if block != tid.Block {
		p = t.page(block)
	}
	p.materialize()
	clearedOld := t.clearVisible(old)
	clearedNew := t.clearVisible(p)
	t.clearedNew = clearedNew
	off := t.place(p, block, v)
	nu := storage.TID{Block: block, Offset: off}
	p.headers[off-1] = header{
		xmin: xid, xmax: kept.xid, cid: cid, block: block, offset: off, infomask: updatedRow | kept.infomask, infomask2: kept.infomask2,
		place: p.headers[off-1].place,
	}
	h := old.header(tid.Offset)
	old.unsettle(tid.Offset)
	h.set(ended)
	t.setCmax(h, cid)
	h.infomask2 &^= hotUpdated
	if hot {
		h.infomask2 |= hotUpdated
		root := tid.Offset
		if h.infomask2&heapOnly != 0 {
			root = h.root()
		}
		p.headers[off-1].isHeapOnly(root)
	}
	h.setCTID(nu)
	old.prunable(xid)
	if !fits {
		old.full = true
	}
	t.dead++
	t.Counters.TupleBytes += int64(v.length)
	t.countRow(tid.Block, -1)
	t.countRow(block, 1)

	typ := wal.HeapUpdate
	if hot {
		typ = wal.HeapHotUpdate
	}
	if off == 1 && len(p.items) == 1 {
		typ++ // the same with INIT
	}
	t.countOldKey(oldKey)
	t.logged = Logged{Old: tupleLength(oldKey), Row: v.length}
	data := wal.SizeOfHeapHeader + v.size() - saved(prefix) - saved(suffix)
	if d := t.log.Detail(); d != nil {
		t.nameData(d, v, prefix, suffix)
		t.nameOldKey(d, oldKey)
		u := updateFlags{clearedOld, clearedNew, prefix > 0, suffix > 0, oldKey > 0}
		t.describeUpdate(d, h, tid.Offset, &p.headers[off-1], off, u)
		if block != tid.Block {
			d.Other(wal.BlockRef{ID: 1, Block: tid.Block, Role: "page of the old version", Image: t.log.ImageOf(old.lsn, image{t, old})})
		}
	}
	if block == tid.Block {
		t.write(typ, p, data, oldKey)
	} else {
		var other wal.Image
		if t.log.NeedsImage(old.lsn) {
			other = t.log.ImageOf(old.lsn, image{t, old})
		}
		t.writeWith(typ, p, data, oldKey, wal.ExtraBlockRef, other)
		old.lsn, old.dirty = p.lsn, true
		if t.passed != nil {
			t.passed.changed(old.block)
		}
	}
	return Updated{TID: nu, HOT: hot, Summarized: hot && summarized}, nil
}

// countOldKey counts what a record says of the old row, in bytes.
func (t *Table) countOldKey(n int) {
	if n > 0 {
		t.Counters.OldKeys++
		t.Counters.OldKeyBytes += int64(n)
	}
}

// countUpdate counts an update and why it was not HOT.
func (t *Table) countUpdate(fits, changed bool) {
	c := &t.Counters
	c.Updates++
	switch {
	case fits && !changed:
		c.HOTUpdates++
	case fits:
		c.ChangedIndexed++
	case changed:
		c.ChangedNoRoom++
	default:
		c.NoRoom++
	}
	if !fits {
		c.NewPageUpdates++
	}
}

// differ says whether one of the given columns differs from t.old, byte by byte
// as stored (HeapDetermineColumnsInfo).
func (t *Table) differ(columns []int, values []datum.Value) bool {
	any := false
	for _, i := range columns {
		a, b := &t.old[i], &values[i]
		t.modified[i] = a.Null != b.Null || !a.Null && (t.opts.Attrs[i].Word(a) != t.opts.Attrs[i].Word(b) || a.Form != b.Form || !bytes.Equal(a.Bytes, b.Bytes))
		any = any || t.modified[i]
	}
	return any
}

// Modified says whether the last update changed a column that stands in an
// index or in the replica identity.
func (t *Table) Modified(column int) bool { return t.modified[column] }

// common returns how many bytes the new version has in common with the old one at
// their beginning and at their end, so that an update's record leaves them out.
func (t *Table) common(p *page, off storage.OffsetNumber, v formed) (prefix, suffix int) {
	old := p.body(off)[dataStart(t.columnsOf(p, off), p.items[off-1].nulls()):]
	nu := t.bodies[v.start+t.dataStart(v.nulls):]
	n := min(len(old), len(nu))
	prefix = commonPrefix(old[:n], nu[:n])
	if prefix < minCommon {
		prefix = 0
	}
	n -= prefix
	suffix = commonSuffix(old[len(old)-n:], nu[len(nu)-n:])
	if suffix < minCommon {
		suffix = 0
	}
	return prefix, suffix
}

// saved is what leaving out so many bytes at one end of a version saves: their number
// takes room itself.
func saved(common int) int { return max(common-sizeOfCommon, 0) }

// commonPrefix is how many bytes two slices of the same length begin with alike.
func commonPrefix(a, b []byte) int {
	n := 0
	for n+16 <= len(a) && equal16(a[n:], b[n:]) {
		n += 16
	}
	for n+8 <= len(a) {
		if d := binary.LittleEndian.Uint64(a[n:]) ^ binary.LittleEndian.Uint64(b[n:]); d != 0 {
			return n + bits.TrailingZeros64(d)/8
		}
		n += 8
	}
	for n < len(a) && a[n] == b[n] {
		n++
	}
	return n
}

// commonSuffix is how many bytes two slices of the same length end with alike.
func commonSuffix(a, b []byte) int {
	n := len(a)
	for n >= 32 {
		x, y := a[n-32:n], b[n-32:n]
		if !equal16(x, y) || !equal16(x[16:], y[16:]) {
			break
		}
		n -= 32
	}
	for n >= 8 {
		if d := binary.LittleEndian.Uint64(a[n-8:]) ^ binary.LittleEndian.Uint64(b[n-8:]); d != 0 {
			return len(a) - n + bits.LeadingZeros64(d)/8
		}
		n -= 8
	}
	for n > 0 && a[n-1] == b[n-1] {
		n--
	}
	return len(a) - n
}

// equal16 says whether two slices begin with the same 16 bytes.
func equal16(a, b []byte) bool {
	le := binary.LittleEndian
	return (le.Uint64(a)^le.Uint64(b))|(le.Uint64(a[8:])^le.Uint64(b[8:])) == 0
}

// identitySize is what a logical record says of an old row, in bytes: nothing,
// its key (a tuple with NULL in all other columns), or all of it
// (ExtractReplicaIdentity).
func (t *Table) identitySize(tid storage.TID) int {
	p := t.page(tid.Block)
	id := &t.opts.Identity
	if id.Full {
		if t.external {
			t.read(t.old, p, tid.Offset)
			if anyExternal(t.old) {
				return wal.SizeOfHeapHeader + t.flattened(slices.Clone(t.old), p.items[tid.Offset-1].nulls())
			}
		}
		return wal.SizeOfHeapHeader + p.items[tid.Offset-1].length() - TupleHeaderSize
	}
	if len(id.Columns) == 0 {
		return 0
	}
	t.decodeOld(p, tid.Offset)
	key := t.contained
	for i := range key {
		key[i].Null = true
	}
	for _, i := range id.Columns {
		key[i] = t.old[i]
	}
	return wal.SizeOfHeapHeader + t.flattened(key, len(id.Columns) < len(t.old))
}

// Logged is what the record of a row change has for logical decoding: the lengths of its
// tuples with their headers, in bytes; 0 for one that it does not have.
type Logged struct{ Old, Row int }

// Logged is what the last record of an INSERT, UPDATE or DELETE has, at the latest when the
// log hands it out.
func (t *Table) Logged() Logged { return t.logged }

// tupleLength is the length of the tuple that a record says of an old row in so many bytes.
func tupleLength(identity int) int {
	if identity == 0 {
		return 0
	}
	return identity - wal.SizeOfHeapHeader + TupleHeaderSize
}

// keyExternal says whether the replica identity of the row in t.old has a value that
// is stored elsewhere. Then its record tells the key even if it stays as it is, as
// logical decoding could not fetch it (HeapDetermineColumnsInfo's has_external).
func (t *Table) keyExternal() bool {
	if !t.external {
		return false
	}
	return slices.ContainsFunc(t.opts.Identity.Columns, func(i int) bool {
		return !t.old[i].Null && t.old[i].Form == datum.External
	})
}

// flattened is the length of a row after the header with the values that are stored
// elsewhere put back, compressed if they are so (toast_flatten_tuple). The row is
// changed.
func (t *Table) flattened(row []datum.Value, nulls bool) int {
	for i := range row {
		if row[i].Form == datum.External && !row[i].Null {
			row[i] = t.toaster.Fetch(&row[i])
		}
	}
	t.work = datum.Append(t.work[:0], t.opts.Attrs, row)
	return hoff(len(t.opts.Attrs), nulls) - TupleHeaderSize + len(t.work)
}

// Delete ends a row version that the worker has locked, or a backend's executor has
// found (heap_delete). cid is the
// command of the current transaction.
func (t *Table) Delete(tid storage.TID, cid uint32) {
	p := t.page(tid.Block)
	if t.opts.Toast {
		// Nobody has locked a chunk before, so this is who first asks whether it may be
		// deleted (HeapTupleSatisfiesUpdate), and leaves hint bits.
		t.visible(p, p.header(tid.Offset))
	}
	oldKey := 0
	if t.opts.Logical {
		oldKey = t.identitySize(tid)
	}
	cleared := t.clearVisible(p)
	if t.opts.Toast && p.pruneXID == 0 {
		t.mayPrune = append(t.mayPrune, tid.Block)
	}
	p.prunable(t.xacts.Current)
	h := p.header(tid.Offset)
	p.unsettle(tid.Offset)
	if t.opts.Executor {
		t.beforeUpdate(p, h)
	}
	if t.opts.Executor || t.shared(h) {
		h.set(t.newXmax(h, exclusive, true))
	} else {
		h.setXmax(t.xacts.Current, 0, keysUpdated)
	}
	t.setCmax(h, cid)
	h.infomask2 &^= hotUpdated
	h.setCTID(tid)
	t.countOldKey(oldKey)
	t.logged = Logged{Old: tupleLength(oldKey)}
	if d := t.log.Detail(); d != nil {
		t.nameOldKey(d, oldKey)
		t.describeDelete(d, h, tid.Offset, cleared, oldKey > 0)
	}
	t.write(wal.HeapDelete, p, 0, oldKey)
	t.Counters.Deletes++
	t.dead++
	t.live--
	t.countRow(tid.Block, -1)
	if t.external {
		t.read(t.old, p, tid.Offset)
		if anyExternal(t.old) {
			t.toaster.Delete(slices.Clone(t.old))
		}
	}
}

// Live is n_live_tup: rows, as the server's statistics count them.
func (t *Table) Live() int64 { return t.live }

// Dead is n_dead_tup: versions that were ended and not yet pruned, as the
// server's statistics count them.
func (t *Table) Dead() int64 { return max(t.dead, 0) }
