package slots

import (
	"testing"

	"applysim/wal"
)

const seg = 16 << 20

// TestForgotten is the life of a slot that nobody reads, as a real server was seen to
// have it: max_wal_size 4 segments, max_slot_wal_keep_size 6.
func TestForgotten(t *testing.T) {
	set := DefaultSettings()
	for _, x := range [][2]string{{"max_wal_size", "64MB"}, {"max_slot_wal_keep_size", "96MB"}, {"checkpoint_completion_target", "0"}} {
		if err := set.Set(x[0], x[1]); err != nil {
			t.Fatal(err)
		}
	}
	v := NewServer(set, seg)
	s := &Slot{Name: "forgotten", Restart: seg, Confirmed: seg}
	v.Slots = []*Slot{s}
	want := map[int]Status{1: Reserved, 6: Reserved, 7: Extended, 8: Unreserved, 9: Lost}
	for n := 1; n <= 10; n++ {
		v.Written = wal.LSN(n*seg + seg/2)
		if v.Written >= v.CheckpointAt() {
			v.Checkpoint(0, v.Written)
		}
		status, safe := v.Status(s)
		if w, ok := want[n]; ok && status != w {
			t.Errorf("in segment %d: %q, expected %q", n, status, w)
		}
		if (safe == nil) != (status == Lost) {
			t.Errorf("in segment %d: safe_wal_size %v with wal_status %q", n, safe, status)
		}
		// The slot's segment is lost at the end of the sixth after it.
		if safe != nil && *safe != int64(8*seg)-int64(v.Written) {
			t.Errorf("in segment %d: safe_wal_size %d, expected %d", n, *safe, int64(8*seg)-int64(v.Written))
		}
	}
	if s.Invalidated != WALRemoved || s.Restart != 0 {
		t.Errorf("%+v: expected it to be invalidated, as its WAL was removed", s)
	}
}

// TestRestart: restart_lsn moves only when what it was read off has been confirmed, and a
// candidate waits for the one before it.
func TestRestart(t *testing.T) {
	s := &Slot{Restart: 100, Confirmed: 100, CatalogXmin: 5}
	s.Running(200, nil, 7)
	if s.Restart != 100 || s.CatalogXmin != 5 {
		t.Errorf("nothing is confirmed: %+v", s)
	}
	s.Running(300, nil, 9) // it comes too early
	s.Confirm(250)
	if s.Restart != 200 || s.CatalogXmin != 7 || s.Confirmed != 250 {
		t.Errorf("the first is confirmed: %+v", s)
	}
	s.Confirm(400)
	if s.Restart != 200 {
		t.Errorf("the second was not kept: %+v", s)
	}
	s.Running(350, &Open{Restart: 300}, 10) // already confirmed: taken at once
	if s.Restart != 300 || s.CatalogXmin != 10 {
		t.Errorf("an open transaction holds it back: %+v", s)
	}
	s.Running(380, &Open{}, 11) // one that began before anything was seen
	if s.Restart != 300 || s.CatalogXmin != 11 {
		t.Errorf("nothing is known of the open transaction: %+v", s)
	}
}

// TestIdle: a slot that was idle for too long is given up at a checkpoint, an active one
// is not.
func TestIdle(t *testing.T) {
	set := DefaultSettings()
	if err := set.Set("idle_replication_slot_timeout", "1h"); err != nil {
		t.Fatal(err)
	}
	v := NewServer(set, seg)
	idle, active := &Slot{Restart: seg, InactiveSince: 10}, &Slot{Restart: seg, Active: true}
	v.Slots = []*Slot{idle, active}
	if lost := v.Checkpoint(3609, seg); len(lost) != 0 {
		t.Errorf("%d slots lost before the hour is over", len(lost))
	}
	if lost := v.Checkpoint(3610, seg); len(lost) != 1 || idle.Invalidated != IdleTimeout || active.Invalidated != Valid {
		t.Errorf("%v lost: idle %q, active %q", lost, idle.Invalidated, active.Invalidated)
	}
}

// TestSettings: what is wrong is said.
func TestSettings(t *testing.T) {
	for _, x := range [][2]string{{"wal_segment_size", "3MB"}, {"max_slot_wal_keep_size", "-2"}, {"checkpoint_timeout", "1s"}, {"shared_buffers", "1GB"}, {"synchronous_commit", "maybe"}} {
		s := DefaultSettings()
		if err := s.Set(x[0], x[1]); err == nil {
			t.Errorf("%s = %s is taken", x[0], x[1])
		}
	}
}

// TestRecycled: checkpoints a segment apart leave segments for the next ones, as far apart
// as those were (CheckPointDistanceEstimate); the first has no WAL before it.
func TestRecycled(t *testing.T) {
	s := DefaultSettings()
	v := NewServer(s, wal.LSN(10*s.SegmentSize))
	size := func(redo, written uint64) uint64 {
		v.Written = wal.LSN(written * s.SegmentSize)
		v.Checkpoint(0, wal.LSN(redo*s.SegmentSize))
		return v.Size() / s.SegmentSize
	}
	// WAL up to 30 + (1 + 0.9) * 20 * 1.1 = 71.8 segments is expected, so that all twenty
	// that are not needed any more, 10 to 29, become 33 to 52; 30 to 52 are there.
	if got := size(30, 32); got != 23 {
		t.Errorf("%d segments after a checkpoint 20 after the last, expected 23", got)
	}
	// The next one comes after two more: the estimate falls to 18.2 only, so that 30 and 31
	// become 53 and 54.
	if got := size(32, 33); got != 23 {
		t.Errorf("%d segments after a checkpoint 2 after the last, expected 23", got)
	}
}
