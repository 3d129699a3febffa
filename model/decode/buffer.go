package decode

// The reorder buffer: which changes it keeps in memory, and when some go to disk or
// to the subscriber. After src/backend/replication/logical/reorderbuffer.c.

import "slices"

// Counters are those of pg_stat_replication_slots.
type Counters struct {
	SpillTxns   int64 `json:"spill_txns"`
	SpillCount  int64 `json:"spill_count"`
	SpillBytes  int64 `json:"spill_bytes"`
	StreamTxns  int64 `json:"stream_txns"`
	StreamCount int64 `json:"stream_count"`
	StreamBytes int64 `json:"stream_bytes"`
	TotalTxns   int64 `json:"total_txns"`
	TotalBytes  int64 `json:"total_bytes"`
}

// BufferOptions are what decides where changes go.
type BufferOptions struct {
	// WorkMem is logical_decoding_work_mem, in bytes.
	WorkMem int64
	// Major is the server's major version. Before 13 a transaction goes to disk at
	// 4,096 changes whatever their size; since 14 large ones can be streamed; since 18
	// the changes of a transaction that is known to have aborted are dropped.
	Major int
	// Streaming says that the plugin takes transactions in progress.
	Streaming bool
	// TwoPhase says that the slot has two_phase and the plugin takes prepared transactions:
	// they are handed out when they are prepared, not when they commit.
	TwoPhase bool
}

// Plugin gets what an output plugin's callbacks get. A transaction is streamed, or
// begins and commits. One that is prepared, which Begin learns from it, ends with Prepare or
// StreamPrepare instead, and FinishPrepared follows.
type Plugin interface {
	Begin(t *Transaction)
	Change(t *Transaction, c *Change)
	Commit(t *Transaction)
	StreamStart(t *Transaction, first bool)
	StreamStop(t *Transaction)
	StreamCommit(t *Transaction)
	StreamAbort(top, t *Transaction)
	Prepare(t *Transaction)
	StreamPrepare(t *Transaction)
	FinishPrepared(t *Transaction, commit bool)
}

// Change is what one record, or one row of a record of several, has the buffer keep.
type Change struct {
	Size int // in memory, bytes
	// Restored is the size with the values from the TOAST table put back, which the
	// plugin gets; 0 if that is no other.
	Restored int
	// Chunk says that it is a row of a TOAST table: it is kept until the row that it
	// belongs to has been decoded, which is one with Clear.
	Chunk, Clear bool
	// Speculative says that it is a row of an INSERT with ON CONFLICT: it is kept until the
	// next change, with Confirm, says that it stays.
	Speculative, Confirm bool
	// Internal says that no plugin sees it: a command id, an invalidation, a snapshot,
	// a catalog row, a row that left a TOAST table.
	Internal bool
	// Row says that it is a row change, a TRUNCATE or a message, of whatever table: a
	// transaction that has none is not streamed.
	Row bool
	// Table stands for the table that it is a row of, nil if none has to be looked up. A
	// description of the table that has replaced another one is another table.
	Table any
	// Payload is the caller's.
	Payload any

	at int64 // its place in the WAL
}

// Transaction is a transaction or subtransaction in the buffer.
type Transaction struct {
	XID uint32
	Top *Transaction // nil for one that is no subtransaction
	// Info is the caller's.
	Info any

	subs    []*Transaction
	changes []*Change
	disk    int // so many of them are on disk
	size    int64
	total   int64 // of a top-level one: with its subtransactions

	known          bool // its base snapshot: some change was queued
	serialized     bool
	serializedOnce bool // and then taken back from disk
	streamed       bool
	partial        bool
	streamable     bool
	aborted        bool
	prepared       bool // as a slot with two_phase has decoded it
}

// Prepared says whether the transaction is prepared, and handed out for that reason.
func (t *Transaction) Prepared() bool { return t.prepared }

func (t *Transaction) top() *Transaction {
	if t.Top != nil {
		return t.Top
	}
	return t
}

// Buffer is a reorder buffer. Each decoding session has one of its own.
type Buffer struct {
	// Counters are those that were reported so far.
	Counters Counters
	// Aborted says whether a transaction that is still in the buffer has already
	// aborted where the server is: decoding lags behind. Nil: it keeps up.
	Aborted func(xid uint32) bool

	opts   BufferOptions
	plugin Plugin
	txns   map[uint32]*Transaction
	order  []*Transaction // top-level and subtransactions, in the order in which they came
	size   int64
	clock  int64
	counts Counters     // since the last report
	high   int64        // the most that was in memory
	looked map[any]bool // tables that were looked up in the catalogs
}

