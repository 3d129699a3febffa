package guc_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"applysim/heap/datum"
	"applysim/model/guc"
	"applysim/wal"
)

func TestSettings(t *testing.T) {
	for _, c := range []struct {
		name, value string
		field       string // of Settings
		want        any
	}{
		{"wal_level", "logical", "WALLevel", "logical"},
		{"WAL_LEVEL", "replica", "WALLevel", "replica"},
		{"wal_level", "Logical", "WALLevel", "logical"},
		{"full_page_writes", "off", "FullPageWrites", false},
		{"full_page_writes", "on", "FullPageWrites", true},
		{"full_page_writes", "f", "FullPageWrites", false},
		{"data_checksums", "0", "DataChecksums", false},
		{"data_checksums", "TRUE", "DataChecksums", true},
		{"wal_log_hints", "yes", "WALLogHints", true},
		{"wal_log_hints", "n", "WALLogHints", false},
		{"synchronous_commit", "on", "SynchronousCommit", true},
		{"synchronous_commit", "off", "SynchronousCommit", false},
		{"synchronous_commit", "OFF", "SynchronousCommit", false},
		{"synchronous_commit", "local", "SynchronousCommit", true},
		{"synchronous_commit", "remote_apply", "SynchronousCommit", true},
		{"synchronous_commit", "false", "SynchronousCommit", false},
		{"shared_buffers", "128MB", "SharedBuffers", uint64(128 << 20)},
		{"shared_buffers", "1GB", "SharedBuffers", uint64(1 << 30)},
		{"shared_buffers", "16384", "SharedBuffers", uint64(128 << 20)}, // in blocks
		{"shared_buffers", "128 kB", "SharedBuffers", uint64(128 << 10)},
		{"wal_segment_size", "16MB", "SegmentSize", uint64(16 << 20)},
		{"wal_segment_size", "1048576", "SegmentSize", uint64(1 << 20)},
		{"wal_segment_size", "1GB", "SegmentSize", uint64(1 << 30)},
		{"wal_compression", "on", "WALCompression", wal.PGLZ},
		{"wal_compression", "pglz", "WALCompression", wal.PGLZ},
		{"wal_compression", "lz4", "WALCompression", wal.LZ4},
		{"wal_compression", "zstd", "WALCompression", wal.ZSTD},
		{"wal_compression", "off", "WALCompression", wal.NoCompression},
		{"default_toast_compression", "lz4", "ToastCompression", datum.LZ4},
		{"default_toast_compression", "pglz", "ToastCompression", datum.PGLZ},
		{"checkpoint_timeout", "5min", "CheckpointTimeout", 5 * time.Minute},
		{"checkpoint_timeout", "300", "CheckpointTimeout", 5 * time.Minute},
		{"checkpoint_completion_target", "0.5", "CheckpointCompletionTarget", 0.5},
		{"max_wal_size", "1GB", "MaxWALSize", uint64(1 << 30)},
		{"max_wal_size", "512", "MaxWALSize", uint64(512 << 20)}, // in MB
		{"wal_writer_delay", "200ms", "WALWriterDelay", 200 * time.Millisecond},
		{"wal_writer_flush_after", "1MB", "WALWriterFlushAfter", uint64(1 << 20)},
		{"wal_writer_flush_after", "128", "WALWriterFlushAfter", uint64(1 << 20)}, // in WAL pages
	} {
		var s guc.Settings
		if err := s.Set(c.name, c.value); err != nil {
			t.Errorf("%s = %s: %v", c.name, c.value, err)
			continue
		}
		if got := reflect.ValueOf(s).FieldByName(c.field).Interface(); got != c.want {
			t.Errorf("%s = %s: %v, expected %v", c.name, c.value, got, c.want)
		}
	}
}

// Settings that change nothing are accepted and do nothing.
func TestIgnoredSettings(t *testing.T) {
	for _, name := range []string{"fsync", "max_wal_senders", "Port"} {
		s := guc.Defaults()
		if err := s.Set(name, "whatever"); err != nil || s != guc.Defaults() {
			t.Errorf("%s: %v, settings %+v", name, err, s)
		}
	}
}

