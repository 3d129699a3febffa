package experiments_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"applysim/experiments/recorded"
	"applysim/experiments/workload"
	"applysim/model/apply"
	"applysim/model/guc"
	"applysim/model/schema"
	"applysim/model/stream"
)

// published returns the published workload as a raw stream.
func published(b *testing.B, rows int) []byte {
	b.Helper()
	o := workload.DefaultOptions()
	o.Rows = rows
	var buf bytes.Buffer
	if err := workload.Generate(&buf, o); err != nil {
		b.Fatal(err)
	}
	return buf.Bytes()
}

// subscriber returns an empty subscriber with the tables of ddl.
func subscriber(b *testing.B, ddl string) *apply.Worker {
	b.Helper()
	db, err := schema.Read(strings.NewReader(ddl), "events.sql")
	if err != nil {
		b.Fatal(err)
	}
	w, err := apply.New(db, apply.Options{Settings: guc.Defaults()})
	if err != nil {
		b.Fatal(err)
	}
	return w
}

func applyAll(b *testing.B, w *apply.Worker, raw []byte) {
	b.Helper()
	if _, err := recorded.Apply(w, io.Reader(bytes.NewReader(raw))); err != nil {
		b.Fatal(err)
	}
}

// reportChanges reports the time and the allocations of one change of n.
func reportChanges(b *testing.B, n int, mallocs uint64) {
	changes := float64(b.N) * float64(n)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/changes, "ns/change")
	b.ReportMetric(float64(mallocs)/changes, "allocs/change")
}

func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}

// BenchmarkApply replays the published workload: reading and decoding the stream,
// the heap, the primary key and so many further indexes.
func BenchmarkApply(b *testing.B) {
	const rows = 500_000
	raw := published(b, rows)
	for n := range workload.MaxIndexes + 1 {
		b.Run(fmt.Sprintf("indexes=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			before := mallocs()
			for b.Loop() {
				applyAll(b, subscriber(b, workload.Schema(n)), raw)
			}
			reportChanges(b, rows, mallocs()-before)
		})
	}
}

// benchScenario is a kind of change, made once to each row of the published
// workload.
type benchScenario struct {
	name     string
	ddl      string
	full     bool // the publisher's replica identity is FULL
	old      byte // how the old row is sent
	deletes  bool
	settable []int // columns that an update sets
}

// Columns of the published workload's table.
const (
	columnStatus    = 2
	columnUpdatedAt = 4
)

func benchScenarios() []benchScenario {
	noKey := strings.Replace(workload.Schema(0), " PRIMARY KEY", "", 1)
	return []benchScenario{
		{
			name:     "change=hot_update/fillfactor=70",
			ddl:      strings.Replace(workload.Schema(0), "\n);", "\n) WITH (fillfactor=70);", 1),
			settable: []int{columnStatus},
		},
		{name: "change=update/indexes=4", ddl: workload.Schema(4), settable: []int{columnStatus, columnUpdatedAt}},
		{name: "change=delete/indexes=0", ddl: workload.Schema(0), old: stream.OldKey, deletes: true},
		{name: "change=delete/indexes=4", ddl: workload.Schema(4), old: stream.OldKey, deletes: true},
		{name: "change=full_update/lookup=sequential", ddl: noKey, full: true, old: stream.OldRow, settable: []int{columnStatus}},
		{
			name: "change=full_update/lookup=index", ddl: noKey + "CREATE INDEX events_account_id_idx ON events (account_id);\n",
			full: true, old: stream.OldRow, settable: []int{columnStatus},
		},
	}
}

// BenchmarkChange replays updates and deletes of rows that are there: HOT and not,
// found by the primary key, or by REPLICA IDENTITY FULL without an index and with
// one. Inserting the rows is not timed.
func BenchmarkChange(b *testing.B) {
	const rows = 50_000
	raw := published(b, rows)
	for _, s := range benchScenarios() {
		changes := changesOf(b, raw, &s)
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			var n uint64
			for b.Loop() {
				b.StopTimer()
				w := subscriber(b, s.ddl)
				applyAll(b, w, raw)
				before := mallocs()
				b.StartTimer()
				applyAll(b, w, changes)
				b.StopTimer()
				n += mallocs() - before
				if c := w.Counters; c.Updates+c.Deletes != rows {
					b.Fatalf("%d updates and %d deletes, expected %d", c.Updates, c.Deletes, rows)
				}
				b.StartTimer()
			}
			reportChanges(b, rows, n)
		})
	}
}

// changesOf makes a stream that changes each row that another one has inserted, in
// transactions of 25.
func changesOf(b *testing.B, raw []byte, s *benchScenario) []byte {
	b.Helper()
	in, err := stream.NewReader(bytes.NewReader(raw), stream.DefaultOptions())
	if err != nil {
		b.Fatal(err)
	}
	var out bytes.Buffer
	var msg []byte
	write := func(m []byte) {
		out.Write(m)
		out.WriteByte('\n')
		msg = m
	}
	var m stream.Message
	for {
		if err := in.Next(&m); errors.Is(err, io.EOF) {
			return out.Bytes()
		} else if err != nil {
			b.Fatal(err)
		}
		switch m.Kind {
		case stream.KindInsert:
			write(changeOf(msg[:0], &m, s))
			continue
		case stream.KindRelation:
			if s.full {
				m.Relation.Identity = 'f'
				for i := range m.Relation.Columns {
					m.Relation.Columns[i].Flags = 1
				}
			}
		}
		encoded, err := stream.AppendMessage(msg[:0], &m)
		if err != nil {
			b.Fatal(err)
		}
		write(encoded)
	}
}

// changeOf appends the change of the row that m inserts.
func changeOf(dst []byte, m *stream.Message, s *benchScenario) []byte {
	old := make(stream.Tuple, len(m.New))
	for i := range old {
		old[i].Format = stream.ColumnNull
		if s.old == stream.OldRow || i == 0 {
			old[i] = m.New[i]
		}
	}
	if s.deletes {
		return stream.AppendDelete(dst, 0, m.RelationID, s.old, old)
	}
	row := append(stream.Tuple{}, m.New...)
	for _, i := range s.settable {
		row[i].Data = changed(i, row[i].Data)
	}
	return stream.AppendUpdate(dst, 0, m.RelationID, s.old, old, row)
}

// changed is another value of the same column.
func changed(column int, text []byte) []byte {
	text = bytes.Clone(text)
	if column == columnUpdatedAt {
		text[3]++ // the year
		return text
	}
	return append(text, '1')
}
