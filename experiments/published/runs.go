package published

import (
	"fmt"
	"strings"
	"sync"

	"applysim/experiments/recorded"
	"applysim/experiments/workload"
	"applysim/model/apply"
	"applysim/model/schema"
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
}

// Part is the WAL of one relation, or of all commits, in bytes.
type Part struct {
	Name    string `json:"name"`
	Records int64  `json:"records"`
	Bytes   int64  `json:"bytes"`
}

func (r run) do(o Options) (*outcome, error) {
	w := workload.DefaultOptions()
	w.Rows, w.Seed, w.Clients, w.Binary = o.Rows, o.Seed, r.clients, r.binary
	g, err := workload.NewGenerator(w)
	if err != nil {
		return nil, err
	}
	db, err := schema.Read(strings.NewReader(workload.Schema(r.indexes)), "events.sql")
	if err != nil {
		return nil, err
	}
	s := apply.DefaultSettings()
	s.WALLevel = "logical"
	s.FullPageWrites = false // as in the published runs
	worker, err := apply.New(db, apply.Options{Settings: s, NextXID: w.FirstXid})
	if err != nil {
		return nil, err
	}
	if _, err := recorded.Apply(worker, g); err != nil {
		return nil, fmt.Errorf("the generated workload: %w", err)
	}
	return parts(worker.Log()), nil
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
