package slots

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"applysim/model/guc"
	"applysim/model/spelling"
)

// Settings are those of a publisher that decide how long WAL is kept. They go by
// PostgreSQL's names.
type Settings struct {
	SegmentSize       uint64        // wal_segment_size, bytes
	MaxWALSize        uint64        // max_wal_size, bytes
	KeepSize          uint64        // wal_keep_size, bytes
	MaxSlotKeepSize   int64         // max_slot_wal_keep_size, bytes; -1 for no limit
	IdleTimeout       time.Duration // idle_replication_slot_timeout; 0 for none
	CheckpointTimeout time.Duration // checkpoint_timeout
	CompletionTarget  float64       // checkpoint_completion_target
	DecodingWorkMem   uint64        // logical_decoding_work_mem, bytes
	SenderTimeout     time.Duration // wal_sender_timeout; 0 for none
	StatusInterval    time.Duration // wal_receiver_status_interval of the subscriber
}

// DefaultSettings are those of a new PostgreSQL 18.
func DefaultSettings() Settings {
	return Settings{
		SegmentSize: 16 << 20, MaxWALSize: 1 << 30, MaxSlotKeepSize: -1,
		CheckpointTimeout: 5 * time.Minute, CompletionTarget: 0.9,
		DecodingWorkMem: 64 << 20, SenderTimeout: time.Minute, StatusInterval: 10 * time.Second,
	}
}

// Names are the settings that Set knows.
var Names = []string{
	"checkpoint_completion_target", "checkpoint_timeout", "idle_replication_slot_timeout", "logical_decoding_work_mem", "max_slot_wal_keep_size",
	"max_wal_size", "wal_keep_size", "wal_receiver_status_interval", "wal_segment_size", "wal_sender_timeout",
}

// Set changes one setting by its name in PostgreSQL. A setting of the server that this
// does not depend on is an error, too.
func (s *Settings) Set(name, value string) error {
	const mb, tb = 1 << 20, 1 << 40
	var err error
	switch strings.ToLower(name) {
	case "wal_segment_size":
		var n uint64
		n, err = guc.ParseSize(value, 1, mb, 1<<30)
		if err == nil && n&(n-1) != 0 {
			err = fmt.Errorf("expected a power of two from 1MB to 1GB")
		}
		s.SegmentSize = n
	case "max_wal_size":
		s.MaxWALSize, err = guc.ParseSize(value, mb, 2*mb, 2048*tb)
	case "wal_keep_size":
		s.KeepSize, err = guc.ParseSize(value, mb, 0, 2048*tb)
	case "max_slot_wal_keep_size":
		if strings.TrimSpace(value) == "-1" {
			s.MaxSlotKeepSize = -1
			break
		}
		var n uint64
		n, err = guc.ParseSize(value, mb, 0, 2048*tb)
		s.MaxSlotKeepSize = int64(n)
	case "idle_replication_slot_timeout":
		s.IdleTimeout, err = guc.ParseTime(value, time.Second, 0, 1<<31*time.Second)
	case "checkpoint_timeout":
		s.CheckpointTimeout, err = guc.ParseTime(value, time.Second, 30*time.Second, 24*time.Hour)
	case "checkpoint_completion_target":
		if s.CompletionTarget, err = strconv.ParseFloat(strings.TrimSpace(value), 64); err != nil || !(s.CompletionTarget >= 0 && s.CompletionTarget <= 1) {
			err = fmt.Errorf("expected a number from 0 to 1")
		}
	case "logical_decoding_work_mem":
		s.DecodingWorkMem, err = guc.ParseSize(value, 1<<10, 64<<10, 2*tb)
	case "wal_sender_timeout":
		s.SenderTimeout, err = guc.ParseTime(value, time.Millisecond, 0, 24*24*time.Hour)
	case "wal_receiver_status_interval":
		s.StatusInterval, err = guc.ParseTime(value, time.Second, 0, 24*24*time.Hour)
	default:
		return fmt.Errorf("unknown setting %q of the publisher: expected one that the pipeline depends on (nearest: %s)", name, spelling.Nearest(strings.ToLower(name), Names))
	}
	if err != nil {
		return fmt.Errorf("invalid value for parameter %q: %q: %w", name, value, err)
	}
	return nil
}
