package apply

import (
	"fmt"
	"math/rand/v2"

	"applysim/heap"
	"applysim/heap/datum"
	"applysim/model/assume"
	"applysim/model/expr"
	"applysim/model/guc"
	"applysim/model/pgtype"
	"applysim/model/schema"
	"applysim/model/stream"
	"applysim/wal"
	"applysim/wal/storage"
)

// firstXID is FirstNormalTransactionId.
const firstXID = 3

// randomStream tells the numbers that are drawn here from others of the same seed.
const randomStream = 0x64656661756c74

// firstOID is FirstNormalObjectId.
const firstOID = 16384

// Options set up a Worker.
type Options struct {
	Settings guc.Settings
	Start    wal.LSN // where the first record may begin
	NextXID  uint32  // the next transaction id; 0 stands for the first normal one
	NextOID  uint32  // the next object id; 0 stands for the first one of a user's
	// NextMultiXact and NextMultiOffset are the next MultiXact's id and the place of
	// its members, 0 on a new cluster.
	NextMultiXact, NextMultiOffset uint32

	Sink wal.Sink // gets each WAL record; may be nil
	// ToastNames gives the names of a table's TOAST table and its index, and the
	// former's oid; no name if the table has none. Without it they are named after
	// the table, if it needs one.
	ToastNames func(space, name string) (table, index string, oid uint32, known bool)
	// SubscriptionOID is the subscription's object id, which stands in the names of
	// prepared transactions; 0 stands for one of five digits.
	SubscriptionOID uint32
	// Parallel says that the subscription has streaming = parallel: streamed
	// transactions are applied by parallel workers as they arrive.
	Parallel bool
	// SkipConflicts makes the worker go on where a duplicate key would stop it: the
	// transaction is rolled back, the rest of it is passed over, and the conflict
	// is counted. No server does that by itself. After ALTER SUBSCRIPTION ... SKIP a
	// real one passes over the same transaction, but it writes more: for each try
	// (wal_retrieve_retry_interval) the changes up to the conflict once more, with
	// locks, an ABORT and a conflict that counts again; then the command's change of
	// pg_subscription and its COMMIT, and the worker's own when the transaction comes
	// again. That worker is another process, without a target block.
	SkipConflicts bool
	// Collation is the name of the database's default collation; "" is C.
	Collation string
	// LocalHint passes on the executor's hint that an update leaves an index alone
	// as local SQL would: if the columns' values did not change. A real worker does
	// not know (see unchanged); this is for comparison only.
	LocalHint bool
	// Assume sets what is assumed about expressions that cannot be computed.
	Assume []assume.Setting
	// Exact makes it an *UnsupportedError if something would have to be assumed that
	// changes records.
	Exact bool
	// Seed is that of the values that defaults such as random() draw.
	Seed uint64

	backend bool // a backend's session changes the rows: see Backend
}

