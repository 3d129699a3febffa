package apply

// Sequences that a session draws numbers from, and what else its functions write.

import (
	"fmt"
	"slices"
	"strings"

	"applysim/heap/datum"
	"applysim/model/expr"
	"applysim/model/schema"
	"applysim/wal"
)

// drawn is a column whose default draws a number.
type drawn struct {
	column int
	from   *sequence
}

// drawnColumns are the columns of a table whose defaults draw numbers.
func (b *Backend) drawnColumns(t *table) []drawn {
	if list, ok := b.drawn[t]; ok {
		return list
	}
	var list []drawn
	for i := range t.schema.Columns {
		c := &t.schema.Columns[i]
		if c.Dropped || c.Generated != 0 {
			continue
		}
		if c.Identity != 0 {
			for k := range b.w.sequences {
				if q := &b.w.sequences[k]; q.schema.Table == t.schema && q.schema.Column == i {
					list = append(list, drawn{i, q})
				}
			}
			continue
		}
		if !strings.Contains(strings.ToLower(c.Default), "nextval") {
			continue
		}
		e, err := expr.Compile(c.Default, t.schema, nil)
		if err != nil || len(e.Sequences()) != 1 {
			continue
		}
		if q := b.w.sequenceNamed(e.Sequences()[0]); q != nil {
			list = append(list, drawn{i, q})
		}
	}
	b.drawn[t] = list
	return list
}

// draw draws the numbers that an INSERT's row, w.values, has from sequences. The
// statement says which columns it gives; where it does not, a value is taken to be drawn
// if it is the next one. Numbers that are left out were drawn, too: by rows that did not
// last.
func (b *Backend) draw(t *table) error {
	for _, d := range b.drawnColumns(t) {
		v := b.w.values[d.column]
		if v.Null {
			continue
		}
		value := integer(t.schema.Columns[d.column].Attr(), v)
		s := b.statement
		known := s != nil && s.Method == NoScan && s.Given != nil && s.Table == t.schema
		if known && slices.Contains(s.Given, d.column) {
			continue
		}
		known = known && !slices.Contains(s.Perhaps, d.column)
		for ahead := range maxSkipped {
			next, ok := d.from.peek()
			if !ok || next == value && ahead > 0 && !known {
				break
			}
			step := d.from.schema.Increment
			if next != value && (!known || step > 0 && next > value || step < 0 && next < value) {
				break
			}
			if _, err := b.w.nextval(d.from); err != nil {
				return b.w.stop("%v", err)
			}
			if next == value {
				break
			}
		}
	}
	return nil
}

// Draw draws the numbers of a row that the current statement, an INSERT, makes and that is
// not inserted.
func (b *Backend) Draw(s *schema.Table) error {
	given := b.statement.Given
	if given == nil {
		return nil
	}
	for _, d := range b.drawnColumns(b.w.bySchema[s]) {
		if slices.Contains(given, d.column) || slices.Contains(b.statement.Perhaps, d.column) {
			continue
		}
		if _, err := b.w.nextval(d.from); err != nil {
			return b.w.stop("%v", err)
		}
	}
	return nil
}

// maxSkipped is how many numbers may be missing between two rows for them to count as
// drawn: more are a setval that nobody tells of.
const maxSkipped = 100000

// integer is a value of an integer type.
func integer(a datum.Attr, v datum.Value) int64 {
	switch a.Len {
	case 2:
		return int64(int16(v.Bits))
	case 4:
		return int64(int32(v.Bits))
	}
	return int64(v.Bits)
}

// peek is the number that nextval would give.
func (s *sequence) peek() (int64, bool) {
	if len(s.cached) > 0 {
		return s.cached[0], true
	}
	if !s.called {
		return s.last, true
	}
	next, wraps := s.after(s.last)
	return next, !wraps || s.schema.Cycle
}

// Nextval draws a number from a sequence.
func (b *Backend) Nextval(name string) error {
	s := b.w.sequenceNamed(name)
	if s == nil {
		return fmt.Errorf("sequence %q does not exist", name)
	}
	_, err := b.w.nextval(s)
	return err
}

// Setval sets a sequence to a number, which has been given out if called says so
// (do_setval).
func (b *Backend) Setval(name string, value int64, called bool) error {
	s := b.w.sequenceNamed(name)
	if s == nil {
		return fmt.Errorf("sequence %q does not exist", name)
	}
	s.last, s.called, s.logged, s.cached = value, called, 0, nil
	if s.schema.Unlogged {
		return nil
	}
	b.w.needTopXID()
	if d := b.w.log.Detail(); d != nil {
		d.First(wal.BlockRef{Role: "the sequence's page", Init: true}, false)
	}
	s.lsn = b.w.log.Insert(wal.SequenceLog, s.rel, 0, 0)
	return nil
}

// EmitMessage writes a logical message (LogLogicalMessage): prefix and content in bytes,
// the prefix without the zero that ends it. One that belongs to the transaction gives it
// an id.
func (b *Backend) EmitMessage(transactional bool, prefix, content int) {
	if transactional {
		b.w.needXID()
	}
	if d := b.w.log.Detail(); d != nil {
		d.Main("prefix", prefix+1)
		d.Main("content", content)
	}
	b.w.log.InsertPlain(wal.LogicalMessage, prefix+1+content)
}

// NewSession forgets what another session does not know: the target blocks of tables, and
// numbers of sequences that were cached.
func (b *Backend) NewSession() {
	for _, t := range b.w.tables {
		t.heap.ForgetTarget()
		if t.toaster != nil {
			t.toaster.heap.ForgetTarget()
		}
	}
	for i := range b.w.sequences {
		b.w.sequences[i].cached = nil
	}
}
