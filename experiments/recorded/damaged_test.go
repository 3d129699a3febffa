package recorded_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"path"
	"slices"
	"testing"

	"applysim/experiments/recorded"
	"applysim/model/stream"
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
			continue // TestDamagedChanges has those
		}
		c, err := recorded.Open(fsys, dir)
		if err != nil {
			t.Fatal(err)
		}
		lines := streamLines(t, c)
		lines = lines[:min(len(lines), longest)]
		for seed := range uint64(3) {
			damaged := damage(lines, rand.New(rand.NewPCG(seed, uint64(i))))
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

// TestDamagedChanges is TestDamagedStreams for the changes of a publisher.
func TestDamagedChanges(t *testing.T) {
	fsys := recorded.Builtin()
	dirs, err := recorded.Find(fsys, ".")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for i, dir := range dirs {
		if !recorded.IsPublisher(fsys, dir) {
			continue
		}
		c, err := recorded.OpenPublisher(fsys, dir)
		if err != nil {
			t.Fatal(err)
		}
		f, err := c.Changes()
		if err != nil {
			t.Fatal(err)
		}
		lines := linesOf(t, f)
		for seed := range uint64(10) {
			damaged := damage(lines, rand.New(rand.NewPCG(seed, uint64(i))))
			in, err := stream.NewReader(bytes.NewReader(damaged), stream.DefaultOptions())
			if err != nil {
				t.Fatal(err)
			}
			b, run, err := c.Backend(nil, in)
			if err != nil {
				t.Fatal(err)
			}
			err = c.Run(run)
			ran++
			if e := b.Worker().Check(); e != nil {
				t.Errorf("%s, seed %d: %v (after %v)", path.Base(dir), seed, e, err)
			}
		}
	}
	if ran == 0 {
		t.Error("no case of a publisher is built in")
	}
}

// damage loses, repeats and swaps lines.
func damage(lines [][]byte, r *rand.Rand) (damaged []byte) {
	lines = slices.Clone(lines)
	for j := range lines {
		switch r.IntN(400) {
		case 0: // lost
			continue
		case 1:
			damaged = append(damaged, lines[j]...)
		case 2:
			k := min(len(lines)-1, j+1+r.IntN(40))
			lines[j], lines[k] = lines[k], lines[j]
		}
		damaged = append(damaged, lines[j]...)
	}
	return damaged
}

// streamLines reads a case's stream, a message a line.
func streamLines(t *testing.T, c *recorded.Case) [][]byte {
	t.Helper()
	f, err := c.Stream()
	if err != nil {
		t.Fatal(err)
	}
	return linesOf(t, f)
}

// linesOf are the lines of a packed stream, which it closes.
func linesOf(t *testing.T, f io.ReadCloser) [][]byte {
	t.Helper()
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
