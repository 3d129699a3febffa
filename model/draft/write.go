package draft

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"applysim/model/scenario"
)

// Write writes the scenario as a file that scenario.Read reads.
func (d *Draft) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	s := d.Scenario
	indexes := 0
	for _, t := range d.Tables {
		indexes += len(t.Schema.Indexes)
	}
	fmt.Fprintf(b, "# A draft by applysim init: %d tables and %d indexes of %s.\n", len(d.Tables), indexes, oneLine(d.o.Schema))
	if d.o.Stats == nil {
		b.WriteString("# All numbers are guesses. The output of `applysim init --query` on a real server gives better\n# ones (--stats).\n")
	}
	for _, n := range d.Notes {
		fmt.Fprintf(b, "# %s\n", oneLine(n))
	}
	fmt.Fprintf(b, "\nschema  = %s\n", quote(s.Schema))
	fmt.Fprintf(b, "changes = %s          # how long the run is; or duration = \"10min\"\n", grouped(s.Changes))
	fmt.Fprintf(b, "seed    = %d\n", s.Seed)
	if s.Collation != "" {
		fmt.Fprintf(b, "collation = %s\n", quote(s.Collation))
	}
	if s.Binary || s.Streaming != "" {
		b.WriteString("\n[subscription]\n")
		if s.Binary {
			b.WriteString("binary = true\n")
		}
		if s.Streaming != "" {
			fmt.Fprintf(b, "streaming = %s\n", quote(s.Streaming))
		}
	}
	if len(s.Settings) > 0 {
		b.WriteString("\n[settings]               # those that differ from the defaults\n")
		for _, x := range s.Settings {
			fmt.Fprintf(b, "%s = %s\n", key(x.Name), quote(x.Value))
		}
	} else {
		b.WriteString("\n# [settings]             # PostgreSQL 18's defaults, unless you know better\n# max_wal_size = \"4GB\"\n")
	}
	for _, t := range d.Tables {
		d.writeTable(b, t)
	}
	b.WriteString("\n# What the publisher does: rate is in changes a second, rows are those of a transaction.\n")
	for _, o := range s.Operations {
		writeOperation(b, o)
	}
	return b.Flush()
}

func (d *Draft) writeTable(b *bufio.Writer, t *Table) {
	name := key(t.Schema.QualifiedName())
	b.WriteByte('\n')
	for _, n := range t.Notes {
		fmt.Fprintf(b, "# %s: %s\n", oneLine(t.Schema.QualifiedName()), oneLine(n))
	}
	if !t.full && len(t.identity) == 0 && t.Schema.Kind != 'p' && len(t.Operations) > 0 {
		// The note says why; this says what to do.
		fmt.Fprintf(b, "# To replicate more than inserts: a primary key, or ALTER TABLE ... REPLICA IDENTITY FULL.\n")
	}
	fmt.Fprintf(b, "[tables.%s]\n", name)
	if t.Schema.Kind != 'p' {
		fmt.Fprintf(b, "rows = %s\n", grouped(t.Rows))
	}
	if t.Checks != "" {
		fmt.Fprintf(b, "checks = %s\n", quote(t.Checks))
	}
	if len(t.Columns) == 0 {
		return
	}
	fmt.Fprintf(b, "[tables.%s.columns]\n", name)
	for _, c := range t.Columns {
		note := describeType(c.Schema)
		if c.Note != "" {
			note += "; " + c.Note
		}
		spec := fields(&c.Spec)
		if spec == "" {
			fmt.Fprintf(b, "# %s: %s\n", oneLine(c.Schema.Name), oneLine(note+", values by type"))
			continue
		}
		fmt.Fprintf(b, "%s = { %s }  # %s\n", key(c.Schema.Name), spec, oneLine(note))
	}
}

// fields are what a column's spec says beyond the defaults.
func fields(c *scenario.Column) string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if c.Kind != scenario.ByType && c.Kind != scenario.Choice {
		add("kind = %s", quote(string(c.Kind)))
	}
	if c.Kind == scenario.Choice {
		var values []string
		for _, v := range c.Values {
			values = append(values, quote(v))
		}
		add("values = [%s]", strings.Join(values, ", "))
		if c.Weights != nil {
			var weights []string
			for _, w := range c.Weights {
				weights = append(weights, strconv.FormatFloat(w, 'g', -1, 64))
			}
			add("weights = [%s]", strings.Join(weights, ", "))
		}
	}
	if c.Pattern != "" {
		add("pattern = %s", quote(c.Pattern))
	}
	if c.Distinct > 0 {
		add("distinct = %s", grouped(c.Distinct))
	}
	if c.Zipf > 0 {
		add("zipf = %s", number(c.Zipf))
	}
	if c.RowsPerValue > 0 {
		add("rows_per_value = %s", grouped(c.RowsPerValue))
	}
	switch {
	case c.MaxWidth > 0 && c.MinWidth == c.MaxWidth:
		add("width = %d", c.MaxWidth)
	case c.MaxWidth > 0:
		add("width = [%d, %d]", c.MinWidth, c.MaxWidth)
	}
	if c.First != 1 {
		add("first = %s", grouped(c.First))
	}
	if c.Step != 1 {
		add("step = %d", c.Step)
	}
	if c.Scale != 2 {
		add("scale = %d", c.Scale)
	}
	if c.Nulls > 0 {
		add("nulls = %s", number(c.Nulls))
	}
	return strings.Join(list, ", ")
}

func writeOperation(b *bufio.Writer, o *scenario.Operation) {
	fmt.Fprintf(b, "\n[[operation]]\ntable = %s\ndo    = %s\nrate  = %s\n", quote(o.Table), quote(string(o.Do)), number(o.Rate))
	if o.Rows > 1 {
		fmt.Fprintf(b, "rows  = %d\n", o.Rows)
	}
	if o.Columns != nil {
		var names []string
		for _, c := range o.Columns {
			names = append(names, quote(c))
		}
		fmt.Fprintf(b, "columns = [%s]\n", strings.Join(names, ", "))
	}
	if o.Do != scenario.Insert && o.Which != scenario.Uniform {
		fmt.Fprintf(b, "which = %s\n", quote(string(o.Which)))
	}
}

// number writes a floating-point number as TOML has it.
func number(f float64) string {
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		return s
	}
	return s
}

// grouped writes a number with a mark every three digits.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "_" + s[i:]
	}
	return sign + s
}

// key is a name as a TOML key.
func key(name string) string {
	plain := name != ""
	for _, r := range name {
		plain = plain && (r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	}
	if plain {
		return name
	}
	return quote(name)
}

// quote is a text as TOML's basic string.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(s, "?") {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// oneLine keeps control characters out of comments.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}
