package publisher

import (
	_ "embed" // the model
	"fmt"

	"applysim/model/cost"
	"applysim/model/decode"
	"applysim/model/stream"
	"applysim/wal"
)

//go:generate go run ../../experiments/instructions/fit --side walsender -o model.json

//go:embed model.json
var builtin []byte

// Model is what each kind of work takes a walsender, in instructions.
func Model() (*cost.Model, error) { return cost.ReadModel(builtin) }

// The terms that do not depend on types.
const (
	TermRecord     = "read a WAL record"
	TermRecordByte = "read a byte of WAL"
	TermPass       = "pass over a record that is not decoded"
	TermDecode     = "decode a row change"
	TermDecodeByte = "decode a byte of a row"
	TermCommit     = "decode a commit"
	TermAbort      = "decode a rollback"
	TermSub        = "decode a subtransaction"
	TermReplay     = "put a change into its transaction's order"
	TermChunk      = "decode a chunk of a value out of line"
	TermToasted    = "put a value out of line together"
	TermSpill      = "spill a change and read it back"
	TermSpillByte  = "spill a byte and read it back"
	TermBlock      = "stream a block of a transaction"
	TermTruncate   = "decode a TRUNCATE"

	TermTransaction = "send a transaction"
	TermChange      = "send a change"
	TermUpdate      = "send an update"
	TermDelete      = "send a delete"
	TermOldRow      = "send an old row or key"
	TermNull        = "send a NULL"
	TermByte        = "send a byte"
	TermUnpublished = "see that a change is not published"
	TermFilter      = "evaluate a row filter"
	TermFiltered    = "evaluate a part of a row filter"
	TermLeftOut     = "leave a column out"
	TermDescribe    = "describe a relation"
	TermDescribed   = "describe a column"
	TermFirst       = "look a relation up for the first time"
)

// outputTerm is the term of a type's output function, by value or byte.
func outputTerm(typ uint32, format, unit string) string {
	return fmt.Sprintf("output type %d (%s), by %s", typ, format, unit)
}

// values count the values of one type in one format.
type values struct{ n, bytes int64 }

type output struct {
	typ    uint32
	format byte
}

// Counter counts what a walsender does: the WAL that it reads (Record), the changes of all
// tables that it decodes (Decoded), the messages that it sends (Add).
type Counter struct {
	records, recordBytes, passed       int64
	decoded, decodedBytes              int64
	commits, aborts, subs              int64
	chunks                             int64
	replayed, filters, filtered, first int64
	spilled, spilledBytes, blocks      int64
	truncates                          int64

	transactions, changes, updates, deletes, old, nulls, bytes int64
	leftOut, described, columns                                int64

	relations map[uint32]*stream.Relation
	all       map[uint32]*Published
	seen      map[string]bool
	outputs   map[output]*values
	order     []output
}

// Published is what publications do with a table's changes.
type Published struct {
	Name    string
	Columns int // that the table has
	Filter  int // parts of the row filter, 0 if there is none
	left    map[string]int
}

// topXID is what a subtransaction's first record is longer by.
const topXID = 5

// Record counts a WAL record. toast says that it is of a TOAST table, begins that it is
// the first of a subtransaction.
func (c *Counter) Record(t wal.RecordType, length int, toast, begins bool) {
	c.records++
	c.recordBytes += int64(length)
	if begins {
		c.subs++
		length -= topXID
	}
	switch t {
	case wal.HeapInsert, wal.HeapInsertInit, wal.HeapUpdate, wal.HeapUpdateInit, wal.HeapHotUpdate, wal.HeapHotUpdateInit, wal.HeapDelete,
		wal.Heap2MultiInsert, wal.Heap2MultiInsertInit:
		if toast {
			c.chunks++
			c.decodedBytes += int64(length)
			return
		}
		c.decoded++
		c.decodedBytes += int64(length)
	case wal.TransactionCommit:
		c.commits++
	case wal.TransactionAbort:
		c.aborts++
	case wal.HeapTruncate:
		c.truncates++
	default:
		c.passed++
	}
}

// Decoded counts a change, of whatever table, of a transaction that has committed. p is
// what is published of the table; nil for nothing.
func (c *Counter) Decoded(m *stream.Message, table string, p *Published) {
	switch m.Kind {
	case stream.KindInsert, stream.KindUpdate, stream.KindDelete:
	default:
		return
	}
	c.replayed++
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	if !c.seen[table] {
		c.seen[table] = true
		c.first++
	}
	if p == nil || p.Filter == 0 {
		return
	}
	c.filters++
	n := int64(p.Filter)
	if m.Kind == stream.KindUpdate && m.OldKind != stream.OldNone {
		n *= 2
	}
	c.filtered += n
}

// LeaveOut counts columns that a column list leaves out.
func (c *Counter) LeaveOut(n int) { c.leftOut += int64(n) }

// Buffer counts what the reorder buffer has spilled or streamed.
func (c *Counter) Buffer(spilled, bytes, blocks int64) {
	c.spilled += spilled
	c.spilledBytes += bytes
	c.blocks += blocks
}

// Counters counts what a slot's counters say, of changes of so many bytes on average.
func (c *Counter) Counters(d *decode.Counters, average float64) {
	if average > 0 {
		c.Buffer(int64(float64(d.SpillBytes)/average), d.SpillBytes, d.StreamCount)
	}
}

