package explain

import (
	"fmt"
	"html/template"
	"strings"
	"unicode/utf8"
)

// Drawings, as SVG that stands in the page. Widths are in the drawing's own units.
const (
	drawWidth  = 720
	pageBytes  = 8192
	cellSize   = 20
	cellsInRow = drawWidth / cellSize
)

// svg collects a drawing.
type svg struct {
	b      strings.Builder
	height int
}

func (s *svg) add(format string, args ...any) { fmt.Fprintf(&s.b, format+"\n", args...) }

func (s *svg) rect(class string, x, y, w, h float64, title string) {
	s.add(`<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"><title>%s</title></rect>`, class, x, y, max(w, 1), h, esc(title))
}

func (s *svg) text(class string, x, y float64, text string) {
	s.add(`<text class="%s" x="%.1f" y="%.1f">%s</text>`, class, x, y, esc(text))
}

// done closes the drawing, whose meaning is told in words.
func (s *svg) done(label string) template.HTML {
	return template.HTML(fmt.Sprintf(`<svg viewBox="0 0 %d %d" role="img" aria-label="%s">`+"\n", drawWidth, s.height, esc(label)) + s.b.String() + "</svg>")
}

func esc(s string) string { return template.HTMLEscapeString(s) }

// cut makes a text fit so many characters.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// heapSVG draws a heap page: its line pointers with the HOT chains among them, and where
// its bytes are.
func heapSVG(p *Page, title string) template.HTML {
	s := &svg{}
	rows := (len(p.Items) + cellsInRow - 1) / cellsInRow
	arcs := 34.0 // room for the arrows of chains above the first row
	s.text("caption", 0, 14, title)
	top := 22 + arcs
	at := func(lp int) (x, y float64) {
		return times(float64((lp-1)%cellsInRow), cellSize), top + times(float64((lp-1)/cellsInRow), cellSize+arcs)
	}
	for i := range p.Items {
		it := &p.Items[i]
		x, y := at(it.LP)
		s.rect("lp "+itemClass(it), x+1, y+1, cellSize-2, cellSize-2, pointerTitle(it))
		s.text("num", x+cellSize/2, y+14, fmt.Sprint(it.LP))
	}
	// The chains that nothing has happened to first, so that the others lie above them.
	for _, hit := range []bool{false, true} {
		for i := range p.Items {
			it := &p.Items[i]
			if it.Leads == 0 || it.Leads > len(p.Items) || (it.Changed || p.Items[it.Leads-1].Changed) != hit {
				continue
			}
			x1, y1 := at(it.LP)
			x2, y2 := at(it.Leads)
			class, marker := "chain other", ""
			if hit {
				class, marker = "chain hit", ` marker-end="url(#arrow)"`
			}
			x1, x2 = x1+cellSize/2, x2+cellSize/2
			lift := min(arcs-6, 12+abs(x2-x1)/12)
			s.add(`<path class="%s" d="M%.1f %.1f C%.1f %.1f %.1f %.1f %.1f %.1f"%s><title>line pointer %d leads to %d</title></path>`,
				class, x1, y1, x1, y1-lift, x2, y2-lift, x2, y2-1, marker, it.LP, it.Leads)
		}
	}
	y := top + times(float64(rows), cellSize+arcs) - arcs + 14
	if rows == 0 {
		y = top
	}
	// The page's bytes from the first to the last.
	scale := float64(drawWidth) / pageBytes
	s.rect("free", 0, y, drawWidth, 30, fmt.Sprintf("free space: %d bytes for one more row", p.Free))
	s.rect("header", 0, y, times(24, scale), 30, "page header, 24 bytes")
	s.rect("pointers", times(24, scale), y, times(float64(4*len(p.Items)), scale), 30, fmt.Sprintf("%d line pointers of 4 bytes", len(p.Items)))
	for i := range p.Items {
		it := &p.Items[i]
		if it.State == "normal" {
			s.rect("row "+itemClass(it), times(float64(it.Offset), scale), y, times(float64((it.Length+7)/8*8), scale)-0.4, 30, pointerTitle(it))
		}
	}
	s.text("small", 0, y+44, fmt.Sprintf("the page's 8,192 bytes: header, %d line pointers, %s free, row versions from the end", len(p.Items), bytesText(p.Free)))
	y = s.chains(p, y+60)
	s.height = int(y)
	return s.done(title)
}

// mostVersions is how many versions of a chain are drawn.
const mostVersions = 4

