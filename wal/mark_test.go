package wal_test

import (
	"testing"

	"applysim/wal"
	"applysim/wal/storage"
)

// blank is a page without a hole.
type blank struct{}

func (blank) Hole() (lower, upper int)          { return 0, 0 }
func (blank) Bytes(dst *[storage.PageSize]byte) { *dst = [storage.PageSize]byte{} }

// TestMarks counts images, in all and up to each checkpoint.
func TestMarks(t *testing.T) {
	l := wal.NewLog(wal.Options{Start: 0x1000028, Images: wal.ImageOptions{Hints: true, FullPageWrites: true}})
	rel := l.Register("t")
	l.Checkpoint(0, true)
	at := l.Hint(rel, 0, 3, 0, blank{})
	if at == 0 || l.Hint(rel, 0, 3, at, blank{}) != at {
		t.Error("a hint is logged once after a checkpoint")
	}
	l.Checkpoint(0, false)
	l.NewPageFork(rel, 2, 0, blank{})
	l.InsertImages(wal.HeapLock, rel, 0, 0, 0, wal.Image{})
	if n := l.Imaged(rel, wal.XLOGFPIForHint); n != 1 {
		t.Errorf("%d FPI_FOR_HINT with images, expected 1", n)
	}
	if n := l.TotalImaged(); n != 2 {
		t.Errorf("%d records with images, expected 2", n)
	}
	m := l.Marks()
	if len(m) != 2 || m[0].Imaged != 0 || m[1].Imaged != 1 || m[1].Total.FPIBytes != storage.PageSize {
		t.Errorf("marks %+v", m)
	}
	if l.ResetCounts(); l.TotalImaged() != 0 || len(l.Marks()) != 0 {
		t.Error("ResetCounts left something")
	}
}

// TestNewPageFork writes an image whatever full_page_writes says, on any fork.
func TestNewPageFork(t *testing.T) {
	var got wal.Record
	l := wal.NewLog(wal.Options{Start: 0x1000028, Sink: func(r *wal.Record) { got = *r }})
	l.NewPageFork(l.Register("t"), 1, 2, blank{})
	if got.Type != wal.XLOGFPI || got.Fork != 1 || got.Block != 2 || got.FPI != 8192 || got.Length != 24+20+5+8192 {
		t.Errorf("got %+v", got)
	}
}

// TestInsertLocal leaves the replication origin out.
func TestInsertLocal(t *testing.T) {
	var lengths []int
	l := wal.NewLog(wal.Options{Start: 0x1000028, Origin: true, Sink: func(r *wal.Record) { lengths = append(lengths, r.Length) }})
	l.InsertPlain(wal.TransactionCommit, wal.CommitMainData(true, true))
	l.InsertLocal(wal.TransactionCommit, wal.LocalCommitMainData(true))
	l.InsertLocal(wal.TransactionCommit, wal.LocalCommitMainData(false))
	if want := [3]int{65, 46, 38}; [3]int(lengths) != want {
		t.Errorf("lengths %v, expected %v", lengths, want)
	}
}

// TestSinkMovesEnd lets a sink say where a record ends: pages get that as their LSN.
func TestSinkMovesEnd(t *testing.T) {
	var l *wal.Log
	l = wal.NewLog(wal.Options{Start: 0x1000028, Sink: func(r *wal.Record) {
		r.End += 8
		l.MoveTo(r.End)
	}})
	if end := l.InsertPlain(wal.TransactionCommit, 0); end != l.LSN() || end != 0x1000028+34+6+8 {
		t.Errorf("end %v, log at %v", end, l.LSN())
	}
}
