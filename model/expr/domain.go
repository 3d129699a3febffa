package expr

import (
	"errors"
	"fmt"

	"applysim/heap/datum"
	"applysim/model/pgtype"
	"applysim/model/schema"
)

// Domain holds the compiled constraints of a domain, those of the domains below it
// included.
type Domain struct {
	typ     *pgtype.Type
	notNull bool
	checks  []domainCheck // in the order in which the server makes them
}

type domainCheck struct {
	name string
	expr *Expr
}

// Len is the number of constraints.
func (d *Domain) Len() int64 {
	n := int64(len(d.checks))
	if d.notNull {
		n++
	}
	return n
}

// CompileDomain compiles the constraints of a domain: those of the domains below come
// first, each domain's in the order of their names, NOT NULL before all
// (load_domaintype_info). Those that cannot be compiled are left out, and named.
func CompileDomain(t *pgtype.Type, o *Options) (*Domain, []error) {
	d := &Domain{typ: t}
	var missing []error
	for ; t.Kind == pgtype.KindDomain; t = t.Elem {
		d.notNull = d.notNull || t.NotNull
		var own []domainCheck
		value := &schema.Table{Columns: []schema.Column{{Name: "value", Type: t.Elem, Typmod: t.Typmod}}}
		for i := range t.Checks {
			e, err := CompileOptions(t.Checks[i].Expr, value, &Options{Resolve: o.Resolve, Collation: o.Collation})
			if err != nil {
				missing = append(missing, fmt.Errorf("%s of domain %s: %w", t.Checks[i].Name, t, err))
				continue
			}
			own = append(own, domainCheck{t.Checks[i].Name, e})
		}
		d.checks = append(own, d.checks...)
	}
	return d, missing
}

// Check says whether a value satisfies the constraints (domain_check_input). note is
// told of a constraint that cannot be evaluated for this value; it is taken to hold.
func (d *Domain) Check(v *datum.Value, s *Scratch, note func(name string, err error)) error {
	if d.notNull && v.Null {
		return fmt.Errorf("domain %s does not allow null values", d.typ)
	}
	row := [1]datum.Value{*v}
	for i := range d.checks {
		c := &d.checks[i]
		r, err := c.expr.Eval(row[:], s)
		var unsupported *UnsupportedError
		switch {
		case errors.As(err, &unsupported):
			note(c.name, err)
		case err != nil:
			return err
		case !r.Null && r.Bits&1 == 0:
			return fmt.Errorf("value for domain %s violates check constraint %q", d.typ, c.name)
		}
	}
	return nil
}

// domain checks that a value which becomes one of a domain satisfies its constraints
// (CoerceToDomain).
func (c *compiler) domain(n *node, from, t *pgtype.Type) *node {
	if t.Kind != pgtype.KindDomain || from == t || !t.Constrained() {
		return n
	}
	d, missing := CompileDomain(t, c.opts)
	if len(missing) > 0 {
		unsupported("the constraint " + missing[0].Error())
	}
	inner := n.eval
	m := c.derive(n.typ, []*node{n}, func(s *Scratch) (datum.Value, error) {
		v, err := inner(s)
		if err != nil {
			return v, err
		}
		var failed error
		own := Scratch{Now: s.Now, HasNow: s.HasNow}
		if err := d.Check(&v, &own, func(_ string, err error) { failed = err }); err != nil {
			return null, err
		}
		return v, failed
	})
	m.typmod, m.coll, m.collBy = n.typmod, n.coll, n.collBy
	return m
}
