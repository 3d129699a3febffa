package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"applysim/experiments/server"
	"applysim/model/advise"
	"applysim/model/cost"
	"applysim/model/scenario"
	"applysim/model/schema"
	"applysim/model/stream"
)

// opener opens files beside a scenario.
func opener(file string) func(string) (io.ReadCloser, error) {
	return func(path string) (io.ReadCloser, error) { return os.Open(filepath.Join(filepath.Dir(file), path)) }
}

// follow is a part of a scenario's time, with a piece of advice followed or without.
func follow(r *advise.Report, x *advise.Advice, part int) (*scenario.Scenario, *scenario.Variant) {
	var list []*advise.Advice
	if x != nil {
		list = append(list, x)
	}
	s, v := r.Follow(list...)
	s.Duration /= time.Duration(part)
	return s, v
}

// text is the contents of a file that a scenario names.
func text(open func(string) (io.ReadCloser, error), file string) ([]byte, error) {
	in, err := open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(in)
}

// advised is the advice about a scenario.
func advised(file string, price func(*cost.Usage) *scenario.CPU) (*advise.Report, error) {
	s, err := readScenario(file)
	if err != nil {
		return nil, err
	}
	return advise.Advise(s, &advise.Options{Schema: opener(file), Price: price, Least: advise.DefaultLeast})
}

// makeCase is that for real servers.
func makeCase(r *advise.Report, file, name string, x *advise.Advice, part int) (*server.Case, error) {
	open := opener(file)
	s, v := follow(r, x, part)
	binary := s.Binary
	s.Binary = false // values on the publisher are written as text; the changes are the same
	ddl, err := text(open, s.Schema)
	if err != nil {
		return nil, err
	}
	c := &server.Case{Name: name, Pub: string(ddl), Sub: string(ddl), Checksums: true, SubConf: server.Settings{}}
	if x != nil {
		for _, step := range x.Steps {
			if unsuitable(step.SQL) {
				continue
			}
			if step.On == advise.OnPublisher {
				c.Pub += "\n" + step.SQL
			} else {
				c.Sub += "\n" + step.SQL
			}
		}
	}
	if err := settings(c, append(slices.Clone(s.Settings), v.Settings...)); err != nil {
		return nil, err
	}
	if binary {
		c.SubOptions += ", binary = true"
	}
	if c.Publication, err = publication(s, v, open); err != nil {
		return nil, err
	}
	if err := presets(c, s, v, open); err != nil {
		return nil, err
	}
	var sql bytes.Buffer
	events := 0
	if _, err := s.Run(v, &scenario.Options{Schema: open, SQL: &sql, Event: func(int64, string) { events++ }}); err != nil {
		return nil, err
	}
	if events > 0 {
		return nil, fmt.Errorf("%s: %d commands run on the subscriber beside the stream: expected a scenario without any", file, events)
	}
	c.SQL = []server.Step{{Pub: sql.String()}}
	return c, nil
}

// unsuitable says whether a statement is done in another way here: settings are those of
// the clusters, tables are rewritten by being made anew, column lists are part of the
// publication that is made.
func unsuitable(sql string) bool {
	for _, prefix := range []string{"ALTER SYSTEM", "SELECT", "VACUUM", "ALTER SUBSCRIPTION", "BEGIN; ALTER PUBLICATION"} {
		if strings.HasPrefix(sql, prefix) {
			return true
		}
	}
	return false
}

// settings are the subscriber's.
func settings(c *server.Case, list []scenario.Setting) error {
	c.SubOptions = "streaming = off"
	for _, x := range list {
		switch {
		case x.Name == "synchronous_commit":
			c.SubOptions += ", synchronous_commit = " + x.Value
		case strings.HasPrefix(x.Name, "autovacuum"):
			// The servers have none, and the scenario comes to none.
		default:
			c.SubConf[x.Name] = x.Value
		}
	}
	return nil
}

// publication names the tables, with column lists where columns are left out.
func publication(s *scenario.Scenario, v *scenario.Variant, open func(string) (io.ReadCloser, error)) (string, error) {
	db, err := s.Database(v, open)
	if err != nil {
		return "", err
	}
	tables := []string{"marker"}
	for _, t := range db.Tables {
		name := schema.QuoteName(t.Schema, t.Name)
		for _, x := range s.Tables {
			if x.Name != t.QualifiedName() || len(x.Unpublished) == 0 {
				continue
			}
			var columns []string
			for _, c := range t.Columns {
				if !slices.Contains(x.Unpublished, c.Name) {
					columns = append(columns, schema.QuoteIdent(c.Name))
				}
			}
			name += " (" + strings.Join(columns, ", ") + ")"
		}
		tables = append(tables, name)
	}
	return "create publication p for table " + strings.Join(tables, ", "), nil
}

// presets are the rows before the run.
func presets(c *server.Case, s *scenario.Scenario, v *scenario.Variant, open func(string) (io.ReadCloser, error)) error {
	var b strings.Builder
	var load *server.Load
	db, err := s.Database(v, open)
	if err != nil {
		return err
	}
	finish := func() {
		if load != nil {
			load.Query = b.String()
			c.Load = append(c.Load, *load)
		}
		b.Reset()
	}
	err = s.Preset(v, open, func(t *scenario.Table, columns []string, values stream.Tuple) error {
		name := t.Name
		var all []string // of the table, in its order: what is not published is NULL
		for _, x := range db.Tables {
			if x.QualifiedName() != t.Name {
				continue
			}
			name = schema.QuoteName(x.Schema, x.Name)
			for _, column := range x.Columns {
				if column.Generated == 0 && !column.Dropped {
					all = append(all, column.Name)
				}
			}
		}
		if load == nil || load.Table != name {
			finish()
			load = &server.Load{Table: name, How: t.Load, Vacuum: "VACUUM (ANALYZE)"}
			b.WriteString("values ")
		} else {
			b.WriteString(",\n")
		}
		for i, column := range all {
			b.WriteString(map[bool]string{true: "(", false: ", "}[i == 0])
			at := slices.Index(columns, column)
			if at < 0 || values[at].Format == stream.ColumnNull {
				b.WriteString("NULL")
			} else {
				b.WriteString("'" + strings.ReplaceAll(string(values[at].Data), "'", "''") + "'")
			}
		}
		b.WriteString(")")
		return nil
	})
	finish()
	return err
}
