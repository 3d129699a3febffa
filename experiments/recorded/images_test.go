package recorded_test

import (
	"reflect"
	"testing"

	"applysim/experiments/recorded"
	"applysim/wal"
	"applysim/wal/storage"
)

type blank struct{}

func (blank) Hole() (lower, upper int)          { return 0, 0 }
func (blank) Bytes(dst *[storage.PageSize]byte) { *dst = [storage.PageSize]byte{} }

// TestImages counts images by relation, by record type and after each checkpoint.
func TestImages(t *testing.T) {
	const start wal.LSN = 0x1000028
	l := wal.NewLog(wal.Options{Start: start})
	a, b := l.Register("a"), l.Register("b")
	l.NewPageFork(a, 0, 0, blank{})
	l.Checkpoint(0, true)
	l.NewPageFork(b, 1, 0, blank{})
	l.NewPageFork(b, 2, 0, blank{})
	l.Insert(wal.HeapLock, a, 0, 0)
	got := recorded.NewImages(l, start)
	image := func(n int64) recorded.ImageCount { return recorded.ImageCount{Records: n, FPIBytes: 8192 * n} }
	const fpi, lock = 24 + 20 + 5 + 8192, 54
	want := &recorded.Images{
		Relations:   map[string]recorded.ImageCount{"a": image(1), "b": image(2)},
		RecordTypes: map[string]recorded.ImageCount{"XLOG/FPI": image(3)},
		Checkpoints: []recorded.CheckpointImages{
			{Redo: start.String(), Records: 1, Bytes: fpi, ImageCount: image(1)},
			{Redo: l.Redo().String(), Records: 3, Bytes: 2*fpi + lock, ImageCount: image(2)},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, expected %+v", got, want)
	}
}

// TestImagesOfNothing has the run's beginning all the same.
func TestImagesOfNothing(t *testing.T) {
	l := wal.NewLog(wal.Options{Start: 0x1000028})
	if got := recorded.NewImages(l, 0x1000028); len(got.Relations)+len(got.RecordTypes) != 0 || len(got.Checkpoints) != 1 {
		t.Errorf("got %+v", got)
	}
}
