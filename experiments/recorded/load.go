package recorded

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"applysim/model/apply"
	"applysim/model/schema"
	"applysim/model/stream"
)

// Load says how a table came to have rows before the case. They are in the file
// load_TABLE.copy.gz: the names of the columns, then lines in COPY's text format.
type Load struct {
	Table  string `json:"table"`
	How    string `json:"how"`    // copy, indexes first, inserts
	Vacuum string `json:"vacuum"` // VACUUM or VACUUM (FREEZE) afterwards
}

// Loaded are ids of what was loaded, in start.json.
type Loaded struct {
	XID uint32 `json:"xid"`
	OID uint32 `json:"oid"` // of the first value out of line
}

// load gives the tables their rows.
func (c *Case) load(w *apply.Worker, db *schema.Database) error {
	for i, l := range c.Load {
		name := c.file("load_" + l.Table + ".copy.gz")
		t := db.Table("public", l.Table)
		if t == nil || i >= len(c.Start.Loaded) {
			return fmt.Errorf("%s: load: expected a table of the schema, and what start.json says of it, found %q", c.file("case.json"), l.Table)
		}
		rows, err := c.readRows(path.Join(c.dir, "load_"+l.Table+".copy.gz"), t)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		o := apply.LoadOptions{Columns: rows.columns, XID: c.Start.Loaded[i].XID, OID: c.Start.Loaded[i].OID}
		switch l.How {
		case "copy":
		case "indexes first":
			o.IndexesFirst = true
		case "inserts":
			o.Inserted = true
		default:
			return fmt.Errorf("%s: load of table %q: how is %q: expected copy, indexes first or inserts", c.file("case.json"), l.Table, l.How)
		}
		if l.Vacuum != "" {
			o.Vacuumed, o.Frozen = true, strings.Contains(strings.ToUpper(l.Vacuum), "FREEZE")
		}
		if err := w.Load("public", l.Table, rows, o); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// copiedRows are the rows of a file of COPY.
type copiedRows struct {
	rows    []stream.Tuple
	columns []int // that they have
}

func (r *copiedRows) Len() int { return len(r.rows) }

func (r *copiedRows) Row(n int, columns []int, to stream.Tuple) { copy(to, r.rows[n]) }

// readRows reads a file of COPY.
func (c *Case) readRows(file string, t *schema.Table) (*copiedRows, error) {
	f, err := c.fsys.Open(file)
	if err != nil {
		var failed *fs.PathError
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	head, text, _ := bytes.Cut(text, []byte("\n"))
	var places []int
	for _, name := range strings.Split(string(head), "\t") {
		n := t.Column(name)
		if n < 0 {
			return nil, fmt.Errorf("line 1: table %q has no column %q", t.Name, name)
		}
		places = append(places, n)
	}
	r := &copiedRows{columns: places}
	for line := 2; len(text) > 0; line++ {
		var fields []byte
		fields, text, _ = bytes.Cut(text, []byte("\n"))
		row := slices.Repeat(stream.Tuple{{Format: stream.ColumnNull}}, len(t.Columns))
		values := bytes.Split(fields, []byte("\t"))
		if len(values) != len(places) {
			return nil, fmt.Errorf("line %d: found %d values, expected %d", line, len(values), len(places))
		}
		for i, v := range values {
			if string(v) != `\N` {
				row[places[i]] = stream.Column{Format: stream.ColumnText, Data: unescape(v)}
			}
		}
		r.rows = append(r.rows, row)
	}
	return r, nil
}

// unescape takes the backslashes of COPY's text format away, as CopyReadAttributesText
// does with those that COPY TO writes.
func unescape(v []byte) []byte {
	if bytes.IndexByte(v, '\\') < 0 {
		return v
	}
	var b []byte
	for i := 0; i < len(v); i++ {
		if v[i] != '\\' || i == len(v)-1 {
			b = append(b, v[i])
			continue
		}
		i++
		switch v[i] {
		case 'b':
			b = append(b, '\b')
		case 'f':
			b = append(b, '\f')
		case 'n':
			b = append(b, '\n')
		case 'r':
			b = append(b, '\r')
		case 't':
			b = append(b, '\t')
		case 'v':
			b = append(b, '\v')
		default:
			b = append(b, v[i])
		}
	}
	return b
}
