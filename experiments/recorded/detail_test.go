package recorded

import (
	"errors"
	"testing"

	"applysim/model/apply"
	"applysim/model/stream"
	"applysim/wal"
)

// TestDetails checks on every built-in case that the named pieces of each record add up
// to its length, and that no piece is without a name.
func TestDetails(t *testing.T) {
	dirs, err := Find(Builtin(), ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		if IsPublisher(Builtin(), dir) {
			continue // TestPublisherDetails has those
		}
		t.Run(dir, func(t *testing.T) {
			c, err := Open(Builtin(), dir)
			if err != nil {
				t.Fatal(err)
			}
			var w *apply.Worker
			w, err = c.Worker(checkDetails(t, func() *wal.Log { return w.Log() }))
			var unsupported *apply.UnsupportedError
			if errors.As(err, &unsupported) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			w.Log().Details(true)
			var stop *apply.StopError
			if _, err := c.Run(w); err != nil && !errors.As(err, &stop) {
				t.Fatal(err)
			}
		})
	}
}

// TestPublisherDetails is TestDetails for the cases of a publisher.
func TestPublisherDetails(t *testing.T) {
	dirs, err := Find(Builtin(), ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		if !IsPublisher(Builtin(), dir) {
			continue
		}
		t.Run(dir, func(t *testing.T) {
			c, err := OpenPublisher(Builtin(), dir)
			if err != nil {
				t.Fatal(err)
			}
			f, err := c.Changes()
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			in, err := stream.NewReader(f, stream.DefaultOptions())
			if err != nil {
				t.Fatal(err)
			}
			var w *apply.Worker
			b, run, err := c.Backend(checkDetails(t, func() *wal.Log { return w.Log() }), in)
			if err != nil {
				t.Fatal(err)
			}
			w = b.Worker()
			w.Log().Details(true)
			if err := c.Run(run); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// checkDetails is a sink that complains about records whose pieces do not add up.
func checkDetails(t *testing.T, log func() *wal.Log) wal.Sink {
	complaints := 0
	complain := func(format string, args ...any) {
		if complaints++; complaints <= 3 {
			t.Errorf(format, args...)
		}
	}
	return func(r *wal.Record) {
		if r.Detail == nil {
			return // rows before the run
		}
		sum, image := 0, 0
		for _, p := range r.Detail.Parts {
			if sum += p.Bytes; p.Name == wal.Unnamed {
				complain("%s: %d bytes have no name: %v", Line(log(), r), p.Bytes, r.Detail.Parts)
			}
		}
		for _, b := range r.Detail.Blocks {
			image += b.Image.Length
		}
		if sum != r.Length || image != r.FPI {
			complain("%s: the pieces have %d bytes, the images %d: %v", Line(log(), r), sum, image, r.Detail.Parts)
		}
		if r.Relation != wal.NoRelation && (len(r.Detail.Blocks) == 0 || r.Detail.Blocks[0].Fork != r.Fork) {
			complain("%s: blocks %v", Line(log(), r), r.Detail.Blocks)
		}
	}
}
