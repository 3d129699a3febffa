// Package table prints a table as aligned text, Markdown or CSV.
//
// A cell is a string, an integer or a float64; nil is an empty cell. Text and
// Markdown show numbers with thousands separators and the decimals of their
// column, CSV shows them plain.
package table

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Column is a column's heading and how its cells are shown.
type Column struct {
	Name     string
	CSV      string // heading in CSV; Name if empty
	Right    bool   // numbers are aligned to the right
	Signed   bool   // numbers carry their sign
	Decimals int    // of float64 cells; CSV shows them as exactly as it takes
	Unit     string // follows a number in text and Markdown
}

// Table is a heading, columns and rows.
type Table struct {
	Title   string
	Columns []Column
	Rows    [][]any
	// Rules are numbers of rows before which text draws a line.
	Rules []int
}

// Add appends a row.
func (t *Table) Add(cells ...any) { t.Rows = append(t.Rows, cells) }

// Rule draws a line before the next row.
func (t *Table) Rule() { t.Rules = append(t.Rules, len(t.Rows)) }

// Text writes the table in columns.
func (t *Table) Text(w io.Writer) error {
	cells := t.format()
	width := make([]int, len(t.Columns))
	for i := range t.Columns {
		for _, row := range cells {
			width[i] = max(width[i], utf8.RuneCountInString(row[i]))
		}
	}
	total := 2 * (len(width) - 1)
	for _, n := range width {
		total += n
	}
	var b strings.Builder
	if t.Title != "" {
		b.WriteString(t.Title + "\n")
	}
	line := func() { b.WriteString(strings.Repeat("-", total) + "\n") }
	for i, row := range cells {
		if i == 1 {
			line()
		}
		for _, rule := range t.Rules {
			if i > 1 && rule == i-1 {
				line()
			}
		}
		var s strings.Builder
		for j, cell := range row {
			pad := strings.Repeat(" ", width[j]-utf8.RuneCountInString(cell))
			if t.Columns[j].Right {
				s.WriteString(pad + cell)
			} else {
				s.WriteString(cell + pad)
			}
			s.WriteString("  ")
		}
		b.WriteString(strings.TrimRight(s.String(), " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Markdown writes the table as GitHub's Markdown has it.
func (t *Table) Markdown(w io.Writer) error {
	var b strings.Builder
	if t.Title != "" {
		b.WriteString("**" + t.Title + "**\n\n")
	}
	escape := strings.NewReplacer("|", `\|`)
	for i, row := range t.format() {
		for _, cell := range row {
			b.WriteString("| " + escape.Replace(strings.TrimLeft(cell, " ")) + " ")
		}
		b.WriteString("|\n")
		if i > 0 {
			continue
		}
		for _, c := range t.Columns {
			b.WriteString(map[bool]string{true: "| ---: ", false: "| --- "}[c.Right])
		}
		b.WriteString("|\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// CSV writes the table with its heading.
func (t *Table) CSV(w io.Writer) error {
	c := csv.NewWriter(w)
	row := make([]string, len(t.Columns))
	for i, column := range t.Columns {
		row[i] = column.CSV
		if row[i] == "" {
			row[i] = column.Name
		}
	}
	c.Write(row)
	for _, cells := range t.Rows {
		for i, cell := range cells {
			switch v := cell.(type) {
			case nil:
				row[i] = ""
			case float64:
				row[i] = strconv.FormatFloat(v, 'g', -1, 64)
			default:
				row[i] = strings.TrimLeft(fmt.Sprint(v), " ")
			}
		}
		c.Write(row)
	}
	c.Flush()
	return c.Error()
}

// format gives all cells as text, the heading first.
func (t *Table) format() [][]string {
	rows := make([][]string, 1, len(t.Rows)+1)
	for _, c := range t.Columns {
		rows[0] = append(rows[0], c.Name)
	}
	for _, cells := range t.Rows {
		row := make([]string, len(t.Columns))
		for i, cell := range cells {
			row[i] = t.Columns[i].text(cell)
		}
		rows = append(rows, row)
	}
	return rows
}

func (c *Column) text(cell any) string {
	var s string
	positive := false
	switch v := cell.(type) {
	case nil:
		return ""
	case string:
		return v
	case int:
		s, positive = Integer(int64(v)), v > 0
	case int64:
		s, positive = Integer(v), v > 0
	case float64:
		s, positive = strconv.FormatFloat(v, 'f', c.Decimals, 64), v > 0
		if whole, rest, ok := strings.Cut(s, "."); ok {
			s = group(whole) + "." + rest
		} else {
			s = group(s)
		}
	default:
		return fmt.Sprint(v)
	}
	if c.Signed && positive {
		s = "+" + s
	}
	return s + c.Unit
}

// Integer gives a number with thousands separators.
func Integer(n int64) string { return group(strconv.FormatInt(n, 10)) }

func group(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}
