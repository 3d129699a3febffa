package decode

import (
	"fmt"
	"slices"

	"applysim/heap/datum"
	"applysim/model/expr"
	"applysim/model/schema"
	"applysim/model/stream"
)

// The ways in which a slot is read: plugin and options.
const (
	PgoutputText      = "pgoutput_text"
	PgoutputBinary    = "pgoutput_binary"
	PgoutputStreaming = "pgoutput_streaming"
	TestDecoding      = "test_decoding"
	Wal2JSON1         = "wal2json_1"
	Wal2JSON2         = "wal2json_2"
)

// Ways are all of them.
var Ways = []string{PgoutputText, PgoutputBinary, PgoutputStreaming, TestDecoding, Wal2JSON1, Wal2JSON2}

// The encoders: pgoutput's two streams differ only in what is around the changes.
const (
	encodeText = iota
	encodeBinary
	encodeTest
	encodeJSON1
	encodeJSON2
	encoders
)

// Options are what a Decoder must know beside the tables.
type Options struct {
	// Publications are those that the slots of pgoutput are read with.
	Publications []string
	// AllTables stands for a publication of all tables, beside them.
	AllTables bool
	// WorkMem is logical_decoding_work_mem, in bytes.
	WorkMem int64
	// Major is the server's major version.
	Major int
	// Compression is default_toast_compression.
	Compression datum.Method
	// Messages says that slots of pgoutput are read with messages = on.
	Messages bool
	// Ways are those that are decoded; nil for all.
	Ways []string
	// Emit is called with every message that a way gives; nil if only their numbers
	// and lengths are of interest. The bytes are good until it returns.
	Emit func(way string, message []byte)
	// Aborted says whether a transaction has already aborted where the server is, so
	// that its changes can be dropped; nil if decoding keeps up with the server.
	Aborted func(xid uint32) bool
	// TwoPhase says that the slots have two_phase: where the plugin can do it, prepared
	// transactions are handed out when they are prepared.
	TwoPhase bool
}

// DefaultOptions are PostgreSQL 18's defaults.
func DefaultOptions() Options { return Options{WorkMem: 64 << 20, Major: 18} }

// Count is a number of messages and their bytes.
type Count struct {
	Messages int64 `json:"count"`
	Bytes    int64 `json:"bytes"`
}

// Result is what one slot gave.
type Result struct {
	Way      string           `json:"way"`
	Messages int64            `json:"messages"`
	Bytes    int64            `json:"bytes"`
	ByKind   map[string]Count `json:"by_kind"` // by the first byte or word of a message
	// ByMessage counts the same by what a message says: "begin", "insert", "stream
	// start". Where one message has a whole transaction, its parts are counted here.
	ByMessage map[string]Count `json:"by_message"`
	// Unknown are the messages, by kind, whose lengths are not known and not counted:
	// rows that were rolled back after they had been streamed.
	Unknown map[string]int64 `json:"unknown,omitempty"`
	Counters
	// PeakBytes is the most that the changes in memory took.
	PeakBytes int64 `json:"peak_bytes"`
}

// Decoder decodes the changes of one database as several slots do, side by side.
type Decoder struct {
	db           *schema.Database
	opts         Options
	publications []*schema.Publication
	outputs      []*output
	spilling     *Buffer // of the slots whose transactions are not streamed; nil if there is none
	streaming    *Buffer
	whole        *Buffer // of the slots whose plugins know no prepared transactions, if others do
	warnings     []string
	warned       map[string]bool

	relations map[uint32]*relation
	types     map[uint32]*stream.Type
	oids      map[string]uint32 // made up for ancestors and types, by name
	current   *xact             // the transaction that Message is in

	transactions, changes int64 // that committed; their row changes and TRUNCATEs

	compressor         datum.Compressor
	eval               expr.Scratch
	scratch, binary    []byte
	encoded            []byte
	row, mapped        []datum.Value
	oldCells, newCells []cell
	oldTuple, newTuple stream.Tuple
}

// xact is what a transaction's begin and commit say.
type xact struct {
	xid      uint32
	finalLSN stream.LSN
	endLSN   stream.LSN
	time     stream.Timestamp
	gid      string           // of one that is prepared
	prepared stream.Timestamp // when it was
	first    stream.LSN       // the end of the record of its PREPARE
}

