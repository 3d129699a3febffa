package scenario

import (
	"errors"
	"io"
	"strings"
	"testing"

	"applysim/model/stream"
)

// FuzzRun reads scenario files and runs them: whatever they say, there is a scenario or an error that
// names file and line, and a scenario that is short enough runs, its stream decodes, and
// the subscriber's pages are sound.
func FuzzRun(f *testing.F) {
	f.Add("schema = \"s\"\nchanges = 50\n[[operation]]\ntable = \"t\"\ndo = \"insert\"\nrate = 3\n")
	f.Add("schema = \"s\"\nduration = \"3s\"\n[tables.t]\nrows = 40\nload = \"inserts\"\nvacuumed = false\n[tables.t.columns]\na = { distinct = 3, zipf = 1, nulls = 0.5 }\nb = { width = [0, 3000] }\nu = { kind = \"uuid7\" }\n" +
		"[[operation]]\ntable = \"t\"\ndo = \"update\"\ncolumns = [\"b\"]\nwhich = \"zipf\"\nrate = 20\nrows = 3\nthen = [{ table = \"t\", do = \"delete\", which = \"oldest\" }]\n")
	f.Add("schema = \"s\"\nchanges = 30\n[settings]\nwal_level = \"logical\"\nautovacuum_naptime = \"1s\"\n[tables.t]\nrows = 9\nload = \"indexes first\"\n[[operation]]\ntable = \"t\"\ndo = \"delete\"\nwhich = \"range\"\nfrom = 0.1\nto = 0.2\nrate = 5\n" +
		"[[snapshot]]\nfrom = \"1s\"\n[[variant]]\nname = \"v\"\nfillfactor = { t = 50 }\n[[variant]]\nname = \"w\"\nddl = [\"CREATE INDEX ON t (b)\"]\nreplica_identity = { t = \"full\" }\n")
	f.Add("schema = \"s\"\nchanges = 1\n[subscription]\nbinary = true\nstreaming = \"parallel\"\n[[operation]]\ntable = \"t\"\ndo = \"update\"\ncolumns = [\"id\", \"at\"]\ncount = 4\n")
	f.Add("schema = \"s\"\nchanges = 1\n[publisher]\nflush = \"1ms\"\n[publisher.settings]\nsynchronous_standby_names = \"ANY 2 (a, *)\"\ncommit_delay = 10\n[clients]\ncount = 3\nspread = 0.5\n[[standby]]\nname = \"a\"\nlost = [{ from = \"1s\", how = \"silent\" }]\n[standby.settings]\nrecovery_min_apply_delay = 5\n[[operation]]\ntable = \"t\"\ndo = \"insert\"\ncount = 4\n")
	const ddl = "CREATE TABLE t (id bigint PRIMARY KEY, a int, b text, u uuid, at timestamptz DEFAULT now(), n numeric(8,2)); CREATE INDEX ON t (a, n); CREATE INDEX t_at ON t USING brin (at);"
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Read(strings.NewReader(text), "f.toml")
		if err != nil {
			var at *Error
			if !errors.As(err, &at) || at.Line < 1 || at.Line > 1+strings.Count(text, "\n") {
				t.Fatalf("error without its line: %v", err)
			}
			return
		}
		rows := int64(0)
		for _, x := range s.Tables {
			rows += x.Rows
		}
		for _, c := range s.Tables {
			for _, x := range c.Columns {
				if x.MaxWidth > 20_000 || x.Distinct > 1_000_000 {
					return
				}
			}
		}
		if s.Size() > 500 || s.Size() < 0 || rows > 500 {
			return
		}
		for _, o := range s.Operations {
			if o.Rows > 500 || o.Rate > 0 && s.Duration.Seconds()*o.Rate > 500 {
				return
			}
		}
		open := func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(ddl)), nil }
		var raw strings.Builder
		for _, v := range append([]*Variant{nil}, s.Variants...) {
			raw.Reset()
			r, err := s.prepare(v, &Options{Schema: open, Stream: &raw})
			if err == nil {
				err = r.apply()
			}
			if err != nil {
				continue
			}
			if err := r.worker.Check(); err != nil {
				t.Fatal(err)
			}
			if _, err := r.result(); err != nil {
				t.Fatal(err)
			}
			in, err := stream.NewReader(strings.NewReader(raw.String()), stream.DefaultOptions())
			if err == io.EOF && raw.Len() == 0 {
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			var m stream.Message
			for {
				if err := in.Next(&m); err == io.EOF {
					break
				} else if err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
