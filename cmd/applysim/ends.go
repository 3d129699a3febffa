package main

import (
	"fmt"
	"io"
	"math"

	"applysim/experiments/table"
	"applysim/model/advise"
	"applysim/model/pipeline"
	"applysim/model/scenario"
)

// reportWithEnds is a report with what both ends take, for JSON.
type reportWithEnds struct {
	*scenario.Report
	Ends *pipeline.Ends `json:"both_ends,omitempty"`
}

// adviceWithEnds is advice likewise.
type adviceWithEnds struct {
	*advise.Report
	Ends *pipeline.Ends `json:"both_ends,omitempty"`
	Ways []pipeline.Way `json:"on_the_way,omitempty"`
}

// pipelineOf is what a scenario's pipeline is worked out with; nil if it has neither
// [publisher] nor [[subscription]], without a profile, or where replication stops.
func (o *runOptions) pipelineOf(s *scenario.Scenario, base *scenario.Result) (*pipeline.Options, error) {
	profile, err := readProfile(o.profile)
	if err != nil || profile == nil || base.Stopped != nil || s.Publisher == nil && len(s.Subscriptions) == 0 {
		return nil, err
	}
	options, err := o.options(s)
	if err != nil {
		return nil, err
	}
	return &pipeline.Options{Schema: options.Schema, Profile: profile, Limit: endsSample}, nil
}

// endsSample is how many changes of a scenario are simulated row by row for both ends.
const endsSample = 20_000

// bothEnds works out what a scenario takes at the publisher and at its subscribers.
func (o *runOptions) bothEnds(s *scenario.Scenario, r *scenario.Report) (*pipeline.Ends, error) {
	p, err := o.pipelineOf(s, r.Variants[0])
	if err != nil || p == nil {
		return nil, err
	}
	return pipeline.BothEnds(s, p)
}

// onTheWay works out both ends and what gets changes to the subscriber sooner, and what
// columns that are not published spare the publisher.
func (o *runOptions) onTheWay(s *scenario.Scenario, r *advise.Report) (*pipeline.Ends, []pipeline.Way, error) {
	p, err := o.pipelineOf(s, r.Base)
	if err != nil || p == nil {
		return nil, nil, err
	}
	ends, err := pipeline.BothEnds(s, p)
	if err != nil {
		return nil, nil, err
	}
	for _, x := range r.Advice {
		if x.Kind != "fewer columns" {
			continue
		}
		n, _ := r.Follow(x)
		with, err := pipeline.BothEnds(n, p)
		if err != nil {
			return nil, nil, err
		}
		for i := range with.Subscriptions {
			a, b := &ends.Subscriptions[i], &with.Subscriptions[i]
			if a.Bytes == b.Bytes {
				continue // it does not get the table
			}
			x.SideEffects = append(x.SideEffects, fmt.Sprintf("at the publisher: the stream of %s has %s a change instead of %s, its walsender takes %s instead of %s: it reads all of the row and leaves the column out; the WAL stays as it is",
				a.Name, amount(b.Bytes), amount(a.Bytes), lasting2(b.WalsenderS), lasting2(a.WalsenderS)))
		}
	}
	ways, err := pipeline.Ways(s, p)
	return ends, ways, err
}

// waysTable shows changes of the way to the subscriber.
func waysTable(ways []pipeline.Way) *table.Table {
	t := &table.Table{Title: "On the way to the subscriber: each line is a run in time with that change alone", Columns: []table.Column{
		{Name: "change"}, {Name: "most lag", Right: true}, {Name: "with it", Right: true}, {Name: "load", Right: true, Decimals: 1, Unit: " %"}, {Name: "with it", Right: true, Decimals: 1, Unit: " %"},
		{Name: "walsenders, cores", Right: true, Decimals: 3}, {Name: "with it", Right: true, Decimals: 3},
	}}
	for i := range ways {
		w := &ways[i]
		t.Add(w.Title, lasting(w.Before.MostLagS), lasting(w.After.MostLagS), 100*w.Before.Load, 100*w.After.Load, w.Before.WalsenderLoad, w.After.WalsenderLoad)
	}
	return t
}

// printWays says how to follow them.
func printWays(w io.Writer, ways []pipeline.Way, markdown bool) {
	for _, x := range ways {
		bold := ""
		if markdown {
			bold = "**"
		}
		fmt.Fprintf(w, "%s%s%s\n", bold, x.Title, bold)
		for _, sql := range x.SQL {
			fmt.Fprintf(w, "     %s\n", sql)
		}
		for _, text := range x.SideEffects {
			fmt.Fprintf(w, "   side effect: %s\n", text)
		}
		fmt.Fprintln(w)
	}
}

// endsTable shows both ends.
func endsTable(e *pipeline.Ends) *table.Table {
	t := &table.Table{
		Title: fmt.Sprintf("Both ends, a change on average at %s changes a second", table.Integer(int64(math.Round(e.Changes)))),
		Columns: []table.Column{
			{Name: "end"}, {Name: "CPU", Right: true}, {Name: "cores", Right: true, Decimals: 3}, {Name: "WAL", Right: true}, {Name: "WAL a second", Right: true},
			{Name: "stream", Right: true}, {Name: "kind"},
		},
	}
	backend, cores := any(nil), any(nil)
	if e.BackendS != nil {
		backend, cores = lasting2(*e.BackendS), float64(*e.BackendS*e.Changes)
	}
	t.Add("publisher: backends", backend, cores, amount(e.WALBytes), amount(e.WALPerS), nil, "CPU "+string(e.Kinds["backend"])+", WAL "+string(e.Kinds["bytes"]))
	cpu := "CPU " + string(e.Kinds["cpu"])
	for i := range e.Subscriptions {
		x := &e.Subscriptions[i]
		t.Add("publisher: walsender of "+x.Name, lasting2(x.WalsenderS), float64(x.WalsenderS*e.Changes), nil, nil, amount(x.Bytes), cpu+", stream "+string(e.Kinds["bytes"]))
		t.Add("subscriber: worker of "+x.Name, lasting2(x.ApplyS), float64(x.ApplyS*e.Changes), amount(x.WALBytes), amount(float64(x.WALBytes*e.Changes)), nil, cpu+", WAL "+string(e.Kinds["bytes"]))
	}
	return t
}
