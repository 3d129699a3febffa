package guc

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"applysim/heap/datum"
	"applysim/model/spelling"
	"applysim/wal"
	"applysim/wal/storage"
)

// Settings are the server settings that change what the worker writes. They go
// by PostgreSQL's own names.
type Settings struct {
	// ServerMajor is the first part of server_version: one of Versions.
	ServerMajor int
	// ServerMinor is the second part of server_version, 6 for 18.6, or that of the
	// release of 18 that came out on the same day.
	ServerMinor    int
	WALLevel       string // wal_level: "replica" or "logical"
	FullPageWrites bool   // full_page_writes
	DataChecksums  bool   // data_checksums (a property of the cluster)
	checksumsGiven bool   // data_checksums was set: the version's default does not matter
	WALLogHints    bool   // wal_log_hints
	// SynchronousCommit is synchronous_commit of the subscription's worker: commits
	// are flushed before the next transaction is applied.
	SynchronousCommit bool
	SharedBuffers     uint64 // shared_buffers, bytes
	// TrackCommitTimestamp is track_commit_timestamp.
	TrackCommitTimestamp bool
	// NoSynchronizedScans says that synchronize_seqscans is off.
	NoSynchronizedScans bool
	Vacuum              VacuumSettings
	Autovacuum          AutovacuumSettings
	// MaxParallelApplyWorkers is max_parallel_apply_workers_per_subscription.
	MaxParallelApplyWorkers int
	WALCompression          wal.Compression
	ToastCompression        datum.Method // default_toast_compression
	GINPendingListLimit     uint64       // gin_pending_list_limit, bytes
	SegmentSize             uint64       // wal_segment_size, bytes

	// What a Schedule goes by.
	CheckpointTimeout          time.Duration // checkpoint_timeout
	CheckpointCompletionTarget float64       // checkpoint_completion_target
	MaxWALSize                 uint64        // max_wal_size, bytes
	WALWriterDelay             time.Duration // wal_writer_delay
	WALWriterFlushAfter        uint64        // wal_writer_flush_after, bytes
}

// Defaults are those of a new PostgreSQL 18.
func Defaults() Settings {
	return Settings{
		ServerMajor: 18, ServerMinor: 1,
		WALLevel: "replica", FullPageWrites: true, DataChecksums: true, SegmentSize: 16 << 20, SharedBuffers: 128 << 20, Vacuum: defaultVacuum(),
		Autovacuum:              defaultAutovacuum(),
		MaxParallelApplyWorkers: 2, GINPendingListLimit: 4 << 20,
		CheckpointTimeout: 5 * time.Minute, CheckpointCompletionTarget: 0.9, MaxWALSize: 1 << 30,
		WALWriterDelay: 200 * time.Millisecond, WALWriterFlushAfter: 1 << 20,
	}
}