// Add counts a message that is sent.
func (c *Counter) Add(m *stream.Message) {
	switch m.Kind {
	case stream.KindRelation:
		if c.relations == nil {
			c.relations = map[uint32]*stream.Relation{}
		}
		if c.relations[m.Relation.ID] == nil {
			c.described++
			c.columns += int64(len(m.Relation.Columns))
		}
		r := *m.Relation
		c.relations[m.Relation.ID] = &r
	case stream.KindCommit, stream.KindStreamCommit:
		c.transactions++
	case stream.KindInsert, stream.KindUpdate, stream.KindDelete:
		c.changes++
		switch m.Kind {
		case stream.KindUpdate:
			c.updates++
		case stream.KindDelete:
			c.deletes++
		}
		c.bytes += int64(m.Size)
		if m.OldKind != stream.OldNone {
			c.old++
		}
		c.tuple(m.RelationID, m.New)
		c.tuple(m.RelationID, m.Old)
	}
}

func (c *Counter) tuple(relation uint32, t stream.Tuple) {
	r := c.relations[relation]
	for i := range t {
		f := t[i].Format
		if f != stream.ColumnText && f != stream.ColumnBinary {
			c.nulls++
			continue
		}
		typ := uint32(0)
		if r != nil && i < len(r.Columns) {
			typ = r.Columns[i].TypeID
		}
		o := output{typ, f}
		v := c.outputs[o]
		if v == nil {
			if c.outputs == nil {
				c.outputs = map[output]*values{}
			}
			v = &values{}
			c.outputs[o] = v
			c.order = append(c.order, o)
		}
		v.n++
		v.bytes += int64(len(t[i].Data))
	}
}

// Bytes is the length of all changes sent.
func (c *Counter) Bytes() int64 { return c.bytes }

// Transactions is the number of transactions sent.
func (c *Counter) Transactions() int64 { return c.transactions }

// Lengths of the records of a publisher that is not simulated. Source: REL_18_1, xlog
// record headers and the structs of heapam_xlog.h and nbtxlog.h.
const (
	rowRecord    = 54 // of a row change, without the row
	indexRecord  = 64 // of a short key
	commitRecord = 46
)

// assumed is the counter with the WAL of a publisher that was not simulated: all that it
// writes is published, its tables have one index, updates are HOT, and a row takes as much
// as its message.
func (c *Counter) assumed() *Counter {
	if c.records > 0 || c.changes == 0 {
		return c
	}
	a := *c
	inserts := c.changes - c.updates - c.deletes
	a.records = c.changes + inserts + c.transactions
	a.decodedBytes = c.bytes + rowRecord*c.changes
	a.recordBytes = a.decodedBytes + indexRecord*inserts + commitRecord*c.transactions
	a.decoded, a.replayed, a.passed = c.changes, c.changes, inserts
	a.commits, a.first = c.transactions, c.described
	return &a
}

// WALOf takes what a walsender reads from a counter of messages that would all be sent: where
// a filter keeps some of them back, the WAL is that of all.
func (c *Counter) WALOf(all *Counter) {
	a := all.assumed()
	c.records, c.recordBytes, c.passed = a.records, a.recordBytes, a.passed
	c.decoded, c.decodedBytes = a.decoded, a.decodedBytes
	c.commits, c.aborts, c.subs, c.chunks = a.commits, a.aborts, a.subs, a.chunks
	c.replayed, c.first = a.replayed, a.first
}

// Usage is the walsender's work so far. Without a WAL that is assumed which the messages
// suggest.
func (c *Counter) Usage() *cost.Usage {
	c = c.assumed()
	u := &cost.Usage{}
	add := func(term string, n int64) { u.Add(cost.Item{Term: term, Where: cost.Dispatch, Quantity: float64(n)}) }
	add(TermRecord, c.records)
	add(TermRecordByte, c.recordBytes)
	add(TermPass, c.passed)
	add(TermDecode, c.decoded)
	add(TermDecodeByte, c.decodedBytes)
	add(TermChunk, c.chunks)
	add(TermCommit, c.commits)
	add(TermAbort, c.aborts)
	add(TermSub, c.subs)
	add(TermTruncate, c.truncates)
	add(TermReplay, c.replayed)
	add(TermUnpublished, c.replayed-c.changes)
	add(TermFilter, c.filters)
	add(TermFiltered, c.filtered)
	add(TermFirst, c.first)
	add(TermSpill, c.spilled)
	add(TermSpillByte, c.spilledBytes)
	add(TermBlock, c.blocks)
	add(TermTransaction, c.transactions)
	add(TermChange, c.changes)
	add(TermUpdate, c.updates)
	add(TermDelete, c.deletes)
	add(TermOldRow, c.old)
	add(TermNull, c.nulls)
	add(TermByte, c.bytes)
	add(TermLeftOut, c.leftOut)
	add(TermDescribe, c.described)
	add(TermDescribed, c.columns)
	for _, o := range c.order {
		format := "text"
		if o.format == stream.ColumnBinary {
			format = "binary"
		}
		v := c.outputs[o]
		add(outputTerm(o.typ, format, "value"), v.n)
		add(outputTerm(o.typ, format, "byte"), v.bytes)
	}
	return u
}

// Parts are the functions of a walsender whose instructions are measured apart, with what
// happens within each: for fits.
func Parts() []cost.Part {
	is := func(terms ...string) func(string) bool {
		return func(t string) bool {
			for _, x := range terms {
				if t == x {
					return true
				}
			}
			return false
		}
	}
	return []cost.Part{
		{Functions: []string{"XLogReadRecord"}, Terms: is(TermRecord, TermRecordByte)},
		{Functions: []string{"heap_decode"}, Terms: is(TermDecode, TermDecodeByte, TermChunk)},
	}
}
