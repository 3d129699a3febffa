package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"applysim/model/draft"
	"applysim/model/observed"
	"applysim/model/schema"
)

var initHelp = help{
	usage: "applysim init --schema F [-o FILE] [--stats FILE] | applysim init --query",
	text: `
Drafts a scenario from a schema, for run, compare and advise: every table is
listed with guesses of its rows, its columns' values and what changes, and a
comment where there is something to say. It is tried before it is written:
rows satisfy keys, CHECK constraints and partition bounds, or the table is left
without changes, with the reason.

With --stats it takes numbers from a server of yours: rows, values, settings,
and how often tables change. --query prints the read-only query that gives
them; it runs on PostgreSQL 15 to 18, on the publisher or on a subscriber. Two
samples some time apart (--stats twice, or one file with both) give rates.`,
	example: `  $ pg_dump --schema-only app > schema.sql
  $ applysim init --query > query.sql
  $ psql -XAtq -f query.sql app > before.json
  $ sleep 3600
  $ psql -XAtq -f query.sql app > after.json
  $ applysim init --schema schema.sql --stats before.json --stats after.json -o app.toml
  $ applysim run app.toml
`,
}

type initOptions struct {
	schema, out string
	stats       []string
	query       bool
	values      bool
	changes     int64
	seed        int64
}

// initScenario drafts a scenario.
func initScenario(env environment, args []string) error {
	f := newFlags("init")
	var o initOptions
	f.StringVar(&o.schema, "schema", "", "`FILE` with the subscriber's DDL; the output of pg_dump --schema-only will do")
	f.StringVarP(&o.out, "output", "o", "", "write the scenario to `FILE`; without it to standard output")
	f.StringArrayVar(&o.stats, "stats", nil, "`FILE` with the output of the query; twice for rates between two samples")
	f.BoolVar(&o.query, "query", false, "print the query and do nothing else")
	f.BoolVar(&o.values, "values", true, "the query asks for the most common values of columns with few different ones")
	f.Int64Var(&o.changes, "changes", draft.DefaultChanges, "how many changes `N` a run of the scenario makes")
	f.Int64Var(&o.seed, "seed", 1, "seed `N` of the scenario")
	if helped, err := parse(env, f, args, initHelp); helped || err != nil {
		return err
	}
	switch {
	case f.NArg() > 0:
		return hint(f, "unexpected argument %q: expected --schema FILE", f.Arg(0))
	case o.query && (o.schema != "" || len(o.stats) > 0 || o.out != ""):
		return hint(f, "--query goes with no other flag than --values")
	case o.query:
		_, err := io.WriteString(env.stdout, observed.Query(o.values))
		return err
	case o.schema == "":
		return hint(f, "expected --schema FILE, or --query")
	case o.schema == "-":
		return hint(f, "--schema -: expected a file, as the scenario names it")
	case o.changes < 1:
		return hint(f, "--changes %d: expected a number from 1 on", o.changes)
	case o.seed < 0:
		return hint(f, "--seed %d: expected a number from 0 on", o.seed)
	}
	return o.draft(env, f)
}

func (o *initOptions) draft(env environment, f *pflag.FlagSet) error {
	file, err := os.Open(o.schema)
	if err != nil {
		return err
	}
	db, err := schema.Read(file, o.schema)
	file.Close()
	if err != nil {
		return err
	}
	options := draft.Options{Schema: o.schemaPath(), Changes: o.changes, Seed: uint64(o.seed)}
	if options.Stats, err = readStats(env, o.stats); err != nil {
		return err
	}
	d, err := draft.New(db, options)
	if err != nil {
		return err
	}
	if o.out == "" {
		return d.Write(env.stdout)
	}
	out, err := createResult(o.out)
	if err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	defer out.abandon()
	if err := d.Write(out); err != nil {
		return err
	}
	return out.commit()
}

// schemaPath is the schema's path from the scenario's folder, as run reads it.
func (o *initOptions) schemaPath() string {
	if o.out == "" || filepath.IsAbs(o.schema) {
		return o.schema
	}
	dir, err := filepath.Abs(filepath.Dir(o.out))
	if err != nil {
		return o.schema
	}
	path, err := filepath.Abs(o.schema)
	if err != nil {
		return o.schema
	}
	if rel, err := filepath.Rel(dir, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}

// readStats reads samples of statistics, one or several to a file; nil if there is none.
func readStats(env environment, files []string) (*observed.Stats, error) {
	var samples []*observed.Stats
	for _, name := range files {
		file, err := openInput(env, name)
		if err != nil {
			return nil, err
		}
		if name == "-" {
			name = "standard input"
		}
		list, err := observed.ReadSamples(file, name)
		if err = errors.Join(err, file.Close()); err != nil {
			return nil, err
		}
		samples = append(samples, list...)
	}
	if len(samples) == 0 {
		return nil, nil
	}
	return observed.Combine(samples)
}
