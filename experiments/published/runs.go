package published

import (
	"errors"
	"io"
	"sync"

	"applysim/experiments/workload"
	"applysim/model/apply"
	"applysim/model/cost"
	"applysim/model/publisher"
	"applysim/model/stream"
	"applysim/wal"
)

// Clients is the number of clients of the published runs.
const Clients = 8

// run is one simulated run of the workload.
type run struct {
	indexes int // secondary indexes
	clients int // that interleave
	binary  bool
}

// outcome is what a run wrote.
type outcome struct {
	total int64
	parts []Part
	usage *cost.Usage // the worker's work
	sent  *cost.Usage // and the walsender's
}

// Part is the WAL of one relation, or of all commits, in bytes.
type Part struct {
	Name    string `json:"name"`
	Records int64  `json:"records"`
	Bytes   int64  `json:"bytes"`
}

// workload is the run's workload.
func (r run) workload(o Options) workload.Options {
	w := workload.DefaultOptions()
	w.Rows, w.Seed, w.Clients, w.Binary = o.Rows, o.Seed, r.clients, r.binary
	return w
}

func (r run) do(o Options) (*outcome, error) { return r.on(workload.Schema(r.indexes), o) }

// applyCounting applies a stream and counts what a walsender would have done for it.
func applyCounting(w *apply.Worker, r io.Reader) (*cost.Usage, error) {
	in, err := stream.NewReader(r, stream.DefaultOptions())
	if err != nil {
		return nil, err
	}
	var c publisher.Counter
	var m stream.Message
	for {
		if err := in.Next(&m); errors.Is(err, io.EOF) {
			return c.Usage(), nil
		} else if err != nil {
			return nil, err
		}
		c.Add(&m)
		if err := w.Apply(&m); err != nil {
			return nil, err
		}
	}
}

// parts sums the records of each relation; those of none are split into commits
// and the rest.
func parts(log *wal.Log) *outcome {
	o := &outcome{total: log.Total().Bytes}
	sum := func(name string, rel wal.RelID, wanted func(wal.RecordType) bool) {
		var c wal.Count
		for t := range wal.NumRecordTypes {
			if wanted(wal.RecordType(t)) {
				c.Add(log.Count(rel, wal.RecordType(t)))
			}
		}
		if c.Records > 0 {
			o.parts = append(o.parts, Part{name, c.Records, c.Bytes})
		}
	}
	all := func(wal.RecordType) bool { return true }
	for rel := range log.Relations() {
		sum(log.Name(wal.RelID(rel)), wal.RelID(rel), all)
	}
	sum("commits", wal.NoRelation, func(t wal.RecordType) bool { return t == wal.TransactionCommit })
	sum("other", wal.NoRelation, func(t wal.RecordType) bool { return t != wal.TransactionCommit })
	return o
}

// doAll does the runs at the same time; each has a subscriber of its own.
func doAll(list []run, o Options) (map[run]*outcome, error) {
	outcomes := make([]*outcome, len(list))
	errs := make([]error, len(list))
	var wg sync.WaitGroup
	slots := make(chan struct{}, o.Parallel)
	for i, r := range list {
		wg.Go(func() {
			slots <- struct{}{}
			outcomes[i], errs[i] = r.do(o)
			<-slots
		})
	}
	wg.Wait()
	done := map[run]*outcome{}
	for i, r := range list {
		if errs[i] != nil {
			return nil, errs[i]
		}
		done[r] = outcomes[i]
	}
	return done, nil
}
