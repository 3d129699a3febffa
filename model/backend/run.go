package backend

import (
	"fmt"
	"slices"

	"applysim/heap/datum"
	"applysim/model/apply"
	"applysim/model/schema"
	"applysim/model/stream"
)

// Runner carries out on a backend what a stream of row changes tells, and what a script
// tells beside it.
type Runner struct {
	// Doubts are statements for which something had to be assumed, each kind once.
	Doubts []string

	b    *apply.Backend
	db   *schema.Database
	in   stream.Source
	feed feed
	// Quiet leaves the records of checkpoints out, which a recording has.
	Quiet bool
	// RolledBack is told of each row that was inserted and did not last: its values by
	// column, which are good until it returns. It may be nil.
	RolledBack func(t *schema.Table, values map[int]datum.Value)
	// Fill says that the stream leaves columns out: those of rows that are inserted are
	// computed from the SQL, as far as that can be done.
	Fill bool
	// Emitted is told of each logical message that the script writes. It may be nil.
	Emitted func(LogicalMessage)

	work      Work
	described map[uint32]*stream.Relation

	messages int64
	open     bool // within a transaction of the stream whose commit is still to come
	lost     bool // the current statement's work is rolled back
	block    bool // within BEGIN and COMMIT of the script
	begun    bool // the backend's transaction is

	scripted bool            // the stream's second phases of prepared transactions are passed over
	twoPhase bool            // the stream has prepared transactions when they are prepared
	gid      string          // the transaction is going to be prepared under this name
	fromSQL  bool            // its rows are not those of the stream
	known    map[string]bool // tables that the stream has described, by qualified name
}

// feed is the stream, read up to its next change or commit.
type feed struct {
	m     stream.Message
	ready bool
	end   bool
	begin bool   // a transaction begins before m
	gid   string // under which it is going to be prepared; "" if it is not
	now   stream.Timestamp
}

// NewRunner returns a runner of a stream on a backend with the given schema.
func NewRunner(b *apply.Backend, db *schema.Database, in stream.Source) *Runner {
	r := &Runner{b: b, db: db, in: in, known: map[string]bool{}, described: map[uint32]*stream.Relation{}}
	b.SetFeeder(r)
	return r
}

// Plan is how the check of a foreign key finds rows by the values of some columns.
func (r *Runner) Plan(t *schema.Table, columns []int) *apply.Statement {
	s := &apply.Statement{Table: t, Method: apply.SeqScan}
	var conditions []condition
	for _, n := range columns {
		conditions = append(conditions, condition{column: n})
	}
	v := r.relation(t)
	v.choose(s, conditions, float64(len(columns)), clamp(v.selectivity(conditions)*v.tuples))
	return s
}

// Next is the stream's next message if it is a change of a kind in a table, within the
// current transaction.
func (r *Runner) Next(t *schema.Table, kind stream.Kind) (*stream.Message, error) {
	if !r.open {
		return nil, nil
	}
	if err := r.peek(); err != nil {
		return nil, err
	}
	m := &r.feed.m
	if !r.feed.ready || m.Kind != kind || r.b.Target(m) != t {
		return nil, nil
	}
	return m, nil
}

// Take takes that message off the stream.
func (r *Runner) Take() { r.take() }

// Messages is how many messages were taken from the stream.
func (r *Runner) Messages() int64 { return r.messages }

// Lost says whether what is being done is going to be rolled back.
func (r *Runner) Lost() bool { return r.lost }

// FromSQL says whether what is being prepared was carried out from the SQL alone.
func (r *Runner) FromSQL() bool { return r.fromSQL }

// Message is the last one, for error messages.
func (r *Runner) Message() *stream.Message { return &r.feed.m }

func (r *Runner) doubt(format string, args ...any) {
	if d := fmt.Sprintf(format, args...); !slices.Contains(r.Doubts, d) {
		r.Doubts = append(r.Doubts, d)
	}
}

// begin begins the backend's transaction.
func (r *Runner) begin() {
	if !r.begun {
		r.b.Begin(r.feed.now)
		r.begun = true
		if r.gid != "" || r.feed.ready && r.feed.begin && r.feed.gid != "" {
			r.b.Preparing()
		}
	}
}

// Run carries out a stream and the script that has made it.
func (r *Runner) Run(script *Script) error {
	if script.prepares {
		r.scripted = true
		in, err := stream.Execute(r.in)
		if err != nil {
			return err
		}
		r.in, r.twoPhase = in, in.TwoPhase
	}
	if err := r.Continue(script); err != nil {
		return err
	}
	// What the script did not account for.
	if r.block {
		if err := r.end(false); err != nil {
			return err
		}
	}
	return r.RunStream()
}

