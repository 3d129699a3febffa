package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"applysim/model/monitor"
	"applysim/model/pipeline"
	"applysim/model/scenario"
	"applysim/model/view"
)

// momentOptions ask for views at moments of a run.
type momentOptions struct {
	at   []string
	view string
}

func (o *momentOptions) addFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&o.at, "at", nil, "show the servers' views at a `TIME` of the run, such as 1h30m, instead: pg_replication_slots,\npg_stat_replication_slots, pg_stat_replication, pg_stat_subscription and\npg_stat_subscription_stats; may be given more than once")
	f.StringVar(&o.view, "view", "", "with --at: show one `VIEW` only; CSV needs it")
}

// momentViews are the views of a moment, for JSON.
type momentViews struct {
	T       float64               `json:"t_s"`
	Time    string                `json:"time"`
	Current string                `json:"pg_current_wal_lsn"`
	Views   map[string]*view.Rows `json:"views"`
}

// showMoments shows the views at moments of a scenario's run.
func (o *pipelineOptions) showMoments(env environment, f *pflag.FlagSet, m *momentOptions) error {
	if err := checkFormat(f, o.format, viewFormats...); err != nil {
		return err
	}
	var times []float64
	for _, text := range m.at {
		d, err := parsePeriod(text)
		if err != nil {
			return hint(f, "--at %s: %v", text, err)
		}
		times = append(times, d.Seconds())
	}
	if f.NArg() != 1 {
		return hint(f, "expected one SCENARIO.toml, found %d arguments", f.NArg())
	}
	if m.view != "" && !slices.Contains(monitor.Names, m.view) {
		return hint(f, "--view %s: expected one of %s", m.view, strings.Join(monitor.Names, ", "))
	}
	s, costs, err := o.measure(f, f.Arg(0))
	if err != nil {
		return err
	}
	moments, err := monitor.Watch(s, costs, times)
	if err != nil {
		return err
	}
	if len(moments) > 1 && o.format == "csv" {
		return hint(f, "CSV has one table: expected one --at")
	}
	report := struct {
		SchemaVersion int           `json:"schema_version"`
		Scenario      string        `json:"scenario"`
		Moments       []momentViews `json:"moments"`
		Warnings      []string      `json:"warnings"`
	}{1, s.File, nil, append([]string{}, costs.Warnings...)}
	for i, x := range moments {
		var views []titled
		for _, v := range x.Views() {
			views = append(views, titled{v.Name, v.Name + " (" + v.On + ")", v.Rows})
		}
		if views, err = choose(f, views, m.view); err != nil {
			return err
		}
		if o.format == "json" {
			y := momentViews{x.T, x.Stamp(), x.LSN(), map[string]*view.Rows{}}
			for _, v := range views {
				y.Views[v.name] = v.rows
			}
			report.Moments = append(report.Moments, y)
			continue
		}
		if o.format == "text" {
			if i > 0 {
				fmt.Fprintln(env.stdout)
			}
			fmt.Fprintf(env.stdout, "%s: %s, pg_current_wal_lsn() %s\n\n", clock(x.T), x.Stamp(), x.LSN())
			for k := range views {
				if len(views[k].rows.Values) > 0 {
					views[k].rows = views[k].rows.WithoutNulls()
				}
			}
		}
		if err := printViews(env, f, o.format, views); err != nil {
			return err
		}
	}
	if o.format == "json" {
		return printJSON(env.stdout, report)
	}
	return nil
}

// measure reads a scenario and simulates a part of it.
func (o *pipelineOptions) measure(f *pflag.FlagSet, name string) (*scenario.Scenario, *pipeline.Costs, error) {
	if err := checkFormat(f, o.format, replayFormats...); err != nil {
		return nil, nil, err
	}
	if f.Changed("seed") && o.seed < 0 {
		return nil, nil, hint(f, "--seed %d: expected a number from 0 on", o.seed)
	}
	if err := checkSample(f, o.sample); err != nil {
		return nil, nil, err
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	s, err := scenario.Read(file, name)
	if err != nil {
		return nil, nil, err
	}
	if f.Changed("seed") {
		s.Seed = uint64(o.seed)
	}
	if s.Duration == 0 {
		return nil, nil, fmt.Errorf("%s: a pipeline in time needs a duration: expected duration, not changes", s.File)
	}
	profile, err := readProfile(o.profile)
	if err != nil {
		return nil, nil, err
	}
	if profile == nil {
		return nil, nil, hint(f, "--profile none: the pipeline in time needs to know what work costs")
	}
	options, err := o.options(s)
	if err != nil {
		return nil, nil, err
	}
	c, err := pipeline.Measure(s, &pipeline.Options{Schema: options.Schema, Profile: profile, Limit: o.sample})
	return s, c, err
}