// chains draws the HOT chains that the step has to do with, version by version, from y on;
// it returns where they end.
func (s *svg) chains(p *Page, y float64) float64 {
	led := map[int]bool{}
	for i := range p.Items {
		led[p.Items[i].Leads] = true
	}
	for i := range p.Items {
		if led[p.Items[i].LP] || p.Items[i].Leads == 0 {
			continue
		}
		var chain []*Item
		hit := false
		for at := p.Items[i].LP; at > 0 && at <= len(p.Items) && len(chain) <= len(p.Items); at = p.Items[at-1].Leads {
			chain = append(chain, &p.Items[at-1])
			hit = hit || p.Items[at-1].Changed
		}
		if !hit {
			continue
		}
		left := 0
		if len(chain) > mostVersions {
			left = len(chain) - mostVersions
			chain = chain[left:]
		}
		const width, gap, height = 146.0, 22.0, 52.0
		for n, it := range chain {
			x := times(float64(n), width+gap)
			s.rect("lp "+itemClass(it), x, y, width, height, pointerTitle(it))
			s.text("on", x+6, y+15, fmt.Sprintf("line pointer %d", it.LP))
			if it.State == "redirect" {
				s.text("on", x+6, y+31, "redirect")
			} else {
				ended := "not ended"
				if it.Xmax != 0 && !it.Lock {
					ended = fmt.Sprintf("xmax %d", it.Xmax)
				}
				s.text("on", x+6, y+31, fmt.Sprintf("xmin %d, %s", it.Xmin, ended))
				s.text("on", x+6, y+46, it.Note)
			}
			if n+1 < len(chain) {
				s.add(`<path class="chain hit" d="M%.1f %.1f L%.1f %.1f" marker-end="url(#arrow)"/>`, x+width, y+height/2, x+width+gap-1, y+height/2)
			}
		}
		y += height + 6
		if left > 0 {
			s.text("small", 0, y+10, fmt.Sprintf("%d before these are left out", left))
			y += 14
		}
	}
	return y
}

// times multiplies: rounded for itself, so that all machines draw the same.
func times(a, b float64) float64 { return float64(a * b) }

func abs(x float64) float64 {
	if x < 0 {
		return -x
	}
	return x
}

// itemClass is how an item is coloured.
func itemClass(it *Item) string {
	class := it.State
	switch {
	case it.Note == "the new version":
		class += " new"
	case it.Note == "the old version" || it.Note == "the row that was found" || it.Note == "the deleted row":
		class += " old"
	case it.Changed:
		class += " hit"
	}
	return class
}

func pointerTitle(it *Item) string {
	t := fmt.Sprintf("line pointer %d: %s", it.LP, it.State)
	if it.State == "normal" {
		t += fmt.Sprintf(", %d bytes, xmin %d", it.Length, it.Xmin)
		if it.Xmax != 0 {
			t += fmt.Sprintf(", xmax %d", it.Xmax)
			if it.Lock {
				t += " (lock)"
			}
		}
	}
	if it.Leads > 0 {
		t += fmt.Sprintf(", leads to %d", it.Leads)
	}
	if it.Note != "" {
		t += ": " + it.Note
	}
	return t
}

// pathSVG draws a descent: a page a level, with the item that is followed.
func pathSVG(path []PathPage) template.HTML {
	s := &svg{}
	y := 4.0
	const boxHeight, gap = 46, 34
	mid := float64(drawWidth) / 2
	for i, g := range path {
		s.rect("node", 60, y, drawWidth-120, boxHeight, fmt.Sprintf("block %d, %d items", g.Block, g.Items))
		s.text("caption", 70, y+18, fmt.Sprintf("%s, block %d", g.Role, g.Block))
		s.text("small", 70, y+36, plural(int64(g.Items), "item"))
		key := fmt.Sprintf("item %d: keys from %s", g.At, g.Key)
		switch {
		case g.Level == 0 && g.At > g.Items:
			key = "place: after the last item"
		case g.Level == 0:
			key = fmt.Sprintf("place: %d, at key %s", g.At, g.Key)
		case g.Next != "":
			key += " to " + g.Next
		}
		// Where the item is among the others.
		share := 0.5
		if g.Items > 1 {
			share = min(float64(g.At-1)/float64(g.Items-1), 1)
		}
		x := 330 + times(share, drawWidth-60-330-14)
		s.rect("slots", 330, y+30, drawWidth-60-330-10, 8, fmt.Sprintf("%d items", g.Items))
		s.rect("slot hit", x, y+27, 5, 14, key)
		s.text("small", 330, y+18, cut(key, 48))
		if i+1 < len(path) {
			s.add(`<path class="chain hit" d="M%.1f %.1f C%.1f %.1f %.1f %.1f %.1f %.1f" marker-end="url(#arrow)"/>`,
				x+2, y+boxHeight, x+2, y+boxHeight+gap/2, mid, y+boxHeight+gap/2, mid, y+boxHeight+gap-2)
		}
		y += boxHeight + gap
	}
	s.height = int(y-gap) + 8
	return s.done("the descent from the root to the leaf")
}

