package apply

import (
	"fmt"
	"slices"
	"strings"

	"applysim/heap/datum"
	"applysim/model/expr"
	"applysim/model/pgtype"
	"applysim/model/schema"
)

// constrainDomains makes the input functions of the schema's domains check their
// constraints: an apply worker evaluates them where it reads a value (domain_in), not
// where it stores a row. A NULL that a message carries is not read, so that NOT NULL
// of a domain is only checked within arrays and composite types.
func (w *Worker) constrainDomains(db *schema.Database) {
	var domains []*pgtype.Type
	for _, t := range db.Types {
		if t.Kind == pgtype.KindDomain && t.Constrained() {
			domains = append(domains, t)
		}
	}
	slices.SortFunc(domains, func(a, b *pgtype.Type) int { return strings.Compare(a.String(), b.String()) })
	for _, t := range domains {
		d, missing := expr.CompileDomain(t, w.exprOptions("domain "+t.String()))
		for _, err := range missing {
			w.assumed(t.String(), "holds", "", fmt.Sprintf("the CHECK constraint %v", err))
		}
		checks := d.Len() + int64(len(missing))
		var scratch expr.Scratch
		t.Constrain(func(v *datum.Value) error {
			w.Counters.Checks += checks
			scratch.Reset()
			return d.Check(v, &scratch, func(name string, err error) {
				w.assumed(t.String(), "holds", "", fmt.Sprintf("the CHECK constraint %s: %v", name, err))
			})
		})
	}
}
