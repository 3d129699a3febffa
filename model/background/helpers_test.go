package background_test

// What the tests share: a subscriber with a schema, and messages written as literals.

import (
	"strings"
	"testing"

	"applysim/model/apply"
	"applysim/model/guc"
	"applysim/model/schema"
	"applysim/model/stream"
)

// subscriber is a worker that a test drives.
type subscriber struct {
	*apply.Worker
	t testing.TB
}

// options are those of a server without page images: the tests look at changes.
func options() apply.Options {
	s := guc.Defaults()
	s.WALLevel, s.FullPageWrites, s.DataChecksums = "logical", false, false
	s.SynchronousCommit = true
	return apply.Options{Settings: s, Start: 0x2000028, NextXID: 700}
}

func subscribe(t testing.TB, ddl string, o apply.Options) *subscriber {
	t.Helper()
	db, err := schema.Read(strings.NewReader(ddl), "test.sql")
	if err != nil {
		t.Fatal(err)
	}
	w, err := apply.New(db, o)
	if err != nil {
		t.Fatal(err)
	}
	return &subscriber{Worker: w, t: t}
}

// apply applies messages that must succeed, and checks the subscriber.
func (s *subscriber) apply(messages ...stream.Message) {
	s.t.Helper()
	for i := range messages {
		if err := s.Apply(&messages[i]); err != nil {
			s.t.Fatal(err)
		}
	}
	s.check()
}

func (s *subscriber) check() {
	s.t.Helper()
	if err := s.Check(); err != nil {
		s.t.Fatal(err)
	}
}

// table is the state of a table of schema public.
func (s *subscriber) table(name string) apply.TableState {
	t, ok := s.TableOf(name)
	if !ok {
		s.t.Fatalf("no table %s", name)
	}
	return t
}

// textRows are the rows of a table.
type textRows []stream.Tuple

func (r textRows) Len() int { return len(r) }

func (r textRows) Row(n int, _ []int, row stream.Tuple) { copy(row, r[n]) }

func begin() stream.Message  { return stream.Message{Kind: stream.KindBegin} }
func commit() stream.Message { return stream.Message{Kind: stream.KindCommit} }

// tx is a transaction.
func tx(changes ...stream.Message) []stream.Message {
	return append(append([]stream.Message{begin()}, changes...), commit())
}

// relation describes table name of schema public, found by its default replica identity; a
// column whose name ends in * is part of it. The types are of no interest to the worker.
func relation(id uint32, name string, columns ...string) stream.Message {
	r := &stream.Relation{ID: id, Namespace: "public", Name: name, Identity: 'd'}
	for _, c := range columns {
		n, key := strings.CutSuffix(c, "*")
		col := stream.RelationColumn{Name: n, TypeID: 25, Typmod: -1}
		if key {
			col.Flags = 1
		}
		r.Columns = append(r.Columns, col)
	}
	return stream.Message{Kind: stream.KindRelation, Relation: r}
}

// null is the value of row that is not a text.
const null = "\x00null"

func row(values ...string) stream.Tuple {
	t := make(stream.Tuple, len(values))
	for i, v := range values {
		t[i] = stream.Column{Format: stream.ColumnText, Data: []byte(v)}
		if v == null {
			t[i] = stream.Column{Format: stream.ColumnNull}
		}
	}
	return t
}

func insert(id uint32, values ...string) stream.Message {
	return stream.Message{Kind: stream.KindInsert, RelationID: id, New: row(values...)}
}

// update carries no old row: the key did not change.
func update(id uint32, values ...string) stream.Message {
	return stream.Message{Kind: stream.KindUpdate, RelationID: id, New: row(values...)}
}

// del carries the key.
func del(id uint32, old ...string) stream.Message {
	return stream.Message{Kind: stream.KindDelete, RelationID: id, OldKind: 'K', Old: row(old...)}
}
