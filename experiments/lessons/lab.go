package lessons

import (
	"fmt"
	"strings"

	"applysim/model/apply"
	"applysim/model/background"
	"applysim/model/cost"
	"applysim/model/guc"
	"applysim/model/schema"
	"applysim/model/stream"
	"applysim/model/view"
	"applysim/wal"
)

// lab is a simulated subscriber, and a publisher that sends what it is told to. The
// first error stays; nothing is sent after it.
type lab struct {
	w        *apply.Worker
	schedule *background.Schedule
	tables   map[string]*published
	now      stream.Timestamp
	step     stream.Timestamp // between two transactions
	xid      uint32
	lsn      stream.LSN
	sent     int64 // bytes of messages
	message  int64
	watch    func(*wal.Record)
	err      error
}

// published is a table as the publisher describes it.
type published struct {
	id       uint32
	relation *stream.Relation
	known    bool // to the subscriber
}

// Where the clocks of a lab begin.
const (
	firstLSN wal.LSN = 16 << 20
	firstXID         = 750
	// start is 2026-08-03 00:00:00 UTC.
	start     stream.Timestamp = 839_030_400 * second
	second    stream.Timestamp = 1e6
	firstStep                  = second / 100
)

// Marks of values that are no texts.
const (
	null      = "\x00null"
	unchanged = "\x00unchanged"
)

// newLab makes the subscriber's tables. The publisher has the same, with keys as the DDL
// says. settings are name=value; synchronous_commit is on, so that what a lesson shows
// does not depend on when the WAL writer comes round.
func newLab(ddl string, settings ...string) *lab {
	l := &lab{tables: map[string]*published{}, now: start, step: firstStep, xid: 1000, lsn: 0x1000000}
	db, err := schema.Read(strings.NewReader(ddl), "lesson")
	if err != nil {
		l.err = err
		return l
	}
	s := guc.Defaults()
	for _, text := range append([]string{"synchronous_commit=on"}, settings...) {
		name, value, _ := strings.Cut(text, "=")
		if err := s.Set(name, value); err != nil {
			l.err = err
			return l
		}
	}
	l.w, l.err = apply.New(db, apply.Options{Settings: s, Start: firstLSN, NextXID: firstXID, Parallel: true, Sink: func(r *wal.Record) {
		if l.watch != nil {
			l.watch(r)
		}
	}})
	if l.err != nil {
		return l
	}
	l.schedule = background.NewSchedule(l.w)
	l.schedule.WALWriter = true
	for i, t := range db.Tables {
		r := &stream.Relation{ID: uint32(16384 + i), Namespace: t.Schema, Name: t.Name, Identity: t.ReplicaIdentity}
		for _, c := range t.Columns {
			r.Columns = append(r.Columns, stream.RelationColumn{Name: c.Name, Typmod: -1})
		}
		for _, x := range t.Indexes {
			if x.Primary && t.ReplicaIdentity == 'd' {
				for _, k := range x.Keys {
					r.Columns[k.Column].Flags = 1
				}
			}
		}
		l.tables[t.Name] = &published{r.ID, r, false}
	}
	return l
}

// fail keeps the first error.
func (l *lab) fail(err error) {
	if l.err == nil {
		l.err = err
	}
}

// send has the subscriber apply a message of so many bytes.
func (l *lab) send(m *stream.Message, size int) {
	if l.err != nil {
		return
	}
	l.message++
	m.Number, m.Size = l.message, size
	l.sent += int64(size)
	l.schedule.Before(m)
	l.fail(l.w.Apply(m))
}

// transaction sends a transaction.
func (l *lab) transaction(changes func()) {
	l.now += l.step
	l.xid++
	l.send(&stream.Message{Kind: stream.KindBegin, Xid: l.xid, TxLSN: l.lsn, Time: l.now}, len(stream.AppendBegin(nil, 0, 0, 0)))
	changes()
	l.send(&stream.Message{Kind: stream.KindCommit, TxLSN: l.lsn, EndLSN: l.lsn + 8, Time: l.now}, len(stream.AppendCommit(nil, 0, 0, 0)))
	l.lsn += 0x100
}

// table describes a table to the subscriber before its first change.
func (l *lab) table(name string) uint32 {
	t := l.tables[name]
	if t == nil {
		l.fail(fmt.Errorf("there is no table %q", name))
		return 0
	}
	if !t.known {
		t.known = true
		l.send(&stream.Message{Kind: stream.KindRelation, Relation: t.relation}, len(stream.AppendRelation(nil, 0, t.relation)))
	}
	return t.id
}

// tuple is a row as it is sent.
func tuple(values []string) stream.Tuple {
	row := make(stream.Tuple, len(values))
	for i, v := range values {
		switch v {
		case null:
			row[i].Format = stream.ColumnNull
		case unchanged:
			row[i].Format = stream.ColumnUnchanged
		default:
			row[i] = stream.Column{Format: stream.ColumnText, Data: []byte(v)}
		}
	}
	return row
}

// insert sends an insert within a transaction.
func (l *lab) insert(table string, values ...string) {
	id, row := l.table(table), tuple(values)
	l.send(&stream.Message{Kind: stream.KindInsert, RelationID: id, New: row}, len(stream.AppendInsert(nil, 0, id, row)))
}

// update sends an update that does not change the key.
func (l *lab) update(table string, values ...string) {
	id, row := l.table(table), tuple(values)
	l.send(&stream.Message{Kind: stream.KindUpdate, RelationID: id, New: row}, len(stream.AppendUpdate(nil, 0, id, stream.OldNone, nil, row)))
}

// updateFull sends an update of a table with REPLICA IDENTITY FULL.
func (l *lab) updateFull(table string, old, values []string) {
	id, from, row := l.table(table), tuple(old), tuple(values)
	l.send(&stream.Message{Kind: stream.KindUpdate, RelationID: id, OldKind: stream.OldRow, Old: from, New: row},
		len(stream.AppendUpdate(nil, 0, id, stream.OldRow, from, row)))
}

// checkpoint makes a checkpoint.
func (l *lab) checkpoint() { l.run("CHECKPOINT") }

// run runs a command on the subscriber.
func (l *lab) run(sql string) {
	if l.err == nil {
		l.schedule.BeforeEvent()
		l.fail(l.w.Run(sql, false))
	}
}

// wal is the WAL so far.
func (l *lab) wal() wal.Count {
	if l.w == nil {
		return wal.Count{}
	}
	return l.w.Log().Total()
}

// since is what was written after an earlier state.
func (l *lab) since(before wal.Count) wal.Count {
	now := l.wal()
	return wal.Count{Records: now.Records - before.Records, Bytes: now.Bytes - before.Bytes, FPIBytes: now.FPIBytes - before.FPIBytes}
}

// relation is a table or index; it must be there.
func (l *lab) relation(name string) *view.Relation {
	r, err := view.Find(l.w, name)
	if err != nil {
		l.fail(err)
	}
	return &r
}

// state is a table of the subscriber.
func (l *lab) state(name string) apply.TableState {
	for _, t := range l.w.Tables() {
		if t.Schema.Name == name {
			return t
		}
	}
	l.fail(fmt.Errorf("there is no table %q", name))
	return apply.TableState{}
}

// priced is the CPU that the worker has used, in microseconds: calibrated on real apply
// workers, not measured here.
func (l *lab) priced() (float64, error) {
	m, err := cost.Builtin()
	if err != nil {
		return 0, err
	}
	p, err := cost.BuiltinProfile(cost.DefaultProfile)
	if err != nil {
		return 0, err
	}
	return 1e6 * p.Apply(m, cost.Measure(l.w)).Seconds, nil
}
