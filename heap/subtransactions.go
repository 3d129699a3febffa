package heap

// Subtransactions and workers beside the first one, after xact.c.

import (
	"slices"

	"applysim/wal/storage"
)

// Backend is the part of the transactions' state that each worker process has for
// itself.
type Backend struct {
	current    uint32
	levels     []uint32
	combos     combos
	multiCache []uint32
}

// Switch makes another worker the current one: away gets the state of the one
// that was, and the transaction of to goes on. Whatever away has begun is running
// in the eyes of to.
func (x *Transactions) Switch(away, to *Backend) {
	*away = Backend{x.Current, x.levels, x.combos, x.multiCache}
	x.Current, x.levels, x.combos, x.multiCache = to.current, to.levels, to.combos, to.multiCache
	for _, xid := range away.ids() {
		x.prepared = append(x.prepared, xid)
	}
	for _, xid := range to.ids() {
		x.FinishPrepared(xid)
	}
}

// ids are the transaction ids of a backend's transaction and its subtransactions.
func (b *Backend) ids() []uint32 {
	if len(b.levels) == 0 {
		if b.current == 0 {
			return nil
		}
		return []uint32{b.current}
	}
	return slices.DeleteFunc(slices.Clone(b.levels), func(xid uint32) bool { return xid == 0 })
}

// Savepoint begins a subtransaction, which has no id yet.
func (x *Transactions) Savepoint() {
	if len(x.levels) == 0 {
		x.levels = append(x.levels, x.Current)
	}
	x.levels = append(x.levels, 0)
	x.Current = 0
}

// Top is the id of the transaction as a whole, 0 if it has none yet.
func (x *Transactions) Top() uint32 {
	if len(x.levels) > 0 {
		return x.levels[0]
	}
	return x.Current
}

// Depth is the number of open subtransactions.
func (x *Transactions) Depth() int { return max(len(x.levels)-1, 0) }

// AssignAll gives an id to the current subtransaction and to all around it that
// have none, the outermost first (AssignTransactionId). assign gets the depth, 0
// for the transaction itself.
func (x *Transactions) AssignAll(assign func(depth int) uint32) {
	for depth, xid := range x.levels {
		if xid == 0 {
			x.levels[depth] = assign(depth)
		}
	}
	x.Current = x.levels[len(x.levels)-1]
}

// AssignTop gives the transaction around all subtransactions an id if it has none.
func (x *Transactions) AssignTop(assign func() uint32) {
	if x.levels[0] == 0 {
		x.levels[0] = assign()
	}
}

// Rollback ends the subtransactions from a depth on, the innermost first. log is
// called for each with its depth and id, 0 if it has none. With depth 0 the whole transaction ends.
func (x *Transactions) Rollback(depth int, log func(depth int, xid uint32)) {
	if len(x.levels) == 0 {
		x.levels = append(x.levels, x.Current)
	}
	for i := len(x.levels) - 1; i >= depth; i-- {
		log(i, x.levels[i])
		if x.levels[i] != 0 {
			x.Aborted(x.levels[i])
		}
	}
	x.released = slices.DeleteFunc(x.released, func(r released) bool {
		if r.depth >= depth {
			x.Aborted(r.xid)
		}
		return r.depth >= depth
	})
	x.levels = x.levels[:depth]
	x.Current = 0
	if depth > 0 {
		x.Current = x.levels[depth-1]
	}
}

// ReleaseTo ends the subtransactions within the one of a depth well, 0 for the
// transaction itself: what they have done belongs to it.
func (x *Transactions) ReleaseTo(depth int) {
	for i := range x.released {
		x.released[i].depth = min(x.released[i].depth, depth)
	}
	for _, xid := range x.levels[depth+1:] {
		if xid != 0 {
			x.released = append(x.released, released{xid, depth})
		}
	}
	x.levels = x.levels[:depth+1]
	x.Current = x.levels[depth]
	if depth == 0 && x.Current == 0 {
		x.levels = nil
	}
}

// released is a subtransaction that has ended well within one that has not.
type released struct {
	xid   uint32
	depth int // of the one that it belongs to now
}

// Children is how many subtransactions that have ended well belong to the one of a
// depth.
func (x *Transactions) Children(depth int) int {
	n := 0
	for _, r := range x.released {
		if r.depth == depth {
			n++
		}
	}
	return n
}

// Release ends all subtransactions well and returns their ids. The transaction
// itself is current then.
func (x *Transactions) Release() []uint32 {
	if len(x.levels) == 0 {
		return nil
	}
	x.Current = x.levels[0]
	ids := slices.DeleteFunc(slices.Clone(x.levels[1:]), func(xid uint32) bool { return xid == 0 })
	for _, r := range x.released {
		ids = append(ids, r.xid)
	}
	x.levels, x.released = nil, nil
	return ids
}

// Running is the number of ids of transactions and subtransactions that have not
// ended.
func (x *Transactions) Running() int {
	own := Backend{current: x.Current, levels: x.levels}
	return len(x.prepared) + len(own.ids()) + len(x.released)
}

// Target is what a worker's relation cache has of a table: where it has put its last row, and
// whether it knows the table's constraint as a partition.
type Target struct {
	block      storage.BlockNumber
	generation int
	known      bool
	qual       bool
}

// SwitchTarget replaces the page that the next row is tried on by another
// worker's and returns the former.
func (t *Table) SwitchTarget(to Target) Target {
	away := Target{t.target, t.generation, true, t.qual}
	t.target, t.qual = storage.InvalidBlock, false
	if to.known && to.generation == t.generation {
		t.target, t.qual = to.block, to.qual
	}
	return away
}

// Undo corrects n_live_tup and n_dead_tup after a rollback of so many inserts and
// deletes: what was inserted is dead, what was deleted is not.
func (t *Table) Undo(inserts, deletes int64) {
	t.live -= inserts - deletes
	t.dead += inserts - deletes
	t.rows = nil
}
