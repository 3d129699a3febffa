package background_test

import (
	"math"
	"testing"
	"time"

	"applysim/model/background"
	"applysim/model/guc"
	"applysim/model/stream"
	"applysim/wal"
)

// TestCheckpointInterval has the published trigger arithmetic, and its limits.
func TestCheckpointInterval(t *testing.T) {
	const mb = 1 << 20
	for _, x := range []struct {
		size, target, timeout string
		rate                  float64 // MB/s
		segments              int
		seconds               float64 // rounded
		cause                 background.CheckpointCause
	}{
		{"3GB", "0.9", "15min", 147, 101, 11, background.ByWAL},
		{"20GB", "0.9", "15min", 147, 673, 73, background.ByWAL},
		{"20GB", "0.9", "1min", 147, 673, 60, background.ByTime},
		{"1GB", "0", "5min", 64, 64, 16, background.ByWAL},
		{"1GB", "0.9", "5min", 0, 33, 300, background.ByTime},
		{"2MB", "0.9", "5min", 16, 1, 1, background.ByWAL},
		{"3072", "0.9", "900", 147, 101, 11, background.ByWAL},
	} {
		s := guc.Defaults()
		for name, value := range map[string]string{
			"max_wal_size": x.size, "checkpoint_completion_target": x.target, "checkpoint_timeout": x.timeout,
		} {
			if err := s.Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
		segments, interval, cause := background.CheckpointInterval(&s, x.rate*mb)
		if segments != x.segments || math.Round(interval.Seconds()) != x.seconds || cause != x.cause {
			t.Errorf("%+v: got %d segments, %v, %s", x, segments, interval, cause)
		}
	}
}

// at is a begin or commit message at so many seconds.
func at(kind stream.Kind, seconds float64) stream.Message {
	return stream.Message{Kind: kind, Time: stream.Timestamp(seconds * 1e6)}
}

// TestScheduleByTime makes checkpoints by checkpoint_timeout: none without WAL
// since the last one, and then soon after there is some.
func TestScheduleByTime(t *testing.T) {
	o := options()
	o.Settings.CheckpointTimeout = time.Minute
	s := subscribe(t, "create table t(id int primary key)", o)
	schedule := background.NewSchedule(s.Worker)
	schedule.Checkpoints = true
	for _, x := range []struct {
		seconds float64
		write   bool
		want    int // checkpoints so far
	}{
		{0, true, 0}, {59.9, false, 0}, {60, false, 1}, {119, false, 1}, {600, true, 1}, {615, true, 2}, {674, false, 2},
		{10000, true, 3}, {10001, false, 3}, {10016, false, 4},
	} {
		m := at(stream.KindBegin, x.seconds)
		schedule.Before(&m)
		if x.write {
			s.Log().InsertPlain(wal.TransactionCommit, 0)
		}
		if got := len(s.Log().Marks()); got != x.want {
			t.Errorf("after %v s: %d checkpoints, expected %d", x.seconds, got, x.want)
		}
	}
}

// TestScheduleByWAL makes checkpoints by max_wal_size: one each time that so many
// segments are full.
func TestScheduleByWAL(t *testing.T) {
	o := options()
	if err := o.Settings.Set("max_wal_size", "96MB"); err != nil { // 6 segments, 3 of them between checkpoints
		t.Fatal(err)
	}
	s := subscribe(t, "create table t(id int primary key)", o)
	schedule := background.NewSchedule(s.Worker)
	schedule.Checkpoints = true
	m := at(stream.KindBegin, 1)
	schedule.Before(&m)
	const segment = 16 << 20
	for range 100 {
		s.Log().Skip(segment / 8)
		m := at(stream.KindInsert, 0)
		schedule.Before(&m)
	}
	marks := s.Log().Marks()
	if len(marks) != 4 {
		t.Fatalf("%d checkpoints, expected 4 in 12.5 segments", len(marks))
	}
	for i, m := range marks {
		if got, want := m.Redo/segment, o.Start/segment+wal.LSN(3*i+3); got != want {
			t.Errorf("checkpoint %d begins in segment %d, expected %d", i, got, want)
		}
	}
	// Switched off, nothing happens.
	schedule.Checkpoints = false
	s.Log().Skip(10 * segment)
	schedule.Before(&m)
	if len(s.Log().Marks()) != 4 {
		t.Error("a checkpoint although none are asked for")
	}
}
