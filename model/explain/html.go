package explain

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed page.html
var pageTemplate string

// HTML writes the explanation as one page that needs nothing else: it shows one step at a
// time and is moved by the keyboard, and shows all steps where scripts do not run.
func (x *Explanation) HTML(w io.Writer) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"inc": func(n int) int { return n + 1 },
	}).Parse(pageTemplate)
	if err != nil {
		return err
	}
	return t.Execute(w, x.view())
}

// htmlPage is what the template is filled with.
type htmlPage struct {
	*Explanation
	Title    string
	Steps    []htmlStep
	Words    []Word
	Summary  string
	NotDone  []htmlNote
	Warnings []string
}

type htmlStep struct {
	*Step
	Number  int
	Cost    string
	Text    []template.HTML
	Figures []figure
	Records []htmlRecord
	Share   float64 // of the CPU, percent
	Work    []string
}

type htmlNote struct{ What, Why template.HTML }

type htmlRecord struct {
	Record
	Title string
	Bar   template.HTML
	Refs  []string
}

// figure is a drawing with what it shows.
type figure struct {
	Caption string
	SVG     []template.HTML
}

func (x *Explanation) view() *htmlPage {
	p := &htmlPage{Explanation: x, Title: x.title(), Warnings: x.Warnings}
	var all strings.Builder
	for i, s := range x.Steps {
		h := htmlStep{Step: s, Number: i + 1}
		l := newLinker()
		for _, t := range s.Text {
			h.Text = append(h.Text, l.link(t))
			all.WriteString(t + "\n")
		}
		bytes := 0
		for j := range s.Records {
			r := &s.Records[j]
			bytes += r.Length
			title := fmt.Sprintf("%s/%s, %s", r.Manager, r.Type, bytesText(r.Length))
			if r.Relation != "-" {
				title += fmt.Sprintf(": %s, block %s", r.Relation, r.Block)
			}
			hr := htmlRecord{Record: *r, Title: title, Bar: lengthSVG(r)}
			for _, b := range r.Blocks {
				hr.Refs = append(hr.Refs, blockText(&b))
			}
			h.Records = append(h.Records, hr)
		}
		h.Cost = stepCost(s, x)
		if x.Total.CPU > 0 {
			h.Share = 100 * s.CPU / x.Total.CPU
		}
		for _, w := range byKind(s.Work) {
			h.Work = append(h.Work, workText(w))
		}
		h.Figures = figures(s)
		p.Steps = append(p.Steps, h)
	}
	l := newLinker()
	for _, n := range x.NotDone {
		p.NotDone = append(p.NotDone, htmlNote{l.link(capital(n.What)), l.link(n.Why)})
		all.WriteString(n.What + " " + n.Why + "\n")
	}
	p.Words = Glossary(all.String() + " WAL LSN page line pointer xmin xmax")
	p.Summary = x.totalText()
	return p
}

// title is the change in a line.
func (x *Explanation) title() string {
	if x.Change.Statement != "" {
		return x.Change.Statement
	}
	return x.Change.SQL
}

// figures draws what a step does to pages.
func figures(s *Step) []figure {
	var list []figure
	if len(s.Path) > 1 {
		list = append(list, figure{"The descent: one page a level, and the item that is followed", []template.HTML{pathSVG(s.Path)}})
	}
	var trees []*Pages
	for _, g := range s.Pages {
		if g.After.Kind == "btree" {
			trees = append(trees, g)
			continue
		}
		f := figure{Caption: fmt.Sprintf("Page %d of %s: line pointers, and the bytes of the page. Arrows are HOT chains and redirects.", g.Block, g.Relation)}
		if g.Before != nil {
			f.SVG = append(f.SVG, heapSVG(g.Before, "before"))
		}
		f.SVG = append(f.SVG, heapSVG(g.After, "after"))
		list = append(list, f)
	}
	if len(trees) > 0 {
		list = append(list, figure{"Pages of " + trees[0].Relation + ": items in the order of their keys, as wide as they are long", []template.HTML{treeSVG(trees)}})
	}
	return list
}

// linker links the first use of each word of the glossary to its meaning.
type linker struct{ used map[string]bool }

func newLinker() *linker { return &linker{map[string]bool{}} }

func (l *linker) link(text string) template.HTML {
	type place struct {
		at, end int
		word    Word
	}
	var places []place
	lower := lowered(text)
	for _, w := range words {
		if l.used[w.Word] {
			continue
		}
		at := find(lower, lowered(w.Word))
		if at < 0 {
			continue
		}
		places = append(places, place{at, at + len(w.Word), w})
	}
	// The longer word goes before one within it.
	for i := range places {
		for j := range places {
			p, q := &places[i], &places[j]
			if i != j && p.end > 0 && q.end > 0 && p.at < q.end && q.at < p.end && p.end-p.at > q.end-q.at {
				q.end = -1
			}
		}
	}
	var b strings.Builder
	at := 0
	for {
		next := -1
		for i := range places {
			if p := &places[i]; p.end > 0 && p.at >= at && (next < 0 || p.at < places[next].at) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		p := places[next]
		l.used[p.word.Word] = true
		b.WriteString(esc(text[at:p.at]))
		fmt.Fprintf(&b, `<a class="word" href="#word-%s" title="%s">%s</a>`, anchor(p.word.Word), esc(p.word.Meaning), esc(text[p.at:p.end]))
		at = p.end
	}
	b.WriteString(esc(text[at:]))
	return template.HTML(b.String())
}

func anchor(word string) string {
	return strings.ReplaceAll(strings.ToLower(word), " ", "-")
}

// Anchor is the word's place in the page.
func (w Word) Anchor() string { return anchor(w.Word) }

// Before is the value in the old row, for the page.
func (c Column) Before() string { return orNull(c.Old) }

// After is the value in the new row.
func (c Column) After() string { return orNull(c.New) }

func orNull(v *string) string {
	if v == nil {
		return "NULL"
	}
	return shown(*v)
}