func TestSettingsErrors(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"wal_level", "minimal", `invalid value for parameter "wal_level": "minimal": expected replica or logical`},
		{"full_page_writes", "maybe", `invalid value for parameter "full_page_writes": "maybe": expected a Boolean value`},
		{"full_page_writes", "", `invalid value for parameter "full_page_writes": "": expected a Boolean value`},
		{"full_page_writes", "o", `invalid value for parameter "full_page_writes": "o": expected a Boolean value`},
		{"wal_segment_size", "17MB", `invalid value for parameter "wal_segment_size": "17MB": expected a power of two from 1MB to 1GB`},
		{"wal_segment_size", "512kB", `invalid value for parameter "wal_segment_size": "512kB": expected a power of two from 1MB to 1GB`},
		{"wal_segment_size", "2GB", `invalid value for parameter "wal_segment_size": "2GB": expected a power of two from 1MB to 1GB`},
		{"wal_compression", "zip", `invalid value for parameter "wal_compression": "zip": expected off, on, pglz, lz4 or zstd`},
		{"wal_lvel", "logical", `unrecognized configuration parameter "wal_lvel" (nearest known: wal_level)`},
		{"fullpage_writes", "on", `unrecognized configuration parameter "fullpage_writes" (nearest known: full_page_writes)`},
		{"Shared_Bufers", "1GB", `unrecognized configuration parameter "Shared_Bufers" (nearest known: shared_buffers)`},
	} {
		s := guc.Defaults()
		err := s.Set(c.name, c.value)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s = %s: %v, expected %s", c.name, c.value, err, c.want)
		}
	}
	// Whatever the exact words: these must not pass.
	for name, values := range map[string][]string{
		"synchronous_commit":           {"banana", ""},
		"shared_buffers":               {"", "lots", "-1", "128XB", "128mb", "0"},
		"wal_segment_size":             {"16MBMB", "16M", "x"},
		"default_toast_compression":    {"zstd", ""},
		"checkpoint_timeout":           {"1s", "2d", "5 minutes", ""},
		"checkpoint_completion_target": {"2", "-0.1", "x", "NaN"},
		"max_wal_size":                 {"1MB", "x"},
		"wal_writer_delay":             {"0", "11s"},
	} {
		for _, v := range values {
			s := guc.Defaults()
			if err := s.Set(name, v); err == nil {
				t.Errorf("%s = %q is accepted", name, v)
			} else if !strings.Contains(err.Error(), fmt.Sprintf("invalid value for parameter %q", name)) {
				t.Errorf("%s = %q: %v", name, v, err)
			}
		}
	}
}

// Minor releases of older versions count as those of 18 that came out with them.
func TestServerVersion(t *testing.T) {
	type version struct{ major, minor int }
	for value, want := range map[string]version{
		"18": {18, 1}, "18.1": {18, 1}, "18.6 (Debian 18.6-3)": {18, 6}, "17.10": {17, 4}, "17": {17, 1},
		"16.14": {16, 4}, "16": {16, 1}, "15.18": {15, 4}, "14": {}, "18beta1": {}, "18.x": {}, "": {},
	} {
		s := guc.Defaults()
		err := s.Set("server_version", value)
		if want.major == 0 && err == nil || want.major != 0 && (err != nil || s.ServerMajor != want.major || s.ServerMinor != want.minor) {
			t.Errorf("%q: version %d, minor release %d, error %v", value, s.ServerMajor, s.ServerMinor, err)
		}
	}
}

// A cluster has data checksums by default since 18, whatever was set otherwise.
func TestChecksumsByVersion(t *testing.T) {
	for _, c := range []struct {
		set  []string
		want bool
	}{
		{nil, true}, {[]string{"server_version", "17"}, false}, {[]string{"server_version", "18.3"}, true},
		{[]string{"data_checksums", "on", "server_version", "16"}, true},
		{[]string{"server_version", "16", "data_checksums", "on"}, true},
		{[]string{"server_version", "16", "server_version", "18"}, true},
	} {
		s := guc.Defaults()
		for i := 0; i < len(c.set); i += 2 {
			if err := s.Set(c.set[i], c.set[i+1]); err != nil {
				t.Fatal(err)
			}
		}
		if s.DataChecksums != c.want {
			t.Errorf("%v: data checksums %v", c.set, s.DataChecksums)
		}
	}
}

// Values that the model has no rules for are refused.
func TestSettingsBeyondTheModel(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"server_version", "18.99", `invalid value for parameter "server_version": "18.99": not supported: expected at most 18.6, the last release that is modelled`},
		{"server_version", "17.99", `invalid value for parameter "server_version": "17.99": not supported: expected at most 17.12, the last release that is modelled`},
		{"block_size", "4096", `invalid value for parameter "block_size": "4096": not supported: expected 8192`},
		{"block_size", "8192", ""},
		{"archive_timeout", "60", `invalid value for parameter "archive_timeout": "60": not supported: expected 0, as segments that are switched early are not modelled`},
		{"foo", "1", `unrecognized configuration parameter "foo": expected one that the model goes by, such as full_page_writes`},
		{"full_page_write", "on", `unrecognized configuration parameter "full_page_write" (nearest known: full_page_writes)`},
	} {
		s := guc.Defaults()
		got := ""
		if err := s.Set(c.name, c.value); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s = %s: got %q, expected %q", c.name, c.value, got, c.want)
		}
	}
	if guc.HasNoEffect("full_page_writes") || !guc.HasNoEffect("FSYNC") {
		t.Error("HasNoEffect: full_page_writes has one, fsync has none")
	}
}

// TestSettingsUnits reads values with units, and says what is wrong with others.
func TestSettingsUnits(t *testing.T) {
	var s guc.Settings
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
