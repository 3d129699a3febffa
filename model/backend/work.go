package backend

import (
	_ "embed" // the prices
	"fmt"
	"slices"
	"strconv"
	"strings"

	"applysim/model/apply"
	"applysim/model/cost"
	"applysim/model/schema"
	"applysim/model/stream"
)

//go:generate go run ../../experiments/instructions/fit --side backend -o model.json

//go:embed model.json
var prices []byte

// Model is what each kind of a backend's work takes, in instructions.
func Model() (*cost.Model, error) { return cost.ReadModel(prices) }

// The terms of a backend's own work: reading and planning statements, which come one by one
// with their values in the text (the simple protocol), and running them.
const (
	// TermShared is what a backend does as an apply worker does. Its unit is an
	// instruction as package cost prices it.
	TermShared      = "heap, indexes and WAL, by instruction as an apply worker's"
	TermTransaction = "begin and end a transaction"
	TermControl     = "run BEGIN or COMMIT"
	TermByte        = "read a byte of SQL"
	TermToken       = "read a token of SQL"

	TermCopy       = "run a COPY"
	TermCopyRow    = "COPY: read a row"
	TermCopyColumn = "COPY: read a column"
	TermCopyByte   = "COPY: read a byte"

	TermColumn     = "plan a column of an INSERT"
	TermIndex      = "open an index for an INSERT"
	TermSeveral    = "plan an INSERT of several rows"
	TermSeveralRow = "plan and read a row of several"
	TermSelected   = "insert a row of a query"
	TermQuery      = "plan an INSERT of a query's rows"

	TermPlanIndex  = "plan with an index of the table"
	TermPlanColumn = "plan a column of an UPDATE"
	TermSet        = "plan an item of a SET list"
	TermScan       = "plan a scan of several rows"
	TermUpdate     = "update a row"
	TermDelete     = "delete a row"

	TermCheck = "check a foreign key"
	TermLeave = "check that nothing refers to a row"
)

// Work is what a runner's statements were, as far as their cost depends on it.
type Work struct {
	usage  cost.Usage
	parsed cost.Usage // values that input functions have read, as an apply worker's work
	copied int64      // rows that COPY has inserted
	// messages are those of the client, bytes is how long they are, and large how long those
	// of large statements are.
	messages, bytes, large int64
}

func (w *Work) add(term string, n int64) {
	w.usage.Add(cost.Item{Term: term, Where: cost.Dispatch, Quantity: float64(n)})
}

// Usage is the work of the statements so far, with what was done to the tables. shared
// prices the latter.
func (r *Runner) Usage(shared *cost.Model) *cost.Usage {
	u := &cost.Usage{}
	u.Merge(&r.work.usage)
	c := r.b.Worker().Counters
	transactions := c.Begins
	u.Add(cost.Item{Term: TermTransaction, Where: cost.Dispatch, Quantity: float64(transactions)})
	u.Add(cost.Item{Term: TermCheck, Where: cost.Dispatch, Quantity: float64(r.b.Checked)})
	u.Add(cost.Item{Term: TermLeave, Where: cost.Dispatch, Quantity: float64(r.b.Left)})
	u.Add(cost.Item{Term: TermShared, Where: cost.Dispatch, Quantity: shared.Instructions(r.Shared())})
	return u
}

// Effort is the work so far as far as CPU time depends on it. own and shared price what
// reading and running statements takes, and what was done to the tables.
func (r *Runner) Effort(own, shared *cost.Model) cost.BackendWork {
	w := shared.AsWorker(r.Shared())
	for _, l := range own.Price(r.Usage(shared)) {
		n := l.Instructions / 1000
		switch l.Term {
		case TermShared: // is in AsWorker
		case TermPlanIndex, TermPlanColumn, TermSet, TermScan, TermUpdate, TermDelete, "run UPDATE", "run DELETE", "run SELECT":
			w.Planned += n
		case TermCopy, TermCopyRow, TermCopyColumn, TermCopyByte:
			w.Copy += n
		case TermCheck, TermLeave:
			w.Check += n
		default:
			w.Statement += n
		}
	}
	w.Messages, w.Bytes, w.Large = float64(r.work.messages), float64(r.work.bytes), float64(r.work.large)
	c := &r.b.Worker().Counters
	w.Rows, w.Commits = float64(c.Inserts+c.Updates+c.Deletes), float64(c.Begins)
	if c.Inserts > 0 { // COPY adds many pages at once
		single := 1 - float64(r.work.copied)/float64(c.Inserts)
		pages := 0.0
		for i := range r.b.Worker().Tables() {
			pages += float64(r.b.Worker().Tables()[i].Heap.Counters.NewPages)
		}
		w.Pages -= float64(pages * (1 - single))
	}
	w.WALBytes = float64(r.b.Worker().Log().Total().Bytes) // rows that COPY wrote by the hundred, too
	return w
}