// treeSVG draws the pages of an index before and after a step, one below the other: the
// higher ones first. A split shows as one page that becomes two.
func treeSVG(pages []*Pages) template.HTML {
	s := &svg{}
	y := 16.0
	const barHeight = 22
	half := float64(drawWidth)/2 - 20
	s.text("caption", 0, y, "before")
	s.text("caption", half+40, y, "after")
	y += 12
	level := func(g *Pages) int {
		if g.After != nil {
			return g.After.Level
		}
		return 0
	}
	sorted := append([]*Pages{}, pages...)
	for i := range sorted {
		for j := i; j > 0 && level(sorted[j-1]) < level(sorted[j]); j-- {
			sorted[j-1], sorted[j] = sorted[j], sorted[j-1]
		}
	}
	middle := map[*Pages]float64{}
	for _, g := range sorted {
		middle[g] = y + 16 + barHeight/2
		name := fmt.Sprintf("%s, block %d", g.After.Role, g.Block)
		s.btreeBar(g.Before, 0, y, half, name, "entry gone")
		s.btreeBar(g.After, half+40, y, half, name, "entry new")
		y += 16 + barHeight + 34
	}
	// From a page to itself, and to the one that was split off it.
	var split *Pages
	for _, g := range sorted {
		if g.Before != nil {
			s.add(`<path class="chain" d="M%.1f %.1f L%.1f %.1f" marker-end="url(#arrow)"/>`, half+4, middle[g], half+36, middle[g])
			if len(g.After.Items) < len(g.Before.Items) {
				split = g
			}
		}
	}
	for _, g := range sorted {
		if g.Before == nil && split != nil && level(g) == level(split) {
			s.add(`<path class="chain hit" d="M%.1f %.1f L%.1f %.1f" marker-end="url(#arrow)"><title>split off</title></path>`, half+4, middle[split]+6, half+36, middle[g])
		}
	}
	s.height = int(y)
	return s.done("index pages before and after")
}

// btreeBar draws a page of an index: its items with their sizes in the order of their
// keys, and what is free; changed is how those look that the other page does not have.
func (s *svg) btreeBar(p *Page, x, y, width float64, name, changed string) {
	if p == nil {
		s.text("small", x, y+12, name+": not there yet")
		return
	}
	s.text("small", x, y+12, fmt.Sprintf("%s: %s, %s free", name, plural(int64(len(p.Items)), "item"), bytesText(p.Free)))
	const space = 8152.0
	s.rect("free", x, y+16, width, 22, fmt.Sprintf("%d bytes free", p.Free))
	at := x
	for i := range p.Items {
		it := &p.Items[i]
		w := times(float64(it.Length+4)/space, width)
		class := "entry"
		switch {
		case it.HighKey:
			class = "entry high"
		case it.Changed && it.State == "dead":
			class = "entry dead"
		case it.Changed:
			class = changed
		case it.TIDs > 0:
			class = "entry posting"
		}
		s.add(`<rect class="%s" x="%.2f" y="%.1f" width="%.2f" height="22"><title>item %d, %d bytes: %s</title></rect>`, class, at, y+16, max(w-0.15, 0.4), it.LP, it.Length, esc(itemText(it)))
		at += w
	}
	first, last := ends2(p.Items)
	s.text("small", x, y+50, cut(fmt.Sprintf("keys %s ... %s", cut(first, 22), cut(last, 22)), 58))
}

// lengthSVG draws what a record's bytes are.
func lengthSVG(r *Record) template.HTML {
	s := &svg{}
	x := 0.0
	for _, p := range r.Parts {
		class := "part head"
		switch {
		case strings.Contains(p.Name, "page image"):
			class = "part image"
		case strings.HasPrefix(p.Name, "main data"):
			class = "part main"
		case strings.HasPrefix(p.Name, "block") && !strings.HasSuffix(p.Name, "block number") && !strings.Contains(p.Name, "reference:") && !strings.Contains(p.Name, "relation:") && !strings.Contains(p.Name, "header of"):
			class = "part data"
		}
		w := times(float64(p.Bytes)/float64(r.Length), drawWidth)
		s.add(`<rect class="%s" x="%.2f" y="0" width="%.2f" height="18"><title>%s: %s</title></rect>`, class, x, max(w-0.6, 0.6), esc(bytesText(p.Bytes)), esc(p.Name))
		x += w
	}
	s.height = 18
	return s.done(fmt.Sprintf("the %d bytes of the record", r.Length))
}
