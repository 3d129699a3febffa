package report

import (
	_ "embed"
	"html/template"
	"io"
	"math"
	"strconv"
	"strings"
)

//go:embed page.html
var pageTemplate string

// page is what the template is filled with.
type page struct {
	Title    string
	Lead     []string // paragraphs under the title
	Keys     []key    // what the colours of the charts stand for
	Sections []*section
}

// key is a colour's meaning.
type key struct {
	Class, Name string
}

// section is a heading with what is below it.
type section struct {
	ID, Heading string
	Text        []string
	Charts      []chart
	Tables      []*grid
	Pieces      []piece
	Lists       []list
}

// chart is a drawing with what it shows.
type chart struct {
	Caption string
	SVG     template.HTML
}

// grid is a table.
type grid struct {
	Caption string
	Head    []cell
	Rows    [][]cell
	Folded  bool // shown when it is asked for
}

// cell is a cell of a table.
type cell struct {
	Text   string
	Number bool // aligned to the right
	Strong bool
}

// piece is a piece of advice.
type piece struct {
	ID, Heading string
	Figures     string
	DDL         string
	Lists       []list
}

// list is a heading with its items.
type list struct {
	Heading string
	Items   []string
	Folded  bool
}

// write fills the template.
func (p *page) write(w io.Writer) error {
	t, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}

func (p *page) add(id, heading string, text ...string) *section {
	s := &section{ID: id, Heading: heading, Text: text}
	p.Sections = append(p.Sections, s)
	return s
}

// text and num make cells.
func text(s string) cell { return cell{Text: s} }

func num(s string) cell { return cell{Text: s, Number: true} }

func heads(names ...string) []cell {
	var list []cell
	for _, n := range names {
		number := strings.HasPrefix(n, ">")
		list = append(list, cell{Text: strings.TrimPrefix(n, ">"), Number: number})
	}
	return list
}

// number is a number with so many decimals and thousands separators.
func number(f float64, decimals int) string {
	s := strconv.FormatFloat(math.Abs(f), 'f', decimals, 64)
	whole, rest, found := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if found {
		whole += "." + rest
	}
	if f < 0 && strings.Trim(whole, "0.,") != "" {
		return "−" + whole
	}
	return whole
}

func whole(n int64) string { return number(float64(n), 0) }

// optional is a number, or a dash where there is none.
func optional(f *float64, factor float64, decimals int, unit string) string {
	if f == nil {
		return "–"
	}
	return number(float64(*f*factor), decimals) + unit
}

// size is a number of bytes in the unit that fits, as PostgreSQL has them: a kB is 1,024 bytes.
func size(n float64) string {
	abs := math.Abs(n)
	switch {
	case abs < 10<<10:
		return number(n, 0) + " B"
	case abs < 1<<20:
		return number(n/(1<<10), 1) + " kB"
	case abs < 1<<30:
		return number(n/(1<<20), 1) + " MB"
	}
	return number(n/(1<<30), 1) + " GB"
}

// duration is a time in the unit that fits.
func duration(s float64) string {
	abs := math.Abs(s)
	switch {
	case s == 0:
		return "0 s"
	case abs < 1e-3:
		return number(s*1e6, 1) + " µs"
	case abs < 1:
		return number(s*1e3, 1) + " ms"
	case abs < 120:
		return number(s, 1) + " s"
	case abs < 7200:
		return number(s/60, 1) + " min"
	}
	return number(s/3600, 1) + " h"
}