// Shared is what was done to the tables, as an apply worker's work.
func (r *Runner) Shared() *cost.Usage {
	u := cost.Measure(r.b.Worker()).OfBackend(r.work.copied)
	u.Merge(&r.work.parsed)
	return u
}

// literalTerm is the term of a constant for a column. What stands without quotes has a type
// of its own; the planner converts it if the column has another, and cuts or checks what is
// for a column with a length.
func literalTerm(c *schema.Column, toks []token, where string) string {
	kind := "as it is"
	switch x := toks[0]; {
	case x.kind == 's':
		kind = "a string"
	case x.kind == 'n':
		if own := numberType(x.text); own != cost.TypeName(c.Type) {
			kind = own + " to " + cost.TypeName(c.Type)
		}
	}
	if c.Typmod >= 0 {
		kind += " of a length"
	}
	return fmt.Sprintf("constant: %s in %s", kind, where)
}

// Where constants stand.
const (
	inRow     = "a row"
	inSeveral = "a row of several"
	inSet     = "a SET list"
)

// numberType is the type that a number has by itself.
func numberType(text string) string {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return "numeric"
	case n == int64(int32(n)):
		return "integer"
	}
	return "bigint"
}

// literal counts a constant for a column.
func (w *Work) literal(t *schema.Table, column int, toks []token, where string) {
	if column < 0 || len(toks) != 1 {
		return
	}
	c := &t.Columns[column]
	switch x := toks[0]; {
	case x.kind == 's':
		w.add(literalTerm(c, toks, where), 1)
		text, _ := unquote(x.text)
		w.parsed.Parse(c.Type, text)
	case x.kind == 'n' || x.is("true", "false"):
		w.add(literalTerm(c, toks, where), 1)
	}
}

// control counts BEGIN, COMMIT and the like.
func (w *Work) control() { w.add(TermControl, 1) }

// block counts the messages BEGIN and COMMIT.
func (w *Work) block() {
	w.add(TermControl, 2)
	w.messages += 2
	w.bytes += int64(len("begin") + len("commit"))
}

// text counts what reading a statement takes.
func (w *Work) text(s *statement) {
	w.add(TermByte, int64(len(s.text)))
	w.add(TermToken, int64(len(s.toks)))
}

// sent counts a message of the client.
func (w *Work) sent(s *statement) {
	w.messages++
	w.bytes += int64(len(s.text))
	if len(s.text) > largeStatement {
		w.large += int64(len(s.text))
	}
}

// largeStatement is the length from which on a statement's parse and plan trees are taken to
// be so large that the C library gives their memory back to the kernel, which clears it anew
// for the next one. Measured: not yet with 18 kB of VALUES, and with 92 kB.
const largeStatement = 64 << 10

// columns is how many columns a table has.
func columns(t *schema.Table) int64 {
	n := int64(0)
	for i := range t.Columns {
		if !t.Columns[i].Dropped {
			n++
		}
	}
	return n
}

// statement counts a statement. changed is how many rows it has changed.
func (w *Work) statement(d *dml, plan *apply.Statement, changed int64) {
	t := d.table
	if d.copy != nil {
		w.copy(d, changed)
		return
	}
	w.text(d.statement)
	w.add("run "+strings.ToUpper(d.verb), 1)
	switch d.verb {
	case "insert":
		w.insert(d, changed)
	case "update", "delete", "select":
		w.add(TermPlanIndex, int64(len(t.Indexes)))
		if d.verb == "update" {
			w.add(TermPlanColumn, columns(t))
			w.add(TermUpdate, changed)
			for _, item := range list(d.toks[find(d.toks, "set")+1 : find(d.toks, "where", "returning", "from")]) {
				if len(item) > 2 && item[0].name() {
					w.add(TermSet, 1)
					w.literal(t, t.Column(item[0].text), item[2:], inSet)
				}
			}
		} else if d.verb == "delete" {
			w.add(TermDelete, changed)
		}
		if plan != nil && !(plan.Index != nil && plan.Index.Unique && plan.Equal == len(plan.Index.Keys)) {
			w.add(TermScan, 1)
		}
	}
}

