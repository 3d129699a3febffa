package wal

import (
	"math/rand/v2"
	"testing"

	"applysim/wal/storage"
)

// The log's short way within a page ends where Advance ends, and what a Sink gets
// adds up to the counters.
func TestLogPositionAndCounts(t *testing.T) {
	for _, segment := range []uint64{0, 1 << 20} {
		size := segment
		if size == 0 {
			size = DefaultSegmentSize
		}
		r := rand.New(rand.NewPCG(2, segment))
		want := LSN(3*size - 5*8192 + 16)
		type key struct {
			rel RelID
			typ RecordType
		}
		counts := map[key]Count{}
		var total Count
		sink := func(r *Record) {
			if r.Start != want.Start(size) {
				t.Fatalf("record starts at %v, expected %v", r.Start, want.Start(size))
			}
			want = want.Advance(r.Length, size)
			if r.End != want {
				t.Fatalf("record ends at %v, expected %v", r.End, want)
			}
			c := counts[key{r.Relation, r.Type}]
			c.Add(Count{1, int64(r.Length), int64(r.FPI)})
			counts[key{r.Relation, r.Type}] = c
			total.Add(Count{1, int64(r.Length), int64(r.FPI)})
		}
		l := NewLog(Options{Start: want, SegmentSize: segment, Origin: true, Sink: sink})
		rels := []RelID{l.Register("t"), l.Register("t_pkey")}
		if l.Relations() != 2 || l.Name(rels[0]) != "t" || l.Name(rels[1]) != "t_pkey" || l.Name(NoRelation) != "-" {
			t.Fatalf("names %q %q %q", l.Name(rels[0]), l.Name(rels[1]), l.Name(NoRelation))
		}
		for n := range 5000 {
			typ := RecordType(r.IntN(NumRecordTypes))
			switch n % 7 {
			case 0:
				l.InsertPlain(TransactionCommit, r.IntN(300))
			case 1:
				l.Skip(24 + r.IntN(9000))
				want = l.LSN()
			case 2:
				// An exact fit: the page is filled to the brim.
				left := WALPageSize - int(l.InsertLSN()%WALPageSize)
				if data := left - 54; data >= 0 {
					l.Insert(HeapLock, rels[0], 0, data)
					if l.LSN()%WALPageSize != 0 {
						t.Fatalf("a record of %d bytes ends at %v", left, l.LSN())
					}
				}
			default:
				if end := l.InsertMain(typ, rels[n%2], storage.BlockNumber(n), r.IntN(400), r.IntN(100)); end != l.LSN() {
					t.Fatalf("Insert returned %v, the log ends at %v", end, l.LSN())
				}
			}
			if l.LSN() != want {
				t.Fatalf("the log ends at %v, expected %v", l.LSN(), want)
			}
		}
		if l.Total() != total {
			t.Errorf("total %+v, the sink got %+v", l.Total(), total)
		}
		for k, c := range counts {
			if l.Count(k.rel, k.typ) != c {
				t.Errorf("%s %v: counted %+v, the sink got %+v", l.Name(k.rel), k.typ, l.Count(k.rel, k.typ), c)
			}
		}
		at := l.LSN()
		l.SetSink(nil)
		l.ResetCounts()
		if l.Total() != (Count{}) || l.Count(rels[0], HeapLock) != (Count{}) || l.LSN() != at {
			t.Errorf("after a reset: %+v at %v", l.Total(), l.LSN())
		}
		l.Insert(HeapLock, rels[1], 3, 0)
		if l.Count(rels[1], HeapLock) != (Count{Records: 1, Bytes: 54}) {
			t.Errorf("after a reset: %+v", l.Count(rels[1], HeapLock))
		}
	}
}

// A Sink that skips over background work moves the next record.
func TestSkipWithinSink(t *testing.T) {
	var starts []LSN
	var l *Log
	l = NewLog(Options{Start: 0x2000028, Sink: func(r *Record) {
		starts = append(starts, r.Start)
		if len(starts) == 1 {
			l.Skip(100)
		}
	}})
	rel := l.Register("t")
	l.Insert(HeapLock, rel, 0, 0)
	l.Insert(HeapLock, rel, 0, 0)
	if want := LSN(0x2000028 + 56 + 104); starts[1] != want {
		t.Errorf("the second record starts at %v, expected %v", starts[1], want)
	}
}
