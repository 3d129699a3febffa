package decode

// How a transaction leaves the buffer: its changes and those of its subtransactions
// in the order of the WAL, with what is on disk read back 4,096 changes at a time.
// After ReorderBufferProcessTXN and ReorderBufferIterTXNNext in reorderbuffer.c. What
// the counters say depends on when each change's memory is given back.

import "container/heap"

// cursor walks through the changes of one transaction or subtransaction.
type cursor struct {
	t      *Transaction
	next   int   // the change that comes next
	loaded int   // those before it are in memory, or have been
	batch  int   // how many were read back last; all of them if none had to be
	listed int64 // what the changes in memory take that will be freed together, bytes
}

// cursors is a heap of them by the place of their next change in the WAL.
type cursors []*cursor

func (h cursors) Len() int           { return len(h) }
func (h cursors) Less(i, j int) bool { return h[i].place() < h[j].place() }
func (h cursors) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *cursors) Push(x any)        { *h = append(*h, x.(*cursor)) }
func (h *cursors) Pop() any {
	last := len(*h) - 1
	c := (*h)[last]
	*h = (*h)[:last]
	return c
}

func (c *cursor) place() int64 { return c.t.changes[c.next].at }

// open begins to walk through a transaction and its subtransactions
// (ReorderBufferIterTXNInit).
func (b *Buffer) open(t *Transaction) *cursors {
	h := &cursors{}
	for i := -1; i < len(t.subs); i++ {
		x := t
		if i >= 0 {
			x = t.subs[i]
		}
		if len(x.changes) == 0 {
			continue
		}
		c := &cursor{t: x, loaded: len(x.changes), batch: len(x.changes), listed: x.size}
		if x.serialized {
			b.spill(x) // the rest of it
			c.loaded, c.listed = 0, 0
			b.load(c)
		}
		*h = append(*h, c)
	}
	heap.Init(h)
	return h
}

// load frees what a transaction has in memory and reads more back
// (ReorderBufferRestoreChanges).
func (b *Buffer) load(c *cursor) {
	b.account(c.t, -c.listed)
	c.listed = 0
	c.batch = min(maxChangesInMemory, len(c.t.changes)-c.loaded)
	for _, x := range c.t.changes[c.loaded : c.loaded+c.batch] {
		c.listed += int64(x.Size)
	}
	c.loaded += c.batch
	b.account(c.t, c.listed)
}

// held is memory that is given back later than the rest.
type held struct {
	t    *Transaction
	size int64
}

// process hands out a transaction's changes: as a block of a stream, or from begin to
// commit.
func (b *Buffer) process(t *Transaction, streaming bool) {
	if !streaming {
		b.plugin.Begin(t)
	}
	h := b.open(t)
	started := false
	var chunks []held     // of the values of a row to come
	var tentative *Change // a speculative row
	var last held         // the change before those just read back
	for h.Len() > 0 {
		c := (*h)[0]
		if last.t != nil {
			b.account(last.t, -last.size)
			last = held{}
		}
		change := c.t.changes[c.next]
		c.next++
		size := int64(change.Size)
		detached := false
		if c.next == c.loaded {
			if c.batch != len(c.t.changes) {
				b.counts.TotalBytes += c.t.size
				c.listed -= size
				detached = true
				b.load(c)
			}
			if c.next == c.loaded {
				heap.Pop(h)
			} else {
				heap.Fix(h, 0)
			}
		} else {
			heap.Fix(h, 0)
		}
		if change.Table != nil && !b.looked[change.Table] {
			if t.prepared && b.Aborted != nil && b.Aborted(t.XID) {
				// Looking the table up finds out that the transaction has been rolled
				// back: the rest is left out, and nothing is counted
				// (HandleConcurrentAbort).
				b.plugin.Prepare(t)
				return
			}
			b.looked[change.Table] = true
		}
		if streaming && !started {
			b.plugin.StreamStart(t, !t.streamed)
			started = true
		}
		if change.Chunk {
			chunks = append(chunks, held{c.t, size})
			if !detached {
				c.listed -= size
			}
			continue
		}
		if change.Speculative {
			tentative = change
			chunks = append(chunks, held{c.t, size})
			if !detached {
				c.listed -= size
			}
			continue
		}
		if change.Confirm && tentative != nil {
			tentative.Clear = true
			change, tentative = tentative, nil
		}
		if len(chunks) > 0 && change.Restored != 0 {
			grown := int64(change.Restored - change.Size)
			b.account(c.t, grown)
			size += grown
			if !detached {
				c.listed += grown
			}
		}
		if detached {
			last = held{c.t, size}
		}
		if change.Internal {
			continue
		}
		b.plugin.Change(c.t, change)
		if change.Clear {
			for _, x := range chunks {
				b.account(x.t, -x.size)
			}
			chunks = chunks[:0]
		}
	}
	if last.t != nil {
		b.account(last.t, -last.size)
	}
	if !t.streamed {
		b.counts.TotalTxns++
	}
	b.counts.TotalBytes += t.total
	switch {
	case !streaming && t.prepared:
		b.plugin.Prepare(t)
		return
	case !streaming:
		b.plugin.Commit(t)
		return
	}
	if started {
		b.plugin.StreamStop(t)
	}
	t.streamed = true
	for _, s := range t.subs {
		s.streamed = s.streamed || len(s.changes) > 0
	}
	b.truncate(t)
}
