package index

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"applysim/heap/datum"
	"applysim/index/opclass"
	"applysim/wal"
	"applysim/wal/storage"
)

// packedLeaves is how many leaves are packed.
func (t *BTree) packedLeaves() int {
	n := 0
	for _, p := range t.pages[1:] {
		if p.packedAt != 0 {
			n++
		}
	}
	return n
}

type allLive struct{}

func (allLive) Fetch(_ storage.BlockNumber, tid storage.TID) (storage.TID, bool, bool) {
	return tid, true, false
}
func (allLive) Vacuumable(storage.TID) bool { return false }
func (allLive) NextXID() uint32             { return 700 }
func (allLive) Removable(uint32) bool       { return false }

// TestPackedLeaves fills two indexes with the same ascending keys and then with others
// between them. The pages of one are looked at after each insertion, so that none is packed
// when it is needed next: both end alike, to the last item, counter and LSN.
func TestPackedLeaves(t *testing.T) {
	for name, c := range map[string]struct {
		unique bool
		key    func(i int) uint64 // of the i-th row of the first run
	}{
		"next number":     {true, func(i int) uint64 { return uint64(4 * i) }},
		"large steps":     {false, func(i int) uint64 { return uint64(i) * 1_000_000_007 }},
		"every key twice": {false, func(i int) uint64 { return uint64(i / 2 * 4) }},
		"steps too large": {false, func(i int) uint64 { return uint64(i)<<50 - 1<<63 }},
	} {
		t.Run(name, func(t *testing.T) {
			newIndex := func() (*BTree, *wal.Log) {
				log := wal.NewLog(wal.Options{Start: 0x1000000})
				return NewBTree(Options{
					Name: "x", Keys: 1, Unique: c.unique, Fillfactor: 90, Deduplicate: true,
					Columns: []Column{{Attr: datum.Attr{Len: 8, Align: 8, ByVal: true, Storage: 'p', NotNull: true}, Class: opclass.ByName("int8_ops")}},
				}, log, log.Register("x"), allLive{}), log
			}
			a, aLog := newIndex()
			b, bLog := newIndex()
			insert := func(key uint64, n int) {
				t.Helper()
				tid := storage.TID{Block: storage.BlockNumber(n / 43), Offset: storage.OffsetNumber(n%43 + 1)}
				for _, x := range []*BTree{a, b} {
					if _, err := x.Insert([]datum.Value{{Bits: key}}, tid, false); err != nil {
						t.Fatal(err)
					}
				}
				for _, p := range b.pages[1:] {
					if p.packedAt != 0 {
						b.settle(p)
					}
				}
			}
			const rows = 12_000
			for i := range rows {
				insert(c.key(i), i)
			}
			if n := b.packedLeaves(); n > 0 {
				t.Fatalf("%d leaves are packed although they were looked at", n)
			}
			packed, leaves := a.packedLeaves(), a.Stats().LeafPages
			switch {
			case name == "steps too large" || name == "every key twice":
				// Too long, or posting lists: not packed, or only some.
			case packed < leaves*3/4:
				t.Fatalf("%d of %d leaves are packed", packed, leaves)
			}
			if err := a.Check(); err != nil {
				t.Fatal(err)
			}
			for _, p := range a.pages[1:] {
				a.AppendPageLine(nil, p.block)
			}
			if n := a.packedLeaves(); n != packed {
				t.Errorf("looking has unpacked %d of %d leaves", packed-n, packed)
			}
			r := rand.New(rand.NewPCG(1, 2))
			for i := range 3000 {
				if i%10 == 0 {
					key := []datum.Value{{Bits: c.key(r.IntN(rows))}}
					x, y := a.Lookup(key, nil), b.Lookup(key, nil)
					p, pok := x.Next()
					q, qok := y.Next()
					if x.End(); p != q || pok != qok || !pok {
						t.Fatalf("%v is at %s, %v, expected %s, %v", key, p, pok, q, qok)
					}
					y.End()
				}
				insert(c.key(r.IntN(rows))+uint64(1+r.IntN(3)), rows+i)
			}
			if err := a.Check(); err != nil {
				t.Fatal(err)
			}
			for n := storage.BlockNumber(1); int(n) < len(b.pages); n++ {
				got, want := string(a.AppendPageLine(nil, n)), string(b.AppendPageLine(nil, n))
				if got != want {
					t.Fatalf("page %d is\n%s, expected\n%s", n, got, want)
				}
			}
			if aLog.LSN() != bLog.LSN() {
				t.Errorf("the log ends at %s, expected %s", aLog.LSN(), bLog.LSN())
			}
			a.Settle()
			b.Settle()
			if a.Counters != b.Counters {
				t.Errorf("counters are\n%+v, expected\n%+v", a.Counters, b.Counters)
			}
		})
	}
}

// FuzzPack packs and unpacks the items that the bytes describe.
func FuzzPack(f *testing.F) {
	f.Add([]byte{1, 0, 0, 1, 0, 0, 2, 1, 0, 3, 9, 9})
	f.Add(binary.LittleEndian.AppendUint64(nil, 1<<63))
	f.Fuzz(func(t *testing.T, b []byte) {
		it := item{hi: 1 << 40, block: 7, offset: 3}
		items := []item{it}
		for ; len(b) >= 3; b = b[3:] {
			it.hi += uint64(b[0]) << (b[1] % 64)
			switch b[2] % 4 {
			case 0:
				it.offset++
			case 1:
				it.block, it.offset = it.block+1, 1
			case 2:
				it.block -= storage.BlockNumber(b[1])
			case 3:
				it.offset ^= storage.OffsetNumber(b[1]) << 8
			}
			items = append(items, it)
		}
		packed, ok := appendPacked([]byte("before"), items)
		if string(packed[:6]) != "before" {
			t.Fatalf("what stood before is %q", packed[:6])
		}
		if !ok {
			return
		}
		if n := packedItems(packed[6:]); n != len(items) {
			t.Fatalf("%d items, expected %d", n, len(items))
		}
		if got := appendUnpacked(nil, packed[6:]); !slices.Equal(got, items) {
			t.Fatalf("items are %v, expected %v", got, items)
		}
	})
}
