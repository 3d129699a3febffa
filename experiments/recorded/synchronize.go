package recorded

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"applysim/model/apply"
	"applysim/model/stream"
)

// Tables that were synchronised while a case was recorded. Among the events are
//
//	alter subscription s refresh publication    the tables that follow are new ones
//	copy public.t                               and this one is copied now
//
// and of the n-th copy, from 1, there are the files copy_N.copy.gz (names of columns, then
// lines of COPY's text format) and, if the worker applied changes afterwards,
// copy_N.stream.tsv.gz.

// copyEvent is what begins an event that stands for a table's copy.
const copyEvent = "copy "

// addCopies gives the events that synchronise tables what they do.
func (c *Case) addCopies() {
	refresh, n := -1, 0
	tables := map[int][][2]string{}
	for i := range c.Events {
		e := &c.Events[i]
		words := strings.Join(strings.Fields(strings.ToLower(e.SQL)), " ")
		switch {
		case strings.HasPrefix(words, "alter subscription "):
			refresh = i
			e.do = func(w *apply.Worker) error { return w.Refresh(tables[i]) }
		case strings.HasPrefix(e.SQL, copyEvent):
			n++
			space, name, ok := strings.Cut(strings.ReplaceAll(e.SQL[len(copyEvent):], `"`, ""), ".")
			if !ok {
				space, name = "public", space
			}
			tables[refresh] = append(tables[refresh], [2]string{space, name})
			file := fmt.Sprintf("copy_%d", n)
			e.do = func(w *apply.Worker) error { return c.copy(w, space, name, file) }
		}
	}
}

// copy does what a synchronisation worker has done.
func (c *Case) copy(w *apply.Worker, space, name, file string) error {
	rows, columns, err := c.readLines(file + ".copy.gz")
	if err != nil {
		return fmt.Errorf("%s: %w", c.file(file+".copy.gz"), err)
	}
	t := &apply.TableCopy{
		Schema: space, Table: name, Columns: columns, Rows: rows,
		Binary: c.Options["binary"] == "true" && !strings.HasPrefix(c.Start.Settings["server_version"], "15"),
	}
	if _, err := fs.Stat(c.fsys, path.Join(c.dir, file+".stream.tsv.gz")); err == nil {
		t.CatchUp = func(apply func(*stream.Message) error) error { return c.catchUp(file, apply) }
	}
	return w.SynchronizeTable(t)
}

// catchUp hands on what a synchronisation worker has applied after its copy.
func (c *Case) catchUp(file string, apply func(*stream.Message) error) error {
	f, err := c.stream(file + ".stream")
	if err != nil {
		return err
	}
	defer f.Close()
	in, err := stream.NewReader(f, stream.DefaultOptions())
	if err != nil {
		return fmt.Errorf("%s: %w", c.file(file+".stream.tsv.gz"), err)
	}
	for {
		var m stream.Message
		if err := in.Next(&m); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := apply(&m); err != nil {
			return located(err, &m)
		}
	}
}

// copyLines are the lines of a copy.
type copyLines struct {
	lines [][]byte
	tuple stream.Tuple
}

func (r *copyLines) Len() int { return len(r.lines) }

// Row splits a line into its values (CopyReadAttributesText).
func (r *copyLines) Row(n int) (stream.Tuple, int) {
	line := r.lines[n]
	r.tuple = r.tuple[:0]
	for _, v := range bytes.Split(line, []byte("\t")) {
		if string(v) == `\N` {
			r.tuple = append(r.tuple, stream.Column{Format: stream.ColumnNull})
		} else {
			r.tuple = append(r.tuple, stream.Column{Format: stream.ColumnText, Data: unescape(v)})
		}
	}
	return r.tuple, len(line)
}

// readLines reads the lines of a copy, and the names of the columns before them.
func (c *Case) readLines(name string) (*copyLines, []string, error) {
	f, err := c.fsys.Open(path.Join(c.dir, name))
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, nil, err
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, nil, err
	}
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	return &copyLines{lines: lines[1:]}, strings.Split(string(lines[0]), "\t"), nil
}

// markCatalogs marks the COMMIT records of transactions that have changed the catalogs
// alone: they belong to no change. In a case that synchronises tables no two transactions
// are mixed up.
func markCatalogs(records []Record) {
	catalogs, others := 0, 0
	for i := range records {
		r := &records[i]
		switch {
		case r.Manager == "Transaction" && (r.Type == "COMMIT" || r.Type == "ABORT"):
			r.aside = catalogs > 0 && others == 0
			catalogs, others = 0, 0
		case r.Manager == "ReplicationOrigin" || strings.HasPrefix(r.Relation, "pg_") && r.Background():
			catalogs++
		case !r.Background():
			others++
		}
	}
}
