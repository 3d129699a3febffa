//go:build !unix

package index_test

import "time"

var started = time.Now()

// cpuTime is the time that has passed, where CPU time is not at hand.
func cpuTime() time.Duration { return time.Since(started) }
