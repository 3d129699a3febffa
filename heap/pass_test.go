package heap_test

import (
	"math/rand/v2"
	"testing"

	"applysim/heap"
	"applysim/heap/datum"
	"applysim/wal"
	"applysim/wal/storage"
)

// TestPass compares what passing rows does with what a scan does that looks at each of
// them: the same hints are logged, with the same images, in the same order.
func TestPass(t *testing.T) {
	for seed := range uint64(8) {
		logged := wal.Options{Start: 0x2000028, Origin: true, Images: wal.ImageOptions{FullPageWrites: true, Hints: true, Compression: wal.PGLZ}}
		tables := [2]*table{}
		for i := range tables {
			h := &table{t: t, xacts: &heap.Transactions{Next: 700, Synchronous: seed%2 == 0}}
			o := logged
			o.Sink = func(r *wal.Record) {
				h.records = append(h.records, r.Type.Name(), string(rune(r.Block)), string(rune(r.Length)))
			}
			h.log = wal.NewLog(o)
			h.Table = heap.NewTable(heap.Options{Name: "t", Fillfactor: 100, Attrs: []datum.Attr{int4, plain}}, h.log, h.log.Register("t"), h.xacts)
			tables[i] = h
		}
		r := rand.New(rand.NewPCG(seed, 5))
		live := []storage.TID{}
		for step := range 300 {
			n, x, y := r.IntN(12), r.IntN(1<<20), r.IntN(1<<20)
			for i, h := range tables {
				switch {
				case n < 4 || len(live) < 20:
					h.begin()
					var made []storage.TID
					for j := range 1 + x%9 {
						made = append(made, h.insert(num(int64(step*10+j)), pad(300+y%500)))
					}
					if n == 3 {
						h.abort()
						break
					}
					h.commit()
					if i == 1 {
						live = append(live, made...)
					}
				case n < 7:
					h.begin()
					h.delete(live[x%len(live)])
					if i == 0 { // within the transaction, and again after it
						h.Pass(0, storage.TID{}, false)
					} else {
						h.Scan(func(storage.TID) bool { return true })
						live[x%len(live)] = live[len(live)-1]
						live = live[:len(live)-1]
					}
					h.commit()
				case n == 7:
					h.log.Checkpoint(0, true)
					h.Clean()
				case n == 8:
					h.xacts.Flush(h.log.LSN())
				default:
					start := storage.BlockNumber(x % h.Pages())
					want := live[y%len(live)]
					if i == 0 {
						h.Pass(start, want, true)
					} else {
						h.ScanFrom(start, func(tid storage.TID) bool { return tid != want })
					}
				}
			}
			if a, b := tables[0].take(), tables[1].take(); a != b {
				t.Fatalf("seed %d, step %d: records %q, expected %q", seed, step, a, b)
			}
		}
	}
}
