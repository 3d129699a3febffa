package main

import (
	"time"

	"github.com/spf13/pflag"

	"applysim/model/pipeline"
	"applysim/model/scenario"
)

var pipelineHelp = help{
	usage: "applysim pipeline SCENARIO.toml [FLAGS]",
	text: `
Follows a scenario's changes in time from the publisher's WAL to the rows of its
subscribers: how far each stage is behind in bytes and seconds, which stage is
the limit at each moment, what a stopped subscriber has to catch up, and the
greatest rate that each subscription sustains. What a transaction costs is
simulated row by row for a part of the run, and taken for the whole of it. With
--at the servers' monitoring views at a moment, by their own columns. Exit
code 1 when a subscription has not caught up at the end.`,
	example: `  $ cat day.toml
  schema   = "orders.sql"
  duration = "24h"

  [publisher]
  cores = 8

  [network]
  round_trip = "2ms"
  bandwidth  = "1Gbit"

  [[subscription]]
  name    = "reports"
  stopped = [{ from = "9h", until = "570min" }]

  [[operation]]
  table = "orders"
  do    = "insert"
  rate  = 300
  daily = [1,1,1,1,1,1,2,3,4,5,5,5,5,5,5,5,5,4,4,3,3,2,2,1]
  $ applysim pipeline day.toml
  $ applysim pipeline day.toml --at 9h20m --view pg_replication_slots
`,
}

type pipelineOptions struct {
	runOptions
	every  string
	sample int64
}

func (o *pipelineOptions) addFlags(f *pflag.FlagSet) *string {
	f.StringVar(&o.every, "every", "", "`TIME` between the moments that are shown, such as 10min; a 24th of the run\nunless set")
	f.Int64Var(&o.sample, "sample", defaultSample, "simulate about `N` changes row by row")
	f.Int64Var(&o.seed, "seed", -1, "seed `N` in place of the scenario's")
	f.Lookup("seed").DefValue = ""
	addProfile(f, &o.profile)
	return formatFlag(f, replayFormats...)
}

const defaultSample = 50_000

// maxMoments is how many moments are shown at most.
const maxMoments = 100_000

// runPipeline works a scenario's pipeline out.
func runPipeline(env environment, args []string) error {
	f := newFlags("pipeline")
	var o pipelineOptions
	var moments momentOptions
	format := o.addFlags(f)
	moments.addFlags(f)
	if helped, err := parse(env, f, args, pipelineHelp); helped || err != nil {
		return err
	}
	o.format = *format
	if len(moments.at) > 0 {
		return o.showMoments(env, f, &moments)
	}
	if moments.view != "" {
		return hint(f, "--view %s: expected --at TIME with it", moments.view)
	}
	r, _, err := o.work(f)
	if err != nil {
		return err
	}
	if err := printPipeline(env.stdout, o.format, r); err != nil {
		return err
	}
	for _, u := range r.Subscriptions {
		if u.CaughtUpS == nil && u.MostLagS > 0 && r.EndS >= r.DurationS*(1+pipeline.DrainFor) {
			return errNo
		}
	}
	return nil
}

// work runs the pipeline of the scenario that the arguments name.
func (o *pipelineOptions) work(f *pflag.FlagSet) (*pipeline.Report, *scenario.Scenario, error) {
	every := 0.0
	if o.every != "" {
		d, err := time.ParseDuration(o.every)
		if err != nil {
			if d, err = parsePeriod(o.every); err != nil {
				return nil, nil, hint(f, "--every %s: %v", o.every, err)
			}
		}
		if every = d.Seconds(); every <= 0 {
			return nil, nil, hint(f, "--every %s: expected more than 0", o.every)
		}
	}
	s, options, err := o.costs(f)
	if err != nil {
		return nil, nil, err
	}
	if n := s.Duration.Seconds() / every; every > 0 && n > maxMoments {
		return nil, nil, hint(f, "--every %s: %.3g moments of a run of %v, expected at most %d", o.every, n, s.Duration, maxMoments)
	}
	r, err := pipeline.Run(s, options, every)
	return r, s, err
}

// costs reads the scenario that the arguments name, and what its costs are worked out with.
func (o *pipelineOptions) costs(f *pflag.FlagSet) (*scenario.Scenario, *pipeline.Options, error) {
	o.marginal = "off"
	s, err := o.open(f)
	if err != nil {
		return nil, nil, err
	}
	if err := checkSample(f, o.sample); err != nil {
		return nil, nil, err
	}
	profile, err := readProfile(o.profile)
	if err != nil {
		return nil, nil, err
	}
	if profile == nil {
		return nil, nil, hint(f, "--profile none: what is to be worked out needs to know what work costs")
	}
	options, err := o.options(s)
	if err != nil {
		return nil, nil, err
	}
	return s, &pipeline.Options{Schema: options.Schema, Profile: profile, Limit: o.sample}, nil
}
