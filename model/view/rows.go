package view

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Rows are the rows of a view. A value is a string, an integer, a float64, a bool or
// nil for NULL.
type Rows struct {
	Columns []Column
	Values  [][]any
}

// Column is a column of a view.
type Column struct {
	Name   string
	Number bool // psql aligns it to the right
}

// newRows makes rows of columns, of which each is given as a name and, unless it is
// text, the kind of its values.
func newRows(columns ...string) *Rows {
	r := &Rows{}
	for _, c := range columns {
		name, kind, _ := strings.Cut(c, " ")
		r.Columns = append(r.Columns, Column{name, kind == "int" || kind == "float"})
	}
	return r
}

func (r *Rows) add(values ...any) { r.Values = append(r.Values, values) }

// WithoutNulls leaves out columns that are NULL in all rows.
func (r *Rows) WithoutNulls() *Rows {
	s := &Rows{Values: make([][]any, len(r.Values))}
	for i, c := range r.Columns {
		some := false
		for _, values := range r.Values {
			some = some || values[i] != nil
		}
		if !some {
			continue
		}
		s.Columns = append(s.Columns, c)
		for n, values := range r.Values {
			s.Values[n] = append(s.Values[n], values[i])
		}
	}
	return s
}

// Text is a value as PostgreSQL writes it, and whether it is NULL.
func Text(v any) (text string, null bool) {
	switch v := v.(type) {
	case nil:
		return "", true
	case string:
		return v, false
	case bool:
		return map[bool]string{true: "t", false: "f"}[v], false
	case float64:
		if math.IsNaN(v) {
			return "NaN", false
		}
		return strconv.FormatFloat(v, 'g', -1, 64), false
	}
	return fmt.Sprint(v), false
}

// Text writes the rows as psql does, but for spaces at the ends of lines.
func (r *Rows) Text(w io.Writer) error {
	width := make([]int, len(r.Columns))
	for i, c := range r.Columns {
		width[i] = utf8.RuneCountInString(c.Name)
	}
	cells := make([][]string, len(r.Values))
	for n, values := range r.Values {
		for i, v := range values {
			s, _ := Text(v)
			cells[n] = append(cells[n], s)
			width[i] = max(width[i], utf8.RuneCountInString(s))
		}
	}
	var b strings.Builder
	// line writes a line of cells, each with so many spaces before it and after it.
	line := func(between string, cell func(i int) (before int, text string, after int)) {
		var l strings.Builder
		for i := range r.Columns {
			if i > 0 {
				l.WriteString(between)
			}
			before, text, after := cell(i)
			l.WriteString(strings.Repeat(" ", before) + text + strings.Repeat(" ", after))
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	line("|", func(i int) (int, string, int) {
		pad := width[i] - utf8.RuneCountInString(r.Columns[i].Name)
		return 1 + pad/2, r.Columns[i].Name, 1 + pad - pad/2
	})
	line("+", func(i int) (int, string, int) { return 0, strings.Repeat("-", width[i]+2), 0 })
	for _, row := range cells {
		line("|", func(i int) (int, string, int) {
			pad := width[i] - utf8.RuneCountInString(row[i])
			if r.Columns[i].Number {
				return 1 + pad, row[i], 1
			}
			return 1, row[i], 1 + pad
		})
	}
	rows := "rows"
	if len(cells) == 1 {
		rows = "row"
	}
	fmt.Fprintf(&b, "(%d %s)\n", len(cells), rows)
	_, err := io.WriteString(w, b.String())
	return err
}

// CSV writes the rows with a heading, unless there are no columns; NULL is an empty value.
func (r *Rows) CSV(w io.Writer) error {
	c := csv.NewWriter(w)
	var line []string
	for i := range r.Columns {
		line = append(line, r.Columns[i].Name)
	}
	if line != nil {
		c.Write(line)
	}
	for _, values := range r.Values {
		line = line[:0]
		for _, v := range values {
			text, _ := Text(v)
			line = append(line, text)
		}
		c.Write(line)
	}
	c.Flush()
	return c.Error()
}

// MarshalJSON writes the rows as a list of objects, by column in their order.
func (r *Rows) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for n, values := range r.Values {
		if n > 0 {
			b = append(b, ',')
		}
		b = append(b, '{')
		for i, v := range values {
			if i > 0 {
				b = append(b, ',')
			}
			name, _ := json.Marshal(r.Columns[i].Name)
			b = append(append(b, name...), ':')
			if f, ok := v.(float64); ok && math.IsNaN(f) {
				v = "NaN"
			}
			value, err := json.Marshal(v)
			if err != nil {
				return nil, err
			}
			b = append(b, value...)
		}
		b = append(b, '}')
	}
	return append(b, ']'), nil
}