// Worker is a simulated subscriber with its apply worker.
type Worker struct {
	Counters Counters
	// Warnings are doubts that did not stop the work; see Doubts, too.
	Warnings []string
	// Assumed are choices that had to be made; there is a warning of each.
	Assumed []assume.Choice

	opts      Options
	log       *wal.Log
	unlogged  *wal.Log // takes what is not logged
	ended     int64    // records that were written when the last transaction ended
	catalogs  bool     // the transaction has written to catalogs, of which no record tells here
	tables    []*table
	byName    map[[2]string]*table
	relations map[uint32]*relation
	retired   map[*pgtype.Type]ColumnCounters // of relations that were described anew
	last      *relation                       // the relation of the last change
	lastID    uint32

	origin        origin // of the last transaction that the publisher has committed
	inTransaction bool
	opened        opened
	skipping      bool             // the rest of the transaction is passed over
	synchronizing *synchronization // nil if all tables are there
	duplicates    []*localIndex    // in which live rows have the key of the row that was just written
	xacts         heap.Transactions
	command       uint32  // command id of the next change
	assignedAt    wal.LSN // where the log ended when the last transaction id was assigned
	ownXID        uint32  // of records that are not of the current transaction: of VACUUM, or a rollback; else 0
	nextOID       uint32
	droppedFiles  int      // files that go when the transaction commits
	restore       []func() // brings them back

	twoPhase bool // the current transaction will be prepared
	touched  touched
	together bool                 // parallel workers clean indexes
	session  session              // runs commands beside the stream
	prepared map[uint32]*prepared // by remote transaction

	streaming uint32 // remote transaction of the open stream block, 0 if none
	spools    map[uint32]*spool
	parallel  parallelApply

	sequences   []sequence
	bySchema    map[*schema.Table]*table
	resolve     func(name string) *pgtype.Type // finds the schema's own types
	collations  collations
	assume      assume.Expressions
	evaluation  expr.Scratch // of expressions of the row at hand
	chance      *rand.PCG    // of random() and its like
	commitExtra int          // bytes of a COMMIT beyond its least main data
	exclusive   bool         // a session's transaction has locked a table against all others, perhaps in vain

	message int64         // number of the message being applied
	values  []datum.Value // of the row that the message carries
	row     []datum.Value // of the row that was found

	countAll          bool                                // see CountAll
	observe           func(m *stream.Message, after bool) // see ObserveSpooled
	lookup            repeated                            // the last one, before 18
	converted, moving []datum.Value                       // rows on their way to a partition
	inserted          storage.TID                         // the last row that was inserted
	movedFrom         *table                              // the partition that a row which is being inserted comes from
	scratch           []byte
}

// origin is where and when a transaction was committed on the publisher.
type origin struct {
	lsn  stream.LSN
	time stream.Timestamp
}

// New returns a subscriber with the tables of a schema, all empty. A table that
// needs what is not modelled is reported when a change for it arrives. The schema's
// domains count their checks for the worker that was made last: workers that run at
// the same time need databases of their own.
func New(db *schema.Database, o Options) (*Worker, error) {
	if o.NextXID == 0 {
		o.NextXID = firstXID
	}
	if o.NextOID == 0 {
		o.NextOID = firstOID + 1
	}
	if o.SubscriptionOID == 0 {
		o.SubscriptionOID = firstOID
	}
	w := &Worker{
		opts: o, nextOID: o.NextOID, xacts: heap.Transactions{Next: o.NextXID, Synchronous: o.Settings.SynchronousCommit, ServerMajor: o.Settings.ServerMajor, ServerMinor: o.Settings.ServerMinor},
		byName: map[[2]string]*table{}, relations: map[uint32]*relation{},
		prepared: map[uint32]*prepared{}, spools: map[uint32]*spool{},
	}
	w.xacts.SetMultiXacts(o.NextMultiXact, o.NextMultiOffset)
	w.touched.reset()
	w.chance = rand.NewPCG(o.Seed, randomStream)
	w.evaluation.HasNow, w.evaluation.Random = true, w.random
	w.Counters.Conflicts = map[string]int64{}
	w.log = wal.NewLog(wal.Options{Start: o.Start, SegmentSize: o.Settings.SegmentSize, Origin: !o.backend, Sink: o.Sink, Images: images(&o.Settings), ServerMajor: o.Settings.ServerMajor})
	w.log.SetRedo(o.Start)
	w.xacts.Log = w.log
	w.unlogged = wal.NewLog(wal.Options{Unlogged: true})
	w.commitExtra = wal.CommitMainData(o.Settings.WALLevel == "logical", true)
	if o.Collation == "" {
		o.Collation = "C"
	}
	if _, err := db.Collation(o.Collation); err != nil {
		return nil, fmt.Errorf("the default collation: %w", err)
	}
	w.assume = assume.Expressions{Settings: o.Assume, Exact: o.Exact, Note: w.note}
	w.collations = collations{db: db, def: o.Collation, byName: map[string]*openCollation{}, exact: o.Exact}
	w.resolve, w.bySchema = resolver(db), map[*schema.Table]*table{}
	w.constrainDomains(db)
	for _, s := range db.Tables {
		t := w.newTable(s)
		w.tables = append(w.tables, t)
		w.byName[[2]string{s.Schema, s.Name}] = t
		w.bySchema[s] = t
	}
	for _, t := range w.tables {
		w.addRouter(t)
	}
	for _, q := range db.Sequences {
		w.sequences = append(w.sequences, w.newSequence(q))
	}
	w.evaluation.Nextval = func(name string) (int64, error) {
		s := w.sequenceNamed(name)
		if s == nil {
			return 0, fmt.Errorf("relation %q does not exist", name)
		}
		return w.nextval(s)
	}
	if err := assume.Check(o.Assume, db, w.Assumed); err != nil {
		return nil, err
	}
	return w, nil
}

