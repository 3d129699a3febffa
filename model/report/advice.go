package report

import (
	"fmt"
	"io"
	"strings"

	"applysim/model/advise"
	"applysim/model/pipeline"
	"applysim/model/scenario"
)

// Advice writes what to change, and what it saves. ends and ways are what both ends take and
// how changes get there sooner; both may be nil.
func Advice(w io.Writer, r *advise.Report, ends *pipeline.Ends, ways []pipeline.Way) error {
	p := &page{Title: "What to change: " + r.Scenario}
	if r.Variant != "base" {
		p.Title += ", variant " + r.Variant
	}
	cpu := ""
	if r.Base.CPUS != nil {
		cpu = " and " + duration(*r.Base.CPUS) + " of the apply worker's CPU"
	}
	p.Lead = append(p.Lead, fmt.Sprintf("As it is, %s changes take %s of WAL%s (seed %d). Each piece of advice is a run of the same workload with that change alone.", whole(r.Base.Changes), size(float64(r.Base.WALBytes)), cpu, r.Seed))
	if r.Screening != nil {
		p.Lead = append(p.Lead, "It was "+r.Screening.String()+".")
	}
	if r.Base.Stopped != nil {
		p.Lead = append(p.Lead, "Replication would stop: "+r.Base.Stopped.Error)
	}
	p.problems(r)
	p.ranked(r)
	if r.Combination != nil {
		p.combination(r.Combination)
	}
	p.ways(ways)
	p.rejected(r)
	p.ends(ends)
	p.summary([]*scenario.Result{r.Base}, r.Kinds)
	p.costs([]*scenario.Result{r.Base})
	p.details(r.Base, false)
	p.assumptions(r.Kinds, []*scenario.Result{r.Base}, r.Assumptions, r.Warnings)
	return p.write(w)
}

func (p *page) problems(r *advise.Report) {
	if len(r.Problems) == 0 {
		return
	}
	s := p.add("problems", "Updates and deletes that cannot be replicated")
	for _, x := range r.Problems {
		l := list{Heading: x.Table + ": " + x.What}
		for _, remedy := range x.Remedies {
			l.Items = append(l.Items, "on the "+remedy.On+": "+remedy.SQL)
		}
		if x.Assumed != "" {
			l.Items = append(l.Items, "assumed: "+x.Assumed)
		}
		s.Lists = append(s.Lists, l)
	}
}

// adviceHeads are the columns of what is saved.
func adviceHeads(first string) []cell {
	return heads(">", first, ">saves WAL, bytes", ">of all", ">CPU, ms", ">of all", ">lag, s", ">HOT", ">kB")
}

func adviceRow(n, title string, s *advise.Saves) []cell {
	return []cell{num(n), text(title), num(whole(s.WALBytes)), num(optional(s.WALShare, 100, 1, " %")), num(optional(s.CPUS, 1000, 2, "")), num(optional(s.CPUShare, 100, 1, " %")),
		num(optional(s.LagS, 1, 1, "")), num(optional(s.HOTAfter, 100, 1, " %")), num(whole(s.SizeBytes / 1024))}
}

// mostPieces is how many pieces of advice are drawn.
const mostPieces = 15

