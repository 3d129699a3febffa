package recorded_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"path"
	"testing"

	"applysim/experiments/recorded"
)

// TestDamagedStreams loses, repeats and swaps messages of real streams: the worker
// may stop or refuse, but it must not panic, and what it has built must hold
// together.
func TestDamagedStreams(t *testing.T) {
	const longest = 3000 // messages
	fsys := recorded.Builtin()
	dirs, err := recorded.Find(fsys, ".")
	if err != nil {
		t.Fatal(err)
	}
	applied := int64(0)
	for i, dir := range dirs {
		if recorded.IsPublisher(fsys, dir) {
			continue // TestDamagedChanges
		}
		c, err := recorded.Open(fsys, dir)
		if err != nil {
			t.Fatal(err)
		}
		lines := streamLines(t, c)
		lines = lines[:min(len(lines), longest)]
		for seed := range uint64(3) {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			var damaged []byte
			for j := 0; j < len(lines); j++ {
				switch r.IntN(400) {
				case 0: // lost
				case 1:
					damaged = append(append(damaged, lines[j]...), lines[j]...)
				case 2:
					k := min(len(lines)-1, j+1+r.IntN(40))
					lines[j], lines[k] = lines[k], lines[j]
					damaged = append(damaged, lines[j]...)
				default:
					damaged = append(damaged, lines[j]...)
				}
			}
			w, err := c.Worker(nil)
			if err != nil {
				t.Fatal(err)
			}
			n, err := recorded.ApplyWith(w, bytes.NewReader(damaged), c.Events, false)
			applied += n
			if e := w.Check(); e != nil {
				t.Errorf("%s, seed %d: %v (after %v)", path.Base(dir), seed, e, err)
			}
		}
	}
	if applied < 50_000 {
		t.Errorf("only %d messages were applied, expected many before a worker stops", applied)
	}
}

// streamLines reads a case's stream, a message a line.
func streamLines(t *testing.T, c *recorded.Case) [][]byte {
	t.Helper()
	f, err := c.Stream()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.SplitAfter(b, []byte("\n"))
}