func (r *Runner) run(s *statement) error {
	r.work.sent(s)
	verb, name := s.control()
	if verb != "" {
		r.work.control()
		r.work.text(s)
	}
	switch verb {
	case "begin":
		r.block = true
		return r.preparing(s)
	case "prepare":
		if !r.block {
			return nil
		}
		return r.prepare()
	case "commit prepared", "rollback prepared":
		return r.b.FinishPrepared(name, verb == "commit prepared")
	case "commit", "rollback":
		if !r.block {
			return nil
		}
		return r.end(verb == "commit")
	case "savepoint", "release", "rollback to":
		r.begin()
		switch verb {
		case "savepoint":
			return r.b.Savepoint(name)
		case "release":
			return r.b.Release(name)
		}
		return r.b.RollbackTo(name)
	}
	if calls, times := s.calls(); len(calls) > 0 {
		return r.call(s, calls, times)
	}
	if d := readDML(s, r.db); d != nil {
		return r.dml(d)
	}
	switch first := s.toks[0]; {
	case first.is("vacuum", "checkpoint"):
		return r.b.Worker().Run(s.text, r.Quiet)
	case first.is("create", "alter", "drop"):
		return r.ddl(s)
	case first.is("update", "delete", "insert", "with", "merge", "copy") && !s.rolledBack && !r.fromSQL:
		r.doubt("how %s ... finds its rows is not known: each row is taken to be found by its key", s.text[:min(40, len(s.text))])
	case (s.rolledBack || r.fromSQL) && first.is("update", "delete", "insert", "with", "merge", "copy", "truncate"):
		return rolledBackError(s)
	}
	return nil
}

func rolledBackError(s *statement) error {
	return &apply.UnsupportedError{What: "work that was rolled back, which no stream of changes tells: " + s.text[:min(80, len(s.text))]}
}

// end ends the script's transaction.
func (r *Runner) end(commit bool) error {
	r.block, r.gid = false, ""
	if !commit {
		if !r.begun {
			return nil
		}
		r.begun = false
		return r.b.Rollback()
	}
	if r.open {
		return r.rest()
	}
	if r.begun {
		r.begun = false
		return r.b.Commit()
	}
	return nil
}

// kinds are the messages that a statement's changes have.
var kinds = map[string]stream.Kind{
	"insert": stream.KindInsert, "update": stream.KindUpdate, "delete": stream.KindDelete, "truncate": stream.KindTruncate,
}

// dml carries out a statement on the rows of a table.
func (r *Runner) dml(d *dml) error {
	c := &r.b.Worker().Counters
	before := c.Inserts + c.Updates + c.Deletes
	plan, err := r.carryOut(d)
	r.work.statement(d, plan, c.Inserts+c.Updates+c.Deletes-before)
	return err
}

// carryOut is dml. It returns how the statement has found its rows, nil if that is not known.
func (r *Runner) carryOut(d *dml) (*apply.Statement, error) {
	if err := r.peek(); err != nil {
		return nil, err
	}
	r.begin()
	r.reads(d)
	if d.rolledBack || r.fromSQL {
		r.lost = d.rolledBack
		err := r.rolledBack(d)
		if err == nil {
			err = r.ended()
		}
		r.lost = false
		return nil, err
	}
	if d.verb == "truncate" {
		if err := r.b.EndStatement(); err != nil {
			return nil, err
		}
		if r.feed.ready && r.feed.m.Kind == stream.KindTruncate && (r.open || r.feed.begin) {
			r.b.Truncating(d.truncated(r.db))
			if err := r.change(); err != nil {
				return nil, err
			}
		}
		return nil, r.ended()
	}
	if (d.table.Unlogged || d.table.Temp) && d.verb != "select" {
		return nil, r.unlogged(d)
	}
	begun := false
	if q, l := d.lockingQuery(r.db); q != nil {
		plan := r.lockPlan(q, l, q.table)
		if err := r.b.BeginStatement(plan); err != nil {
			return nil, err
		}
		begun = true
		r.doubt("which pages are pruned by the query in %s ... and beside it is not known", d.text[:min(40, len(d.text))])
		if err := r.locks(q, l, q.table, plan); err != nil {
			return nil, err
		}
	}
	lock := d.readLocking()
	plan := r.lockPlan(d, lock, d.table)
	left := int64(-1)
	if plan.Method == apply.IndexScan && plan.Index.Unique && plan.Equal == len(plan.Index.Keys) {
		left = 1
	}
	if d.verb == "insert" {
		left = d.rows
	}
	if !d.simple && d.verb != "insert" {
		plan = nil
		r.doubt("how %s ... finds its rows is not known: each row is taken to be found by its key", d.text[:min(40, len(d.text))])
	}
	leaves := []*schema.Table{d.table}
	if d.table.Kind == 'p' && d.verb != "insert" && plan != nil {
		leaves = r.b.Leaves(d.table, d.partitionConditions)
	}
	if d.filters {
		return nil, &apply.UnsupportedError{What: "DO UPDATE with WHERE, which locks the rows that it leaves alone: " + d.text[:min(80, len(d.text))]}
	}
	if d.conflict {
		if known, err := r.upsert(d, plan); known || err != nil {
			if err == nil {
				err = r.ended()
			}
			return nil, err
		}
	}
	for i, leaf := range leaves {
		if d.table.Kind == 'p' && plan != nil && d.verb != "insert" {
			plan = r.lockPlan(d, lock, leaf)
		}
		switch {
		case plan == nil:
		case i > 0 || begun:
			r.b.ContinueStatement(plan)
		default:
			if err := r.b.BeginStatement(plan); err != nil {
				return nil, err
			}
		}
		if lock != nil && plan != nil {
			if err := r.locks(d, lock, leaf, plan); err != nil {
				return nil, err
			}
		}
		if err := r.rows(d, plan, leaf, left); err != nil {
			return nil, err
		}
	}
	return plan, r.ended()
}

