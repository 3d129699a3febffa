package main

import (
	"fmt"
	"path/filepath"

	"applysim/experiments/server"
)

var recordHelp = help{
	usage: "applysim record CASE.json... --out DIR [FLAGS]",
	text: `
Records on real PostgreSQL servers what a subscriber does with a change stream:
the cases that verify compares with. Two disposable clusters are started on the
loopback; the publisher runs the case's SQL, the subscriber applies it, and the
folder DIR/NAME gets the case, the state at the start, the stream, every WAL
record and the state at the end. A case is JSON: name, pub (DDL of the
publisher), sub (of the subscriber, if it is another one), sql (a list of
scripts; {"sub": SQL} among them runs on the subscriber once all before it is
applied: CHECKPOINT, VACUUM, or ALTER SUBSCRIPTION s REFRESH PUBLICATION, which
copies new tables; "during" beside it is SQL for the publisher meanwhile), and
where wanted sub_options, sub_conf, pub_conf, checksums, identity,
publication, load (rows that both sides have before: a list of {"table", "rows":
a query, "how": "copy", "indexes first" or "inserts", "vacuum": "VACUUM" or
"VACUUM (FREEZE)"}) and after (DDL of the subscriber after these rows: indexes).
Servers come from --pg, the environment variable PG, or the usual places; as
root they run as another user. Nothing of them is left at the end.`,
	example: `  $ applysim record hot_rows.json --out recordings --pg /usr/lib/postgresql/18
  hot_rows: 1204 messages, 2516 records, 171034 bytes
`,
}

// record records cases on real servers.
func record(env environment, args []string) (err error) {
	f := newFlags("record")
	out := f.String("out", "", "folder `DIR` for the cases' folders")
	prefix := f.String("pg", "", "prefix `DIR` of a PostgreSQL installation: has bin/postgres")
	port := f.Int("port", 0, "first `PORT` of the servers; free ones are taken without it")
	dir := f.String("servers", "", "folder `DIR` for the clusters while they live; that of temporary files\nwithout it")
	pages := f.Bool("pages", false, "keep pages.tsv.gz, which the digests of pages are made of")
	inspect := f.Bool("inspect", false, "keep inspect.jsonl.gz: what the subscriber's statistics views, pageinspect,\npgstattuple and pg_walinspect show at the end")
	if helped, err := parse(env, f, args, recordHelp); helped || err != nil {
		return err
	}
	switch {
	case f.NArg() == 0:
		return hint(f, "expected the file of a case")
	case *out == "":
		return hint(f, "expected --out, a folder for the recorded cases")
	}
	var cases []*server.Case
	for _, file := range f.Args() {
		c, err := server.ReadCase(file)
		if err != nil {
			return err
		}
		cases = append(cases, c)
	}
	pool, err := server.NewPool(server.Options{Prefix: *prefix, Port: *port, Dir: *dir, Inspect: *inspect})
	if err != nil {
		return err
	}
	defer func() {
		if closed := pool.Close(); err == nil {
			err = closed
		}
	}()
	failed := 0
	for _, c := range cases {
		s, err := pool.Record(c, filepath.Join(*out, c.Name), *pages)
		if err != nil {
			fmt.Fprintf(env.stderr, "applysim: %v\n", err)
			failed++
			continue
		}
		fmt.Fprintf(env.stdout, "%s: %s, %s, %s\n", c.Name, count(int64(s.Messages), "message"), count(int64(s.Records), "record"), count(s.Bytes, "byte"))
		env.stdout.Flush()
	}
	if failed > 0 {
		return fmt.Errorf("%d of %s could not be recorded", failed, count(int64(len(cases)), "case"))
	}
	return nil
}
