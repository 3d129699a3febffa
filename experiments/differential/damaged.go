package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"

	"applysim/experiments/recorded"
	"applysim/model/apply"
	"applysim/model/background"
	"applysim/model/capture"
	"applysim/model/stream"
)

// What no server sends: with --damaged each recording is applied again with one thing in it
// broken. Nothing real can be compared with; but the simulation must not panic, it must stop
// with an error or go on, and what it has built must hold together (Check).

// damagedRuns is how often each recording is broken.
const damagedRuns = 4

// damaged applies a recording with damages and returns what must not be.
func damaged(dir string, seed uint64) (faults []string) {
	for i := range uint64(damagedRuns) {
		r := rand.New(rand.NewPCG(seed, 1000+i))
		if err := guarded(func() error { return damagedRun(dir, r) }); err != nil {
			faults = append(faults, fmt.Sprintf("damage %d: %v", i, err))
		}
	}
	return faults
}

// guarded makes an error of a panic.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}

func damagedRun(dir string, r *rand.Rand) error {
	fsys := os.DirFS(dir)
	if recorded.IsPublisher(fsys, ".") {
		return damagedSession(dir, r)
	}
	c, err := recorded.Open(fsys, ".")
	if err != nil {
		return err
	}
	w, err := c.Worker(nil)
	if err != nil {
		return err
	}
	w.SkipConflicts(r.IntN(3) == 0)
	f, err := c.Stream()
	if err != nil {
		return err
	}
	lines, err := linesOf(f)
	if err != nil {
		return err
	}
	in, err := capture.NewReader(bytes.NewReader(bytes.Join(lines, nil)), nil)
	if err != nil {
		return err
	}
	events := slices.Clone(c.Events)
	if len(events) > 0 && r.IntN(2) == 0 {
		events[r.IntN(len(events))].SQL = wrongCommands[r.IntN(len(wrongCommands))]
	}
	schedule := background.NewSchedule(w)
	schedule.WALWriter = true
	feed := recorded.NewFeed(w, in, events, true, schedule)
	at := r.Int64N(int64(len(lines) + 1))
	d := &damager{Rand: r}
	var m stream.Message
	for {
		if err = feed.Next(&m); err != nil {
			break
		}
		if again := d.apply(&m, feed.Messages() > at); again != nil {
			if err = w.Apply(again); err != nil {
				break
			}
		}
		if d.lost {
			d.lost = false
			continue
		}
		if err = w.Apply(&m); err != nil {
			break
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return sound(w, err)
}

// sound says what is wrong after a run that has ended with an error, or with none.
func sound(w *apply.Worker, err error) error {
	if err != nil && err.Error() == "" {
		return errors.New("an error without a text")
	}
	if failed := w.Check(); failed != nil {
		return fmt.Errorf("%w (after: %v)", failed, err)
	}
	return nil
}

// wrongCommands are events that no server carries out, or that are not modelled.
var wrongCommands = []string{
	"VACUUM nosuch", "VACUUM (FREEZE maybe)", "VACUUM (INDEX_CLEANUP", "VACUUM (PARALLEL x) marker", "VACUUM (NOSUCH) marker", "VACUUM FULL marker",
	"VACUUM (FULL) marker", "VACUUM (ANALYZE) marker", "VACUUM (a b c) marker", "VACUUM ONLY marker", "VACUUM VERBOSE marker", "ANALYZE nosuch", "ANALYZE", "ANALYZE marker",
	"VACUUM (BUFFER_USAGE_LIMIT 128) marker", "VACUUM (TRUNCATE off, INDEX_CLEANUP on, DISABLE_PAGE_SKIPPING) marker", "VACUUM (PROCESS_MAIN off) marker", "VACUUM",
	"SET x", "SET x y", "SET work_mem = lots", "SET synchronous_commit = perhaps", "SET nosuch = 1", "SET SESSION vacuum_freeze_min_age TO 0; VACUUM", "SET vacuum_truncate TO off; VACUUM marker",
	"BEGIN", "BEGIN ISOLATION LEVEL REPEATABLE READ", "COMMIT", "REINDEX TABLE marker", ";", "CHECKPOINT; VACUUM (FREEZE) marker; ANALYZE",
}

// damager breaks messages.
type damager struct {
	*rand.Rand
	done bool // one damage is enough
	lost bool // the message is not to be applied
}

// apply breaks a message if it is time, and returns one that is to be applied before it.
func (d *damager) apply(m *stream.Message, due bool) (before *stream.Message) {
	if !due || d.done {
		return nil
	}
	d.done = true
	switch d.IntN(16) {
	case 0:
		d.lost = true
	case 1: // repeated
		copied := *m
		return &copied
	case 2:
		kinds := []byte("BCORYIUDTMbPKrSEcAp")
		m.Kind = stream.Kind(kinds[d.IntN(len(kinds))])
		if m.Kind == stream.KindRelation && m.Relation == nil || m.Kind == stream.KindType && m.Type == nil {
			m.Kind = stream.KindStreamStop
		}
	case 3:
		m.RelationID, m.RelationIDs = m.RelationID+1000, []uint32{1, 2}
	case 4:
		m.New = m.New[:len(m.New)/2]
		d.done = len(m.Old) > 0 || m.Kind == stream.KindInsert || m.Kind == stream.KindUpdate
	case 5:
		m.Old, m.OldKind = m.Old[:len(m.Old)/2], stream.OldKey
		d.done = m.Kind == stream.KindDelete || m.Kind == stream.KindUpdate
	case 6:
		m.Old, m.OldKind = nil, stream.OldNone
		d.done = m.Kind == stream.KindDelete
	case 7:
		m.Xid, m.SubXid = m.Xid+1, m.SubXid+2
	case 8:
		m.TxLSN, m.EndLSN = m.TxLSN+8, m.EndLSN+8
		d.done = m.Kind == stream.KindCommit || m.Kind == stream.KindPrepare
	case 9, 10, 11, 12:
		d.done = d.value(m)
	default:
		d.done = d.relation(m)
	}
	return nil
}

// value breaks a value of a row.
func (d *damager) value(m *stream.Message) bool {
	row := &m.New
	if len(m.Old) > 0 && d.IntN(2) == 0 {
		row = &m.Old
	}
	if len(*row) == 0 {
		return false
	}
	*row = slices.Clone(*row)
	c := &(*row)[d.IntN(len(*row))]
	switch d.IntN(5) {
	case 0:
		*c = stream.Column{Format: stream.ColumnNull}
	case 1:
		*c = stream.Column{Format: stream.ColumnUnchanged}
	case 2:
		c.Format = stream.ColumnBinary
	case 3:
		c.Format = stream.ColumnText
		c.Data = bytes.Repeat([]byte("9x{"), d.IntN(3000))
	default:
		if len(c.Data) == 0 {
			return false
		}
		c.Data = slices.Clone(c.Data)
		c.Data[d.IntN(len(c.Data))] = byte(d.IntN(256))
	}
	return true
}

// relation breaks the description of a table.
func (d *damager) relation(m *stream.Message) bool {
	if m.Kind != stream.KindRelation {
		return false
	}
	x := *m.Relation
	x.Columns = slices.Clone(x.Columns)
	m.Relation = &x
	c := &x.Columns[d.IntN(len(x.Columns))]
	switch d.IntN(6) {
	case 0:
		x.Name += "_elsewhere"
	case 1:
		c.Name += "_unknown"
	case 2:
		c.Flags ^= 1
	case 3:
		x.Identity = "dnfi"[d.IntN(4)]
	case 4:
		x.Columns = x.Columns[1:]
	default:
		x.Columns = append(x.Columns, *c)
	}
	return true
}

// damagedSession is damagedRun for a publisher's case: messages are lost, repeated, swapped
// and cut, statements left out and doubled.
func damagedSession(dir string, r *rand.Rand) error {
	c, err := recorded.OpenPublisher(os.DirFS(dir), ".")
	if err != nil {
		return err
	}
	f, err := c.Changes()
	if err != nil {
		return err
	}
	lines, err := linesOf(f)
	if err != nil || len(lines) == 0 {
		return err
	}
	switch i := r.IntN(len(lines)); r.IntN(7) {
	case 0:
		lines = slices.Delete(lines, i, i+1)
	case 1:
		lines = slices.Insert(lines, i, lines[i])
	case 2:
		k := min(len(lines)-1, i+1+r.IntN(40))
		lines[i], lines[k] = lines[k], lines[i]
	case 3:
		line := slices.Clone(lines[i])
		line[r.IntN(len(line)-1)] = "0123456789abcdef"[r.IntN(16)]
		lines[i] = line
	default: // the script is broken
		c.SQL = slices.Clone(c.SQL)
		k := r.IntN(len(c.SQL))
		switch r.IntN(3) {
		case 0:
			c.SQL = slices.Delete(c.SQL, k, k+1)
		case 1:
			c.SQL = slices.Insert(c.SQL, k, c.SQL[k])
		default:
			c.SQL[k] = wrongStatements[r.IntN(len(wrongStatements))]
		}
	}
	in, err := stream.NewReader(bytes.NewReader(bytes.Join(lines, nil)), stream.DefaultOptions())
	if err != nil {
		return nil // refused at once
	}
	b, run, err := c.Backend(nil, in)
	if err != nil {
		return err
	}
	return sound(b.Worker(), c.Run(run))
}

// linesOf are the lines of a stream, a message each, which it closes.
func linesOf(f io.ReadCloser) (lines [][]byte, err error) {
	defer f.Close()
	in := bufio.NewReader(f)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			lines = append(lines, line)
		}
		if errors.Is(err, io.EOF) {
			return lines, nil
		} else if err != nil {
			return nil, err
		}
	}
}

// wrongStatements are scripts that do not fit what a session has done.
var wrongStatements = []string{
	"begin; savepoint a; rollback to b; commit", "begin; release nosuch; commit", "rollback", "begin; begin; commit", "commit prepared 'nosuch'", "rollback prepared 'nosuch'",
	"prepare transaction 'outside'", "insert into nosuch values (1)", "update nosuch set a = 1", "update t1 set nosuch = 1", "delete from t1 where (", "vacuum nosuch", "alter table t1 drop column id",
	"create index on t1 (id)", "drop table t1", "copy t1 from stdin;\n1\n\\.\n", "begin; truncate t1; rollback", "select nextval('nosuch')", "select setval('t1_s_seq', 5)",
}