// payload is what the encoders made of a change.
type payload struct {
	kind          stream.Kind
	published     stream.Kind // 0: not
	transactional bool
	lost          bool        // its values are not known
	relations     []*relation // that a subscriber must know of
	all           []*relation // that are truncated
	size          [encoders]int32
	text          [encoders][]byte // only for Options.Emit
}

// output is a slot: its plugin's messages are counted.
type output struct {
	Result
	d       *Decoder
	encoder int
	begun   bool
	buf     []byte
}

// count counts a message: its kind is what it begins with, name what it says.
func (o *output) count(kind, name string, bytes int64) {
	o.Messages++
	o.Bytes += bytes
	add(o.ByKind, kind, bytes)
	if name != "" {
		add(o.ByMessage, name, bytes)
	}
}

func add(counts map[string]Count, key string, bytes int64) {
	c := counts[key]
	c.Messages++
	c.Bytes += bytes
	counts[key] = c
}

// lost counts a message whose length is not known.
func (o *output) lost(kind, name string) {
	o.count(kind, name, 0)
	if o.Unknown == nil {
		o.Unknown = map[string]int64{}
	}
	o.Unknown[kind]++
}

// emit counts a message and hands it out. Its space is used again.
func (o *output) emit(kind, name string, b []byte) {
	o.count(kind, name, int64(len(b)))
	if o.d.opts.Emit != nil {
		o.d.opts.Emit(o.Way, b)
	}
}

// payload hands out what was made of a change.
func (o *output) payload(p *payload, kind string) {
	if p.lost {
		o.lost(kind, p.kind.String())
		return
	}
	if o.d.opts.Emit != nil {
		o.emit(kind, p.kind.String(), p.text[o.encoder])
		return
	}
	o.count(kind, p.kind.String(), int64(p.size[o.encoder]))
}

// fanout gives one buffer's changes to all its slots.
type fanout []Plugin

func (f fanout) Begin(t *Transaction) {
	for _, p := range f {
		p.Begin(t)
	}
}

func (f fanout) Change(t *Transaction, c *Change) {
	for _, p := range f {
		p.Change(t, c)
	}
}

func (f fanout) Commit(t *Transaction) {
	for _, p := range f {
		p.Commit(t)
	}
}

func (f fanout) StreamStart(t *Transaction, first bool) {
	for _, p := range f {
		p.StreamStart(t, first)
	}
}

func (f fanout) StreamStop(t *Transaction) {
	for _, p := range f {
		p.StreamStop(t)
	}
}

func (f fanout) StreamCommit(t *Transaction) {
	for _, p := range f {
		p.StreamCommit(t)
	}
}

func (f fanout) Prepare(t *Transaction) {
	for _, p := range f {
		p.Prepare(t)
	}
}

func (f fanout) StreamPrepare(t *Transaction) {
	for _, p := range f {
		p.StreamPrepare(t)
	}
}

func (f fanout) FinishPrepared(t *Transaction, commit bool) {
	for _, p := range f {
		p.FinishPrepared(t, commit)
	}
}

func (f fanout) StreamAbort(top, t *Transaction) {
	for _, p := range f {
		p.StreamAbort(top, t)
	}
}

