package apply

// Sequences, after sequence.c.

import (
	"fmt"
	"strings"

	"applysim/model/schema"
	"applysim/wal"
)

// sequenceLogValues is SEQ_LOG_VALS: so many numbers are logged in advance. Source:
// REL_18_1, src/backend/commands/sequence.c.
const sequenceLogValues = 32

// sequence is a local sequence.
type sequence struct {
	schema *schema.Sequence
	rel    wal.RelID

	last   int64
	called bool // last has been given out
	logged int64
	lsn    wal.LSN // of its page
	cached []int64 // numbers that the worker has drawn and not used yet
}

func (w *Worker) newSequence(s *schema.Sequence) sequence {
	return sequence{schema: s, rel: w.log.RegisterIn(s.Schema, s.Name), last: s.Start}
}

// restart sets a sequence back to its start, in a new file (ResetSequence).
func (w *Worker) restart(s *sequence) {
	s.last, s.called, s.logged, s.cached = s.schema.Start, false, 0, nil
	ref := wal.BlockRef{Role: "the sequence's page", Init: true}
	if s.schema.Unlogged {
		ref.Fork = wal.ForkInit
	}
	if d := w.log.Detail(); d != nil {
		d.First(ref, false)
	}
	if s.schema.Unlogged {
		w.log.InsertFork(wal.SequenceLog, s.rel, wal.ForkInit, 0, wal.Image{})
		return
	}
	s.lsn = w.log.Insert(wal.SequenceLog, s.rel, 0, 0)
}

// sequenceNamed finds a sequence by what nextval is called with.
func (w *Worker) sequenceNamed(name string) *sequence {
	space, bare, ok := strings.Cut(name, ".")
	if !ok {
		space, bare = "", name
	}
	space, bare = strings.Trim(space, `"`), strings.Trim(bare, `"`)
	for i := range w.sequences {
		s := w.sequences[i].schema
		if s.Name == bare && (s.Schema == space || space == "") {
			return &w.sequences[i]
		}
	}
	return nil
}

// nextval draws a number. Each so many numbers, and the first time after a
// checkpoint, a record says how far the sequence may have come (nextval_internal).
func (w *Worker) nextval(s *sequence) (int64, error) {
	w.lockRelation(s)
	if len(s.cached) > 0 {
		n := s.cached[0]
		s.cached = s.cached[1:]
		return n, nil
	}
	cache := max(s.schema.Cache, 1)
	fetch, logged, next := cache, s.logged, s.last
	var drawn []int64
	if !s.called {
		drawn = append(drawn, next)
		fetch--
	}
	log := false
	if logged < fetch || !s.called || s.lsn <= w.log.Redo() {
		fetch += sequenceLogValues
		logged, log = fetch, true
	}
	last := next
	for ; fetch > 0; fetch-- {
		n, wraps := s.after(next)
		if wraps && len(drawn) > 0 {
			break // what is there will do, whether or not it cycles
		}
		if wraps && !s.schema.Cycle {
			which, limit := "maximum", s.schema.MaxValue
			if s.schema.Increment < 0 {
				which, limit = "minimum", s.schema.MinValue
			}
			return 0, fmt.Errorf("nextval: reached %s value of sequence %q (%d)", which, s.schema.Name, limit)
		}
		next = n
		if int64(len(drawn)) < cache {
			logged--
			drawn = append(drawn, next)
			last = next
		}
	}
	logged -= fetch
	if log && !s.schema.Unlogged {
		w.needTopXID()
		if d := w.log.Detail(); d != nil {
			d.First(wal.BlockRef{Role: "the sequence's page", Init: true}, false)
		}
		s.lsn = w.log.Insert(wal.SequenceLog, s.rel, 0, 0)
	}
	s.last, s.called, s.logged = last, true, logged
	s.cached = drawn[1:]
	return drawn[0], nil
}

// after is the number that follows n, within the sequence's limits: beyond them it wraps
// around, if the sequence cycles.
func (s *sequence) after(n int64) (next int64, wraps bool) {
	q := s.schema
	if q.Increment > 0 {
		if n > q.MaxValue-q.Increment {
			return q.MinValue, true
		}
	} else if n < q.MinValue-q.Increment {
		return q.MaxValue, true
	}
	return n + q.Increment, false
}
