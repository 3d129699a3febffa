package background

// When checkpoints happen, after xlog.c (CalculateCheckpointSegments,
// XLogCheckpointNeeded) and checkpointer.c (CheckpointerMain).

import (
	"time"

	"applysim/model/apply"
	"applysim/model/guc"
	"applysim/model/stream"
	"applysim/wal"
)

// idleRetry is how soon the checkpointer looks again after it had nothing to do.
// Source: REL_18_1, src/backend/postmaster/checkpointer.c, CheckpointerMain.
const idleRetry = 15 * time.Second

// CheckpointSegments returns after how many WAL segments a checkpoint is started,
// so that all WAL since the one before stays below max_wal_size while the
// checkpoint itself goes on: sizes in bytes, completionTarget is
// checkpoint_completion_target.
func CheckpointSegments(maxWALSize, segmentSize uint64, completionTarget float64) int {
	return max(1, int(float64(maxWALSize/segmentSize)/(1+completionTarget)))
}

// CheckpointCause says what starts checkpoints.
type CheckpointCause string

// The causes.
const (
	ByWAL  CheckpointCause = "max_wal_size"
	ByTime CheckpointCause = "checkpoint_timeout"
)

// CheckpointInterval returns how often a server with these settings makes a
// checkpoint if it writes so many bytes of WAL a second all the time, and why.
// segments is how many WAL segments the WAL trigger is worth.
func CheckpointInterval(s *guc.Settings, bytesPerSecond float64) (segments int, interval time.Duration, cause CheckpointCause) {
	segments = CheckpointSegments(s.MaxWALSize, s.SegmentSize, s.CheckpointCompletionTarget)
	if bytesPerSecond > 0 {
		seconds := float64(segments) * float64(s.SegmentSize) / bytesPerSecond
		if seconds < s.CheckpointTimeout.Seconds() {
			return segments, time.Duration(seconds * float64(time.Second)), ByWAL
		}
	}
	return segments, s.CheckpointTimeout, ByTime
}

// Schedule is what other processes than the worker do beside a stream by the
// clock. A change stream has no other clock than the commit times of its
// transactions: each is taken to be applied at the moment when it was committed.
type Schedule struct {
	// Checkpoints says that checkpoints are made as checkpoint_timeout and
	// max_wal_size ask for. A checkpoint is taken to write all pages at once, as if
	// checkpoint_completion_target only moved the WAL trigger.
	Checkpoints bool
	// WALWriter says that the WAL writer flushes asynchronous commits; see
	// walwriter.go.
	WALWriter bool
	// Planned are the moments of checkpoints, where those of another run are made
	// again, whatever the settings ask for; nil for checkpoints by the settings.
	Planned []time.Time

	// Made are the checkpoints so far.
	Made []MadeCheckpoint

	w        *apply.Worker
	segments wal.LSN
	redo     wal.LSN   // redo pointer for which
	due      wal.LSN   // this is where the WAL asks for a checkpoint
	now      time.Time // commit time of the transaction that was begun last
	last     time.Time // of the last checkpoint
	written  int64     // records so far when it was made
	writer   walWriter
}

// MadeCheckpoint is a checkpoint of a Schedule.
type MadeCheckpoint struct {
	At    time.Time
	Cause CheckpointCause
}

// NewSchedule returns a schedule for a worker with nothing switched on.
func NewSchedule(w *apply.Worker) *Schedule {
	s := w.Settings()
	return &Schedule{w: w, segments: wal.LSN(CheckpointSegments(s.MaxWALSize, s.SegmentSize, s.CheckpointCompletionTarget))}
}

// Before does what is due before a message is applied.
func (s *Schedule) Before(m *stream.Message) {
	moved := false
	switch m.Kind {
	case stream.KindBegin, stream.KindBeginPrepare, stream.KindStreamCommit:
		moved = true
		now := m.Time.Time()
		if s.now.IsZero() {
			s.now, s.last = now, now
			s.written = s.w.Log().Total().Records
		}
		if now.After(s.now) {
			s.now = now
		}
		if s.Checkpoints && s.Planned != nil {
			s.planned()
		} else if s.Checkpoints {
			s.timed()
		}
	}
	if s.WALWriter {
		s.writer.run(s.w, s.now, moved)
	}
	if s.Checkpoints && s.Planned == nil {
		s.filled()
	}
}

// planned makes the checkpoints whose moments have come.
func (s *Schedule) planned() {
	for len(s.Planned) > 0 && !s.Planned[0].After(s.now) {
		s.checkpoint(s.Planned[0], ByTime)
		s.Planned = s.Planned[1:]
	}
}

// BeforeEvent does what is due before a command that runs on the subscriber between
// two messages. It has no time of its own: it is taken to come in a pause, when the
// WAL writer has caught up.
func (s *Schedule) BeforeEvent() {
	if s.WALWriter {
		s.w.Flush(s.w.Log().LSN())
	}
}

// timed makes the checkpoint that checkpoint_timeout asks for. One that has
// nothing to do is passed over and tried again soon.
func (s *Schedule) timed() {
	timeout := s.w.Settings().CheckpointTimeout
	for due := s.last.Add(timeout); !due.After(s.now); due = s.last.Add(timeout) {
		if s.w.Log().Total().Records != s.written {
			s.checkpoint(due, ByTime)
			continue
		}
		tries := s.now.Sub(due)/idleRetry + 1
		s.last = due.Add(tries*idleRetry - timeout)
	}
}

// filled makes the checkpoint that max_wal_size asks for: when the last of so many
// segments has been written to its end.
func (s *Schedule) filled() {
	if redo := s.w.Log().Redo(); s.due == 0 || redo != s.redo {
		size := wal.LSN(s.w.Settings().SegmentSize)
		s.redo, s.due = redo, (redo/size+s.segments)*size
	}
	if s.w.Log().LSN() >= s.due {
		s.checkpoint(s.now, ByWAL)
	}
}

func (s *Schedule) checkpoint(at time.Time, cause CheckpointCause) {
	s.w.Checkpoint(false)
	s.Made = append(s.Made, MadeCheckpoint{at, cause})
	s.last, s.written = at, s.w.Log().Total().Records
}
