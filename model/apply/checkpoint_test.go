package apply_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"applysim/model/apply"
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
		cause                 apply.CheckpointCause
	}{
		{"3GB", "0.9", "15min", 147, 101, 11, apply.ByWAL},
		{"20GB", "0.9", "15min", 147, 673, 73, apply.ByWAL},
		{"20GB", "0.9", "1min", 147, 673, 60, apply.ByTime},
		{"1GB", "0", "5min", 64, 64, 16, apply.ByWAL},
		{"1GB", "0.9", "5min", 0, 33, 300, apply.ByTime},
		{"2MB", "0.9", "5min", 16, 1, 1, apply.ByWAL},
		{"3072", "0.9", "900", 147, 101, 11, apply.ByWAL},
	} {
		s := apply.DefaultSettings()
		for name, value := range map[string]string{
			"max_wal_size": x.size, "checkpoint_completion_target": x.target, "checkpoint_timeout": x.timeout,
		} {
			if err := s.Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
		segments, interval, cause := s.CheckpointInterval(x.rate * mb)
		if segments != x.segments || math.Round(interval.Seconds()) != x.seconds || cause != x.cause {
			t.Errorf("%+v: got %d segments, %v, %s", x, segments, interval, cause)
		}
	}
}

// TestSettingsUnits reads values with units, and says what is wrong with others.
func TestSettingsUnits(t *testing.T) {
	var s apply.Settings
	for _, x := range []struct {
		name, value string
		got         func() any
		want        any
	}{
		{"checkpoint_timeout", "5min", func() any { return s.CheckpointTimeout }, 5 * time.Minute},
		{"checkpoint_timeout", "90", func() any { return s.CheckpointTimeout }, 90 * time.Second},
		{"checkpoint_timeout", " 0.5 h ", func() any { return s.CheckpointTimeout }, 30 * time.Minute},
		{"checkpoint_timeout", "30400ms", func() any { return s.CheckpointTimeout }, 30 * time.Second},
		{"max_wal_size", "3GB", func() any { return s.MaxWALSize }, uint64(3 << 30)},
		{"max_wal_size", "512", func() any { return s.MaxWALSize }, uint64(512 << 20)},
		{"max_wal_size", "2048kB", func() any { return s.MaxWALSize }, uint64(2 << 20)},
		{"checkpoint_completion_target", "0.5", func() any { return s.CheckpointCompletionTarget }, 0.5},
		{"wal_writer_delay", "10", func() any { return s.WALWriterDelay }, 10 * time.Millisecond},
		{"wal_writer_flush_after", "128", func() any { return s.WALWriterFlushAfter }, uint64(1 << 20)},
	} {
		if err := s.Set(x.name, x.value); err != nil || x.got() != x.want {
			t.Errorf("%s = %q: got %v, %v, expected %v", x.name, x.value, x.got(), err, x.want)
		}
	}
	for _, x := range []struct{ name, value, want string }{
		{"checkpoint_timeout", "10s", "expected a time from 30s to 24h0m0s"},
		{"checkpoint_timeout", "2 weeks", "expected one of the units us, ms, s, min, h and d"},
		{"checkpoint_timeout", "min", "expected a time such as 30s or 5min"},
		{"max_wal_size", "1MB", "expected a size from"},
		{"max_wal_size", "3 gb", "expected one of the units B, kB, MB, GB and TB"},
		{"checkpoint_completion_target", "1.1", "expected a number from 0 to 1"},
		{"checkpoint_completion_target", "NaN", "expected a number from 0 to 1"},
	} {
		if err := s.Set(x.name, x.value); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s = %q: got %v, expected ... %s", x.name, x.value, err, x.want)
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
	schedule := apply.NewSchedule(s.Worker)
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
	schedule := apply.NewSchedule(s.Worker)
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