// Set changes one setting by its name in PostgreSQL. An unknown name is an
// error that names the nearest known one.
func (s *Settings) Set(name, value string) error {
	var err error
	switch key := strings.ToLower(name); key {
	case "server_version":
		s.ServerMajor, s.ServerMinor, err = ParseVersion(value)
		if !s.checksumsGiven {
			s.DataChecksums = s.ServerMajor >= versionChecksums
		}
	case "block_size":
		if strings.TrimSpace(value) != strconv.Itoa(storage.PageSize) {
			err = fmt.Errorf("not supported: expected %d", storage.PageSize)
		}
	case "wal_level":
		switch level := strings.ToLower(value); level {
		case "replica", "logical":
			s.WALLevel = level
		default:
			return fmt.Errorf("invalid value for parameter %q: %q: expected replica or logical", name, value)
		}
	case "full_page_writes":
		s.FullPageWrites, err = ParseBool(value)
	case "data_checksums":
		s.DataChecksums, err = ParseBool(value)
		s.checksumsGiven = true
	case "wal_log_hints":
		s.WALLogHints, err = ParseBool(value)
	case "track_commit_timestamp":
		s.TrackCommitTimestamp, err = ParseBool(value)
	case "synchronize_seqscans":
		s.NoSynchronizedScans, err = ParseBool(value)
		s.NoSynchronizedScans = !s.NoSynchronizedScans
	case "synchronous_commit":
		s.SynchronousCommit, err = ParseSynchronousCommit(value)
	case "default_toast_compression":
		switch strings.ToLower(value) {
		case "pglz":
			s.ToastCompression = datum.PGLZ
		case "lz4":
			s.ToastCompression = datum.LZ4
		default:
			return fmt.Errorf("invalid value for parameter %q: %q: expected pglz or lz4", name, value)
		}
	case "gin_pending_list_limit":
		s.GINPendingListLimit, err = ParseSize(value, 1<<10, 64<<10, math.MaxInt32<<10)
	case "wal_compression":
		s.WALCompression, err = parseCompression(value)
	case "shared_buffers":
		s.SharedBuffers, err = ParseSize(value, storage.PageSize, 16*storage.PageSize, 1<<43)
	case "max_parallel_apply_workers_per_subscription":
		s.MaxParallelApplyWorkers, err = strconv.Atoi(strings.TrimSpace(value))
		if err != nil || s.MaxParallelApplyWorkers < 0 || s.MaxParallelApplyWorkers > 1024 {
			err = fmt.Errorf("expected a number from 0 to 1024")
		}
	case "wal_segment_size":
		s.SegmentSize, err = parseBytes(value)
		if err == nil && (s.SegmentSize < 1<<20 || s.SegmentSize > 1<<30 || s.SegmentSize&(s.SegmentSize-1) != 0) {
			err = fmt.Errorf("expected a power of two from 1MB to 1GB")
		}
	case "checkpoint_timeout":
		s.CheckpointTimeout, err = ParseTime(value, time.Second, 30*time.Second, 24*time.Hour)
	case "checkpoint_completion_target":
		s.CheckpointCompletionTarget, err = strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || !(s.CheckpointCompletionTarget >= 0 && s.CheckpointCompletionTarget <= 1) {
			err = fmt.Errorf("expected a number from 0 to 1")
		}
	case "max_wal_size":
		s.MaxWALSize, err = ParseSize(value, 1<<20, 2<<20, 1<<51)
	case "wal_writer_delay":
		s.WALWriterDelay, err = ParseTime(value, time.Millisecond, time.Millisecond, 10*time.Second)
	case "wal_writer_flush_after":
		s.WALWriterFlushAfter, err = ParseSize(value, wal.WALPageSize, 0, 1<<44)
	case "archive_timeout":
		if strings.TrimLeft(value, "0") != "" {
			err = fmt.Errorf("not supported: expected 0, as segments that are switched early are not modelled")
		}
	default:
		if OfVacuum(key) {
			err = s.Vacuum.set(key, value)
		} else if slices.Contains(autovacuumNames, key) {
			err = s.Autovacuum.set(key, value)
		} else if !ignored[key] {
			if near := nearest(key); spelling.Distance(key, near) <= len(near)/2 {
				return fmt.Errorf("unrecognized configuration parameter %q (nearest known: %s)", name, near)
			}
			return fmt.Errorf("unrecognized configuration parameter %q: expected one that the model goes by, such as full_page_writes", name)
		}
	}
	if err != nil {
		return fmt.Errorf("invalid value for parameter %q: %q: %w", name, value, err)
	}
	return nil
}

// HasNoEffect says whether a known setting changes nothing that is modelled.
func HasNoEffect(name string) bool { return ignored[strings.ToLower(name)] }

// minorsBefore is how many minor releases of a major version there had been when the
// first one of 18 came out: what changes in all of them changes on the same day.
var minorsBefore = map[int]int{18: 0, 17: 6, 16: 10, 15: 14}

// Defaults that have changed: initdb makes clusters with data checksums, and a
// subscription has streaming = parallel, in place of off.
const (
	versionChecksums = 18
	versionParallel  = 18
)

// ParallelByDefault says whether a new subscription applies streamed transactions by
// parallel workers.
func (s *Settings) ParallelByDefault() bool { return s.ServerMajor >= versionParallel }

// Versions are the major versions that are modelled.
const Versions = "15, 16, 17 or 18"

// lastMinor is the last minor release of 18 that is modelled.
const lastMinor = 6

