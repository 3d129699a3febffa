package report

import (
	"fmt"
	"strings"

	"applysim/model/pipeline"
)

// ends shows what a change takes at both ends.
func (p *page) ends(e *pipeline.Ends) {
	if e == nil {
		return
	}
	s := p.add("ends", "Both ends", fmt.Sprintf("What a change takes on average, at %s changes a second: the publisher's backends write its WAL, a walsender for each subscription decodes and sends it, a worker applies it.", number(e.Changes, 0)))
	g := &grid{Head: heads("end", ">CPU", ">cores", ">WAL", ">WAL a second", ">stream", "kind")}
	cpu, cores := "not told", ""
	if e.BackendS != nil {
		cpu, cores = duration(*e.BackendS), number(times(*e.BackendS, e.Changes), 3)
	}
	bytes, seconds := string(e.Kinds["bytes"]), string(e.Kinds["cpu"])
	g.Rows = append(g.Rows, []cell{text("publisher: backends"), num(cpu), num(cores), num(size(e.WALBytes)), num(size(e.WALPerS)), num(""), text("CPU " + string(e.Kinds["backend"]) + ", WAL " + bytes)})
	wal := []bar{{name: "publisher", values: []value{{parts: []float64{e.WALPerS}, there: true}}}}
	var work []bar
	if e.BackendS != nil {
		work = append(work, bar{name: "backends", values: []value{{parts: []float64{times(*e.BackendS, e.Changes)}, there: true}}})
	}
	for i := range e.Subscriptions {
		x := &e.Subscriptions[i]
		send, apply := times(x.WalsenderS, e.Changes), times(x.ApplyS, e.Changes)
		g.Rows = append(g.Rows,
			[]cell{text("publisher: walsender of " + x.Name), num(duration(x.WalsenderS)), num(number(send, 3)), num(""), num(""), num(size(x.Bytes)), text("CPU " + seconds + ", stream " + bytes)},
			[]cell{text("subscriber: worker of " + x.Name), num(duration(x.ApplyS)), num(number(apply, 3)), num(size(x.WALBytes)), num(size(times(x.WALBytes, e.Changes))), num(""), text("CPU " + seconds + ", WAL " + bytes)})
		work = append(work, bar{name: "walsender of " + x.Name, values: []value{{parts: []float64{send}, there: true}}}, bar{name: "worker of " + x.Name, values: []value{{parts: []float64{apply}, there: true}}})
		wal = append(wal, bar{name: "subscriber of " + x.Name, values: []value{{parts: []float64{times(x.WALBytes, e.Changes)}, there: true}}})
	}
	s.Tables = append(s.Tables, g)
	s.Charts = append(s.Charts, bars("CPU at both ends, cores", work, []string{"cpu"}, func(f float64) string { return number(f, 3) }),
		bars("WAL at both ends, a second", wal, []string{"rest"}, size))
}

// ways lists how changes get to the subscriber sooner.
func (p *page) ways(all []pipeline.Way) {
	if len(all) == 0 {
		return
	}
	s := p.add("ways", "On the way to the subscriber", "Each is a run in time with that change alone.")
	g := &grid{Head: heads("change", ">most lag", ">with it", ">load", ">with it")}
	for i := range all {
		w := &all[i]
		g.Rows = append(g.Rows, []cell{text(w.Title), num(duration(w.Before.MostLagS)), num(duration(w.After.MostLagS)), num(percent(w.Before.Load)), num(percent(w.After.Load))})
		s.Pieces = append(s.Pieces, piece{ID: fmt.Sprintf("way-%d", i+1), Heading: w.Title, DDL: strings.Join(w.SQL, ";\n"), Lists: []list{{Heading: "Side effects", Items: w.SideEffects}}})
	}
	s.Tables = append(s.Tables, g)
}