// New returns a decoder of the changes of tables.
func New(db *schema.Database, o Options) (*Decoder, error) {
	if o.WorkMem < 1 || o.Major < 10 {
		return nil, fmt.Errorf("decode: found %d bytes and version %d, expected some memory and version 10 or later", o.WorkMem, o.Major)
	}
	d := &Decoder{
		db: db, opts: o, warned: map[string]bool{},
		relations: map[uint32]*relation{}, types: map[uint32]*stream.Type{}, oids: map[string]uint32{},
	}
	for _, name := range o.Publications {
		pub := db.Publication(name)
		if pub == nil {
			return nil, fmt.Errorf("publication %q does not exist in the schema", name)
		}
		d.publications = append(d.publications, pub)
	}
	if o.AllTables {
		d.publications = append(d.publications, &schema.Publication{AllTables: true, Insert: true, Update: true, Delete: true, Truncate: true})
	}
	if o.Ways == nil {
		o.Ways = Ways
	}
	if o.TwoPhase && o.Major < 14 {
		return nil, fmt.Errorf("two-phase decoding: expected version 14 or later, before which slots have no two_phase")
	}
	var spilling, streaming, whole fanout
	plain := &spilling // of plugins that know no prepared transactions
	if o.TwoPhase {
		plain = &whole
	}
	for _, way := range o.Ways {
		out := &output{Result: Result{Way: way, ByKind: map[string]Count{}, ByMessage: map[string]Count{}}, d: d}
		d.outputs = append(d.outputs, out)
		switch way {
		case PgoutputText:
			spilling = append(spilling, &pgoutput{output: out, known: map[*relation]*described{}})
		case PgoutputBinary:
			out.encoder = encodeBinary
			spilling = append(spilling, &pgoutput{output: out, binary: true, known: map[*relation]*described{}})
		case PgoutputStreaming:
			if o.Major < 14 {
				return nil, fmt.Errorf("%s: expected version 14 or later, before which no transaction is streamed", way)
			}
			streaming = append(streaming, &pgoutput{output: out, parallel: o.Major >= 16, known: map[*relation]*described{}})
		case TestDecoding:
			out.encoder = encodeTest
			spilling = append(spilling, testDecoding{out})
		case Wal2JSON1:
			out.encoder = encodeJSON1
			*plain = append(*plain, &wal2json1{output: out})
		case Wal2JSON2:
			out.encoder = encodeJSON2
			*plain = append(*plain, wal2json2{out})
		default:
			return nil, fmt.Errorf("unknown way %q of decoding: expected one of %v", way, Ways)
		}
	}
	buffer := func(plugins fanout, stream, twoPhase bool) *Buffer {
		if plugins == nil {
			return nil
		}
		b := NewBuffer(BufferOptions{WorkMem: o.WorkMem, Major: o.Major, Streaming: stream, TwoPhase: twoPhase}, plugins)
		b.Aborted = o.Aborted
		return b
	}
	d.spilling, d.streaming, d.whole = buffer(spilling, false, o.TwoPhase), buffer(streaming, true, o.TwoPhase), buffer(whole, false, false)
	return d, nil
}

// warn notes a doubt, once.
func (d *Decoder) warn(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !d.warned[text] {
		d.warned[text] = true
		d.warnings = append(d.warnings, text)
	}
}

// Warnings are the doubts that did not stop the work.
func (d *Decoder) Warnings() []string { return d.warnings }

// Transactions is the number of transactions that have committed with some change.
func (d *Decoder) Transactions() int64 { return d.transactions }

// Changes is the number of their row changes and TRUNCATEs.
func (d *Decoder) Changes() int64 { return d.changes }

// Results are what the slots gave, in the order of Options.Ways.
func (d *Decoder) Results() []Result {
	var results []Result
	for _, o := range d.outputs {
		b := d.spilling
		switch {
		case o.Way == PgoutputStreaming:
			b = d.streaming
		case d.opts.TwoPhase && (o.Way == Wal2JSON1 || o.Way == Wal2JSON2):
			b = d.whole
		}
		o.Counters, o.PeakBytes = b.Counters, b.Peak()
		results = append(results, o.Result)
	}
	return results
}

// buffers calls do for each buffer.
func (d *Decoder) buffers(do func(*Buffer)) {
	for _, b := range []*Buffer{d.spilling, d.streaming, d.whole} {
		if b != nil {
			do(b)
		}
	}
}

// queue has the buffers keep a change of a transaction. A buffer changes nothing in
// it but its place.
func (d *Decoder) queue(x, top *xact, c Change) {
	d.queueIn(x, top, c, func(*Buffer) bool { return true })
}

// queueIn is queue for those buffers that want it.
func (d *Decoder) queueIn(x, top *xact, c Change, wants func(*Buffer) bool) {
	d.buffers(func(b *Buffer) {
		if !wants(b) {
			return
		}
		if top != nil && top != x {
			b.Transaction(top.xid, 0).Info = top
		}
		parent := uint32(0)
		if top != nil {
			parent = top.xid
		}
		t := b.Transaction(x.xid, parent)
		t.Info = x
		copied := c
		b.Queue(t, &copied)
	})
}

// ancestorID makes up the number of a table that the stream has no number of.
func (d *Decoder) ancestorID(t *schema.Table) uint32 {
	return d.madeUp("table " + t.Schema + "." + t.Name)
}

func (d *Decoder) madeUp(name string) uint32 {
	id, ok := d.oids[name]
	if !ok {
		id = 1<<31 + uint32(len(d.oids))
		d.oids[name] = id
	}
	return id
}

// truncated is what a TRUNCATE's relations are to a publication (pgoutput_truncate).
func truncated(relations []*relation) []*relation {
	return slices.DeleteFunc(slices.Clone(relations), func(r *relation) bool {
		return !r.as.truncate || r.as.ancestor != nil
	})
}
