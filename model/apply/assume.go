package apply

// What stands for what cannot be computed; see package assume.

import (
	"errors"
	"slices"
	"strings"

	"applysim/model/assume"
	"applysim/model/expr"
)

// assumed notes a choice: see assume.Choice.
func (w *Worker) assumed(name, setting, value, reason string) {
	w.note(assume.Choice{Name: name, Setting: setting, Value: value, Reason: reason})
}

// note notes a choice once, and warns of it.
func (w *Worker) note(a assume.Choice) {
	if slices.ContainsFunc(w.Assumed, func(b assume.Choice) bool { return b.Name == a.Name && b.Setting == a.Setting }) {
		return
	}
	a.Reason = shortened(a.Reason)
	w.Assumed = append(w.Assumed, a)
	w.Warnings = append(w.Warnings, a.String())
}

// mostReason is how much of an expression or a literal a message shows, in bytes.
const mostReason = 400

// shortened leaves out the middle of a text that is too long for a message.
func shortened(s string) string {
	if len(s) <= mostReason {
		return s
	}
	return strings.ToValidUTF8(s[:mostReason/2], "") + " ... " + strings.ToValidUTF8(s[len(s)-mostReason/2:], "")
}

// chance says what a default depends on beside the row and the settings, sequences
// aside; "" if nothing.
func chance(e *expr.Expr) string {
	var names []string
	for _, n := range e.VolatileNames() {
		if !strings.HasPrefix(n, "function nextval(") {
			names = append(names, n)
		}
	}
	return strings.Join(names, ", ")
}

// decides says whether the values of a column decide more than the width of a row: an
// index, a generated column or a partition key depends on them.
func (t *table) decides(column int) bool {
	for _, x := range t.indexes {
		if slices.Contains(x.depends, column) {
			return true
		}
	}
	return slices.ContainsFunc(t.generated, func(g generatedColumn) bool { return slices.Contains(g.expr.Reads(), column) }) ||
		t.parent != nil || t.router != nil
}

// evalError is the error of an expression: of the server's, or of the model's.
func (w *Worker) evalError(err error) error {
	var unsupported *expr.UnsupportedError
	if errors.As(err, &unsupported) {
		return w.unsupported("%v", err)
	}
	return w.failed(err)
}

// random gives numbers for defaults that depend on chance.
func (w *Worker) random() uint64 { return w.chance.Uint64() }
