package apply

// Collations: which order text columns have, and where it is not known for certain.

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"applysim/index/opclass"
	"applysim/model/assume"
	"applysim/model/collation"
	"applysim/model/expr"
	"applysim/model/schema"
)

// openCollation is a collation that the schema uses.
type openCollation struct {
	order   *collation.Collation // nil: the order of bytes
	letters *collation.Letters   // nil: those of ASCII
	err     error                // why it is not modelled
	uses    []string             // what has asked for its order
}

// collations opens each collation once.
type collations struct {
	db     *schema.Database
	def    string // the database's default collation
	byName map[string]*openCollation
	using  string // what is being compiled
	exact  bool   // nothing may stand for what is not modelled
}

// open returns a collation by its name, "" being the default one.
func (c *collations) open(name string) *openCollation {
	if name == "" || name == "default" {
		name = c.def
	}
	if o := c.byName[name]; o != nil {
		return o
	}
	o := &openCollation{}
	s, err := c.db.Collation(name)
	switch {
	case err != nil:
		o.err = err
	case s.Rules:
		o.err = fmt.Errorf("the RULES of collation %s", name)
	default:
		if o.order, err = collation.Open(s.Spec); err != nil && !c.exact {
			// The language's own order stands for one with settings that are not known.
			plain := s.Spec
			for _, mark := range []string{"-u-", "@"} {
				plain.Locale, _, _ = strings.Cut(plain.Locale, mark)
			}
			if plain.Locale == "" {
				plain.Locale = "und"
			}
			if order, failed := collation.Open(plain); failed == nil {
				o.order, err = order, nil
			}
		}
		if err != nil {
			o.err = fmt.Errorf("collation %s: %w", name, err)
		}
		o.letters = collation.OpenLetters(s.Spec)
	}
	c.byName[name] = o
	return o
}

// order finds the order of a collation (pgtype.Collations).
func (c *collations) order(name string) (opclass.Collation, error) {
	o := c.open(name)
	if o.err != nil || o.order == nil {
		return nil, o.err
	}
	return &noted{order: o.order, of: o, use: c.using}, nil
}

// forExpr is expr.Options.Collation.
func (c *collations) forExpr(name string) *expr.Collation {
	order, err := c.order(name)
	if err != nil {
		return nil
	}
	e := &expr.Collation{Order: order}
	if l := c.open(name).letters; l != nil {
		e.Lower, e.Upper, e.Initcap = l.Lower, l.Upper, l.Initcap
	}
	return e
}

// noted is an order that notes that it was asked for.
type noted struct {
	order *collation.Collation
	of    *openCollation
	use   string
	seen  bool
}

func (n *noted) note() {
	n.seen = true
	if !slices.Contains(n.of.uses, n.use) {
		n.of.uses = append(n.of.uses, n.use)
	}
}

// Compare orders two texts.
func (n *noted) Compare(a, b []byte) int {
	if !n.seen {
		n.note()
	}
	return n.order.Compare(a, b)
}

// Prefix returns the beginning of a text's sort key.
func (n *noted) Prefix(s []byte) uint64 {
	if !n.seen {
		n.note()
	}
	return n.order.Prefix(s)
}

// Deterministic says whether only identical texts are equal.
func (n *noted) Deterministic() bool { return n.order.Deterministic() }

// mostUses is how many uses a warning names.
const mostUses = 12

// collationWarnings names the orders that were asked for.
func (w *Worker) collationWarnings() []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(w.collations.byName)) {
		o := w.collations.byName[name]
		if len(o.uses) == 0 {
			continue
		}
		uses, more := o.uses, ""
		if len(uses) > mostUses {
			more = fmt.Sprintf(" and %d more", len(uses)-mostUses)
			uses = uses[:mostUses]
		}
		list = append(list, fmt.Sprintf("assumed: text in collation %s (%s) is ordered by %s; where index pages split depends on it, and what comparisons say: %s%s",
			name, o.order.Spec(), o.order.Note(), strings.Join(uses, ", "), more))
	}
	return list
}

// collationsAssumed is a choice for each use of such an order.
func (w *Worker) collationsAssumed() []assume.Choice {
	var list []assume.Choice
	for _, name := range slices.Sorted(maps.Keys(w.collations.byName)) {
		o := w.collations.byName[name]
		for _, use := range o.uses {
			list = append(list, assume.Choice{Name: use, Setting: "collation", Value: name, Reason: "text is ordered by " + o.order.Note()})
		}
	}
	return list
}

// Doubts are the Warnings and those of the run so far: what depends on the order of
// text in collations other than C. The choices among both are Assumed, too.
func (w *Worker) Doubts() (warnings []string, assumed []assume.Choice) {
	return slices.Concat(w.Warnings, w.collationWarnings()), slices.Concat(w.Assumed, w.collationsAssumed())
}