// NewBuffer returns an empty buffer that gives its changes to a plugin.
func NewBuffer(o BufferOptions, p Plugin) *Buffer {
	return &Buffer{opts: o, plugin: p, txns: map[uint32]*Transaction{}, looked: map[any]bool{}}
}

// Peak is the most memory that changes took, in bytes.
func (b *Buffer) Peak() int64 { return b.high }

// canStream says whether large transactions are streamed.
func (b *Buffer) canStream() bool { return b.opts.Streaming && b.opts.Major >= 14 }

// Transaction returns the transaction with an id, new if it is not known. top is the
// id of the one that it is a subtransaction of, 0 if it is none.
func (b *Buffer) Transaction(xid, top uint32) *Transaction {
	if t := b.txns[xid]; t != nil {
		return t
	}
	t := &Transaction{XID: xid}
	if top != 0 && top != xid {
		t.Top = b.Transaction(top, 0)
		t.Top.subs = append(t.Top.subs, t)
	}
	b.txns[xid] = t
	b.order = append(b.order, t)
	return t
}

// Queue adds a change to a transaction (ReorderBufferQueueChange).
func (b *Buffer) Queue(t *Transaction, c *Change) {
	b.clock++
	c.at = b.clock
	top := t.top()
	top.known = true
	if t.aborted {
		return
	}
	if c.Row {
		top.streamable = true
	}
	t.changes = append(t.changes, c)
	b.account(t, int64(c.Size))
	if b.canStream() {
		if c.Chunk || c.Speculative {
			top.partial = true
		} else if c.Clear {
			top.partial = false
		}
		if !top.partial && t.serialized && top.streamable {
			b.stream(top)
		}
	}
	if b.opts.Major < 13 {
		if len(t.changes)-t.disk >= maxChangesInMemory {
			b.spill(t)
		}
		return
	}
	b.limit()
}

// account adds to what a transaction takes in memory (ReorderBufferChangeMemoryUpdate).
func (b *Buffer) account(t *Transaction, n int64) {
	t.size += n
	t.top().total += n
	b.size += n
	b.high = max(b.high, b.size)
}

// limit makes room if the buffer is over its limit (ReorderBufferCheckMemoryLimit).
func (b *Buffer) limit() {
	for b.size > 0 && b.size >= b.opts.WorkMem {
		t := b.largestStreamable()
		stream := t != nil
		if !stream {
			t = b.largest()
		}
		switch {
		case b.dropAborted(t):
		case stream:
			b.stream(t)
		default:
			b.spill(t)
		}
	}
}

// largest returns the transaction that takes most, of equal ones the oldest
// (ReorderBufferLargestTXN).
func (b *Buffer) largest() *Transaction {
	var best *Transaction
	for _, t := range b.order {
		if best == nil || t.size > best.size {
			best = t
		}
	}
	return best
}

// largestStreamable returns the top-level transaction that takes most with its
// subtransactions, of those that can be streamed; nil if there is none
// (ReorderBufferLargestStreamableTopTXN).
func (b *Buffer) largestStreamable() *Transaction {
	if !b.canStream() {
		return nil
	}
	var best *Transaction
	for _, t := range b.order {
		if t.Top != nil || !t.known || t.partial || !t.streamable || t.aborted {
			continue
		}
		if t.total > 0 && (best == nil || t.total > best.total) {
			best = t
		}
	}
	return best
}

// dropAborted drops what is known of a transaction if it has aborted already
// (ReorderBufferCheckAndTruncateAbortedTXN).
func (b *Buffer) dropAborted(t *Transaction) bool {
	if b.opts.Major < 18 || b.Aborted == nil || !b.Aborted(t.XID) {
		return false
	}
	b.truncate(t)
	t.aborted = true
	return true
}

