package synccommit

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"applysim/model/guc"
	"applysim/model/spelling"
)

// Settings are those of a publisher that decide when a client is answered. They go by
// PostgreSQL's names.
type Settings struct {
	Level            Level         // synchronous_commit
	Names            StandbyNames  // synchronous_standby_names
	CommitDelay      time.Duration // commit_delay
	CommitSiblings   int           // commit_siblings
	WriterDelay      time.Duration // wal_writer_delay
	WriterFlushAfter uint64        // wal_writer_flush_after, bytes
	SenderTimeout    time.Duration // wal_sender_timeout
}

// DefaultSettings are those of a new PostgreSQL 18.
func DefaultSettings() Settings {
	return Settings{Level: On, CommitSiblings: DefaultCommitSiblings, WriterDelay: 200 * time.Millisecond, WriterFlushAfter: DefaultWriterFlushAfter, SenderTimeout: time.Minute}
}

// SettingNames are the settings that Set knows.
var SettingNames = []string{
	"commit_delay", "commit_siblings", "synchronous_commit", "synchronous_standby_names", "wal_sender_timeout", "wal_writer_delay", "wal_writer_flush_after",
}

// Set changes one setting by its name in PostgreSQL, and checks it as the server does.
func (s *Settings) Set(name, value string) error {
	var err error
	whole := func(most int64) int64 {
		var n int64
		if n, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64); err != nil || n < 0 || n > most {
			err = fmt.Errorf("expected a whole number from 0 to %d", most)
		}
		return n
	}
	switch strings.ToLower(name) {
	case "synchronous_commit":
		v := strings.ToLower(value)
		switch v { // as any of PostgreSQL's switches may be written
		case "true", "yes", "1":
			v = "on"
		case "false", "no", "0":
			v = "off"
		}
		s.Level, err = ParseLevel(v)
	case "synchronous_standby_names":
		s.Names, err = ParseStandbyNames(value)
	case "commit_delay":
		s.CommitDelay = time.Duration(whole(100_000)) * time.Microsecond
	case "commit_siblings":
		s.CommitSiblings = int(whole(1000))
	case "wal_writer_delay":
		s.WriterDelay, err = guc.ParseTime(value, time.Millisecond, time.Millisecond, 10*time.Second)
	case "wal_writer_flush_after":
		s.WriterFlushAfter, err = guc.ParseSize(value, walPage, 0, 1<<31*walPage)
	case "wal_sender_timeout":
		s.SenderTimeout, err = guc.ParseTime(value, time.Millisecond, 0, 24*24*time.Hour)
	default:
		return fmt.Errorf("unknown setting %q: expected one that commits depend on (nearest: %s)", name, spelling.Nearest(strings.ToLower(name), SettingNames))
	}
	if err != nil {
		return fmt.Errorf("invalid value for parameter %q: %q: %w", name, value, err)
	}
	return nil
}

// Apply gives a setup these settings.
func (v *Settings) Apply(s *Setup) {
	s.Level, s.Names = v.Level, v.Names
	s.CommitDelay, s.CommitSiblings = v.CommitDelay.Seconds(), v.CommitSiblings
	s.WriterDelay, s.WriterFlushAfter = v.WriterDelay.Seconds(), float64(v.WriterFlushAfter)
	s.SenderTimeout = v.SenderTimeout.Seconds()
}
