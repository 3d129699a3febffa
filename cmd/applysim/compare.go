package main

import (
	"errors"
	"io"

	htmlreport "applysim/model/report"
	"applysim/model/scenario"
)

var compareHelp = help{
	usage: "applysim compare SCENARIO.toml [FLAGS]",
	text: `
Runs the same workload under the variants of a scenario, side by side: the
scenario itself first, then each [[variant]], with the ratio of each figure to
the first. A variant adds or drops indexes, changes fillfactor, replica
identity, a column's type or a setting. Budgets bound each variant's figures,
--max-ratio and --min-ratio their ratios to the first; exit code 1 when one is
exceeded, or when replication would stop.`,
	example: `  $ cat orders.toml
  ...
  [[variant]]
  name = "no index on status"
  drop_index = ["orders_status_idx"]

  [[variant]]
  name = "fillfactor 80"
  fillfactor = { orders = 80 }

  [[variant]]
  name = "one more index, larger max_wal_size"
  ddl = ["CREATE INDEX ON orders (customer_id, status)"]
  settings = { max_wal_size = "8GB" }

  [[variant]]
  name = "replica identity full"
  replica_identity = { orders = "full" }
  $ applysim compare orders.toml
  $ applysim compare orders.toml --max-ratio wal=1.2 --max-ratio cpu=1.1 || echo too dear
`,
}

// compareVariants runs a scenario's variants side by side.
func compareVariants(env environment, args []string) error {
	f := newFlags("compare")
	var o runOptions
	names := f.StringArray("variant", nil, "compare only the variant `NAME` with the scenario itself; may be given more than once")
	format := o.addFlags(f)
	o.budgets.addRatios(f)
	if helped, err := parse(env, f, args, compareHelp); helped || err != nil {
		return err
	}
	o.format = *format
	s, err := o.open(f)
	if err != nil {
		return err
	}
	variants := append([]*scenario.Variant{nil}, s.Variants...)
	if len(*names) > 0 {
		variants = variants[:1]
		for _, name := range *names {
			v, err := s.Variant(name)
			if err != nil {
				return err
			}
			variants = append(variants, v)
		}
	}
	if len(variants) == 1 {
		return hint(f, "%s has no [[variant]]: nothing to compare", s.File)
	}
	options, err := o.options(s)
	if err != nil {
		return err
	}
	report, err := o.compare(env, s, variants, options)
	if err != nil {
		return err
	}
	if err := report.Judge(o.budgets.limits, o.budgets.ratios); err != nil {
		return err
	}
	ends, err := o.bothEnds(s, report)
	if err != nil {
		return err
	}
	if err := writeReport(o.report, func(w io.Writer) error { return htmlreport.Scenario(w, report, ends) }); err != nil {
		return err
	}
	if err := printCompare(env.stdout, o.format, report, ends); err != nil {
		return err
	}
	return errors.Join(stoppedRuns(env, report), overBudget(env, report))
}
