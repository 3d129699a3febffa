package accessmethod

import (
	"math/rand/v2"
	"slices"
	"testing"

	"applysim/wal"
	"applysim/wal/storage"
)

// all are the TIDs of a tree; it fails where they are not in order, or where sizes are not
// those of what is there.
func (p *postingTree) all(t *testing.T) []uint64 {
	t.Helper()
	var tids []uint64
	for i, l := range p.leaves {
		size := 0
		for _, s := range l.segments {
			list := s.decode(nil)
			if len(list) != int(s.n) || list[0] != s.first || list[len(list)-1] != s.last || s.size() > segmentMax {
				t.Fatalf("segment of %d TIDs from %d to %d in %d bytes has %v", s.n, s.first, s.last, s.size(), list)
			}
			tids = append(tids, list...)
			size += s.size()
		}
		if size != l.size() || size > dataPageRoom {
			t.Fatalf("leaf %d: %d bytes, its segments take %d", i, l.size(), size)
		}
		if i < len(p.leaves)-1 && len(tids) > 0 && tids[len(tids)-1] > l.bound {
			t.Fatalf("leaf %d has %d beyond its bound %d", i, tids[len(tids)-1], l.bound)
		}
	}
	if !slices.IsSorted(tids) {
		t.Fatal("TIDs are not in order")
	}
	return tids
}

// TestPostingTree adds TIDs in different orders, takes some away and adds them again.
func TestPostingTree(t *testing.T) {
	for name, next := range map[string]func(r *rand.Rand, i int) uint64{
		"ascending": func(r *rand.Rand, i int) uint64 { return uint64(i) * 3 },
		"random":    func(r *rand.Rand, i int) uint64 { return r.Uint64N(1 << 30) },
		"close":     func(r *rand.Rand, i int) uint64 { return r.Uint64N(60000) },
		"rewritten": func(r *rand.Rand, i int) uint64 {
			if i%2 == 0 {
				return uint64(1e6 + i)
			}
			return r.Uint64N(1e6)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(len(name))))
			log := wal.NewLog(wal.Options{Start: 1 << 24, SegmentSize: 16 << 20})
			g := newGIN(Options{Log: log, Rel: log.Register("x")})
			want := map[uint64]bool{1: true}
			tree := g.plant([]uint64{1})
			add := func(n int) {
				for i := 0; i < n; {
					k := 1
					if r.IntN(20) == 0 {
						k = 1 + r.IntN(900)
					}
					var list []uint64
					for ; k > 0; k-- {
						x := next(r, i) + 2
						i++
						list = append(list, x)
						want[x] = true
					}
					slices.Sort(list)
					g.grow(tree, slices.Compact(list))
				}
			}
			check := func() []uint64 {
				t.Helper()
				got := tree.all(t)
				if len(got) != len(want) {
					t.Fatalf("%d TIDs, expected %d", len(got), len(want))
				}
				for _, x := range got {
					if !want[x] {
						t.Fatalf("TID %d was not inserted", x)
					}
				}
				return got
			}
			add(40000)
			var dead []uint64
			for _, x := range check() {
				if r.IntN(3) == 0 {
					dead = append(dead, x)
					delete(want, x)
				}
			}
			g.vacuum(tree, dead)
			check()
			add(10000)
			check()
			if len(tree.leaves) < 4 || g.treePages != len(tree.leaves)+1 {
				t.Errorf("%d leaves, %d pages", len(tree.leaves), g.treePages)
			}
			if log.Total().Records < 1000 {
				t.Errorf("%d records", log.Total().Records)
			}
		})
	}
}

// TestBuiltPosting compares an index that was built with one that rows were inserted into:
// its leaves are full.
func TestBuiltPosting(t *testing.T) {
	log := wal.NewLog(wal.Options{Start: 1 << 24, SegmentSize: 16 << 20})
	g := newGIN(Options{Log: log, Rel: log.Register("x")})
	g.quiet = true
	var tids []uint64
	for i := range 60000 {
		tids = append(tids, tidNumber(storage.TID{Block: storage.BlockNumber(i / 100), Offset: storage.OffsetNumber(i%100 + 1)}))
	}
	tree := g.plant(tids)
	if got := tree.all(t); !slices.Equal(got, tids) {
		t.Fatalf("%d TIDs, expected %d", len(got), len(tids))
	}
	for i, l := range tree.leaves[:len(tree.leaves)-1] {
		if l.size() < dataPageRoom-segmentMax {
			t.Errorf("leaf %d has %d bytes", i, l.size())
		}
	}
	if log.Total().Records != 0 {
		t.Errorf("%d records of a build", log.Total().Records)
	}
}
