package backend

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"applysim/model/apply"
	"applysim/model/schema"
	"applysim/model/stream"
)

// Changes of the stream, and what is known of them without a script.

// peek reads on to the next change or commit.
func (r *Runner) peek() error {
	f := &r.feed
	for !f.ready && !f.end {
		if err := r.in.Next(&f.m); err != nil {
			if errors.Is(err, io.EOF) {
				f.end = true
				return nil
			}
			return err
		}
		r.messages++
		switch m := &f.m; m.Kind {
		case stream.KindBegin, stream.KindBeginPrepare:
			f.begin, f.now, f.gid = true, m.Time, ""
			if m.Kind == stream.KindBeginPrepare {
				f.gid = string(m.GID)
			}
			r.twoPhase = r.twoPhase || m.Kind == stream.KindBeginPrepare
		case stream.KindCommitPrepared, stream.KindRollbackPrepared:
			f.ready = !r.scripted
		case stream.KindRelation, stream.KindType, stream.KindMessage, stream.KindOrigin:
			if m.Kind == stream.KindRelation {
				r.described[m.Relation.ID] = m.Relation
				r.known[m.Relation.Namespace+"."+m.Relation.Name] = true
				if err := r.b.Describe(m); err != nil {
					return err
				}
			}
		case stream.KindInsert, stream.KindUpdate, stream.KindDelete, stream.KindTruncate, stream.KindCommit, stream.KindPrepare:
			f.ready = true
		default:
			return &apply.UnsupportedError{What: fmt.Sprintf("%s messages in a stream of a backend's changes", m.Kind), Message: m.Number}
		}
	}
	return nil
}

// take marks the change as used.
func (r *Runner) take() { r.feed.ready, r.feed.begin = false, false }

// RunStream carries out a stream of which nothing else is known: each change of a row is
// taken for a statement that finds it by its key.
func (r *Runner) RunStream() error {
	for {
		if err := r.peek(); err != nil {
			return err
		}
		if r.feed.end {
			return nil
		}
		if err := r.rest(); err != nil {
			return err
		}
	}
}

// RunTransaction carries out the stream's next transaction likewise, between BEGIN and COMMIT
// if it has several changes. It returns false at the end of the stream.
func (r *Runner) RunTransaction() (bool, error) {
	if err := r.peek(); err != nil || r.feed.end {
		return false, err
	}
	before := r.work.messages
	err := r.rest()
	if r.work.messages > before+1 {
		r.work.block()
	}
	return true, err
}

// rest carries out what is left of the stream's current transaction.
func (r *Runner) rest() error {
	for {
		if err := r.peek(); err != nil {
			return err
		}
		m := &r.feed.m
		switch {
		case r.feed.end:
			return nil
		case m.Kind == stream.KindCommit, m.Kind == stream.KindPrepare:
			r.begin()
			r.take()
			r.begun, r.open = false, false
			gid := r.gid
			if gid == "" && m.Kind == stream.KindPrepare {
				gid = string(m.GID)
			}
			r.gid = ""
			if gid != "" {
				return r.b.Prepare(gid)
			}
			return r.b.Commit()
		case m.Kind == stream.KindCommitPrepared, m.Kind == stream.KindRollbackPrepared:
			r.take()
			return r.b.FinishPrepared(string(m.GID), m.Kind == stream.KindCommitPrepared)
		}
		r.begin()
		r.open = true
		t := r.b.Target(m)
		if t == nil {
			if err := r.b.EndStatement(); err != nil {
				return err
			}
		} else if err := r.b.BeginStatement(r.alone(t, m.Kind)); err != nil {
			return err
		} else {
			r.work.alone(t, r.described[m.RelationID], m)
		}
		if err := r.b.Change(m); err != nil {
			return err
		}
		r.take()
	}
}

// alone is a statement that changes one row, which it finds by its key.
func (r *Runner) alone(t *schema.Table, kind stream.Kind) *apply.Statement {
	s := &apply.Statement{Table: t}
	if kind != stream.KindUpdate && kind != stream.KindDelete {
		return s
	}
	s.Method = apply.SeqScan
	x := t.PrimaryKey()
	if x == nil {
		i := slices.IndexFunc(t.Indexes, func(x *schema.Index) bool { return x.Unique && x.Predicate == "" && x.Method == "btree" })
		if i >= 0 {
			x = t.Indexes[i]
		}
	}
	if x != nil && x.Method == "btree" && !slices.ContainsFunc(x.Keys, func(k schema.IndexKey) bool { return k.Column < 0 }) {
		s.Method, s.Index, s.Equal = apply.IndexScan, x, len(x.Keys)
	}
	return s
}