// SkipConflicts sets Options.SkipConflicts.
func (w *Worker) SkipConflicts(on bool) { w.opts.SkipConflicts = on }

// Preset puts a row into a table as if it had been there before the run: its
// records are not counted and no Sink sees them. columns are the values' texts,
// as their types' input functions read them, in the table's order. xid is the
// transaction that inserted it, heap.FrozenXID if that is of no interest.
func (w *Worker) Preset(xid uint32, space, name string, columns ...string) error {
	t := w.byName[[2]string{space, name}]
	if t == nil {
		return fmt.Errorf("table %q does not exist in schema %q", name, space)
	}
	if t.unsupported != "" {
		return &UnsupportedError{What: t.unsupported}
	}
	if len(columns) != len(t.schema.Columns) {
		return fmt.Errorf("table %q has %d columns, not %d", name, len(t.schema.Columns), len(columns))
	}
	values := make([]datum.Value, len(columns))
	for i := range columns {
		c := &t.schema.Columns[i]
		v, _, err := c.Type.Input([]byte(columns[i]), c.Typmod, nil)
		if err != nil {
			return err
		}
		values[i] = v
	}
	w.log.SetSink(nil)
	at, current := w.log.LSN(), w.xacts.Current
	w.log.MoveTo(0) // its pages are older than the run
	w.xacts.Current = xid
	err := w.insertRow(t, values)
	w.xacts.Current, w.command = current, 0
	t.heap.Counters.Inserts--
	t.preset++
	w.log.MoveTo(at)
	w.log.ResetCounts()
	w.log.SetSink(w.opts.Sink)
	return err
}

// Apply applies one message. The errors are *StopError where a real worker
// would stop, *UnsupportedError, and *ProtocolError; after any of them the
// worker must not be used on, but can be read. Where a real worker would stop, its
// transaction is rolled back.
func (w *Worker) Apply(m *stream.Message) error {
	err := w.apply(m)
	if _, ok := err.(*StopError); ok && w.inTransaction {
		w.abort()
	}
	return err
}

