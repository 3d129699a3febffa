package recorded

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"applysim/model/apply"
	"applysim/model/backend"
	"applysim/model/stream"
	"applysim/wal"
)

// Verify replays the case in a folder, a subscriber's or a publisher's, and compares it
// with its recording. The error is about the case's files; whatever the comparison finds
// is in the result.
func Verify(fsys fs.FS, dir string) (*Result, error) {
	if IsPublisher(fsys, dir) {
		c, err := OpenPublisher(fsys, dir)
		if err != nil {
			return nil, err
		}
		return c.Verify()
	}
	c, err := Open(fsys, dir)
	if err != nil {
		return nil, err
	}
	return c.Verify()
}

// Backend returns a session of the publisher in the state in which the recording began,
// with what runs the case's SQL and changes on it.
func (c *PublisherCase) Backend(sink wal.Sink, changes *stream.Reader) (*apply.Backend, *backend.Runner, error) {
	db, err := c.Schema()
	if err != nil {
		return nil, nil, err
	}
	s, err := c.Server()
	if err != nil {
		return nil, nil, err
	}
	e, err := c.Expected()
	if err != nil {
		return nil, nil, err
	}
	start, err := wal.ParseLSN(e.StartLSN)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: start_lsn: %w", c.file("expected.json"), err)
	}
	next := e.NextXID
	if next == 0 {
		next = firstPublisherXID
	}
	b, err := apply.NewBackend(db, apply.Options{Settings: s, Start: start, NextXID: next, NextOID: e.NextOID, NextMultiXact: e.NextMulti, NextMultiOffset: e.NextOffset, Sink: sink, Exact: true})
	if err != nil {
		return nil, nil, err
	}
	r := backend.NewRunner(b, db, changes)
	r.Quiet = true
	return b, r, nil
}

// firstPublisherXID is about the transaction with which the recording of a publisher
// begins: a new cluster, and some DDL. It decides only when a page of the commit log is
// begun.
const firstPublisherXID = 760

// Run carries out the case's SQL and changes.
func (c *PublisherCase) Run(r *backend.Runner) error {
	script, err := c.script()
	if err != nil {
		return err
	}
	err = r.Run(script)
	if m := r.Message(); err != nil {
		return located(err, m)
	}
	return nil
}

// script is the case's SQL.
func (c *PublisherCase) script() (*backend.Script, error) {
	return backend.ReadScript(c.SQL, func(i int) string { return fmt.Sprintf("%s: sql %d", c.file("case.json"), i+1) })
}

// Verify compares what carrying the case out writes, as Case.Verify does, and what its
// slots make of it, with the recording.
func (c *PublisherCase) Verify() (*Result, error) {
	r, err := c.verifyWAL()
	if err != nil {
		return nil, err
	}
	return r, c.verifySlots(r)
}

// verifyWAL carries the case out and compares the records.
func (c *PublisherCase) verifyWAL() (*Result, error) {
	r := &Result{Name: c.Name, StateDifferences: []string{}}
	records, err := c.Records()
	if err != nil {
		return nil, err
	}
	expected, err := c.Expected()
	if err != nil {
		return nil, err
	}
	settings, err := c.Server()
	if err != nil {
		return nil, err
	}
	for _, x := range records {
		if !x.Background() {
			r.Records.Expected++
			r.Bytes.Expected += int64(x.Length)
		}
	}
	k := &comparison{
		expected: records, result: r, files: map[string]string{}, toastByTable: true, logical: settings.WALLevel == "logical",
		together: func() bool { return false },
	}
	for _, x := range exceptionKinds {
		if x.applies(c.Settings) {
			k.allowed = append(k.allowed, x)
		}
	}
	f, err := c.Changes()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in, err := stream.NewReader(f, stream.DefaultOptions())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.file("changes.tsv.gz"), err)
	}
	b, run, err := c.Backend(k.see, in)
	if err == nil {
		k.log = b.Worker().Log()
		k.skipBackground()
		err = c.Run(run)
	}
	var unsupported *apply.UnsupportedError
	if errors.As(err, &unsupported) {
		r.Outcome, r.Unsupported, r.FirstDifference = Unsupported, unsupported.What, nil
		return r, nil
	}
	var stop *apply.StopError
	if errors.As(err, &stop) {
		k.state("%v", stop)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", c.dir, err)
	}
	k.finish()
	if r.FirstDifference == nil {
		if got := k.log.InsertLSN().String(); got != expected.EndLSN {
			k.state("end_lsn: expected %s, got %s", expected.EndLSN, got)
		}
	}
	if err := b.Worker().Check(); err != nil {
		k.state("%v", err)
	}
	for _, table := range sortedKeys(b.Doubts) {
		k.state("table %s: %d rows changed to which the statements' scans do not come: %s", table, b.Doubts[table], strings.Join(run.Doubts, "; "))
	}
	r.settle()
	return r, nil
}