func (p *page) ranked(r *advise.Report) {
	s := p.add("advice", "Advice")
	if len(r.Advice) == 0 {
		s.Text = append(s.Text, "Nothing that was tried saves anything.")
		return
	}
	g := &grid{Head: adviceHeads("advice")}
	var wal, cpu []bar
	for i, x := range r.Advice {
		g.Rows = append(g.Rows, adviceRow(fmt.Sprint(i+1), x.Title, &x.Saves))
		if i < mostPieces {
			name := fmt.Sprintf("%d. %s", i+1, x.Title)
			for _, c := range []struct {
				to    *[]bar
				share *float64
			}{{&wal, x.Saves.WALShare}, {&cpu, x.Saves.CPUShare}} {
				if c.share != nil {
					*c.to = append(*c.to, bar{name: name, values: []value{{parts: []float64{*c.share}, there: true}}})
				}
			}
		}
	}
	s.Charts = append(s.Charts, bars("WAL saved, share of all", wal, []string{"rest"}, percent))
	if len(cpu) > 0 {
		s.Charts = append(s.Charts, bars("CPU saved, share of all", cpu, []string{"cpu"}, percent))
	}
	s.Tables = append(s.Tables, g)
	for i, x := range r.Advice {
		y := piece{ID: fmt.Sprintf("advice-%d", i+1), Heading: fmt.Sprintf("%d. %s", i+1, x.Title), DDL: x.DDL}
		y.Figures = fmt.Sprintf("saves %s of WAL (%s)", size(float64(x.Saves.WALBytes)), optional(x.Saves.WALShare, 100, 1, " %"))
		if x.By == advise.ByPart {
			y.Figures = "by its tables alone, " + y.Figures
		} else if x.By == advise.BySample {
			y.Figures = "by a sample of the tables, " + y.Figures
		}
		if x.Saves.CPUS != nil {
			y.Figures += fmt.Sprintf(" and %s of CPU (%s)", duration(*x.Saves.CPUS), optional(x.Saves.CPUShare, 100, 1, " %"))
		}
		if a, b := x.Saves.HOTBefore, x.Saves.HOTAfter; a != nil && b != nil && *a != *b {
			y.Figures += fmt.Sprintf("; HOT updates %s before, %s with it", percent(*a), percent(*b))
		}
		if len(x.SideEffects) > 0 {
			y.Lists = append(y.Lists, list{Heading: "Side effects", Items: x.SideEffects})
		}
		if len(x.Unknown) > 0 {
			y.Lists = append(y.Lists, list{Heading: "Cannot be known here", Items: x.Unknown})
		}
		if len(x.Instead) > 0 {
			var names []string
			for _, n := range x.Instead {
				names = append(names, fmt.Sprint(n))
			}
			y.Lists = append(y.Lists, list{Heading: "Instead of", Items: []string{"number " + strings.Join(names, ", ")}})
		}
		s.Pieces = append(s.Pieces, y)
	}
}

func (p *page) combination(c *advise.Combination) {
	verdict := "The goals are met."
	if !c.Met {
		verdict = "The goals are not met: nothing that is left brings the run nearer to them."
	}
	s := p.add("combination", "Combined for the goals: "+strings.Join(c.Goals, ", "), verdict)
	g := &grid{Caption: "What each step saves beside those before it", Head: adviceHeads("step")}
	for i, x := range c.Steps {
		g.Rows = append(g.Rows, adviceRow(fmt.Sprint(i+1), x.Title, &x.Saves))
	}
	g.Rows = append(g.Rows, adviceRow("", "all", &c.Saves))
	s.Tables = append(s.Tables, g)
	goals := &grid{Head: heads("goal", "figure", ">before", ">after", "")}
	for i, v := range c.After {
		verdict := "met"
		if !v.OK {
			verdict = "not met"
		}
		goals.Rows = append(goals.Rows, []cell{text(v.Budget), text(v.Figure), num(v.Show(c.Before[i].Value, &formats)), num(v.Show(v.Value, &formats)), {Text: verdict, Strong: !v.OK}})
	}
	s.Tables = append(s.Tables, goals)
	if c.DDL != "" {
		s.Pieces = append(s.Pieces, piece{ID: "combined", Heading: "All statements", DDL: c.DDL})
	}
}

func (p *page) rejected(r *advise.Report) {
	if len(r.Rejected) == 0 && r.Untried == 0 {
		return
	}
	s := p.add("rejected", "Tried, and no advice")
	if r.Untried > 0 {
		s.Text = append(s.Text, fmt.Sprintf("%d candidates with less to do with the costs were not tried.", r.Untried))
	}
	g := &grid{Caption: fmt.Sprintf("%d changes", len(r.Rejected)), Folded: true, Head: heads("change", ">WAL, bytes", ">of all", ">CPU, ms", ">of all", "why")}
	for _, x := range r.Rejected {
		if x.Result == nil {
			g.Rows = append(g.Rows, []cell{text(x.Title), num(""), num(""), num(""), num(""), text(x.Reason)})
			continue
		}
		g.Rows = append(g.Rows, []cell{text(x.Title), num(whole(x.Saves.WALBytes)), num(optional(x.Saves.WALShare, 100, 1, " %")), num(optional(x.Saves.CPUS, 1000, 2, "")), num(optional(x.Saves.CPUShare, 100, 1, " %")), text(x.Reason)})
	}
	s.Tables = append(s.Tables, g)
}
