package experiments_test

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"applysim/experiments/scenarios"
	"applysim/experiments/workload"
	"applysim/model/stream"
)

// scenarioBench is a workload whose CPU was measured on a real apply worker: PostgreSQL
// 18.6 as Debian builds it (-O2), x86-64, the change alone.
type scenarioBench struct {
	name    string
	ddl     string
	rows    int  // that are there before
	changes int  // that are timed
	perTx   int  // changes a transaction
	full    bool // table f, with REPLICA IDENTITY FULL
	deletes bool
}

// other are indexes on other columns than status.
const other = `CREATE INDEX e_upd ON events (updated_at);
CREATE INDEX e_acc ON events (account_id);
CREATE INDEX e_acc_upd ON events (account_id, updated_at);
CREATE INDEX e_upd_acc ON events (updated_at, account_id);
`

const fullTable = "CREATE TABLE f (id bigint, a int, payload text);\n"

func scenarioBenches() []scenarioBench {
	return []scenarioBench{
		{name: "update_hot", ddl: workload.Schema(0), rows: 20_000, changes: 40_000, perTx: 1},
		{name: "update_hot_4_other", ddl: workload.Schema(0) + other, rows: 20_000, changes: 40_000, perTx: 1},
		{name: "update_status_4", ddl: workload.Schema(4), rows: 20_000, changes: 40_000, perTx: 1},
		{name: "delete_pk", ddl: workload.Schema(0), rows: 20_000, changes: 20_000, perTx: 1, deletes: true},
		{name: "full_seq_50000", ddl: fullTable, rows: 50_000, changes: 200, perTx: 200, full: true},
		{name: "full_index_50000", ddl: fullTable + "CREATE INDEX f_id ON f (id);\n", rows: 50_000, changes: 10_000, perTx: 10_000, full: true},
	}
}

// BenchmarkScenario times changes of rows that are there and compares with what they
// cost a real worker ("real/sim": how many times faster the simulation is).
func BenchmarkScenario(b *testing.B) {
	recorded, err := scenarios.RecordedRuns()
	if err != nil {
		b.Fatal(err)
	}
	for _, s := range scenarioBenches() {
		load, changes := s.streams(b)
		at := slices.IndexFunc(recorded, func(r *scenarios.Runs) bool { return r.Scenario.Name == s.name })
		if at < 0 {
			b.Fatalf("no measurements of %s", s.name)
		}
		real := scenarios.Median(recorded[at].Apply) / float64(s.changes) * 1e9 // ns a change
		b.Run(s.name, func(b *testing.B) {
			var n uint64
			for b.Loop() {
				b.StopTimer()
				w := subscriber(b, s.ddl)
				applyAll(b, w, load)
				before := mallocs()
				b.StartTimer()
				applyAll(b, w, changes)
				b.StopTimer()
				n += mallocs() - before
				if c := w.Counters; c.Updates+c.Deletes != int64(s.changes) || c.Conflicts["update_missing"] != 0 {
					b.Fatalf("%d updates, %d deletes, %v, expected %d changes", c.Updates, c.Deletes, c.Conflicts, s.changes)
				}
				b.StartTimer()
			}
			reportChanges(b, s.changes, n)
			each := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(s.changes)
			b.ReportMetric(real/each, "real/sim")
		})
	}
}

// streams returns the stream that loads the rows and the one that changes them.
func (s *scenarioBench) streams(b *testing.B) (load, changes []byte) {
	rows, relation := s.table(b)
	var out bytes.Buffer
	at := stream.Timestamp(workload.DefaultStart)
	write := func(m []byte) {
		out.Write(m)
		out.WriteByte('\n')
	}
	in := func(n, perTx int, change func(i int) []byte) []byte {
		out.Reset()
		write(stream.AppendRelation(nil, 0, relation))
		for i := range n {
			if i%perTx == 0 {
				write(stream.AppendBegin(nil, 1, at, 800))
			}
			write(change(i))
			if i%perTx == perTx-1 || i == n-1 {
				write(stream.AppendCommit(nil, 1, 1, at))
				at += 1000
			}
		}
		return bytes.Clone(out.Bytes())
	}
	load = in(s.rows, 1000, func(i int) []byte { return stream.AppendInsert(nil, 0, relation.ID, rows[i]) })
	r := rand.New(rand.NewPCG(1, 2))
	changes = in(s.changes, s.perTx, func(i int) []byte {
		n := i
		switch {
		case s.full:
			n = s.rows - s.changes + i
		case !s.deletes:
			n = r.IntN(s.rows)
		}
		old := make(stream.Tuple, len(rows[n]))
		for c := range old {
			old[c].Format = stream.ColumnNull
		}
		if s.deletes {
			old[0] = rows[n][0]
			return stream.AppendDelete(nil, 0, relation.ID, stream.OldKey, old)
		}
		row := append(stream.Tuple{}, rows[n]...)
		column, kind := columnStatus, byte(stream.OldNone)
		if s.full {
			column, kind, old = 1, stream.OldRow, rows[n]
		}
		v, err := strconv.Atoi(string(row[column].Data))
		if err != nil {
			b.Fatal(err)
		}
		row[column].Data = strconv.AppendInt(nil, int64(v+1), 10)
		rows[n] = row
		return stream.AppendUpdate(nil, 0, relation.ID, kind, old, row)
	})
	return load, changes
}

// table returns the rows and the published relation of a scenario.
func (s *scenarioBench) table(b *testing.B) ([]stream.Tuple, *stream.Relation) {
	text := func(v string) stream.Column { return stream.Column{Format: stream.ColumnText, Data: []byte(v)} }
	if s.full {
		var rows []stream.Tuple
		for i := 1; i <= s.rows; i++ {
			sum := md5.Sum([]byte(strconv.Itoa(i)))
			rows = append(rows, stream.Tuple{text(strconv.Itoa(i)), text(strconv.Itoa(i % 100)), text(hex.EncodeToString(sum[:]))})
		}
		const int8OID, int4OID, textOID = 20, 23, 25
		return rows, &stream.Relation{ID: 16384, Namespace: "public", Name: "f", Identity: 'f', Columns: []stream.RelationColumn{
			{Flags: 1, Name: "id", TypeID: int8OID, Typmod: -1}, {Flags: 1, Name: "a", TypeID: int4OID, Typmod: -1}, {Flags: 1, Name: "payload", TypeID: textOID, Typmod: -1},
		}}
	}
	in, err := stream.NewReader(bytes.NewReader(published(b, s.rows)), stream.DefaultOptions())
	if err != nil {
		b.Fatal(err)
	}
	var rows []stream.Tuple
	var relation *stream.Relation
	var m stream.Message
	for in.Next(&m) == nil {
		switch m.Kind {
		case stream.KindRelation:
			relation = m.Relation
		case stream.KindInsert:
			var row stream.Tuple
			for _, c := range m.New {
				row = append(row, text(string(c.Data)))
			}
			rows = append(rows, row)
		}
	}
	if len(rows) != s.rows || relation == nil {
		b.Fatalf("%d rows, expected %d", len(rows), s.rows)
	}
	return rows, relation
}
