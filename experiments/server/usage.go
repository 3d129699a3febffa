package server

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Usage is what a process has taken so far.
type Usage struct {
	Total time.Duration // of CPU, to the nanosecond
	// System is the kernel's part of it. The kernel keeps the sum exactly and finds the parts
	// by looking at each of its clock ticks, 100 a second or more, what the process is in.
	System time.Duration
	// Sleeps are how often the process has gone to sleep (voluntary context switches).
	Sleeps int64
}

// Sub is what came since before.
func (u Usage) Sub(before Usage) Usage {
	return Usage{u.Total - before.Total, u.System - before.System, u.Sleeps - before.Sleeps}
}

// ticksPerSecond are those of the times in /proc/PID/stat (USER_HZ).
const ticksPerSecond = 100

// UsageOf is what a process has taken so far. It is an error if there is none, and where
// the system has no /proc.
func UsageOf(pid int) (Usage, error) {
	var u Usage
	folder := fmt.Sprintf("/proc/%d", pid)
	stat, err := os.ReadFile(filepath.Join(folder, "stat"))
	if err != nil {
		return u, err
	}
	// The name, in parentheses, may hold anything.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 13 {
		return u, fmt.Errorf("%s/stat: %d fields after the name, expected 13 or more", folder, len(fields))
	}
	user, err1 := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	text, err3 := os.ReadFile(filepath.Join(folder, "schedstat"))
	if err1 != nil || err2 != nil || err3 != nil {
		return u, fmt.Errorf("%s: expected times in stat and schedstat", folder)
	}
	var ns int64
	if _, err := fmt.Sscan(string(text), &ns); err != nil {
		return u, fmt.Errorf("%s/schedstat: %w", folder, err)
	}
	u.Total = time.Duration(ns)
	if sum := user + system; sum > 0 {
		u.System = time.Duration(float64(ns) * float64(system) / float64(sum))
	}
	status, err := os.ReadFile(filepath.Join(folder, "status"))
	if err != nil {
		return u, err
	}
	if _, rest, ok := strings.Cut(string(status), "\nvoluntary_ctxt_switches:"); ok {
		line, _, _ := strings.Cut(rest, "\n")
		u.Sleeps, _ = strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	}
	return u, nil
}

// UsageAtEnd is what a process has taken that has ended and was waited for.
func UsageAtEnd(s *os.ProcessState) Usage {
	return Usage{s.UserTime() + s.SystemTime(), s.SystemTime(), sleeps(s)}
}

// Program makes a command that runs one of the installation's programs as the server's
// account, in the cluster's folder.
func (c *Cluster) Program(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(c.program(name), args...)
	c.enter(cmd)
	cmd.Dir = c.inside(c.dir)
	c.account.prepare(cmd, signalImmediate)
	return cmd
}

// Superuser is the database user of clusters.
const Superuser = superuser
