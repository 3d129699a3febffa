package apply_test

// What the tests of the worker share: a subscriber with a schema, and messages
// written as literals.

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"applysim/model/apply"
	"applysim/model/guc"
	"applysim/model/schema"
	"applysim/model/stream"
	"applysim/wal"
)

// subscriber is a worker with a record of the WAL it wrote.
type subscriber struct {
	*apply.Worker
	t       testing.TB
	records []string // "Heap/INSERT t 60", without the length if it is not of interest
	number  int64
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
	s := &subscriber{t: t}
	o.Sink = func(r *wal.Record) {
		s.records = append(s.records, fmt.Sprintf("%v %s %d", r.Type, s.Log().Name(r.Relation), r.Length))
	}
	if s.Worker, err = apply.New(db, o); err != nil {
		t.Fatal(err)
	}
	return s
}

// try applies messages until one fails.
func (s *subscriber) try(messages ...stream.Message) error {
	for i := range messages {
		m := &messages[i]
		s.number++
		m.Number = s.number
		if err := s.Apply(m); err != nil {
			return err
		}
	}
	return nil
}

// apply applies messages that must succeed, and checks the subscriber.
func (s *subscriber) apply(messages ...stream.Message) {
	s.t.Helper()
	if err := s.try(messages...); err != nil {
		s.t.Fatal(err)
	}
	s.check()
}

func (s *subscriber) check() {
	s.t.Helper()
	if err := s.Check(); err != nil {
		s.t.Fatal(err)
	}
}

// take returns the records since the last call.
func (s *subscriber) take() []string {
	r := s.records
	s.records = nil
	return r
}

// table is the state of a table of schema public.
func (s *subscriber) table(name string) apply.TableState {
	for _, t := range s.Tables() {
		if t.Schema.Name == name {
			return t
		}
	}
	s.t.Fatalf("no table %s", name)
	panic("unreachable")
}

func begin() stream.Message  { return stream.Message{Kind: stream.KindBegin} }
func commit() stream.Message { return stream.Message{Kind: stream.KindCommit} }

// tx is a transaction.
func tx(changes ...stream.Message) []stream.Message {
	return append(append([]stream.Message{begin()}, changes...), commit())
}

// relation describes table name of schema public; a column whose name ends in *
// is part of the replica identity. The types are of no interest to the worker.
func relation(id uint32, name string, identity byte, columns ...string) stream.Message {
	r := &stream.Relation{ID: id, Namespace: "public", Name: name, Identity: identity}
	for _, c := range columns {
		n, key := strings.CutSuffix(c, "*")
		col := stream.RelationColumn{Name: n, TypeID: 25, Typmod: -1}
		if key || identity == 'f' {
			col.Flags = 1
		}
		r.Columns = append(r.Columns, col)
	}
	return stream.Message{Kind: stream.KindRelation, Relation: r}
}

// The values of row that are not texts.
const (
	null      = "\x00null"
	unchanged = "\x00unchanged"
)

func row(values ...string) stream.Tuple {
	t := make(stream.Tuple, len(values))
	for i, v := range values {
		switch v {
		case null:
			t[i] = stream.Column{Format: stream.ColumnNull}
		case unchanged:
			t[i] = stream.Column{Format: stream.ColumnUnchanged}
		default:
			t[i] = stream.Column{Format: stream.ColumnText, Data: []byte(v)}
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

// updateFrom carries an old row, whole ('O') or its key ('K').
func updateFrom(id uint32, kind byte, old, values stream.Tuple) stream.Message {
	return stream.Message{Kind: stream.KindUpdate, RelationID: id, OldKind: kind, Old: old, New: values}
}

func del(id uint32, kind byte, old ...string) stream.Message {
	return stream.Message{Kind: stream.KindDelete, RelationID: id, OldKind: kind, Old: row(old...)}
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x6170706C79)) }
