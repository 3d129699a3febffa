package main

import (
	"applysim/model/apply"
	"applysim/model/view"
)

var statHelp = help{
	usage: "applysim stat " + sourceUsage + " [FLAGS]",
	text: `
Shows the subscriber's statistics after a replay or a scenario, or after its
first --until changes, by the columns of PostgreSQL's own views and functions:
pg_stat_user_tables, pg_stat_user_indexes, pg_stat_wal,
pg_stat_subscription_stats, pgstatindex of each B-tree and pgstattuple of each
table. They count what the run does, not how rows came there before it. NULL is
what a simulated subscriber does not have: object ids, times, and counters that
depend on how fast a process is.
Text leaves out columns that are NULL in all rows; JSON and CSV have them. Exit
code 1 when replication would stop, with the statistics so far.`,
	example: `  $ applysim stat --schema schema.sql --stream stream.bin
  $ applysim stat --scenario orders.toml --view pg_stat_user_indexes --format csv
`,
}

// stat shows statistics views.
func stat(env environment, args []string) error {
	f := newFlags("stat")
	var o stateOptions
	o.addFlags(f)
	only := f.String("view", "", "show one `VIEW` only; pgstatindex and pgstattuple have their rows one below\nthe other; CSV needs it")
	format := formatFlag(f, viewFormats...)
	if helped, err := parse(env, f, args, statHelp); helped || err != nil {
		return err
	}
	if err := checkFormat(f, *format, viewFormats...); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return hint(f, "unexpected argument %q", f.Arg(0))
	}
	var s *view.Statistics
	w, stopped := o.run(env, f, func(w *apply.Worker) {
		s = view.NewStatistics(w)
		w.Log().SetSink(s.See)
	})
	if w == nil {
		return stopped
	}
	s.Auto, s.Stopped = o.scenario != "", stopped != nil
	views := []titled{
		{"pg_stat_user_tables", "pg_stat_user_tables", s.UserTables()},
		{"pg_stat_user_indexes", "pg_stat_user_indexes", s.UserIndexes()},
		{"pg_stat_wal", "pg_stat_wal", s.WAL()},
		{"pg_stat_subscription_stats", "pg_stat_subscription_stats", s.Subscription()},
		{"pgstatindex", "pgstatindex", view.StatIndexes(w)},
		{"pgstattuple", "pgstattuple", view.StatTuples(w)},
	}
	views, err := choose(f, views, *only)
	if err != nil {
		return err
	}
	if *format == "text" {
		for i := range views {
			views[i].rows = views[i].rows.WithoutNulls()
		}
	}
	if err := printViews(env, f, *format, views); err != nil {
		return err
	}
	return stopped
}
