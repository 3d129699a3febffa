package background

import (
	"testing"
	"time"

	"applysim/model/apply"
	"applysim/model/guc"
	"applysim/model/schema"
	"applysim/wal"
)

// TestWALWriter follows the rhythm: full pages after wal_writer_delay, the rest when
// nothing was added, at once when wal_writer_flush_after is reached.
func TestWALWriter(t *testing.T) {
	const page = wal.WALPageSize
	start := time.Unix(1000, 0)
	w, err := apply.New(&schema.Database{}, apply.Options{Settings: guc.Defaults(), Start: 10 * page})
	if err != nil {
		t.Fatal(err)
	}
	var f walWriter
	for i, x := range []struct {
		ms   int
		end  wal.LSN
		want wal.LSN
	}{
		{0, 10*page + 100, 0},                        // the rhythm begins
		{100, 12*page + 100, 0},                      // too soon
		{199, 13*page + 100, 0},                      //
		{200, 13*page + 200, 13 * page},              // full pages only
		{300, 13*page + 300, 13 * page},              // too soon again
		{400, 13*page + 400, 13*page + 400},          // no full page to flush: everything
		{500, 14 * page, 13*page + 400},              //
		{900, 14*page + 80, 14*page + 80},            // two rounds: everything
		{910, 14*page + 1<<20, 14*page + 1<<20},      // enough written
		{920, 14*page + 2<<20 - 1, 14*page + 1<<20},  // not quite
		{1200, 14*page + 2<<20 - 1, 13*page + 2<<20}, // full pages
	} {
		w.Log().MoveTo(x.end)
		f.run(w, start.Add(time.Duration(x.ms)*time.Millisecond), true)
		if w.Flushed() != x.want {
			t.Errorf("step %d, after %d ms: flushed to %v, expected %v", i, x.ms, w.Flushed(), x.want)
		}
	}
}