// ParseVersion reads server_version, as in 18.6 (Debian 18.6-3), and returns the major
// version and the minor release of 18 that came out on the same day; a major version
// alone stands for the release of the day of 18.1.
func ParseVersion(value string) (major, minor int, err error) {
	number, _, _ := strings.Cut(strings.TrimSpace(value), " ")
	first, rest, dotted := strings.Cut(number, ".")
	major, err = strconv.Atoi(first)
	before, known := minorsBefore[major]
	if err != nil || !known {
		return 0, 0, fmt.Errorf("not supported: expected %s, the versions that are modelled", Versions)
	}
	if !dotted {
		return major, Defaults().ServerMinor, nil
	}
	if minor, err = strconv.Atoi(rest); err != nil || minor < 0 {
		return 0, 0, fmt.Errorf("expected a version such as 18.1")
	}
	if minor-before > lastMinor {
		return 0, 0, fmt.Errorf("not supported: expected at most %d.%d, the last release that is modelled", major, lastMinor+before)
	}
	return major, minor - before, nil
}

// parseCompression reads wal_compression: a method, or on for pglz.
func parseCompression(s string) (wal.Compression, error) {
	switch strings.ToLower(s) {
	case "pglz":
		return wal.PGLZ, nil
	case "lz4":
		return wal.LZ4, nil
	case "zstd":
		return wal.ZSTD, nil
	}
	on, err := ParseBool(s)
	if err != nil {
		return 0, fmt.Errorf("expected off, on, pglz, lz4 or zstd")
	}
	if on {
		return wal.PGLZ, nil
	}
	return wal.NoCompression, nil
}

// ParseSynchronousCommit says whether a commit waits until its record is flushed.
func ParseSynchronousCommit(s string) (bool, error) {
	switch strings.ToLower(s) {
	case "local", "remote_write", "remote_apply":
		return true, nil
	}
	on, err := ParseBool(s)
	if err != nil {
		return false, fmt.Errorf("expected local, remote_write, remote_apply, on or off")
	}
	return on, nil
}

// ParseBool reads a Boolean as PostgreSQL does: any unambiguous beginning of
// true, false, yes, no, on, off, or 1 and 0.
func ParseBool(s string) (bool, error) {
	v := strings.ToLower(s)
	switch {
	case v == "":
	case v == "1", strings.HasPrefix("true", v), strings.HasPrefix("yes", v), v == "on":
		return true, nil
	case v == "0", strings.HasPrefix("false", v), strings.HasPrefix("no", v), len(v) > 1 && strings.HasPrefix("off", v):
		return false, nil
	}
	return false, fmt.Errorf("expected a Boolean value")
}

// parseBytes reads a size with PostgreSQL's memory units; bytes without one.
func parseBytes(s string) (uint64, error) {
	s = strings.TrimSpace(s)
	n := strings.TrimRight(s, "kMGTB")
	v, err := strconv.ParseUint(strings.TrimSpace(n), 10, 40)
	if err != nil {
		return 0, fmt.Errorf("expected a size such as 16MB")
	}
	switch s[len(n):] {
	case "", "B":
	case "kB":
		v <<= 10
	case "MB":
		v <<= 20
	case "GB":
		v <<= 30
	case "TB":
		v <<= 40
	default:
		return 0, fmt.Errorf("expected one of the units B, kB, MB, GB and TB")
	}
	return v, nil
}

// nearest returns the known setting with the least edit distance from name.
func nearest(name string) string {
	known := []string{"server_version", "wal_level", "full_page_writes", "data_checksums", "wal_log_hints", "wal_segment_size", "synchronous_commit", "shared_buffers", "max_parallel_apply_workers_per_subscription", "wal_compression", "default_toast_compression",
		"checkpoint_timeout", "checkpoint_completion_target", "max_wal_size", "wal_writer_delay", "wal_writer_flush_after", "track_commit_timestamp", "synchronize_seqscans", "archive_timeout"}
	known = append(known, vacuumNames...)
	known = append(known, autovacuumNames...)
	for k := range ignored {
		known = append(known, k)
	}
	return spelling.Nearest(name, known)
}
