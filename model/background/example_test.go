package background_test

import (
	"fmt"

	"applysim/model/background"
	"applysim/model/guc"
)

// A server that writes 147 MB of WAL a second with max_wal_size = 20GB.
func ExampleCheckpointInterval() {
	s := guc.Defaults()
	s.MaxWALSize = 20 << 30
	segments, interval, cause := background.CheckpointInterval(&s, 147<<20)
	fmt.Printf("%d segments, every %.0f s, by %s\n", segments, interval.Seconds(), cause)
	// Output: 673 segments, every 73 s, by max_wal_size
}