// rows carries out the changes that the stream has of a statement in a table. With more
// than one partition each is scanned by itself.
func (r *Runner) rows(d *dml, plan *apply.Statement, leaf *schema.Table, left int64) error {
	moves := d.verb == "update" && d.table.Kind == 'p'
	var filling []map[int]datum.Value
	if r.Fill && d.verb == "insert" {
		filling = r.rowsOf(d)
		defer r.b.Fill(nil)
	}
	source := r.source(d)
	defer source.end()
	for left != 0 {
		if len(filling) > 0 {
			r.b.Fill(filling[0])
			filling = filling[1:]
		}
		if err := r.peek(); err != nil {
			return err
		}
		m := &r.feed.m
		move := moves && m.Kind == stream.KindDelete
		if !r.feed.ready || m.Kind != kinds[d.verb] && !move && !(d.upserts && m.Kind == stream.KindUpdate) || !r.open && !r.feed.begin {
			return nil
		}
		t := r.b.Target(m)
		if t == nil || !within(t, leaf) || (!r.open || r.block || move) && !r.mine(d, t, m) {
			return nil
		}
		if plan == nil {
			if err := r.b.BeginStatement(r.alone(t, m.Kind)); err != nil {
				return err
			}
		}
		source.next()
		if err := r.change(); err != nil {
			return err
		}
		left--
		if !move {
			continue
		}
		// The row goes to another partition.
		if err := r.peek(); err != nil {
			return err
		}
		if r.feed.ready && r.feed.m.Kind == stream.KindInsert {
			if t := r.b.Target(&r.feed.m); t != nil && within(t, d.table) {
				if err := r.change(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// relation is the planner's view of a table as it is now.
func (r *Runner) relation(t *schema.Table) *relation {
	rows, pages := r.b.Density(t)
	return estimate(t, r.b.Pages(t), rows, pages, func(x *schema.Index) (pages, level int) { return r.b.IndexPages(t, x) })
}

// mine says whether a change may be that of a statement: its condition holds for the row
// as it is, and the statement has not made the row itself.
func (r *Runner) mine(d *dml, t *schema.Table, m *stream.Message) bool {
	if !r.b.Fits(m) {
		return false // it has columns that a later statement adds
	}
	if m.Kind == stream.KindInsert {
		return true
	}
	row, made, ok := r.b.Old(m)
	return !ok || !made && (!alike(t, d.table) || !d.simple || d.holds(row))
}

// alike says whether two tables, one a part of the other, have the same columns in the same
// places.
func alike(a, b *schema.Table) bool {
	return a == b || slices.EqualFunc(a.Columns, b.Columns, func(x, y schema.Column) bool { return x.Name == y.Name && x.Dropped == y.Dropped })
}

// change carries out the stream's next change.
func (r *Runner) change() error {
	r.open = true
	if err := r.b.Change(&r.feed.m); err != nil {
		return err
	}
	r.take()
	return nil
}

// ended ends a statement, and its transaction if it has one of its own. What triggers
// and foreign keys have changed beside it follows.
func (r *Runner) ended() error {
	if err := r.b.EndStatement(); err != nil {
		return err
	}
	if r.block {
		return nil
	}
	if r.open {
		return r.rest()
	}
	r.begun = false
	return r.b.Commit()
}

// within says whether a table is another one or a part of it.
func within(t, whole *schema.Table) bool {
	for ; t != nil; t = t.Parent {
		if t == whole {
			return true
		}
	}
	return false
}

// Continue carries out a script of which the stream may tell more than the script does: what
// follows belongs to the next one.
func (r *Runner) Continue(script *Script) error {
	for i, s := range script.statements {
		if s.connects && i > 0 {
			r.b.NewSession()
		}
		if err := r.run(s); err != nil {
			return err
		}
	}
	return nil
}

// RunSQL carries out a script of which no stream tells: the rows that are there before one
// begins.
func (r *Runner) RunSQL(script *Script) error {
	r.fromSQL = true
	defer func() { r.fromSQL = false }()
	for _, s := range script.statements {
		if d := readDML(s, r.db); d != nil {
			if err := r.run(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// ddl carries out a statement on the schema.
func (r *Runner) ddl(s *statement) error {
	if s.rolledBack {
		return rolledBackError(s)
	}
	if r.gid != "" {
		return &apply.UnsupportedError{What: "DDL in a transaction that is prepared: " + s.text[:min(80, len(s.text))]}
	}
	r.begin()
	if err := r.b.Alter(s.text, s.place); err != nil {
		return err
	}
	if r.block {
		return nil
	}
	r.begun = false
	return r.b.Commit()
}