// insert counts an INSERT.
func (w *Work) insert(d *dml, rows int64) {
	t := d.table
	w.add(TermColumn, columns(t))
	w.add(TermIndex, int64(len(t.Indexes)))
	start := find(d.toks, "values", "select")
	if start == len(d.toks) || d.toks[start].is("select") {
		w.add(TermQuery, 1)
		w.add(TermSelected, rows)
		return
	}
	values := list(d.toks[start+1 : find(d.toks, "on", "returning")])
	if len(values) > 1 {
		w.add(TermSeveral, 1)
		w.add(TermSeveralRow, int64(len(values)))
	}
	given := d.given
	if len(d.perhaps) > 0 {
		given = nil
	}
	where := inRow
	if len(values) > 1 {
		where = inSeveral
	}
	for _, row := range values {
		if len(row) < 2 || !row[0].is("(") {
			continue
		}
		for k, v := range list(row[1 : len(row)-1]) {
			if given == nil {
				given = d.first(len(t.Columns))
			}
			if k < len(given) {
				w.literal(t, given[k], v, where)
			}
		}
	}
}

// copy counts a COPY.
func (w *Work) copy(d *dml, rows int64) {
	w.add(TermCopy, 1)
	w.add(TermCopyRow, rows)
	w.add(TermIndex, int64(len(d.table.Indexes)))
	w.copied += rows
	w.messages++ // it is asked for the lines, and answered at their end
	for _, line := range d.data {
		w.bytes += int64(len(line)) + 1
		w.add(TermCopyByte, int64(len(line))+1)
		for k, v := range strings.Split(line, "\t") {
			if k >= len(d.given) || d.given[k] < 0 {
				continue
			}
			w.add(TermCopyColumn, 1)
			if v != `\N` {
				w.parsed.Parse(d.table.Columns[d.given[k]].Type, v)
			}
		}
	}
}

// alone counts a change of which no SQL is known as a statement of its own, with its values
// in the text: numbers without quotes, all else with them.
func (w *Work) alone(t *schema.Table, r *stream.Relation, m *stream.Message) {
	bytes, tokens := int64(len("insert into  values ()")+len(t.Name)), int64(6)
	verb := map[stream.Kind]string{stream.KindInsert: "INSERT", stream.KindUpdate: "UPDATE", stream.KindDelete: "DELETE"}[m.Kind]
	w.add("run "+verb, 1)
	for i := range m.New {
		x := &m.New[i]
		if x.Format != stream.ColumnText || r == nil || i >= len(r.Columns) {
			continue
		}
		column := t.Column(r.Columns[i].Name)
		if column < 0 || m.Kind == stream.KindUpdate && slices.Contains(keyColumns(t), column) {
			continue
		}
		c := &t.Columns[column]
		kind := byte('s')
		if numeric[cost.TypeName(c.Type)] {
			kind = 'n'
		}
		where := inRow
		if m.Kind == stream.KindUpdate {
			w.add(TermSet, 1)
			where = inSet
		}
		text := string(x.Data)
		if kind == 's' {
			text = "'" + strings.ReplaceAll(text, "'", "''") + "'"
		}
		w.literal(t, column, []token{{text: text, kind: kind}}, where)
		bytes += int64(len(x.Data)) + 4
		tokens += 2
	}
	switch m.Kind {
	case stream.KindInsert:
		w.add(TermColumn, columns(t))
		w.add(TermIndex, int64(len(t.Indexes)))
	case stream.KindUpdate:
		w.add(TermPlanIndex, int64(len(t.Indexes)))
		w.add(TermPlanColumn, columns(t))
		w.add(TermUpdate, 1)
	case stream.KindDelete:
		w.add(TermPlanIndex, int64(len(t.Indexes)))
		w.add(TermDelete, 1)
	}
	w.add(TermByte, bytes)
	w.add(TermToken, tokens)
	w.messages++
	w.bytes += bytes
}

// numeric are the types whose constants are written without quotes.
var numeric = map[string]bool{"smallint": true, "integer": true, "bigint": true, "numeric": true, "real": true, "double precision": true, "boolean": true}

// keyColumns are the columns of a table's primary key.
func keyColumns(t *schema.Table) []int {
	var list []int
	if x := t.PrimaryKey(); x != nil {
		for _, k := range x.Keys {
			list = append(list, k.Column)
		}
	}
	return list
}
