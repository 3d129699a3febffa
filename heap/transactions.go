package heap

import (
	"slices"

	"applysim/wal"
)

// FrozenXID is FrozenTransactionId, the transaction of rows that were there
// before the run: older than any.
const FrozenXID = 2

// lsnGroup is CLOG_XACTS_PER_LSN_GROUP: so many transactions share the LSN that
// must be flushed before their commit hint bits may be set.
const lsnGroup = 32

// Transactions tells a table which transactions are running, committed and
// aborted. Transaction ids are taken not to wrap around.
type Transactions struct {
	// Current is the apply worker's transaction, 0 if it has no id yet.
	Current uint32
	// Next is the next id to be given out.
	Next uint32
	// Synchronous says that commits are flushed at once
	// (synchronous_commit = on).
	Synchronous bool
	// Log takes the records of new MultiXacts, which are logged for unlogged tables, too; nil
	// stands for that of the table.
	Log *wal.Log
	// Flushed is how far the WAL is known to be on disk.
	Flushed wal.LSN

	ends    uint64 // times that a hint bit may have become possible
	aborted map[uint32]bool
	commits []wal.LSN // latest commit of each group of lsnGroup ids
	first   uint32    // id of the first group in commits

	// Transactions that run without being the worker's own: prepared ones, and
	// those of other workers with their subtransactions.
	prepared []uint32
	// gids are those of them that are prepared.
	gids []uint32
	// ServerMajor is the server's major version, 0 for the newest. ServerMinor is its
	// minor release, or that of the newest one which came out on the same day.
	ServerMajor, ServerMinor int
	// held is the oldest transaction that other sessions' snapshots take for running,
	// 0 if there are none: what it or a later one deleted may not go.
	held uint32

	combos combos // of the current transaction
	// levels are the ids of the current transaction and of its open subtransactions,
	// 0 where there is none yet. It is empty as long as there is no subtransaction.
	levels     []uint32
	released   []released // of the current transaction
	multis     multiXacts
	multiCache []uint32 // of the current worker and transaction, the latest used first

	fetched    uint32  // the transaction whose status was looked up last
	fetchedLSN wal.LSN // and its commit LSN as of then
}

// Committed notes that a transaction of the worker has committed with a record
// that ends at lsn.
func (x *Transactions) Committed(xid uint32, lsn wal.LSN) {
	x.CommittedElsewhere(xid, lsn)
	if x.Synchronous {
		x.Flush(lsn)
	}
}

// Flush notes that the WAL is on disk up to lsn.
func (x *Transactions) Flush(lsn wal.LSN) {
	x.Flushed = max(x.Flushed, lsn)
	x.ends++
}

// CommittedElsewhere is Committed for a transaction of another process, whose
// commit is not flushed at once.
func (x *Transactions) CommittedElsewhere(xid uint32, lsn wal.LSN) {
	if x.commits == nil {
		x.first = xid / lsnGroup
	}
	g := x.group(xid)
	if g < 0 {
		// An older transaction than the first one that committed.
		x.commits = append(make([]wal.LSN, -g), x.commits...)
		x.first = xid / lsnGroup
		g = 0
	}
	for len(x.commits) <= g {
		x.commits = append(x.commits, 0)
	}
	x.commits[g] = max(x.commits[g], lsn)
	x.ends++
}

// group is the place of xid's group in commits; negative before the first one.
// Transaction ids wrap around, and so do groups.
func (x *Transactions) group(xid uint32) int {
	const free = 5 // bits that a group's number leaves free: log2 of lsnGroup
	return int(int32((xid/lsnGroup-x.first)<<free) >> free)
}

// Aborted notes that a transaction has aborted.
func (x *Transactions) Aborted(xid uint32) {
	if x.aborted == nil {
		x.aborted = map[uint32]bool{}
	}
	x.aborted[xid] = true
	x.ends++
}

// Begin notes that the worker begins a transaction, which has no id yet.
func (x *Transactions) Begin() {
	x.Current = 0
	x.combos.clear()
	if x.levels != nil || x.multiCache != nil || x.released != nil {
		x.levels, x.multiCache, x.released = nil, nil, nil
	}
}

// combos are the combo command ids of a transaction: each stands for the commands that
// have made and ended a version (combocid.c).
type combos struct {
	ids  map[[2]uint32]uint32
	made []uint32 // the first of the two commands, by id
}

func (c *combos) clear() {
	if len(c.made) > 0 {
		clear(c.ids)
		c.made = c.made[:0]
	}
}

// madeBy is the command that made a version with a combo command id (GetRealCmin).
func (x *Transactions) madeBy(combo uint32) uint32 {
	if int(combo) >= len(x.combos.made) {
		return 0
	}
	return x.combos.made[combo]
}

