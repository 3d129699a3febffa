package explain

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// lineWidth is where the text is broken.
const lineWidth = 96

// printer writes text with indentation.
type printer struct{ b strings.Builder }

// Text writes the explanation for people.
func (x *Explanation) Text(w io.Writer) error {
	p := &printer{}
	x.heading(p)
	for i, s := range x.Steps {
		p.step(i+1, s, x)
	}
	x.summary(p)
	text := p.b.String()
	if used := Glossary(text); len(used) > 0 {
		p.line(0, "Words")
		width := 0
		for _, u := range used {
			width = max(width, len(u.Word))
		}
		for _, u := range used {
			p.hanging(2, width+2, u.Word, u.Meaning)
		}
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (x *Explanation) heading(p *printer) {
	c := &x.Change
	if c.Statement != "" {
		p.wrap(0, "Statement: "+c.Statement)
	} else {
		p.wrap(0, fmt.Sprintf("Change %d (message %d): %s", c.Number, c.Message, c.SQL))
	}
	if len(c.Columns) > 0 && (c.New != "" || c.Old != "") {
		rows := [][]string{{"column", "type", "before", "after"}}
		for _, k := range c.Columns {
			rows = append(rows, []string{k.Name, k.Type, cell(k.Old, c.Old), cell(k.New, c.New)})
		}
		p.table(2, rows)
	}
	p.line(0, "")
}

// cell is a value of a row that may not be there.
func cell(v *string, tid string) string {
	switch {
	case tid == "":
		return ""
	case v == nil:
		return "NULL"
	}
	return shown(*v)
}

func (p *printer) step(n int, s *Step, x *Explanation) {
	head := fmt.Sprintf("%d. %s", n, s.Name)
	if cost := stepCost(s, x); cost != "" {
		head += "   [" + cost + "]"
	}
	p.line(0, head)
	for _, t := range s.Text {
		p.wrap(3, t)
	}
	if len(s.Fields) > 0 {
		rows := [][]string{{"offset", "bytes", "what", "value"}}
		for _, f := range s.Fields {
			rows = append(rows, []string{fmt.Sprint(f.Offset), fmt.Sprint(f.Bytes), f.Name, f.Value})
		}
		p.table(5, rows)
	}
	if len(s.Path) > 1 {
		p.path(s.Path)
	}
	for _, g := range s.Pages {
		p.pages(g)
	}
	for _, r := range s.Records {
		p.record(r)
	}
	if len(s.Work) > 0 {
		p.work(s)
	}
	p.line(0, "")
}

// stepCost is what a step writes and takes, "" for nothing.
func stepCost(s *Step, x *Explanation) string {
	var cost []string
	if len(s.Records) > 0 {
		bytes := 0
		for _, r := range s.Records {
			bytes += r.Length
		}
		cost = append(cost, fmt.Sprintf("%s, %s", plural(int64(len(s.Records)), "WAL record"), bytesText(bytes)))
	}
	if x.Profile != "" && s.CPU > 0 {
		cost = append(cost, fmt.Sprintf("CPU %.2f µs, %.0f %%", 1e6*s.CPU, 100*s.CPU/x.Total.CPU))
	}
	return strings.Join(cost, "; ")
}

func (p *printer) path(path []PathPage) {
	for _, g := range path {
		text := fmt.Sprintf("%s: block %d, %s", g.Role, g.Block, plural(int64(g.Items), "item"))
		switch {
		case g.Level == 0 && g.At > g.Items:
			text += ": the place is after the last one"
		case g.Level == 0:
			text += fmt.Sprintf(": the place is %d, at key %s", g.At, g.Key)
		default:
			text += fmt.Sprintf(": item %d is followed, for keys from %s", g.At, g.Key)
			if g.Next != "" {
				text += " to " + g.Next
			}
		}
		p.wrap(5, text)
	}
}

// mostItems is how many items of a page are shown, at most.
const mostItems = 14

func (p *printer) pages(g *Pages) {
	kind := "page"
	a := g.After
	switch {
	case a.Kind == "btree" && a.Role == "root" && a.Level == 0:
		kind = "root and leaf"
	case a.Kind == "btree":
		kind = a.Role + " page"
		if a.Role != "internal" {
			kind = a.Role
		}
	}
	head := fmt.Sprintf("%s %d of %s:", kind, g.Block, g.Relation)
	if g.Before == nil {
		p.wrap(5, fmt.Sprintf("%s new, %s, %s free", head, plural(int64(len(a.Items)), "item"), bytesText(a.Free)))
	} else {
		p.wrap(5, fmt.Sprintf("%s %d -> %s, %s -> %s free", head, len(g.Before.Items), plural(int64(len(a.Items)), "item"), thousands(int64(g.Before.Free)), bytesText(a.Free)))
	}
	if a.Kind == "heap" {
		p.versions(g)
		return
	}
	n := 0
	for i := range a.Items {
		if it := &a.Items[i]; it.Changed {
			n++
		}
	}
	if n > mostItems || g.Before == nil {
		first, last := ends2(a.Items)
		p.wrap(7, fmt.Sprintf("keys from %s to %s", first, last))
		return
	}
	if g.Before != nil {
		gone := 0
		for i := range g.Before.Items {
			if g.Before.Items[i].Changed {
				gone++
			}
		}
		if gone > 0 {
			p.wrap(7, fmt.Sprintf("%s of those before are not there any more", plural(int64(gone), "item")))
		}
	}
	for i := range a.Items {
		it := &a.Items[i]
		if !it.Changed {
			continue
		}
		p.wrap(7, fmt.Sprintf("item %d, %s: %s", it.LP, bytesText(it.Length), itemText(it)))
	}
}

// ends2 are the first and the last key of a page, its high key left out.
func ends2(items []Item) (first, last string) {
	for i := range items {
		if !items[i].HighKey {
			if first == "" {
				first = items[i].Key
			}
			last = items[i].Key
		}
	}
	return first, last
}

// itemText is what an index item says.
func itemText(it *Item) string {
	switch {
	case it.HighKey:
		return "high key " + it.Key
	case it.Downlink != nil:
		return fmt.Sprintf("downlink to block %d for keys from %s", *it.Downlink, it.Key)
	case it.TIDs > 0:
		return fmt.Sprintf("key %s -> posting list of %d rows from %s", it.Key, it.TIDs, it.TID)
	}
	text := fmt.Sprintf("key %s -> row %s", it.Key, it.TID)
	if it.State == "dead" {
		text += ", marked dead"
	}
	return text
}

// versions shows the line pointers of a heap page that a step has changed.
func (p *printer) versions(g *Pages) {
	rows := [][]string{{"line pointer", "state", "bytes", "xmin", "xmax", "", ""}}
	shownItems := 0
	for i := range g.After.Items {
		it := &g.After.Items[i]
		if !it.Changed {
			continue
		}
		if shownItems++; shownItems > mostItems {
			continue
		}
		rows = append(rows, versionRow(it))
	}
	if len(rows) > 1 {
		p.table(7, rows)
	}
	if shownItems > mostItems {
		p.line(7, fmt.Sprintf("... and %d more", shownItems-mostItems))
	}
}

func versionRow(it *Item) []string {
	row := []string{fmt.Sprint(it.LP), it.State, "", "", "", "", it.Note}
	switch it.State {
	case "redirect":
		row[5] = fmt.Sprintf("-> line pointer %d", it.Leads)
	case "normal":
		row[2], row[3] = fmt.Sprint(it.Length), fmt.Sprint(it.Xmin)
		if it.Xmax != 0 {
			row[4] = fmt.Sprint(it.Xmax)
			if it.Multi {
				row[4] = "MultiXact " + row[4]
			}
			if it.Lock {
				row[4] += " (lock)"
			}
		}
		var what []string
		if it.HeapOnly {
			what = append(what, "heap-only")
		}
		if it.Leads > 0 {
			what = append(what, fmt.Sprintf("HOT chain goes on at line pointer %d", it.Leads))
		} else if it.Xmax != 0 && !it.Lock && !it.Last {
			what = append(what, "next version at "+it.Ctid)
		} else if it.Last {
			what = append(what, "ended, with no next version")
		}
		row[5] = strings.Join(what, ", ")
	}
	return row
}

func (p *printer) record(r Record) {
	text := fmt.Sprintf("WAL %s/%s, %s", r.Manager, r.Type, bytesText(r.Length))
	if r.Relation != "-" {
		text += fmt.Sprintf(", %s block %s", r.Relation, r.Block)
	}
	p.wrap(5, text+", at "+r.Start)
	for i := range r.Blocks {
		p.wrap(7, blockText(&r.Blocks[i]))
	}
	width := len(fmt.Sprint(r.Length))
	for _, x := range r.Parts {
		p.hanging(7, width+2, fmt.Sprintf("%*d", width, x.Bytes), x.Name)
	}
}

// blockText is what a record's reference to a block says.
func blockText(x *BlockRef) string {
	t := fmt.Sprintf("block reference %d: block %d, %s", x.ID, x.Block, x.Role)
	if f := [...]string{"", " (in the free space map)", " (in the visibility map)"}; x.Fork < len(f) {
		t += f[x.Fork]
	}
	if x.Init {
		t += ", made anew by replay"
	}
	if x.Image > 0 {
		t += fmt.Sprintf(", with an image of %s", bytesText(x.Image))
	}
	return t
}

// mostWork is how many kinds of work are shown of a step.
const mostWork = 4

func (p *printer) work(s *Step) {
	var parts []string
	kinds := byKind(s.Work)
	for i, w := range kinds {
		if i == mostWork && len(kinds) > mostWork+1 {
			parts = append(parts, fmt.Sprintf("%d others", len(kinds)-mostWork))
			break
		}
		parts = append(parts, workText(w))
	}
	text := "CPU: " + strings.Join(parts, "; ")
	if s.FirstTouch > 0 {
		text += fmt.Sprintf(" (of it %.2f µs once only, for what the worker has not had to do with before)", 1e6*s.FirstTouch)
	}
	p.wrap(5, text)
}

// byKind sums work of one kind on several objects up, the dearest first.
func byKind(work []Work) []Work {
	var kinds []Work
	for _, w := range work {
		at := slices.IndexFunc(kinds, func(k Work) bool { return k.Name == w.Name })
		if at < 0 {
			kinds = append(kinds, Work{Name: w.Name})
			at = len(kinds) - 1
		}
		k := &kinds[at]
		k.Quantity += w.Quantity
		k.Instructions += w.Instructions
		k.CPU += w.CPU
	}
	slices.SortStableFunc(kinds, func(a, b Work) int { return cmp.Compare(b.CPU, a.CPU) })
	return kinds
}

func workText(w Work) string {
	n := ""
	if w.Quantity != 1 {
		n = fmt.Sprintf("%.4g x ", w.Quantity)
	}
	return fmt.Sprintf("%s%s %.2f µs", n, w.Name, 1e6*w.CPU)
}

// totalText is the total in a line.
func (x *Explanation) totalText() string {
	t := &x.Total
	line := fmt.Sprintf("Total: %s, %s", plural(int64(t.Records), "WAL record"), bytesText(t.Bytes))
	if t.FPIBytes > 0 {
		line += fmt.Sprintf(" (%s of page images)", thousands(int64(t.FPIBytes)))
	}
	if x.Profile != "" {
		line += fmt.Sprintf("; %.2f µs of CPU of the apply worker (%s instructions, profile %s)", 1e6*t.CPU, thousands(int64(t.Instructions+0.5)), x.Profile)
		if t.FirstTouch > 0 {
			line += fmt.Sprintf(", %.2f µs of it once only", 1e6*t.FirstTouch)
		}
	}
	return line
}

func (x *Explanation) summary(p *printer) {
	p.wrap(0, x.totalText())
	p.line(0, "")
	if len(x.NotDone) > 0 {
		p.line(0, "What does not happen")
		for _, n := range x.NotDone {
			p.wrap(2, capital(n.What)+": "+n.Why+".")
		}
		p.line(0, "")
	}
	for _, w := range x.Warnings {
		p.wrap(0, "Note: "+w)
	}
}

// line writes one line.
func (p *printer) line(indent int, text string) {
	if text != "" {
		p.b.WriteString(strings.Repeat(" ", indent) + text)
	}
	p.b.WriteByte('\n')
}

// wrap writes text in lines, those after the first further in.
func (p *printer) wrap(indent int, text string) { p.hanging(indent, 0, "", text) }

// hanging writes a label and text beside it, in lines.
func (p *printer) hanging(indent, width int, label, text string) {
	more := width
	if width == 0 {
		more = 2
	}
	line := strings.Repeat(" ", indent)
	if width > 0 {
		line += label + strings.Repeat(" ", max(width-utf8.RuneCountInString(label), 1))
	}
	fresh := true
	for _, w := range strings.Fields(text) {
		if !fresh && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) > lineWidth {
			p.b.WriteString(line + "\n")
			line, fresh = strings.Repeat(" ", indent+more), true
		}
		if !fresh {
			line += " "
		}
		line += w
		fresh = false
	}
	p.b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// table writes rows in columns; the first row is the heading.
func (p *printer) table(indent int, rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, c := range r {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	for _, r := range rows {
		line := strings.Repeat(" ", indent)
		for i, c := range r {
			if width[i] > 0 {
				line += c + strings.Repeat(" ", width[i]-utf8.RuneCountInString(c)+2)
			}
		}
		p.b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}
