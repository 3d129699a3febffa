package lessons

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"applysim/experiments/table"
)

// Lesson is one question and the experiment that answers it.
type Lesson struct {
	Name     string // as the program takes it
	Question string
	run      func(*Report) error
}

// Report is what a lesson has found out.
type Report struct {
	Name     string
	Question string
	Parts    []Part
	// Figures are the numbers that the answer rests on, by name.
	Figures map[string]float64

	failed []string // answers that do not hold
}

// Part is a piece of a report: one of its fields is set.
type Part struct {
	Text   string       `json:"text,omitempty"`
	SQL    string       `json:"sql,omitempty"`
	Table  *table.Table `json:"-"`
	Answer string       `json:"answer,omitempty"`
	Word   string       `json:"word,omitempty"` // explained in Text
}

// Lessons lists all lessons in the order in which they are best read.
func Lessons() []Lesson {
	return []Lesson{
		{"change", "Why is one change paid for several times?", change},
		{"index", "What does an index cost?", indexPrice},
		{"hot", "What breaks HOT?", breaksHOT},
		{"fillfactor", "What does fillfactor do, pass by pass?", fillfactor},
		{"pruning", "What does a long transaction do to pruning?", longTransaction},
		{"full", "What happens with REPLICA IDENTITY FULL and the wrong index?", wrongIndex},
		{"keys", "Random keys, or keys that ascend with time?", keyOrder},
		{"checkpoint", "Why is the first minute after a checkpoint so dear?", afterCheckpoint},
		{"toast", "What does a long value cost that did not change?", unchangedTOAST},
		{"transactions", "One big transaction, or many small ones?", bigOrSmall},
	}
}

// Find returns the lesson of a name.
func Find(name string) (*Lesson, error) {
	var names []string
	for _, l := range Lessons() {
		if l.Name == name {
			return &l, nil
		}
		names = append(names, l.Name)
	}
	return nil, fmt.Errorf("there is no lesson %q: expected one of %s", name, strings.Join(names, ", "))
}

// Run makes the experiment. The error says which answer does not hold.
func (l *Lesson) Run() (*Report, error) {
	r := &Report{Name: l.Name, Question: l.Question, Figures: map[string]float64{}}
	if err := l.run(r); err != nil {
		return nil, fmt.Errorf("lesson %s: %w", l.Name, err)
	}
	if len(r.failed) > 0 {
		return r, fmt.Errorf("lesson %s: this does not hold: %s", l.Name, strings.Join(r.failed, " "))
	}
	return r, nil
}

// Say adds a paragraph.
func (r *Report) Say(format string, args ...any) {
	r.Parts = append(r.Parts, Part{Text: grouped(fmt.Sprintf(format, args...))})
}

// SQL adds statements.
func (r *Report) SQL(text string) { r.Parts = append(r.Parts, Part{SQL: strings.TrimSpace(text)}) }

// Table adds a table.
func (r *Report) Table(t *table.Table) { r.Parts = append(r.Parts, Part{Table: t}) }

// Figure notes a number that the answer rests on.
func (r *Report) Figure(name string, value float64) float64 {
	r.Figures[name] = value
	return value
}

// Answer adds a paragraph of the answer, which is true if holds.
func (r *Report) Answer(holds bool, format string, args ...any) {
	text := grouped(fmt.Sprintf(format, args...))
	r.Parts = append(r.Parts, Part{Answer: text})
	if !holds {
		r.failed = append(r.failed, text)
	}
}

// Word explains a word of the trade.
func (r *Report) Word(word, meaning string) {
	r.Parts = append(r.Parts, Part{Word: word, Text: meaning})
}

// lineWidth is that of text.
const lineWidth = 80

// Text writes the report for a terminal.
func (r *Report) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", r.Question, strings.Repeat("=", len(r.Question)))
	answering := false
	for _, p := range r.Parts {
		b.WriteByte('\n')
		switch {
		case p.Table != nil:
			if err := p.Table.Text(&b); err != nil {
				return err
			}
		case p.SQL != "":
			for line := range strings.Lines(p.SQL + "\n") {
				b.WriteString("    " + line)
			}
		case p.Answer != "":
			if !answering {
				b.WriteString("Answer\n------\n\n")
				answering = true
			}
			b.WriteString(wrapped(p.Answer, ""))
		case p.Word != "":
			b.WriteString(wrapped(p.Word+": "+p.Text, "  "))
		default:
			b.WriteString(wrapped(p.Text, ""))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Markdown writes the report for a web page.
func (r *Report) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", r.Question)
	answering := false
	for _, p := range r.Parts {
		b.WriteByte('\n')
		switch {
		case p.Table != nil:
			if err := p.Table.Markdown(&b); err != nil {
				return err
			}
		case p.SQL != "":
			fmt.Fprintf(&b, "```sql\n%s\n```\n", p.SQL)
		case p.Answer != "":
			if !answering {
				b.WriteString("## Answer\n\n")
				answering = true
			}
			b.WriteString(p.Answer + "\n")
		case p.Word != "":
			fmt.Fprintf(&b, "- **%s**: %s\n", p.Word, p.Text)
		default:
			b.WriteString(p.Text + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// MarshalJSON writes tables as lists of rows.
func (r *Report) MarshalJSON() ([]byte, error) {
	type jsonTable struct {
		Title   string   `json:"title,omitempty"`
		Columns []string `json:"columns"`
		Rows    [][]any  `json:"rows"`
	}
	type jsonPart struct {
		Part
		Table *jsonTable `json:"table,omitempty"`
	}
	parts := []jsonPart{}
	for _, p := range r.Parts {
		j := jsonPart{Part: p}
		if p.Table != nil {
			j.Table = &jsonTable{Title: p.Table.Title, Rows: p.Table.Rows}
			for _, c := range p.Table.Columns {
				j.Table.Columns = append(j.Table.Columns, c.Name)
			}
		}
		parts = append(parts, j)
	}
	return json.Marshal(map[string]any{"name": r.Name, "question": r.Question, "parts": parts, "figures": r.Figures})
}

// grouped gives the numbers of a text thousands separators.
func grouped(text string) string {
	return number.ReplaceAllStringFunc(text, func(digits string) string {
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			return digits
		}
		return table.Integer(n)
	})
}

var number = regexp.MustCompile(`\b\d{4,}\b`)

// wrapped breaks a paragraph into lines.
func wrapped(text, indent string) string {
	var b strings.Builder
	at := 0
	for _, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case at == 0:
			b.WriteString(indent)
			at = len(indent)
		case at+1+n > lineWidth:
			b.WriteString("\n" + indent)
			at = len(indent)
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String() + "\n"
}

// times says how many times as much as y x is.
func times(x, y float64) string {
	if y == 0 {
		return "infinitely often"
	}
	if x/y >= 10 {
		return fmt.Sprintf("%.0f times", x/y)
	}
	return fmt.Sprintf("%.1f times", x/y)
}
