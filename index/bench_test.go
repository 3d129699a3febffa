package index_test

import (
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/tidwall/btree"

	"applysim/heap/datum"
	"applysim/index"
	"applysim/index/opclass"
	"applysim/wal"
	"applysim/wal/storage"
)

// liveHeap is a table whose rows all live.
type liveHeap struct{}

func (liveHeap) Fetch(_ storage.BlockNumber, tid storage.TID) (storage.TID, bool, bool) {
	return tid, true, false
}
func (liveHeap) Vacuumable(storage.TID) bool { return false }
func (liveHeap) NextXID() uint32             { return 3 }
func (liveHeap) Removable(uint32) bool       { return false }

// benchRow is the part of a row of the published workload that its indexes hold.
type benchRow struct {
	id, account, status, updated int64
	tid                          storage.TID
}

const rowsPerHeapPage = 43

func benchRows(n int) []benchRow {
	r := newRandom(1, n)
	rows := make([]benchRow, n)
	for i := range rows {
		rows[i] = benchRow{
			id: int64(i + 1), account: int64(r.pick(10_000)), status: int64(r.pick(5)), updated: 1e14 + int64(i)*1700,
			tid: storage.TID{Block: storage.BlockNumber(i / rowsPerHeapPage), Offset: storage.OffsetNumber(i%rowsPerHeapPage + 1)},
		}
	}
	return rows
}

// benchIndex is an index of the published workload: how its key is made for the
// B-tree, and for a map that has one number as its key and must tell rows apart.
type benchIndex struct {
	name    string
	unique  bool
	columns []datum.Attr
	classes []string
	values  func(r *benchRow, v []datum.Value)
	number  func(r *benchRow) uint64
}

func byValue(n int16) datum.Attr {
	return datum.Attr{Len: n, Align: uint8(n), ByVal: true, NotNull: true, Storage: 'p'}
}

var benchIndexes = []benchIndex{
	{
		"id", true, []datum.Attr{byValue(8)}, []string{"int8_ops"},
		func(r *benchRow, v []datum.Value) { v[0].Bits = uint64(r.id) },
		func(r *benchRow) uint64 { return uint64(r.id) },
	},
	{
		"updated_at", false, []datum.Attr{byValue(8)}, []string{"int8_ops"},
		func(r *benchRow, v []datum.Value) { v[0].Bits = uint64(r.updated) },
		func(r *benchRow) uint64 { return uint64(r.updated) },
	},
	{
		"account_id", false, []datum.Attr{byValue(4)}, []string{"int4_ops"},
		func(r *benchRow, v []datum.Value) { v[0].Bits = uint64(r.account) },
		func(r *benchRow) uint64 { return uint64(r.account)<<32 | uint64(r.id) },
	},
	{
		"account_id,status", false, []datum.Attr{byValue(4), byValue(2)}, []string{"int4_ops", "int2_ops"},
		func(r *benchRow, v []datum.Value) { v[0].Bits, v[1].Bits = uint64(r.account), uint64(r.status) },
		func(r *benchRow) uint64 { return uint64(r.account)<<40 | uint64(r.status)<<32 | uint64(r.id) },
	},
	{
		"status,updated_at", false, []datum.Attr{byValue(2), byValue(8)}, []string{"int2_ops", "int8_ops"},
		func(r *benchRow, v []datum.Value) { v[0].Bits, v[1].Bits = uint64(r.status), uint64(r.updated) },
		func(r *benchRow) uint64 { return uint64(r.status)<<60 | uint64(r.updated) },
	},
}

// fillIndex inserts all rows into a new index.
func fillIndex(x *benchIndex, rows []benchRow) error {
	log := wal.NewLog(wal.Options{Start: 1 << 24, Origin: true})
	o := index.Options{Name: x.name, Keys: len(x.columns), Unique: x.unique, Fillfactor: 90, Deduplicate: true}
	for i, a := range x.columns {
		o.Columns = append(o.Columns, index.Column{Attr: a, Class: opclass.ByName(x.classes[i])})
	}
	t := index.NewBTree(o, log, log.Register(x.name), liveHeap{})
	values := make([]datum.Value, len(x.columns))
	for i := range rows {
		x.values(&rows[i], values)
		if _, err := t.Insert(values, rows[i].tid, false); err != nil {
			return err
		}
	}
	return nil
}

// fillMap inserts all rows into a bare ordered map.
func fillMap(x *benchIndex, rows []benchRow) {
	var m btree.Map[uint64, storage.TID]
	for i := range rows {
		m.Set(x.number(&rows[i]), rows[i].tid)
	}
}

// BenchmarkInsert fills the indexes of the published workload, and bare ordered
// maps with the same keys. It reports the CPU time and the allocations of one
// insert, the CPU time of the map, and how many times the map's time the index
// takes. The two take turns, so that both see the same machine, and the best of
// each counts.
func BenchmarkInsert(b *testing.B) {
	const n = 500_000
	rows := benchRows(n)
	for i := range benchIndexes {
		x := &benchIndexes[i]
		b.Run("index="+x.name, func(b *testing.B) { benchAgainstMap(b, benchIndexes[i:i+1], rows) })
	}
	b.Run(fmt.Sprintf("index=all-%d", len(benchIndexes)), func(b *testing.B) { benchAgainstMap(b, benchIndexes, rows) })
}

func benchAgainstMap(b *testing.B, indexes []benchIndex, rows []benchRow) {
	ours, maps := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	var mallocs uint64
	for b.Loop() {
		runtime.GC()
		before := mallocsSoFar()
		start := cpuTime()
		for i := range indexes {
			if err := fillIndex(&indexes[i], rows); err != nil {
				b.Fatal(err)
			}
		}
		ours = min(ours, cpuTime()-start)
		mallocs = mallocsSoFar() - before
		runtime.GC()
		start = cpuTime()
		for i := range indexes {
			fillMap(&indexes[i], rows)
		}
		maps = min(maps, cpuTime()-start)
	}
	inserts := float64(len(rows))
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(ours.Nanoseconds())/inserts, "cpu-ns/change")
	b.ReportMetric(float64(mallocs)/inserts, "allocs/change")
	b.ReportMetric(float64(maps.Nanoseconds())/inserts, "map-cpu-ns/change")
	b.ReportMetric(float64(ours)/float64(maps), "x-map")
}

func mallocsSoFar() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}