// combo returns the combo command id of a version that the current transaction
// has made and ended, by the two commands.
func (x *Transactions) combo(cmin, cmax uint32) uint32 {
	c, k := &x.combos, [2]uint32{cmin, cmax}
	if n, ok := c.ids[k]; ok {
		return n
	}
	if c.ids == nil {
		c.ids = map[[2]uint32]uint32{}
	}
	n := uint32(len(c.made))
	c.ids[k] = n
	c.made = append(c.made, cmin)
	return n
}

// didCommit says whether a transaction that is not running has committed
// (TransactionIdDidCommit). Like the original it remembers the last answer.
func (x *Transactions) didCommit(xid uint32) bool {
	if xid == FrozenXID {
		return true
	}
	if x.fetched != xid {
		x.fetched, x.fetchedLSN = xid, x.groupLSN(xid)
	}
	return len(x.aborted) == 0 || !x.aborted[xid]
}

func (x *Transactions) groupLSN(xid uint32) wal.LSN {
	g := x.group(xid)
	if g < 0 || g >= len(x.commits) {
		return 0
	}
	return x.commits[g]
}

// hintable says whether a page may show that a transaction has committed: its
// commit must be on disk, or the page's own LSN must keep the page from being
// written before it (SetHintBits).
func (x *Transactions) hintable(xid uint32, page wal.LSN) bool {
	if xid == FrozenXID {
		return true
	}
	lsn := x.fetchedLSN
	if x.fetched != xid {
		lsn = x.groupLSN(xid)
	}
	return lsn <= page || lsn <= x.Flushed
}

// removable says whether what a committed transaction deleted can be seen by
// nobody any more: all that committed before the current remote transaction,
// for the worker takes a new snapshot for each change and no one else has one
// (GlobalVisTestIsRemovableXid).
func (x *Transactions) removable(xid uint32) bool {
	if x.held != 0 && xid >= x.held {
		return false
	}
	for _, p := range x.prepared {
		if xid >= p {
			return false
		}
	}
	own := x.Current
	if len(x.levels) > 0 {
		own = x.levels[0]
	}
	if own != 0 {
		return xid < own
	}
	return xid < x.Next
}

// horizon is the oldest transaction that is not removable
// (GetOldestNonRemovableTransactionId).
func (x *Transactions) horizon() uint32 {
	h := x.Next
	if len(x.levels) > 0 && x.levels[0] != 0 {
		h = x.levels[0]
	} else if x.Current != 0 {
		h = x.Current
	}
	for _, p := range x.prepared {
		h = min(h, p)
	}
	if x.held != 0 {
		h = min(h, x.held)
	}
	return h
}

// Hold notes that another session has taken a snapshot, which it keeps until
// ReleaseSnapshot. Its xmin is that of the oldest transaction that runs.
func (x *Transactions) Hold() {
	if x.held == 0 {
		x.held = x.horizon()
	}
}

// ReleaseSnapshot notes that no other session has a snapshot any more.
func (x *Transactions) ReleaseSnapshot() {
	x.held = 0
	x.ends++ // versions that were recently dead may be dead now
}

// Prepare notes that the current transaction is prepared, with subtransactions that
// were released: it runs on, but it is not the worker's own any more.
func (x *Transactions) Prepare(subs []uint32) {
	x.gids = append(append(x.gids, x.Current), subs...)
	x.prepared = append(append(x.prepared, x.Current), subs...)
}

// FinishPrepared notes that a prepared transaction has ended.
func (x *Transactions) FinishPrepared(xid uint32) {
	ended := func(p uint32) bool { return p == xid }
	x.prepared, x.gids = slices.DeleteFunc(x.prepared, ended), slices.DeleteFunc(x.gids, ended)
}

// running says whether xid is a transaction of somebody else that has not ended.
func (x *Transactions) running(xid uint32) bool {
	return len(x.prepared) > 0 && slices.Contains(x.prepared, xid)
}

// current says whether xid is the worker's own running transaction.
func (x *Transactions) current(xid uint32) bool {
	return xid != 0 && (xid == x.Current || len(x.levels) > 0 && (slices.Contains(x.levels, xid) ||
		slices.ContainsFunc(x.released, func(r released) bool { return r.xid == xid })))
}

// NextXID is the next transaction id to be given out.
func (t *Table) NextXID() uint32 { return t.xacts.Next }

// Removable says whether nobody can see any more what was there before a
// transaction.
func (t *Table) Removable(xid uint32) bool { return t.xacts.removable(xid) }