func (w *Worker) apply(m *stream.Message) error {
	w.Counters.Messages++
	w.message = m.Number
	if w.skipping && m.Kind != stream.KindRelation {
		switch m.Kind {
		case stream.KindCommit:
			w.skipping = false
		case stream.KindPrepare:
			w.skipping = false
			w.prepareNothing(m)
		}
		return nil
	}
	if m.Kind == stream.KindCommit || m.Kind == stream.KindStreamCommit {
		w.origin = origin{m.EndLSN, m.Time}
	}
	switch m.Kind {
	case stream.KindInsert, stream.KindUpdate, stream.KindDelete, stream.KindTruncate:
		w.Counters.ChangeBytes += int64(m.Size)
		w.Counters.ChangeColumns += int64(len(m.New) + len(m.Old))
		if w.streaming != 0 {
			if w.parallel.active == nil {
				w.spoolChange(m)
				return nil
			}
			w.startSubtransaction(m.Xid)
		}
		return w.change(m)
	case stream.KindBegin, stream.KindBeginPrepare:
		if w.inTransaction {
			return w.protocol(m, "%s within a transaction: expected its end first", m.Kind)
		}
		w.begin()
		w.opened = opened{m.TxLSN, m.Xid}
		w.evaluation.Now = int64(m.Time)
		w.twoPhase = m.Kind == stream.KindBeginPrepare
	case stream.KindCommit:
		if !w.inTransaction || w.streaming != 0 {
			return w.protocol(m, "commit without a begin before it")
		}
		if err := w.checkEnd(m); err != nil {
			return err
		}
		w.commit()
	case stream.KindPrepare:
		if !w.inTransaction || w.streaming != 0 {
			return w.protocol(m, "prepare without a begin prepare before it")
		}
		if err := w.checkEnd(m); err != nil {
			return err
		}
		w.prepare(m)
	case stream.KindCommitPrepared, stream.KindRollbackPrepared:
		if w.inTransaction {
			return w.protocol(m, "%s within a transaction: expected its end first", m.Kind)
		}
		return w.finishPrepared(m, m.Kind == stream.KindCommitPrepared)
	case stream.KindRelation:
		w.Counters.Relations++
		if w.parallel.active != nil {
			w.startSubtransaction(m.Xid)
		}
		if old := w.relations[m.Relation.ID]; old != nil {
			w.retire(old)
		}
		w.relations[m.Relation.ID] = &relation{remote: m.Relation}
		w.last = nil
	case stream.KindOrigin:
		if w.streaming == 0 && (!w.inTransaction || w.command > 0) {
			return w.stop("ORIGIN message sent out of order")
		}
	case stream.KindType, stream.KindMessage:
		if m.Kind == stream.KindType && w.parallel.active != nil {
			w.startSubtransaction(m.Xid)
		}
		// The worker learns nothing from these that it would act on.
	case stream.KindStreamStart:
		return w.streamStart(m)
	case stream.KindStreamStop:
		w.streamStop()
	case stream.KindStreamAbort:
		if w.streaming != 0 {
			return w.protocol(m, "%s within a stream block: expected a stream stop first", m.Kind)
		}
		return w.streamAbort(m)
	case stream.KindStreamCommit, stream.KindStreamPrepare:
		if w.streaming != 0 {
			return w.protocol(m, "%s within a stream block: expected a stream stop first", m.Kind)
		}
		if w.inTransaction {
			return w.protocol(m, "%s within a transaction: expected its end first", m.Kind)
		}
		if m.Kind == stream.KindStreamPrepare && w.prepared[m.Xid] != nil {
			return w.alreadyPrepared(m)
		}
		if p := w.parallel.find(m.Xid); p != nil {
			w.finishParallel(p, m)
			return nil
		}
		w.twoPhase = m.Kind == stream.KindStreamPrepare
		w.evaluation.Now = int64(m.Time)
		if err := w.replaySpool(m); err != nil {
			return err
		}
		if !w.inTransaction { // it was passed over
			if m.Kind == stream.KindStreamPrepare {
				w.prepareNothing(m)
			}
			return nil
		}
		if m.Kind == stream.KindStreamPrepare {
			w.prepare(m)
		} else {
			w.commit()
		}
	default:
		return w.unsupported("%s messages", m.Kind)
	}
	return nil
}

// change applies a change of the current transaction.
func (w *Worker) change(m *stream.Message) error {
	var err error
	if w.synchronizing != nil && w.inTransaction {
		if over, err := w.passesOver(m); over || err != nil {
			return err
		}
	}
	switch m.Kind {
	case stream.KindInsert:
		err = w.applyInsert(m)
	case stream.KindUpdate:
		err = w.applyUpdate(m)
	case stream.KindDelete:
		err = w.applyDelete(m)
	default:
		return w.applyTruncate(m)
	}
	// Also a change that found no row was a command (create_edata_for_relation).
	w.command++
	return err
}

func (w *Worker) protocol(m *stream.Message, format string, args ...any) error {
	return &ProtocolError{m.Number, m.Offset, fmt.Sprintf(format, args...)}
}

func (w *Worker) unsupported(format string, args ...any) error {
	return &UnsupportedError{What: shortened(fmt.Sprintf(format, args...)), Message: w.message}
}

func (w *Worker) stop(format string, args ...any) error {
	return &StopError{Message: w.message, Text: fmt.Sprintf(format, args...)}
}
