package backend

// What a COPY ... FROM says beside its rows.

import (
	"strings"

	"applysim/model/apply"
	"applysim/model/schema"
)

// Limits of what COPY gathers before it writes. Source: REL_18_1,
// src/backend/commands/copyfrom.c, MAX_BUFFERED_TUPLES and MAX_BUFFERED_BYTES.
const (
	maxBufferedTuples = 1000
	maxBufferedBytes  = 65535
)

// readCopy reads COPY table [(columns)] FROM ... as a statement that inserts rows, and COPY
// table TO as one that reads them; nil if it is another COPY.
func readCopy(s *statement, db *schema.Database) *dml {
	d := &dml{statement: s, verb: "insert", rows: -1, copy: &apply.CopyStatement{}}
	d.valueless = true
	toks := s.toks[1:]
	if len(toks) == 0 || !toks[0].name() {
		return nil
	}
	space, name := "public", toks[0].text
	toks = toks[1:]
	if len(toks) > 1 && toks[0].is(".") {
		space, name, toks = name, toks[1].text, toks[2:]
	}
	if d.table = db.Table(space, name); d.table == nil {
		return nil
	}
	if len(toks) > 0 && toks[0].is("(") {
		d.given = []int{}
		end := closing(toks, 0)
		for _, name := range list(toks[1:min(end, len(toks))]) {
			if len(name) > 0 {
				d.given = append(d.given, d.table.Column(name[0].text))
			}
		}
		toks = toks[min(end+1, len(toks)):]
	} else {
		d.given = d.first(len(d.table.Columns))
		d.given = withoutGenerated(d.table, d.given)
	}
	if len(toks) > 0 && toks[0].is("to") {
		d.verb, d.simple, d.copy, d.given = "select", true, nil, nil // it reads the table
		return d
	}
	if len(toks) == 0 || !toks[0].is("from") {
		return nil
	}
	all, header := true, 0
	for i, t := range toks {
		switch {
		case t.is("where", "on_error", "reject_limit"):
			all = false // some lines are left out
		case t.is("binary"):
			d.copy.Binary = true
		case t.is("header"):
			header = 1
			if i+1 < len(toks) && toks[i+1].is("false", "off", "0") {
				header = 0
			}
		case t.is("csv") || t.kind == 's' && strings.EqualFold(t.text, "'csv'"):
			d.copy.CSV = true
		}
	}
	if s.data != nil && all && !d.copy.Binary {
		lines := s.data
		if d.copy.CSV {
			lines = records(lines)
		}
		lines = lines[min(header, len(lines)):]
		d.rows = int64(len(lines))
		d.copy.Sizes = batches(lines)
	}
	return d
}

// withoutGenerated leaves generated columns out.
func withoutGenerated(t *schema.Table, columns []int) []int {
	var list []int
	for _, n := range columns {
		if t.Columns[n].Generated == 0 {
			list = append(list, n)
		}
	}
	return list
}

// records joins the lines of CSV that a quoted line end separates.
func records(lines []string) []string {
	var joined []string
	open := false
	for _, l := range lines {
		if open {
			joined[len(joined)-1] += "\n" + l
		} else {
			joined = append(joined, l)
		}
		open = open != (strings.Count(l, `"`)%2 == 1)
	}
	return joined
}

// batches are the numbers of lines that COPY gathers.
func batches(lines []string) []int {
	sizes := []int{}
	n, bytes := 0, 0
	for _, l := range lines {
		n++
		bytes += len(l)
		if n >= maxBufferedTuples || bytes >= maxBufferedBytes {
			sizes = append(sizes, n)
			n, bytes = 0, 0
		}
	}
	return sizes
}
