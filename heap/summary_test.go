package heap_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"applysim/heap"
	"applysim/wal"
	"applysim/wal/storage"
)

// TestSummary prunes the same tables twice, once with what is known of their pages and
// once without: records, counters and pages are the same.
func TestSummary(t *testing.T) {
	steps := 1500
	if testing.Short() {
		steps = 500
	}
	quick := int64(0)
	for seed := range uint64(24) {
		o := heap.Options{
			Attrs: modelAttrs, Fillfactor: []int{100, 90, 50}[seed%3], Indexed: [][]int{{0}, {0, 1}, {}}[seed%3],
			Logical: seed%2 == 0, Identity: heap.Identity{Columns: []int{0}},
		}
		images := wal.ImageOptions{FullPageWrites: seed%4 > 0, Hints: seed%4 > 1}
		run := func(whole bool) *model {
			src := &randomSource{rand.New(rand.NewPCG(seed, 0x73756d)), steps}
			m := newModel(t, o, []int{300, 40, 20}[seed/2%3], src)
			m.xacts.Synchronous = seed%5 == 0
			m.log = wal.NewLog(wal.Options{Start: 0x2000028, Origin: true, Images: images, Sink: func(r *wal.Record) {
				m.records = append(m.records, describe(r))
			}})
			m.Table = heap.NewTable(m.o, m.log, m.log.Register("t"), m.xacts)
			for src.more() {
				if whole {
					m.ForgetSummaries()
				}
				m.step()
				switch src.pick(100) {
				case 0:
					m.log.Checkpoint(0, true)
					m.Clean()
				case 1:
					m.xacts.Flush(m.log.LSN())
				}
			}
			return m
		}
		a, b := run(false), run(true)
		if !slices.Equal(a.records, b.records) {
			for i := range min(len(a.records), len(b.records)) {
				if a.records[i] != b.records[i] {
					t.Fatalf("seed %d: record %d of %d is %s, expected %s", seed, i, len(b.records), a.records[i], b.records[i])
				}
			}
			t.Fatalf("seed %d: %d records, expected %d", seed, len(a.records), len(b.records))
		}
		if a.Counters != b.Counters {
			t.Fatalf("seed %d: %+v, expected %+v", seed, a.Counters, b.Counters)
		}
		for block := range storage.BlockNumber(b.Pages()) {
			x, y := string(a.AppendPageLine(nil, block)), string(b.AppendPageLine(nil, block))
			if x != y {
				t.Fatalf("seed %d:\n%s\nexpected\n%s", seed, x, y)
			}
			for off := storage.OffsetNumber(1); off < heap.MaxHeapTuplesPerPage; off++ {
				tid := storage.TID{Block: block, Offset: off}
				if !slices.Equal(a.Body(tid), b.Body(tid)) {
					t.Fatalf("seed %d: version %v is %x, expected %x", seed, tid, a.Body(tid), b.Body(tid))
				}
			}
		}
		quick += a.Counters.Pruned
	}
	if quick == 0 {
		t.Error("nothing was pruned")
	}
}