// spill writes a transaction's changes and those of its subtransactions to disk
// (ReorderBufferSerializeTXN).
func (b *Buffer) spill(t *Transaction) {
	size := t.size
	for _, s := range t.subs {
		b.spill(s)
	}
	spilled := t.disk < len(t.changes)
	t.disk = len(t.changes)
	b.account(t, -size)
	if spilled {
		b.counts.SpillCount++
		b.counts.SpillBytes += size
		if !t.serialized && !t.serializedOnce {
			b.counts.SpillTxns++
		}
		b.report()
	}
	t.serialized = true
}

// truncate forgets a transaction's changes and those of its subtransactions
// (ReorderBufferTruncateTXN).
func (b *Buffer) truncate(t *Transaction) {
	for _, s := range t.subs {
		b.truncate(s)
	}
	b.account(t, -t.size)
	if t.serialized {
		t.serialized, t.serializedOnce = false, true
	}
	t.changes, t.disk = nil, 0
}

// stream hands out what there is of a transaction in progress (ReorderBufferStreamTXN).
func (b *Buffer) stream(t *Transaction) {
	first, bytes := !t.streamed, t.total
	b.process(t, true)
	b.counts.StreamCount++
	b.counts.StreamBytes += bytes
	if first {
		b.counts.StreamTxns++
	}
	b.report()
}

// report adds what was counted to the slot's counters, unless it comes to no bytes: then
// it waits for the next report (UpdateDecodingStats in logical.c).
func (b *Buffer) report() {
	n := &b.counts
	if n.SpillBytes <= 0 && n.StreamBytes <= 0 && n.TotalBytes <= 0 {
		return
	}
	c := &b.Counters
	c.SpillTxns += n.SpillTxns
	c.SpillCount += n.SpillCount
	c.SpillBytes += n.SpillBytes
	c.StreamTxns += n.StreamTxns
	c.StreamCount += n.StreamCount
	c.StreamBytes += n.StreamBytes
	c.TotalTxns += n.TotalTxns
	c.TotalBytes += n.TotalBytes
	*n = Counters{}
}

// Commit hands out a transaction (ReorderBufferCommit).
func (b *Buffer) Commit(xid uint32) {
	defer b.report()
	t := b.txns[xid]
	if t == nil {
		return
	}
	switch {
	case t.streamed:
		b.stream(t)
		b.plugin.StreamCommit(t)
	case t.known:
		b.process(t, false)
	}
	b.forget(t)
}

// Prepare hands out a transaction that is prepared, if the slot has two_phase, and keeps
// what is known of it until FinishPrepared (ReorderBufferPrepare).
func (b *Buffer) Prepare(xid uint32) {
	if !b.opts.TwoPhase {
		return
	}
	defer b.report()
	t := b.txns[xid]
	if t == nil {
		return
	}
	t.prepared = true
	switch {
	case t.streamed:
		b.stream(t)
		b.plugin.StreamPrepare(t)
	case t.known:
		b.process(t, false)
	default:
		b.plugin.Prepare(t)
	}
	b.truncate(t)
}

// FinishPrepared ends a prepared transaction (ReorderBufferFinishPrepared); without
// two_phase it is handed out or dropped now.
func (b *Buffer) FinishPrepared(xid uint32, commit bool) {
	t := b.txns[xid]
	switch {
	case !b.opts.TwoPhase && commit:
		b.Commit(xid)
		return
	case !b.opts.TwoPhase:
		if t != nil {
			for _, s := range slices.Clone(t.subs) {
				b.Abort(s.XID)
			}
		}
		b.Abort(xid)
		return
	}
	defer b.report()
	if t == nil {
		return
	}
	b.plugin.FinishPrepared(t, commit)
	b.forget(t)
}

// Abort drops a transaction or subtransaction (ReorderBufferAbort).
func (b *Buffer) Abort(xid uint32) {
	defer b.report()
	t := b.txns[xid]
	if t == nil {
		return
	}
	if t.streamed {
		b.plugin.StreamAbort(t.top(), t)
	}
	b.forget(t)
}

// forget takes a transaction out of the buffer (ReorderBufferCleanupTXN).
func (b *Buffer) forget(t *Transaction) {
	for _, s := range slices.Clone(t.subs) {
		b.forget(s)
	}
	b.account(t, -t.size)
	t.changes, t.disk = nil, 0
	delete(b.txns, t.XID)
	same := func(o *Transaction) bool { return o == t }
	b.order = slices.DeleteFunc(b.order, same)
	if t.Top != nil {
		t.Top.subs = slices.DeleteFunc(t.Top.subs, same)
	}
}
