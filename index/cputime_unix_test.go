//go:build unix

package index_test

import (
	"syscall"
	"time"
)

// cpuTime is the CPU time, user and system, that the process has taken: on a busy
// machine it says more than the clock does.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
