package recorded

import (
	"errors"
	"testing"

	"applysim/model/apply"
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
			continue // TestPublisherDetails
		}
		t.Run(dir, func(t *testing.T) {
			c, err := Open(Builtin(), dir)
			if err != nil {
				t.Fatal(err)
			}
			complaints := 0
			var w *apply.Worker
			complain := func(format string, args ...any) {
				if complaints++; complaints <= 3 {
					t.Errorf(format, args...)
				}
			}
			w, err = c.Worker(func(r *wal.Record) {
				if r.Detail == nil {
					return // rows before the run
				}
				sum, image := 0, 0
				for _, p := range r.Detail.Parts {
					if sum += p.Bytes; p.Name == wal.Unnamed {
						complain("%s: %d bytes have no name: %v", Line(w.Log(), r), p.Bytes, r.Detail.Parts)
					}
				}
				for _, b := range r.Detail.Blocks {
					image += b.Image.Length
				}
				if sum != r.Length || image != r.FPI {
					complain("%s: the pieces have %d bytes, the images %d: %v", Line(w.Log(), r), sum, image, r.Detail.Parts)
				}
				if r.Relation != wal.NoRelation && (len(r.Detail.Blocks) == 0 || r.Detail.Blocks[0].Fork != r.Fork) {
					complain("%s: blocks %v", Line(w.Log(), r), r.Detail.Blocks)
				}
			})
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
