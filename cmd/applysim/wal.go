package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"applysim/model/apply"
	"applysim/model/view"
	"applysim/wal"
	"applysim/wal/storage"
)

var walHelp = help{
	usage: "applysim wal " + sourceUsage + " [FLAGS]",
	text: `
Lists the WAL that a replay or a scenario writes, as pg_waldump lists a real
server's: resource manager, length without and with page images, transaction,
LSN, what the record contains, and the blocks that it refers to, by the name of
their relation where a server has file numbers. --stats counts records and
bytes by resource manager, --stats=record by record type.
What a record contains is compared with a real server's pg_walinspect. Of a
COMMIT the time is left out, which is the subscriber's clock's; the contents of
BRIN, sequence, TRUNCATE, two-phase, rollback and checkpoint records are not
modelled, which the line says. JSON and CSV have the columns of
pg_get_wal_records_info and pg_get_wal_stats.`,
	example: `  $ applysim wal --schema schema.sql --stream stream.bin --limit 20
  $ applysim wal --case DIR --rmgr Btree --relation orders_pkey
  $ applysim wal --scenario orders.toml --stats=record
`,
}

type walOptions struct {
	stateOptions
	managers    []string
	relation    string
	block       int64
	xid         uint32
	start, end  string
	limit       int64
	fullPage    bool
	stats       string
	filter      view.Filter
	blockNumber storage.BlockNumber
}

func (o *walOptions) addFlags(f *pflag.FlagSet) *string {
	f.StringArrayVar(&o.managers, "rmgr", nil, "only records of resource manager `RMGR`: Heap, Btree and so on; may be given\nmore than once")
	f.StringVar(&o.relation, "relation", "", "only records that refer to blocks of the table or index `NAME`")
	f.Int64Var(&o.block, "block", -1, "with --relation, only records that refer to block `N` of it")
	f.Lookup("block").DefValue = ""
	f.Uint32Var(&o.xid, "xid", 0, "only records of transaction `XID`")
	f.Lookup("xid").DefValue = ""
	f.StringVar(&o.start, "start", "", "only records from `LSN` on")
	f.StringVar(&o.end, "end", "", "only records before `LSN`")
	f.Int64Var(&o.limit, "limit", 0, "list `N` records at most")
	f.Lookup("limit").DefValue = ""
	f.BoolVar(&o.fullPage, "fullpage", false, "only records with images of pages")
	f.StringVar(&o.stats, "stats", "", "in place of records, statistics `BY` rmgr or record")
	f.Lookup("stats").NoOptDefVal = "rmgr"
	o.stateOptions.addFlags(f)
	return formatFlag(f, viewFormats...)
}

// check reads the filter.
func (o *walOptions) check(f *pflag.FlagSet) error {
	for _, m := range o.managers {
		if !slices.ContainsFunc(view.Managers(), func(k string) bool { return strings.EqualFold(k, m) }) {
			return hint(f, "--rmgr %s: expected one of %s", m, strings.Join(view.Managers(), ", "))
		}
	}
	o.filter = view.Filter{Managers: o.managers, FullPage: o.fullPage}
	for _, x := range []struct {
		name, text string
		lsn        *wal.LSN
	}{{"start", o.start, &o.filter.Start}, {"end", o.end, &o.filter.End}} {
		if x.text == "" {
			continue
		}
		var err error
		if *x.lsn, err = wal.ParseLSN(x.text); err != nil {
			return fmt.Errorf("--%s: %w", x.name, err)
		}
	}
	if f.Changed("xid") {
		o.filter.XID = &o.xid
	}
	switch {
	case f.NArg() > 0:
		return hint(f, "unexpected argument %q", f.Arg(0))
	case f.Changed("block") && (o.block < 0 || o.block > 0xFFFFFFFE):
		return hint(f, "--block %d: expected a number from 0 on", o.block)
	case f.Changed("block") && o.relation == "":
		return hint(f, "--block: expected it with --relation")
	case f.Changed("limit") && o.limit < 1:
		return hint(f, "--limit %d: expected a number from 1 on", o.limit)
	case f.Changed("stats") && o.stats != "rmgr" && o.stats != "record":
		return hint(f, "--stats=%s: expected rmgr or record", o.stats)
	}
	if f.Changed("block") {
		o.blockNumber = storage.BlockNumber(o.block)
		o.filter.Block = &o.blockNumber
	}
	return nil
}

// walListing lists the WAL of a run.
func walListing(env environment, args []string) error {
	f := newFlags("wal")
	var o walOptions
	format := o.addFlags(f)
	if helped, err := parse(env, f, args, walHelp); helped || err != nil {
		return err
	}
	if err := checkFormat(f, *format, viewFormats...); err != nil {
		return err
	}
	if err := o.check(f); err != nil {
		return err
	}
	p := &walPrinter{env: env, format: *format, stats: o.stats != "", limit: o.limit}
	var unknown error
	w, stopped := o.run(env, f, func(w *apply.Worker) {
		if o.relation != "" {
			var r view.Relation
			if r, unknown = view.Find(w, o.relation); unknown == nil {
				o.filter.Relation = r.Name
			}
		}
		list := view.NewListing(w, func(r *view.WALRecord) {
			p.sum.Begin(r.Start)
			if unknown == nil && o.filter.Shows(r) {
				p.record(r)
			}
		})
		w.Log().SetSink(list.See)
	})
	if unknown != nil {
		return unknown
	}
	if w == nil {
		return stopped
	}
	if err := p.end(o.stats == "record"); err != nil {
		return err
	}
	return stopped
}

// walPrinter prints records as they come.
type walPrinter struct {
	env    environment
	format string
	stats  bool
	limit  int64
	shown  int64
	sum    view.WALStats
}

func (p *walPrinter) record(r *view.WALRecord) {
	if p.limit > 0 && p.shown >= p.limit {
		return
	}
	p.shown++
	if p.stats {
		p.sum.Add(r)
		return
	}
	out := p.env.stdout // bufio keeps the error for the flush
	if p.format == "text" {
		fmt.Fprintln(out, r.Line())
		return
	}
	rows := view.InfoRows()
	rows.Values = [][]any{r.Values()}
	if p.format == "csv" {
		if p.shown > 1 {
			rows.Columns = nil
		}
		rows.CSV(out)
		return
	}
	b, err := json.Marshal(rows)
	if err != nil {
		panic(err) // all values are strings and numbers
	}
	between := ",\n"
	if p.shown == 1 {
		between = "[\n"
	}
	fmt.Fprintf(out, "%s  %s", between, b[1:len(b)-1])
}

// end prints what comes after the last record.
func (p *walPrinter) end(perRecord bool) error {
	switch {
	case p.stats && p.format == "text":
		return p.sum.Text(p.env.stdout, perRecord)
	case p.stats && p.format == "csv":
		return p.sum.Rows(perRecord).CSV(p.env.stdout)
	case p.stats:
		return printJSON(p.env.stdout, p.sum.Rows(perRecord))
	case p.format == "json" && p.shown == 0:
		fmt.Fprintln(p.env.stdout, "[]")
	case p.format == "json":
		fmt.Fprintln(p.env.stdout, "\n]")
	}
	return nil
}
